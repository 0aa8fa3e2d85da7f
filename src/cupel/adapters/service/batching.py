"""The queue between requests and workers: bounded, merging, and losing nothing.

A free worker takes the requests that wait, after a short window in which others may join them. When a
worker dies, its requests are run once more, each alone, so that one which kills workers takes no
other with it; the second time it is answered with 500. When the last request of a batch has run out of
time, its worker is replaced.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from cupel.adapters.service.counters import Counters
from cupel.adapters.service.requests import Refusal, Task
from cupel.adapters.service.settings import Settings
from cupel.adapters.service.work import Answer, Performer, error
from cupel.console import warn
from cupel.errors import CupelError
from cupel.pool import Worker, WorkerDied, packed, sharing_cores

LOST = "The worker process died twice while it computed this request."


@dataclass
class _Waiting:
    """A request in the queue, or with a worker."""

    task: Task
    answer: asyncio.Future[Answer]
    arrived: float
    deadline: float
    alone: bool = False


class Service:
    """The workers and their queue."""

    def __init__(self, specs: Sequence[str], settings: Settings, counters: Counters) -> None:
        self.settings = settings
        self.counters = counters
        self.stopping = False
        self.inside = 0
        self._performer = packed(Performer(specs, settings.language_pair))
        self._queue: deque[_Waiting] = deque()
        self._arrived = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._turn = asyncio.Lock()
        self._free = 0
        self._workers: dict[int, Worker[Sequence[Task], list[Answer]]] = {}
        self._loops: list[asyncio.Task[None]] = []
        # A thread per worker, and one each for a replacement that loads while the old one ends.
        self._threads = ThreadPoolExecutor(2 * settings.workers)

    async def start(self) -> None:
        """Start all workers; `CupelError` where one cannot load the metrics."""
        numbers = range(self.settings.workers)
        try:
            await asyncio.gather(*(self._start_worker(number) for number in numbers))
        except BaseException:
            self.end()
            raise
        self._loops = [asyncio.create_task(self._run(number)) for number in numbers]

    async def drain(self) -> None:
        """Refuse all that comes, until what is inside is answered."""
        self.stopping = True
        await self._empty.wait()

    def end(self) -> None:
        """End the workers."""
        for loop in self._loops:
            loop.cancel()
        for worker in self._workers.values():
            worker.close()
        self._threads.shutdown(wait=False)

    @property
    def workers_alive(self) -> int:
        """How many workers run and have loaded their metrics."""
        return sum(worker.ready for worker in self._workers.values())

    @property
    def waiting(self) -> int:
        """How many requests wait for a worker."""
        return len(self._queue)

    @contextmanager
    def admitted(self) -> Iterator[float]:
        """A place inside, and the time by which the request must be answered."""
        if self.stopping:
            raise Refusal(503, "The service is stopping.")
        if self.inside >= self.settings.max_queue:
            raise Refusal(429, f"{self.inside} requests are waiting: try again in a moment.")
        self.inside += 1
        self._empty.clear()
        try:
            yield asyncio.get_running_loop().time() + self.settings.timeout
        finally:
            self.inside -= 1
            if not self.inside:
                self._empty.set()

    async def answer(self, task: Task, deadline: float) -> Answer:
        """The answer to a request that was admitted; `Refusal` where there is none in time."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(task, loop.create_future(), loop.time(), deadline)
        self._queue.append(waiting)
        self._arrived.set()
        try:
            async with asyncio.timeout_at(deadline):
                return await waiting.answer
        except TimeoutError:
            raise Refusal(
                504, f"There was no answer within {self.settings.timeout:g} seconds."
            ) from None

    async def _run(self, number: int) -> None:
        """One worker's life: a batch after the other, and another process when it dies."""
        while True:
            batch = await self._take()
            worker = self._workers[number]
            if not worker.ready:  # it died while it had nothing to do
                self._queue.extendleft(reversed(batch))
                self._arrived.set()
                await self._replace(number)
                continue
            try:
                answers = await self._asked(worker, batch)
            except (WorkerDied, TimeoutError) as failure:
                if isinstance(failure, WorkerDied):
                    self._again(batch)
                await self._replace(number)
                continue
            for one, answer in zip(batch, answers, strict=True):
                _give(one, answer)

    async def _asked(
        self, worker: Worker[Sequence[Task], list[Answer]], batch: Sequence[_Waiting]
    ) -> list[Answer]:
        """The answers of a worker, which is killed when nobody waits for them any more."""
        loop = asyncio.get_running_loop()
        tasks = [one.task for one in batch]
        asking = loop.run_in_executor(self._threads, worker.ask, tasks)
        left = max(one.deadline for one in batch) - loop.time()
        await asyncio.wait([asking], timeout=max(left, 0.0))
        if not asking.done():
            worker.kill()
            await asyncio.wait([asking])  # the thread has let go of the pipe
            asking.exception()
            raise TimeoutError
        return asking.result()

    async def _take(self) -> list[_Waiting]:
        """The next batch; the free workers take turns."""
        self._free += 1
        try:
            async with self._turn:
                while True:
                    await self._arrived.wait()
                    # A lone request waits for company, one that has waited already does not.
                    since = self._queue[0].arrived if self._queue else 0.0
                    until = since + self.settings.window - asyncio.get_running_loop().time()
                    if until > 0:
                        await asyncio.sleep(until)
                    if batch := self._collected():
                        self.counters.batch(len(batch))
                        return batch
        finally:
            self._free -= 1

    def _collected(self) -> list[_Waiting]:
        """One worker's share of the queue, without what nobody waits for any more."""
        share = -(-len(self._queue) // max(1, self._free))
        batch: list[_Waiting] = []
        characters = 0
        while self._queue and len(batch) < share:
            one = self._queue[0]
            if not one.answer.done():
                characters += one.task.characters
                if batch and (one.alone or characters > self.settings.largest_batch):
                    break
                batch.append(one)
            self._queue.popleft()
            if batch and one.alone:
                break
        if not self._queue:
            self._arrived.clear()
        return batch

    def _again(self, batch: Sequence[_Waiting]) -> None:
        """Requests of a worker that died: once more, alone; then an error."""
        for one in reversed(batch):
            if one.alone:
                _give(one, (500, error(LOST)))
            else:
                one.alone = True
                self._queue.appendleft(one)
                self._arrived.set()

    async def _start_worker(self, number: int) -> None:
        with sharing_cores(self.settings.workers):
            worker = self._workers[number] = Worker(self._performer)
        await asyncio.get_running_loop().run_in_executor(self._threads, worker.start)

    async def _replace(self, number: int) -> None:
        """Another process in place of one that died or was killed, as often as it takes."""
        self.counters.restarts += 1
        self._workers[number].close()
        while True:
            try:
                return await self._start_worker(number)
            except CupelError as failure:
                with suppress(OSError):  # nobody may read standard error any more
                    warn(f"A worker could not be started again: {failure}")
                await asyncio.sleep(1)


def _give(one: _Waiting, answer: Answer) -> None:
    with suppress(asyncio.InvalidStateError):  # it ran out of time meanwhile
        one.answer.set_result(answer)
