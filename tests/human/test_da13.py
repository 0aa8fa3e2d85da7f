"""Direct assessment: pack da13 line by line."""

from __future__ import annotations

import pytest

from cupel.errors import CupelError
from cupel.human.da13 import da13, da13_pairs

SEGMENTS = {"es-en": 500, "en-de": 140, "en-es": 140, "en-ru": 140}


def test_the_pairs_of_da13(pack):
    pack("da13")
    assert sorted(da13_pairs()) == sorted(
        "cs-en de-en en-de en-es en-fr en-ru es-en fr-en ru-en".split()
    )
    for pair in da13_pairs():
        judged = da13(pair)
        assert len(judged) == SEGMENTS.get(pair, 70)
        parts = judged.references, judged.sources, judged.scores, judged.systems, judged.segments
        assert {len(part) for part in parts} == {len(judged)}


def test_lines_of_da13_belong_together(pack, newstest):
    """Each judged output is that system's line of newstest2013, with its reference and source."""
    pack("da13")
    judged = da13("cs-en")
    assert (judged.systems[0], judged.segments[0]) == ("JHU.2903", 1)
    assert judged.scores[0] == 0.258135886762899
    corpus = newstest("wmt13", "cs-en")  # the SIDs count from 0: this is what shows it
    for number, (system, segment) in enumerate(zip(judged.systems, judged.segments, strict=True)):
        output = corpus.systems[f"newstest2013.cs-en.{system}"][segment]
        assert judged.hypotheses[number].split() == output.split()
        assert judged.references[number].split() == corpus.references[segment][0].split()
        assert judged.sources[number].split() == corpus.sources[segment].split()


def test_tokenized_texts_differ(pack):
    pack("da13")
    assert da13("cs-en", tokenized=True).hypotheses != da13("cs-en").hypotheses


def test_an_unknown_pair():
    with pytest.raises(CupelError, match=r"^da13 has no language pair 'hi-en'; it has cs-en, "):
        da13("hi-en")
