"""One word for one thing: options of `cupel train` and of metrics, and their old names."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from cupel import registry
from cupel.cli import train as train_command
from cupel.cli.variadic import RENAMED, SpreadingCommand
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
        assert not set(own) & set(RENAMED.get(command, {}))


@pytest.mark.parametrize(
    ("command", "old", "new", "value"),
    [
        (name, old, new, "0.5")
        for name, names in RENAMED.items()
        if name in COMMANDS
        for old, new in names.items()
    ],
)
def test_old_options_of_trainings_still_work(
    command: str, old: str, new: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    value = {"--encoder": "lstm", "--batch": "3"}.get(new, value)
    parse = COMMANDS[command]
    assert isinstance(parse, SpreadingCommand)
    for given in ([old, value], [f"{old}={value}"]):
        context = parse.make_context(command, ["-o", "new", *given])
        name = new.removeprefix("--")
        assert str(context.params[name]) == value
        assert capsys.readouterr().err == (
            f"cupel: The option {old} is now called {new}; the old name works for one more "
            "release.\n"
        )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("red:weights=1,2,3", "red:ngram_weights=1,2,3"),
        ("red:model=en_core_web_sm", "red:parser=en_core_web_sm"),
        ("hwcm:model=en_core_web_sm", "hwcm:parser=en_core_web_sm"),
        ("depref:model=en_core_web_sm", "depref:parser=en_core_web_sm"),
    ],
)
def test_old_options_of_metrics_still_work(
    old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = old.partition(":")[0]
    if missing := registry.entries()[name].unready:
        pytest.skip(missing)
    registry._note_renamed.cache_clear()
    assert get_metric(old) == get_metric(new)
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("cupel: The option ")
    assert sentence.endswith("; the old one works for one more release.")


def test_a_preset_that_does_not_exist() -> None:
    for name in ("nnrk", "reval", "assay"):
        if registry.entries()[name].missing is None:
            with pytest.raises(CupelError, match=r"preset 'best'|'best' of .*:preset"):
                get_metric(f"{name}:preset=best")
