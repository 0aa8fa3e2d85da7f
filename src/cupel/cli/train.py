"""What `cupel train assay`, `nnrk` and `reval` print."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.cli.output import warn

if TYPE_CHECKING:
    from cupel.neural.training import Epoch


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
