"""The same texts through every source and every spread: all numbers are those of one piece.

Blocks in their order add up to the bits of texts in memory, for every metric. Blocks in any order add
up to sums that are exact: the same bits for metrics that count, and for all others bits that do not
depend on the way either.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cupel
from cupel.adapters.service.requests import Task
from cupel.adapters.service.work import perform
from cupel.engines import jobs, parts, ray, stream
from cupel.engines.inputs import Inputs
from cupel.engines.patterns import Patterns, indexed_file, patterns_of
from cupel.errors import CupelError
from cupel.registry import named_metrics

COUNTING = ["bleu", "chrf++", "ter"]
FRACTIONS = ["rouge-l", "sentbleu", "bleucomp"]
LEARNING = ["nist"]
METRICS = [*COUNTING, *FRACTIONS, *LEARNING]
N, SIZE = 2400, 1024


@pytest.fixture(scope="module")
def corpus() -> cupel.Corpus:
    """Some segments are equal, some are empty, and the number of references differs."""
    sample = cupel.data.sample()
    numbers = range(N // len(sample))
    systems = {
        name: [
            f"{text} {n % 50}" if n % 7 else "" for n in numbers for text in sample.systems[name]
        ]
        for name in ("careful", "rough")
    }
    references = [
        [f"{text} {n % 50}" for text in texts[: 1 + n % 2]]
        for n in numbers
        for texts in sample.references
    ]
    return cupel.Corpus.of(systems, references)


@pytest.fixture(scope="module")
def whole(corpus: cupel.Corpus) -> cupel.Scores:
    return cupel.score(corpus, metrics=METRICS)


@pytest.fixture(scope="module")
def frame(corpus: cupel.Corpus) -> pl.DataFrame:
    return pl.DataFrame({**corpus.systems, "ref": [list(texts) for texts in corpus.references]})


@pytest.fixture
def folder(frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All texts in one file, and in files of a pattern."""
    frame.write_ndjson(tmp_path / "all.jsonl")
    for number, start in enumerate(range(0, N, 700)):
        part = frame.slice(start, 700)
        part.write_parquet(tmp_path / f"p-{number}.parquet", row_group_size=300)
    monkeypatch.chdir(tmp_path)
    for module in (stream, parts):
        monkeypatch.setattr(module, "block_size", lambda *_: SIZE)
    return tmp_path


def inputs() -> Inputs:
    return Inputs.of(["all.jsonl:ref"], ["all.jsonl:careful", "all.jsonl:rough"])


def in_memory(workers: int) -> cupel.Scores:
    records = pl.read_ndjson("all.jsonl")
    systems = {name: records[name].to_list() for name in ("careful", "rough")}
    return cupel.score(systems, records["ref"].to_list(), METRICS, workers=workers)


def streamed(workers: int) -> cupel.Scores:
    return stream.score_files(inputs(), named_metrics(METRICS), workers=workers)


def merged(count: int) -> cupel.Scores:
    paths = [Path(f"part-{number}.parquet") for number in range(1, count + 1)]
    for number, path in enumerate(paths, start=1):
        parts.write_part(path, number, count, inputs(), named_metrics(METRICS), {})
    return parts.merge_parts(paths[::-1])


def patterns() -> Patterns:
    systems = [f"p-*.parquet:{name}" for name in ("careful", "rough")]
    return patterns_of(["p-*.parquet:ref"], systems, None, None)


def many_files(workers: int) -> cupel.Scores:
    """What a cluster reads, by processes of this machine."""
    texts = patterns()
    texts = texts.indexed({f: indexed_file(f) for p in texts.all for f in p.paths})
    metrics = stream.prepare_on(texts, named_metrics(METRICS))
    job = jobs.Job(texts, metrics, SIZE, 0, N, exact=True)
    return jobs.added(job.blocks(workers), metrics, exact=True)


def on_ray(keep: Path | None) -> cupel.Scores:
    pytest.importorskip("ray", reason="needs Ray: pip install 'cupel[ray]'")
    settings = ray.Settings(workers=2, keep=keep, block=SIZE)
    scores = ray.score_on_ray(patterns(), named_metrics(METRICS), settings)
    if keep is not None:  # once more, from what is kept of some blocks
        next((keep / "blocks").iterdir()).unlink()
        scores = ray.score_on_ray(patterns(), named_metrics(METRICS), settings)
    return scores


IN_ORDER: dict[str, Callable[[], cupel.Scores]] = {
    "memory, two processes": lambda: in_memory(2),
    "files": lambda: streamed(1),
    "files, two processes": lambda: streamed(2),
    "one part": lambda: merged(1),
    "five parts": lambda: merged(5),
    "many files": lambda: many_files(1),
    "many files, two processes": lambda: many_files(2),
    "Ray": lambda: on_ray(None),
    "Ray, continued": lambda: on_ray(Path("kept")),
}


@pytest.mark.parametrize("way", IN_ORDER)
def test_blocks_in_order(way: str, folder: Path, whole: cupel.Scores) -> None:
    scores = IN_ORDER[way]()
    assert scores.rows() == whole.rows()
    assert scores.signatures == whole.signatures
    assert scores.segments == whole.segments == {"careful": N, "rough": N}
    assert scores.outline == whole.outline
    assert scores.segment_rows() == whole.segment_rows()
    assert scores.details("bleu") == whole.details("bleu")
    for label in METRICS:
        assert (scores.totals.sums(label) == whole.totals.sums(label)).all(), label
        assert (scores.statistics[label] == whole.statistics[label]).all(), label
    assert scores.intervals("ter", resamples=20) == whole.intervals("ter", resamples=20)
    assert scores.paired("nist", samples=20) == whole.paired("nist", samples=20)
    if scores.texts is None:
        with pytest.raises(
            CupelError, match=r"^The texts were not kept, because these scores were"
        ):
            _ = scores.corpus


def shuffled(frame: pl.DataFrame, size: int) -> list[pl.DataFrame]:
    order = np.random.default_rng(size).permutation(frame.height)
    return list(frame[order].iter_slices(size))


def tables(frame: pl.DataFrame, size: int) -> dict[str, dict[str, float]]:
    made = [
        cupel.tables.statistics(part, [*COUNTING, *FRACTIONS], ["careful", "rough"], "ref")
        for part in shuffled(frame, size)
    ]
    scores = cupel.tables.scores([cupel.tables.merge(made[1:]), made[0]] if made[1:] else made)
    return {label: dict(scores[label]) for label in scores.metrics}  # type: ignore[arg-type]


def batches(frame: pl.DataFrame, size: int, processes: int) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for name in ("careful", "rough"):
        loops = [cupel.Accumulator(METRICS) for _ in range(processes)]
        for number, part in enumerate(shuffled(frame, size)):
            loops[number % processes].update(part[name].to_list(), part["ref"].to_list())
        loops[0].merge(*loops[1:])
        for label, score in loops[0].compute().items():
            scores.setdefault(label, {})[name] = score
    return scores


ANY_ORDER: dict[str, Callable[[pl.DataFrame], dict[str, dict[str, float]]]] = {
    "one table": lambda frame: tables(frame, N),
    "many tables": lambda frame: tables(frame, 130),
    "batches of a training loop": lambda frame: batches(frame, 150, 1),
    "batches of three processes": lambda frame: batches(frame, 70, 3),
}


@pytest.fixture(scope="module")
def one_batch(frame: pl.DataFrame) -> dict[str, dict[str, float]]:
    return batches(frame, N, 1)


@pytest.mark.parametrize("way", ANY_ORDER)
def test_blocks_in_any_order(
    way: str,
    frame: pl.DataFrame,
    whole: cupel.Scores,
    one_batch: dict[str, dict[str, float]],
) -> None:
    scores = ANY_ORDER[way](frame)
    for label, by_system in scores.items():
        assert by_system == one_batch[label], label
        if label in COUNTING:
            assert by_system == whole[label], label
        else:
            assert by_system == pytest.approx(whole[label], rel=1e-14), label


def test_requests_of_the_service(corpus: cupel.Corpus) -> None:
    """Several at once, as the service joins them: each has the scores of its own segments."""
    labels = tuple(COUNTING + FRACTIONS)
    texts, references = corpus.systems["rough"], corpus.references
    tasks = [
        Task("score", labels, {"hypotheses": texts[start:stop]}, references[start:stop], None)
        for start, stop in pairwise([0, 500, 501, N])
    ]
    answers = perform(named_metrics(labels), tasks)
    for (status, content), task in zip(answers, tasks, strict=True):
        assert status == 200
        alone = cupel.score(task.systems["hypotheses"], task.references, list(labels))
        scores = json.loads(content)["scores"]
        assert scores == {row["metric"]: row["score"] for row in alone.rows()}


def test_what_was_not_kept_is_one_error(frame: pl.DataFrame) -> None:
    scores = cupel.tables.scores(
        cupel.tables.statistics(frame, "bleu", ["careful", "rough"], "ref")
    )
    assert repr(scores).endswith(f"segments={N})")
    sentence = (
        "The statistics of the segments were not kept, because these scores were added up block by "
        "block: score the texts in memory, with cupel.score."
    )
    for ask in (
        lambda: scores.segment_scores("bleu", "rough"),
        lambda: scores.intervals("bleu"),
        lambda: scores.paired("bleu"),
        scores.clusters,
        lambda: scores.statistics,
        lambda: scores.frame("segment"),
    ):
        with pytest.raises(CupelError) as error:
            ask()
        assert str(error.value) == sentence
