"""Agreement between raters: Krippendorff's published examples, an independent package, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.human.raters import (
    alpha_sums,
    krippendorff_alpha,
    pairwise_agreement,
    pairwise_counts,
)

NAN = np.nan
KRIPPENDORFF_2011 = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
"""Four observers and twelve units: section C and D of "Computing Krippendorff's alpha-reliability"."""


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_published_example(level: str, published: float) -> None:
    assert krippendorff_alpha(KRIPPENDORFF_2011, level) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_by_its_definition(level: str) -> None:
    generator = np.random.default_rng(7)
    truth = generator.integers(0, 6, 40)
    ratings = truth + generator.integers(-1, 2, (4, 40)).astype(float)
    ratings[generator.random(ratings.shape) < 0.4] = NAN
    assert krippendorff_alpha(ratings, level) == pytest.approx(by_definition(ratings, level))


def by_definition(ratings: np.ndarray, level: str) -> float:
    """D_o and D_e with loops over all pairs of values."""
    units = [column[np.isfinite(column)] for column in ratings.T]
    units = [unit for unit in units if len(unit) > 1]
    pooled = np.concatenate(units)

    def difference(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return float((a - b) ** 2)
        low, high = min(a, b), max(a, b)
        between = ((pooled >= low) & (pooled <= high)).sum()
        ends = ((pooled == low).sum() + (pooled == high).sum()) / 2
        return float((between - ends) ** 2) if a != b else 0.0

    def total(values: np.ndarray) -> float:
        return sum(difference(a, b) for a in values for b in values)

    n = len(pooled)
    observed = sum(total(unit) / (len(unit) - 1) for unit in units) / n
    return 1 - observed / (total(pooled) / (n * (n - 1)))


def test_alpha_of_resampled_segments() -> None:
    """Weights count segments as often as they were drawn."""
    ratings = KRIPPENDORFF_2011[:, None, :]
    weights = np.array([1, 0, 2, 1, 1, 3, 1, 1, 0, 1, 1, 1])
    drawn = np.repeat(KRIPPENDORFF_2011, weights, axis=1)
    for level in ("interval", "nominal"):
        value = alpha_sums(ratings, level).alpha(weights.astype(float))[0]
        assert value == pytest.approx(krippendorff_alpha(drawn, level))


def test_alpha_without_a_value() -> None:
    assert np.isnan(krippendorff_alpha(np.full((2, 5), 3.0)))
    assert np.isnan(krippendorff_alpha(np.array([[1.0, NAN], [NAN, 2.0]])))
    assert np.isnan(krippendorff_alpha(np.array([[1.0, NAN], [NAN, 2.0]]), "nominal"))
    assert krippendorff_alpha(np.array([[1.0, 2.0], [1.0, 2.0]])) == 1
    with pytest.raises(CupelError, match="Alpha is interval, ordinal, nominal, not 'ratio'"):
        alpha_sums(np.zeros((2, 1, 1)), "ratio")


def test_pairwise_agreement_by_hand() -> None:
    # Three systems and two segments; the raters order the pairs of systems (0,1), (0,2), (1,2) as
    # - = -  and  - - -  in the first segment; in the second one has judged two systems only.
    first = [[1, 5], [2, 5], [1, 4]]
    second = [[1, 5], [2, 6], [3, NAN]]
    counts = pairwise_counts(np.array([first, second], float))
    np.testing.assert_array_equal(counts, [[1, 3, 1, 6], [0, 1, 1, 2]])
    both = pairwise_agreement(counts.sum(0))
    assert both.observed == 1 / 4
    assert both.expected == pytest.approx((1 / 4) ** 2 + 2 * (3 / 8) ** 2)
