"""`cupel train`: metrics learned from human judgments, one file a kind of model."""

from __future__ import annotations

import typer

from cupel.cli import train_assay, train_nnrk, train_reval
from cupel.cli.usage import Group
from cupel.cli.variadic import SpreadingCommand

app = typer.Typer(
    cls=Group,
    help="Train a metric on human judgments.\n\nExample: cupel train reval --list-sets",
    no_args_is_help=True,
)
app.command("assay", cls=SpreadingCommand)(train_assay.assay)
app.command("reval", cls=SpreadingCommand)(train_reval.reval)
app.command("nnrk", cls=SpreadingCommand)(train_nnrk.nnrk)


@app.callback()
def train() -> None:
    """Train a metric on human judgments."""
