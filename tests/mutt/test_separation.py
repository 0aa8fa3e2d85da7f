"""Separation: a worked example, and that it does not move with the scale of a metric."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.errors import CupelError
from cupel.metrics.function import Function
from cupel.mutt import Kind, Suite, Trial, TrialSet, run
from cupel.mutt.separation import above, separation


def trials(name: str, kind: Kind, *costs: float) -> TrialSet:
    """Trials whose corruption is a text that scores `cost` less than its original, 10."""
    return TrialSet(name, kind, tuple(Trial("10", f"{10 - cost}", ("r",)) for cost in costs))


SUITE = Suite(
    "own",
    (
        trials("damage", Kind.altering, 2, 4),
        trials("slip", Kind.disrupting, 1),
        trials("reworded", Kind.preserving, 1, 3),
    ),
)


def function(scale: float, shift: float, better: bool = True) -> Function:
    def metric(hypothesis: str, references: object) -> float:
        return scale * float(hypothesis) + shift

    metric.higher_is_better = better  # type: ignore[attr-defined]
    return Function("metric", metric)


def test_a_worked_example() -> None:
    """damage: 2 > 1, 4 > 1, 4 > 3 of four pairs; slip: a tie and a loss."""
    found = separation(run(SUITE, [function(1, 0)]), "metric")
    assert found == {"reworded": pytest.approx((3 / 4 + 1 / 4) / 2)}


def test_scale_shift_and_direction_change_nothing() -> None:
    plain = separation(run(SUITE, [function(1, 0)]), "metric")
    assert separation(run(SUITE, [function(0.001, 99)]), "metric") == plain
    assert separation(run(SUITE, [function(-1, 0, better=False)]), "metric") == plain


def test_both_kinds_are_needed() -> None:
    with pytest.raises(CupelError, match="needs corruptions that preserve the meaning"):
        separation(run(SUITE.only(["damage"]), [function(1, 0)]), "metric")


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_above_is_the_mean_over_all_pairs(first: list[int], second: list[int]) -> None:
    one, two = np.array(first, float)[:, None], np.array(second, float)
    pairs = (one > two) + 0.5 * (one == two)
    assert above(one[:, 0], two) == pytest.approx(pairs.mean())
