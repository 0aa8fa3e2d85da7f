"""Counting and numbering n-grams in compiled loops, held against loops over tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels.ngrams import (
    CLIPPED,
    CLIPPED_PRODUCT,
    PRODUCT,
    clipped_matches,
    information_matches,
)
from cupel.kernels.tries import ngram_weights
from cupel.text.ngrams import build, build_shared, table_counts
from cupel.text.tokens import Tokens, offsets_of

ORDERS = 5
Gram = tuple[int, ...]


def random_tokens(seed: int, words: int, longest: int, sentences: int = 40) -> Tokens:
    """Sentences of 0 to `longest` words, of which later ones repeat parts of earlier ones."""
    random = np.random.default_rng(seed)
    rows: list[Int32Array] = []
    for _ in range(sentences):
        row = random.integers(0, words, random.integers(0, longest + 1)).astype(np.int32)
        if rows and random.random() < 0.7:
            other = rows[random.integers(len(rows))]
            cut = random.integers(0, len(other) + 1)
            row = np.concatenate([other[cut:], row[: longest - len(other) + cut], other[:cut]])
        rows.append(row.astype(np.int32))
    rows[-1] = np.zeros(0, np.int32)
    return Tokens(
        np.concatenate(rows), offsets_of(map(len, rows), len(rows)), [str(n) for n in range(words)]
    )


def grams(tokens: Tokens, row: int, n: int) -> list[Gram]:
    ids = tokens.ids[tokens.offsets[row] : tokens.offsets[row + 1]].tolist()
    return [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]


def items(tokens: Tokens, seed: int) -> tuple[IntArray, IntArray, IntArray]:
    """Hypotheses, each with one to three references."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, 4, 60)
    rows = len(tokens)
    return (
        random.integers(0, rows, 60),
        random.integers(0, rows, int(counts.sum())),
        offsets_of(counts, len(counts)),
    )


def clipped(
    tokens: Tokens, row: int, references: Sequence[int], n: int
) -> dict[Gram, tuple[int, int]]:
    """How often the hypothesis has each n-gram, and the reference that has it most often."""
    counts = [Counter(grams(tokens, other, n)) for other in references]
    own = Counter(grams(tokens, row, n))
    return {gram: (count, max(other[gram] for other in counts)) for gram, count in own.items()}


@pytest.mark.parametrize(("words", "longest"), [(4, 12), (60, 40), (700, 400)])
def test_matches_are_those_of_a_loop(words: int, longest: int) -> None:
    tokens = random_tokens(words, words, longest)
    hypotheses, references, offsets = items(tokens, words)
    weight = {
        gram: 0.1 + (hash(gram) % 1000) / 7
        for n in range(1, ORDERS + 1)
        for row in range(len(tokens))
        for gram in grams(tokens, row, n)
    }
    weights = weights_of(tokens, weight)
    for summed in (CLIPPED, CLIPPED_PRODUCT, PRODUCT):
        counts, sums = clipped_matches(
            tokens.ids, tokens.offsets, hypotheses, references, offsets, ORDERS, weights, summed
        )
        for item, row in enumerate(hypotheses.tolist()):
            others = references[offsets[item] : offsets[item + 1]].tolist()
            for n in range(1, ORDERS + 1):
                pairs = clipped(tokens, row, others, n)
                assert counts[item, n - 1] == sum(min(pair) for pair in pairs.values())
                total = 0.0
                for gram, (own, other) in pairs.items():  # in order of first appearance
                    w = weight[gram]
                    if not other:
                        continue
                    terms = {
                        CLIPPED: min(own, other) * w,
                        CLIPPED_PRODUCT: min(own * w, other * w) * (other * w),
                        PRODUCT: own * w * (other * w),
                    }
                    total += terms[summed]
                assert sums[item, n - 1] == total


def weights_of(tokens: Tokens, weight: dict[Gram, float]) -> FloatArray:
    weights = np.zeros((len(tokens.ids), ORDERS))
    for row in range(len(tokens)):
        for n in range(1, ORDERS + 1):
            for place, gram in enumerate(grams(tokens, row, n)):
                weights[tokens.offsets[row] + place, n - 1] = weight[gram]
    return weights


@pytest.mark.parametrize(("words", "longest"), [(4, 12), (60, 40), (700, 400)])
def test_squared_lengths_are_those_of_a_loop(words: int, longest: int) -> None:
    tokens = random_tokens(words + 1, words, longest)
    table, numbers = build(tokens, ORDERS)
    values = [np.sqrt(np.arange(size) + n) for n, size in enumerate(table.sizes(), 1)]
    weight: dict[Gram, float] = {}
    for n in range(1, ORDERS + 1):
        for row in range(len(tokens)):
            for place, gram in enumerate(grams(tokens, row, n), int(tokens.offsets[row])):
                weight[gram] = float(values[n - 1][numbers[place, n - 1]])
    weights, squares = ngram_weights(
        tokens.ids, tokens.offsets, 7, table.words(tokens), table.levels, values, 1.0
    )
    assert len(weights) == tokens.offsets[7]
    for row in range(len(tokens)):
        for n in range(1, ORDERS + 1):
            counts = Counter(grams(tokens, row, n))
            total = 0.0
            for gram, count in counts.items():
                total += (count * weight[gram]) * (count * weight[gram])
            assert squares[row, n - 1] == total


@pytest.mark.parametrize(("words", "longest"), [(3, 9), (60, 40), (900, 200)])
def test_ngrams_are_numbered_as_they_appear(words: int, longest: int) -> None:
    tokens = random_tokens(words + 2, words, longest)
    table, numbers = build(tokens, ORDERS)
    assert numbers.shape == (len(tokens.ids), ORDERS)
    shorter: list[Gram] = []
    for n in range(2, ORDERS + 1):
        order: dict[Gram, int] = {}
        for row in range(len(tokens)):
            here = grams(tokens, row, n)
            for gram in here:
                order.setdefault(gram, len(order))
            start, end = tokens.offsets[row : row + 2].tolist()
            expected = [order[gram] for gram in here]
            assert numbers[start:end, n - 1].tolist() == expected + [-1] * (end - start - len(here))
        assert table.sizes()[n - 1] == len(order)
        assert table.lasts(n).tolist() == [gram[-1] for gram in order]
        counts = Counter(gram for row in range(len(tokens)) for gram in grams(tokens, row, n))
        assert table_counts(numbers[:, n - 1], len(order)).tolist() == [counts[g] for g in order]
        if n > 2:
            before = {gram: number for number, gram in enumerate(shorter)}
            assert table.prefixes(n).tolist() == [before[gram[:-1]] for gram in order]
        shorter = list(order)


def test_ngrams_of_other_texts_are_here() -> None:
    tokens, others = random_tokens(5, 30, 25), random_tokens(6, 40, 25)
    table, _ = build(tokens, ORDERS)
    number: list[dict[Gram, int]] = []
    for n in range(1, ORDERS + 1):
        order: dict[Gram, int] = {(word,): word for word in range(30)} if n == 1 else {}
        for row in range(len(tokens)):
            for gram in grams(tokens, row, n):
                order.setdefault(gram, len(order))
        number.append(order)
    values = [np.sqrt(np.arange(len(order)) + n * 1000.0) for n, order in enumerate(number)]
    words = table.words(others)
    assert words.tolist() == [n if n < 30 else -1 for n in range(40)]
    weights, _ = ngram_weights(
        others.ids, others.offsets, len(others), words, table.levels, values, -1.0
    )
    hypotheses, references, offsets = items(others, 7)
    sums = information_matches(
        others.ids, others.offsets, hypotheses, references, offsets, words, table.levels, values
    )
    for row in range(len(others)):
        for n in range(1, ORDERS + 1):
            for place, gram in enumerate(grams(others, row, n)):
                known = number[n - 1].get(gram)
                expected = -1.0 if known is None else values[n - 1][known]
                assert weights[others.offsets[row] + place, n - 1] == expected
    for item, row in enumerate(hypotheses.tolist()):
        for n in range(1, ORDERS + 1):
            rows = references[offsets[item] : offsets[item + 1]].tolist()
            total = 0.0
            for gram, pair in clipped(others, row, rows, n).items():
                known = number[n - 1].get(gram)
                total += min(pair) * (0.0 if known is None else float(values[n - 1][known]))
            assert sums[item, n - 1] == total


@pytest.mark.parametrize(("words", "longest"), [(3, 9), (60, 40), (900, 200)])
def test_ngrams_of_several_segments_are_all_there(words: int, longest: int) -> None:
    tokens = random_tokens(words + 4, words, longest)
    segments = np.repeat(np.arange(len(tokens), dtype=np.int32) // 2, tokens.lengths)
    table, counts = build_shared(tokens, ORDERS, segments)
    weights, _ = ngram_weights(
        tokens.ids, tokens.offsets, len(tokens), table.words(tokens), table.levels, counts, 1.0
    )
    for n in range(1, ORDERS + 1):
        rows: dict[Gram, set[int]] = {}
        for row in range(len(tokens)):
            for gram in grams(tokens, row, n):
                rows.setdefault(gram, set()).add(row // 2)
        for row in range(len(tokens)):
            for place, gram in enumerate(grams(tokens, row, n), int(tokens.offsets[row])):
                assert weights[place, n - 1] == len(rows[gram])


def test_arrays_of_another_kind_are_refused() -> None:
    tokens = random_tokens(1, 5, 6)
    table, _ = build(tokens, 2)
    words = table.words(tokens)
    with pytest.raises(TypeError, match="float64"):
        ngram_weights(
            tokens.ids, tokens.offsets, 1, words, table.levels, [np.zeros(5, np.float32)] * 2, 0.0
        )
