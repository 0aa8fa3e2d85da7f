"""The service as it runs: real processes, real sockets, and what happens when they die.

Skipped where starlette or uvicorn is not installed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from service_process import Running, command, running

import cupel

for name in ("starlette", "uvicorn"):
    pytest.importorskip(name, reason="needs `pip install 'cupel[serve]'`")

OWN = [f"service_metrics:{name}" for name in ("nap", "deadly", "together")]


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    limits = ["--max-queue", "40", "--max-body", "50000"]
    with running("-m", "chrf", "bleu", "ter", *OWN, *limits) as one:
        yield one


@pytest.fixture(scope="module")
def small_service() -> Iterator[Running]:
    limits = ["--max-queue", "3", "--timeout", "3", "--workers", "1"]
    with running("-m", OWN[0], *limits) as one:
        yield one


def pairs(count: int, start: int = 0) -> tuple[list[str], list[str]]:
    words = "the quick brown fox jumps over one lazy dog".split()
    texts = [" ".join(words[(n * k) % 9] for k in range(1, 9)) for n in range(start, start + count)]
    return texts, [f"{words[n % 9]} {text}" for n, text in enumerate(texts)]


def test_scores_are_those_of_cupel_score(service: Running) -> None:
    hypotheses, references = pairs(20)
    status, answer = service.post(
        "/score", hypotheses=hypotheses, references=references, metrics=["bleu", "chrf", "ter"]
    )
    scores = cupel.score(hypotheses, references, ["bleu", "chrf", "ter"])
    assert status == 200
    assert answer["scores"] == {metric: scores[metric] for metric in scores.metrics}
    assert answer["segment_scores"]["ter"] == scores.segment_scores("ter").tolist()
    assert answer["signatures"] == scores.signatures
    assert answer["version"] == cupel.__version__


def test_the_example_of_the_page(service: Running) -> None:
    page = (Path(__file__).parents[2] / "docs" / "serve.md").read_text("utf-8")
    request, answer = map(json.loads, re.findall(r"^```json\n(.*?)^```", page, re.S | re.M))
    assert service.post("/score", **request) == (200, answer)


def test_concurrent_requests_are_merged_and_equal_to_single_ones(service: Running) -> None:
    contents: list[dict[str, Any]] = []
    for n in range(30):
        hypotheses, references = pairs(3, n)
        contents.append(
            {"hypotheses": hypotheses, "references": references, "metrics": ["chrf", "ter"]}
        )
    before = service.counter("cupel_batch_requests_count")
    together = service.at_once("/score", contents)
    batches = service.counter("cupel_batch_requests_count") - before
    assert [status for status, _ in together] == [200] * 30
    assert together == [service.post("/score", **content) for content in contents]
    assert batches < 30


def test_each_distinct_item_is_computed_once(service: Running) -> None:
    """30 requests with 2 texts between them: no call gets more than these 2."""
    label = "service_metrics:together"
    contents = [{"hypotheses": ["a", "b", "a"], "metrics": [label]}] * 30
    for status, answer in service.at_once("/score", contents):
        assert status == 200
        assert answer["segment_scores"][label] == [2.0, 2.0, 2.0]


def test_bad_requests(service: Running) -> None:
    good = b'{"hypotheses": ["a"], "references": ["a"], "metrics": ["chrf"]}'
    assert service.ask("POST", "/score", good)[0] == 200
    for arguments, status, sentence in (
        (("POST", "/score", good, "text/plain"), 415, "not 'text/plain'"),
        (("POST", "/score", good[:-1]), 400, "The body is not JSON"),
        (("POST", "/score", b" " * 50_001), 413, "larger than the 50,000 bytes"),
        (("POST", "/score", good.replace(b"chrf", b"os:system")), 422, "'os:system' is not among"),
        (("GET", "/score"), 405, "does not take this method"),
        (("GET", "/nothing"), 404, "nothing at this address"),
        (("POST", "/align", good[:-22] + b"}"), 422, "No metric of this service aligns"),
    ):
        answer, content, headers = service.ask(*arguments)
        assert (answer, list(json.loads(content))) == (status, ["error"])
        assert sentence in json.loads(content)["error"]
        assert headers["content-type"] == "application/json"


def test_a_body_without_a_length_is_bounded_too(service: Running) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as client:
        client.sendall(
            b"POST /score HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" + (b"1000\r\n" + b" " * 4096 + b"\r\n") * 20
        )
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("deadly", ["once", "die"])
def test_a_dying_worker_loses_nothing(service: Running, tmp_path: Path, deadly: str) -> None:
    """One request kills its worker, the first time or every time; all others are answered."""
    label = "service_metrics:deadly"
    texts = [f"text {n}" for n in range(12)]
    texts.insert(5, f"{deadly} {tmp_path / 'mark'}")
    contents = [{"hypotheses": [text], "metrics": [label]} for text in texts]
    answers = service.at_once("/score", contents)
    if deadly == "die":
        sentence = "The worker process died twice while it computed this request."
        assert answers.pop(5) == (500, {"error": sentence})
        del texts[5]
    for (status, answer), text in zip(answers, texts, strict=True):
        assert status == 200, answer
        assert answer["scores"] == {label: len(text)}


def test_workers_killed_from_outside_are_replaced(service: Running) -> None:
    hypotheses, references = pairs(1)
    body = {"hypotheses": hypotheses, "references": references, "metrics": ["chrf"]}
    before = service.post("/score", **body)
    for child in service.workers():
        os.kill(child, signal.SIGKILL)
    assert [service.post("/score", **body) for _ in range(4)] == [before] * 4


def test_pages_and_descriptions(service: Running) -> None:
    status, content, _ = service.ask("GET", "/health")
    health = json.loads(content)
    assert (status, health["status"], health["version"]) == (200, "ok", cupel.__version__)
    assert health["metrics"] == ["chrf", "bleu", "ter", *OWN]
    document = json.loads(service.ask("GET", "/openapi.json")[1])
    assert document["openapi"] == "3.1.0"
    schema = document["paths"]["/score"]["post"]["requestBody"]["content"]["application/json"]
    assert schema["schema"]["properties"]["metrics"]["items"]["enum"] == health["metrics"]
    assert service.post("/score", **schema["example"], metrics=["chrf"])[0] == 200
    for path in ("/", "/docs"):
        status, content, headers = service.ask("GET", path)
        policy = headers["content-security-policy"]
        assert status == 200
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert policy.removesuffix("; frame-ancestors 'none'") in content.decode()
        assert b"http://" not in content.replace(b"http://HOST:PORT", b"").replace(
            b"http://www.w3.org/2000/svg", b""
        )


def test_what_takes_too_long_is_ended(small_service: Running) -> None:
    answer = small_service.post("/score", hypotheses=["60"])
    assert answer == (504, {"error": "There was no answer within 3 seconds."})
    until = time.monotonic() + 20
    while small_service.post("/score", hypotheses=["0"])[0] != 200:  # another worker loads
        assert time.monotonic() < until
    assert small_service.counter("cupel_worker_restarts_total") == 1


def test_full_and_a_clean_stop(small_service: Running) -> None:
    """429 when full; on SIGTERM what is inside is finished, what comes gets 503, and the exit is 0.

    Also where nobody reads the notes on standard error any more.
    """
    answers: list[tuple[int, Any]] = []
    inside = [
        threading.Thread(
            target=lambda: answers.append(small_service.post("/score", hypotheses=["1.2"]))
        )
        for _ in range(3)
    ]
    for thread in inside:
        thread.start()
    time.sleep(0.4)
    sentence = "3 requests are waiting: try again in a moment."
    assert small_service.post("/score", hypotheses=["1"]) == (429, {"error": sentence})
    assert small_service.process.stderr is not None
    small_service.process.stderr.close()
    small_service.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert small_service.post("/score", hypotheses=["1"]) == (
        503, {"error": "The service is stopping."}
    )  # fmt: skip
    assert small_service.ask("GET", "/health")[0] == 503
    for thread in inside:
        thread.join()
    assert [status for status, _ in answers] == [200] * 3
    assert small_service.process.wait(10) == 0


def test_workers_end_when_the_service_is_killed() -> None:
    with running("-m", "chrf", "--workers", "1") as service:
        (worker,) = service.workers()
        service.process.kill()
        until = time.monotonic() + 10
        while Path(f"/proc/{worker}").exists() and time.monotonic() < until:
            time.sleep(0.05)
        assert not Path(f"/proc/{worker}").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-m", "chrff"], "Unknown metric 'chrff': did you mean"),
        (["-m", "chrf", "--host", "203.0.113.1"], "The service cannot listen at 203.0.113.1"),
    ],
)
def test_what_cannot_start(options: list[str], sentence: str) -> None:
    process = command(*options)
    _, text = process.communicate(timeout=30)
    assert process.returncode == 2
    assert len(text.splitlines()) == 1
    assert sentence in text
