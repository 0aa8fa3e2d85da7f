"""Signals that end a command: output that is half-written is removed and workers end."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread

_GRACE = 1.0
"""Seconds after which a command that does not end by itself is ended."""


@contextmanager
def interrupted_by_signals(received: list[int]) -> Iterator[None]:
    """SIGTERM and SIGHUP interrupt the block as Ctrl-C does, and the list gets their numbers.

    The interrupt waits for what is computed in C, and a library may drop it: a thread that sees the
    signal in any case ends the process a second later.
    """
    if os.name != "posix" or current_thread() is not main_thread():
        yield
        return

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        if len(received) == 1:  # a second one would interrupt what the first one ends
            raise KeyboardInterrupt

    # What is ignored stays so: `nohup` ignores SIGHUP.
    both = (signal.SIGTERM, signal.SIGHUP)
    numbers = [number for number in both if signal.getsignal(number) == signal.SIG_DFL]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    Thread(target=_end, args=(reading, numbers), daemon=True).start()
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(before)
        os.close(writing)


def _end(pipe: int, numbers: list[signal.Signals]) -> None:
    while received := os.read(pipe, 1):
        if received[0] in numbers:
            time.sleep(_GRACE)
            if folders := sys.modules.get("cupel.folders"):  # else nothing was written
                folders.remove_unfinished()
            os._exit(128 + received[0])
    os.close(pipe)
