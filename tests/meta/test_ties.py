from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.meta.ties import acc_eq, accuracy_of_pairs


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30))
def test_tie_calibration_equals_trying_every_threshold(seed: int, n: int) -> None:
    generator = np.random.default_rng(seed)
    difference = generator.integers(-4, 5, n) / 2
    judged = generator.integers(-1, 2, n).astype(float)

    def accuracy(epsilon: float) -> float:
        said = np.where(np.abs(difference) <= epsilon, 0, np.sign(difference))
        return float((said == judged).mean())

    thresholds = sorted({0.0, *np.abs(difference)})
    best = max(accuracy(epsilon) for epsilon in thresholds)
    found = accuracy_of_pairs(difference, judged)
    assert found.accuracy == pytest.approx(best)
    assert accuracy(found.epsilon) == pytest.approx(best)
    fixed = accuracy_of_pairs(difference, judged, epsilon=1.0)
    assert fixed.accuracy == pytest.approx(accuracy(1.0))


def test_unjudged_translations_make_no_pairs() -> None:
    metric = np.array([[1.0, 2.0], [0.0, 5.0], [3.0, 1.0]])
    human = np.array([[1.0, np.nan], [0.0, np.nan], [np.nan, 4.0]])
    assert acc_eq(metric, human).accuracy == 1.0  # the one pair that people judged
