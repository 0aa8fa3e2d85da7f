"""Signals that end a command: output that is half-written is removed and workers end."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread
from typing import Any

_GRACE = 1.0
"""Seconds after which a command that does not end by itself is ended."""
_ENDING = {getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)}


@contextmanager
def interrupted_by_signals(received: list[int]) -> Iterator[None]:
    """SIGTERM and SIGHUP interrupt the block as Ctrl-C does; the list gets the numbers of all three.

    The interrupt waits for what is computed in C, and a library may drop it: a thread that sees the
    signal in any case ends the process a second later.
    """
    if os.name != "posix" or current_thread() is not main_thread():
        yield
        return

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        # A second SIGTERM would interrupt what the first one ends.
        if number == signal.SIGINT or len(received) == 1:
            raise KeyboardInterrupt

    handlers: dict[int, Any] = {n: signal.getsignal(n) for n in (signal.SIGINT, *_ENDING)}
    # What is ignored stays so: `nohup` ignores SIGHUP.
    handlers = {number: old for number, old in handlers.items() if old != signal.SIG_IGN}
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    Thread(target=_end, args=(reading, interrupt), daemon=True).start()
    for number in handlers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        os.close(writing)


def _end(pipe: int, handler: object) -> None:
    while received := os.read(pipe, 1):
        # Not where the command has a handler of its own, as the service has.
        if received[0] in _ENDING and signal.getsignal(received[0]) is handler:
            time.sleep(_GRACE)
            end_at_once(received[0])
    os.close(pipe)


def end_at_once(number: int) -> None:
    """End with the status of the signal; what an interrupt in a cleanup has left is removed."""
    if folders := sys.modules.get("cupel.folders"):  # else nothing was written
        folders.remove_unfinished()
    os._exit(128 + number)
