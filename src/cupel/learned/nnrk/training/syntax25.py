"""Training of the recursive network of `syntax25` on a parser's objective.

The gold tree of a sentence must score above corrupted ones by a margin:
cost = max(0, margin + s(rival) - s(gold)). Needs PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from cupel.arrays import IntArray
from cupel.learned.nnrk.model.syntax25 import SIZE, Array, Forest, Recursive
from cupel.neural.training import Epoch, Report


def corrupted(forest: Forest, rng: np.random.Generator) -> Forest:
    """Each tree corrupted in one way: words exchanged, a word attached elsewhere, or relations drawn.

    The tree's words and their number stay what they were.
    """
    heads, relations = forest.heads.copy(), forest.relations.copy()
    tags, words = forest.tags.copy(), forest.words.copy()
    for row in range(len(forest)):
        low, high = int(forest.offsets[row]), int(forest.offsets[row + 1])
        n = high - low
        if n < 3:
            continue
        ways = rng.integers(0, 3)
        count = int(rng.integers(1, max(2, n // 4) + 1))
        if ways == 0:
            picked = low + rng.choice(n, min(n, count + 1), replace=False)
            turned = np.roll(picked, 1)
            tags[picked], words[picked] = forest.tags[turned], forest.words[turned]
        elif ways == 1:
            for word in (low + rng.choice(n, count)).tolist():
                to = low + int(rng.integers(0, n))
                if heads[word] >= 0 and not _is_above(heads, word, to):
                    heads[word] = to
                    relations[word] = 2 * (relations[word] // 2) + int(word > to)
        else:
            picked = low + rng.choice(n, count, replace=False)
            relations[picked] = forest.relations[low + rng.integers(0, n, count)]
    return Forest(heads, relations, tags, words, forest.offsets)


def _is_above(heads: IntArray, word: int, other: int) -> bool:
    """Whether `word` is `other` or dominates it."""
    while other >= 0:
        if other == word:
            return True
        other = int(heads[other])
    return False


def train(
    gold: Forest,
    rivals: Sequence[Forest],
    vectors: Array,
    tags: Sequence[str],
    relations: Sequence[str],
    *,
    epochs: int = 6,
    batch: int = 64,
    rate: float = 0.002,
    margin: float = 1.0,
    decay: float = 1e-5,
    seed: int = 12345,
    report: Report | None = None,
) -> Recursive:
    """Learn to score gold trees above their rivals: cost max(0, margin + s(rival) - s(gold)).

    rivals: forests of as many trees each, the corrupted counterparts of the gold ones; beside
    them every gold tree is corrupted again in every epoch (`corrupted`).
    """
    rng = np.random.default_rng(seed)
    generator = torch.Generator().manual_seed(seed)

    def start(*shape: int, scale: float) -> Tensor:
        return (torch.randn(shape, generator=generator) * scale).requires_grad_()

    p = {
        "tag": start(len(tags), SIZE, scale=0.3),
        "word": start(vectors.shape[1], SIZE, scale=0.05),
        "bias": start(SIZE, scale=0.0),
        "relation": start(2 * len(relations), SIZE, SIZE, scale=0.1),
        "score": start(SIZE, scale=0.3),
    }
    optimiser = torch.optim.Adam(p.values(), rate, weight_decay=decay)
    table = torch.as_tensor(np.asarray(vectors, np.float32))
    for epoch in range(epochs):
        total, steps = 0.0, 0
        for rows in _batches(len(gold), batch, rng):
            ours = gold.take(rows)
            theirs = [rival.take(rows) for rival in rivals] + [corrupted(ours, rng)]
            score = torch_scores(p, ours, table)
            costs = [
                (margin + torch_scores(p, other, table) - score).clamp_min(0).mean()
                for other in theirs
            ]
            cost = torch.stack(costs).mean()
            optimiser.zero_grad()
            cost.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            total, steps = total + float(cost.detach()), steps + 1
        if report:
            report(Epoch(epoch + 1, total / max(steps, 1)))
    arrays = {name: tensor.detach().numpy() for name, tensor in p.items()}
    return Recursive(arrays, tuple(tags), tuple(relations))


def _batches(count: int, size: int, rng: np.random.Generator) -> Iterator[IntArray]:
    order = rng.permutation(count)
    for start in range(0, count, size):
        yield order[start : start + size]


def torch_scores(p: Mapping[str, Tensor], forest: Forest, table: Tensor) -> Tensor:
    """(n,) scores that gradients pass through; `Recursive.scores` is the same without."""
    words = torch.as_tensor(np.maximum(forest.words, 0))
    inside = torch.as_tensor((forest.words >= 0).astype(np.float32))[:, None]
    leaf = p["tag"][torch.as_tensor(forest.tags)] + inside * (table[words] @ p["word"]) + p["bias"]
    incoming = torch.zeros_like(leaf)
    tree = torch.as_tensor(np.repeat(np.arange(len(forest)), np.diff(forest.offsets)))
    lengths = torch.as_tensor(np.maximum(np.diff(forest.offsets), 1))
    scores = torch.zeros(len(forest))
    for level in reversed(forest.levels()):
        at = torch.as_tensor(level)
        h = torch.tanh(leaf[at] + incoming[at])
        each = h @ p["score"]
        weight = 1.0 / lengths[tree[at]] + torch.as_tensor((forest.heads[level] < 0) * 1.0)
        scores = scores.index_add(0, tree[at], (each * weight).float())
        below = forest.heads[level] >= 0
        if below.any():
            kinds = torch.as_tensor(forest.relations[level[below]])
            sent = torch.bmm(h[torch.as_tensor(below)][:, None], p["relation"][kinds])[:, 0]
            to = torch.as_tensor(forest.heads[level[below]])
            incoming = incoming.index_add(0, to, sent)
    return scores
