"""Scoring on Ray Data: jobs are read to blocks of texts, actors score them, statistics come back.

    jobs -> read (tasks) -> one row per block: its texts as Arrow bytes
         -> Scorer (actors with warm metrics, one for each CPU or GPU) -> its statistics as bytes
         -> this process, which puts blocks into their order and adds them up

A block is one row from end to end, so that Ray never divides or joins blocks. Reading waits when
scoring falls behind: Ray Data limits what lies between them. Ray runs tasks of lost workers and
nodes again; if the run itself breaks down, the blocks that are missing are started again here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel import __version__
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.blocks import BlockStatistics, block_size, block_statistics
from cupel.console import Progress, warn
from cupel.corpus import Outline
from cupel.engines.ray_blocks import Folder, packed, unpacked
from cupel.engines.ray_files import (
    File,
    Scan,
    lines_file,
    parquet_file,
    scan_lines,
    scan_ranges,
    size_of,
)
from cupel.engines.ray_plan import Columns, Job, Plan
from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.reading.names import kind_of

if TYPE_CHECKING:
    import pyarrow as pa

ATTEMPTS = 3
"""How often the missing blocks are started again after the cluster failed."""
_SCORER_CPUS, _READER_CPUS = 0.75, 0.25
"""Shares of a processor: where actors took all of them, no task could read what they wait for."""


@dataclass(frozen=True)
class Request:
    """What actors need to know. metrics: prepared, by label."""

    columns: Columns
    metrics: Mapping[str, Metric]
    signatures: Mapping[str, str]
    folder: Path | None = None
    all_rows: bool = False
    with_scores: bool = False
    send_scores: bool = False
    version: str = __version__


def planned(ray: Any, columns: Columns, size: int | None = None) -> Plan:
    """The plan of all blocks; files are looked at by tasks on the cluster."""
    names = list(dict.fromkeys(name for column in columns.all for name in column.files))
    footer, scan = (
        ray.remote(num_cpus=_READER_CPUS)(_with_sentence(function))
        for function in (parquet_file, scan_lines)
    )
    sizes = {name: size_of(name) for name in names if kind_of(name) != "parquet"}
    waiting = {
        name: [scan.remote(name, a, b) for a, b in scan_ranges(sizes[name])]
        if name in sizes
        else [footer.remote(name)]
        for name in names
    }
    files: dict[str, File] = {}
    for name, references in waiting.items():
        answers = [_answer(answer) for answer in ray.get(references)]
        files[name] = (
            lines_file(name, kind_of(name), sizes[name], answers) if name in sizes else answers[0]
        )
    return Plan.of(columns, files, size)


def _with_sentence(function: Callable[..., File | Scan]) -> Callable[..., File | Scan | str]:
    """The function with its CupelError as a sentence: an error would come back as Ray's."""

    def saying(*given: Any) -> File | Scan | str:
        try:
            return function(*given)
        except CupelError as error:
            return str(error)

    return saying


def _answer(answer: Any) -> Any:
    if isinstance(answer, str):
        raise CupelError(answer)
    return answer


def scored_blocks(
    ray: Any,
    plan: Plan,
    request: Request,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[BlockStatistics]:
    """The statistics of all blocks, in their order. workers: actors; one per CPU or GPU, if None."""
    folder = Folder(request.folder) if request.folder else None
    done = folder.begin(description(plan, request)) if folder else frozenset()
    finished = sum(map(plan.segments_of, done))
    waiting: dict[int, bytes] = {}
    following = 0
    for number, content in _retried(ray, plan, request, done, workers):
        waiting[number] = content
        finished += plan.segments_of(number)
        if progress:
            progress(finished, plan.segments)
        while following in waiting or (folder and following in done):
            if following in waiting:
                yield unpacked(waiting.pop(following))
            elif folder:
                yield folder.read(following)
            following += 1
    while folder and following in done:
        yield folder.read(following)
        following += 1
    if following != plan.blocks:
        raise CupelError(f"The cluster lost block {following + 1} of {plan.blocks}: run it again.")


def description(plan: Plan, request: Request) -> dict[str, Any]:
    """What a folder of blocks must agree with to be continued."""
    return {
        "version": request.version,
        "metrics": dict(request.signatures),
        "columns": [[c.given, c.name] for c in plan.columns.all],
        "systems": list(plan.columns.systems),
        "files": [[f.name, f.size, f.rows] for f in plan.files.values()],
        "segments": plan.segments,
        "block size": plan.size,
        "outputs": [request.all_rows, request.with_scores, request.send_scores],
    }


def _retried(
    ray: Any, plan: Plan, request: Request, done: frozenset[int], workers: int | None
) -> Iterator[tuple[int, bytes]]:
    """(number, statistics) of each block that is not done, in any order."""
    got = set(done)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            for number, content in _attempt(ray, plan.jobs(frozenset(got)), request, workers):
                if number not in got:
                    got.add(number)
                    yield number, content
            return
        except (ray.exceptions.RayError, RuntimeError) as error:
            if attempt == ATTEMPTS:
                raise CupelError(
                    f"The cluster failed {ATTEMPTS} times, after {len(got)} of {plan.blocks} "
                    f"blocks: {_sentence(error)}."
                ) from error
            warn(
                f"The cluster failed after {len(got)} of {plan.blocks} blocks; the others are "
                f"started again ({_sentence(error)})."
            )


def _sentence(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")


def _attempt(
    ray: Any, jobs: Sequence[Job], request: Request, workers: int | None
) -> Iterator[tuple[int, bytes]]:
    if not jobs:
        return
    dataset = _dataset(ray, jobs, request, workers)
    for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        for row in batch.to_pylist():
            if row["error"]:
                raise CupelError(row["error"])
            yield row["block"], row["content"]


def _dataset(ray: Any, jobs: Sequence[Job], request: Request, workers: int | None) -> Any:
    import logging

    import ray.data as ray_data

    from cupel.engines.ray_source import Jobs

    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    context = ray_data.DataContext.get_current().copy()
    context.enable_progress_bars = False
    context.target_max_block_size = 1  # bytes: each row, one of our blocks, is one of Ray's
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0)) if any(map(_on_gpu, request.metrics.values())) else 0
    most = workers or gpus or max(1, int(resources.get("CPU", 1)))
    share: dict[str, Any] = {"num_cpus": _SCORER_CPUS, **({"num_gpus": 1} if gpus else {})}
    with ray_data.DataContext.current(context):
        dataset = ray_data.read_datasource(
            Jobs(jobs, request.columns), override_num_blocks=len(jobs), num_cpus=_READER_CPUS
        )
        # An actor of a lost node starts again only where there is room: the pool must be able to
        # shrink, or idle actors would keep that room for ever.
        pool = ray_data.ActorPoolStrategy(min_size=1, max_size=most, initial_size=most)
        return dataset.map_batches(
            Scorer,
            fn_constructor_args=(request,),
            batch_size=1 if gpus else None,  # a row is a block; with GPUs Ray wants a number
            batch_format="pyarrow",
            compute=pool,
            **share,
        )


def _on_gpu(metric: Metric) -> bool:
    """Whether it is a network that takes a GPU where there is one."""
    return getattr(metric, "device", "cpu") != "cpu"


class Scorer:
    """An actor: metrics that are loaded once, and score one block after the other."""

    def __init__(self, request: Request) -> None:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")  # actors share a node's processors
        self._request = request
        self._problem = self._difference()
        if self._problem is None:
            for metric in request.metrics.values():
                # Loads kernels, models and tables; a metric that fails on it will say so later.
                with contextlib.suppress(Exception):
                    metric.statistics(Batch(["a b"], [["a c"]], ["a d"]))

    def _difference(self) -> str | None:
        """What is not the same here as where the run was started, in a sentence."""
        if self._request.version != __version__:
            return (
                f"A node of the cluster has Cupel {__version__}, and this machine "
                f"{self._request.version}: install the same version everywhere."
            )
        try:
            here = {k: str(m.signature()) for k, m in self._request.metrics.items()}
        except CupelError as error:
            return f"A node of the cluster cannot score: {error}"
        for label, signature in self._request.signatures.items():
            if here[label] != signature:
                return (
                    f"The metric {label!r} is {here[label]} on a node of the cluster, but "
                    f"{signature} on this machine: install the same packages everywhere."
                )
        return None

    def __call__(self, batch: pa.Table) -> Iterator[pa.Table]:
        from cupel.engines.ray_source import row

        for given in batch.to_pylist():
            number, first, error = given["block"], given["first"], given["error"] or self._problem
            content = b""
            try:
                if not error:
                    content = self._scored(number, first, given["content"])
            except CupelError as failure:
                error = str(failure)
            yield row(number, first, content, error or "")

    def _scored(self, number: int, first: int, texts: bytes) -> bytes:
        import pyarrow as pa

        request = self._request
        table = pa.ipc.open_stream(texts).read_all()
        size = block_size(len(request.columns.systems))
        parts = [
            block_statistics(
                request.metrics,
                request.columns.block(first + start, table.slice(start, size)),
                all_rows=request.all_rows,
                with_scores=request.with_scores,
            )
            for start in range(0, table.num_rows, size)
        ]
        block = joined(parts)
        folder = Folder(request.folder) if request.folder else None
        if folder and request.with_scores:
            folder.write_segments(number, block, list(request.columns.systems))
        if not request.send_scores:
            block = replace(block, scores={})
        content = packed(block)
        if folder:
            folder.write(number, content)
        return content


def joined(parts: Sequence[BlockStatistics]) -> BlockStatistics:
    """Consecutive blocks, all but the last of whole chunks, as one."""
    if len(parts) == 1:
        return parts[0]

    def together(name: str) -> dict[str, FloatArray]:
        arrays = [getattr(part, name) for part in parts]
        return {label: np.concatenate([a[label] for a in arrays], 1) for label in arrays[0]}

    outline = sum((part.outline for part in parts), Outline())
    return BlockStatistics(
        parts[0].first, outline, together("rows"), together("sums"), together("scores")
    )
