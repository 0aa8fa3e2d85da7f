"""Files into blocks of segments: the same texts and errors as `read_corpus`, in flat memory.

A `Source` says where the texts are. It is small and can be sent to other processes, each of which
opens the files for itself and reads the blocks that are its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast

from cupel.blocks import Block
from cupel.corpus import counted_segments
from cupel.errors import CupelError
from cupel.reading.names import parse_name, system_names
from cupel.reading.segments import Segments
from cupel.reading.streams import Column, open_column, size_of, why_not_streamed
from cupel.reading.tables import Cell

OpenColumns = tuple[list[Column[Any]], dict[str, Column[Any]], Column[Any] | None]
"""References, system -> translations, and sources."""


class Source(Protocol):
    """Where texts are that are read block by block."""

    @property
    def systems(self) -> Mapping[str, Any]:
        """By their names."""
        ...

    @property
    def size(self) -> float:
        """Bytes of all files."""
        ...

    def open(self, stack: ExitStack) -> OpenColumns:
        """All columns, before their first segment; the stack closes them."""
        ...


@dataclass(frozen=True)
class Inputs:
    """Where the texts are. Names as on the command line: FILE or FILE:COLUMN.

    systems     name -> file with its translations
    references  files, each with references for every segment; there may be none
    source      file, or None
    per_line    how many references, separated by tabs, a line of the only reference file holds
    """

    systems: Mapping[str, str]
    references: Sequence[str] = ()
    source: str | None = None
    per_line: int = 1
    encoding: str = "utf-8"

    @classmethod
    def of(
        cls,
        references: Sequence[str],
        hypotheses: Sequence[str],
        source: str | None = None,
        *,
        names: Sequence[str] | None = None,
        num_refs: int = 1,
        encoding: str = "utf-8",
    ) -> Inputs:
        """The arguments of `cupel.reading.read_corpus`; systems have the same names as there."""
        labels = system_names([(parse_name(h), Segments(h, ())) for h in hypotheses], names)
        systems = dict(zip(labels, hypotheses, strict=True))
        return cls(systems, tuple(references), source, num_refs, encoding)

    @property
    def files(self) -> list[str]:
        """All names, in the order of the command line."""
        sources = [] if self.source is None else [self.source]
        return [*self.references, *self.systems.values(), *sources]

    @property
    def size(self) -> float:
        """Bytes of all files."""
        return size_of(self.files)

    def open(self, stack: ExitStack) -> OpenColumns:
        """All columns, before their first segment; the stack closes their files."""
        references = [
            open_column(stack, name, "reference", self.encoding, self.per_line)
            for name in self.references
        ]
        systems = {
            system: open_column(stack, name, "hypothesis", self.encoding)
            for system, name in self.systems.items()
        }
        if self.source is None:
            return references, systems, None
        return references, systems, open_column(stack, self.source, "source", self.encoding)

    def why_not_streamed(self) -> str | None:
        """What keeps them from being read block by block, as the end of a sentence; or None."""
        reasons = (why_not_streamed(name, self.encoding) for name in self.files)
        return next((reason for reason in reasons if reason), None)


class Reader:
    """Reads blocks, forward only unless the source can go back; a context manager that closes the files."""

    def __init__(self, inputs: Source) -> None:
        self._inputs = inputs
        self._stack = ExitStack()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    @cached_property
    def _opened(self) -> OpenColumns:
        """The columns, opened when the first block is read."""
        return self._inputs.open(self._stack)

    @property
    def _columns(self) -> list[Column[Any]]:
        references, systems, source = self._opened
        return [*references, *systems.values(), *([] if source is None else [source])]

    def read(self, first: int, n: int) -> Block | None:
        """The block of n segments from number `first`, shorter at the end; None behind the end."""
        for column in self._columns:
            if column.position != first:
                column.skip(first - column.position)
        reference_columns, system_columns, source_column = self._opened
        references = [column.take(n) for column in reference_columns]
        systems = {system: column.take(n) for system, column in system_columns.items()}
        sources = None if source_column is None else source_column.take(n)
        taken = [*references, *systems.values(), *([] if sources is None else [sources])]
        if len({len(cells) for cells in taken}) > 1 or not taken[0]:
            self._check_lengths()
        if not taken[0]:
            return None
        return Block(
            first,
            cast(Mapping[str, Sequence[str]], systems),
            self._merged(references, first) if references else [()] * len(taken[0]),
            cast(Sequence[str] | None, sources),
        )

    def count(self) -> int:
        """The number of segments, read to the end; an error where the files differ."""
        return self._check_lengths()

    def _merged(self, references: Sequence[Sequence[Cell]], first: int) -> list[tuple[str, ...]]:
        if len(references) == 1 and set(map(type, references[0])) == {str}:
            return [(cast(str, cell),) for cell in references[0]]
        merged = [
            tuple(text for cell in cells for text in ((cell,) if isinstance(cell, str) else cell))
            for cells in zip(*references, strict=True)
        ]
        if not all(merged):
            number = first + next(i for i, texts in enumerate(merged, start=1) if not texts)
            raise CupelError(
                f"Segment {number} of {self._opened[0][0].origin} has no reference; at least one "
                "is needed."
            )
        return merged

    def _check_lengths(self) -> int:
        """Read all files to their ends; an error where they have different numbers of segments."""
        for column in self._columns:
            column.skip()
            if not column.position:
                raise CupelError(_empty(column.origin))
        references, systems, source = self._opened
        leader, *others = [*references, *systems.values()]
        for column in others:
            if column.position != leader.position:
                _raise_different(leader, column)
        if source is not None and source.position != leader.position:
            _raise_different(*((source, leader) if references else (leader, source)))
        return leader.position


def blocks(inputs: Source, size: int, start: int = 0, stop: int | None = None) -> Iterator[Block]:
    """The blocks of `size` segments, one after the other, or those from `start` to `stop`."""
    with Reader(inputs) as reader:
        first = start
        while stop is None or first < stop:
            n = size if stop is None else min(size, stop - first)
            block = reader.read(first, n)
            if block is None:
                return
            yield block
            first += len(block)


def _raise_different(column: Column[Any], other: Column[Any]) -> None:
    raise CupelError(
        f"{column.origin} has {counted_segments(column.position)}, "
        f"but {other.origin} has {other.position}."
    )


def _empty(origin: str) -> str:
    name = parse_name(origin)
    if name.kind == "lines":
        return f"{origin} is empty; one segment per line was expected."
    if name.kind == "jsonl":
        return f"{name.file} is empty; one JSON object per line was expected."
    return f"{name.file} has no rows."
