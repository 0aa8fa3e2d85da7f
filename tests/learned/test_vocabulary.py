"""One word for one thing: options of `cupel train` and of metrics."""

from __future__ import annotations

import pytest

from cupel import registry
from cupel.cli.commands import question_of
from cupel.errors import CupelError
from cupel.questions.field import Field, fields_of
from cupel.registry import get_metric

COMMANDS = ("train assay", "train reval", "train nnrk")
SHARED = "--output --train --epochs --batch --rate --decay --seed --device --pair".split()


def options(command: str) -> dict[str, Field]:
    return {name: field for field in fields_of(question_of(command)) for name in field.names}


@pytest.mark.parametrize("command", COMMANDS)
def test_trainings_share_their_words(command: str) -> None:
    fields = options(command)
    assert set(SHARED) <= set(fields)
    assert fields["-o"] == fields["--output"]
    assert fields["--device"].default == "auto"
    for name in ("--epochs", "--decay", "--seed", "--device", "--pair", "--output"):
        assert fields[name].option.help == options("train nnrk")[name].option.help


def test_a_preset_that_does_not_exist() -> None:
    for name in ("nnrk", "reval", "assay"):
        if registry.entries()[name].missing is None:
            with pytest.raises(CupelError, match=r"preset 'best'|'best' of .*:preset"):
                get_metric(f"{name}:preset=best")
