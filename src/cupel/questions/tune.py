"""Which parameters of a metric agree best with people?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cupel.questions.field import Count, Natural, option
from cupel.questions.groups import (
    Format,
    Places,
    output_file,
    output_format,
    pairs,
    places,
    seed,
    use_cache,
    workers,
)
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Tune(Question):
    """Search for the parameters of a metric that agree best with human judgments.

    Example: cupel tune redp --on wmt13 --goal sys+seg --hold-out fr-en --save mine
    """

    command: ClassVar[str] = "tune"
    answered_by: ClassVar[str] = "cupel.cli.tune:answer"

    metric: str = option(
        ..., "Metric to tune: one with parameters, such as redp.", metavar="METRIC", argument=True
    )
    on: tuple[str, ...] = option(..., "Datasets with human rankings to tune on.", metavar="DATASET")
    goal: str = option(
        "sys+seg",
        "Agreement with people to maximize: of systems (sys), segments (seg) or both.",
        metavar="GOAL",
    )
    search: Literal["grid", "genetic"] = option("grid", "Search method.")
    pairs: tuple[str, ...] = pairs()
    hold_out: tuple[str, ...] = option(
        (),
        "Language pairs that are only reported, not tuned on; `lines` holds out every "
        "fifth line of each pair.",
        metavar="PAIR",
    )
    grids: tuple[str, ...] = option(
        (),
        "Values to try for a parameter; NAME=VALUE keeps it fixed.",
        "--grid",
        metavar="NAME=FIRST:LAST:STEP",
        shown="0.1 to 0.9",
    )
    subset: tuple[str, ...] = option(
        (),
        "Parameters that the grid search tunes first.",
        "--tune-first",
        metavar="NAME",
        shown="the first half",
    )
    iterations: Count | None = option(
        None,
        "Largest number of rounds (grid) or generations (genetic).",
        metavar="N",
        shown="8 for grid, 20 for genetic",
    )
    save: str | None = option(
        None, "Save the result as a preset of this name.", role="output", metavar="NAME"
    )
    force: bool = option(False, "Replace a preset of the same name.", role="output")
    seed: Natural = seed()
    workers: Count = workers()
    use_cache: bool = use_cache("features")
    format: Format = output_format()
    width: Places = places(3)
    file: Path | None = output_file()
