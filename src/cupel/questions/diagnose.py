"""Where is a system worse than another?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.errors import CupelError
from cupel.questions.field import Count, Natural, option
from cupel.questions.groups import (
    ExternalScores,
    Format,
    Texts,
    language_pair,
    output_file,
    output_format,
    seed,
    workers,
)
from cupel.questions.question import Question
from cupel.questions.report import check_new


@dataclass(frozen=True, kw_only=True)
class Buckets:
    """What segments and words are divided by."""

    panel: ClassVar[str] = "Buckets"

    language_pair: str | None = language_pair()
    parser: str | None = option(
        None,
        "spaCy model for parts of speech, dependency relations, entities and lemmas, or none "
        "to do without.",
        metavar="MODEL",
        shown="one that is installed for the language",
    )
    frequency: str = option(
        "test",
        "Where word frequencies come from: the references, the package wordfreq, or a file "
        "with text or with lines WORD, tab, COUNT.",
        metavar="test|wordfreq|FILE",
    )
    training: str | None = option(
        None,
        "Training data in the language of the translations, as text or as counts of n-grams: "
        "adds buckets of what was seen there.",
        role="input",
        metavar="FILE",
    )
    columns: tuple[str, ...] = option(
        (),
        "Tables with a row per segment, whose columns are buckets: domain, document, and so "
        "on. A column called document gives positions in documents as well.",
        role="input",
        metavar="FILE[:COLUMN]",
    )


@dataclass(frozen=True, kw_only=True)
class Diagnose(Texts, ExternalScores, Buckets, Question):
    """Find out where systems differ from the first one: in which segments, words and errors.

    Example: cupel diagnose ref.txt -i old.txt new.txt -s source.txt -m chrf++
    """

    command: ClassVar[str] = "diagnose"
    repeatable: ClassVar[bool] = True
    first: ClassVar[tuple[str, ...]] = (
        "systems", "source", "metrics", "language_pair", "scores", "columns", "top", "report",
        "format", "file",
    )  # fmt: skip

    metrics: tuple[str, ...] = option(
        (),
        "Metrics to compare the systems by; `cupel metrics` lists them.",
        "--metrics",
        "-m",
        metavar="METRIC",
        shown="chrf++, or none with --scores",
    )
    resamples: Count = option(1000, "Number of bootstrap resamples for the intervals.", metavar="N")
    seed: Natural = seed()
    compare_mt: bool = option(
        False,
        "Print the tables of compare-mt instead: the same figures, for tokenised text.",
    )
    top: Count = option(20, "Buckets to print as text.", role="output", metavar="N")
    report: Path | None = option(
        None,
        "Also write an HTML page with all buckets and segments.",
        role="output",
        metavar="FILE",
    )
    force: bool = option(False, "Replace the HTML page if it exists.", role="output")
    workers: Count = workers()
    format: Format = output_format()
    file: Path | None = output_file()

    @property
    def texts_are_read(self) -> bool:
        """Whether there are texts, and not scores alone."""
        return bool(self.systems or self.references or not self.scores)

    def rules(self) -> None:
        """Texts need references, unless there are scores of other programs."""
        check_new(self.report, self.force)
        if not self.references and (self.compare_mt or not self.scores):
            raise CupelError("The argument REF is missing (see `cupel diagnose --help`).")
