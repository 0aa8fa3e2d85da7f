"""Which words did a metric match?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.errors import CupelError
from cupel.questions.field import Count, option
from cupel.questions.groups import (
    Format,
    Texts,
    language_pair,
    output_file,
    output_format,
    trees,
)
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Align(Texts, Question):
    """Show which words or phrases a metric matched, how, and with which weights.

    Example: cupel align ref.txt -i system.txt -m meteor --segment 3
    """

    command: ClassVar[str] = "align"

    metric: str = option("meteor", "Metric that aligns words.", "--metric", "-m", metavar="METRIC")
    language_pair: str | None = language_pair()
    trees: str | None = trees()
    segment: Count | None = option(
        None,
        "Show only segment N, counted from 1.",
        "--segment",
        "-n",
        metavar="N",
        shown="all",
    )
    format: Format = output_format()
    file: Path | None = output_file()

    def rules(self) -> None:
        """Words are matched with references."""
        if not self.references:
            raise CupelError("The argument REF is missing (see `cupel align --help`).")
