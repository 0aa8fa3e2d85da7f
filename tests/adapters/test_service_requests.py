"""Requests are checked before anything is computed, and bad ones get one sentence."""

from __future__ import annotations

import json

import pytest

from cupel.adapters.service.counters import Counters
from cupel.adapters.service.requests import Refusal, task_of
from cupel.adapters.service.settings import Ability, abilities_of
from cupel.adapters.service.work import perform
from cupel.registry import named_metrics
from cupel.scoring import score

OFFERED = {
    "chrf": Ability(True, 1, ("references",), False, False),
    "bleu:tokenize=intl": Ability(True, 1, ("references",), False, False),
    "numbers": Ability(False, 1, ("sources",), False, False),
    "meteor": Ability(True, 4, ("references",), True, False),
}
ALL = "chrf, bleu:tokenize=intl, numbers, meteor"


def refused(operation: str, body: object) -> tuple[int, str]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(Refusal) as refusal:
        task_of(operation, content, OFFERED)
    return refusal.value.status, refusal.value.sentence


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"", 400, "The body is not JSON: Expecting value: line 1 column 1 (char 0)."),
        (b"\xff\xfe{", 400, "The body is not UTF-8: byte 1 is wrong."),
        (b"[" * 100_000, 400, "The body is nested too deeply."),
        (
            ["a"],
            400,
            "The body is no JSON object; its fields are: hypotheses, references, sources, metrics.",
        ),
        (
            {"hypothesis": ["a"]},
            400,
            "Unknown field 'hypothesis'; the fields are: hypotheses, references, sources, metrics.",
        ),
        ({}, 400, 'The field "hypotheses" is missing: a list with one text per segment.'),
        (
            {"hypotheses": "a"},
            400,
            'A list with one entry per segment was expected for "hypotheses", not one string.',
        ),
        (
            {"hypotheses": ["a", "b"], "references": ["a"]},
            400,
            '"references" has 1 segment, but "hypotheses" has 2.',
        ),
        (
            {"hypotheses": ["a"], "references": ["a"], "sources": []},
            400,
            '"sources" has 0 segments, but "references" has 1.',
        ),
        (
            {"hypotheses": [], "references": []},
            400,
            'The corpus is empty: "references" and "hypotheses" have no segments.',
        ),
        (
            {"hypotheses": ["a", 3], "references": ["a", "b"]},
            400,
            'Segment 2 of "hypotheses" holds an int where a string was expected.',
        ),
        (
            {"hypotheses": ["a"], "references": [[]]},
            400,
            'Segment 1 of "references" has no reference; at least one is needed.',
        ),
        (
            {"hypotheses": ["a"], "references": ["b", "a" * 10_001][1:]},
            413,
            'The text of segment 1 of "references" has 10,001 characters; 10,000 are allowed.',
        ),
        (
            b'{"hypotheses": ["\\ud800"]}',
            400,
            'The text of segment 1 of "hypotheses" has half of a surrogate pair, which is no '
            "character.",
        ),
        (
            {"hypotheses": ["a"], "references": ["a"], "metrics": ["os:system"]},
            422,
            f"This service scores with {ALL}; 'os:system' is not among them.",
        ),
        (
            {"hypotheses": ["a"], "references": ["a"], "metrics": ["chrf:beta=1"]},
            422,
            f"This service scores with {ALL}; 'chrf:beta=1' is not among them.",
        ),
        (
            {"hypotheses": ["a"], "references": ["a"], "metrics": [["chrf"]]},
            422,
            f"This service scores with {ALL}; ['chrf'] is not among them.",
        ),
        (
            {"hypotheses": ["a"], "references": ["a"], "metrics": []},
            400,
            f'"metrics" is a list of one or more of: {ALL}.',
        ),
        (
            {"hypotheses": ["a"], "references": ["a"], "metrics": ["chrf", "chrf"]},
            400,
            'A metric is named twice in "metrics".',
        ),
        (
            {"hypotheses": ["a"], "references": ["a"], "metrics": ["chrf", "numbers"]},
            422,
            "The metric 'numbers' needs \"sources\", and there are none here.",
        ),
        (
            {"hypotheses": ["a"], "metrics": ["chrf"]},
            422,
            "The metric 'chrf' needs \"references\", and there are none here.",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(body: object, status: int, sentence: str) -> None:
    assert refused("score", body) == (status, sentence)


def test_metrics_that_cannot_do_what_is_asked() -> None:
    body = {"hypotheses": ["a"], "references": ["a"], "metric": "chrf"}
    assert refused("align", body) == (
        422, "This service aligns words with meteor; 'chrf' is not among them."
    )  # fmt: skip
    pair = {"first": ["a"], "second": ["b"], "references": ["a"]}
    assert refused("prefer", pair) == (
        422, f"No metric of this service compares two translations; it has: {ALL}."
    )  # fmt: skip
    assert refused("prefer", {**pair, "second": ["b", "c"]}) == (
        400, '"references" has 1 segment, but "second" has 2.'
    )  # fmt: skip


LABELS = ["chrf", "bleu", "nist", "repeats", "bleucomp"]
PAIRS = [("the cat sat", "a cat sat down"), ("it rains", "it is raining"), ("", "nothing")]


def score_body(first: int, *labels: str, sources: bool = False) -> bytes:
    hypotheses, references = zip(*PAIRS[first:], strict=True)
    content: dict[str, object] = {"hypotheses": hypotheses, "references": references}
    if labels:
        content["metrics"] = labels
    if sources:
        content["sources"] = ["x x x x x x x x"] * len(hypotheses)
    return json.dumps(content).encode()


def test_merged_requests_have_the_answers_of_single_ones() -> None:
    """Also with different metrics, with and without sources, and with ones that learn."""
    metrics = named_metrics(LABELS)
    offered = abilities_of(metrics)
    bodies = [
        score_body(0, "chrf", "nist"),
        score_body(1, "bleu", "chrf"),
        score_body(0, sources=True),
        score_body(2, "nist", "repeats", sources=True),
        score_body(0, "bleucomp"),
        score_body(1, "bleu", "chrf"),
    ]
    tasks = [task_of("score", body, offered) for body in bodies]
    together = perform(metrics, tasks)
    assert together == [perform(metrics, [task])[0] for task in tasks]
    content = json.loads(together[0][1])
    hypotheses, references = map(list, zip(*PAIRS, strict=True))
    ours = score(hypotheses, references, ["chrf", "nist"])
    assert content["scores"] == {"chrf": ours["chrf"], "nist": ours["nist"]}
    assert content["segment_scores"]["nist"] == ours.segment_scores("nist").tolist()
    assert content["signatures"] == ours.signatures
    assert list(json.loads(together[1][1])["scores"]) == ["bleu", "chrf"]
    assert len(json.loads(together[4][1])["scores"]) > 5  # a vector: one score per component


def test_a_learned_metric_merged_and_single() -> None:
    """Assay scores, prefers and aligns; its numbers depend on the batch in their last bits only."""
    for name in ("torch", "tokenizers", "safetensors"):
        pytest.importorskip(name)
    metrics = named_metrics(["assay"])
    offered = abilities_of(metrics)
    tasks = [task_of("score", score_body(first), offered) for first in (0, 1, 2, 0)]
    for first, second in [("a cat sat down", "it"), ("it", "a cat sat down")]:
        pair = {"first": [first], "second": [second], "references": ["a cat sat down"]}
        tasks.append(task_of("prefer", json.dumps(pair).encode(), offered))
    words = {"hypotheses": ["the cat sat"] * 2, "references": ["a cat sat", "the dog ran"]}
    tasks.append(task_of("align", json.dumps(words).encode(), offered))
    together = [json.loads(content) for _, content in perform(metrics, tasks)]
    for task, answer in zip(tasks[:4], together, strict=False):
        alone = json.loads(perform(metrics, [task])[0][1])
        assert answer["signatures"] == alone["signatures"]
        assert answer["segment_scores"]["assay"] == pytest.approx(
            alone["segment_scores"]["assay"], abs=1e-5
        )
    (p,), (q,) = together[4]["first_is_better"], together[5]["first_is_better"]
    assert p > 0.9
    assert p + q == pytest.approx(1)
    first, second = together[6]["segments"]
    assert first["score"] > second["score"]
    assert [2] in [link["reference_at"] for link in first["links"]]


def test_one_bad_task_spoils_no_other() -> None:
    def refusing(hypothesis: str) -> float:
        if hypothesis == "bad":
            raise ValueError("this text is bad")
        return 2.0

    from cupel.metrics.function import function_metric

    metrics = {"refusing": function_metric("refusing", refusing)}
    offered = abilities_of(metrics)
    tasks = [
        task_of("score", json.dumps({"hypotheses": [text]}).encode(), offered)
        for text in ("good", "bad", "fine")
    ]
    answers = perform(metrics, tasks)
    assert [status for status, _ in answers] == [200, 422, 200]
    assert json.loads(answers[1][1])["error"] == (
        "The metric 'refusing' failed on segment 1 of system 'hypotheses': "
        "ValueError: this text is bad."
    )


def test_prometheus_text() -> None:
    counters = Counters()
    counters.request("/score", 200, 0.02)
    counters.request("/score", 200, 0.3)
    counters.task(['a"b'], 3)
    lines = counters.text({"cupel_workers": ("Workers.", 2)}).splitlines()
    assert 'cupel_requests_total{path="/score",status="200"} 2' in lines
    assert 'cupel_request_seconds_bucket{path="/score",le="0.025"} 1' in lines
    assert 'cupel_request_seconds_bucket{path="/score",le="0.5"} 2' in lines
    assert 'cupel_request_seconds_bucket{path="/score",le="+Inf"} 2' in lines
    assert 'cupel_request_seconds_sum{path="/score"} 0.32' in lines
    assert r'cupel_segments_total{metric="a\"b"} 3' in lines
    assert lines[-2:] == ["# TYPE cupel_workers gauge", "cupel_workers 2"]
