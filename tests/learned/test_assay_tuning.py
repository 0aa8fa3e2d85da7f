"""Tuning a release on few judgments: readings, what is learned from them, and when it is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.learned.assay.model.correction import (
    COLUMNS,
    LEVEL,
    WORDS,
    Correction,
    missing_pieces,
    piece_readings,
)
from cupel.learned.assay.training.tune import (
    FOLDS,
    Choice,
    Material,
    _folds,
    fitted,
    left_out_scores,
    r_gain,
    tau_gain,
    tune,
)
from cupel.neural.wordpiece import Pieces, Spelling

LETTERS = "abcdefgh"
SPELLING = Spelling(
    np.array([ord(c) for c in LETTERS for _ in range(2)], np.int32), np.arange(0, 17, 2)
)
"""Eight pieces: aa, bb, cc, ..."""


def sentences(*texts: str) -> Pieces:
    ids = [[LETTERS.index(letter) for letter in text] for text in texts]
    offsets = np.cumsum([0, *map(len, ids)]).astype(np.int64)
    return Pieces(np.concatenate(ids).astype(np.int32), offsets)


def slow_matches(ours: str, theirs: str, order: int) -> tuple[float, float]:
    """Precision and recall of n-grams, with half a match more."""
    grams = [
        Counter(text[at : at + order] for at in range(len(text) - order + 1))
        for text in (ours, theirs)
    ]
    shared = (grams[0] & grams[1]).total() + 0.5
    return shared / (grams[0].total() + 1), shared / (grams[1].total() + 1)


def test_readings_are_what_their_formulas_say() -> None:
    ours, theirs = "abcdabe", "abddae"
    row = piece_readings(sentences(ours, theirs), SPELLING, np.array([0]), np.array([1]))[0]
    assert row[:2] == pytest.approx([np.log(7), 6 / 50])
    first, second = ("".join(letter * 2 for letter in text) for text in (ours, theirs))
    p, r = np.mean([slow_matches(first, second, order) for order in range(1, 7)], axis=0)
    assert row[2] == pytest.approx(5 * p * r / (4 * p + r))
    longer = [slow_matches(ours, theirs, order) for order in (2, 3, 4)]
    parts = [*slow_matches(ours, theirs, 1), *(2 * p * r / (p + r) for p, r in longer)]
    assert row[3] == pytest.approx(np.mean(parts))
    # a, b, d, a, e are shared; a second d is missing, and c and a second b are too many.
    assert row[4:6] == pytest.approx([-np.log(2), -np.log(3)])
    assert row[6] == 0  # nothing is on record about their capitals
    pieces = replace(sentences(ours, theirs), capitals=np.array([1, 4]))
    both = piece_readings(
        pieces.take(np.array([1, 0])), SPELLING, np.array([0, 1]), np.array([1, 1])
    )
    assert both[:, 6] == pytest.approx([-np.log(4), 0])


def test_what_is_missing_beside_an_empty_sentence() -> None:
    ours, theirs = np.array([0, 1, 2, 2, 1]), np.array([1, 0, 1, 2, 1])
    missing = missing_pieces(sentences("abb", "abcd", ""), ours, theirs)
    assert missing.tolist() == [2, 1, 4, 0, 0]  # c and d; the second b; all; nothing; nothing
    assert missing_pieces(sentences("abb", ""), np.array([0]), np.array([1])).tolist() == [3]


def test_an_empty_sentence_has_readings() -> None:
    table = piece_readings(sentences("", "ab"), SPELLING, np.array([0, 0]), np.array([1, 0]))
    assert np.isfinite(table).all()
    assert table[0, WORDS - 1][0] < piece_readings(
        sentences("ab"), SPELLING, np.array([0]), np.array([0])
    )[0, WORDS - 1][0]  # fmt: skip


def planted(
    level: float, words: float, segments: int = 60, seed: int = 1, column: int = 0
) -> Material:
    """Four translations a segment; grades follow the score, level and words, and noise."""
    generator = np.random.default_rng(seed)
    segment = np.repeat(np.arange(segments), 4)
    readings = generator.normal(size=(len(segment), COLUMNS))
    readings[:, LEVEL] = generator.normal(size=(segments, 2))[segment]
    noise = generator.normal(size=len(segment))
    grades = readings[:, 0] + level * readings[:, LEVEL[0]] + noise
    grades += words * readings[:, WORDS[column]]
    return Material(readings, grades, segment, segment // 2)


def agreement(scores: FloatArray, material: Material) -> tuple[float, float]:
    both = (
        tau_gain(material, scores[None], scores[None]),
        r_gain(material, scores[None], scores[None]),
    )
    return both[0].before, both[1].before


def test_a_planted_level_is_found_and_the_order_stays() -> None:
    material, others = planted(-2.0, 0.0), planted(-2.0, 0.0, 200, seed=2)
    tuned = tune(material)
    assert tuned.correction is not None
    assert tuned.choice.level is not None
    before, after = others.readings[:, 0], tuned.correction(others.readings)
    assert agreement(after, others)[1] > agreement(before, others)[1] + 0.25
    level = fitted(material, Choice(level=10.0))
    assert (level.weights[WORDS - 1] == 0).all()
    assert agreement(level(others.readings), others)[0] == agreement(before, others)[0]


def test_planted_words_are_found() -> None:
    material, others = planted(0.0, 1.5), planted(0.0, 1.5, 200, seed=2)
    tuned = tune(material)
    assert tuned.correction is not None
    assert tuned.choice.words is not None
    assert tuned.choice.words < 3000
    assert tuned.tau.gain > 0.1
    before, after = others.readings[:, 0], tuned.correction(others.readings)
    assert agreement(after, others)[0] > agreement(before, others)[0] + 0.1


def test_planted_capitals_are_found_without_a_level() -> None:
    """A little more of them is enough to be accepted by itself."""
    tuned = tune(planted(0.0, 0.6, segments=150, column=-1))
    assert tuned.correction is not None
    assert tuned.choice.level is None
    assert tuned.tau.bound(0.95) > 0
    weights = tuned.correction.weights[WORDS - 1]
    assert weights[-1] > 3 * weights[:-1].max()


def test_words_never_count_against_a_translation() -> None:
    weights = fitted(planted(0.0, -3.0), Choice(words=100.0)).weights
    assert (weights[WORDS - 1] >= 0).all()


def test_a_release_that_is_right_is_kept() -> None:
    """By chance, some 8 in 100 are not."""
    kept = [tune(planted(0.0, 0.0, seed=seed)).correction is None for seed in range(100, 115)]
    assert sum(kept) >= 12


def test_scores_keep_their_scale() -> None:
    material = planted(-2.0, 0.0)
    correction = tune(material).correction
    assert correction is not None
    after = correction(material.readings)
    assert after.mean() == pytest.approx(material.readings[:, 0].mean())
    assert after.std() == pytest.approx(material.readings[:, 0].std())


def test_documents_are_left_out_whole() -> None:
    material = planted(1.0, 1.0)
    for fold in _folds(material.document, 3):
        assert len(np.unique(fold)) == FOLDS
        for document in np.unique(material.document):
            assert len(np.unique(fold[material.document == document])) == 1
    # What a judgment is scored by does not know its grade.
    folds = list(_folds(material.document, 3))[:1]
    other = Material(
        material.readings,
        np.where(folds[0] == 0, -5.0 * material.grades, material.grades),
        material.segment,
        material.document,
    )
    first, second = (left_out_scores(m, Choice(100.0, 10.0), folds)[0] for m in (material, other))
    assert (first[folds[0] == 0] == second[folds[0] == 0]).all()
    assert (first[folds[0] != 0] != second[folds[0] != 0]).any()


def test_gains_are_differences_of_the_statistics() -> None:
    material = planted(0.0, 0.0)
    generator = np.random.default_rng(5)
    after = generator.normal(size=(1, len(material)))
    gain = r_gain(material, material.readings[None, :, 0], after)
    assert gain.after == pytest.approx(np.corrcoef(after[0], material.grades)[0, 1])
    tau = tau_gain(material, material.readings[None, :, 0], after)
    signs = []
    for segment in np.unique(material.segment):
        rows = np.flatnonzero(material.segment == segment)
        for i in rows:
            signs += [
                np.sign((material.grades[i] - material.grades[j]) * (after[0, i] - after[0, j]))
                for j in rows
                if j > i
            ]
    assert tau.after == pytest.approx(np.mean(signs))
    low, high = tau.interval
    assert low < tau.gain < high


def test_a_correction_of_another_version_is_refused() -> None:
    with pytest.raises(CupelError, match="another version"):
        Correction(1.0, np.zeros(3), 0.0)
