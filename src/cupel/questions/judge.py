"""How far do metrics agree with people?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions.field import Count, Natural, Range, fields_of, option
from cupel.questions.groups import (
    MOST_RESAMPLES,
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

TASK_FIELDS = (
    "pairs level statistic average human domain reference close_references systems include_human "
    "include_outliers primary compare permutations block undefined sample_rate threshold"
).split()
"""What the tasks of a metrics task ask, each by itself."""
WITH_TASKS = "dataset metrics task stored score_files lower permutations like_mtme seed".split()
"""What is asked of all tasks together."""


@dataclass(frozen=True, kw_only=True)
class Scored:
    """Scores that are not computed here, and how those that are computed are written."""

    panel: ClassVar[str] = "Scores"

    score_files: tuple[str, ...] = option(
        (),
        "Evaluate scores that another program computed as well: .seg.score and .sys.score in either "
        "layout; for one --pair also .jsonl, .json (COMET), .tsv, .csv, .parquet, .npz.",
        "--scores",
        role="input",
        metavar="[NAME=]FILE[:COLUMN]",
    )
    stored: tuple[str, ...] = option(
        (),
        "Evaluate stored scores of the folder as well: COMET, chrF, ..., or all.",
        metavar="METRIC",
    )
    primary: bool = option(
        False, "Of the stored metrics, only those that WMT names as primary submissions."
    )
    lower: tuple[str, ...] = option(
        (),
        "Metrics of --scores and --stored of which lower is better.",
        metavar="NAME",
        shown="those of MetricX",
    )
    write_scores: Path | None = option(
        None,
        "Write the metrics' scores as score files, in both layouts.",
        role="output",
        metavar="FOLDER",
        folder=True,
    )


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """Which part of a campaign folder is used."""

    panel: ClassVar[str] = "Campaign folders"

    reference: tuple[str, ...] = option(
        (),
        "References to use: refA, refB, ...",
        metavar="NAME",
        shown="the one that WMT names, else the first",
    )
    close_references: tuple[str, ...] = option(
        (),
        "References that are close to it, never used as systems.",
        "--close-reference",
        metavar="NAME",
    )
    domain: str | None = option(None, "Use this domain only.", metavar="NAME", shown="all")
    systems: tuple[str, ...] = option(
        (),
        "Use these systems only.",
        metavar="NAME",
        shown="all judged ones without human translations and outliers",
    )
    include_human: bool = option(False, "Human translations (other references) count as systems.")
    include_outliers: bool = option(False, "Keep the systems that WMT names as outliers.")
    like_mtme: bool = option(
        False,
        "Repeat accidents of mt-metrics-eval: a system without stored scores has 0, and spa moves "
        "judgments together where some are missing.",
    )


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Options of single statistics."""

    panel: ClassVar[str] = "Statistics"

    average: Literal["none", "item", "sys"] | None = option(
        None,
        "Of grades: one value over all translations (none), or the mean over segments (item) or "
        "systems (sys).",
        shown="item for acc-eq, tau-eq, kendall-like, else none",
    )
    undefined: Literal["skip", "zero"] = option(
        "skip",
        "Segments or systems without a value (constant scores): skip them in averages, or count "
        "them as zero.",
    )
    sample_rate: Annotated[float, Range(0, 1, above=True)] = option(
        1.0, "Share of the pairs on which acc-eq chooses its tie threshold.", metavar="SHARE"
    )
    threshold: float | None = option(
        None,
        "Least difference of human scores that kendall-like counts.",
        metavar="N",
        shown="0, and 25 for wmt-raw",
    )
    p_values: bool = option(
        False, "For correlations with grades: add the p-value of no correlation."
    )


@dataclass(frozen=True, kw_only=True)
class Tests:
    """Intervals of a value, and tests between metrics."""

    panel: ClassVar[str] = "Intervals and tests"

    resamples: Annotated[int, Range(0, MOST_RESAMPLES)] = option(
        1000, "Number of resamples for the intervals; 0 for no intervals.", metavar="N"
    )
    over: Literal["judgments", "segments", "systems", "both"] = option(
        "judgments",
        "What the intervals resample: of rankings, the judgments, their segments, systems, or "
        "segments and systems both.",
    )
    average_resamples: bool = option(False, "Report the mean over resamples, as WMT14 did.")
    compare: (
        Literal["bootstrap", "williams", "perm-both", "perm-sys", "perm-input", "perm-pair-diff"]
        | None
    ) = option(
        None,
        "Print p-values for all pairs of metrics; perm-sys, perm-input and perm-pair-diff are for "
        "grades.",
        metavar="TEST",
        shown="no test",
    )
    permutations: Natural | None = option(
        None,
        "Permutations of a test on grades; 0 leaves out the tests of --task.",
        metavar="N",
        shown="1000",
    )
    block: Count = option(
        100,
        "After each block of N permutations, a test with p < 0.02 or p > 0.5 ends.",
        metavar="N",
    )
    correct: Literal["holm", "bh"] | None = option(
        None,
        "Correct p-values for many comparisons: Holm (no error among all pairs) or Benjamini and "
        "Hochberg (few errors among the differences).",
        shown="no correction",
    )
    advice: bool = option(
        False,
        "Of graded judgments: print which metric to trust, or that they are too few to tell and how "
        "many would tell; below 1,000 judgments always printed.",
    )
    seed: Natural = seed()


@dataclass(frozen=True, kw_only=True)
class Work:
    """How metrics are computed, and how the answer is printed."""

    panel: ClassVar[str] = "Output"

    workers: Count = workers()
    use_cache: bool = use_cache("scores")
    format: Format = output_format()
    width: Places = places(3)
    file: Path | None = output_file()
    report: Path | None = option(
        None,
        "Also write an HTML page with charts, and the segments where judges disagree.",
        role="output",
        metavar="FILE",
    )
    force: bool = option(False, "Replace the file of --report if it exists.", role="output")


@dataclass(frozen=True, kw_only=True)
class Judge(Scored, Campaign, Statistics, Tests, Work, Question):
    """Evaluate metrics: how far do they agree with human judgments?

    Example: cupel meta wmt14 -m bleu ter chrf --level segment
    """

    command: ClassVar[str] = "meta"
    repeatable: ClassVar[bool] = True
    first: ClassVar[tuple[str, ...]] = ()
    answered_by: ClassVar[str] = "cupel.meta.campaign:answer"

    dataset: str = option(
        ...,
        "Human judgments: wmt12, wmt13, wmt14, da13, or a campaign: a folder in the layout of "
        "mt-metrics-eval, or a dataset with such a folder (mqm21, ...).",
        argument=True,
        role="input",
        metavar="DATASET",
    )
    metrics: tuple[str, ...] = option(
        (),
        "Metrics to evaluate; all: every metric without parser and network.",
        "--metrics",
        "-m",
        metavar="METRIC",
        shown="for a folder sentbleu, chrf, ter, and into English assay",
    )
    pairs: tuple[str, ...] = pairs()
    level: Literal["segment", "document", "domain", "system"] = option(
        "segment", "What is compared with people: scores of segments, documents ..."
    )
    statistic: str | None = option(
        None,
        "Measure of agreement. For rankings of segments: tau-wmt12, tau-wmt13, tau-wmt14; for grades: "
        "pearson, pearson-diff, spearman, tau-b, tau-c, acc-eq, tau-eq, kendall-like; for systems: "
        "pearson, spearman, spearman-no-ties, kendall, tau-b, accuracy, spa.",
        metavar="NAME",
        shown="tau of the dataset for rankings, else pearson",
    )
    human: str | None = option(
        None,
        "Human scores. In a folder: mqm, esa, ...; for systems of rankings: official, or "
        "expected-wins, trueskill, ...",
        metavar="NAME",
        shown="those of the dataset",
    )
    task: str | None = option(
        None,
        "Evaluate on all tasks of a metrics task and average them: wmt22, wmt23, wmt24, or a task "
        "file (.toml, .json).",
        role="input",
        metavar="FILE",
        shown="one question, as the other options ask it",
    )
    judges: bool = option(
        False,
        "Judge no metric: print how far the judges agree with each other and with themselves "
        "(kappa), and the systems' ranks and clusters.",
    )

    def rules(self) -> None:
        """What cannot be asked together."""
        if self.resamples == 1:
            raise CupelError("One resample gives no interval: --resamples is 0 or at least 2.")
        if self.judges and (self.metrics or self.score_files):
            raise CupelError("--judges is about the judges alone: leave out -m and --scores.")
        for field in fields_of(Judge) if self.task else ():
            free = field.option.role in ("spread", "output") and field.name != "write_scores"
            if field.name in self.changed() and not free and field.name not in WITH_TASKS:
                raise CupelError(
                    f"The tasks of --task say this themselves: leave out {field.names[0]}."
                )
