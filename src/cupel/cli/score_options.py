"""Options that `cupel score` and `cupel merge` share: what to print of the scores."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cupel.cli.options import MOST_RESAMPLES, OUTPUT

SIGNIFICANCE = "Significance"


class PairedTest(StrEnum):
    """The values of `--paired`."""

    bs = "bs"
    ar = "ar"


SegmentLevel = Annotated[
    bool, typer.Option("--sentence-level", "-sl", help="Print the score of each segment.")
]
Details = Annotated[
    bool,
    typer.Option(
        "--details",
        help="Print what the scores are made of: BLEU's precisions and brevity penalty, TER's "
        "edits by kind, METEOR's precision, recall and chunks.",
    ),
]
Ci = Annotated[
    bool,
    typer.Option(
        "--ci",
        "--confidence",
        "-ci",
        help="Add 95% confidence intervals by bootstrap resampling.",
        rich_help_panel=SIGNIFICANCE,
    ),
]
CiN = Annotated[
    int,
    typer.Option(
        "--ci-n",
        "--confidence-n",
        "-cin",
        metavar="N",
        min=2,
        max=MOST_RESAMPLES,
        help="Number of bootstrap resamples for --ci.",
        rich_help_panel=SIGNIFICANCE,
    ),
]
Paired = Annotated[
    PairedTest | None,
    typer.Option(
        "--paired",
        help="Test whether each system differs from the first, by paired bootstrap (bs) or "
        "approximate randomization (ar).",
        rich_help_panel=SIGNIFICANCE,
    ),
]
PairedN = Annotated[
    int | None,
    typer.Option(
        "--paired-n",
        "--paired-bs-n",
        "--paired-ar-n",
        "-pbsn",
        "-parn",
        metavar="N",
        min=2,
        max=MOST_RESAMPLES,
        help="Number of resamples (bs) or trials (ar) of the paired test.",
        show_default="bs 1000, ar 10000",
        rich_help_panel=SIGNIFICANCE,
    ),
]
ScoreOnly = Annotated[
    bool,
    typer.Option("--score-only", "-b", help="Print only the scores.", rich_help_panel=OUTPUT),
]
ScoreWidth = Annotated[
    int | None,
    typer.Option(
        "--width",
        "-w",
        metavar="N",
        min=0,
        max=20,
        help="Number of decimal places.",
        show_default="1 for scores in percent, else 4",
        rich_help_panel=OUTPUT,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print results only, no notes on standard error.",
        rich_help_panel=OUTPUT,
    ),
]
