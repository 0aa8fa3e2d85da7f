"""One word for one thing: options of `cupel train` and of metrics."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from cupel import registry
from cupel.cli import train as train_command
from cupel.errors import CupelError
from cupel.registry import get_metric

COMMANDS: dict[str, Any] = get_command(train_command.app).commands  # type: ignore[attr-defined]
SHARED = (
    "--output",
    "--train",
    "--epochs",
    "--batch",
    "--rate",
    "--decay",
    "--seed",
    "--device",
    "--pair",
)


def options(command: str) -> dict[str, Any]:
    return {name: one for one in COMMANDS[command].params for name in one.opts}


@pytest.mark.parametrize("command", COMMANDS)
def test_trainings_share_their_words(command: str) -> None:
    own = options(command)
    assert set(SHARED) <= set(own)
    assert own["-o"] is own["--output"]
    assert own["--device"].default == "auto"
    for name in ("--epochs", "--decay", "--seed", "--device", "--pair", "--output"):
        assert own[name].help == options("nnrk")[name].help
    for name, option in own.items():
        assert name == "--help" or option.help.endswith("."), name


def test_a_preset_that_does_not_exist() -> None:
    for name in ("nnrk", "reval", "assay"):
        if registry.entries()[name].missing is None:
            with pytest.raises(CupelError, match=r"preset 'best'|'best' of .*:preset"):
                get_metric(f"{name}:preset=best")
