"""Jobs as a data source of Ray Data: each is read by a task, which yields one row per block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from ray.data import Datasource, ReadTask
from ray.data.block import BlockMetadata

from cupel.engines.ray_plan import Columns, Job
from cupel.errors import CupelError

SCHEMA = pa.schema(
    [
        ("block", pa.int64()),
        ("first", pa.int64()),
        ("content", pa.large_binary()),
        ("error", pa.string()),
    ]
)
"""Of texts and of statistics. error: a sentence in the place of the content."""


class Jobs(Datasource):  # type: ignore[misc]
    """The blocks of some jobs."""

    def __init__(self, jobs: Sequence[Job], columns: Columns) -> None:
        super().__init__()
        self._jobs = jobs
        self._columns = columns

    def get_name(self) -> str:
        """What Ray calls the tasks that read."""
        return "Segments"

    def estimate_inmemory_data_size(self) -> int | None:
        """Unknown: files say how many segments they have, not how long these are."""
        return None

    def get_read_tasks(self, parallelism: int, *_given: Any, **_named: Any) -> list[ReadTask]:
        """One task per job, whatever Ray would like."""
        columns = self._columns
        return [
            ReadTask(
                lambda job=job: read_job(job, columns),
                BlockMetadata(num_rows=len(job.blocks), size_bytes=None, exec_stats=None),
                SCHEMA,
            )
            for job in self._jobs
        ]


def read_job(job: Job, columns: Columns) -> Iterator[pa.Table]:
    """A row per block: its texts as an Arrow stream, or what keeps them from being read."""
    try:
        for number, first, table in job.read(columns):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
            yield row(number, first, sink.getvalue().to_pybytes())
    except CupelError as error:
        yield row(job.blocks[0], job.first, b"", str(error))


def row(block: int, first: int, content: bytes, error: str = "") -> pa.Table:
    """One row of SCHEMA."""
    return pa.table([[block], [first], [content], [error]], schema=SCHEMA)
