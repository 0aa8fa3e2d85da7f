"""Which segments should people judge?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions.field import Count, Natural, option
from cupel.questions.groups import Format, output_format, pair, seed
from cupel.questions.question import Question

Method = Literal[
    "random", "disagreement", "variance", "close", "consistency", "typical", "diversity", "content"
]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The translations of which some are to be judged: files, or a campaign."""

    systems: tuple[str, ...] = option(
        (),
        "Files with the translations, one per system.",
        "--input",
        "-i",
        role="input",
        metavar="HYP",
    )
    source: str | None = option(
        None, "File with the source text.", "--source", "-s", role="input", metavar="SRC"
    )
    references: tuple[str, ...] = option(
        (),
        "Reference files; without them, translations are compared with those of the other systems.",
        "--ref",
        "-r",
        role="input",
        metavar="REF",
    )
    campaign: str | None = option(
        None,
        "Take all texts from a dataset or folder in the layout of mt-metrics-eval instead of "
        "files; with --pair.",
        metavar="DATASET",
    )
    names: tuple[str, ...] = option(
        (),
        "Names of the systems in the results, in the order of -i.",
        metavar="NAME",
        shown="from the file names",
    )
    documents: str | None = option(
        None,
        "File with the name of the document of each segment, one per line; a domain and a tab may "
        "stand before it.",
        role="input",
        metavar="FILE",
        shown="those of the campaign",
    )
    pair: str | None = pair(shown="from the names of the files")


@dataclass(frozen=True, kw_only=True)
class Select(Judged, Question):
    """Choose the segments whose judgment by people tells most, and compare with a random choice.

    Example: cupel select -i a.txt b.txt c.txt -s src.txt -r ref.txt --budget 20 -o tasks.jsonl
    """

    command: ClassVar[str] = "select"
    answered_by: ClassVar[str] = "cupel.cli.select:answer"

    file: Path = option(
        ...,
        "File to write the tasks to, for `cupel annotate`.",
        "--output",
        "-o",
        role="output",
        metavar="TASKS.jsonl",
    )
    budget: Count | None = option(
        None,
        "Number of segments to judge.",
        "--budget",
        "-n",
        metavar="N",
        shown="200, or all if there are fewer",
    )
    method: tuple[Method, ...] = option(
        ("disagreement", "typical", "content"),
        "What makes a segment worth judging; several are combined by the product of their ranks.",
    )
    pick: Literal["draw", "top"] = option(
        "draw", "Draw segments by chance in proportion to their worth, or take those worth most."
    )
    metrics: tuple[str, ...] = option(
        ("chrf", "sentbleu", "ter"),
        "Metrics whose scores are compared.",
        "--metrics",
        "-m",
        metavar="METRIC",
    )
    whole: bool = option(False, "Select whole documents, up to the budget.", "--whole-documents")
    context: Natural = option(
        2, "Show so many segments before it in the same document.", metavar="N"
    )
    seed: Natural = seed()
    format: Format = output_format()
    force: bool = option(False, "Replace the file if it exists.", role="output")

    def rules(self) -> None:
        """Either a campaign, or files with their source."""
        if self.campaign is not None:
            if self.systems or self.source or self.references:
                raise CupelError("A campaign has all texts itself: leave out -i, -s and -r.")
        elif not self.systems:
            raise CupelError("The translations are missing: name one file for each system (-i).")
        elif self.source is None:
            raise CupelError("Annotators need the source text: give it with -s.")
