"""Every statistic against an independent oracle, with and without ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.meta import correlations

TIED = st.lists(st.integers(0, 4), min_size=2, max_size=25)


@st.composite
def two_lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    x = draw(TIED)
    y = draw(st.lists(st.integers(0, 4), min_size=len(x), max_size=len(x)))
    if draw(st.booleans()):  # without ties
        generator = np.random.default_rng(len(x))
        return generator.permutation(len(x)).astype(float), generator.normal(size=len(x))
    return np.array(x, float), np.array(y, float)


def same(ours: float, theirs: float) -> bool:
    return (math.isnan(ours) and math.isnan(theirs)) or ours == pytest.approx(theirs, abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(two_lists())
@pytest.mark.filterwarnings("ignore")
def test_against_scipy(lists: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = lists
    constant = len(set(x)) == 1 or len(set(y)) == 1
    nan = float("nan")
    assert same(
        float(correlations.pearson(x, y)), nan if constant else scipy.stats.pearsonr(x, y)[0]
    )
    rho = nan if constant else scipy.stats.spearmanr(x, y)[0]
    assert same(float(correlations.spearman(x, y)), rho)


@settings(max_examples=100, deadline=None)
@given(two_lists())
def test_against_brute_force(lists: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = lists
    n = len(x)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    agreed = sum(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs)
    assert float(correlations.kendall(x, y)) == pytest.approx(agreed / len(pairs), abs=1e-12)
    judged = [(i, j) for i, j in pairs if y[i] != y[j]]
    right = sum((x[i] - x[j]) * (y[i] - y[j]) > 0 for i, j in judged)
    expected = right / len(judged) if judged else float("nan")
    assert same(float(correlations.pairwise_accuracy(x, y)), expected)


def test_the_no_ties_formula_of_the_papers() -> None:
    x, y = np.array([3.0, 1.0, 2.0, 5.0, 4.0]), np.array([10.0, 2.0, 30.0, 40.0, 50.0])
    assert correlations.spearman_no_ties(x, y) == pytest.approx(correlations.spearman(x, y))
    # ranks 3 1 2 5 4 and 2 1 3 4 5: d^2 = 1 + 0 + 1 + 1 + 1, rho = 1 - 24 / 120
    assert correlations.spearman_no_ties(x, y) == pytest.approx(0.8)


def test_thousands_of_resamples_are_one_call() -> None:
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(300, 7)), generator.normal(size=7)
    for function in (correlations.pearson, correlations.spearman, correlations.kendall,
                     correlations.spearman_no_ties, correlations.pairwise_accuracy):  # fmt: skip
        many = function(x, y)
        assert many.shape == (300,)
        assert many[17] == pytest.approx(float(function(x[17], y)))


def test_a_constant_list_has_no_correlation() -> None:
    assert np.isnan(correlations.pearson([0.1, 0.1, 0.1], [1, 2, 3]))
    assert np.isnan(correlations.pearson([1.0], [2.0]))
