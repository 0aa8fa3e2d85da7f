"""Plain functions of tables, for engines that spread tables: Spark, Dask, Polars, and any other.

`statistics` makes a small table of statistics out of a table of texts, with one row for each system
and metric; such tables, of any number of parts and in any order, `scores` adds up to scores:

    >>> import cupel, polars as pl
    >>> texts = pl.DataFrame({"mt": ["a b", "c d e"], "ref": ["a b", "c e"]})
    >>> parts = [cupel.tables.statistics(part, "ter", "mt", "ref") for part in texts.iter_slices(1)]
    >>> cupel.tables.scores(parts)["ter"]
    25.0

A table is anything that speaks Arrow (a Polars or pandas frame, a table or record batch of pyarrow), and the
result is of the same kind. Sums are exact (`cupel.totals`): they do not depend on how the rows were
divided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cupel.arrays import FloatArray
from cupel.blocks import Block, block_size, block_statistics
from cupel.corpus import NO_REFERENCES, VARYING, Corpus
from cupel.errors import CupelError
from cupel.metric import Metric, learns_from_corpus
from cupel.reading.segments import listed, nearest
from cupel.registry import MetricLike, get_metric, named_metrics
from cupel.scores import Scores
from cupel.scoring import check_needs
from cupel.totals import Totals

if TYPE_CHECKING:
    import polars as pl

Table = TypeVar("Table")
Names = str | Sequence[str]
COLUMNS = ("system", "metric", "signature", "segments", "references", "sums")
"""Of a table of statistics. references: per segment, -1 where that differs, 0 where there are none.
sums: three parts of each sum, `cupel.totals.exact_sums`."""
SPARK_SCHEMA = (
    "system string, metric string, signature string, segments long, references long, "
    "sums array<double>"
)
"""A table of statistics, in the form that Spark's `mapInArrow` expects."""


def statistics(
    table: Table,
    metrics: Sequence[MetricLike] | MetricLike,
    systems: Names = "translation",
    references: Names | None = "reference",
    source: str | None = None,
) -> Table:
    """A table of statistics: one row for each system and metric, none for a table without rows.

    table: one row per segment. metrics: as for `cupel.score`. systems: the columns of the
    translations. references: columns of text or of lists of texts; None where no metric needs them. source: the column
    of the source text.
    """
    chosen, totals = _additive(metrics), Totals()
    for block in _blocks(_frame(table), systems, references, source, chosen):
        totals.add(block_statistics(chosen, block, all_rows=True))
    signatures = {label: str(metric.signature()) for label, metric in chosen.items()}
    return _like(table, _table(totals, signatures))


def segments(
    table: Table,
    metrics: Sequence[MetricLike] | MetricLike,
    systems: Names = "translation",
    references: Names | None = "reference",
    source: str | None = None,
) -> Table:
    """A table of segment scores: a row for each of the table's, in their order.

    Columns are called by the metrics; with several systems SYSTEM.METRIC. The arguments are those
    of `statistics`.
    """
    import polars as pl

    chosen = _additive(metrics)
    columns: dict[str, list[FloatArray]] = {}
    for block in _blocks(_frame(table), systems, references, source, chosen):
        done = block_statistics(chosen, block, with_scores=True)
        for label, scores in done.scores.items():
            for system, values in zip(block.systems, scores, strict=True):
                name = label if len(block.systems) == 1 else f"{system}.{label}"
                columns.setdefault(name, []).append(values)
    if not columns:
        several = not isinstance(systems, str) and len(systems) > 1
        columns = {f"{s}.{m}" if several else m: [] for s in _listed(systems) for m in chosen}
    arrays = {name: np.concatenate([np.zeros(0), *parts]) for name, parts in columns.items()}
    return _like(table, pl.DataFrame(arrays))


def merge(tables: Iterable[Any] | Any) -> Any:
    """One table of statistics out of several, of the kind of the first."""
    parts = _several(tables)
    if not parts:
        raise CupelError("There are no statistics to add up: give at least one table.")
    return _like(parts[0], _table(*_added(parts)))


def scores(
    tables: Iterable[Any] | Any, metrics: Sequence[MetricLike] | MetricLike | None = None
) -> Scores:
    """The scores that follow from tables of statistics, in any order.

    metrics: as they were given to `statistics`; only needed where one of them was not a name.
    """
    totals, signatures = _added(_several(tables))
    if not signatures:
        raise CupelError("There are no statistics to score: the tables have no rows.")
    names = list(signatures)
    chosen = named_metrics(metrics) if metrics is not None else {k: get_metric(k) for k in names}
    for label, signature in signatures.items():
        if label not in chosen:
            raise CupelError(f"The statistics have the metric {label!r}, which is not given.")
        if signature != str(chosen[label].signature()):
            raise CupelError(
                f"The metric {label!r} was {signature} where the statistics were made, and is "
                f"{chosen[label].signature()} here: use the same version and resources."
            )
        for system in totals.systems:
            if system not in totals.exact[label]:
                raise CupelError(f"There are no statistics of {label!r} for system {system!r}.")
    return Scores({label: chosen[label] for label in names}, totals)


def _table(totals: Totals, signatures: Mapping[str, str]) -> pl.DataFrame:
    """One row for each system and metric."""
    import polars as pl

    number = totals.outline.number_of_references
    rows = [
        {
            "system": system,
            "metric": label,
            "signature": signatures[label],
            "segments": totals.outline.segments[system],
            "references": VARYING if number is None else number,
            "sums": sums.ravel().tolist(),
        }
        for label, systems in totals.exact.items()
        for system, sums in systems.items()
    ]
    types = (pl.String, pl.String, pl.String, pl.Int64, pl.Int64, pl.List(pl.Float64))
    return pl.DataFrame(rows, schema=dict(zip(COLUMNS, types, strict=True)))


def _added(tables: Sequence[Any]) -> tuple[Totals, dict[str, str]]:
    """What the rows of tables add up to, and label -> signature; sums are exact in any order."""
    totals, signatures = Totals(), dict[str, str]()
    counts: dict[str, Counter[str]] = {}
    for row in (row for table in tables for row in _checked(_frame(table)).iter_rows(named=True)):
        label, system = row["metric"], row["system"]
        before = signatures.setdefault(label, row["signature"])
        if before != row["signature"]:
            raise CupelError(
                f"The statistics of {label!r} do not fit together: they were made with "
                f"{before} and with {row['signature']}."
            )
        totals.add_exact(label, system, np.array(row["sums"], np.float64).reshape(3, -1))
        totals.outline.references[row["references"]] += row["segments"]
        counts.setdefault(system, Counter())[label] += row["segments"]
    for system, by_label in counts.items():
        first, *others = by_label
        for label in others:
            if by_label[label] != by_label[first]:
                raise CupelError(
                    f"The statistics of system {system!r} do not fit together: {first!r} has "
                    f"{by_label[first]} of its segments, and {label!r} {by_label[label]}."
                )
        totals.outline.segments[system] = by_label[first]
    return totals, signatures


def _several(tables: Any) -> list[Any]:
    """One table, or several, as a list of them."""
    return [tables] if _speaks_arrow(tables) else list(tables)


def _checked(frame: pl.DataFrame) -> pl.DataFrame:
    for column in COLUMNS:
        if column not in frame.columns:
            raise CupelError(
                f"A table of statistics was expected, with a column {column!r}; this one has "
                f"{listed(frame.columns)}."
            )
    return frame


def _additive(metrics: Sequence[MetricLike] | MetricLike) -> dict[str, Metric]:
    chosen = named_metrics(metrics)
    for label, metric in chosen.items():
        if learns_from_corpus(metric):
            raise CupelError(
                f"The metric {label!r} learns from all references, which no part of a table has: "
                "use cupel.score, or `cupel score`."
            )
    return chosen


def _blocks(
    frame: pl.DataFrame,
    systems: Names,
    references: Names | None,
    source: str | None,
    metrics: Mapping[str, Metric],
) -> Iterable[Block]:
    names = _listed(systems)
    others = [] if references is None else _listed(references)
    for name in (*names, *others, *([source] if source else [])):
        _check_column(frame, name, several=name in others and name not in names)
    if not frame.height:
        return
    cells = [frame[name].to_list() for name in others]
    texts = [[text for cell in row for text in _listed(cell)] for row in zip(*cells, strict=True)]
    # A corpus checks every cell, and its errors name the column and the row.
    corpus = Corpus(
        {name: frame[name].to_list() for name in names},
        texts if others else NO_REFERENCES,
        frame[source].to_list() if source else None,
        {name: f"column {name!r}" for name in names},
    )
    check_needs(corpus, metrics)
    for metric in metrics.values():
        metric.prepare(corpus)
    size = block_size(len(names))
    for start in range(0, frame.height, size):
        rows = slice(start, start + size)
        yield Block(
            start,
            {name: lines[rows] for name, lines in corpus.systems.items()},
            corpus.references[rows],
            corpus.sources[rows] if corpus.sources is not None else None,
        )


def _listed(names: Any) -> Any:
    return [names] if isinstance(names, str) or names is None else list(names)


def _check_column(frame: pl.DataFrame, name: str, *, several: bool) -> None:
    import polars as pl

    if name not in frame.columns:
        raise CupelError(
            f"The table has no column {name!r}; it has {listed(frame.columns)}"
            f"{nearest(name, frame.columns)}"
        )
    kind = frame.schema[name]
    text = (pl.String, pl.Categorical, pl.Null)
    if kind in text or (several and isinstance(kind, pl.List) and kind.inner in text):
        return
    raise CupelError(f"The column {name!r} holds {kind}; text was expected.")


# Tables of other packages.


def _speaks_arrow(table: Any) -> bool:
    return hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")


def _frame(table: Any) -> pl.DataFrame:
    import polars as pl

    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        raise CupelError("A lazy frame has no rows yet: call collect() or map_batches first.")
    if not _speaks_arrow(table):
        raise CupelError(
            f"A table that speaks Arrow was expected (of Polars, pandas, pyarrow), not {type(table).__name__}."
        )
    return pl.DataFrame(table)


def _like(given: Table, frame: pl.DataFrame) -> Table:
    """The frame as a table of the same kind as the given one."""
    import polars as pl

    package = type(given).__module__.partition(".")[0]
    if isinstance(given, pl.DataFrame) or package not in ("pyarrow", "pandas"):
        return frame  # type: ignore[return-value]
    import pyarrow as pa

    # Plain strings and lists, which Spark takes as well.
    plain: dict[Any, Any] = {pl.String: pa.string(), pl.Int64: pa.int64(), pl.Float64: pa.float64()}
    types = {n: plain.get(t, pa.list_(pa.float64())) for n, t in frame.schema.items()}
    arrow = frame.to_arrow().cast(pa.schema(list(types.items())))
    if package == "pandas":
        return arrow.to_pandas()  # type: ignore[no-any-return]
    if isinstance(given, pa.RecordBatch):
        batches = arrow.combine_chunks().to_batches()
        empty = pa.RecordBatch.from_pylist([], schema=arrow.schema)
        return batches[0] if batches else empty  # type: ignore[no-any-return]
    return arrow  # type: ignore[no-any-return]
