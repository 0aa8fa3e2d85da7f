"""Weights of scores, from preferences."""

from __future__ import annotations

import numpy as np
import pytest

from cupel.learned.assay.training.bradley_terry import fitted


def preferences(weights: list[float], count: int = 40_000, seed: int = 0) -> np.ndarray:
    """Differences of columns, signed as judges with these weights would prefer."""
    random = np.random.default_rng(seed)
    differences = random.normal(size=(count, len(weights)))
    chance = 1.0 / (1.0 + np.exp(-differences @ np.array(weights)))
    return np.where(random.random(count) < chance, 1.0, -1.0)[:, None] * differences


def test_weights_are_found_again() -> None:
    assert fitted(preferences([0.7])) == pytest.approx([0.7], abs=0.03)
    assert fitted(preferences([0.5, 1.5])) == pytest.approx([0.5, 1.5], abs=0.05)


def test_a_column_that_is_wrong_counts_nothing() -> None:
    found = fitted(preferences([1.0, -0.5]))
    assert found[1] == 0.0
    assert found[0] > 0.5


def test_equal_columns_share_their_weight() -> None:
    one = preferences([1.0])
    found = fitted(np.concatenate([one, one], 1))
    assert found[0] == pytest.approx(found[1])
    assert found.sum() == pytest.approx(1.0, abs=0.05)


def test_nothing_to_learn_from_and_certain_preferences() -> None:
    assert fitted(np.zeros((0, 2))).tolist() == [0.5, 0.5]
    assert np.isfinite(fitted(np.ones((10, 1)))).all()


def test_a_column_that_says_nothing_counts_nothing() -> None:
    one = preferences([1.0])
    found = fitted(np.concatenate([one, np.zeros_like(one)], 1))
    assert found == pytest.approx([1.0, 0.0], abs=0.05)
