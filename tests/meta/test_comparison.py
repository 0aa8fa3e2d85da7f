from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.stats

from counting import calls
from cupel.human.tau import TAUS, agreement
from cupel.meta import comparison
from cupel.significance import bootstrap_sums, share_not_better


@dataclass(frozen=True)
class Pairs:
    segment: np.ndarray
    better: np.ndarray
    worse: np.ndarray
    row: np.ndarray


def judged(
    systems: int, segments: int, n: int, seed: int = 0
) -> tuple[Pairs, np.ndarray, np.ndarray]:
    """Human pairs, and two metrics: one that follows them closely and one less so."""
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(systems, segments))
    segment = generator.integers(0, segments, n)
    a = generator.integers(0, systems, n)
    b = (a + generator.integers(1, systems, n)) % systems
    first_wins = quality[a, segment] > quality[b, segment]
    pairs = Pairs(
        segment, np.where(first_wins, a, b), np.where(first_wins, b, a), np.arange(n) // 5
    )
    close = quality + generator.normal(0, 0.8, quality.shape)
    loose = quality + generator.normal(0, 1.6, quality.shape)
    return pairs, close, loose


def brute_force_perm_both(
    pairs: Pairs, first: np.ndarray, second: np.ndarray, trials: int, tau: str, seed: int
) -> float:
    """Straight from the definition, with the same random draws over the judged translations."""
    a, b = ((s - s.mean()) / s.std() for s in (first, second))
    width = a.shape[1]
    units = np.unique(
        np.concatenate([pairs.better, pairs.worse]) * width + np.tile(pairs.segment, 2)
    )
    words = np.random.default_rng(seed).integers(
        0, 2**64, (-(-trials // 64), len(units)), dtype=np.uint64
    )
    flips = [
        (words[trial // 64] >> np.uint64(trial % 64) & np.uint64(1)).astype(bool)
        for trial in range(trials)
    ]

    def value(scores: np.ndarray) -> float:
        c = d = t = 0
        for s, better, worse in zip(pairs.segment, pairs.better, pairs.worse, strict=True):
            x, y = scores[better, s], scores[worse, s]
            c, d, t = c + (x > y), d + (x < y), t + (x == y)
        return float(TAUS[tau](np.array([c, d, t], float)))

    observed = value(a) - value(b)
    reached = 0
    for flip in flips:
        mask = np.zeros(a.size, bool)
        mask[units] = flip
        mask = mask.reshape(a.shape)
        reached += value(np.where(mask, b, a)) - value(np.where(mask, a, b)) >= observed - 1e-12
    return (reached + 1) / (trials + 1)


@pytest.mark.parametrize("tau", ["wmt12", "wmt13", "wmt14"])
def test_perm_both_equals_brute_force(tau: str) -> None:
    pairs, close, loose = judged(4, 8, 60, seed=5)
    loose = np.round(loose)  # ties
    ours = comparison.perm_both_pairs(close, loose, pairs, TAUS[tau], trials=70, seed=9).p_value
    assert ours == brute_force_perm_both(pairs, close, loose, 70, tau, 9)


def test_a_better_metric_is_found_better() -> None:
    pairs, close, loose = judged(6, 200, 3000)
    assert comparison.perm_both_pairs(close, loose, pairs, TAUS["wmt14"], 300).p_value < 0.01
    assert comparison.perm_both_pairs(loose, close, pairs, TAUS["wmt14"], 300).p_value > 0.99
    assert comparison.perm_both_pairs(close, close, pairs, TAUS["wmt14"], 300).p_value == 1.0


def test_perm_both_takes_no_loop_over_trials() -> None:
    pairs, close, loose = judged(10, 500, 2000)

    def permute(trials: int) -> int:
        tau = TAUS["wmt14"]
        return calls(lambda: comparison.perm_both_pairs(close, loose, pairs, tau, trials))

    permute(2)  # imports
    assert permute(200) < 2 * permute(20)


def test_williams_against_its_published_example() -> None:
    # Graham and Baldwin's R function on these values gives t = 1.7321... checked by hand:
    # n = 12, r_a = .9, r_b = .7, r_ab = .8
    k = 1 - 0.81 - 0.49 - 0.64 + 2 * 0.9 * 0.7 * 0.8
    t = 0.2 * np.sqrt(11 * 1.8) / np.sqrt(2 * k * 11 / 9 + 1.6**2 / 4 * 0.2**3)
    p = comparison.williams(0.9, 0.7, 0.8, 12)
    assert p == pytest.approx(scipy.stats.t.sf(t, 9))
    assert comparison.williams(0.8, 0.8, 0.9, 10) == pytest.approx(0.5)
    assert comparison.williams(0.9, 0.9, 1.0, 10) == pytest.approx(0.5)
    assert np.isnan(comparison.williams(0.9, 0.1, 0.5, 3))
    assert comparison.williams(0.7, 0.9, 0.8, 12) == pytest.approx(1 - p)


def test_paired_bootstrap() -> None:
    pairs, close, loose = judged(5, 100, 1500)
    counts = np.stack([agreement(pairs, scores, 300) for scores in (close, loose)], axis=1)
    replicates = TAUS["wmt14"](bootstrap_sums(counts, 500))
    assert replicates.shape == (500, 2)
    assert share_not_better(replicates[:, 0], replicates[:, 1]) < 0.01
    assert share_not_better(replicates[:, 0], replicates[:, 0]) == 0.5


def test_bootstrap_sums_equal_drawing_rows() -> None:
    values = np.random.default_rng(0).normal(size=(30, 2, 3))
    sums = bootstrap_sums(values, 20, seed=6)
    drawn = np.random.default_rng(6).choice(30, size=(20, 30), replace=True)
    assert sums == pytest.approx(np.array([values[rows].sum(0) for rows in drawn]))
