"""Worker processes: each holds the metrics, warm, and computes one batch after the other.

A worker is spawned, not forked, and talks through a pipe. It ignores the signals that stop the
service, so that it can finish what it has, and ends when the pipe is closed: also when the service
itself was killed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.adapters.service.requests import Task
    from cupel.adapters.service.work import Answer
    from cupel.metric import Metric

READY = ""


class WorkerDied(Exception):
    """The process ended before it answered."""


class Worker:
    """A process that computes; its methods block, and are called from threads."""

    def __init__(self, specs: Sequence[str], workers: int, pair: str | None = None) -> None:
        """specs: the metrics. workers: how many processes share the cores of the machine.

        pair: the language pair, whose target language chooses the metrics' words.
        """
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        threads = max(1, (os.cpu_count() or 1) // workers)
        self.process = context.Process(
            target=_serve,
            args=(theirs, list(specs), threads, pair),
            daemon=True,
            name="cupel-worker",
        )
        self.process.start()
        self._loaded = False
        theirs.close()

    def wait_until_ready(self) -> None:
        """Until the metrics are loaded; `CupelError` where one cannot be."""
        try:
            sentence = self._pipe.recv()
        except (EOFError, OSError):
            self.end()
            raise CupelError("A worker process ended while it loaded the metrics.") from None
        if sentence != READY:
            self.end()
            raise CupelError(sentence)
        self._loaded = True

    def ask(self, tasks: Sequence[Task]) -> list[Answer]:
        """The answers to these tasks; `WorkerDied` where there will be none."""
        try:
            self._pipe.send(list(tasks))
            answers: list[Answer] = self._pipe.recv()
        except (EOFError, OSError):
            raise WorkerDied from None
        return answers

    @property
    def ready(self) -> bool:
        """Whether it runs and has loaded its metrics."""
        return self._loaded and self.process.is_alive()

    def kill(self) -> None:
        """End it at once; whoever waits for an answer gets `WorkerDied`."""
        self.process.kill()
        self.process.join()

    def end(self) -> None:
        """Let it end, and kill it if it does not."""
        self._pipe.close()
        self.process.join(2)
        if self.process.is_alive():
            self.kill()


def _serve(pipe: Connection, specs: list[str], threads: int, pair: str | None) -> None:
    """What the process does, from its start to its end."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, str(threads))
    from cupel.adapters.service.work import perform
    from cupel.metrics.by_language import metrics_for

    try:
        metrics = metrics_for(specs, pair)
        _warm_up(metrics)
    except CupelError as error:
        pipe.send(str(error))
        return
    pipe.send(READY)
    try:
        while True:
            pipe.send(perform(metrics, pipe.recv()))
    except (EOFError, OSError):
        return  # the service closed the pipe, or is no more


def _warm_up(metrics: Mapping[str, Metric]) -> None:
    """Score one segment, so that models and tables are loaded before the first request."""
    from cupel.metric import needs_of
    from cupel.metrics.function import Function
    from cupel.scoring import score

    for metric in metrics.values():
        if isinstance(metric, Function):
            continue  # somebody else's: it may not expect this text
        needs = needs_of(metric)
        references = ["A cat sat on the mat."] if "references" in needs else None
        sources = ["Eine Katze saß auf der Matte."] if "sources" in needs else None
        score(["The cat sat on the mat."], references, metric, sources=sources)
