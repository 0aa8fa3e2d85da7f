"""TER: worked examples, conventions at the edges, invariants. Parity is in tests/oracles."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.metrics.ter import Ter
from cupel.metrics.wer import Wer
from cupel.registry import get_metric

SENTENCES = st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=8)


def statistics(hypothesis, *references, **options):
    return Ter(**options).statistics(Batch([hypothesis], [list(references)]))[0].tolist()


def segment(hypothesis, *references, **options):
    metric = Ter(**options)
    return float(metric.score(np.array(statistics(hypothesis, *references, **options))))


def test_example_of_the_paper():
    # Snover et al. 2006, section 3: one shift ("this week"), two substitutions ("the saudis" for
    # "saudi arabia") and one insertion ("american") over 13 words; the paper rounds to 31%.
    reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
    hypothesis = "THIS WEEK THE SAUDIS denied information published in the new york times"
    assert statistics(hypothesis, reference) == [4, 13]
    assert segment(hypothesis, reference) == 100 * 4 / 13


def test_a_phrase_moves_at_the_cost_of_one_edit():
    # Word by word the six words differ everywhere (WER 100); one shift of "d e f" sets them right.
    assert statistics("d e f a b c", "a b c d e f") == [1, 6]


def test_a_shift_is_made_only_where_it_helps():
    # "b a" -> "a b": a shift (1 edit) replaces two substitutions.
    assert statistics("b a", "a b") == [1, 2]
    # No word in common: nothing can shift, three substitutions remain.
    assert statistics("x y z", "a b c") == [3, 3]


def test_phrases_of_more_than_ten_words_do_not_move_as_one():
    first = [f"a{i}" for i in range(11)]
    second = [f"b{i}" for i in range(12)]
    # The swapped halves have 11 and 12 words; either would have to move in two parts.
    assert statistics(" ".join(second + first), " ".join(first + second)) == [2, 23]
    assert statistics(" ".join(second + first[1:]), " ".join(first[1:] + second)) == [1, 22]


def test_closest_reference_and_mean_length():
    # Edits: 1 to the first (c for b), 4 to the second (two substitutions, two insertions); the
    # mean length is (2 + 4) / 2.
    assert statistics("a c", "a b", "w x y z") == [1, 3]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected", "score"),
    [
        ("", "", [0, 0], 0.0),
        ("", "a b", [2, 2], 100.0),
        ("a b c", "", [3, 0], 100.0),
        (" \t ", "  ", [0, 0], 0.0),
    ],
)
def test_empty_sentences(hypothesis, reference, expected, score):
    assert statistics(hypothesis, reference) == expected
    assert segment(hypothesis, reference) == score


def test_options_of_the_tokenizer():
    assert statistics("A b", "a B") == [0, 2]
    assert statistics("A b", "a B", case_sensitive=True) == [2, 2]
    assert statistics("a, b!", "a b") == [2, 2]
    assert statistics("a, b!", "a b", no_punct=True) == [0, 2]
    assert statistics("a, b!", "a , b !", normalized=True) == [0, 4]
    assert statistics("你好", "你 好", normalized=True) == [2, 2]
    assert statistics("你好", "你 好", normalized=True, asian_support=True) == [0, 2]


def test_references_are_tokenised_twice():
    # As sacreBLEU does: "..1" is ". .1" in a hypothesis and ". . 1" in a reference, so that a
    # sentence differs from itself by a substitution and an insertion.
    assert statistics("..1", "..1", normalized=True) == [2, 3]


def test_signature():
    assert str(Ter().signature()) == "case:lc|tok:tercom|norm:no|punct:yes|asian:no"
    options = Ter(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)
    assert str(options.signature()) == "case:mixed|tok:tercom|norm:yes|punct:no|asian:yes"


def test_by_name_and_pickled():
    metric = get_metric("ter:normalized=yes,case-sensitive=yes")
    assert metric == Ter(normalized=True, case_sensitive=True)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert not metric.higher_is_better


def test_very_long_sentences():
    # Beyond 256 words distances come from the beam alone, beyond 1,000 candidates nothing moves.
    words = [f"w{i}" for i in range(4000)]
    text = " ".join(words)
    assert statistics(text, text) == [0, 4000]
    assert statistics(text, " ".join(words[1:])) == [1, 3999]
    assert statistics(" ".join(f"v{i}" for i in range(4000)), text) == [4000, 4000]
    assert statistics(" ".join([*words[5:10], *words[:5], *words[10:]]), text) == [1, 4000]


@settings(deadline=None)
@given(SENTENCES)
def test_identity_is_zero(text):
    assert statistics(text, text)[0] == 0


@settings(deadline=None)
@given(PAIRS)
def test_never_above_wer_nor_below_the_bag_of_words(pairs):
    batch = Batch([h for h, _ in pairs], [[r] for _, r in pairs])
    edits = Ter().statistics(batch)[:, 0]
    assert (edits <= Wer().statistics(batch)[:, 0]).all()
    assert (edits >= get_metric("per").statistics(batch)[:, 0]).all()


@settings(deadline=None)
@given(PAIRS)
def test_repeating_the_references_changes_nothing(pairs):
    once = Batch([h for h, _ in pairs], [[r] for _, r in pairs])
    twice = Batch([h for h, _ in pairs], [[r, r] for _, r in pairs])
    np.testing.assert_array_equal(Ter().statistics(once), Ter().statistics(twice))


@settings(deadline=None)
@given(PAIRS, st.randoms(use_true_random=False))
def test_order_of_segments_does_not_matter(pairs, random):
    metric = Ter()

    def corpus(items):
        batch = Batch([h for h, _ in items], [[r] for _, r in items])
        return metric.score(metric.statistics(batch).sum(0))

    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert corpus(shuffled) == corpus(pairs)
