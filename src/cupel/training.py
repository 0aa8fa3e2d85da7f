"""`cupel.train`: a learned metric of your own, by the name of the metric and the options of its training.

The options are those of `cupel train METRIC`, and so are their checks: this is that command for
Python.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from cupel.errors import CupelError

TRAINED = ("assay", "nnrk", "reval")


def train(metric: str, output: str | Path, **settings: Any) -> Path:
    """Train a metric on human judgments; returns the folder, which the metric takes as its weights.

    metric: assay, nnrk or reval. output: the folder for weights, card and log. settings: the options
    that `cupel train METRIC --help` lists, with `_` for `-`: train=["wmt13"], epochs=4, seed=1.
    What the training reports goes to standard error. Tuning that does not help is an error.
    """
    if metric not in TRAINED:
        raise CupelError(f"There is no training of {metric!r}; there is of {', '.join(TRAINED)}.")
    from cupel.cli.typer_commands import app
    from cupel.cli.usage import UsageError, usage_sentence

    arguments = ["train", metric, "--output", str(output)]
    for name, value in settings.items():
        arguments += _option(name.replace("_", "-"), value)
    with redirect_stdout(sys.stderr):
        try:
            status = app(arguments, prog_name="cupel", standalone_mode=False)
        except UsageError as error:
            raise CupelError(usage_sentence(error)) from error
    if status:  # the command said why on standard error
        raise CupelError(f"{output} was not written: the judgments do not contradict the model.")
    return Path(output)


def _option(name: str, value: Any) -> list[str]:
    """A setting as the command line has it."""
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    values = value if isinstance(value, list | tuple) else [value]
    return [f"--{name}", *map(str, values)]
