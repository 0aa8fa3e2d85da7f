from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cupel
from cupel import blocks
from cupel.batch import Batch, FloatArray
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.metrics.function import Function
from cupel.registry import entries
from cupel.scoring import score_corpus

HYPOTHESES = {"one": ["a b c d", "e f g", ""], "two": ["a b c", "e f g", "h"]}
REFERENCES = [["a b c d e"], ["e f", "e f g"], ["h i"]]


@dataclass(frozen=True)
class Given(Metric):
    """Whatever `give(batch)` returns, as statistics."""

    give: Any
    name = "given"
    higher_is_better = True

    def signature(self) -> Signature:
        return Signature.of()

    def statistics(self, batch: Batch) -> FloatArray:
        result: FloatArray = self.give(batch)
        return result

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)


def test_the_shapes_of_a_result() -> None:
    scores = cupel.score(HYPOTHESES, REFERENCES, ["bleu", "ter"])
    assert scores.systems == ["one", "two"]
    assert set(scores["ter"]) == {"one", "two"}  # type: ignore[arg-type]
    assert scores.system_score("ter", "one") == scores["ter"]["one"]  # type: ignore[index]
    assert scores.segment_scores("bleu", "two").shape == (3,)
    frame = scores.frame()
    assert frame.columns == ["system", "metric", "score"]
    assert frame.height == 4
    segments = scores.frame("segment")
    assert segments.columns == ["system", "segment", "bleu", "ter"]
    assert segments["segment"].to_list() == [1, 2, 3, 1, 2, 3]
    assert segments["ter"].to_list() == [row["ter"] for row in scores.segment_rows()]
    document = json.loads(scores.to_json())
    assert set(document) == {"version", "signatures", "rows"}
    assert document["rows"] == scores.rows()


def test_one_system_gives_a_number() -> None:
    assert cupel.score(["a"], ["a"], "ter")["ter"] == 0


def test_huggingface_evaluate_order() -> None:
    corpus = Corpus.from_evaluate(predictions=["a b"], references=[["a b", "c"]])
    assert cupel.score(corpus, metrics="ter")["ter"] == 0


def test_equal_translations_tie_exactly() -> None:
    corpus = Corpus({"one": ["x y", "z"] * 50, "two": ["z", "x y"] * 50}, [["x y z", "z y"]] * 100)
    scores = cupel.score(corpus, metrics=list(entries_ready()))
    for metric in scores.metrics:
        first, second = scores.segment_scores(metric, "one"), scores.segment_scores(metric, "two")
        assert np.array_equal(first[::2], second[1::2])
        assert len(set(first)) <= 2


def test_each_distinct_item_is_scored_once() -> None:
    seen: list[int] = []

    def give(batch: Batch) -> FloatArray:
        seen.append(len(batch))
        return mean_statistics(np.ones(len(batch)))

    cupel.score({"one": ["x"] * 10, "two": ["x", "y"] * 5}, ["r"] * 10, [Given(give)])
    assert seen == [2]


def test_analyses_are_shared_between_metrics() -> None:
    calls: list[int] = []

    @dataclass(frozen=True)
    class Counter:
        def __call__(self, sentences: Sequence[str]) -> int:
            calls.append(len(sentences))
            return len(sentences)

    def give(batch: Batch) -> FloatArray:
        batch.analyse(Counter())
        return mean_statistics(np.ones(len(batch)))

    metrics = {"first": Given(give), "second": Given(give)}
    score_corpus(Corpus.of({"a": ["x"], "b": ["y"]}, ["r"]), metrics)
    assert calls == [3]


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_nothing(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr(blocks, "BATCH_SIZE", 16)
    generator = np.random.default_rng(1)
    words = np.array("a b c d e f g . , the".split())
    texts = [" ".join(words[generator.integers(0, 10, 8)]) for _ in range(180)]
    corpus = Corpus({"one": texts[:60], "two": texts[60:120]}, [[t, t[3:]] for t in texts[120:]])
    metrics = ["bleu", "nist", "cider", "chrf++", "ter", "rouge-l", "wer"]
    alone = cupel.score(corpus, metrics=metrics)
    several = cupel.score(corpus, metrics=metrics, workers=workers)
    for metric in metrics:
        assert np.array_equal(alone.statistics[metric], several.statistics[metric])


def entries_ready() -> list[str]:
    return [name for name, entry in entries().items() if entry.unready is None and entry.compares]


SENTENCES = st.lists(st.sampled_from("a b c d e".split()), max_size=6).map(" ".join)


SEGMENTS = st.lists(st.tuples(SENTENCES, SENTENCES, SENTENCES), min_size=1, max_size=6)
LEARNED = ("assay", "assay-wmt13", "nnrk", "reval")
# NIST weighs by all references, NNRK with it. TER and TERp divide by the mean reference length,
# CIDEr and BADGER average over references: a repeated reference does move them.
MOVED = ("nist", "nnrk", "ter", "terp", "cider", "coco", "badger")


def check_invariants(metrics: list[str], segments: Any, random: Any, tolerance: float) -> None:
    """Shuffled segments keep the corpus score; a repeated reference moves nothing."""

    def scores(rows: list[tuple[str, str, str]], repeat: bool) -> dict[str, float]:
        references = [[a, b, b] if repeat else [a, b] for _, a, b in rows]
        result = cupel.score([h for h, _, _ in rows], references, metrics)
        return {metric: result.system_score(metric) for metric in metrics}

    base = scores(segments, repeat=False)
    shuffled = scores(random.sample(segments, len(segments)), repeat=False)
    assert shuffled == pytest.approx(base, abs=tolerance)
    repeated = scores(segments, repeat=True)
    for metric in set(metrics) - set(MOVED):
        assert repeated[metric] == pytest.approx(base[metric], abs=tolerance), metric


@settings(max_examples=25, deadline=None)
@given(SEGMENTS, st.randoms())
def test_invariants_of_every_metric(segments: list[tuple[str, str, str]], random: Any) -> None:
    metrics = [name for name in entries_ready() if name not in (*LEARNED, "nist")]
    check_invariants(metrics, segments, random, 1e-9)


@settings(max_examples=3, deadline=None)
@given(SEGMENTS, st.randoms())
def test_invariants_of_learned_metrics(segments: list[tuple[str, str, str]], random: Any) -> None:
    check_invariants([n for n in LEARNED if n in entries_ready()], segments, random, 1e-5)


def raises(hypothesis: str, references: Sequence[str]) -> float:
    return 1 / len(hypothesis)


def wordy(hypothesis: str, references: Sequence[str]) -> Any:
    return "high" if hypothesis == "bad" else 1.0


@pytest.mark.parametrize(
    ("metric", "sentence"),
    [
        (Function("my:raises", raises),
         "The metric 'my:raises' failed on segment 3 of system 'one': "
         "ZeroDivisionError: division by zero."),
        (Function("my:wordy", lambda h, r: float("nan") if h == "e f g" else 0.0),
         "The metric 'my:wordy' gave nan on segment 2 of system 'one'."),
        (Function("my:text", lambda h, r: "high"),
         "The metric 'my:text' failed on segment 1 of system 'one': "
         "it returned 'high' where a number was expected."),
        (Given(lambda batch: np.zeros(3)),
         "The metric 'given' returned statistics of shape (3,) for 5 segments starting at "
         "segment 1 of system 'one'; (5, k) was expected."),
        (Given(lambda batch: np.zeros((2, 2))),
         "The metric 'given' returned statistics of shape (2, 2) for 5 segments starting at "
         "segment 1 of system 'one'; (5, k) was expected."),
    ],
)  # fmt: skip
def test_a_metric_that_misbehaves_is_named_with_the_segment(metric: Metric, sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        cupel.score(HYPOTHESES, REFERENCES, [metric])
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"metrics": ["bleu", "bleu"]}, "The metric 'bleu' is asked for twice."),
        ({"metrics": []}, "There is no metric to score with: name at least one."),
        ({"workers": 0}, "The number of workers must be 1 or more, not 0."),
        ({"references": None},
         "The metric 'bleu' needs references, and there are none here."),
    ],
)  # fmt: skip
def test_bad_calls(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        cupel.score(**({"hypotheses": ["a"], "references": ["a"]} | arguments))
    assert str(error.value) == sentence


def test_asking_a_result_for_what_it_does_not_have() -> None:
    scores = cupel.score(HYPOTHESES, REFERENCES, ["bleu"])
    with pytest.raises(CupelError, match=r"^There are no scores of 'ter'; there are: bleu\.$"):
        scores["ter"]
    with pytest.raises(CupelError, match=r"^There is no system 'six'; there are: one, two\.$"):
        scores.system_score("bleu", "six")
    with pytest.raises(CupelError, match=r"^Name one of the systems: one, two\.$"):
        scores.segment_scores("bleu")
