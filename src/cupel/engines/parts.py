"""Parts of a run: some segments of the input each, in a file; and all of them into one result.

A part is a Parquet file with a row per block: which segments it has, the sums of every metric, and
where they are needed the statistics and scores of its segments. Its metadata say of what it is a
part: the files by their SHA-256, systems, metrics with signatures, and the range of segments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel import __version__
from cupel import blocks as block_module
from cupel.blocks import BlockStatistics, block_size
from cupel.checksums import sha256_of
from cupel.console import Progress
from cupel.corpus import Outline
from cupel.engines.inputs import Inputs, Reader
from cupel.engines.jobs import Job, Watch, added, is_exact
from cupel.engines.sinks import parquet_sink
from cupel.engines.stream import prepare_on
from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.reading.names import parse_name
from cupel.reading.tables import reading_parquet
from cupel.registry import get_metric
from cupel.scores import Scores

if TYPE_CHECKING:
    import polars as pl

_KEY = "cupel-part"
_STATISTICS = "statistics:"


@dataclass(frozen=True)
class Plan:
    """What a part is part of; equal for all parts of a run.

    files     role and name of each input -> SHA-256 of the file
    systems   their names
    segments  how many there are in all
    metrics   label -> {"spec", "options", "signature"}, from which the metric is made again
    exact     whether the statistics of all segments are kept
    scores    whether the scores of segments are kept
    """

    version: str
    files: Mapping[str, str]
    systems: Sequence[str]
    segments: int
    metrics: Mapping[str, Mapping[str, Any]]
    exact: bool
    scores: bool

    def of_part(self, number: int, count: int) -> tuple[int, int]:
        """The segments of a part, from and to; chunks stay whole where they are resampled."""
        unit = 1 if self.exact else block_module.CHUNK
        units = -(-self.segments // unit)
        ends = (units * k // count * unit for k in (number - 1, number))
        start, stop = (min(end, self.segments) for end in ends)
        return start, stop


@dataclass(frozen=True)
class Part:
    """A file, its plan, and the segments that it has."""

    path: Path
    plan: Plan
    number: int
    count: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """How errors call it."""
        return f"{self.path} (part {self.number} of {self.count})"


def parse_part(text: str) -> tuple[int, int]:
    """`3/64` as numbers."""
    first, _, second = text.partition("/")
    if first.isdecimal() and second.isdecimal() and 1 <= int(first) <= int(second):
        return int(first), int(second)
    raise CupelError(f"A part is named K/N with K from 1 to N, such as 3/64, not {text!r}.")


def write_part(
    path: Path,
    number: int,
    count: int,
    inputs: Inputs,
    metrics: Mapping[str, Metric],
    options: Mapping[str, Mapping[str, object]],
    *,
    workers: int = 1,
    with_scores: bool = False,
    progress: Progress | None = None,
) -> Part:
    """Score part `number` of `count` and write its file.

    metrics: by the specification that they were made from. options: by the name of a metric, what
    it was made with beside its specification.
    """
    prepared = prepare_on(inputs, metrics)
    plan = _plan(inputs, prepared, options, with_scores)
    start, stop = plan.of_part(number, count)
    part = Part(path, plan, number, count, start, stop)
    size = block_size(len(inputs.systems), inputs.size)
    job = Job(inputs, prepared, size, start, stop, exact=plan.exact, with_scores=with_scores)
    with parquet_sink(path, _schema(prepared, with_scores), _metadata(part), group=64) as sink:
        for block in job.blocks(workers) if start < stop else ():
            sink.add(_row(block, sink.columns))
            if progress:
                progress(block.end - start, stop - start)
    return part


def _plan(
    inputs: Inputs,
    metrics: Mapping[str, Metric],
    options: Mapping[str, Mapping[str, object]],
    with_scores: bool,
) -> Plan:
    with Reader(inputs) as reader:
        segments = reader.count()
    files = {
        f"{place} {Path(name).name}": sha256_of(Path(parse_name(name).file))
        for place, name in enumerate(inputs.files, start=1)
    }
    described = {
        label: {
            "spec": label,
            "options": dict(options.get(label.partition(":")[0], {})),
            "signature": str(metric.signature()),
        }
        for label, metric in metrics.items()
    }
    exact = is_exact(inputs)
    return Plan(__version__, files, list(inputs.systems), segments, described, exact, with_scores)


def _schema(metrics: Iterable[str], with_scores: bool) -> dict[str, Any]:
    import polars as pl

    schema: dict[str, Any] = {"first": pl.Int64, "segments": pl.Int64, "notes": pl.String}
    schema |= {_STATISTICS + label: pl.List(pl.Float64) for label in metrics}
    return schema | ({"scores": pl.List(pl.Float64)} if with_scores else {})


def _metadata(part: Part) -> dict[str, str]:
    plan = {name: getattr(part.plan, name) for name in Plan.__dataclass_fields__}
    places = {name: getattr(part, name) for name in ("number", "count", "start", "stop")}
    return {_KEY: json.dumps({"plan": plan, **places}, ensure_ascii=False)}


def _row(block: BlockStatistics, columns: Sequence[str]) -> dict[str, list[Any]]:
    """A block as a row of the file; `_block` reads it."""
    notes = {"outline": vars(block.outline), "rows": list(block.rows), "scores": list(block.scores)}
    row: dict[str, list[Any]] = {
        "first": [block.first],
        "segments": [block.segments],
        "notes": [json.dumps(notes, ensure_ascii=False)],
    }
    for label, values in {**block.rows, **block.sums}.items():
        row[_STATISTICS + label] = [values.ravel()]
    if "scores" in columns:
        row["scores"] = [np.concatenate([values.ravel() for values in block.scores.values()])]
    return row


def read_part(path: Path | str) -> Part:
    """What a file is a part of; an error if it is no part."""
    import polars as pl

    path = Path(path)
    if path.is_dir():
        raise CupelError(f"{path} is a folder; a file was expected.")
    if not path.is_file():
        raise CupelError(f"{path} does not exist.")
    with reading_parquet(f"{path} is not a Parquet file, or it is damaged."):
        text = pl.read_parquet_metadata(path).get(_KEY)
    try:
        content = json.loads(text or "")
        plan = Plan(**content.pop("plan"))
        return Part(path, plan, **content)
    except (ValueError, TypeError, KeyError):
        raise CupelError(
            f"{path} is not a part of a run: `cupel score --part K/N -o FILE` writes one."
        ) from None


def merge_parts(
    paths: Sequence[Path | str],
    watch: Watch | None = None,
    options: Mapping[str, Mapping[str, object]] | None = None,
) -> Scores:
    """The result of the run that the parts are of.

    watch: called with every block, in order. options: as for `plan_metrics`.
    """
    parts = checked_parts([read_part(path) for path in paths])
    plan = parts[0].plan
    metrics = plan_metrics(plan, options)
    blocks = (
        block for part in parts for block in read_blocks(part.path, f"{part.name} is damaged.")
    )
    scores = added(blocks, metrics, plan.exact, watch)
    if len(scores.outline) != plan.segments:
        raise CupelError(f"{parts[-1].name} is damaged: segments are missing at its end.")
    return scores


def plan_metrics(
    plan: Plan, options: Mapping[str, Mapping[str, object]] | None = None
) -> dict[str, Metric]:
    """The metrics of a run, made again; an error where they are not the same here.

    options: by the name of a metric, other values of options that change scores of statistics, not
    statistics.
    """
    metrics: dict[str, Metric] = {}
    for label, recipe in plan.metrics.items():
        metric = get_metric(recipe["spec"], **recipe["options"])
        if str(metric.signature()) != recipe["signature"]:
            raise CupelError(
                f"The metric {label!r} was {recipe['signature']} where the parts were made, and is "
                f"{metric.signature()} here: merge with the same version and resources."
            )
        others = (options or {}).get(label.partition(":")[0], {})
        metrics[label] = get_metric(recipe["spec"], **{**recipe["options"], **others})
    return metrics


def checked_parts(parts: Sequence[Part]) -> list[Part]:
    """The parts in order; an error where they do not fit together, or some are missing."""
    if not parts:
        raise CupelError("There is no part to merge: name the files.")
    ordered = sorted(parts, key=lambda part: (part.start, part.stop, part.number))
    first = ordered[0]
    for part in ordered[1:]:
        _check_same(first, part)
    if len({part.count for part in ordered}) == 1:
        _check_numbers(ordered)
    filled = [part for part in ordered if part.start < part.stop]
    edges = [replace(first, stop=0), *filled, replace(first, start=first.plan.segments)]
    for part, other in pairwise(edges):
        if other.start > part.stop:
            raise CupelError(
                f"Segments {part.stop + 1} to {other.start} are in none of the parts: "
                "one is missing."
            )
        if other.start < part.stop:
            raise CupelError(f"{part.name} and {other.name} have segments in common.")
    return filled


def _check_same(part: Part, other: Part) -> None:
    for name, difference in (
        ("version", "versions of Cupel"),
        ("files", "inputs"),
        ("segments", "inputs"),
        ("systems", "systems"),
        ("metrics", "metrics or options of metrics"),
        ("exact", "sizes of inputs"),
        ("scores", "options: one has segment scores (-sl) and one has not"),
    ):
        if getattr(part.plan, name) != getattr(other.plan, name):
            raise CupelError(
                f"{part.path} and {other.path} are not of one run: they have different {difference}."
            )


def _check_numbers(parts: Sequence[Part]) -> None:
    """All of 1 to N are there, each once."""
    numbers = {part.number: part for part in reversed(parts)}
    for part in parts:
        if numbers[part.number] is not part:
            raise CupelError(
                f"{numbers[part.number].path} and {part.path} are both part {part.number} of "
                f"{part.count}."
            )
    missing = [str(n) for n in range(1, parts[0].count + 1) if n not in numbers]
    if missing:
        shown = ", ".join(missing[:10]) + (" and more" if len(missing) > 10 else "")
        raise CupelError(f"Of {parts[0].count} parts {len(parts)} are here; missing: {shown}.")


def block_frame(block: BlockStatistics) -> pl.DataFrame:
    """A block as a table of one row, such as parts have."""
    import polars as pl

    schema = _schema([*block.rows, *block.sums], bool(block.scores))
    return pl.DataFrame(_row(block, list(schema)), schema=schema)


def read_blocks(path: Path, damaged: str) -> Iterator[BlockStatistics]:
    """The blocks of a file, in their order. damaged: the sentence of an error."""
    import polars as pl

    frame = pl.scan_parquet(path, glob=False)
    step, start = 64, 0
    while True:
        with reading_parquet(damaged):
            rows = frame.slice(start, step).collect()
        if not rows.height:
            return
        for row in rows.iter_rows(named=True):
            try:
                yield _block(row)
            except (ValueError, KeyError, TypeError):
                raise CupelError(damaged) from None
        start += rows.height


def _block(row: Mapping[str, Any]) -> BlockStatistics:
    notes = json.loads(row["notes"])
    outline = Outline.of_record(notes["outline"])
    systems, n = len(outline.segments), row["segments"]
    statistics = {
        column.removeprefix(_STATISTICS): np.array(values)
        for column, values in row.items()
        if column.startswith(_STATISTICS)
    }
    columns = np.array(row.get("scores", [])).reshape(len(notes["scores"]), systems, n)
    chunks = -(-n // block_module.CHUNK)
    return BlockStatistics(
        row["first"],
        outline,
        {label: statistics.pop(label).reshape(systems, n, -1) for label in notes["rows"]},
        {label: values.reshape(systems, chunks, -1) for label, values in statistics.items()},
        dict(zip(notes["scores"], columns, strict=True)),
    )
