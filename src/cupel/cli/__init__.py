"""The command line: made of questions, each with its command, imported when it is asked for."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

from cupel.cli.signals import end_at_once, interrupted_by_signals
from cupel.console import warn
from cupel.errors import CupelError


def main() -> NoReturn:
    """Run a command. Exit status: 0 done, 1 answered "no", 2 bad usage or input.

    130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
    signals: list[int] = []
    atexit.register(_after_all, signals)
    try:
        with interrupted_by_signals(signals):
            status = _run()
    except BaseException as error:
        # An interrupt may arrive as another error, such as one of ctypes.
        status = 128 + signals[0] if signals else _status_of(error)
    # Ctrl-C while Python ends: no traceback.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)
    sys.exit(status)


def _run() -> int:
    _use_utf8()
    from cupel.cli.commands import run

    status = run(sys.argv[1:])
    sys.stdout.flush()
    return status


def _status_of(error: BaseException) -> int:
    """The exit status, after a sentence about the error; one that is a bug is raised again."""
    if isinstance(error, KeyboardInterrupt):
        return 128 + signal.SIGINT
    if isinstance(error, CupelError):
        warn(str(error))
        return 2
    if not isinstance(error, OSError):
        raise error
    # The rest of the output cannot be written; do not raise another error at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    print(f"cupel: {error.filename or 'The output'}: {error.strerror}.", file=sys.stderr)
    return 2


def _after_all(signals: list[int]) -> None:
    """After an interrupt that met `exec`, Python ends as after Ctrl-C, though it was handled."""
    if signals:
        with suppress(OSError):
            sys.stdout.flush()
        end_at_once(signals[0])


def _use_utf8() -> None:
    """Print any text, whatever the locale: as UTF-8 to a file or pipe, as it can on a terminal.

    Bytes of file names that are no UTF-8 go through as they are.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="surrogateescape")
