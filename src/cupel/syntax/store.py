"""Parses on disk: trees by the hash of their sentence, in files that are never changed.

A folder holds the parses of one parser (its name is a hash of all that identifies the parser).
Each run that parses something new writes one more file, at once or not at all, named by what it
holds; when there are many they are joined into one. Two processes can do all of this at the same
time: a file that vanishes under a reader was joined into another, and at worst a sentence is
parsed twice. A damaged file is removed, with a line on standard error, and what it held is parsed
again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray
from cupel.cache import saving
from cupel.console import Progress, warn
from cupel.folders import cache_folder
from cupel.mapped_file import Arrays, UnusableFile, open_arrays, write_arrays
from cupel.syntax.trees import Trees
from cupel.text.tokens import Tokens, offsets_of

FORMAT = 2
MOST_FILES = 8
_KIND = "parses"
_NAMES = "[0-9a-f]*.parses"
"""Not the hidden files that others are still writing, which `glob` would find too."""
_AT_ONCE = 4096
"""Sentences parsed between two writes: what Ctrl-C can lose."""
Keys = npt.NDArray[np.uint64]


def keys_of(sentences: Sequence[str]) -> Keys:
    """(n, 2) the 128-bit hash of each sentence."""
    digests = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        for text in sentences
    )
    return np.frombuffer(digests, "<u8").astype(np.uint64).reshape(-1, 2)


class ParseStore:
    """The parses of one parser, which `parser` identifies to the last bit of its weights."""

    def __init__(self, parser: str) -> None:
        self.parser = parser
        name = blake2b(f"{FORMAT}|{parser}".encode(), digest_size=12).hexdigest()
        self.folder = cache_folder() / "parses" / name

    def complete(
        self,
        sentences: Sequence[str],
        parse: Callable[[Sequence[str], Progress | None], Trees],
        progress: Progress | None = None,
    ) -> Trees:
        """The tree of each of these distinct sentences; those not there are parsed and kept."""
        keys = keys_of(sentences)
        kept, rows = self.find(keys)
        parts, count = [kept], len(kept)
        missing = np.flatnonzero(rows < 0)
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            of_all = _shifted(progress, start, len(missing))
            trees = parse([sentences[row] for row in some.tolist()], of_all)
            self.add(keys[some], trees)
            parts.append(trees)
            rows[some] = count + np.arange(len(some))
            count += len(some)
        return Trees.joined(parts).take(rows)

    def find(self, keys: Keys) -> tuple[Trees, IntArray]:
        """The trees that are there, and for each key its row among them, or -1."""
        parts: list[Trees] = []
        rows = np.full(len(keys), -1, np.int64)
        count = 0
        for file in self._files():
            open_rows = np.flatnonzero(rows < 0)
            in_file = file.rows(keys[open_rows])
            hits = in_file >= 0
            if hits.any():
                rows[open_rows[hits]] = count + np.arange(hits.sum())
                parts.append(file.trees.take(in_file[hits]))
                count += len(parts[-1])
        return Trees.joined(parts), rows

    def add(self, keys: Keys, trees: Trees) -> None:
        """Keep these; where that is not possible, warn once and carry on without."""
        if len(keys):
            with saving(self.folder):
                self._write(keys, trees)
                self._join_files()

    def _write(self, keys: Keys, trees: Trees) -> Path:
        order = np.lexsort((keys[:, 1], keys[:, 0]))
        keys, trees = keys[order], trees.take(order)
        arrays = _packed(keys, trees)
        # By all of its content: should another process write a file of this name while a third
        # one reads it, every byte stays as it was.
        name = blake2b(digest_size=12)
        for array in arrays.values():
            name.update(array.tobytes())
        path = self.folder / f"{name.hexdigest()}.parses"
        write_arrays(path, _KIND, FORMAT, self.parser, arrays)
        return path

    def _join_files(self) -> None:
        files = self._files()
        if len(files) <= MOST_FILES:
            return
        keys = np.concatenate([file.keys for file in files])
        _, first = np.unique(keys, axis=0, return_index=True)
        joined = self._write(keys[first], Trees.joined([file.trees for file in files]).take(first))
        for file in files:
            if file.path != joined:
                _OPENED.pop(file.path, None)
                with contextlib.suppress(OSError):
                    file.path.unlink()

    def _files(self) -> list[_File]:
        files = []
        with contextlib.suppress(OSError):
            for path in sorted(self.folder.glob(_NAMES)):
                file = _opened(path, self.parser)
                if file is not None:
                    files.append(file)
        return files


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of a part that comes after `before` of `total` items."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, total)


@dataclass(frozen=True, eq=False)
class _File:
    """One file of parses, its keys in ascending order."""

    path: Path
    arrays: Arrays

    @cached_property
    def keys(self) -> Keys:
        return np.stack([self.arrays["high"], self.arrays["low"]], axis=1)

    def rows(self, keys: Keys) -> IntArray:
        """For each key its row in this file, or -1. (Should two keys share 64 bits: one of them.)"""
        high, low = self.arrays["high"], self.arrays["low"]
        rows = np.minimum(np.searchsorted(high, keys[:, 0]), len(high) - 1)
        same = (high[rows] == keys[:, 0]) & (low[rows] == keys[:, 1])
        return np.where(same, rows, -1)

    @cached_property
    def trees(self) -> Trees:
        arrays = self.arrays
        lengths = arrays["lengths"]
        return Trees(
            Tokens(_wide(arrays["words"]), offsets_of(lengths, len(lengths)), self._types("word")),
            _wide(arrays["heads"]),
            _wide(arrays["relations"]),
            _wide(arrays["tags"]),
            self._types("relation"),
            self._types("tag"),
        )

    def _types(self, what: str) -> list[str]:
        text = self.arrays[f"{what}_types"].tobytes().decode("utf-8", "surrogatepass")
        return text.split("\n") if text else []


_OPENED: dict[Path, tuple[tuple[int, int, int], _File]] = {}
"""Files that this process has opened and checked, and which they were."""


def _opened(path: Path, parser: str) -> _File | None:
    try:
        status = path.stat()
        which = (status.st_ino, status.st_mtime_ns, status.st_size)
        if path not in _OPENED or _OPENED[path][0] != which:
            _OPENED[path] = which, _File(path, open_arrays(path, _KIND, FORMAT, parser))
        return _OPENED[path][1]
    except FileNotFoundError:
        return None
    except (UnusableFile, OSError) as error:
        reason = error if isinstance(error, UnusableFile) else "not readable"
        warn(f"{path} is {reason}; what it held is parsed again.")
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def _packed(keys: Keys, trees: Trees) -> Arrays:
    return {
        "high": np.ascontiguousarray(keys[:, 0]),
        "low": np.ascontiguousarray(keys[:, 1]),
        "lengths": _narrow(trees.lengths),
        "words": _narrow(trees.words.ids),
        "heads": _narrow(trees.heads),
        "relations": _narrow(trees.relations),
        "tags": _narrow(trees.tags),
        "word_types": _text(trees.words.types),
        "relation_types": _text(trees.relation_types),
        "tag_types": _text(trees.tag_types),
    }


def _text(types: Sequence[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(types).encode("utf-8", "surrogatepass"), np.uint8)


def _narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values in the smallest signed type that holds them."""
    top = int(values.max(initial=0))
    return values.astype(np.int8 if top < 1 << 7 else np.int16 if top < 1 << 15 else np.int32)


def _wide(values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    return values.astype(np.int32)
