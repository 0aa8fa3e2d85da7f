"""Long texts in parts: sentences find their translations, and a text scores as its parts do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cupel
from cupel.metrics.assay_multi_parts import LONG, aligned, cut, is_long, parts_of

LEXICAL = "assay-multi:encoder=no"
UNSPACED = ("ja", "zh", "th", "my")


def pairs(language: str) -> tuple[list[str], list[str]]:
    text = (Path(__file__).parent.parent / "text" / "script_pairs.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line[0] != "#"]
    own = [row[1:] for row in rows if row[0] == language]
    return [hypothesis for hypothesis, _ in own], [reference for _, reference in own]


def segment_scores(hypotheses: list[str], references: list[str]) -> list[float]:
    return cupel.score(hypotheses, references, LEXICAL).segment_scores(LEXICAL).tolist()


@pytest.mark.parametrize("language", ["cs", "ru", "ar", "hi", "ja", "zh", "ko"])
def test_sentences_find_their_translations(language: str) -> None:
    hypotheses, references = pairs(language)
    space = "" if language in UNSPACED else " "
    ours = aligned(space.join(hypotheses), references)
    right = sum(a == b.strip() for a, b in zip(ours, hypotheses, strict=True))
    assert right >= 0.7 * len(references)
    without = aligned(space.join(hypotheses[:5] + hypotheses[8:]), references)
    assert sum(map(len, without[5:8])) < 0.5 * sum(map(len, hypotheses[5:8]))


@pytest.mark.parametrize("language", ["cs", "ru", "ar", "hi", "ja", "zh", "ko"])
def test_a_paragraph_scores_as_its_sentences(language: str) -> None:
    hypotheses, references = (4 * texts for texts in pairs(language))
    space = "" if language in UNSPACED else " "
    hypothesis, reference = space.join(hypotheses), space.join(references)
    assert is_long(reference)
    whole, same, half = segment_scores(
        [hypothesis, reference, space.join(hypotheses[::2])], [reference] * 3
    )
    assert same == max(segment_scores(references, references))
    parts = parts_of([hypothesis], [reference])
    alone = segment_scores(parts.hypotheses, parts.references)
    assert whole == pytest.approx(np.average(alone, weights=parts.weight))
    assert abs(whole - np.mean(segment_scores(hypotheses, references))) < 0.2
    assert half < whole < same


def test_the_best_of_long_and_short_references() -> None:
    hypotheses, references = pairs("cs")
    long, translation = " ".join(4 * references), " ".join(4 * hypotheses)
    both = cupel.score([translation], [[references[0], long]], LEXICAL).segment_scores(LEXICAL)
    assert both[0] == segment_scores([translation], [long])[0]
    assert not is_long("x" * LONG)
    assert is_long("я" * LONG)


@given(st.text("ab. 。\nя", max_size=60), st.text("ab. 。\nя", min_size=1, max_size=60))
def test_nothing_is_lost(hypothesis: str, reference: str) -> None:
    sentences = cut(reference)
    bare = "".join(reference.split())
    assert "".join("".join(sentences).split()) == bare
    ours = aligned(hypothesis, sentences)
    assert len(ours) == len(sentences)
    assert "".join("".join(ours).split()) == "".join(hypothesis.split())


def test_text_without_ends_is_cut_too() -> None:
    words, signs = "Wort " * 1000, "字" * 3000
    assert max(len(part) for part in cut(words)) <= 900
    assert max(len(part) for part in cut(signs)) <= 300
    assert len(cut(words)) >= 5
    assert segment_scores([words + "x"], [words])[0] > 0.8
