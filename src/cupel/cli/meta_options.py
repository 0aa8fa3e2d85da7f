"""Options of `cupel meta` about campaign folders and about tests on graded judgments."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cupel.cli.options import OUTPUT, writable

CAMPAIGN = "Campaign folders"
TESTS = "Intervals and tests"


class Undefined(StrEnum):
    """The values of `--undefined`."""

    skip = "skip"
    zero = "zero"


Stored = Annotated[
    list[str] | None,
    typer.Option(
        "--stored",
        metavar="METRIC...",
        help="Evaluate stored scores of the folder as well: COMET, chrF, ..., or all.",
        rich_help_panel=CAMPAIGN,
    ),
]
Primary = Annotated[
    bool,
    typer.Option(
        "--primary",
        help="Of the stored metrics, only those that WMT names as primary submissions.",
        rich_help_panel=CAMPAIGN,
    ),
]
References = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        metavar="NAME...",
        help="References to use: refA, refB, ...",
        show_default="the one that WMT names, else the first",
        rich_help_panel=CAMPAIGN,
    ),
]
CloseReferences = Annotated[
    list[str] | None,
    typer.Option(
        "--close-reference",
        metavar="NAME...",
        help="References that are close to it, never used as systems.",
        rich_help_panel=CAMPAIGN,
    ),
]
Domain = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Use this domain only.",
        show_default="all",
        rich_help_panel=CAMPAIGN,
    ),
]
UsedSystems = Annotated[
    list[str] | None,
    typer.Option(
        "--systems",
        metavar="NAME...",
        help="Use these systems only.",
        show_default="all judged ones without human translations and outliers",
        rich_help_panel=CAMPAIGN,
    ),
]
IncludeHuman = Annotated[
    bool,
    typer.Option(
        "--include-human",
        help="Human translations (other references) count as systems.",
        rich_help_panel=CAMPAIGN,
    ),
]
IncludeOutliers = Annotated[
    bool,
    typer.Option(
        "--include-outliers",
        help="Keep the systems that WMT names as outliers.",
        rich_help_panel=CAMPAIGN,
    ),
]
PValues = Annotated[
    bool,
    typer.Option(
        "--p-values",
        help="For correlations with grades: add the p-value of no correlation.",
        rich_help_panel=TESTS,
    ),
]
LikeMtme = Annotated[
    bool,
    typer.Option(
        "--like-mtme",
        help="Repeat accidents of mt-metrics-eval: a system without stored scores has 0, and spa "
        "moves judgments together where some are missing.",
        rich_help_panel=CAMPAIGN,
    ),
]
Permutations = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Permutations of a test on grades; 0 leaves out the tests of --task.",
        show_default="1000",
        rich_help_panel=TESTS,
    ),
]
Block = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        help="After each block of N permutations, a test with p < 0.02 or p > 0.5 ends.",
        rich_help_panel=TESTS,
    ),
]
UndefinedAs = Annotated[
    Undefined,
    typer.Option(
        help="Segments or systems without a value (constant scores): skip them in averages, or "
        "count them as zero.",
        rich_help_panel=TESTS,
    ),
]
AdviceOption = Annotated[
    bool,
    typer.Option(
        "--advice",
        help="Of graded judgments: print which metric to trust, or that they are too few to tell and "
        "how many would tell; below 1,000 judgments always printed.",
        rich_help_panel=TESTS,
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="N",
        help="Least difference of human scores that kendall-like counts.",
        show_default="0, and 25 for wmt-raw",
        rich_help_panel=TESTS,
    ),
]
SampleRate = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="Share of the pairs on which acc-eq chooses its tie threshold.",
        rich_help_panel=TESTS,
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        callback=writable,
        help="Also write an HTML page with charts, and the segments where judges disagree.",
        rich_help_panel=OUTPUT,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Replace the file of --report if it exists.", rich_help_panel=OUTPUT
    ),
]
