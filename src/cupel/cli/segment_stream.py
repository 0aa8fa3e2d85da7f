"""`cupel score -sl` for inputs that are read block by block: the same text, without holding it.

Rows come system by system, as always. TSV, Parquet and bare numbers are written while blocks come
in, the other systems from a temporary file behind them; the other formats begin with what is known
at the end only (signatures, widths of columns), and are written then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TextIO

from cupel.cli import output
from cupel.cli.score_tables import metric_of, places_of
from cupel.engines.segments import SegmentStore, rows_of
from cupel.questions.score import is_parquet
from cupel.records import question_metadata

if TYPE_CHECKING:
    from cupel.arrays import FloatArray
    from cupel.blocks import BlockStatistics
    from cupel.engines.sinks import ParquetSink
    from cupel.metric import Metric
    from cupel.questions.score import Printed
    from cupel.scores import Scores


class SegmentStream:
    """Takes blocks with `add`, and what is left to write with `finish`; a context manager."""

    def __init__(
        self,
        systems: Sequence[str],
        metrics: Mapping[str, Metric],
        question: Printed,
    ) -> None:
        self._systems, self._metrics = list(systems), metrics
        self._form, self._width, self._out = question.format, question.width, question.file
        self._parquet = is_parquet(self._out)
        bare = question.score_only and self._form == "text"
        self._at_once = self._parquet or bare or self._form == "tsv"
        self._stack = ExitStack()
        self._file: TextIO | None = None
        self._sink: ParquetSink | None = None
        self._columns: list[str] = []

    def __enter__(self) -> SegmentStream:
        first = 1 if self._at_once else 0
        kept = range(first, len(self._systems))
        folder = self._out.parent if self._out is not None else None
        self._store = self._stack.enter_context(SegmentStore(kept, folder))
        if not self._parquet:
            self._file = self._stack.enter_context(output.output(self._out))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def add(self, block: BlockStatistics) -> None:
        """The next block, with the scores of its segments."""
        if not self._columns:
            self._columns = list(block.scores)
            self._begin()
        self._store.add(block)
        if self._at_once:
            self._write(0, block.first, rows_of(block, 0))

    def finish(self, scores: Scores) -> None:
        """All blocks have come."""
        if self._at_once:
            for system in range(1, len(self._systems)):
                self._write_system(system)
        elif self._form == "json":
            self._write_json(scores.signatures)
        else:
            self._write_table(scores.signatures)

    def _begin(self) -> None:
        if self._parquet:
            import polars as pl

            from cupel.engines.sinks import parquet_sink

            assert self._out is not None
            schema = {"system": pl.String, "segment": pl.Int64}
            schema |= dict.fromkeys(self._columns, pl.Float64)
            self._sink = self._stack.enter_context(
                parquet_sink(self._out, schema, question_metadata())
            )
        elif self._form == "tsv":
            print("system", "segment", *self._columns, sep="\t", file=self._file)

    def _write_system(self, system: int) -> None:
        first = 0
        for piece in self._store.pieces(system):
            self._write(system, first, piece)
            first += len(piece)

    def _write(self, system: int, first: int, rows: FloatArray) -> None:
        numbers = range(first + 1, first + 1 + len(rows))
        if self._sink is not None:
            columns = dict(zip(self._columns, self._rounded(rows.T), strict=True))
            name = [self._systems[system]] * len(rows)
            self._sink.add({"system": name, "segment": numbers, **columns})
        elif self._form == "tsv":
            name_field = output.field(self._systems[system])
            for number, values in zip(numbers, self._rounded(rows), strict=True):
                cells = "\t".join(map(repr, values))
                print(name_field, number, cells, sep="\t", file=self._file)
        else:
            for row in self._cells(rows):
                print(*row, sep="\t", file=self._file)

    def _rounded(self, rows: FloatArray) -> list[list[float]]:
        values: list[list[float]] = rows.tolist()
        if self._width is None:
            return values
        return [[round(value, self._width) for value in row] for row in values]

    def _cells(self, rows: FloatArray) -> Iterator[list[str]]:
        places = [
            places_of(self._metrics[metric_of(column, self._metrics)], self._width)
            for column in self._columns
        ]
        for row in rows.tolist():
            yield [f"{value:.{p}f}" for value, p in zip(row, places, strict=True)]

    def _all_cells(self) -> Iterator[list[str]]:
        for system, name in enumerate(self._systems):
            first = 0
            for piece in self._store.pieces(system):
                for number, cells in enumerate(self._cells(piece), start=first + 1):
                    yield [name, str(number), *cells]
                first += len(piece)

    def _all_records(self) -> Iterator[dict[str, Any]]:
        for system, name in enumerate(self._systems):
            first = 0
            for piece in self._store.pieces(system):
                for number, values in enumerate(self._rounded(piece), start=first + 1):
                    scores = dict(zip(self._columns, values, strict=True))
                    yield {"system": name, "segment": number} | scores
                first += len(piece)

    def _write_table(self, signatures: Mapping[str, str]) -> None:
        assert self._file is not None
        header = ["System", "Segment", *self._columns]
        widths = list(map(len, header))
        if self._form == "text":
            for cells in self._all_cells():
                widths = [max(w, len(cell)) for w, cell in zip(widths, cells, strict=True)]
        output.print_table(header, self._all_cells(), self._form, self._file, widths=widths)
        print(file=self._file)
        output.print_signatures(signatures, self._form, self._file)

    def _write_json(self, signatures: Mapping[str, str]) -> None:
        from cupel.records import json_document, plain

        start, end = json_document([], signatures=signatures).split('"rows": []')
        print(start, '"rows": [', sep="", end="", file=self._file)
        mark = "\n"
        for row in self._all_records():
            text = json.dumps(plain(row), indent=1, ensure_ascii=False, allow_nan=False)
            print(mark, "  ", text.replace("\n", "\n  "), sep="", end="", file=self._file)
            mark = ",\n"
        print("\n ]", end, sep="", file=self._file)
