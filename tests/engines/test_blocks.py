"""Statistics of blocks add up to those of one piece, to the last bit."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import cupel
from cupel import totals as totals_module
from cupel.blocks import CHUNK, Block, block_size, block_statistics
from cupel.corpus import Outline
from cupel.errors import CupelError
from cupel.metric import counts_only
from cupel.registry import get_metric
from cupel.totals import Totals

WORDS = "the a cat dog sat on mat rug with , . and 3 4.5 house tree's über".split()


def texts(n: int, seed: int, longest: int = 12) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(0, longest))) for _ in range(n)]


def length_ratio(hypothesis: str, references: list[str]) -> float:
    return len(hypothesis) / (1 + len(references[0]))


def blocks_of(corpus: cupel.Corpus, size: int) -> list[Block]:
    return [
        Block(
            start,
            {name: list(lines)[start : start + size] for name, lines in corpus.systems.items()},
            list(corpus.references)[start : start + size],
        )
        for start in range(0, len(corpus), size)
    ]


@pytest.mark.parametrize("size", [1, 7, 1000, 5000])
def test_totals_are_those_of_one_piece(size: int) -> None:
    n = 2500 if size > 1 else 60
    references = [[a, b, c] for a, b, c in zip(texts(n, 1), texts(n, 2), texts(n, 3), strict=True)]
    corpus = cupel.Corpus.of({"x": texts(n, 4), "y": texts(n, 5)}, references)
    specs = ["bleu", "chrf++", "ter", "nist", "cider", "sentbleu", "bleucomp", "wer", "rouge-l"]
    expected = cupel.score(corpus, metrics=[*specs, length_ratio])
    totals = Totals("rows")
    for block in blocks_of(corpus, size):
        totals.add(block_statistics(expected.metrics, block, all_rows=True))
    assert totals.outline.segments == {"x": n, "y": n}
    assert totals.outline.references == {3: n}
    for label in expected.metrics:
        assert (totals.sums(label) == expected.statistics[label].sum(axis=1)).all(), label
        assert (totals.units(label) == expected.statistics[label]).all(), label


class Single(type(get_metric("wer"))):  # type: ignore[misc]
    """Statistics of one column, which NumPy adds in another order."""

    def statistics(self, batch: object) -> np.ndarray:
        return super().statistics(batch)[:, :1] / 7.0

    def score(self, statistics: np.ndarray) -> np.ndarray:
        return np.asarray(statistics[..., 0])


def test_one_column_is_added_as_numpy_does() -> None:
    n = 3000
    corpus = cupel.Corpus.of(texts(n, 1), texts(n, 2))
    expected = cupel.score(corpus, metrics=[Single()])
    (label,) = expected.metrics
    totals = Totals("units")
    for block in blocks_of(corpus, CHUNK):
        totals.add(block_statistics(expected.metrics, block))
    assert (totals.sums(label) == expected.statistics[label].sum(axis=1)).all()


def test_segment_scores_are_those_of_one_piece() -> None:
    corpus = cupel.Corpus.of({"x": texts(90, 4), "y": texts(90, 5)}, texts(90, 1))
    expected = cupel.score(corpus, metrics=["bleu", "ter", "bleucomp"])
    for block in blocks_of(corpus, 40):
        found = block_statistics(expected.metrics, block, with_scores=True)
        for row, system in enumerate(corpus.systems):
            for label in ("bleu", "ter"):
                part = expected.segment_scores(label, system)[block.first : found.end]
                assert (found.scores[label][row] == part).all()
        assert "bleucomp.precision1" in found.scores


@pytest.mark.parametrize("spec", ["bleu", "chrf", "meteor:modules=exact,stem"])
def test_what_only_counts(spec: str) -> None:
    metric = get_metric(spec)
    assert counts_only(metric)
    references = [
        [a, b, c] for a, b, c in zip(texts(80, 1), texts(80, 2), texts(80, 3), strict=True)
    ]
    found = block_statistics({"m": metric}, Block(0, {"s": texts(80, 4)}, references))
    assert not found.rows
    assert (found.sums["m"] % 1 == 0).all()


def test_units_are_merged_two_by_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals_module, "UNITS", 4)
    n = CHUNK * 11 + 5
    corpus = cupel.Corpus.of(texts(n, 1, 3), texts(n, 2, 3))
    metrics = {"bleu": get_metric("bleu")}
    totals = Totals("units")
    for block in blocks_of(corpus, CHUNK * 2):
        totals.add(block_statistics(metrics, block))
    statistics = cupel.score(corpus, metrics=["bleu"]).statistics["bleu"]
    assert totals.unit == 4 * CHUNK
    expected = [
        statistics[:, start : start + 4 * CHUNK].sum(axis=1) for start in range(0, n, 4 * CHUNK)
    ]
    assert (totals.units("bleu") == np.stack(expected, axis=1)).all()


def test_remarks_and_order() -> None:
    block = Block(0, {"x": ["", "a .", "b"], "y": [" ", "a", "b ."]}, [["a"], ["b", ""], ["c"]])
    found = block_statistics({}, block)
    assert found.outline == Outline(
        segments=Counter(x=3, y=3),
        references=Counter({1: 2, 2: 1}),
        empty=Counter(x=1, y=1, references=1),
        tokenised=Counter(x=1, y=1),
        characters=3,
    )
    with pytest.raises(CupelError, match="segment 6 was added where that of segment 1"):
        Totals("units").add(block_statistics({}, Block(5, {"x": ["a"]}, [["b"]])))
    assert block_size(1) == 8192
    assert block_size(3) == 2 * CHUNK
    assert block_size(50) == CHUNK
    assert block_size(1, 4e6) == CHUNK
    assert block_size(1, 2e7) == 6 * CHUNK
    assert block_size(2, 1e9) == 4 * CHUNK
