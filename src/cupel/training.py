"""`cupel.train`: a learned metric of your own, by the name of the metric and the options of its training."""

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
    from cupel.cli.commands import perform, question_of
    from cupel.cli.parser import check_files, named_values

    command = f"train {metric}"
    kind = question_of(command)
    question = kind.of(named_values(kind, {"folder": output, **settings}, f"`cupel {command}`"))
    question.rules()
    check_files(question)
    with redirect_stdout(sys.stderr):
        status = perform(question)
    if status:  # the command said why on standard error
        raise CupelError(f"{output} was not written: the judgments do not contradict the model.")
    return Path(output)
