"""NNRK's feature `tuned-match`: matches by learned vectors and weights, and how they are learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.learned.nnrk.files import open_model
from cupel.learned.nnrk.model.features import feature_set
from cupel.learned.nnrk.model.tuned_match import COLUMNS, KIND, TunedMatch, open_words
from cupel.metric import Metric
from cupel.neural.weights import save_arrays
from cupel.registry import get_metric
from cupel.text.tokenizers import Tokenizer
from cupel.text.unknown_words import unknown_vectors
from cupel.text.vectors import DISTILLED, open_vectors


def saved(folder: Path, projection: np.ndarray, context: tuple[float, float]) -> str:
    """Words whose vectors are turned by `projection`; every 7th counts twice, unknown ones half."""
    table = np.asarray(open_vectors(DISTILLED).matrix, np.float32)
    weights = np.where(np.arange(len(table)) % 7, 1.0, 2.0)
    arrays = {
        "vectors": table @ projection,
        "weights": weights.astype(np.float32),
        "projection": projection,
        "unknown": np.array([0.5], np.float32),
        "context": np.array(context, np.float32),
    }
    save_arrays(folder, KIND, arrays, {})
    return str(folder)


def values(match: TunedMatch, translation: str, reference: str) -> np.ndarray:
    return match.values(Batch([translation], [[reference]]))[0]


def test_matches_worked_by_hand(tmp_path: Path) -> None:
    match = TunedMatch(saved(tmp_path / "own", np.eye(150, dtype=np.float32), (1.0, 0.0)))
    table = open_vectors(DISTILLED)
    rows = table.rows(["jailed", "imprisoned", "they"])
    jailed, imprisoned, they = (
        vector / np.linalg.norm(vector) for vector in np.asarray(table.matrix[rows], np.float64)
    )
    w = np.where(rows % 7, 1.0, 2.0)
    same, odd = jailed @ imprisoned, jailed @ they
    row = values(match, "jailed", "they imprisoned")
    assert row[:2] == pytest.approx([same, (same + odd) / 2], abs=1e-4)
    assert row[4] == pytest.approx((w[1] * same + w[2] * odd) / (w[1] + w[2]), abs=1e-4)
    assert row[6] == pytest.approx(1 / (1 + np.exp(-12 * (same - 0.6))), abs=1e-4)
    assert row[10:16].tolist() == [0.0] * 6  # one word has no neighbours
    around = (they + imprisoned) / np.linalg.norm(they + imprisoned)
    assert row[16] == pytest.approx(jailed @ around, abs=1e-4)


def test_the_matches_that_come_with_cupel() -> None:
    words = open_words()
    assert words.vectors.shape == (30_000, 100)
    row = values(TunedMatch(), "The vote was close .", "The vote was close .")
    assert row[[0, 1, 2, 5, 15, 21, 22]] == pytest.approx(np.ones(7), abs=1e-5)
    better = values(TunedMatch(), "The minister was jailed .", "The minister was imprisoned .")
    worse = values(TunedMatch(), "The minister was painted .", "The minister was imprisoned .")
    assert better[5] > worse[5] + 0.02
    assert (values(TunedMatch(), "", "a cat") == 0).all()


def test_values_do_not_depend_on_the_rest_of_a_batch() -> None:
    pairs = [("a small cat", "the cat"), ("Qwyzzl sat", "Qwyzzle sits"), ("", "the cat")]
    together = TunedMatch().values(Batch([t for t, _ in pairs], [[r] for _, r in pairs]))
    alone = np.stack([values(TunedMatch(), *pair) for pair in pairs])
    assert together == pytest.approx(alone, abs=1e-6)
    assert together.shape == (3, COLUMNS)


def test_names_of_the_feature(tmp_path: Path) -> None:
    own = saved(tmp_path / "own", np.eye(150, dtype=np.float32), (0.0, 0.0))
    features = feature_set(f"tuned-match;tuned-match={own}")
    assert [skip.name for skip in features.skips] == ["tuned-match", f"tuned-match={own}"]
    assert features.skips[0].signature() != features.skips[1].signature()
    with pytest.raises(CupelError, match="holds no model"):
        feature_set("tuned-match=nowhere")


def test_training_sees_the_same_columns(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from cupel.learned.nnrk.training.matches import Matcher

    random = np.random.default_rng(3)
    projection = random.standard_normal((150, 20)).astype(np.float32)
    match = TunedMatch(saved(tmp_path / "own", projection, (0.3, 0.1)))
    pairs = [
        ("he was jailed for five long years", "the man was imprisoned for five years"),
        ("Tymosenkova has spoken", "Mrs Tymoshenkova spoke of it yesterday"),
    ]
    texts = [text for pair in pairs for text in pair]
    tokens = Tokenizer("13a", lowercase=True)(texts)
    table = open_vectors(DISTILLED)
    rows = table.rows(tokens.types)
    vectors = np.asarray(table.matrix[rows], np.float32)
    missing = np.flatnonzero(rows < 0)
    letters = [tokens.types[row] for row in missing.tolist()]
    vectors[missing] = unknown_vectors(letters, 150, "letters")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matcher = Matcher(vectors, np.ones(len(rows), np.float32), rows >= 0, projection, 1)
    with torch.no_grad():
        matcher.weights["rarity"].zero_()
        matcher.weights["unknown"].fill_(float(np.log(0.5)))
        own = np.log(np.where(rows[rows >= 0] % 7, 1.0, 2.0)).astype(np.float32)
        matcher.weights["own-weight"].copy_(torch.from_numpy(own))

    def side(text: int) -> Any:
        ids = tokens.ids[tokens.offsets[text] : tokens.offsets[text + 1]].astype(np.int64)
        return torch.from_numpy(ids)[None], torch.ones((1, len(ids)), dtype=torch.bool)

    for number, pair in enumerate(pairs):
        with torch.no_grad():
            seen = matcher.columns(side(2 * number), side(2 * number + 1))[0].numpy()
        assert seen == pytest.approx(values(match, *pair), abs=2e-5)


@pytest.mark.parametrize("teacher", [False, True])
def test_words_that_judges_or_a_teacher_take_for_each_other_become_alike(teacher: bool) -> None:
    torch = pytest.importorskip("torch")
    from cupel.learned.nnrk.training.matches import Lessons, Matcher, Settings, train

    # Types 0 to 3; references have 0 and 3, the better translations 1 and 3, the worse 2 and 3.
    groups, random = 60, np.random.default_rng(0)
    table = random.standard_normal((4, 8)).astype(np.float32)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    sentences = np.array([[1, 3], [2, 3], [0, 3]] * groups)
    group = np.repeat(np.arange(groups), 2)
    hypothesis = (3 * np.arange(groups)[:, None] + np.array([0, 1])).ravel()
    better = np.arange(groups) * 2
    none = np.zeros(0, np.int64)
    lessons = Lessons(
        sentences.ravel(), np.arange(len(sentences) + 1) * 2, hypothesis,
        3 * np.arange(groups) + 2, group, np.zeros((2 * groups, 1), np.float32),
        np.tile([2.0, -2.0], groups) if teacher else np.full(2 * groups, np.nan),
        none if teacher else better, none if teacher else better + 1,
        np.ones(0 if teacher else groups), np.zeros(groups, bool),
    )  # fmt: skip
    matcher = Matcher(table, np.ones(4, np.float32), np.ones(4, bool), np.eye(8, dtype="f4"), 1)

    def margin() -> float:
        with torch.no_grad():
            v = matcher.words(torch.arange(4))[0].numpy()
            return float(v[0] @ v[1] - v[0] @ v[2])

    before = margin()
    how = Settings(epochs=30, rate=0.01, own_rate=0.01, hold=0.1, drop=0.0, teacher=0.5)
    train(matcher, lessons, how)
    assert margin() > before + 0.3


def test_light_3_says_what_it_learned_from_and_knows_words_of_the_same_meaning() -> None:
    light, third = (get_metric(f"nnrk:preset={name}") for name in ("light", "light-3"))
    assert "model:light-3|weights:5b80ab9ce68e" in str(third.signature())
    card = open_model("light-3").card
    assert card["train"] == ["wmt13", "wmt15-rankings"]
    assert card["teacher"].startswith("assay-wmt13")
    assert {"tuned-match", "word-match"} <= set(card["features"])
    reference = "The former minister was imprisoned for five years."

    def gain(metric: Metric) -> float:
        texts = [reference.replace("imprisoned", word) for word in ("jailed", "painted")]
        prepared = metric.prepare(Corpus.of([reference], [reference]))
        batch = Batch(texts, [[reference]] * 2)
        same, other = prepared.segment_scores(prepared.statistics(batch))
        return float(same - other)

    assert gain(third) > gain(light) > 0
