"""`--engine ray`: work spread over a Ray cluster, with the numbers of one process.

`over_cluster` applies a function to tasks, as `cupel.pool.spread` does, in actors that keep what they
have loaded: one for each CPU, or for each GPU if a metric is a network. A task whose actor, process
or node is lost is given to another. `score_on_ray` scores the blocks of some patterns so; each actor
reads its own blocks, and only statistics come back. With a folder to keep them, finished blocks are
files there, and a run that was killed is continued:

    FOLDER/plan.json                what is computed: files, metrics, signatures, size of a block
    FOLDER/blocks/000017.parquet    the statistics of a block, written when all of it is done
    FOLDER/segments/000017.parquet  its segment scores, where they are asked for

Each file is written beside its place and renamed, so that a block is there or is not, whatever was
killed.
"""

from __future__ import annotations

import json
import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from cupel import __version__
from cupel.blocks import BlockStatistics
from cupel.console import Progress
from cupel.engines.jobs import Job, Watch, added, is_exact
from cupel.engines.parts import block_frame, read_blocks
from cupel.engines.patterns import Patterns, indexed_file
from cupel.engines.segments import segment_frame
from cupel.engines.stream import prepare_on
from cupel.errors import CupelError, MissingPart
from cupel.folders import write_text, writing
from cupel.metric import Metric
from cupel.scores import Scores

Item = TypeVar("Item")
Result = TypeVar("Result")
Spread = Callable[[Callable[[Item], Result], Iterable[Item]], Iterator[Result]]

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing touches the network but the cluster itself
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
}
AHEAD = 3
"""Tasks for each actor that are handed out, or whose results wait, while an earlier one is not done."""
ATTEMPTS = 5
"""How often actors may be lost, all of them, without any result in between."""
SMALL, LARGE, MANY = 8192, 65536, 1_000_000
"""Segments per block, of inputs below and above MANY segments."""


def check_ray() -> None:
    """An error with the command that installs Ray, where it is missing."""
    if find_spec("ray") is None or find_spec("pyarrow") is None:
        raise MissingPart("--engine ray needs Ray: pip install 'cupel[ray]'.")


@contextmanager
def over_cluster(
    address: str | None = None, workers: int | None = None, *, gpus: bool = False
) -> Iterator[Spread[Any, Any]]:
    """What applies a function to tasks on a cluster, in their order; what was started here is stopped.

    address: of a running cluster, HOST:PORT, or `auto` for that of this machine; None for one that is
    started for this. workers: actors, one per CPU or GPU if not said. gpus: whether actors take GPUs.
    """
    check_ray()
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    import ray

    def spread(function: Callable[[Item], Result], tasks: Iterable[Item]) -> Iterator[Result]:
        resources = ray.cluster_resources()
        on_gpu = gpus and resources.get("GPU", 0) >= 1
        most = workers or max(1, int(resources.get("GPU" if on_gpu else "CPU", 1)))
        team = _Team(ray, function, most, {"num_cpus": 1, "num_gpus": int(on_gpu)})
        stack.callback(team.close)  # before Ray ends, where nobody asks for all results
        with closing(team):
            yield from team.results(tasks)

    with ExitStack() as stack:
        if not ray.is_initialized():  # by a program that uses Cupel, or a test
            _connect(ray, address, workers)
            stack.callback(ray.shutdown)
        yield spread


def _connect(ray: Any, address: str | None, cpus: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is not None and address != "auto" and not _answers(address):
            raise ConnectionError(address)
        with _nothing_on_stderr():
            if address is None:
                ray.init(address="local", num_cpus=cpus, include_dashboard=False, **quiet)
            else:
                ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        if address is None:
            raise CupelError(f"Ray does not start on this machine: {_last_line(error)}.") from error
        raise CupelError(
            f"The Ray cluster at {address} cannot be reached: start it, or correct the address."
        ) from error


@contextmanager
def _nothing_on_stderr() -> Iterator[None]:
    """Ray's core writes lines of its own to standard error when it starts."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _answers(address: str, seconds: float = 5.0) -> bool:
    """Whether something listens there; Ray itself would try for minutes."""
    import asyncio

    host, _, port = address.rpartition(":")

    async def connect() -> None:
        _, writer = await asyncio.open_connection(host, int(port))
        writer.close()

    try:
        asyncio.run(asyncio.wait_for(connect(), seconds))
    except (OSError, ValueError, TimeoutError):
        return False
    return True


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")


class CupelActor:
    """A process of the cluster that applies a function; Ray hands over what the reference stands for."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")  # actors share a node's processors
        self._function = function

    def ready(self) -> None:
        """Answered when the actor has been started."""

    def answer(self, task: Any) -> tuple[bool, Any]:
        """The result, or the sentence of an error: an error itself would come back as one of Ray's."""
        try:
            return True, self._function(task)
        except CupelError as error:
            return False, str(error)


class _Team:
    """Actors, and the tasks that they work on."""

    def __init__(
        self, ray: Any, function: Callable[[Any], Any], size: int, share: Mapping[str, int]
    ) -> None:
        self._ray = ray
        self._actor = ray.remote(CupelActor).options(**share)
        self._function = ray.put(function)
        self._size = size
        self._again: deque[tuple[int, Any]] = deque()
        self._idle: list[Any] = []
        self._lost = 0
        self._answers: dict[Any, tuple[Any, tuple[int, Any] | None]] = {}
        """Reference to an answer that is not there yet -> who gives it, to which task."""
        for _ in range(size):
            self._start()

    def _start(self) -> None:
        """Another actor, which gets no task before it runs: there may be no room for it."""
        actor = self._actor.remote(self._function)
        self._answers[actor.ready.remote()] = actor, None

    def results(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """In the order of the tasks."""
        numbered, done = iter(enumerate(tasks)), dict[int, Any]()
        number = read = 0
        while True:
            while self._idle:
                task = self._again.popleft() if self._again else None
                if task is None and read - number < AHEAD * self._size:
                    task = next(numbered, None)
                    read += task is not None
                if task is None:
                    break
                actor = self._idle.pop()
                self._answers[actor.answer.remote(task[1])] = actor, task
            if number == read and self._idle:
                return
            done |= self._received()
            while number in done:
                yield done.pop(number)
                number += 1

    def _received(self) -> dict[int, Any]:
        """The next result, by the number of its task; nothing where an actor came or was lost."""
        (reference,), _ = self._ray.wait(list(self._answers), num_returns=1)
        actor, task = self._answers.pop(reference)
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise CupelError(f"The cluster failed: {_last_line(error)}.") from error
        except self._ray.exceptions.RayError as error:
            self._lost += 1
            if self._lost > ATTEMPTS * self._size:
                raise CupelError(
                    f"The cluster failed {self._lost} times: {_last_line(error)}."
                ) from error
            if task is not None:
                self._again.append(task)
            self._start()
            return {}
        self._idle.append(actor)
        if task is None:
            return {}
        self._lost = 0
        done, result = answer
        if not done:
            raise CupelError(result)
        return {task[0]: result}

    def close(self) -> None:
        """End all actors, whatever they do."""
        for actor in [*self._idle, *(actor for actor, _ in self._answers.values())]:
            self._ray.kill(actor)
        self._idle, self._answers = [], {}


@dataclass(frozen=True)
class Settings:
    """How to run. address: of a cluster, or None for one on this machine.

    workers  actors that score; one per CPU or GPU of the cluster, if None
    keep     folder for finished blocks, where a stopped run is continued
    block    segments per block, if not chosen by the number of segments
    """

    address: str | None = None
    workers: int | None = None
    keep: Path | None = None
    block: int | None = None


@dataclass(frozen=True)
class Request:
    """What an actor does with the number of a block: it scores and keeps it.

    signatures  of the metrics where the run was started
    send        whether segment scores are sent back
    """

    job: Job
    signatures: Mapping[str, str]
    folder: Path | None = None
    send: bool = False
    version: str = __version__

    def __call__(self, number: int) -> BlockStatistics:
        block = self.checked_job(number)
        assert block is not None
        if self.folder is not None:
            if self.job.with_scores:  # before the statistics, which say that the block is done
                with writing(_file(self.folder, "segments", number)) as beside:
                    segment_frame(block).write_parquet(beside)
            with writing(_file(self.folder, "blocks", number)) as beside:
                block_frame(block).write_parquet(beside)
        return block if self.send else replace(block, scores={})

    @cached_property
    def checked_job(self) -> Job:
        """For all blocks of an actor; an error where something is not as where the run was started."""
        if self.version != __version__:
            raise CupelError(
                f"A node of the cluster has Cupel {__version__}, and this machine {self.version}: "
                "install the same version everywhere."
            )
        for label, metric in self.job.metrics.items():
            if str(metric.signature()) != self.signatures[label]:
                raise CupelError(
                    f"The metric {label!r} is {metric.signature()} on a node of the cluster, but "
                    f"{self.signatures[label]} on this machine: install the same packages everywhere."
                )
        return self.job


def score_on_ray(
    patterns: Patterns,
    metrics: Mapping[str, Metric],
    settings: Settings,
    *,
    with_scores: bool = False,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score the systems of some patterns. metrics: by label, not prepared yet.

    with_scores: whether blocks have the scores of their segments, for `watch`, or without it for
    the folder of finished blocks. progress: called with segments done, and of all, for each block
    that is not kept yet.
    """
    gpus = any(getattr(metric, "device", "cpu") != "cpu" for metric in metrics.values())
    with over_cluster(settings.address, settings.workers, gpus=gpus) as spread:
        names = list(dict.fromkeys(name for pattern in patterns.all for name in pattern.paths))
        inputs = patterns.indexed(dict(zip(names, spread(indexed_file, names), strict=True)))
        count = inputs.segments
        size = settings.block or (SMALL if count < MANY else LARGE)
        exact = is_exact(inputs)
        prepared = prepare_on(inputs, metrics)
        job = Job(inputs, prepared, size, 0, count, exact, with_scores)
        signatures = {label: str(metric.signature()) for label, metric in metrics.items()}
        folder = settings.keep.absolute() if settings.keep else None
        request = Request(job, signatures, folder, send=watch is not None)
        done = begin(folder, request, inputs) if folder else frozenset()
        numbers = range(-(-count // size))
        fresh = spread(request, [number for number in numbers if number not in done])

        def blocks() -> Iterator[BlockStatistics]:
            for number in numbers:
                if folder and number in done:
                    place = _file(folder, "blocks", number)
                    damaged = f"{place} is damaged: delete it, and it is computed again."
                    yield from read_blocks(place, damaged)
                    continue
                yield (block := next(fresh))
                if progress:
                    progress(block.end, count)

        return added(blocks(), prepared, exact, watch)


def begin(folder: Path, request: Request, patterns: Patterns) -> frozenset[int]:
    """The numbers of the blocks that are done there; an error if they are of another run."""
    job = request.job
    plan = {
        "version": request.version,
        "metrics": dict(request.signatures),
        "columns": [[p.name, p.column, p.role] for p in patterns.all],
        "systems": list(patterns.systems),
        "files": [[f.name, f.size, f.rows] for f in patterns.files.values()],
        "segments": patterns.segments,
        "block size": job.size,
        "outputs": [job.exact, job.with_scores, request.send],
    }
    place = folder / "plan.json"
    text = json.dumps(plan, indent=1, ensure_ascii=False)
    if not place.exists():
        if folder.exists() and any(path for path in folder.iterdir() if path.name[0] != "."):
            raise CupelError(
                f"{folder} has files that are not of such a run: choose another folder."
            )
        write_text(place, text)
    try:
        before = json.loads(place.read_text("utf-8"))
    except ValueError:
        raise CupelError(f"{place} is damaged: choose another folder.") from None
    for key, value in json.loads(text).items():
        if not isinstance(before, dict) or before.get(key) != value:
            raise CupelError(
                f"{folder} has blocks of another run (its {key} differ): choose another folder, or "
                "delete this one."
            )
    names = [path.stem for path in (folder / "blocks").glob("*.parquet")]
    return frozenset(int(name) for name in names if name.isdecimal())


def _file(folder: Path, kind: str, number: int) -> Path:
    return folder / kind / f"{number:06}.parquet"
