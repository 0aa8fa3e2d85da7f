"""Does a metric notice when a sentence is corrupted?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions.field import Count, Natural, Share, option
from cupel.questions.groups import (
    ExternalScores,
    Format,
    Places,
    language_pair,
    output_file,
    output_format,
    seed,
    workers,
)
from cupel.questions.question import Question
from cupel.questions.report import check_new


@dataclass(frozen=True, kw_only=True)
class Suites:
    """The tests to run: suites, or made from a text."""

    panel: ClassVar[str] = "Tests"

    suites: tuple[str, ...] = option(
        (),
        "Tests to run: mutt, sick, sick:FILE, sample, a file of JSON lines, demetr:PATH or aces:FILE.",
        "--suite",
        metavar="SUITE",
        shown="mutt, or sample where the dataset mutt is not installed",
    )
    generate: tuple[str, ...] = option(
        (),
        "Make tests from your own text: corrupt the segments of TEXT; REF are their references.",
        role="input",
        metavar="TEXT [REF]",
    )
    corruptions: tuple[str, ...] = option(
        (), "Run only these corruptions.", "--corruption", metavar="NAME", shown="all"
    )
    reference_counts: tuple[Count, ...] = option(
        (),
        "Use the first N references of each trial; several numbers make several tables.",
        metavar="N",
        shown="5 10 20 for mutt, else all",
    )
    save: Path | None = option(
        None,
        "Write the tests (of --generate or --suite) to this file as JSON lines.",
        role="output",
        metavar="FILE",
    )
    texts: Path | None = option(
        None,
        "Write the texts of the tests into this new folder as plain files, one line per "
        "test, for other programs to score; --scores takes their scores.",
        role="output",
        metavar="FOLDER",
        folder=True,
    )
    seed: Natural = seed()


@dataclass(frozen=True, kw_only=True)
class UnitTest(Suites, ExternalScores, Question):
    """Run unit tests on metrics: do they notice when a sentence is corrupted?

    Example: cupel mutt -m chrf ter --suite sample
    """

    command: ClassVar[str] = "mutt"
    repeatable: ClassVar[bool] = True
    first: ClassVar[tuple[str, ...]] = (
        "metrics", "suites", "language_pair", "reference_counts", "failures", "min_accuracy",
        "scores", "report", "format", "file",
    )  # fmt: skip

    metrics: tuple[str, ...] = option(
        (),
        "Metrics to test; `paper` stands for those of the paper, `all` for all that are ready.",
        "--metrics",
        "-m",
        metavar="METRIC",
    )
    language_pair: str | None = language_pair()
    formula: Literal["order", "difference"] | None = option(
        None,
        "When a trial is passed: the original scores better (order), or the scores are nearly "
        "equal (difference).",
        shown="difference where the meaning is preserved, else order",
    )
    threshold: float = option(
        0.15,
        "Largest relative difference of scores that count as nearly equal.",
        metavar="SHARE",
    )
    failures: Natural = option(0, "Show the first N failed trials of each corruption.", metavar="N")
    min_accuracy: Share | None = option(
        None,
        "Exit with status 1 if any accuracy is lower than this share (0.9 for 90%).",
        metavar="SHARE",
    )
    consistency: str | None = option(
        None,
        "Instead of tests, print correlations between metrics and human scores for this "
        "corruption in SICK.",
        metavar="CORRUPTION",
    )
    plots: Path | None = option(
        None,
        "Write charts of the accuracies as SVG files; with --consistency, histograms of the scores.",
        role="output",
        metavar="FOLDER",
        folder=True,
    )
    report: Path | None = option(
        None,
        "Also write an HTML page with charts, tables and failed trials.",
        role="output",
        metavar="FILE",
    )
    force: bool = option(False, "Replace the HTML page if it exists.", role="output")
    workers: Count = workers()
    format: Format = output_format()
    width: Places = option(1, "Number of decimal places.", "--width", "-w", metavar="N")
    file: Path | None = output_file()

    def rules(self) -> None:
        """Tests and consistency are two things, and what is saved is one suite."""
        check_new(self.report, self.force)
        if self.consistency is not None and (self.scores or self.texts or self.report):
            raise CupelError(
                "--consistency tests no trials: leave out --scores, --texts and --report."
            )
        if self.save is not None and not self.generate and len(self.suites) != 1:
            raise CupelError("--save writes one suite: give --generate TEXT, or one --suite.")
