"""Run a command of Cupel in this process, as a person types it."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from cupel.cli import main


class Done(NamedTuple):
    """What a command left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


def run(capsys: pytest.CaptureFixture[str], *words: object) -> Done:
    """`run(capsys, "score", "ref.txt", "-i", path)`; what was printed before is dropped."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cupel", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
    assert isinstance(end.value.code, int)
    return Done(end.value.code, *capsys.readouterr())
