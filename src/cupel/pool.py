"""One pool of worker processes for scoring, choosing and the service.

A worker is a Python process that is started afresh, since a fork of a process with threads (Polars,
BLAS) may hang. It applies one function to what it is sent. Two plain pipes, and no lock, join it to
the process that started it: when that one ends, however it ends, the pipes close and the worker
ends too.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Any, BinaryIO, Generic, TypeVar, cast

from cupel.errors import CupelError

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""Tasks per process that are read, or whose results wait, while an earlier one is not finished."""
_START = "import sys; sys.path.insert(0, sys.argv[1]); from cupel.pool import work; work()"
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_THREADS = "OMP_NUM_THREADS"
_loading = False
"""Whether this process is a worker that loads the user's program."""


class WorkerDied(CupelError):
    """The process ended before it answered."""


def spread(
    function: Callable[[Item], Result], tasks: Iterable[Item], workers: int
) -> Iterator[Result]:
    """`map(function, tasks)` on so many processes, one of which is this one; results in order.

    Tasks are read in this thread, a few ahead, and nobody gets far ahead of the slowest process, so
    memory stays flat. A process that is slow or starts late takes fewer tasks. What the function
    raises comes in the order of the tasks as well.
    """
    if workers == 1:
        yield from map(function, tasks)
        return
    with sharing_cores(workers), closing(_Team(packed(function), workers)) as team:
        yield from team.results(function, enumerate(tasks))


def packed(function: object) -> bytes:
    """A function, as it is sent to a worker."""
    try:
        content = pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise _cannot_be_sent(error) from error
    main: dict[str, Any] = {}
    if b"__main__" in content:  # the worker runs the user's program as far as its functions
        from multiprocessing.spawn import get_preparation_data

        main = get_preparation_data("cupel-worker")
        del main["authkey"]
    return pickle.dumps((sys.path, main, content))


def _cannot_be_sent(error: Exception) -> CupelError:
    return CupelError(
        f"A metric cannot be sent to other processes ({error}): use one worker, or put its "
        "function into a module."
    )


@contextmanager
def sharing_cores(processes: int) -> Iterator[None]:
    """Cores are shared: a network that takes all of them in every process is slower, not faster."""
    share = max(1, (os.cpu_count() or 1) // processes)
    asked = os.environ.get(_THREADS)
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 0
    os.environ.setdefault(_THREADS, str(share))  # read by workers as they start
    if torch:
        torch.set_num_threads(min(share, before))
    try:
        yield
    finally:
        if asked is None:
            os.environ.pop(_THREADS, None)
        if torch:
            torch.set_num_threads(before)


class Worker(Generic[Item, Result]):
    """A process that applies a function; its methods block, and are called from threads."""

    def __init__(self, function: bytes) -> None:
        """function: `packed`."""
        from subprocess import DEVNULL, PIPE, Popen

        if _loading:
            raise CupelError(
                "This program starts workers while it is loaded, also in the workers: put what it "
                'does under `if __name__ == "__main__":`.'
            )
        self._function = function
        self._started = False
        home = str(Path(__file__).parents[1])
        # These signals are for this process, which ends its workers: they have them blocked from
        # their start. On Windows a group of their own keeps Ctrl-C from them.
        with _blocked_signals():
            self._process = Popen(
                [sys.executable, "-P", "-c", _START, home],
                stdin=PIPE,
                stdout=PIPE,
                stderr=None if sys.__stderr__ else DEVNULL,
                creationflags=getattr(sys.modules["subprocess"], "CREATE_NEW_PROCESS_GROUP", 0),
            )
        self._requests, self._answers = (
            cast(BinaryIO, self._process.stdin),
            cast(BinaryIO, self._process.stdout),
        )

    def start(self) -> None:
        """Wait until it has the function; an error where it cannot load that."""
        try:
            self._answer(self._function)
        except CupelError:
            raise
        except Exception as error:
            raise _cannot_be_sent(error) from error
        self._started = True

    def ask(self, task: Item) -> Result:
        """What the function returns, or raises; `WorkerDied` where there will be no answer."""
        return cast(Result, self._answer(pickle.dumps(task)))

    @property
    def ready(self) -> bool:
        """Whether it runs and has the function."""
        return self._started and self._process.poll() is None

    def kill(self) -> None:
        """End it at once; whoever waits for an answer gets `WorkerDied`."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Kill it and close the pipes; nobody may wait for an answer any more."""
        self.kill()
        for pipe in (self._requests, self._answers):
            with suppress(OSError):
                pipe.close()

    def _answer(self, content: bytes) -> Any:
        try:
            _send(self._requests, content)
            received = _receive(self._answers)
        except (EOFError, OSError, ValueError) as error:
            raise WorkerDied(
                "A worker process ended too early, perhaps for lack of memory: try again with "
                "fewer workers."
            ) from error
        done, result = pickle.loads(received)
        if not done:
            raise result
        return result


class _Team:
    """The asking process and its workers, each with a thread here that gives it tasks."""

    def __init__(self, function: bytes, processes: int) -> None:
        self._limit = AHEAD * processes
        self._changed = Condition()
        self._tasks: deque[tuple[int, Any]] = deque()
        self._outcomes: dict[int, tuple[bool, Any]] = {}
        self._failure: Exception | None = None
        self._closed = False
        self._workers: list[Worker[Any, Any]] = []
        self._threads: list[Thread] = []
        self._function = function
        self._count = processes - 1

    def close(self) -> None:
        """End the workers, whatever they are doing."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.kill()
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.close()

    def results(
        self, function: Callable[[Item], Result], tasks: Iterator[tuple[int, Item]]
    ) -> Iterator[Result]:
        """In the order of the tasks; this process works while it waits."""
        for _ in range(self._count):
            worker: Worker[Any, Any] = Worker(self._function)
            self._workers.append(worker)
            thread = Thread(target=self._attend, args=(worker,), daemon=True)
            thread.start()
            self._threads.append(thread)
        number = read = 0
        while True:
            while outcome := self._outcomes.pop(number, None):
                done, result = outcome
                if not done:
                    raise result
                yield result
                number += 1
            fresh = list(islice(tasks, self._limit - (read - number)))
            read += len(fresh)
            with self._changed:
                self._tasks.extend(fresh)
                self._changed.notify_all()
                task = self._tasks.popleft() if self._tasks else None
                if not task and number == read:
                    return
                while not (task or self._failure or number in self._outcomes):
                    self._changed.wait(1)
                if self._failure:
                    raise self._failure
            if task:
                self._outcomes[task[0]] = _outcome(partial(function, task[1]))

    def _attend(self, worker: Worker[Any, Any]) -> None:
        try:
            worker.start()
            while task := self._next():
                outcome = _outcome(partial(worker.ask, task[1]))
                with self._changed:
                    self._outcomes[task[0]] = outcome
                    self._changed.notify_all()
        except Exception as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _next(self) -> tuple[int, Any] | None:
        with self._changed:
            while not (self._tasks or self._closed):
                self._changed.wait()
            return None if self._closed else self._tasks.popleft()


def work() -> None:
    """What a worker does, from its start to its end."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    contents: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(requests, contents), daemon=True).start()
    for number in _SIGNALS:  # not ignored, since what a metric starts would ignore them too
        signal.signal(number, lambda *_: None)
    with suppress(AttributeError):  # Windows
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    # What a metric prints goes to standard error, and there is nothing that it could read.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    function: Callable[[Any], Any] = _unpacked
    with _ending_with_the_pipe():
        while True:
            done, result = _outcome(partial(_apply, function, contents.get()))
            if done and function is _unpacked:
                function, result = result, None
            _send(answers, _answer(done, result))


def _apply(function: Callable[[Any], Any], content: bytes) -> Any:
    return function(pickle.loads(content))


def _listen(requests: BinaryIO, contents: SimpleQueue[bytes]) -> None:
    with _ending_with_the_pipe():
        while True:
            contents.put(_receive(requests))


@contextmanager
def _ending_with_the_pipe() -> Iterator[None]:
    with suppress(EOFError, OSError):
        yield
    os._exit(1)  # the process that started this one has ended


def _unpacked(content: tuple[list[str], dict[str, Any], bytes]) -> Callable[[Any], Any]:
    global _loading
    sys.path[:], main, packed_function = content
    if main:
        from multiprocessing.spawn import prepare

        _loading = True
        prepare(main)
        _loading = False
    return cast(Callable[[Any], Any], pickle.loads(packed_function))


def _outcome(answer: Callable[[], Any]) -> tuple[bool, Any]:
    try:
        return True, answer()
    except (Exception, SystemExit) as error:
        return False, error


def _answer(done: bool, result: Any) -> bytes:
    """An outcome, as it is sent back; what cannot be sent becomes an error that says so."""
    if not done and not isinstance(result, CupelError):
        result.add_note("".join(traceback.format_exception(result)))
    try:
        content = pickle.dumps((done, result))
        if not done:
            pickle.loads(content)
    except Exception as error:
        text = "".join(traceback.format_exception(error if done else result))
        content = pickle.dumps((False, RuntimeError(text)))
    return content


def _send(pipe: BinaryIO, content: bytes) -> None:
    pipe.write(len(content).to_bytes(8, "little"))
    pipe.write(content)
    pipe.flush()


def _receive(pipe: BinaryIO) -> bytes:
    size = int.from_bytes(pipe.read(8), "little")
    content = pipe.read(size)
    if not size or len(content) < size:
        raise EOFError
    return content


@contextmanager
def _blocked_signals() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
