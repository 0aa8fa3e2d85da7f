"""The command line: made of questions, each with its command, imported when it is asked for."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

from cupel.cli.signals import interrupted_by_signals
from cupel.console import warn
from cupel.errors import CupelError


def main() -> NoReturn:
    """Run a command. Exit status: 0 done, 1 answered "no", 2 bad usage or input.

    130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
    signals: list[int] = []
    atexit.register(_end_at_once, signals)
    try:
        with interrupted_by_signals(signals):
            status = _status_and_sentence()
    except KeyboardInterrupt:
        signals.append(signal.SIGINT)
    # Ctrl-C while Python ends: no traceback.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)
    sys.exit(128 + signals[0] if signals else status)


def _end_at_once(signals: list[int]) -> None:
    """After an interrupt that met `exec`, Python ends as after Ctrl-C, though it was handled."""
    if signals:
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(128 + signals[0])


def _status_and_sentence() -> int:
    _use_utf8()
    from cupel.cli.commands import run

    try:
        status = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    except CupelError as error:
        warn(str(error))
        status = 2
    except OSError as error:
        status = 0 if isinstance(error, BrokenPipeError) else 2
        if status:
            print(f"cupel: {error.filename or 'The output'}: {error.strerror}.", file=sys.stderr)
        # The rest of the output cannot be written; do not raise another error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


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
