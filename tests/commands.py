"""Run a command of Cupel in this process, as a person types it."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import pytest

from cupel.cli import main


class Done(NamedTuple):
    """What a command left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


def run(*words: object) -> Done:
    """`run("score", "ref.txt", "-i", path)`."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["cupel", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
    assert isinstance(end.value.code, int)
    return Done(end.value.code, out.getvalue(), err.getvalue())
