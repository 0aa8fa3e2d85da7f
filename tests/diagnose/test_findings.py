"""Buckets on a made-up test set: their segments, and whether planted faults come first."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from random import Random

import made_up
import numpy as np
import pytest

import cupel
from cupel.corpus import Corpus
from cupel.diagnose.columns import Column
from cupel.diagnose.material import Material, Training
from cupel.diagnose.ngrams import phrases
from cupel.diagnose.run import Diagnosis, diagnose
from cupel.diagnose.segment_buckets import segment_buckets
from cupel.diagnose.word_buckets import word_features

REFERENCES = made_up.references()
REAL = made_up.output(REFERENCES)
ROWS = range(len(REFERENCES))


def diagnosis(faulty: list[str], **more: object) -> Diagnosis:
    corpus = Corpus.of({"real": REAL, "faulty": faulty}, REFERENCES)
    scores = cupel.score(corpus, metrics="chrf++")
    return diagnose(Material(corpus, **more), scores, resamples=50)  # type: ignore[arg-type]


def cut(line: str, row: int) -> str:
    words = line.split(" ")
    return " ".join(words[: len(words) // 2]) if len(words) > 40 else line


def in_document(line: str, row: int) -> str:
    return line.replace("the ", "") if row // 12 == 4 else line


FAULTS = {
    "names": lambda line, row: re.sub(r"(?<=[a-z] )[A-Z]\w+", "", line) if row % 2 else line,
    "numbers?": lambda line, row: re.sub(r"\d+ ", "", line),
    "length: over 40": cut,
    "question": lambda line, row: line.replace("?", "."),
    "negation": lambda line, row: line.replace(" not ", " "),
    "case": lambda line, row: line.lower() if row % 3 == 1 else line,
    "inflected": lambda line, row: re.sub(r"ed\b", "s", line) if row % 4 == 1 else line,
    "repeated": lambda line, row: line.replace("the old", "the old the old") if row % 5 == 1 else line,
    "^document: 4$": in_document,
}  # fmt: skip


@pytest.mark.parametrize("right", list(FAULTS))
def test_the_right_bucket_is_among_the_first_three(right: str) -> None:
    faulty = [FAULTS[right](line, row) for row, line in enumerate(REAL)]
    documents = [str(row // 12) for row in ROWS]
    found = diagnosis(faulty, documents=documents).findings
    assert any(re.search(right, one.bucket) for one in found[:3]), [f.bucket for f in found[:5]]
    assert found[0].verdict
    claims = [one for one in found if one.verdict]
    assert claims == found[: len(claims)]
    assert [one.evidence for one in claims] == sorted((f.evidence for f in claims), reverse=True)


def test_two_draws_from_one_system_are_rarely_told_apart() -> None:
    pool = [made_up.output(REFERENCES, seed) for seed in (2, 3, 4)]
    chance = Random(1)
    runs = 12
    claimed = 0
    for _ in range(runs):
        draws = [[chance.choice(pool)[row] for row in ROWS] for _ in range(2)]
        corpus = Corpus.of({"one": draws[0], "two": draws[1]}, REFERENCES)
        scores = cupel.score(corpus, metrics="chrf++")
        found = diagnose(Material(corpus), scores, resamples=5).findings
        claimed += any(one.verdict for one in found)
    assert claimed <= 2


def test_what_a_finding_says_is_what_scores_say() -> None:
    faulty = [cut(line, row) for row, line in enumerate(REAL)]
    whole = diagnosis(faulty)
    one = next(f for f in whole.findings if f.bucket == "length: over 40 words")
    rows = [row for row in ROWS if len(REFERENCES[row].split()) > 40]
    assert one.rows.tolist() == rows
    some = Corpus.of(
        {"real": [REAL[r] for r in rows], "faulty": [faulty[r] for r in rows]},
        [REFERENCES[r] for r in rows],
    )
    scores = cupel.score(some, metrics="chrf++")
    assert one.first_score == pytest.approx(scores.system_score("chrf++", "real"))
    assert one.score == pytest.approx(scores.system_score("chrf++", "faulty"))
    assert one.share == pytest.approx(1.0)
    assert one.low is not None
    assert one.low < one.difference < 0
    (change,) = whole.changes
    assert change.differ == len(rows)
    assert change.shares.sum() == pytest.approx(change.difference)
    assert change.worse == len(rows)
    assert "100% of the loss" in whole.summary[1]
    assert "'length: over 40 words'" in whole.summary[1]


def test_recall_of_words_is_counted_by_hand() -> None:
    references = ["Mr Smith paid 20 coins"] * 12 + ["nobody paid"] * 12
    real, faulty = list(references), ["Mr paid 20 coins"] * 12 + ["nobody paid"] * 12
    corpus = Corpus.of({"real": real, "faulty": faulty}, references)
    scores = cupel.score(corpus, metrics="chrf++")
    found = diagnose(Material(corpus), scores, resamples=20).findings
    names = next(one for one in found if one.bucket == "names: names")
    assert names.words == 12
    assert names.parts is not None
    assert (names.parts["first_recall"], names.parts["recall"]) == (100.0, 0.0)
    assert names.verdict == "worse"


def test_small_buckets_are_shown_without_claims() -> None:
    corpus = Corpus.of({"a": ["x y"] * 30, "b": ["x"] * 30}, ["x y"] * 30)
    column = Column("domain", ["two"] * 2 + ["others"] * 28)
    scores = cupel.score(corpus, metrics="chrf")
    found = diagnose(Material(corpus, columns=[column]), scores, resamples=5).findings
    two = next(one for one in found if one.bucket == "domain: two")
    assert (two.p_value, two.q_value, two.low, two.verdict) == (None, None, None, "")
    assert two.difference < 0


def buckets(material: Material) -> dict[str, list[int]]:
    return {one.name: one.rows.tolist() for one in segment_buckets(material)}


def test_columns_of_many_values_and_of_numbers() -> None:
    corpus = Corpus.of({"a": ["x"] * 400}, ["x"] * 400)
    names = Column("id", [f"v{row}" if row >= 40 else "often" for row in range(400)])
    numbers = Column("quality", [str(row / 7) for row in range(400)])
    material = Material(corpus, columns=[names, numbers])
    found = buckets(material)
    assert found["id: often"] == list(range(40))
    assert len(found["id: 360 other values"]) == 360
    assert sum(name.startswith("id:") for name in found) == 2
    assert [len(found[name]) for name in found if name.startswith("quality")] == [100] * 4
    assert "361 values" in material.notes[0]


def test_positions_in_documents_and_training_data() -> None:
    texts = [f"{made_up.NOUNS[row % 5]} is seen here" for row in range(12)]
    corpus = Corpus.of({"a": texts}, texts)
    training = Training({"is": 3, "seen": 3, made_up.NOUNS[1]: 1, "here": 1}, frozenset([texts[1]]))
    documents = ["d1"] * 6 + ["d2"] * 6
    found = buckets(Material(corpus, documents=documents, training=training))
    assert found["position in the document: first segment"] == [0, 6]
    assert found["position in the document: last third"] == [4, 5, 10, 11]
    assert found["document: d2"] == list(range(6, 12))
    assert found["training data: whole segment seen"] == [1, 6, 11]
    assert found["training data: all words seen"] == [1, 6, 11]


def test_frequency_buckets_are_counts_of_the_references() -> None:
    corpus = Corpus.of({"a": REAL, "b": REAL}, REFERENCES)
    material = Material(corpus)
    feature = next(iter(word_features(material)))
    counts = Counter(word.lower() for word in material.words.forms)
    for word, bucket in zip(material.words.forms, feature.reference.tolist(), strict=True):
        low = [0, 1, 2, 3, 5, 10, 100, 1000][bucket]
        assert counts[word.lower()] >= low
        assert feature.names[bucket] != "in no reference"


def test_phrases_are_counted_as_a_slow_loop_counts() -> None:
    faulty = [line.replace("the old", "an old") for line in REAL]
    material = Material(Corpus.of({"real": REAL, "faulty": faulty}, REFERENCES))
    found = {one.text: one for one in phrases(material) if one.kind == "2-gram"}
    one = found["the old"]

    def grams(text: str) -> Counter[tuple[str, ...]]:
        words = text.split(" ")
        return Counter(pairwise(words))

    gram = ("the", "old")
    assert one.count == sum(grams(text)[gram] for text in REFERENCES)
    assert one.first == sum(
        min(grams(a)[gram], grams(b)[gram]) for a, b in zip(REAL, REFERENCES, strict=True)
    )
    assert one.own == 0
    assert one.segments[0] == next(
        row + 1 for row in ROWS if (grams(REAL[row]) & grams(REFERENCES[row]))[gram]
    )
    assert one.low < one.difference < one.high < 0


def test_equal_systems_differ_nowhere() -> None:
    whole = diagnosis(list(REAL))
    assert {one.difference for one in whole.findings} == {0.0}
    assert not any(one.verdict for one in whole.findings)
    assert whole.summary == [f"faulty and real are the same in all {len(ROWS)} segments."]
    assert whole.phrases == []
    assert np.isfinite([one.evidence for one in whole.findings]).all()
