"""Distances that work on 64 words at a time give what their recurrences give, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.kernels.edits import LONG_JUMPS, WORD_ERRORS, best_edits, lcs_lengths, levenshtein

VOCABULARY = 9


def one_row(first, second, kind):
    """The recurrence of WER, CDER or the LCS, a row of the matrix at a time."""
    if kind == "cder":
        first, second = second, first  # rows are the words of the reference
    row = {"lcs": [0] * (len(second) + 1), "cder": [0] + [1] * len(second)}.get(
        kind, list(range(len(second) + 1))
    )
    for word in first:
        above, row = row, [0 if kind == "lcs" else row[0] + 1]
        for j, other in enumerate(second):
            if kind == "lcs":
                row.append(max(row[j], above[j + 1], above[j] + (word == other)))
            else:
                row.append(min(row[j] + 1, above[j + 1] + 1, above[j] + (word != other)))
        if kind == "cder":
            row = [min(cost, min(row) + 1) for cost in row]
    return row[-1]


def by_kernel(hypothesis, reference, kind):
    ids = np.array([*hypothesis, *reference], np.int32)
    offsets = np.array([0, len(hypothesis), len(ids)])
    item = ids, offsets, np.array([0]), np.array([1]), np.array([0, 1])
    if kind == "lcs":
        return int(lcs_lengths(*item, VOCABULARY)[0])
    distance = WORD_ERRORS if kind == "wer" else LONG_JUMPS
    return int(best_edits(*item, VOCABULARY, distance)[0, 0])


LENGTHS = [0, 1, 63, 64, 65, 127, 128, 129, 200]


@pytest.mark.parametrize("kind", ["wer", "cder", "lcs"])
@settings(deadline=None, max_examples=10)
@given(
    seed=st.integers(0, 2**32),
    n=st.sampled_from(LENGTHS),
    m=st.sampled_from(LENGTHS),
    words=st.integers(1, VOCABULARY),
)
def test_equal_to_the_recurrence_at_the_edges_of_blocks(kind, seed, n, m, words):
    generator = np.random.default_rng(seed)
    hypothesis, reference = (generator.integers(0, words, k).tolist() for k in (n, m))
    assert by_kernel(hypothesis, reference, kind) == one_row(hypothesis, reference, kind)


@pytest.mark.parametrize("kind", ["wer", "cder", "lcs"])
def test_equal_to_the_recurrence_where_little_differs(kind):
    generator = np.random.default_rng(5)
    reference = generator.integers(0, VOCABULARY, 300).tolist()
    for cut in (0, 133):
        hypothesis = reference[cut:] + reference[:cut]
        hypothesis[50:60] = [0] * 4
        assert by_kernel(hypothesis, reference, kind) == one_row(hypothesis, reference, kind)


def test_the_distance_of_two_arrays():
    generator = np.random.default_rng(6)
    for n, m in ((0, 0), (0, 5), (64, 65), (130, 20)):
        first, second = (generator.integers(0, 5, k).astype(np.int32) for k in (n, m))
        assert levenshtein(first, second) == one_row(first.tolist(), second.tolist(), "wer")
