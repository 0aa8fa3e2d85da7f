"""A recursive network over dependency trees, its composition untied by relation: SYNTAX25.

After the compositional vector grammar of Socher et al. (2013), whose byproduct the NNRK paper
takes as the syntactic vector of a sentence. Bottom-up, every word w with children c:

    h(w) = tanh(leaf(w) + sum over c of W[relation and side of c] h(c))
    leaf(w) = A [tag of w] + V [word vector of w] + b

A tree's score is u . h(root) plus the mean of u . h(w) over its words. It is trained on a parser's
objective: the gold tree must score above corrupted ones by a margin. The sentence vector is
h(root), 25 numbers in [-1, 1]. Trees come as flat arrays; words are taken level by level, the
deepest first. Training needs PyTorch, the vectors NumPy alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray

if TYPE_CHECKING:
    import torch

SIZE = 25
OTHER = "<other>"
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Forest:
    """Trees as flat arrays over all their words.

    heads      flat position of the head, -1 for a root
    relations  number of relation and side: 2 * relation + (1 where the word is right of its head)
    tags       number of the tag
    words      row of the word's vector, -1 for an unknown word
    offsets    (n+1,) where each tree begins
    """

    heads: IntArray
    relations: IntArray
    tags: IntArray
    words: IntArray
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: Sequence[int] | IntArray) -> Forest:
        """The trees of these rows, in this order."""
        rows = np.asarray(rows, np.int64)
        starts, lengths = self.offsets[rows], np.diff(self.offsets)[rows]
        offsets = np.append(0, np.cumsum(lengths))
        shift = np.repeat(offsets[:-1] - starts, lengths)
        flat = np.arange(offsets[-1]) - shift
        heads = self.heads[flat]
        return Forest(
            np.where(heads < 0, -1, heads + shift),
            self.relations[flat],
            self.tags[flat],
            self.words[flat],
            offsets,
        )

    def levels(self) -> list[IntArray]:
        """Flat positions by depth, the roots first."""
        found = [np.flatnonzero(self.heads < 0)]
        order = np.argsort(self.heads, kind="stable")
        sorted_heads = self.heads[order]
        while len(found[-1]):
            low = np.searchsorted(sorted_heads, found[-1])
            high = np.searchsorted(sorted_heads, found[-1], side="right")
            counts = high - low
            starts = np.repeat(low - np.append(0, np.cumsum(counts)[:-1]), counts)
            found.append(order[starts + np.arange(counts.sum())])
        return found[:-1]


@dataclass(frozen=True)
class Recursive:
    """A trained network: tensors as arrays, and the names its numbers stand for.

    tag (tags, d), word (v, d), bias (d,), relation (2 * relations, d, d), score (d,)
    """

    arrays: Mapping[str, Array]
    tags: tuple[str, ...]
    relations: tuple[str, ...]

    def number_tags(self, types: Sequence[str]) -> IntArray:
        """Each tag's number; one that was not seen in training is `OTHER`, 0."""
        return _numbers(self.tags, types)

    def number_relations(self, types: Sequence[str]) -> IntArray:
        """Each relation's number; one that was not seen in training is `OTHER`, 0."""
        return _numbers(self.relations, types)

    def states(self, forest: Forest, vectors: Array) -> Array:
        """(words, d): h of every word. vectors: (rows, v) word vectors."""
        a = self.arrays
        known = forest.words >= 0
        h = a["tag"][forest.tags] + a["bias"]
        h[known] += (vectors @ a["word"])[forest.words[known]]
        for level in reversed(forest.levels()):
            h[level] = np.tanh(h[level])
            below = level[forest.heads[level] >= 0]
            below = below[np.argsort(forest.relations[below], kind="stable")]
            kinds, counts = np.unique(forest.relations[below], return_counts=True)
            ends = np.cumsum(counts)
            for kind, low, high in zip(kinds, ends - counts, ends, strict=True):
                words = below[low:high]
                np.add.at(h, forest.heads[words], h[words] @ a["relation"][kind])
        return h

    def roots(self, forest: Forest, vectors: Array) -> Array:
        """(n, d): h of each tree's root; zero for a tree without words."""
        h = self.states(forest, vectors)
        out = np.zeros((len(forest), h.shape[1]))
        roots = np.flatnonzero(forest.heads < 0)
        tree = np.searchsorted(forest.offsets, roots, side="right") - 1
        out[tree[::-1]] = h[roots[::-1]]  # the first of several roots stays
        return out

    def scores(self, forest: Forest, vectors: Array) -> Array:
        """(n,): u . h(root) plus the mean of u . h(w)."""
        each = self.states(forest, vectors) @ self.arrays["score"]
        sums = np.append(0, np.cumsum(each))[forest.offsets]
        means = np.diff(sums) / np.maximum(np.diff(forest.offsets), 1)
        total: Array = means + self.roots(forest, vectors) @ self.arrays["score"]
        return total


def _numbers(known: Sequence[str], types: Sequence[str]) -> IntArray:
    places = {name: number for number, name in enumerate(known)}
    return np.array([places.get(name, 0) for name in types], np.int64)


def corrupted(forest: Forest, rng: np.random.Generator) -> Forest:
    """Each tree spoilt in one way: words exchanged, a word attached elsewhere, or relations drawn.

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


Report = Callable[[int, float], None]


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
    them every gold tree is corrupted anew in every epoch (`corrupted`).
    """
    import torch

    rng = np.random.default_rng(seed)
    generator = torch.Generator().manual_seed(seed)

    def start(*shape: int, scale: float) -> torch.Tensor:
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
            report(epoch + 1, total / max(steps, 1))
    arrays = {name: tensor.detach().numpy() for name, tensor in p.items()}
    return Recursive(arrays, tuple(tags), tuple(relations))


def _batches(count: int, size: int, rng: np.random.Generator) -> Iterator[IntArray]:
    order = rng.permutation(count)
    for start in range(0, count, size):
        yield order[start : start + size]


def torch_scores(
    p: Mapping[str, torch.Tensor], forest: Forest, table: torch.Tensor
) -> torch.Tensor:
    """(n,) scores that gradients pass through; `Recursive.scores` is the same without."""
    import torch

    words = torch.as_tensor(np.maximum(forest.words, 0))
    known = torch.as_tensor((forest.words >= 0).astype(np.float32))[:, None]
    leaf = p["tag"][torch.as_tensor(forest.tags)] + known * (table[words] @ p["word"]) + p["bias"]
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
        inside = forest.heads[level] >= 0
        if inside.any():
            kinds = torch.as_tensor(forest.relations[level[inside]])
            sent = torch.bmm(h[torch.as_tensor(inside)][:, None], p["relation"][kinds])[:, 0]
            to = torch.as_tensor(forest.heads[level[inside]])
            incoming = incoming.index_add(0, to, sent)
    return scores
