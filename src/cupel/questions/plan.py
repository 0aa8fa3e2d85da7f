"""How many segments would show a difference?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.questions.field import option
from cupel.questions.groups import Format, Texts, language_pair, output_file, output_format
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class PlanTest(Texts, Question):
    """Say how many segments would show a difference, from two outputs on some segments.

    Example: cupel plan ref.txt -i old.txt new.txt -m chrf++ --difference 0.5
    """

    command: ClassVar[str] = "plan"
    first: ClassVar[tuple[str, ...]] = ("systems", "metrics", "difference", "power", "alpha")
    answered_by: ClassVar[str] = "cupel.cli.plan:answer"

    metrics: tuple[str, ...] = option(
        ("bleu",), "Metrics to plan for.", "--metrics", "--metric", "-m", metavar="METRIC"
    )
    difference: float | None = option(
        None,
        "Difference that is to be shown, in points of the metric, above 0.",
        "--difference",
        "-d",
        metavar="NUMBER",
        shown="none: print only what this test set can show",
    )
    power: float = option(
        0.8,
        "Share of test sets on which a real difference of this size must be found.",
        metavar="SHARE",
    )
    alpha: float = option(0.05, "Level of the two-sided paired test.", metavar="P")
    language_pair: str | None = language_pair()
    format: Format = output_format()
    file: Path | None = output_file()
