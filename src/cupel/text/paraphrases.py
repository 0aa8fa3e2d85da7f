"""Paraphrase tables: compiled once into an index in the cache, and opened from there.

METEOR's English table comes with the package pycocoevalcap (`pip install 'cupel[meteor]'`); any
other `paraphrase-xx.gz` is given by its path. The index is a file of arrays mapped into memory,
named after the checksum of the table, so that a changed table is compiled again and the same one
never twice. Opening it takes about a fifth of a second, most of it for checksums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cupel.arrays import Int32Array
from cupel.cache import mapped_arrays
from cupel.checksums import sha256_of
from cupel.console import progress_bar, warn
from cupel.errors import CupelError, MissingPart
from cupel.folders import cache_folder
from cupel.mapped_file import Writer
from cupel.text.paraphrase_table import compile_table

if TYPE_CHECKING:
    from cupel.kernels.phrases import Trie

VERSION = 2
"""Of the compiled form."""
LARGE = 10_000_000
"""Bytes of a table that takes more than a second to compile."""


@dataclass(frozen=True, eq=False)
class Paraphrases:
    """A compiled table. A phrase is a node of `trie`.

    checksum     SHA-256 of the file it was compiled from
    trie         its nodes say where the entries of each phrase lie
    paraphrases  the phrase of each entry, in the order of the file
    weights      the weight of each entry, as the file has it
    """

    checksum: str
    trie: Trie
    paraphrases: Int32Array
    weights: npt.NDArray[np.float32]
    words: Sequence[str]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.words, range(len(self.words)), strict=True))

    def numbers(self, words: Sequence[str]) -> Int32Array:
        """The number that the trie has for each word, -1 for words that it does not know."""
        find = self._numbers.get
        return np.fromiter((find(word, -1) for word in words), np.int32, len(words))

    def of(self, phrase: str) -> list[tuple[str, float]]:
        """The paraphrases of a phrase with their weights: for people and slow paths."""
        from cupel.kernels.phrases import ENTRIES

        node = self._node(phrase.split())
        if node is None:
            return []
        entries = range(*self.trie.nodes[node : node + 2, ENTRIES].tolist())
        return [(self._text(int(self.paraphrases[e])), float(self.weights[e])) for e in entries]

    def _node(self, words: Sequence[str]) -> int | None:
        from cupel.kernels.phrases import CHILDREN, WORD

        node = 0
        for word in self.numbers(words).tolist():
            start, end = self.trie.nodes[node : node + 2, CHILDREN].tolist()
            place = start + int(np.searchsorted(self.trie.nodes[start:end, WORD], word))
            if place == end or self.trie.nodes[place, WORD] != word:
                return None
            node = place
        return node

    def _text(self, node: int) -> str:
        from cupel.kernels.phrases import CHILDREN, WORD

        words: list[str] = []
        while node:
            words.append(self.words[int(self.trie.nodes[node, WORD])])
            node = int(np.searchsorted(self.trie.nodes[:, CHILDREN], node, side="right")) - 1
        return " ".join(reversed(words))


def find_table(language: str = "en", path: str | None = None) -> Path:
    """The file of a table: the one asked for, or METEOR's own inside pycocoevalcap."""
    if path is not None:
        table = Path(path).expanduser()
        if not table.is_file():
            raise CupelError(f"There is no paraphrase table {path}.")
        return table
    name = f"paraphrase-{'cz' if language == 'cs' else language}.gz"  # METEOR writes cz for Czech
    spec = find_spec("pycocoevalcap.meteor") if find_spec("pycocoevalcap") else None
    for place in spec.submodule_search_locations or () if spec else ():
        if (Path(place) / "data" / name).is_file():
            return Path(place) / "data" / name
    raise MissingPart(missing_table(language, name))


def missing_table(language: str, name: str) -> str:
    """The sentence that says how to get a table, or to do without."""
    if language == "en":
        return (
            f"METEOR needs its paraphrase table {name}: pip install 'cupel[meteor]', or give the "
            "file with paraphrases=PATH, or leave that matcher out with "
            "modules=exact,stem,synonym."
        )
    stem = "" if language == "cs" else ",stem"
    return (
        f"METEOR needs the paraphrase table {name} for this language, which no package carries: "
        f"give the file with paraphrases=PATH, or leave that matcher out with modules=exact{stem}."
    )


def table_missing() -> str | None:
    """The sentence about METEOR's own English table, where it is not there."""
    try:
        find_table()
    except MissingPart as missing:
        return str(missing)
    return None


def open_paraphrases(table: Path) -> Paraphrases:
    """The compiled table of a file; compiled now if the cache does not have it."""
    return _opened(table, cache_folder(), sha256_of(table))


@cache
def _opened(table: Path, folder: Path, source: str) -> Paraphrases:
    from cupel.kernels.phrases import CHILDREN, WORD, Trie

    def make(writer: Writer) -> None:
        if table.stat().st_size > LARGE:
            warn(f"Compiling {table.name} for its first use, which takes some seconds.")
        with progress_bar(f"compiling {table.name}") as progress:
            compiled = compile_table(table, progress)
        for name, array in compiled.items():
            writer.add(name, [array])

    arrays = mapped_arrays("paraphrases", f"{source[:16]}.index", VERSION, source, make)
    words = arrays["words"].tobytes().decode("utf-8").split("\n")
    nodes = arrays["nodes"]
    first = np.full(len(words), -1, np.int32)
    level = np.arange(nodes[0, CHILDREN], nodes[1, CHILDREN])
    first[nodes[level, WORD]] = level
    return Paraphrases(source, Trie(nodes, first), arrays["paraphrases"], arrays["weights"], words)
