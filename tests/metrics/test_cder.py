"""CDER: worked examples, the recurrence of the paper, and what it has to do with WER."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.metrics.cder import Cder
from cupel.metrics.wer import Wer

SENTENCES = st.lists(st.sampled_from("abcde"), max_size=8).map(" ".join)
ITEMS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=8
)


def statistics(hypothesis, *references):
    return Cder().statistics(Batch([hypothesis], [list(references)]))[0].tolist()


def shortest_path(hypothesis, reference):
    """D(I, L) as a shortest path over all places (i, k), by relaxing every move until none helps."""
    n, m = len(hypothesis), len(reference)
    cost = {(i, k): n + m + 2 for i in range(n + 1) for k in range(m + 1)}
    cost[0, 0] = 0
    changed = True
    while changed:
        changed = False
        for (i, k), here in list(cost.items()):
            moves = [((to, k), 1) for to in range(n + 1)]  # long jumps; to i + 1 it is an insertion
            if k < m:
                moves.append(((i, k + 1), 1))
            if i < n and k < m:
                moves.append(((i + 1, k + 1), int(hypothesis[i] != reference[k])))
            for place, price in moves:
                if here + price < cost[place]:
                    cost[place] = here + price
                    changed = True
    return cost[n, m]


def test_swapped_halves():
    # Jump to "a b c", match it; jump back to "d e f", match it; jump to the end: 3 jumps. Word by
    # word all 6 differ.
    assert statistics("d e f a b c", "a b c d e f") == [3, 6]


def test_a_stretch_too_many_costs_one_jump():
    # After "a b" jump over "x y z" to "c": 1. WER counts 3.
    assert statistics("a b x y z c", "a b c") == [1, 3]
    # At the end, too.
    assert statistics("a b c x y z", "a b c") == [1, 3]


def test_reference_words_are_covered_once_and_hypothesis_words_as_often_as_wanted():
    # "a b" serves twice: match it, jump back to the start, match it again.
    assert statistics("a b", "a b a b") == [1, 4]
    # Two words of the reference that nothing covers: 2 deletions.
    assert statistics("a b", "a b c d") == [2, 4]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected", "score"),
    [("", "", [0, 0], 0.0), ("", "a b", [2, 2], 100.0), ("a b c", "", [1, 0], 100.0)],
)
def test_empty_sentences(hypothesis, reference, expected, score):
    row = statistics(hypothesis, reference)
    assert row == expected
    assert Cder().score(np.array(row)) == score


def test_signature():
    assert str(Cder(tokenize="intl").signature()) == "case:mixed|tok:intl"


@settings(deadline=None, max_examples=60)
@given(SENTENCES, SENTENCES)
def test_equals_the_shortest_path(hypothesis, reference):
    expected = shortest_path(hypothesis.split(), reference.split())
    assert statistics(hypothesis, reference) == [expected, len(reference.split())]


@settings(deadline=None)
@given(ITEMS)
def test_never_above_wer(items):
    batch = Batch([h for h, _ in items], [r for _, r in items])
    cder, wer = Cder(), Wer()
    lower = cder.segment_scores(cder.statistics(batch))
    assert (lower <= wer.segment_scores(wer.statistics(batch))).all()


@settings(deadline=None)
@given(SENTENCES)
def test_identity_is_zero(text):
    assert statistics(text, text)[0] == 0
