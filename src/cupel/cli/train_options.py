"""Options and printed lines that `cupel train reval`, `nnrk` and `assay` share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli.options import fillable
from cupel.cli.output import warn
from cupel.cli.variadic import SpreadingCommand

if TYPE_CHECKING:
    from cupel.neural.training import Epoch

DATA, MODEL, TRAINING = "Data", "Model", "Training"

RENAMED = {
    "reval": {"--learning-rate": "--rate", "--l2": "--decay", "--cell": "--encoder"},
    "assay": {"--size": "--batch", "--head-rate": "--rate"},
}
"""Old names of options, by command; they still work for one release."""


def option(
    panel: str | None, name: str | None, metavar: str | None, sentence: str, **more: Any
) -> Any:
    """An option of a training; without a name, a flag that has a `--no-` form."""
    names = () if name is None else (name,)
    return typer.Option(*names, metavar=metavar, help=sentence, rich_help_panel=panel, **more)


def batch_option(examples: str) -> Any:
    """The option --batch; examples: what there are so many of in one step."""
    sentence = f"Number of {examples} in one step of the optimizer."
    return option(TRAINING, "--batch", "N", sentence, min=1)


OUTPUT: Any = typer.Option(
    "--output",
    "-o",
    metavar="FOLDER",
    callback=fillable,
    help="Folder to write weights, card and log to. Give the folder of a training that was stopped, "
    "with the same options, to go on with it.",
)
Output = Annotated[Path, OUTPUT]
Pairs = Annotated[list[str] | None, option(DATA, "--pair", "PAIR...",
    "Language pairs to learn from, for example cs-en.", show_default="all into English")]  # fmt: skip
Epochs = Annotated[int, option(TRAINING, "--epochs", "N",
    "Largest number of passes over the training data.", min=1)]  # fmt: skip
Rate = Annotated[float, option(TRAINING, "--rate", "RATE",
    "Learning rate of the optimizer.", min=0.0)]  # fmt: skip
Decay = Annotated[float, option(TRAINING, "--decay", "RATE",
    "Weight decay (L2 regularisation).", min=0.0)]  # fmt: skip
Dropout = Annotated[float, option(TRAINING, "--dropout", "SHARE",
    "Share of the numbers that are set to 0 at random during training.", min=0.0, max=0.99)]  # fmt: skip
Seed = Annotated[int, option(TRAINING, "--seed", "N",
    "Seed of the random numbers: the initial weights, the order of examples, dropout.", min=0)]  # fmt: skip
Device = Annotated[str, option(TRAINING, "--device", "NAME",
    "Processor to train on: cpu, cuda, cuda:1, ..., or auto for the first GPU if there is one.")]  # fmt: skip


class TrainCommand(SpreadingCommand):
    """A command that still takes the old names of its options, with a sentence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        renamed = RENAMED.get(self.name or "", {})
        current = []
        for argument in args:
            name, equals, value = argument.partition("=")
            if name in renamed:
                warn(
                    f"The option {name} is now called {renamed[name]}; the old name works for one more release."
                )
            current.append(renamed.get(name, name) + equals + value)
        return super().parse_args(ctx, current)


def print_epoch(epoch: Epoch) -> None:
    """A line on standard error after each epoch."""
    line = f"epoch {epoch.epoch}: cost {epoch.loss:.4f}, {epoch.seconds:.1f} s"
    warn(line + _development(epoch.figures))


def print_trained(folder: Path, figures: Mapping[str, float], epoch: int | None = None) -> None:
    """The result, on standard output: which epoch is kept, and how good it is."""
    print(f"{folder}: " + (f"epoch {epoch}" if epoch else "done") + _development(figures))


def _development(figures: Mapping[str, float]) -> str:
    values = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
    return f"; development: {values}" if values else ""
