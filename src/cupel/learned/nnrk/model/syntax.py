"""`syntax25`: the vector of a sentence's parse by the recursive network that comes with Cupel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec

import numpy as np

from cupel.batch import FloatArray
from cupel.errors import MissingPart
from cupel.learned.nnrk.model.recursive import SIZE, Forest, Recursive
from cupel.neural.arrays import load_arrays, save_arrays
from cupel.neural.weights import embedded
from cupel.syntax.parser import Parser, TreeSource
from cupel.syntax.trees import Trees
from cupel.text.vectors import Vectors, open_vectors

KIND = "syntax25"


@dataclass(frozen=True)
class Syntax:
    """The analyser sentences -> (s, 25): h of the root of each sentence's parse."""

    parser: TreeSource = field(default_factory=Parser)

    def __post_init__(self) -> None:
        if find_spec("spacy") is None and isinstance(self.parser, Parser):
            raise MissingPart("The feature 'syntax25' needs spacy: pip install 'cupel[syntax]'.")

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
    arrays, card = load_arrays(embedded("syntax25"), KIND)
    whole = {name: array.astype(np.float32) for name, array in arrays.items()}
    network = Recursive(whole, tuple(card["tags"]), tuple(card["relations"]))
    return network, str(card["sha256"])[:12]
