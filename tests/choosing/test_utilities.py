"""Utilities of all pairs: the kernels beside the metrics themselves, pair by pair."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cupel
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.choosing.fastest import utility_of
from cupel.choosing.segment import Candidates, Distinct
from cupel.choosing.utilities import PairUtility, Utility, utility_metric
from cupel.choosing.vector_utility import reads_pairs
from cupel.kernels.pair_ngrams import Ngrams, PairIndex, Part
from cupel.metrics.assay import Assay
from cupel.models import model_folder

WORDS = "the a cat dog sat sits on under mat rug today yesterday quickly .".split()
SPECS = [
    "chrf", "chrf++", "chrf:eps_smoothing=yes", "chrf:whitespace=yes,beta=3,lowercase=yes", "bleu",
    "bleu:smooth_method=floor", "bleu:smooth_method=add-k,max_ngram_order=3", "sentbleu",
    "bleu:smooth_method=none", "ter", "w2v-avg", "rouge-l",
]  # fmt: skip


def texts_of(count: int, seed: int = 0, longest: int = 14) -> list[str]:
    generator = random.Random(seed)
    lists = (generator.choices(WORDS, k=generator.randint(0, longest)) for _ in range(4 * count))
    return list(dict.fromkeys(" ".join(words) for words in lists))[:count]


def utility(
    spec: str, texts: list[str], references: list[str] | None = None
) -> tuple[Utility, Distinct]:
    segment = Distinct.of(Candidates(texts, references))
    metric = utility_metric(spec, cupel.get_metric(spec))
    return utility_of(metric, segment, None, "here"), segment


def slow_matrix(spec: str, texts: list[str], references: list[str]) -> FloatArray:
    metric = utility_metric(spec, cupel.get_metric(spec))
    batch = Batch([h for h in texts for _ in references], [[r] for _ in texts for r in references])
    return metric.segment_scores(metric.statistics(batch)).reshape(len(texts), len(references))


@pytest.mark.parametrize("spec", SPECS)
def test_every_way_gives_the_metrics_own_scores(spec: str) -> None:
    texts = texts_of(40)
    found, segment = utility(spec, texts)
    expected = slow_matrix(spec, texts, texts)
    rows, some = segment.rows, np.array([3, 7, 20])
    assert np.abs(found.matrix(rows, 0, 40) - expected).max() < 1e-10
    assert np.abs(found.matrix(some, 5, 11) - expected[some, 5:11]).max() < 1e-10
    assert np.abs(found.expected(rows) - expected.mean(axis=1)).max() < 1e-10
    assert np.abs(found.expected(some) - expected[some].mean(axis=1)).max() < 1e-10
    assert (
        np.abs(found.pairs(some, np.array([0, 39, 20])) - expected[some, [0, 39, 20]]).max() < 1e-10
    )


@pytest.mark.parametrize("spec", ["chrf++", "bleu", "ter", "w2v-avg"])
def test_pseudo_references_that_are_not_candidates(spec: str) -> None:
    texts, references = texts_of(20), texts_of(30, seed=3) + texts_of(3)
    found, segment = utility(spec, texts, references)
    expected = slow_matrix(spec, texts, references).mean(axis=1)
    assert np.abs(found.expected(segment.rows) - expected).max() < 1e-10


def test_long_lists_use_bits_and_lists_and_any_number_of_threads() -> None:
    texts = texts_of(300, longest=20)
    found, segment = utility("chrf", texts)
    index = found._index  # type: ignore[attr-defined]
    assert index.words[-1] > 6
    assert len(index.listed) > 300
    expected = slow_matrix("chrf", texts, texts)
    assert np.array_equal(found.matrix(segment.rows, 0, 300), expected)
    alone = found.expected(segment.rows, 1)
    assert np.abs(alone - expected.mean(axis=1)).max() < 1e-10
    assert np.array_equal(alone, found.expected(segment.rows, 3))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("ab .", max_size=12), min_size=1, max_size=8))
def test_features_count_n_grams_as_often_as_they_are_there(texts: list[str]) -> None:
    ids = np.array([ord(c) for c in "".join(texts)], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(t) for t in texts])]).astype(np.int64)
    ngrams = Ngrams.of([Part(ids, offsets, 3)])
    index = PairIndex.of(ngrams, np.arange(len(texts)))
    assert len(index.bits) == len(texts)
    for s, text in enumerate(texts):
        for order in range(3):
            own = ngrams.entries[ngrams.starts[3 * s + order] : ngrams.starts[3 * s + order + 1]]
            assert len(own) == len(set(own.tolist())) == max(0, len(text) - order)
    entries = [
        set(ngrams.entries[ngrams.starts[3 * s] : ngrams.starts[3 * s + 3]].tolist())
        for s in range(len(texts))
    ]
    for a, first in enumerate(texts):
        for b, second in enumerate(texts):
            shared = sum(
                min(grams(first, n).count(g), grams(second, n).count(g))
                for n in (1, 2, 3)
                for g in set(grams(first, n))
            )
            assert len(entries[a] & entries[b]) == shared


def grams(text: str, n: int) -> list[str]:
    return [text[i : i + n] for i in range(len(text) - n + 1)]


def slow_bag_chrf(texts: list[str], weights: FloatArray) -> list[float]:
    """chrF with the mean bag of n-grams, by its definition."""
    squeezed = ["".join(text.split()) for text in texts]
    scores = []
    for own in squeezed:
        precisions, recalls = [], []
        for n in range(1, 7):
            bag: dict[str, float] = {}
            for other, weight in zip(squeezed, weights.tolist(), strict=True):
                for gram in grams(other, n):
                    bag[gram] = bag.get(gram, 0.0) + weight
            mine = grams(own, n)
            match = sum(min(mine.count(g), bag.get(g, 0.0)) for g in set(mine))
            if mine and bag:
                precisions.append(match / len(mine))
                recalls.append(match / sum(bag.values()))
        p, r = (float(np.mean(v)) if v else 0.0 for v in (precisions, recalls))
        scores.append(100 * 5 * p * r / (4 * p + r) if p + r else 0.0)
    return scores


def test_the_aggregate_is_the_score_with_the_mean_bag() -> None:
    texts = texts_of(12)
    weights = np.random.default_rng(1).dirichlet(np.ones(12))
    segment = Distinct.of(Candidates(texts, weights=weights))
    metric = utility_metric("chrf", cupel.get_metric("chrf"))
    found = utility_of(metric, segment, None, "here").aggregate()
    assert found is not None
    assert np.abs(found - slow_bag_chrf(texts, weights)).max() < 1e-10


def test_an_aggregate_of_one_reference_is_that_reference() -> None:
    texts = texts_of(15)
    for spec in ("bleu", "chrf++", "w2v-avg", "sentbleu"):
        found, _ = utility(spec, texts, [texts[4]])
        expected = slow_matrix(spec, texts, [texts[4]])[:, 0]
        assert np.abs(found.aggregate() - expected).max() < 1e-10, spec  # type: ignore[operator]


def test_assay_1_encodes_sentences_not_pairs() -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("torch")
    texts = [
        "The cat sat on the mat.",
        "A cat sits on a mat.",
        "",
        "Dogs bark",
        "Dogs barked loudly today",
    ]
    found, segment = utility("assay-wmt13:device=cpu", texts)
    expected = slow_matrix("assay-wmt13:device=cpu", texts, texts)
    assert np.abs(found.matrix(segment.rows, 0, 5) - expected).max() < 1e-5
    assert np.abs(found.expected(segment.rows) - expected.mean(axis=1)).max() < 1e-5
    assert type(found).__name__ == "AssayUtility"
    joint, _ = utility("assay:device=cpu", texts[:2])
    assert isinstance(joint, PairUtility)


def test_which_metrics_read_pairs(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("torch")
    specs = ("assay", "assay-wmt13", "assay-wmt13:meteor=yes", "chrf")
    assert [reads_pairs(cupel.get_metric(s)) for s in specs] == [True, False, True, False]
    # A model tuned on judgments of one's own corrects the score of each pair.
    card = json.loads((model_folder("assay-wmt13") / "card.json").read_text("utf-8"))
    card["stands_on"] = {"name": "assay-wmt13", "sha256": card["sha256"]}
    (tmp_path / "card.json").write_text(json.dumps(card), "utf-8")
    assert reads_pairs(Assay(weights=str(tmp_path)))
