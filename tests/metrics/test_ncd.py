"""NCD: worked examples by hand, edge cases, invariants."""

import bz2
import lzma
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metrics.ncd import COMPRESSORS, Ncd
from cupel.registry import get_metric

SENTENCES = st.text("ab c.é", max_size=30)
ITEMS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=6
)
COMPRESSOR = st.sampled_from(sorted(COMPRESSORS))


def distance(hypothesis, *references, **options):
    return float(Ncd(**options).statistics(Batch([hypothesis], [list(references)]))[0, 0])


def test_a_worked_example():
    # Deflate writes short texts without repetitions as they are, with 2 bits of header in a byte.
    hypothesis, reference = b"the cat sat on the mat", b"the dog lay on the mat"
    lengths = [len(zlib.compress(t, 9, -15)) - 2 for t in (hypothesis, reference)]
    joint = len(zlib.compress(reference + hypothesis, 9, -15)) - 2
    expected = (joint - min(lengths)) / max(lengths)
    assert distance(hypothesis.decode(), reference.decode()) == expected
    assert 0 < expected < 1


def test_headers_do_not_count():
    for name, nothing in (("zlib", 2), ("lzma", 1), ("bz2", len(bz2.compress(b"")))):
        assert len(COMPRESSORS[name](b"")) == nothing
    raw = COMPRESSORS["lzma"](b"abc" * 9)
    filters = [{"id": lzma.FILTER_LZMA2}]
    assert lzma.decompress(raw, lzma.FORMAT_RAW, filters=filters) == b"abc" * 9
    assert zlib.decompress(COMPRESSORS["zlib"](b"abc" * 9), -15) == b"abc" * 9


@pytest.mark.parametrize("compressor", sorted(COMPRESSORS))
def test_equal_close_and_unrelated(compressor):
    reference = "The city council voted on Tuesday to close the old bridge to cars from spring."
    close = "The city council decided on Tuesday to close the old bridge to cars from spring."
    other = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, 1954!"
    same, near, far = (
        distance(text, reference, compressor=compressor) for text in (reference, close, other)
    )
    assert same < near < far
    assert same < 0.25
    assert far > 0.5
    assert distance(close, other, reference, compressor=compressor) == near


@pytest.mark.parametrize("compressor", sorted(COMPRESSORS))
def test_empty_texts(compressor):
    assert distance("", "", compressor=compressor) == 0.0
    assert distance("", "a", compressor=compressor) == 1.0
    assert distance("a", "", compressor=compressor) == 1.0
    for text in ("...", "😀😀"):
        assert 0 <= distance(text, text, compressor=compressor) < 1


def test_case_and_signature():
    assert distance("THE END", "the end") > distance("THE END", "the end", lowercase=True)
    assert str(get_metric("ncd").signature()) == "case:mixed|compressor:zlib"
    metric = get_metric("ncd:compressor=bz2,lowercase=yes")
    assert str(metric.signature()) == "case:lc|compressor:bz2"
    assert not metric.higher_is_better


def test_an_unknown_compressor():
    with pytest.raises(CupelError) as caught:
        get_metric("ncd:compressor=zip")
    sentence = "Unknown compressor 'zip' for NCD; known are: zlib, lzma, bz2."
    assert str(caught.value) == sentence


def test_corpus_is_the_mean():
    metric = Ncd()
    rows = metric.statistics(Batch(["", ""], [["a"], [""]]))
    assert rows.tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert metric.score(rows.sum(0)) == 0.5


def test_a_segment_of_2000_words():
    words = " ".join(f"word{i * i % 977}" for i in range(2000))
    for compressor in COMPRESSORS:
        assert distance(words, words, compressor=compressor) < 0.2


@settings(deadline=None, max_examples=50)
@given(ITEMS, COMPRESSOR)
def test_invariants(items, compressor):
    metric = Ncd(compressor)
    hypotheses, references = [h for h, _ in items], [r for _, r in items]
    once = metric.statistics(Batch(hypotheses, references))
    twice = metric.statistics(Batch(hypotheses, [[*r, r[0]] for r in references]))
    np.testing.assert_array_equal(once, twice)
    turned = metric.statistics(Batch(hypotheses, [r[::-1] for r in references]))
    np.testing.assert_array_equal(once, turned)
    assert (once[:, 0] >= 0).all()
    fewer = metric.statistics(Batch(hypotheses, [r[:1] for r in references]))
    assert (once[:, 0] <= fewer[:, 0]).all()
