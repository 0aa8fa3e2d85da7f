"""WER: worked examples, the choice of the reference, empty sentences, invariants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metrics.wer import Wer
from cupel.registry import get_metric

SENTENCES = st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=8)


def statistics(hypothesis, *references, **options):
    return Wer(**options).statistics(Batch([hypothesis], [list(references)]))[0].tolist()


def textbook(first, second):
    """Levenshtein's distance by its definition."""
    table = np.zeros((len(first) + 1, len(second) + 1), int)
    table[:, 0] = range(len(first) + 1)
    table[0] = range(len(second) + 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            moves = (table[i, j] + (a != b), table[i, j + 1] + 1, table[i + 1, j] + 1)
            table[i + 1, j + 1] = min(moves)
    return table[-1, -1]


def test_worked_example():
    # the cat sat on  the mat
    # the     sat in  the mat .     one insertion, one substitution, one deletion; 6 words
    metric = Wer()
    row = np.array(statistics("the sat in the mat .", "the cat sat on the mat"))
    assert row.tolist() == [3, 6]
    assert metric.score(row) == 50.0


def test_reference_with_the_lowest_rate_and_not_the_fewest_edits():
    # 2 edits of 2 words (100), and 3 edits of 6 words (50).
    assert statistics("a b c x y z", "a b c d e f", "x y") == [3, 6]
    assert statistics("x y z", "a b", "x y z a b c") == [3, 6]


def test_of_equal_references_the_first():
    assert statistics("a b", "a x", "a b x y") == [1, 2]
    assert statistics("a b", "a b x y", "a x") == [2, 4]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected", "score"),
    [("", "", [0, 0], 0.0), ("", "a b", [2, 2], 100.0), ("a b c", "", [3, 0], 100.0)],
)
def test_empty_sentences(hypothesis, reference, expected, score):
    row = statistics(hypothesis, reference)
    assert row == expected
    assert Wer().score(np.array(row)) == score


def test_empty_reference_counts_as_a_rate_of_one():
    assert statistics("a b", "", "a x") == [1, 2]  # 0.5 is better than 1
    assert statistics("a b", "x", "") == [2, 0]  # 1 is better than 2


def test_case_and_tokenizer():
    assert statistics("The end.", "the end .") == [3, 3]
    assert statistics("The end.", "the end .", lowercase=True) == [2, 3]
    assert statistics("The end.", "the end .", lowercase=True, tokenize="13a") == [0, 3]
    assert str(Wer().signature()) == "case:mixed|tok:none"
    assert str(get_metric("wer:tokenize=13a,lowercase=yes").signature()) == "case:lc|tok:13a"
    with pytest.raises(CupelError, match="Unknown tokenizer '13b'"):
        Wer(tokenize="13b")


@settings(deadline=None)
@given(PAIRS)
def test_equals_the_definition(pairs):
    batch = Batch([h for h, _ in pairs], [[r] for _, r in pairs])
    expected = [[textbook(h.split(), r.split()), len(r.split())] for h, r in pairs]
    np.testing.assert_array_equal(Wer().statistics(batch), expected)


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_identity_is_zero_whatever_other_references_there_are(text, other):
    assert statistics(text, other, text)[0] == 0


@settings(deadline=None)
@given(SENTENCES, SENTENCES, SENTENCES)
def test_repeating_a_reference_changes_nothing(hypothesis, first, second):
    once = statistics(hypothesis, first, second)
    assert statistics(hypothesis, first, second, first) == once
    assert statistics(hypothesis, first, first, second) == once


@settings(deadline=None)
@given(PAIRS, st.randoms(use_true_random=False))
def test_order_of_segments_does_not_matter(pairs, random):
    metric = Wer()

    def corpus(items):
        batch = Batch([h for h, _ in items], [[r] for _, r in items])
        return metric.score(metric.statistics(batch).sum(0))

    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert corpus(shuffled) == corpus(pairs)
