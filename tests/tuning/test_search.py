"""Grids and searches by themselves, on functions whose best place is known."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cupel.tuning.grids import Grids, read_grids
from cupel.tuning.search import Trials, genetic_search, grid_search

START = {"a": 0.5, "b": 0.5, "c": 1.0}
SUBSETS = [["a"], ["b", "c"]]


def hill(at: Mapping[str, float]) -> float:
    """Highest at a = 0.3, b = 0.8, c = 0.2."""
    return -((at["a"] - 0.3) ** 2 + (at["b"] - 0.8) ** 2 + (at["c"] - 0.2) ** 2)


def ridge(at: Mapping[str, float]) -> float:
    """Both of b and c must move at once: no search of one parameter at a time leaves the start."""
    return float(at["b"] == 0.1 and at["c"] == 0.9)


def test_ranges_are_written_as_first_last_step() -> None:
    grids = read_grids(["a=0.1:0.9:0.2", "b=0,0.5", "c=1:1:1"], START, "toy")
    assert grids.given == {"a": (0.1, 0.3, 0.5, 0.7, 0.9), "b": (0.0, 0.5), "c": (1.0,)}
    assert read_grids(["a=0:1:0.1"], START, "toy").given["a"][3] == 0.3  # not 0.30000000000000004


def test_without_a_grid_steps_go_from_coarse_to_fine() -> None:
    grids = Grids()
    assert grids.values("c", 1.0, 0) == [0.1, 0.5, 0.9, 1.0]
    assert grids.values("a", 0.5, 1) == [0.3, 0.5, 0.7]
    assert grids.values("a", 0.5, 2) == grids.values("a", 0.5, 9) == [0.4, 0.5, 0.6]
    assert grids.values("c", 1.0, 2) == [0.9, 1.0]  # 1 is tried only because it is there
    assert grids.values("a", 0.1, 2) == [0.1, 0.2]


def test_places_and_values_of_the_genetic_search() -> None:
    grids = Grids({"b": (0.0, 2.0, 5.0)})
    assert [grids.snapped("a", place) for place in (-1, 0, 0.5, 1, 2)] == [0.1, 0.1, 0.5, 0.9, 0.9]
    assert [grids.snapped("b", place) for place in (0, 0.5, 1)] == [0.0, 2.0, 5.0]
    for value in (0.0, 2.0, 5.0):
        assert grids.snapped("b", grids.place("b", value)) == value
    assert grids.snapped("a", grids.place("a", 0.37)) == 0.37


def test_the_grid_search_climbs_to_the_top() -> None:
    found = grid_search(Trials(hill), START, SUBSETS, Grids(), 20)
    assert found.parameters == pytest.approx({"a": 0.3, "b": 0.8, "c": 0.2})
    assert found.value == pytest.approx(0)
    assert len(found.steps) < 20  # it stops once nothing changes


def test_a_subset_is_searched_jointly() -> None:
    found = grid_search(Trials(ridge), START, SUBSETS, Grids(), 1)
    assert found.parameters == {"a": 0.5, "b": 0.1, "c": 0.9}
    apart = grid_search(Trials(ridge), START, [["b"], ["c"]], Grids(), 1)
    assert apart.parameters == START


def test_a_plateau_is_not_left() -> None:
    for search in (
        grid_search(Trials(lambda _: 1.0), START, SUBSETS, Grids(), 5),
        genetic_search(Trials(lambda _: 1.0), START, Grids(), 5, 1),
    ):
        assert search.parameters == START


def test_the_genetic_search_comes_near_and_depends_on_the_seed_alone() -> None:
    one, two, other = (genetic_search(Trials(hill), START, Grids(), 20, seed) for seed in (1, 1, 2))
    assert one == two
    assert one.parameters != other.parameters
    assert one.value > -0.01
    assert [value for _, value in one.steps] == sorted(value for _, value in one.steps)


def test_no_setting_is_computed_twice() -> None:
    seen: list[tuple[float, ...]] = []

    def counted(at: Mapping[str, float]) -> float:
        seen.append(tuple(at.values()))
        return hill(at)

    found = grid_search(Trials(counted), START, SUBSETS, Grids(), 20)
    assert len(seen) == len(set(seen)) == found.tried


def test_progress_ends_at_its_total() -> None:
    told: list[tuple[int, int]] = []
    trials = Trials(hill, progress=lambda done, total: told.append((done, total)))
    genetic_search(trials, START, Grids(), 3, 1)
    assert all(done <= total for done, total in told)
