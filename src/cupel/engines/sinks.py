"""Parquet that is written while rows come in, in row groups, by Polars in a thread of its own."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from cupel.errors import CannotWrite
from cupel.folders import writing

if TYPE_CHECKING:
    import polars as pl

ROW_GROUP = 1 << 16
_AHEAD = 4


class ParquetSink:
    """Frames in, one after the other; `parquet_sink` makes one."""

    def __init__(
        self, path: Path, schema: Mapping[str, Any], metadata: Mapping[str, str], group: int
    ) -> None:
        self.name = path
        self._frames: queue.Queue[pl.DataFrame | BaseException | None] = queue.Queue(_AHEAD)
        self._error: BaseException | None = None
        self._arguments = path, dict(schema), dict(metadata), group
        self._thread = Thread(target=self._write, daemon=True)
        self._thread.start()

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return list(self._arguments[1])

    def add(self, columns: Mapping[str, Any]) -> None:
        """Rows, as column -> values."""
        import polars as pl

        self._put(pl.DataFrame(dict(columns), schema=self._arguments[1]))

    def close(self, error: BaseException | None = None) -> None:
        """Write what is left, or nothing more after an error."""
        self._put(error)
        self._thread.join()
        if error is None:
            self._check()

    def _put(self, item: pl.DataFrame | BaseException | None) -> None:
        while self._thread.is_alive():
            try:
                self._frames.put(item, timeout=0.5)
                return
            except queue.Full:
                continue
        if not isinstance(item, BaseException):
            self._check()

    def _check(self) -> None:
        """Raise what went wrong in the thread: an error of the disk, which Polars words its own way."""
        if self._error is None:
            return
        if isinstance(self._error, OSError):
            raise self._error
        raise CannotWrite(
            f"{self.name} cannot be written: {str(self._error).partition(chr(10))[0].rstrip('.')}."
        ) from self._error

    def _write(self) -> None:
        from polars.io.plugins import register_io_source

        path, schema, metadata, group = self._arguments

        def source(
            columns: list[str] | None, _predicate: object, _rows: object, _size: object
        ) -> Iterator[pl.DataFrame]:
            while (frame := self._frames.get()) is not None:
                if isinstance(frame, BaseException):
                    raise frame
                yield frame if columns is None else frame.select(columns)

        try:
            register_io_source(source, schema=schema).sink_parquet(
                path, row_group_size=group, maintain_order=True, metadata=metadata
            )
        except BaseException as error:
            self._error = error


@contextmanager
def parquet_sink(
    path: Path,
    schema: Mapping[str, Any],
    metadata: Mapping[str, str] | None = None,
    group: int = ROW_GROUP,
) -> Iterator[ParquetSink]:
    """A sink whose file appears once it is complete. schema: column -> type of Polars."""
    with writing(path) as beside:
        sink = ParquetSink(beside, schema, metadata or {}, group)
        sink.name = path
        try:
            yield sink
        except BaseException as error:
            sink.close(error)
            raise
        sink.close()
