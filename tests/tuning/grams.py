"""A small tunable metric, and a campaign in which it is known what the right parameters are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cupel.batch import Batch, FloatArray
from cupel.corpus import Corpus
from cupel.human.rankings import Rankings
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.metrics.bleu import Bleu

SEGMENTS, SYSTEMS = 60, 6
WORDS = np.array("a b c d e f g h i j k l".split())


@dataclass(frozen=True)
class Grams(Metric):
    """w_1 p_1 + w_2 p_2 + w_3 p_3, p_n the n-gram precision."""

    w_1: float = 0.5
    w_2: float = 0.5
    w_3: float = 0.5
    lower: bool = False

    name = "grams"

    @property
    def higher_is_better(self) -> bool:
        return not self.lower

    @property
    def parameters(self) -> Mapping[str, float]:
        return {"w_1": self.w_1, "w_2": self.w_2, "w_3": self.w_3}

    def signature(self) -> Signature:
        return Signature.of(**self.parameters)

    def features(self, batch: Batch) -> FloatArray:
        statistics = Bleu().statistics(batch)
        return np.stack([statistics[:, 2:5], np.maximum(statistics[:, 6:9], 1)], axis=2)

    def rescore(self, features: FloatArray, parameters: Mapping[str, float]) -> FloatArray:
        scores = features[..., 0] / features[..., 1] @ np.array(list(parameters.values()))
        return -scores if self.lower else scores

    def statistics(self, batch: Batch) -> FloatArray:
        return mean_statistics(self.rescore(self.features(batch), self.parameters))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)


def campaign(pair: str, best: Mapping[str, Any], seed: int) -> tuple[Corpus, Rankings]:
    """Translations that people rank exactly as `Grams` does with the parameters `best`."""
    random = np.random.default_rng(seed)
    references = [list(random.choice(WORDS, 12)) for _ in range(SEGMENTS)]
    systems = {
        f"s{number}": [_damaged(words, number, random) for words in references]
        for number in range(SYSTEMS)
    }
    texts = [[" ".join(words)] for words in references]
    corpus = Corpus(systems, texts)
    metric = Grams(**best)
    scores = np.array(
        [
            metric.rescore(metric.features(Batch(outputs, texts)), metric.parameters)
            for outputs in systems.values()
        ]
    )
    rows = np.arange(SEGMENTS * 4) % SEGMENTS
    ranked = np.stack([random.permutation(SYSTEMS)[:5] for _ in rows])
    _, ranks = np.unique(-scores[ranked, rows[:, None]].round(9), return_inverse=True)
    ranks = ranks.reshape(ranked.shape)
    dense = np.array([np.unique(row, return_inverse=True)[1] + 1 for row in ranks])
    rankings = Rankings(pair, tuple(systems), rows, np.zeros_like(rows), ("j",), ranked, dense)
    return corpus, rankings


def _damaged(words: list[str], degree: int, random: np.random.Generator) -> str:
    """Some words replaced, and some places swapped: 1-grams and longer ones suffer differently."""
    output = list(words)
    for _ in range(random.integers(0, 2 + degree)):
        if random.random() < 0.5:
            output[random.integers(len(output))] = "x"
        else:
            i, j = random.integers(len(output), size=2)
            output[i], output[j] = output[j], output[i]
    return " ".join(output)
