"""`cupel train`: metrics learned from human judgments, one file for each."""

from __future__ import annotations

import typer

from cupel.cli.train_assay import assay
from cupel.cli.train_nnrk import nnrk
from cupel.cli.train_options import TrainCommand
from cupel.cli.train_reval import reval
from cupel.cli.usage import Group

app = typer.Typer(
    cls=Group,
    help="Train a metric on human judgments.\n\nExample: cupel train reval --list-sets",
    no_args_is_help=True,
)
for command in (assay, reval, nnrk):
    app.command(command.__name__, cls=TrainCommand)(command)


@app.callback()
def train() -> None:
    """Train a metric on human judgments."""
