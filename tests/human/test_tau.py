from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.human.tau import TAUS, agreement


@dataclass(frozen=True)
class Pairs:
    segment: np.ndarray
    better: np.ndarray
    worse: np.ndarray
    row: np.ndarray


def test_the_three_definitions() -> None:
    counts = np.array([6.0, 3.0, 1.0])
    assert TAUS["wmt12"](counts) == pytest.approx((6 - 3 - 1) / 10)
    assert TAUS["wmt13"](counts) == pytest.approx((6 - 3) / 9)
    assert TAUS["wmt14"](counts) == pytest.approx((6 - 3) / 10)
    assert np.isnan(TAUS["wmt13"](np.array([0.0, 0.0, 5.0])))


def test_the_example_of_the_reval_papers_section_6() -> None:
    # T0 to T3 in the correct order of quality (0.10, 0.71, 0.72, 0.73): six human pairs. M1 has
    # four of them right, M2 five, although M1's scores are the better ones.
    worse, better = np.triu_indices(4, 1)
    pairs = Pairs(np.zeros(6, int), better, worse, np.zeros(6, int))
    m1 = np.array([[0.10], [0.72], [0.73], [0.71]])
    m2 = np.array([[0.72], [0.71], [0.73], [0.74]])
    assert agreement(pairs, m1, 1)[0].tolist() == [4, 2, 0]
    assert agreement(pairs, m2, 1)[0].tolist() == [5, 1, 0]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000))
def test_counts_per_ranking_equal_a_loop(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n, systems, segments, rows = 40, 4, 6, 9
    better = generator.integers(0, systems, n)
    pairs = Pairs(
        generator.integers(0, segments, n),
        better,
        (better + generator.integers(1, systems, n)) % systems,
        generator.integers(0, rows, n),
    )
    scores = generator.integers(0, 3, (systems, segments)).astype(float)
    expected = np.zeros((rows, 3))
    for k in range(n):
        a = scores[pairs.better[k], pairs.segment[k]]
        b = scores[pairs.worse[k], pairs.segment[k]]
        expected[pairs.row[k], 0 if a > b else 1 if a < b else 2] += 1
    assert np.array_equal(agreement(pairs, scores, rows), expected)
