"""Train the word vectors and weights of `tuned-match`: models/cupel-nnrk/cupel_models/nnrk-match.

    python tools/build_match.py SCORES [FOLDER]

Learned from what most judges of wmt13 preferred, but for every 20th line, and from a teacher,
`assay-wmt13`, itself trained on wmt13's judgments alone: its scores of the outputs of wmt13 (but for
those lines) and of the translations in wmt15-rankings (but for every 4th reference). Judgments of
wmt15 are not learned from: those of the references left out are what was chosen by, beside the held-out
lines of wmt13. SCORES keeps the teacher's scores, block by block, so that a run that was stopped
goes on. Needs the packs wmt13 and wmt15-rankings and the extra [contextual]; the teacher needs 20
to 40 minutes of two cores, the training as many of one.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cupel.arrays import BoolArray, Float32Array, FloatArray, IntArray
from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.data import find, wmt_corpus
from cupel.human.rankings import wmt_rankings
from cupel.learned.nnrk.data import examples
from cupel.learned.nnrk.files import open_model
from cupel.learned.nnrk.model.features import feature_set
from cupel.learned.nnrk.model.tuned_match import KIND, RARITY
from cupel.learned.nnrk.training.matches import Lessons, Matcher, Settings, train
from cupel.models import model_folder
from cupel.neural.weights import read_card, save_arrays
from cupel.reading.jsons import json_lines
from cupel.registry import get_metric
from cupel.text.tokenizers import Tokenizer
from cupel.text.unknown_words import unknown_vectors
from cupel.text.vectors import DISTILLED, open_vectors

TEACHER = "assay-wmt13"
PRESET = "light"
"""The preset whose skip arcs stand beside the matches in training, with `word-match`."""
BLOCK = 2000
EVERY_15 = 4
LEVELS = 127
SETTINGS = Settings()


@dataclass(frozen=True)
class Part:
    """Translations of one pair of languages; see `Lessons`."""

    texts: list[str]
    references: list[str]
    group: IntArray
    psi: FloatArray
    first: IntArray
    second: IntArray
    sign: FloatArray
    held: BoolArray


def main(scores: Path, folder: Path) -> None:
    """Score, train, write."""
    torch.set_num_threads(1)
    parts = [*of_wmt13(), *of_wmt15()]
    teacher = taught(parts, scores)
    types, lessons = lessons_of(parts, teacher)
    table, rarity, inside = known_words(types)
    sample = table[lessons.ids[::50]]
    start = np.linalg.svd(sample.T @ sample)[0][:, : SETTINGS.dimension]
    matcher = Matcher(table, rarity, inside, start, lessons.psi.shape[1], SETTINGS.own_vectors)
    train(matcher, lessons, SETTINGS, lambda step, cost: print(f"step {step}: cost {cost:.4f}"))
    card = {
        "source": "trained by Cupel (tools/build_match.py) on the rankings of wmt13 and on the scores "
        f"that {TEACHER} gives outputs of wmt13 and wmt15; starts from {DISTILLED}",
        "licence": "Apache-2.0",
        "settings": vars(SETTINGS),
        "pairs": len(lessons.first),
        "taught": int(np.isfinite(teacher).sum()),
        "table": open_vectors(DISTILLED).signature(),
    }
    save_arrays(folder, KIND, exported(matcher, types), card)


def of_wmt13() -> list[Part]:
    """All outputs of wmt13 whose pair has judgments; each two once, as most judges preferred."""
    parts = []
    features = skip_arcs()
    for pair, rankings in wmt_rankings("wmt13").items():
        if not len(rankings.segments):
            continue
        corpus = wmt_corpus("wmt13", pair)
        found = dict.fromkeys(
            (line, corpus.systems[system][line])
            for system in rankings.systems
            for line in range(len(corpus))
        )
        data = examples.load("wmt13", features, pairs=[pair], whole=True)
        held = np.arange(len(corpus)) % examples.HELD_OUT == 0
        judged = data.pairs(~held[data.line]).agreed()
        sign = np.where(judged.label == 1, 1.0, -1.0)
        references = [one[0] for one in corpus.references]
        texts = [text for _, text in found]
        parts += [
            Part(
                texts, references, data.reference, data.psi, judged.first, judged.second, sign, held
            )
        ]
    return parts


def of_wmt15() -> list[Part]:
    """The translations in wmt15-rankings, without what people think of them."""
    parts = []
    for path in sorted(find("wmt15-rankings").glob("*.jsonl")):
        rows: dict[str, int] = {}
        items: dict[tuple[int, str], None] = {}
        for _, ranking in json_lines(path):
            group = rows.setdefault(str(ranking["reference"]), len(rows))
            items |= {(group, str(text)): None for _, text, _ in ranking["items"]}
        references, groups = list(rows), np.array([group for group, _ in items], np.int64)
        texts = [text for _, text in items]
        batch = Batch(texts, [[references[group]] for group in groups.tolist()])
        corpus = Corpus({"references": references}, [[one] for one in references])
        psi = skip_arcs().prepare(corpus).skip_arcs(batch)
        none = np.zeros(0, np.int64)
        parts.append(
            Part(texts, references, groups, psi, none, none, np.zeros(0), np.zeros(len(rows), bool))
        )
    held = np.cumsum([0, *(len(part.references) for part in parts)])
    for start, part in zip(held, parts, strict=False):
        part.held[:] = (start + np.arange(len(part.references))) % EVERY_15 == 0
    return parts


def skip_arcs() -> Any:
    """The skip arcs of PRESET, and `word-match`."""
    features = feature_set([*open_model(PRESET).features, "word-match"])
    return feature_set([name for name in features.names if name not in dict(features.vectors)])


def taught(parts: Sequence[Part], folder: Path) -> FloatArray:
    """The teacher's scores as log-odds of a preference, NaN where a group is held out."""
    folder.mkdir(parents=True, exist_ok=True)
    metric = get_metric(f"{TEACHER}:precision=bfloat16")
    slope = float(read_card(model_folder(TEACHER), "assay")["slope"])
    scores = []
    for part in parts:
        own = np.full(len(part.texts), np.nan)
        items = np.flatnonzero(~part.held[part.group])
        for low in range(0, len(items), BLOCK):
            some = items[low : low + BLOCK]
            texts = [part.texts[item] for item in some.tolist()]
            references = [part.references[group] for group in part.group[some].tolist()]
            key = hashlib.sha256(json.dumps([texts, references]).encode()).hexdigest()[:24]
            path = folder / f"{key}.npy"
            if not path.exists():
                batch = Batch(texts, [[one] for one in references])
                np.save(path, metric.segment_scores(metric.statistics(batch)))
            own[some] = np.load(path)
        scores.append(np.log(own / (1 - own)) / slope)
    return np.concatenate(scores)


def lessons_of(parts: Sequence[Part], teacher: FloatArray) -> tuple[Sequence[str], Lessons]:
    """The types of all words, and what is learned from."""
    texts = [text for part in parts for text in part.texts]
    references = [text for part in parts for text in part.references]
    tokens = Tokenizer("13a", lowercase=True)([*texts, *references])
    at = np.cumsum([0, *(len(part.texts) for part in parts)])
    at_group = np.cumsum([0, *(len(part.references) for part in parts)])

    def joined(name: str, starts: IntArray) -> IntArray:
        return np.concatenate(
            [getattr(part, name) + low for part, low in zip(parts, starts, strict=False)]
        )

    psi = np.concatenate([part.psi for part in parts])
    learned = psi[: at[sum(len(part.first) > 0 for part in parts)]]
    psi = np.clip((psi - learned.mean(0)) / (learned.std(0) + 1e-9), -6, 6)
    return tokens.types, Lessons(
        tokens.ids.astype(np.int64),
        tokens.offsets,
        np.arange(len(texts)),
        len(texts) + np.arange(len(references)),
        joined("group", at_group),
        psi.astype(np.float32),
        teacher,
        joined("first", at),
        joined("second", at),
        np.concatenate([part.sign for part in parts]),
        np.concatenate([part.held for part in parts]),
    )


def known_words(types: Sequence[str]) -> tuple[Float32Array, Float32Array, BoolArray]:
    """Vectors of unit length, rarity, and whether the table has the word."""
    vectors = open_vectors(DISTILLED)
    rows = vectors.rows(types)
    table = np.asarray(vectors.matrix[np.maximum(rows, 0)], np.float32)
    missing = np.flatnonzero(rows < 0)
    letters = [types[row] for row in missing.tolist()]
    table[missing] = unknown_vectors(letters, vectors.dimension, "letters")
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
    return table, rarity_of(np.where(rows < 0, len(vectors), rows), len(vectors)), rows >= 0


def rarity_of(place: IntArray, count: int) -> Float32Array:
    """From the most frequent word to 1, as `word-match` weights words."""
    return (np.log(place + 2) / np.log(count + 2)).astype(np.float32)


def exported(matcher: Matcher, types: Sequence[str]) -> dict[str, Any]:
    """The arrays of `tuned_match.Words`, vectors as bytes."""
    w = {name: weight.detach().numpy() for name, weight in matcher.weights.items()}
    vectors = open_vectors(DISTILLED)
    table = np.asarray(vectors.matrix, np.float32)
    table = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
    rows = vectors.rows(types)
    tuned = table @ w["projection"]
    own = np.zeros(len(table), np.float32)
    own[rows[rows >= 0]] = w["own-weight"]
    if "own-vector" in w:
        tuned[rows[rows >= 0]] += w["own-vector"]
    log_rarity = np.log(rarity_of(np.arange(len(table)), len(table)) + RARITY)
    logarithm = w["rarity"][0] * log_rarity + w["rarity"][1] + table @ w["weight"] + own
    unknown = w["rarity"][0] * np.log(1 + RARITY) + w["rarity"][1] + w["unknown"]
    return {
        "vectors": np.rint(LEVELS * tuned / np.abs(tuned).max(1, keepdims=True)).astype(np.int8),
        "weights": np.exp(np.clip(logarithm, -6, 4)).astype(np.float16),
        "projection": w["projection"].astype(np.float16),
        "unknown": np.exp(np.clip(unknown, -6, 4)).astype(np.float32),
        "context": w["context"],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else model_folder(KIND))
