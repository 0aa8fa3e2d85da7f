"""BADGER's measure by compression: its kernels by hand, edge cases, invariants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.data import mutt_trials
from cupel.kernels.compression import GROUPS, NEW_SYMBOL, compressed_bits, local_similarity
from cupel.metrics.badger import Badger
from cupel.metrics.badger_texts import CompressionTexts

WORDS = st.sampled_from("The a cat cats dog playing plays guitar . 7 é 😀".split())
SENTENCES = st.lists(WORDS, max_size=8).map(" ".join)
ITEMS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=8
)


def score(hypothesis, *references, **options):
    metric = Badger("compression", **options)
    return float(metric.statistics(Batch([hypothesis], [list(references)]))[0, 0])


def length(text):
    symbols = np.array([ord(c) for c in text], np.int32)
    return compressed_bits(symbols, 128)


def transformed(text):
    """The Burrows-Wheeler transform by its definition: the end sorts before every symbol."""
    suffixes = sorted(range(len(text) + 1), key=lambda start: text[start:])
    return [text[start - 1] for start in suffixes if start > 0]


def bits(text):
    """Move-to-front on lists, and what each rank costs."""
    recent: list[str] = []
    total = 0.0
    for symbol in transformed(text):
        if symbol not in recent:
            total += NEW_SYMBOL
        else:
            rank = recent.index(symbol)
            total += 1 + math.log2(rank + 1) if rank else 0
            recent.remove(symbol)
        recent.insert(0, symbol)
    return total


def test_banana_by_hand():
    # Suffixes in order: (end), a, ana, anana, banana, na, nana: before them a n n b (start) a a.
    assert transformed("banana") == list("annbaa")
    # New: a, n, b; then a at rank 2; the second n and the last a at rank 0.
    assert bits("banana") == 3 * NEW_SYMBOL + 1 + math.log2(3)
    assert length("banana") == pytest.approx(bits("banana"), abs=1e-12)
    assert length("") == 0


def test_repetition_costs_next_to_nothing():
    phrase = "with a sword "
    assert length(phrase * 2) - length(phrase) < 10
    assert length(phrase * 50) == length(phrase * 2)


@settings(deadline=None)
@given(st.text("ab nx", max_size=60))
def test_compressed_length_against_its_definition(text):
    assert length(text) == pytest.approx(bits(text), abs=1e-9)


def similarity(first, second):
    letters = np.array([ord(c) for c in first + second], np.int32)
    group = {c: g for g, group in enumerate(GROUPS) for c in group}
    groups = np.array([group.get(c, ord(c) + 10) for c in first + second], np.int32)
    offsets = np.array([0, len(first), len(letters)])
    return local_similarity(letters, groups, offsets)


def test_similar_words():
    assert similarity("walk", "walking") == 1.0  # the whole of the shorter
    assert similarity("walks", "walking") == pytest.approx(20 / 25)
    assert similarity("man", "men") == pytest.approx((5 + 3 + 5) / 15)  # vowels are alike
    assert similarity("dog", "tog") == pytest.approx((3 + 5 + 5) / 15)
    assert similarity("abcd", "wxyz") == 0.0
    # 4 letters, a gap of 2 letters (5 + 1), 4 letters.
    assert similarity("wordplay", "wordisplay") == pytest.approx((40 - 6) / 40)
    assert similarity("abxcdefg", "abcdefg") == pytest.approx((35 - 5) / 35)


def test_variants_are_replaced():
    reference = "a man was walking in the street"
    # "walks" becomes "walking": a copy of the reference, though not the same text.
    assert score("a man was walks in the street", reference) == 1.0
    assert score("a man was walks in the street", reference, threshold=2) < 1.0
    # "cat" and "mat" have too few letters to be taken for variants of "cats" and "mats".
    assert score("two cat sat on the mat", "two cats sat on the mats") < 1.0
    assert score("two cat sat on the mat", "two cats sat on the mats", shortest=3) == 1.0


def test_words_lose_their_outer_punctuation():
    texts = CompressionTexts(False)(['"Well," he said -- "it\'s semi-final."', "…", "😀!", ""])
    assert texts.words.of(0) == ["Well", "he", "said", "it's", "semi-final"]
    assert texts.words.lengths.tolist() == [5, 0, 1, 0]
    assert score("the end.", "The end") == 1.0
    assert score("the end", "The end", lowercase=False) < 1.0


def test_order_of_merit():
    reference = "The city council voted on Tuesday to close the old bridge to cars"
    close = "The city council voted on Tuesday to close the old gate to cars"
    turned = "to cars the old bridge to close voted on Tuesday The city council"
    other = "Nobody expected quite so many visitors during yesterday's fireworks"
    for text in (close, turned):
        assert score(other, reference) < 0.5 < score(text, reference) < 1.0
    assert score(reference, reference) == 1.0
    assert score("The city council", reference) < score(close, reference)


def test_empty_and_odd_texts():
    for nothing in ("", " ", "...", "?!"):
        assert score(nothing, "the end") == 0.0
        assert score("the end", nothing) == 0.0
        assert score(nothing, "") == 1.0
        assert score("the end", nothing, "the end") == 1.0
        assert score(nothing, nothing, "the end") == 1.0
    assert score("😀😀", "😀😀") == 1.0
    assert score("😀😀", "the end") < 0.5
    assert score("a", "a") == 1.0
    assert score("a", "b") == 0.0


def test_a_segment_of_2000_words():
    words = [f"word{i * i % 977}x{i % 31}" for i in range(2000)]
    assert 0 < score(" ".join(words), " ".join(w + "s" for w in words[::-1])) <= 1


@settings(deadline=None)
@given(ITEMS)
def test_invariants(items):
    metric = Badger("compression")
    hypotheses, references = [h for h, _ in items], [r for _, r in items]
    once = metric.statistics(Batch(hypotheses, references))
    assert ((once[:, 0] >= 0) & (once[:, 0] <= 1)).all()
    np.testing.assert_array_equal(once[:, 1], 1)
    twice = metric.statistics(Batch(hypotheses, [[*r, r[0]] for r in references]))
    np.testing.assert_array_equal(once, twice)
    turned = metric.statistics(Batch(hypotheses, [r[::-1] for r in references]))
    np.testing.assert_array_equal(once, turned)
    # What shares a batch, and what came before, changes nothing.
    order = list(range(len(items)))[::-1]
    back = metric.statistics(Batch([hypotheses[i] for i in order], [references[i] for i in order]))
    np.testing.assert_array_equal(once, back[::-1])
    for row, (hypothesis, texts) in zip(once, items, strict=True):
        assert row[0] == score(hypothesis, *texts)
    identical = metric.statistics(Batch(hypotheses, [[*r, h] for h, r in items]))
    assert (identical[:, 0] == 1).all()


def test_doubled_phrases_cost_little(pack):
    pack("mutt")
    trials = mutt_trials("double_PP", 5)
    metric = Badger("compression")
    original = metric.statistics(Batch(trials.originals, trials.references))[:, 0]
    doubled = metric.statistics(Batch(trials.corrupted, trials.references))[:, 0]
    assert 100 * np.mean(original > doubled) == pytest.approx(59.4, abs=0.1)
    assert np.median(doubled / original) > 0.9
