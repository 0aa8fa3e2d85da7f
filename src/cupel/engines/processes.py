"""Blocks spread over processes: each reads its own, and sends back statistics, never texts.

The process that was asked works as well, and starts `workers - 1` others. Which block comes next is
one number that all of them share, so that a process that is slow or starts late takes fewer. What
comes back is put in order; nobody gets far ahead of the slowest, so memory stays flat.
"""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pickle import PicklingError
from threading import Thread
from typing import TYPE_CHECKING, Any

from cupel.engines.blocks import Block, BlockStatistics, block_statistics
from cupel.engines.inputs import Inputs, Reader
from cupel.errors import CupelError
from cupel.metric import Metric

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

AHEAD = 4
"""How many finished blocks per process wait for one that is not finished."""
_PATIENCE = 60.0
"""Seconds after which a process that waits for another looks whether it is still there."""


@dataclass(frozen=True)
class Job:
    """All that a process needs to know: it can be sent to another.

    start, stop  the segments to score, to the end where stop is None
    size         segments per block
    """

    inputs: Inputs
    metrics: Mapping[str, Metric]
    size: int
    start: int = 0
    stop: int | None = None
    all_rows: bool = False
    with_scores: bool = False

    def read(self, reader: Reader, number: int) -> Block | None:
        """The block of that number, from 0; None behind the last."""
        first = self.start + number * self.size
        n = self.size if self.stop is None else min(self.size, self.stop - first)
        return reader.read(first, n) if n > 0 else None

    def statistics(self, block: Block) -> BlockStatistics:
        """What is to be computed of a block."""
        return block_statistics(
            self.metrics, block, all_rows=self.all_rows, with_scores=self.with_scores
        )


def run(job: Job, workers: int = 1) -> Iterator[BlockStatistics]:
    """The statistics of all blocks, in their order, computed by so many processes."""
    if workers == 1:
        with Reader(job.inputs) as reader:
            number = 0
            while (block := job.read(reader, number)) is not None:
                yield job.statistics(block)
                number += 1
        return
    with _team(job, workers - 1) as team, Reader(job.inputs) as reader:
        yield from team.work(reader)


class _Team:
    """The process that was asked, and those that it started."""

    def __init__(self, job: Job, others: list[_Other], take: Callable[[], int]) -> None:
        self._job = job
        self._others = others
        self._take = take
        self._done: dict[int, BlockStatistics] = {}
        self._next = 0

    def work(self, reader: Reader) -> Iterator[BlockStatistics]:
        limit = AHEAD * (1 + len(self._others))
        while True:
            yield from self._in_order()
            if len(self._done) >= limit:
                self._wait()
                continue
            number = self._take()
            block = self._job.read(reader, number)
            if block is None:
                break
            self._done[number] = self._job.statistics(block)
        while any(not other.finished for other in self._others):
            self._wait()
            yield from self._in_order()

    def _in_order(self) -> Iterator[BlockStatistics]:
        for other in self._others:
            self._done.update(other.received())
        while self._next in self._done:
            yield self._done.pop(self._next)
            self._next += 1

    def _wait(self) -> None:
        """Until one of the others has sent something."""
        for other in self._others:
            if not other.finished:
                self._done.update(other.received(wait=0.05))


class _Other:
    """Another process, and the thread that receives what it sends while this process works."""

    def __init__(self, process: Any, connection: Connection) -> None:
        self.finished = False
        self.process = process
        self.connection = connection
        self._inbox: queue.Queue[Any] = queue.Queue(AHEAD)
        self.closed = False
        Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        message: Any = True
        while message is not None and not self.closed:
            try:
                message = self.connection.recv()
            except (EOFError, OSError):
                message = CupelError(
                    "A worker process ended too early, perhaps for lack of memory; "
                    "try again with fewer workers."
                )
            self._inbox.put(message)
            if isinstance(message, BaseException):
                return

    def received(self, wait: float = 0.0) -> dict[int, BlockStatistics]:
        """What has come, by number of block."""
        messages: dict[int, BlockStatistics] = {}
        while not self.finished:
            try:
                message = self._inbox.get(timeout=wait) if wait else self._inbox.get_nowait()
            except queue.Empty:
                break
            if isinstance(message, BaseException):
                raise message
            if message is None:
                self.finished = True
            else:
                messages[message[0]] = message[1]
            wait = 0.0
        return messages

    def end(self) -> None:
        """End it, whatever it is doing."""
        self.closed = True
        self.process.terminate()
        while not self._inbox.empty():
            self._inbox.get_nowait()
        self.process.join()


@contextmanager
def _team(job: Job, count: int) -> Iterator[_Team]:
    from multiprocessing import get_context

    # Spawned, not forked: a fork of a process with threads (Polars, BLAS) may hang.
    context = get_context("spawn")
    shared = context.Value("q", 0)
    others: list[_Other] = []
    threads = _Threads(count + 1)
    try:
        for _ in range(count):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(job, shared, theirs), daemon=True)
            _start(process)
            theirs.close()  # so that the end of that process is the end of the pipe
            others.append(_Other(process, ours))

        def take() -> int:
            while not shared.get_lock().acquire(timeout=_PATIENCE):
                for other in others:
                    if not other.process.is_alive():
                        raise CupelError("A worker process was killed; run the command again.")
            try:
                number = int(shared.value)
                shared.value = number + 1
                return number
            finally:
                shared.get_lock().release()

        yield _Team(job, others, take)
    finally:
        for other in others:
            other.end()
        threads.restore()


class _Threads:
    """Cores are shared: a network that takes all of them in every process is slower, not faster."""

    _NAME = "OMP_NUM_THREADS"

    def __init__(self, processes: int) -> None:
        self._before = os.environ.get(self._NAME)
        self._torch = sys.modules.get("torch")
        self._torch_before = self._torch.get_num_threads() if self._torch else 0
        each = max(1, (os.cpu_count() or 1) // processes)
        os.environ.setdefault(self._NAME, str(each))  # read by the processes that are started
        if self._torch:
            self._torch.set_num_threads(min(each, self._torch_before))

    def restore(self) -> None:
        if self._before is None:
            os.environ.pop(self._NAME, None)
        if self._torch:
            self._torch.set_num_threads(self._torch_before)


def _start(process: Any) -> None:
    try:
        process.start()
    except (PicklingError, AttributeError, TypeError) as error:
        raise CupelError(
            f"A metric cannot be sent to other processes ({error}): use one worker, or put "
            "its function into a module."
        ) from error


def _end_with_parent() -> None:
    """A parent that was killed cannot end its processes: they do so themselves."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(job: Job, shared: Any, connection: Connection) -> None:
    """What another process does."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        with Reader(job.inputs) as reader:
            while True:
                with shared.get_lock():
                    number = int(shared.value)
                    shared.value = number + 1
                block = job.read(reader, number)
                if block is None:
                    break
                connection.send((number, job.statistics(block)))
        connection.send(None)
    except BrokenPipeError:
        return  # the parent is gone
    except CupelError as error:
        connection.send(error)
    except Exception:
        import traceback

        connection.send(RuntimeError(traceback.format_exc()))
