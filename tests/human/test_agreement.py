"""Kappa against brute force, by hand, and on the packs that have judge ids."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from random_rankings import rankings

from cupel.errors import CupelError
from cupel.human.agreement import Agreement, inter_annotator, intra_annotator
from cupel.human.rankings import Rankings, wmt_rankings


def by_hand(ranks, judges, segments=None, ranked=None) -> Rankings:
    rows = len(ranks)
    return Rankings(
        "cs-en",
        ("a", "b", "c"),
        np.array(segments or [0] * rows),
        np.array(judges),
        ("j0", "j1", "j2"),
        np.array(ranked or [[0, 1]] * rows),
        np.array(ranks),
    )


def judgments(given: Rankings):
    """(segment, two systems sorted, answer, judge) of every comparison, by a loop."""
    found = []
    for row in range(len(given)):
        cells = [
            (int(s), int(r))
            for s, r in zip(given.ranked[row], given.ranks[row], strict=True)
            if r != -1
        ]
        for one, other in combinations(sorted(cells), 2):
            answer = (one[1] > other[1]) - (one[1] < other[1])
            found.append(
                ((int(given.segments[row]), one[0], other[0]), answer, int(given.judges[row]))
            )
    return found


@given(rankings())
def test_inter_annotator_is_that_of_a_loop(given):
    given = replace(given, judges=np.abs(given.judges))
    all_of_them = judgments(given)
    agree = same = 0
    for (item, answer, judge), (other, reply, second) in combinations(all_of_them, 2):
        if item == other and judge != second:
            same += 1
            agree += answer == reply
    ties = sum(answer == 0 for _, answer, _ in all_of_them)
    assert inter_annotator(given) == Agreement(agree, same, ties, len(all_of_them))


@given(rankings())
def test_intra_annotator_is_that_of_a_loop(given):
    known = [entry for entry in judgments(given) if entry[2] != -1]
    agree = same = 0
    repeated = set()
    for (item, answer, judge), (other, reply, second) in combinations(known, 2):
        if item == other and judge == second:
            same += 1
            agree += answer == reply
            repeated.add((judge, item[0]))
    counted = [answer for item, answer, judge in known if (judge, item[0]) in repeated]
    assert intra_annotator(given) == Agreement(agree, same, counted.count(0), len(counted))


def test_kappa_by_hand():
    """Four judges' answers <, <, =, > on one pair: 1 of 6 agree, a quarter are ties."""
    agreement = Agreement(agreeing=1, comparable=6, ties=1, judgments=4)
    assert agreement.observed == 1 / 6
    assert agreement.expected == 1 / 16 + 2 * (3 / 8) ** 2
    assert agreement.kappa == pytest.approx((1 / 6 - 11 / 32) / (21 / 32))


def test_nothing_to_compare_is_nan():
    assert np.isnan(inter_annotator(by_hand([[1, 2]], [0])).kappa)
    assert np.isnan(inter_annotator(by_hand([[1, 1], [2, 2]], [0, 1])).kappa)  # only ties


def test_the_order_shown_matters_only_as_released():
    given = by_hand([[1, 2], [2, 1]], [0, 1], ranked=[[0, 1], [1, 0]])
    assert inter_annotator(given) == Agreement(1, 1, 0, 2)
    assert inter_annotator(given, as_released=True) == Agreement(0, 0, 0, 2)


def test_as_released_one_judge_twice_counts_too():
    given = by_hand([[1, 2], [1, 2]], [0, 0])
    assert inter_annotator(given) == Agreement(0, 0, 0, 2)
    assert inter_annotator(given, as_released=True) == Agreement(1, 1, 0, 2)


def test_joined_systems_are_one_output():
    given = replace(
        by_hand([[1, 1, 2], [1, 1, 2]], [0, 1], ranked=[[0, 1, 2], [0, 1, 2]]),
        items=np.array([[3, 3, 2], [3, 3, 2]]),
    )
    assert inter_annotator(given) == Agreement(1, 1, 0, 2)


# (inter, intra) of the packs, as_released.
PACKS = {
    ("wmt12", "cs-en"): (0.317, 0.472),
    ("wmt12", "de-en"): (0.391, 0.392),
    ("wmt12", "es-en"): (0.302, 1.0),  # of 3 pairs of judgments
    ("wmt12", "fr-en"): (0.276, 0.360),
    ("wmt12", "en-cs"): (0.367, 0.416),
    ("wmt12", "en-de"): (0.359, 0.445),
    ("wmt12", "en-es"): (0.262, 0.327),
    ("wmt12", "en-fr"): (0.299, 0.426),
    ("wmt13", "fr-en"): (0.282, 0.568),
}


@pytest.mark.parametrize(("name", "pair"), PACKS)
def test_the_packs(pack, name, pair):
    pack(name)
    given = wmt_rankings(name)[pair]
    found = (
        inter_annotator(given, as_released=True).kappa,
        intra_annotator(given, as_released=True).kappa,
    )
    assert found == pytest.approx(PACKS[name, pair], abs=5e-4)
    assert inter_annotator(given).kappa == pytest.approx(found[0], abs=0.025)


def test_no_judge_ids(pack):
    pack("wmt14")
    with pytest.raises(CupelError) as told:
        inter_annotator(wmt_rankings("wmt14")["cs-en"])
    assert str(told.value) == (
        "The rankings of cs-en have no judge ids, so agreement cannot be computed."
    )
