"""The command line. One file a command, imported when it is asked for."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, NoReturn

import typer

from cupel import __version__
from cupel.cli.lazy import LazyGroup
from cupel.cli.usage import UsageError, usage_sentence
from cupel.console import warn
from cupel.errors import CupelError

app = typer.Typer(
    name="cupel",
    cls=LazyGroup,
    help="Score machine translations, and evaluate the metrics that score them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(show: bool) -> None:
    if show:
        print(f"cupel {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Score machine translations, and evaluate the metrics that score them."""


def main() -> NoReturn:
    """Run a command. Exit status: 0 done, 1 answered "no", 2 bad usage or input, 130 Ctrl-C."""
    _use_utf8()
    try:
        status = _status()
        sys.stdout.flush()
    except CupelError as error:
        warn(str(error))
        status = 2
    except UsageError as error:
        if sentence := usage_sentence(error):
            warn(sentence)
        status = 2
    except OSError as error:
        status = 0 if isinstance(error, BrokenPipeError) else 2
        if status:
            print(f"cupel: {error.filename or 'The output'}: {error.strerror}.", file=sys.stderr)
        # The rest of the output cannot be written; do not raise another error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


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


def _status() -> int:
    try:
        code = app(standalone_mode=False)
    except SystemExit as end:
        code = end.code
    return code if isinstance(code, int) else 0
