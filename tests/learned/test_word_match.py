"""NNRK's feature `word-match`: greedy matches of words and of neighbours by word vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.learned.nnrk.model.features import feature_set
from cupel.learned.nnrk.model.word_match import COLUMNS, WordMatch
from cupel.text.vectors import DISTILLED, open_vectors

TABLE = "good 1 0\nfine 0.8 0.6\nday 0 1\n"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "three.txt"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


def values(match: WordMatch, translation: str, reference: str) -> np.ndarray:
    return match.values(Batch([translation], [[reference]]))[0]


def test_matches_worked_by_hand(table: str) -> None:
    row = values(WordMatch(table), "good", "fine day")
    # good is nearest to fine (.8); fine and day have only good to match (.8 and 0).
    assert row[:3] == pytest.approx([0.8, 0.4, 2 * 0.8 * 0.4 / 1.2], abs=1e-6)
    # Weights are log(place + 2) / log(3 + 2): of fine log 3, of day log 4.
    recall = 0.8 * np.log(3) / (np.log(3) + np.log(4))
    assert row[3:5] == pytest.approx([0.8, recall], abs=1e-6)
    assert row[6:12].tolist() == [0.0] * 6  # one word has no neighbours
    total = np.log(3) * np.array([0.8, 0.6]) + np.log(4) * np.array([0.0, 1.0])
    assert row[12] == pytest.approx(total[0] / np.linalg.norm(total), abs=1e-6)


def test_order_shows_in_the_neighbours_only(table: str) -> None:
    row = values(WordMatch(table), "day good fine", "good fine day")
    assert row[:6] == pytest.approx(np.ones(6), abs=1e-6)
    assert (row[6:12] < 0.999).all()


def test_an_empty_side_is_zero_and_equal_texts_are_one(table: str) -> None:
    assert values(WordMatch(table), "", "good day").tolist() == [0.0] * COLUMNS
    assert values(WordMatch(table), "good day", "good day") == pytest.approx(np.ones(COLUMNS))


def test_names_spelled_alike_match_in_part() -> None:
    match = WordMatch()
    near = values(match, "Tymosenkova", "Tymoshenkova")[0]
    far = values(match, "Qwyzzlbrax", "Tymoshenkova")[0]
    assert near > 0.3 > far


def test_values_do_not_depend_on_the_rest_of_a_batch() -> None:
    pairs = [("a small cat", "the cat"), ("the cat", "the cat"), ("a dog barks", "the dog barked")]
    match = WordMatch()
    together = match.values(Batch([t for t, _ in pairs], [[r] for _, r in pairs]))
    alone = np.stack([values(match, *pair) for pair in pairs])
    assert np.array_equal(together, alone)


def test_the_table_that_comes_with_cupel() -> None:
    vectors = open_vectors(DISTILLED)
    assert vectors.matrix.shape == (30_000, 150)
    assert vectors.digest.startswith("1aef796f7304f40c")
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    of = {word: unit[vectors.rows([word])[0]] for word in ("jailed", "imprisoned", "banana")}
    assert of["jailed"] @ of["imprisoned"] > 0.6 > 0.2 > of["jailed"] @ of["banana"]
    # Frequent words are shorter (SIF): `the` has a tenth of a rare word's length at most.
    lengths = np.linalg.norm(vectors.matrix[[0, 29_999]], axis=1)
    assert lengths[0] < 0.1 * lengths[1]


def test_names_of_the_feature(table: str) -> None:
    features = feature_set(f"word-match;word-match={table}")
    assert [skip.name for skip in features.skips] == ["word-match", f"word-match={table}"]
    with pytest.raises(CupelError, match="There are no vectors 'nowhere'"):
        feature_set("word-match=nowhere")
