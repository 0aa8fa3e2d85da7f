"""ROUGE-L: worked examples, blanks, options, invariants. Parity is in tests/oracles."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.metrics.rouge_l import RougeL
from cupel.registry import get_metric

SENTENCES = st.text("ab cd", max_size=16)
ITEMS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=8
)


def score(hypothesis, *references, **options):
    metric = RougeL(**options)
    return float(metric.statistics(Batch([hypothesis], [list(references)]))[0, 0])


def f_score(precision, recall, beta=1.2):
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


def test_example_of_the_paper():
    # Lin 2004, section 3.1: "police killed the gunman"; S2 shares "police the gunman" with it,
    # S3 "the gunman". With beta = 1 that is 3/4 and 2/4.
    reference = "police killed the gunman"
    assert score("police kill the gunman", reference, beta=1.0) == 0.75
    assert score("the gunman kill police", reference, beta=1.0) == 0.5


def test_precision_and_recall_from_different_references():
    # LCS with "a b c d e f g h" is "a b c" (P 3/4, R 3/8), with "a" it is "a" (P 1/4, R 1).
    assert score("a b c x", "a b c d e f g h", "a") == pytest.approx(f_score(3 / 4, 1), abs=1e-15)


def test_blanks_make_empty_words():
    # "a  b" has three words, the second empty: LCS 2, P 2/3, R 2/2.
    assert score("a  b", "a b") == pytest.approx(f_score(2 / 3, 1), abs=1e-15)
    # A trailing blank adds one, too.
    assert score("a b ", "a b") == pytest.approx(f_score(2 / 3, 1), abs=1e-15)
    # An empty text is one empty word: equal to another, and different from any word.
    assert score("", "") == 1.0
    assert score("", "a") == 0.0
    assert score("a", "") == 0.0


def test_case_tokenizer_and_beta():
    assert score("The End", "the end") == 0.0
    assert score("The End", "the end", lowercase=True) == 1.0
    assert score("the end.", "the end .") == f_score(1 / 2, 1 / 3)
    assert score("the end.", "the end .", tokenize="13a") == 1.0
    assert score("a b", "a", beta=2.0) == f_score(1 / 2, 1, 2.0)


def test_signature():
    assert str(RougeL().signature()) == "case:mixed|tok:none|beta:1.2"
    metric = get_metric("rouge-l:tokenize=13a,lowercase=yes,beta=1")
    assert str(metric.signature()) == "case:lc|tok:13a|beta:1.0"


def test_corpus_is_the_mean():
    metric = RougeL()
    rows = metric.statistics(Batch(["a b", "c"], [["a b"], ["d"]]))
    assert rows.tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert metric.score(rows.sum(0)) == 0.5


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_identity_is_one_whatever_other_references_there_are(text, other):
    assert math.isclose(score(text, other, text), 1.0, abs_tol=1e-15)


@settings(deadline=None)
@given(ITEMS)
def test_between_0_and_1_and_repeating_a_reference_changes_nothing(items):
    once = RougeL().statistics(Batch([h for h, _ in items], [r for _, r in items]))
    twice = RougeL().statistics(Batch([h for h, _ in items], [[*r, r[0]] for _, r in items]))
    np.testing.assert_array_equal(once, twice)
    assert ((once[:, 0] >= 0) & (once[:, 0] <= 1 + 1e-15)).all()


@settings(deadline=None)
@given(ITEMS)
def test_one_more_reference_never_lowers_the_score(items):
    metric = RougeL()
    fewer = metric.statistics(Batch([h for h, _ in items], [r[:1] for _, r in items]))
    more = metric.statistics(Batch([h for h, _ in items], [r for _, r in items]))
    assert (more[:, 0] >= fewer[:, 0] - 1e-15).all()
