"""How much `cupel serve` carries: requests per second, waiting times, and what survives.

Everything runs on this machine, over the loopback interface, for a few seconds a row. Clients are
processes of their own, so that they do not share the service's core more than they must; each keeps one
connection and sends its next request when the last is answered.

    python benchmarks/serve.py [--seconds 3] [--clients 16]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from random import Random

import numpy as np

WORDS = (
    "the of parliament has passed a new law on monday after long talks about money and work".split()
)
HEADER = ["load", "requests/s", "segments/s", "p50 ms", "p99 ms", "answers", "requests a batch"]


def request(metric: str, number: int, segments: int) -> bytes:
    """Texts of some twenty words, different in every request."""
    generator = Random(number)

    def sentence() -> str:
        return f"{number} " + " ".join(generator.choices(WORDS, k=20))

    hypotheses = [sentence() for _ in range(segments)]
    references = [f"{text} {sentence()[:30]}" for text in hypotheses]
    content = {"hypotheses": hypotheses, "references": references, "metrics": [metric]}
    return json.dumps(content).encode()


@contextmanager
def service(*options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A running service and its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cupel", "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = next(line for line in process.stderr if "Serving" in line)
        yield process, int(line.split("http://")[1].split(" ")[0].rpartition(":")[2])
    finally:
        process.terminate()
        process.stderr.close()
        process.wait(30)


def post(connection: http.client.HTTPConnection, body: bytes) -> int:
    connection.request("POST", "/score", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return answer.status


Done = list[tuple[int, float, float]]
"""Of each request its status, and when it began and ended."""


def client(
    port: int, metric: str, segments: int, connections: int, seconds: float, seed: int
) -> Done:
    """The requests of one process, over some connections."""
    done: Done = []
    ready = threading.Barrier(connections)

    def one(number: int) -> None:
        bodies = [request(metric, seed * 100_000 + number * 1000 + n, segments) for n in range(50)]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        ready.wait()
        until = time.perf_counter() + seconds
        for n in range(1 << 30):
            start = time.perf_counter()
            if start > until:
                break
            status = post(connection, bodies[n % len(bodies)])
            done.append((status, start, time.perf_counter()))
        connection.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def load(port: int, metric: str, segments: int, clients: int, seconds: float) -> Done:
    """All requests of two processes with half of the connections each."""
    with get_context("spawn").Pool(2) as pool:
        parts = pool.starmap(
            client, [(port, metric, segments, clients // 2, seconds, seed) for seed in (1, 2)]
        )
    return [one for part in parts for one in part]


def counter(port: int, name: str) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    return float(next(line.split()[-1] for line in lines if line.startswith(f"{name} ")))


def row(
    label: str, port: int, metric: str, segments: int, clients: int, seconds: float
) -> list[str]:
    before = [counter(port, f"cupel_batch_requests_{part}") for part in ("sum", "count")]
    done = load(port, metric, segments, clients, seconds)
    after = [counter(port, f"cupel_batch_requests_{part}") for part in ("sum", "count")]
    good = [end - start for status, start, end in done if status == 200]
    took = max(end for *_, end in done) - min(start for _, start, _ in done)
    p50, p99 = np.quantile(good, [0.5, 0.99]) * 1000
    statuses = ", ".join(
        f"{n} x {status}" for status, n in sorted(Counter(s for s, *_ in done).items())
    )
    merged = (after[0] - before[0]) / max(1.0, after[1] - before[1])
    rate = len(good) / took
    return [label, f"{rate:.0f}", f"{rate * segments:.0f}", f"{p50:.1f}", f"{p99:.1f}", statuses,
            f"{merged:.1f}"]  # fmt: skip


def killed_workers(seconds: float) -> str:
    """Workers are killed twice while requests come in: every one of them is answered with 200."""
    with service("-m", "chrf") as (process, port):
        results: list[Done] = []
        thread = threading.Thread(
            target=lambda: results.append(load(port, "chrf", 1, 16, max(seconds, 4.0)))
        )
        thread.start()
        kills = 0
        for _ in range(2):
            time.sleep(1.7)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            workers = [
                c for c in children if "spawn_main" in Path(f"/proc/{c}/cmdline").read_text()
            ]
            os.kill(int(workers[0]), signal.SIGKILL)
            kills += 1
        thread.join()
        (done,) = results
        restarts = counter(port, "cupel_worker_restarts_total")
    statuses = Counter(status for status, *_ in done)
    slowest = max(end - start for _, start, end in done)
    return (
        f"{kills} workers killed under load: {len(done)} requests, answers {dict(statuses)}, "
        f"{restarts:.0f} workers replaced, slowest answer {slowest:.2f} s"
    )


def full_queue(seconds: float) -> str:
    """64 connections at a service that lets 8 requests in."""
    with service("-m", "chrf", "--max-queue", "8") as (_, port):
        done = load(port, "chrf", 100, 64, seconds)
    statuses = Counter(status for status, *_ in done)
    return f"64 connections, at most 8 requests inside: answers {dict(statuses)}"


def clean_stop() -> str:
    """SIGTERM with requests inside: those are answered, others refused, and the exit is 0."""
    statuses: Counter[str] = Counter()

    def one(number: int, port: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for n in range(1000):
            try:
                status = post(connection, request("ter", number * 1000 + n, 60))
            except (OSError, http.client.HTTPException):
                return  # the service has ended
            statuses[str(status)] += 1
            if status == 503:
                return

    with service("-m", "ter") as (process, port):
        threads = [threading.Thread(target=one, args=(number, port)) for number in range(16)]
        for thread in threads:
            thread.start()
        time.sleep(1.0)
        start = time.perf_counter()
        process.terminate()
        code = process.wait(30)
        took = time.perf_counter() - start
        for thread in threads:
            thread.join()
    return f"SIGTERM under load: answers {dict(statuses)}, ended with {code} after {took:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--clients", type=int, default=16)
    arguments = parser.parse_args()
    seconds, clients = arguments.seconds, arguments.clients
    rows = []
    with service("-m", "chrf") as (_, port):
        rows.append(row("chrf, 1 segment", port, "chrf", 1, clients, seconds))
        rows.append(row("chrf, 1 segment, 2 connections", port, "chrf", 1, 2, seconds))
        rows.append(row("chrf, 100 segments", port, "chrf", 100, clients, seconds))
    try:
        import tokenizers  # noqa: F401
        import torch  # noqa: F401
    except ImportError:
        print("assay is not installed: its rows are left out")
    else:
        with service("-m", "assay") as (_, port):
            rows.append(row("assay, 1 segment", port, "assay", 1, clients, seconds))
            rows.append(row("assay, 1 segment, 2 connections", port, "assay", 1, 2, seconds))
    widths = [max(map(len, column)) for column in zip(HEADER, *rows, strict=True)]
    for line in [HEADER, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    print(
        f"{clients} connections unless the row says otherwise; {os.cpu_count()} cores, clients on them"
    )
    print(killed_workers(seconds))
    print(full_queue(seconds))
    print(clean_stop())


if __name__ == "__main__":
    main()
