"""Shares of segments, p-values, q-values and evidence, against definitions and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cupel
from cupel.data import sample
from cupel.diagnose.comparison import (
    bootstrap_differences,
    compare,
    segment_evidence,
    share_evidence,
)
from cupel.metric import mean_score
from cupel.significance import bootstrap_scores, bootstrap_weights, corrected


@pytest.mark.parametrize("metric", ["bleu", "chrf++", "ter", "nist", "meteor:modules=exact"])
def test_shares_sum_up_to_the_difference(metric: str) -> None:
    scores = cupel.score(sample(), metrics=metric)
    result = compare(scores.metrics[metric].score, scores.statistics[metric])
    np.testing.assert_allclose(result.shares.sum(axis=1), result.differences, rtol=1e-9, atol=1e-9)


def test_shares_of_a_mean_are_its_terms() -> None:
    first, second = np.array([1.0, 2, 3, 4]), np.array([2.0, 2, 3, 0])
    statistics = np.stack([np.stack([x, np.ones(4)], -1) for x in (first, second)])
    result = compare(mean_score, statistics)
    np.testing.assert_allclose(result.shares[0], (second - first) / 4, atol=1e-9)
    assert result.differences == pytest.approx([-0.75])
    t = abs(1 - 4) / math.sqrt(1 + 16)
    assert result.p_values == pytest.approx([math.erfc(t / math.sqrt(2))])


def test_p_values_are_not_too_small_where_systems_are_equal() -> None:
    """Heavy tails and few segments: at most 5% of the tests are below 0.05, 1% below 0.01."""
    random = np.random.default_rng(3)
    p = []
    for _ in range(2000):
        size = random.standard_t(2, 15) * random.choice([0, 1], 15)
        both = np.stack([np.stack([x, np.ones(15)], -1) for x in (np.zeros(15), size)])
        p.append(compare(mean_score, both).p_values[0])
    assert np.mean(np.array(p) < 0.05) <= 0.055
    assert np.mean(np.array(p) < 0.01) <= 0.012


def test_q_values_by_hand() -> None:
    q_values = corrected(np.array([0.01, 0.04, 0.03, 0.5]), "bh")
    assert q_values == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert corrected(np.array([]), "bh").tolist() == []


def test_evidence_is_the_distance_from_a_random_choice() -> None:
    random = np.random.default_rng(5)
    values = random.normal(size=(1, 200))
    rows = np.arange(0, 200, 9)
    drawn = [random.permutation(values[0])[: len(rows)].sum() for _ in range(20_000)]
    expected = (values[0, rows].sum() - np.mean(drawn)) / np.std(drawn)
    assert segment_evidence(values, rows)[0] == pytest.approx(expected, abs=0.03)
    assert segment_evidence(values, np.arange(200)).tolist() == [0.0]


def test_evidence_of_words_counts_each_segment_once() -> None:
    """Four segments lose words, all in a bucket of a fifth of their words: 2 sqrt(4) / ..."""
    lost = np.array([[1.0, 3, 2, 2]])
    share = np.full(4, 0.2)
    expected = -(0.8 * 8) / math.sqrt(0.16 * (1 + 9 + 4 + 4))
    evidence = share_evidence(-lost, lost, np.zeros((1, 4)), share)
    assert evidence == pytest.approx([expected])


def test_the_bootstrap_is_that_of_significance() -> None:
    scores = cupel.score(sample(), metrics="chrf")
    metric, statistics = scores.metrics["chrf"], scores.statistics["chrf"]
    n = statistics.shape[1]
    weights = np.concatenate([w for _, w in bootstrap_weights(n, 50, 11)])
    drawn = bootstrap_scores(metric, statistics, 50, 11)
    np.testing.assert_allclose(
        bootstrap_differences(metric.score, statistics, np.arange(n), weights),
        drawn[1:] - drawn[0],
        atol=1e-9,
    )
