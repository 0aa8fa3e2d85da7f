"""Statistics of tables add up to the scores of all rows, however they were divided, on any engine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import cupel
from cupel.errors import CupelError

METRICS = ["bleu", "chrf++", "ter", "rouge-l", "bleucomp"]


@pytest.fixture(scope="module")
def texts() -> pl.DataFrame:
    corpus = cupel.data.sample()
    return pl.DataFrame(
        {
            "a": corpus.systems["careful"],
            "b": corpus.systems["rough"],
            "refs": [list(texts) for texts in corpus.references],
            "ref": [texts[0] for texts in corpus.references],
        }
    )


def expected(texts: pl.DataFrame, references: str = "refs") -> cupel.Scores:
    systems = {"a": texts["a"].to_list(), "b": texts["b"].to_list()}
    return cupel.score(systems, texts[references].to_list(), METRICS)


def test_any_division_gives_the_scores_of_all_rows(texts: pl.DataFrame) -> None:
    whole = expected(texts)
    random = np.random.default_rng(1)
    parts = []
    for size in (1, 7, 40):
        shuffled = texts[random.permutation(texts.height)]
        parts = [
            cupel.tables.statistics(part, METRICS, ["a", "b"], "refs")
            for part in shuffled.iter_slices(size)
        ]
        scores = cupel.tables.scores(parts)
        assert [row["score"] for row in scores.rows()] == pytest.approx(
            [row["score"] for row in whole.rows()], rel=1e-14
        )
        for label in ("bleu", "chrf++", "ter"):  # whole numbers: to the last bit
            assert scores[label] == whole[label]
        assert scores.signatures == whole.signatures
        assert scores.segments == {"a": 40, "b": 40}
    merged = cupel.tables.merge([cupel.tables.merge(parts), parts[0].clear()])
    assert merged.height == 2 * len(METRICS)
    assert cupel.tables.scores(merged).rows() == cupel.tables.scores(parts).rows()
    assert scores.frame().columns == ["system", "metric", "score"]


def test_segment_scores_are_those_of_score(texts: pl.DataFrame) -> None:
    whole = cupel.score(texts["a"].to_list(), texts["ref"].to_list(), ["bleu", "ter"])
    frame = cupel.tables.segments(texts, ["bleu", "ter"], "a", "ref")
    assert frame.columns == ["bleu", "ter"]
    assert frame["ter"].to_list() == whole.segment_scores("ter").tolist()
    both = cupel.tables.segments(texts.head(0), ["bleu", "ter"], ["a", "b"], "ref")
    assert both.columns == ["a.bleu", "a.ter", "b.bleu", "b.ter"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda t: cupel.tables.statistics(t, "bleu", "a", "rfe"),
            "The table has no column 'rfe'; it has 'a', 'b', 'refs', 'ref'; did you mean 'ref'?",
        ),
        (
            lambda t: cupel.tables.statistics(t, "bleu", "refs", "ref"),
            "The column 'refs' holds List(String); text was expected.",
        ),
        (
            lambda t: cupel.tables.statistics(t, "nist", "a", "ref"),
            "The metric 'nist' learns from all references, which no part of a table has: "
            "use cupel.score, or `cupel score`.",
        ),
        (
            lambda t: cupel.tables.statistics(t.with_columns(a=pl.lit(None)), "bleu", "a", "ref"),
            "Segment 1 of column 'a' holds None where a string was expected.",
        ),
        (
            lambda t: cupel.tables.statistics(t.lazy(), "bleu", "a", "ref"),
            "A lazy frame has no rows yet: call collect() or map_batches first.",
        ),
        (
            lambda t: cupel.tables.statistics([1], "bleu", "a", "ref"),
            "A table that speaks Arrow was expected (of Polars, pandas, pyarrow), not list.",
        ),
        (
            lambda t: cupel.tables.scores(t),
            "A table of statistics was expected, with a column 'system'; this one has "
            "'a', 'b', 'refs', 'ref'.",
        ),
        (
            lambda t: cupel.tables.scores([]),
            "There are no statistics to score: the tables have no rows.",
        ),
        (
            lambda t: cupel.tables.statistics(t, "bleu", "a", None),
            "The metric 'bleu' needs references, and there are none here.",
        ),
    ],
)
def test_bad_tables(texts: pl.DataFrame, call: Callable[[Any], object], sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        call(texts)
    assert str(error.value) == sentence


def test_statistics_of_other_versions_are_refused(texts: pl.DataFrame) -> None:
    one = cupel.tables.statistics(texts, "bleu", "a", "ref")
    other = one.with_columns(signature=pl.lit("case:lc"))
    with pytest.raises(CupelError, match="do not fit together: they were made with case:mixed"):
        cupel.tables.merge([one, other])
    with pytest.raises(CupelError, match="The metric 'bleu' was case:lc where the statistics"):
        cupel.tables.scores(other)


def test_polars_in_batches(texts: pl.DataFrame, tmp_path: Path) -> None:
    """A lazy frame that is never in memory as a whole, as docs/scale.md shows it."""
    texts.write_parquet(tmp_path / "texts.parquet", row_group_size=8)
    parts = pl.scan_parquet(tmp_path / "*.parquet").collect_batches(chunk_size=8)
    made = [cupel.tables.statistics(part, METRICS, ["a", "b"], "refs") for part in parts]
    assert len(made) > 1
    assert cupel.tables.scores(made)["ter"] == expected(texts)["ter"]


def test_arrow_tables_and_batches(texts: pl.DataFrame) -> None:
    """What comes in goes out, with types that Spark takes."""
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'cupel[ray]'")
    table = texts.to_arrow()
    made = cupel.tables.statistics(table, METRICS, ["a", "b"], "refs")
    assert isinstance(made, pa.Table)
    assert made.schema.field("metric").type == pa.string()
    batch = table.combine_chunks().to_batches()[0]
    one = cupel.tables.statistics(batch, METRICS, ["a", "b"], "refs")
    assert isinstance(one, pa.RecordBatch)
    none = cupel.tables.statistics(batch.slice(0, 0), METRICS, ["a", "b"], "refs")
    assert none.num_rows == 0
    assert none.schema == one.schema
    assert cupel.tables.scores([one, none])["chrf++"] == expected(texts)["chrf++"]


def test_dask(texts: pl.DataFrame) -> None:
    """A Dask frame, as docs/scale.md shows it."""
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'cupel[ray]'")
    dd = pytest.importorskip("dask.dataframe", reason="needs Dask: pip install 'dask[dataframe]'")
    frame = texts.select("a", "b", "ref").to_pandas()

    def statistics(part: Any) -> Any:
        return cupel.tables.statistics(part, METRICS, ["a", "b"], "ref")

    parts = dd.from_pandas(frame, npartitions=3)
    made = parts.map_partitions(statistics, meta=statistics(frame.head(0)))
    result = made.compute(scheduler="synchronous")
    assert len(result) == 3 * 2 * len(METRICS)
    assert cupel.tables.scores(result)["bleu"] == expected(texts, "ref")["bleu"]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="needs Spark: pip install pyspark")
    if shutil.which("java") is None:
        pytest.skip("needs Java 17 or newer, which Spark runs on")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        session = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def test_spark(texts: pl.DataFrame, spark: Any, tmp_path: Path) -> None:
    """mapInArrow, as docs/scale.md shows it."""
    texts.write_parquet(tmp_path / "texts.parquet")

    def statistics(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield cupel.tables.statistics(batch, ["bleu", "ter"], ["a", "b"], "refs")

    rows = spark.read.parquet(str(tmp_path / "texts.parquet")).repartition(3)
    made = rows.mapInArrow(statistics, cupel.tables.SPARK_SCHEMA).toArrow()
    scores = cupel.tables.scores(made)
    assert scores.segments == {"a": 40, "b": 40}
    assert (scores["bleu"], scores["ter"]) == (expected(texts)["bleu"], expected(texts)["ter"])
