"""PER: worked examples, and what it has to do with WER."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.metrics.per import Per
from cupel.metrics.wer import Wer

SENTENCES = st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join)
ITEMS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=8
)


def batch_of(items):
    return Batch([h for h, _ in items], [r for _, r in items])


def statistics(hypothesis, *references):
    return Per().statistics(Batch([hypothesis], [list(references)]))[0].tolist()


def test_word_order_does_not_count():
    assert statistics("mat the on sat cat the", "the cat sat on the mat") == [0, 6]


def test_each_reference_word_is_matched_once():
    # "the the the" and "the cat sat": one match, the longer length is 3.
    assert statistics("the the the", "the cat sat") == [2, 3]
    # Hypothesis of 4 words, reference of 2, both matched: 4 - 2 words too many.
    assert statistics("a b c d", "b a") == [2, 2]
    # Hypothesis of 1 word, reference of 3: 3 - 1.
    assert statistics("b", "a b c") == [2, 3]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected", "score"),
    [("", "", [0, 0], 0.0), ("", "a b", [2, 2], 100.0), ("a b c", "", [3, 0], 100.0)],
)
def test_empty_sentences(hypothesis, reference, expected, score):
    row = statistics(hypothesis, reference)
    assert row == expected
    assert Per().score(np.array(row)) == score


def test_signature():
    assert str(Per(lowercase=True).signature()) == "case:lc|tok:none"


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_equals_the_definition(hypothesis, reference):
    h, r = Counter(hypothesis.split()), Counter(reference.split())
    edits = max(h.total(), r.total()) - (h & r).total()
    assert statistics(hypothesis, reference) == [edits, r.total()]


@settings(deadline=None)
@given(ITEMS)
def test_never_above_wer(items):
    batch = batch_of(items)
    per, wer = Per(), Wer()
    lower = per.segment_scores(per.statistics(batch))
    assert (lower <= wer.segment_scores(wer.statistics(batch))).all()


@settings(deadline=None)
@given(ITEMS)
def test_order_of_words_does_not_matter(items):
    backwards = [(" ".join(reversed(h.split())), refs) for h, refs in items]
    np.testing.assert_array_equal(
        Per().statistics(batch_of(backwards)), Per().statistics(batch_of(items))
    )
