"""`syntax25`: the vector of a sentence's parse by a recursive network, untied by relation.

After the compositional vector grammar of Socher et al. (2013), whose byproduct the NNRK paper
takes as the syntactic vector of a sentence. Bottom-up, every word w with children c:

    h(w) = tanh(leaf(w) + sum over c of W[relation and side of c] h(c))
    leaf(w) = A [tag of w] + V [word vector of w] + b

A tree's score is u . h(root) plus the mean of u . h(w) over its words; the sentence vector is
h(root), 25 numbers in [-1, 1]. Trees come as flat arrays; words are taken level by level, the
deepest first. `cupel.learned.nnrk.training.syntax25` trains the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.models import model_folder
from cupel.neural.packages import check_packages
from cupel.neural.weights import load_arrays, save_arrays
from cupel.syntax.parser import Parser, TreeSource
from cupel.syntax.trees import Trees
from cupel.text.vectors import Vectors, open_vectors

KIND = "syntax25"
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
        levels = [np.flatnonzero(self.heads < 0)]
        order = np.argsort(self.heads, kind="stable")
        sorted_heads = self.heads[order]
        while len(levels[-1]):
            low = np.searchsorted(sorted_heads, levels[-1])
            high = np.searchsorted(sorted_heads, levels[-1], side="right")
            counts = high - low
            starts = np.repeat(low - np.append(0, np.cumsum(counts)[:-1]), counts)
            levels.append(order[starts + np.arange(counts.sum())])
        return levels[:-1]


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
        inside = forest.words >= 0
        h = a["tag"][forest.tags] + a["bias"]
        h[inside] += (vectors @ a["word"])[forest.words[inside]]
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


def _numbers(names: Sequence[str], types: Sequence[str]) -> IntArray:
    places = {name: number for number, name in enumerate(names)}
    return np.array([places.get(name, 0) for name in types], np.int64)


@dataclass(frozen=True)
class Syntax:
    """The analyser sentences -> (s, 25): h of the root of each sentence's parse."""

    parser: TreeSource = field(default_factory=Parser)

    def __post_init__(self) -> None:
        if isinstance(self.parser, Parser):
            check_packages("The feature 'syntax25'", ("spacy",), "syntax")

    @property
    def dimension(self) -> int:
        return SIZE

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        network, _ = open_network()
        vectors = open_vectors()
        forest = forest_of(self.parser(sentences), network, vectors)
        return np.asarray(network.roots(forest, vectors.matrix), np.float64)

    def signature(self) -> str:
        return f"syntax25[{open_network()[1]}]|{self.parser.signature()}"


def forest_of(trees: Trees, network: Recursive, vectors: Vectors) -> Forest:
    """Trees in the numbers of a network; words are looked up in lower case."""
    rows = vectors.rows([word.lower() for word in trees.words.types])
    relations = network.number_relations(trees.relation_types)[trees.relations]
    heads = trees.flat_heads.astype(np.int64)
    right = (np.arange(len(heads)) > heads).astype(np.int64)
    return Forest(
        heads,
        2 * relations + right,
        network.number_tags(trees.tag_types)[trees.tags],
        rows[trees.words.ids],
        trees.offsets,
    )


def save_network(folder: str, network: Recursive, card: dict[str, object]) -> None:
    """Write a network, half precision, with its card."""
    arrays = {name: array.astype(np.float16) for name, array in network.arrays.items()}
    names = {"tags": list(network.tags), "relations": list(network.relations)}
    save_arrays(folder, KIND, arrays, {**card, **names})


@cache
def open_network() -> tuple[Recursive, str]:
    """The network that comes with Cupel, and the beginning of its weights' checksum."""
    arrays, card = load_arrays(model_folder("syntax25"), KIND)
    whole = {name: array.astype(np.float32) for name, array in arrays.items()}
    network = Recursive(whole, tuple(card["tags"]), tuple(card["relations"]))
    return network, str(card["sha256"])[:12]
