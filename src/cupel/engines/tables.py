"""Plain functions of tables, for engines that spread tables: Spark, Dask, Polars, and any other.

`statistics` makes a small table of statistics out of a table of texts, with one row for each system
and metric; such tables, of any number of parts and in any order, `scores` adds up to scores:

    >>> import cupel, polars as pl
    >>> texts = pl.DataFrame({"mt": ["a b", "c d e"], "ref": ["a b", "c e"]})
    >>> parts = [cupel.tables.statistics(part, "ter", "mt", "ref") for part in texts.iter_slices(1)]
    >>> cupel.tables.scores(parts)["ter"]
    25.0

A table is anything that speaks Arrow (a Polars or pandas frame, a table or record batch of pyarrow), and the
result is of the same kind. Sums are exact (`cupel.sums`): they do not depend on how the rows were
divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cupel import __version__
from cupel.arrays import FloatArray
from cupel.corpus import NO_REFERENCES, Corpus
from cupel.engines.blocks import Block, block_size, block_statistics
from cupel.errors import CupelError
from cupel.metric import REFERENCES, Metric, Signature, learns_from_corpus, needs_of
from cupel.reading.segments import listed, nearest
from cupel.records import Row, json_document, polars_frame
from cupel.registry import MetricLike, get_metric, named_metrics
from cupel.scores import score_columns
from cupel.scoring import check_needs
from cupel.sums import exact_sums, total

if TYPE_CHECKING:
    import polars as pl

Table = TypeVar("Table")
Names = str | Sequence[str]
COLUMNS = ("system", "metric", "signature", "segments", "references", "sums")
"""Of a table of statistics. references: per segment, -1 where that differs, 0 where a metric needs
none. sums: three parts of each sum, `cupel.sums`."""
VARYING = -1
SPARK_SCHEMA = (
    "system string, metric string, signature string, segments long, references long, "
    "sums array<double>"
)
"""A table of statistics, as Spark's `mapInArrow` wants to be told."""


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
    frame = _frame(table)
    chosen = _additive(metrics)
    rows: list[Row] = []
    for block in _blocks(frame, systems, references, source, chosen):
        done = block_statistics(chosen, block, all_rows=True)
        counts = list(done.references)
        for label, metric in chosen.items():
            number = counts[0] if len(counts) == 1 else VARYING
            for system, values in zip(block.systems, done.rows[label], strict=True):
                rows.append(
                    {
                        "system": system,
                        "metric": label,
                        "signature": str(metric.signature()),
                        "segments": len(block),
                        "references": number if REFERENCES in needs_of(metric) else 0,
                        "sums": exact_sums(values).ravel(),
                    }
                )
    return _like(table, _added(rows))


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
    given = _several(tables)
    if not given:
        raise CupelError("There are no statistics to add up: give at least one table.")
    return _like(given[0], _added(_rows_of(given)))


@dataclass(frozen=True)
class TableScores:
    """What `scores` returns. Metrics are named as they were asked for.

    metrics   label -> metric
    systems   their names
    segments  system -> how many were scored
    sums      (label, system) -> (k,) statistics, added up
    """

    metrics: Mapping[str, Metric]
    systems: Sequence[str]
    segments: Mapping[str, int]
    sums: Mapping[tuple[str, str], FloatArray]
    signatures: Mapping[str, str]

    def __getitem__(self, metric: str) -> float | dict[str, float]:
        """The score of the only system, or a mapping system -> score."""
        if metric not in self.metrics:
            raise CupelError(
                f"There are no scores of {metric!r}; there are: {', '.join(self.metrics)}."
            )
        scores = {
            system: float(self.metrics[metric].score(self.sums[metric, system]))
            for system in self.systems
        }
        return scores if len(scores) > 1 else next(iter(scores.values()))

    def rows(self) -> list[Row]:
        """Flat records: system, metric, score. A vector metric gives one per component."""
        return [
            {"system": system, "metric": name, "score": float(values[0])}
            for system in self.systems
            for label, metric in self.metrics.items()
            for name, values in score_columns(label, metric, self.sums[label, system][None]).items()
        ]

    def frame(self) -> pl.DataFrame:
        """A Polars frame of `rows`."""
        return polars_frame(self.rows())

    def to_json(self) -> str:
        """`{"version": ..., "signatures": {...}, "rows": [...]}`."""
        return json_document(self.rows(), signatures=self.signatures)


def scores(
    tables: Iterable[Any] | Any, metrics: Sequence[MetricLike] | MetricLike | None = None
) -> TableScores:
    """The scores that follow from tables of statistics, in any order.

    metrics: as they were given to `statistics`; only needed where one of them was not a name.
    """
    import polars as pl

    merged = pl.DataFrame(_added(_rows_of(_several(tables))))
    if not merged.height:
        raise CupelError("There are no statistics to score: the tables have no rows.")
    labels = list(dict.fromkeys(merged["metric"]))
    chosen = named_metrics(metrics) if metrics is not None else {k: get_metric(k) for k in labels}
    by_place = {(row["metric"], row["system"]): row for row in merged.iter_rows(named=True)}
    systems = list(dict.fromkeys(merged["system"]))
    signatures: dict[str, str] = {}
    sums: dict[tuple[str, str], FloatArray] = {}
    for label in labels:
        if label not in chosen:
            raise CupelError(f"The statistics have the metric {label!r}, which is not given.")
        for system in systems:
            row = by_place.get((label, system))
            if row is None:
                raise CupelError(f"There are no statistics of {label!r} for system {system!r}.")
            _check_signature(label, row["signature"], chosen[label])
            sums[label, system] = total(np.array(row["sums"]).reshape(3, -1))
            signatures[label] = _signature(chosen[label], row["references"])
    counts = {system: by_place[labels[0], system]["segments"] for system in systems}
    return TableScores({k: chosen[k] for k in labels}, systems, counts, sums, signatures)


def _check_signature(label: str, signature: str, metric: Metric) -> None:
    if signature != str(metric.signature()):
        raise CupelError(
            f"The metric {label!r} was {signature} where the statistics were made, and is "
            f"{metric.signature()} here: use the same version and resources."
        )


def _signature(metric: Metric, references: int) -> str:
    count = {0: None, VARYING: "var"}.get(references, references)
    ends = Signature.of(version=f"cupel-{__version__}")
    return str(Signature.of(nrefs=count) + metric.signature() + ends)


def _rows_of(tables: Sequence[Any]) -> list[Row]:
    return [row for table in tables for row in _checked(_frame(table)).iter_rows(named=True)]


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


def _added(rows: Iterable[Row]) -> pl.DataFrame:
    """One row for each system and metric; their sums are exact in any order."""
    import polars as pl

    merged: dict[tuple[str, str], Row] = {}
    for row in rows:
        place = (row["system"], row["metric"])
        before = merged.get(place)
        if before is None:
            merged[place] = {**row, "sums": np.array(row["sums"], np.float64)}
            continue
        if before["signature"] != row["signature"]:
            raise CupelError(
                f"The statistics of {row['metric']!r} do not fit together: they were made with "
                f"{before['signature']} and with {row['signature']}."
            )
        before["segments"] += row["segments"]
        before["sums"] = before["sums"] + np.array(row["sums"], np.float64)
        if before["references"] != row["references"]:
            before["references"] = VARYING
    types = dict(zip(COLUMNS, (pl.String,) * 3 + (pl.Int64,) * 2, strict=False))
    schema: dict[str, Any] = {**types, "sums": pl.List(pl.Float64)}
    added = [{**row, "sums": row["sums"].tolist()} for row in merged.values()]
    return pl.DataFrame(added, schema=schema)


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
