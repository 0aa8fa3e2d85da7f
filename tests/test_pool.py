"""One pool for all: results in order, errors as they are, and no worker that outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import count, islice, repeat
from pathlib import Path

import pytest

import kills
from cupel import pool
from cupel.errors import CupelError, MissingPart

pytestmark = pytest.mark.quick


def square(number: int) -> int:
    time.sleep(0.02 if number % 7 == 0 else 0)
    return number * number


def process(_: int) -> int:
    time.sleep(0.01)
    return os.getpid()


class Odd(Exception):
    """An exception that can be sent and not received."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__("odd")


def failing(number: int) -> int:
    if number == 5:
        raise MissingPart("part 5 is missing")
    if number == 8:
        raise Odd(1, 2)
    if number == 9:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def failing_elsewhere(parent: int, number: int) -> int:
    """`failing`, in workers alone."""
    if os.getpid() != parent:
        return failing(number)
    time.sleep(0.02)
    return number


def environment(_: int) -> tuple[str | None, list[str]]:
    time.sleep(0.02)
    return os.environ.get("OMP_NUM_THREADS"), sys.path


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_order(workers: int) -> None:
    assert list(pool.spread(square, range(100), workers)) == [n * n for n in range(100)]


def test_all_processes_work_and_share_the_cores() -> None:
    assert len(set(pool.spread(process, range(300), 3))) == 3
    threads = {threads for threads, _ in pool.spread(environment, range(60), 2)}
    assert threads == {str(max(1, (os.cpu_count() or 1) // 2))}
    assert "OMP_NUM_THREADS" not in os.environ


def test_tasks_are_read_a_few_ahead_and_without_end() -> None:
    read: list[int] = []

    def tasks() -> Iterator[int]:
        for number in count():
            read.append(number)
            yield number

    results = pool.spread(square, tasks(), 2)
    assert list(islice(results, 20)) == [n * n for n in range(20)]
    assert len(read) <= 20 + 2 * pool.AHEAD


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_come_in_the_order_of_tasks(workers: int) -> None:
    results = pool.spread(failing, range(20), workers)
    assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(MissingPart, match="part 5 is missing"):
        next(results)


@pytest.mark.parametrize(
    ("number", "error", "sentence"),
    [
        (5, MissingPart, "^part 5 is missing$"),
        (8, RuntimeError, "Odd: odd"),
        (9, CupelError, "^A worker process ended too early, perhaps for lack of memory: try again"),
    ],
)
def test_what_goes_wrong_in_a_worker(number: int, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        list(pool.spread(partial(failing_elsewhere, os.getpid()), repeat(number), 2))


PROGRAM = """
import os, sys, time
from cupel import pool

def twice(number):
    print("printed by a metric")
    return 2 * number, os.getpid()

{guard}
    results = []
    for result, process in pool.spread(twice, range(100_000), 2):
        results.append(result)
        if process != os.getpid():
            break
    print(results == [2 * n for n in range(len(results))])
"""


@pytest.mark.parametrize(
    ("guard", "works"), [('if __name__ == "__main__":', True), ("if True:", False)]
)
def test_functions_of_a_program(tmp_path: Path, guard: str, works: bool) -> None:
    error = "This program starts workers while it is loaded"
    (tmp_path / "program.py").write_text(PROGRAM.format(guard=guard))
    (tmp_path / "pickle.py").write_text("raise SystemExit('the file of the user is imported')")
    done = subprocess.run(
        [sys.executable, "-P", "program.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout.splitlines()[-1] == "True") == works
    assert (error in done.stderr) != works
    assert "the file of the user" not in done.stderr


WAITING = """
import sys, time
from pathlib import Path
from cupel import pool

def wait(number):
    Path(f"started-{number}").touch()
    time.sleep(60)

if __name__ == "__main__":
    list(pool.spread(wait, range(9), 3))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
@pytest.mark.parametrize("started", [0, 3])
def test_workers_end_with_their_parent(tmp_path: Path, started: int) -> None:
    """Also while they start; and nobody who reads its output waits for them."""
    (tmp_path / "waiting.py").write_text(WAITING)
    parent = subprocess.Popen(
        [sys.executable, "waiting.py"], cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True
    )
    while len(kills.members(parent.pid)) < 3 or len(list(tmp_path.glob("started-*"))) < started:
        assert parent.poll() is None
        time.sleep(0.002)
    parent.kill()
    parent.communicate()
    kills.wait_for_session(parent.pid, 20)
