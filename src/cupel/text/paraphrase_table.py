"""Compile a paraphrase table of METEOR (`paraphrase-xx.gz`) into flat arrays.

The file is gzipped UTF-8 text, three lines a record: a weight, a phrase, and a paraphrase of it
(tokens in lower case, separated by blanks). It is read piece by piece; the arrays are those of
`PhraseTable`, in which a phrase is a node of a trie.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from cupel.console import Progress
from cupel.errors import CupelError
from cupel.mapped_file import Arrays

if TYPE_CHECKING:
    from cupel.kernels.tables import Growing

PIECE = 1 << 22
Number = TypeVar("Number", bound=np.generic)


def compile_table(path: Path, progress: Progress | None = None) -> Arrays:
    """The arrays of a table: words, trie, and the paraphrases of each phrase in the file's order.

    words        the words as bytes, a line each, in the order of their numbers
    nodes        the trie: the columns of `cupel.kernels.phrases.Trie`
    paraphrases  node of each entry
    weights      weight of each entry, as the file has it
    """
    from cupel.kernels.tables import END, NOT_A_NUMBER, read_records

    table = _empty(path.stat().st_size)
    rest = b""
    for piece in _ahead(_pieces(path, progress)):
        text = np.frombuffer(rest + piece, np.uint8)
        at = 0
        while True:
            read, state = read_records(text[at:], table)
            at += read
            if state == END:
                break
            if state >= NOT_A_NUMBER:
                raise _malformed(path, int(table.used[3]), text[at:], state == NOT_A_NUMBER)
            table = _grown(table, state)
        rest = text[at:].tobytes()
    if rest.strip():
        lines = rest.count(b"\n") + (not rest.endswith(b"\n"))
        raise CupelError(
            f"{path} is truncated: its last record, at line {3 * int(table.used[3]) + 1}, has "
            f"{lines} of the 3 lines (weight, phrase, paraphrase)."
        )
    if table.used[3] == 0:
        raise CupelError(f"{path} is empty: a paraphrase table was expected.")
    return _flat(table)


def _ahead(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same, each unpacked by another thread while the one before it is read."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(next, pieces, None)
        while (piece := waiting.result()) is not None:
            waiting = thread.submit(next, pieces, None)
            yield piece


def _pieces(path: Path, progress: Progress | None) -> Iterator[bytes]:
    total = path.stat().st_size
    last = b"\n"
    try:
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as file:
            while piece := file.read(PIECE):
                last = piece[-1:]
                yield piece
                if progress:
                    progress(raw.tell(), total)
    except EOFError as error:
        raise CupelError(f"{path} is truncated: the gzip stream has no end.") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise CupelError(
            f"{path} is not a gzip file, or a damaged one ({error}); a METEOR paraphrase table, "
            "paraphrase-xx.gz, was expected."
        ) from error
    if last != b"\n":
        yield b"\n"


def _malformed(path: Path, records: int, text: npt.NDArray[np.uint8], number: bool) -> CupelError:
    lines = text[: 1 << 12].tobytes().decode("utf-8", "replace").split("\n")
    expected = "a weight" if number else "a phrase and its paraphrase"
    line = 3 * records + (1 if number else 2)
    shown = lines[0][:40] if number else " / ".join(lines[1:3])[:80]
    return CupelError(
        f"{path}, line {line}, is not in the format of a METEOR paraphrase table: "
        f"{expected} was expected, {shown!r} found."
    )


def _empty(size: int) -> Growing:
    """An empty table, with about the room that a file of this size needs: METEOR's never grows."""
    from cupel.kernels.tables import Growing

    room = 1 << 16
    nodes, entries = max(room, 1 << (size // 16).bit_length()), max(room, size // 10)
    return Growing(
        used=np.array([0, 0, 1, 0], np.int64),  # the root is there already
        word_slots=np.full(2 * room, -1, np.int32),
        word_ends=np.zeros(room + 1, np.int64),
        word_nodes=np.full(room + 1, -1, np.int32),
        word_bytes=np.zeros(8 * room, np.uint8),
        node_slots=np.zeros((2 * nodes, 2), np.int64),
        node_parent=np.zeros(nodes, np.int32),
        node_word=np.full(nodes, -1, np.int32),
        phrase=np.zeros(entries, np.int32),
        paraphrase=np.zeros(entries, np.int32),
        weight=np.zeros(entries, np.float32),
    )


def _grown(table: Growing, state: int) -> Growing:
    """The table with twice the room of what is full."""
    from cupel.kernels.tables import NODES_FULL, WORDS_FULL, rehash

    if state == WORDS_FULL:
        table = table._replace(
            word_slots=np.full(2 * len(table.word_slots), -1, np.int32),
            word_ends=_doubled(table.word_ends),
            word_nodes=np.concatenate([table.word_nodes, np.full_like(table.word_nodes, -1)]),
            word_bytes=_doubled(table.word_bytes),
        )
    elif state == NODES_FULL:
        slots = 2 * len(table.node_slots)
        table = table._replace(node_slots=np.zeros((0, 2), np.int64))  # so that there is room
        table = table._replace(
            node_slots=np.zeros((slots, 2), np.int64),
            node_parent=_doubled(table.node_parent),
            node_word=_doubled(table.node_word),
        )
    else:
        table = table._replace(
            phrase=_doubled(table.phrase),
            paraphrase=_doubled(table.paraphrase),
            weight=_doubled(table.weight),
        )
    rehash(table, state)
    return table


def _doubled(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    return np.concatenate([values, np.zeros_like(values)])


def _flat(table: Growing) -> Arrays:
    from cupel.kernels.tables import flatten

    nodes, paraphrases, weights = flatten(table)
    words, word_bytes, *_ = table.used.tolist()
    ends = table.word_ends[: words + 1].tolist()
    text = table.word_bytes[:word_bytes].tobytes()
    listed = b"\n".join(text[a:b] for a, b in pairwise(ends))
    return {
        "words": np.frombuffer(listed, np.uint8),
        "nodes": nodes,
        "paraphrases": paraphrases,
        "weights": weights,
    }
