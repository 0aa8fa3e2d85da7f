"""How good are these translations?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions.field import Range, option
from cupel.questions.groups import (
    ExternalScores,
    Output,
    Resampling,
    Spread,
    Texts,
    language_pair,
    trees,
)
from cupel.questions.question import Question
from cupel.questions.report import check_new


@dataclass(frozen=True, kw_only=True)
class Printed(Resampling, Output):
    """What is printed of scores, by `cupel score` and `cupel merge` alike."""

    panel: ClassVar[str] = "Output"

    segments: bool = option(
        False, "Print the score of each segment.", "--sentence-level", "--segments", "-sl"
    )
    details: bool = option(
        False,
        "Print what the scores are made of: BLEU's precisions and brevity penalty, TER's "
        "edits by kind, METEOR's precision, recall and chunks.",
    )
    score_only: bool = option(False, "Print only the scores.", "--score-only", "-b", role="output")
    language_pair: str | None = language_pair()
    domain: str | None = option(
        None,
        "Domain of the texts: news, talks or biomedical. With --paired, what a difference means "
        "to people is known for these only.",
        metavar="NAME",
    )
    force: bool = option(
        False,
        "Replace a report that exists, and print no note on systems that look tokenised.",
        role="output",
    )

    def rules(self) -> None:
        """Segments have no intervals and tests, and nothing but segments is Parquet."""
        if self.segments and (self.ci or self.paired):
            raise CupelError(_SYSTEMS_ONLY)
        if is_parquet(self.file) and not self.segments:
            raise CupelError("Only segment scores are written as Parquet: add -sl, or --part K/N.")
        if self.segments and self.details:
            raise CupelError("--details of segments needs all texts at once: leave it out.")


@dataclass(frozen=True, kw_only=True)
class TestSet:
    """A test set in place of files, and what `cupel score` says of test sets."""

    panel: ClassVar[str] = "Test sets"

    test_set: str | None = option(
        None,
        "Score against this test set: a name of --list, several with commas, or a file in "
        "WMT's XML. Needs -l.",
        "--test-set",
        "-t",
        metavar="NAME",
    )
    subset: str | None = option(
        None,
        "Use the documents whose domain matches, or whose id where there are no domains.",
        metavar="REGEX",
    )
    origlang: str | None = option(
        None,
        "Use the segments of this original language; non-LANG for all others.",
        "--origlang",
        "-ol",
        metavar="LANG",
    )
    echo: tuple[str, ...] = option(
        (),
        "Print fields of the test set: src, ref, docid, domain, origlang, ..., or all.",
        role="output",
        metavar="FIELD",
    )
    list_sets: bool = option(
        False,
        "List the test sets that are here and those that one command gets; with -t, the "
        "language pairs and fields of one.",
        "--list",
        role="output",
    )
    cite: bool = option(
        False,
        "Print what to cite for the test set (BibTeX).",
        "--cite",
        "--citation",
        role="output",
    )


@dataclass(frozen=True, kw_only=True)
class BleuOptions:
    """Options of BLEU, as in sacreBLEU."""

    panel: ClassVar[str] = "BLEU, as in sacreBLEU"

    lowercase: bool = option(False, "Ignore case in BLEU.", "--lowercase", "-lc")
    tokenize: str | None = option(
        None,
        "Tokenizer for BLEU: 13a, intl, char, zh, ja-mecab, ko-mecab, flores200, none, ...",
        "--tokenize",
        "-tok",
        metavar="NAME",
        shown="13a, or the one for the target language given by -l",
    )
    smooth_method: str = option(
        "exp", "Smoothing for BLEU: exp, floor, add-k or none.", metavar="NAME"
    )
    smooth_value: float | None = option(
        None,
        "Value for --smooth-method floor or add-k.",
        "--smooth-value",
        "-sv",
        metavar="VALUE",
        shown="0.1 for floor, 1 for add-k",
    )


@dataclass(frozen=True, kw_only=True)
class ChrfOptions:
    """Options of chrF, as in sacreBLEU."""

    panel: ClassVar[str] = "chrF, as in sacreBLEU"

    chrf_char_order: int = option(
        6, "Longest character n-grams of chrF.", "--chrf-char-order", "-cc", metavar="N"
    )
    chrf_word_order: int = option(
        0,
        "Longest word n-grams of chrF; 2 makes it chrF++.",
        "--chrf-word-order",
        "-cw",
        metavar="N",
    )
    chrf_beta: int = option(2, "Weight of recall in chrF.", metavar="N")
    chrf_whitespace: bool = option(False, "Count spaces as characters in chrF.")
    chrf_lowercase: bool = option(False, "Ignore case in chrF.")
    chrf_eps_smoothing: bool = option(
        False, "Smooth chrF with a small constant, as NLTK and Moses do."
    )


@dataclass(frozen=True, kw_only=True)
class TerOptions:
    """Options of TER, as in sacreBLEU."""

    panel: ClassVar[str] = "TER, as in sacreBLEU"

    ter_case_sensitive: bool = option(False, "Respect case in TER.")
    ter_asian_support: bool = option(False, "Split East Asian characters for TER.")
    ter_no_punct: bool = option(False, "Remove punctuation for TER.")
    ter_normalized: bool = option(False, "Split off punctuation and decode entities for TER.")


@dataclass(frozen=True, kw_only=True)
class Gates:
    """Gates for builds: is this system good enough, and not worse than the one before?"""

    panel: ClassVar[str] = "Builds"

    fail_under: tuple[str, ...] = option(
        (),
        "Exit with 1 if the score of a system is worse than this.",
        metavar="METRIC=NUMBER",
    )
    not_worse_than: str | None = option(
        None,
        "Exit with 1 unless a one-sided paired test (bootstrap of the difference) shows for "
        "each metric of --margin that the systems are worse than this one by less than the margin. "
        "It becomes the first system of the results.",
        metavar="HYP",
    )
    margin: tuple[str, ...] = option(
        (),
        "How much worse than --not-worse-than is acceptable, such as chrf++=0.3.",
        metavar="METRIC=NUMBER",
    )
    alpha: Annotated[float, Range(0, 0.5, above=True)] = option(
        0.05,
        "Level of the test of --not-worse-than and of --clusters: a system that is worse by "
        "the margin passes with this probability.",
        metavar="LEVEL",
    )
    summary: Path | None = option(
        None,
        'Append scores and gates to this file as Markdown: "$GITHUB_STEP_SUMMARY".',
        role="output",
        metavar="FILE",
    )
    junit: Path | None = option(
        None, "Write the gates as JUnit XML.", role="output", metavar="FILE"
    )

    @property
    def gated(self) -> bool:
        """Whether there is a gate, or a file for gates."""
        return any((self.fail_under, self.not_worse_than, self.margin, self.summary, self.junit))


@dataclass(frozen=True, kw_only=True)
class Score(
    Texts,
    ExternalScores,
    Printed,
    TestSet,
    Spread,
    Gates,
    BleuOptions,
    ChrfOptions,
    TerOptions,
    Question,
):
    """Score translations against references.

    Example: cupel score ref.txt -i system1.txt system2.txt -m bleu chrf++ ter --ci
    """

    command: ClassVar[str] = "score"
    answered_by: ClassVar[str] = "cupel.engines.score:answer"
    repeatable: ClassVar[bool] = True
    first: ClassVar[tuple[str, ...]] = (
        "systems", "metrics", "source", "language_pair", "test_set", "ci", "paired", "segments",
        "scores", "report", "format", "file",
    )  # fmt: skip

    metrics: tuple[str, ...] = option(
        (),
        "Metrics to compute; `cupel metrics` lists them. Options follow a colon: "
        "bleu:tokenize=intl.",
        "--metrics",
        "-m",
        metavar="METRIC",
        shown="bleu, or none with --scores",
    )
    trees: str | None = trees()
    prefer: bool = option(
        False,
        "Compare two systems: for each segment, the probability that the first is better "
        "(with nnrk or assay).",
    )
    flagged: bool = option(
        False,
        "List the segments that checks flag, with their texts; without -m, by all checks that "
        "are ready (`cupel metrics`).",
    )
    clusters: bool = option(
        False,
        "Rank the systems by each metric, in clusters that cannot be told apart, with "
        "corrected p-values of all pairs, and print who may be the best.",
    )
    correct: Literal["holm", "bh"] = option(
        "holm",
        "How --clusters corrects p-values for many comparisons: Holm (no error among all "
        "pairs) or Benjamini and Hochberg (few errors among the differences).",
    )
    report: Path | None = option(
        None,
        "Also write an HTML report with charts and all segments.",
        role="output",
        metavar="FILE",
    )
    no_color: bool = option(
        False, "Print plain text on a terminal, too.", "--no-color", "-nc", role="output"
    )

    @property
    def per_segment(self) -> bool:
        """Whether segments are printed, not systems."""
        return self.segments or self.prefer or self.flagged

    @property
    def on_all_texts(self) -> dict[str, object]:
        """What needs all texts at once: option -> whether it is asked for."""
        return {
            "a test set (-t)": self.test_set,
            "--scores": self.scores,
            "--prefer": self.prefer,
            "--flagged": self.flagged,
            "--clusters": self.clusters,
            "--report": self.report,
            "a gate": self.gated,
        }

    def rules(self) -> None:
        """Refuse what does not go together, before any text is read."""
        if self.source in ("exp", "floor", "add-k", "none"):
            raise CupelError(
                f"-s names the source file here: for sacreBLEU's smoothing write --smooth-method {self.source}."
            )
        self._check_test_set()
        if self.per_segment and (self.ci or self.paired or self.clusters):
            raise CupelError(_SYSTEMS_ONLY)
        check_new(self.report, self.force)
        if self.flagged and self.format == "latex":
            raise CupelError("--flagged lists texts: choose -f text, json or tsv.")
        self._check_gates()
        self._check_spread()

    def _check_test_set(self) -> None:
        if self.test_set is None:
            for option_name, value in (
                ("--cite", self.cite),
                ("--echo", self.echo),
                ("--origlang", self.origlang),
                ("--subset", self.subset),
            ):
                if value:
                    raise CupelError(
                        f"{option_name} needs a test set (-t); `cupel score --list` lists them."
                    )
        elif self.references:
            raise CupelError(
                f"The references come from the test set {self.test_set} (-t): leave out "
                f"{self.references[0]}, or -t."
            )
        elif self.source is not None:
            raise CupelError(
                f"The source text comes from the test set {self.test_set} (-t): leave out -s."
            )
        elif self.num_refs > 1:
            raise CupelError("--num-refs is for a file of references: leave it out with -t.")

    def _check_gates(self) -> None:
        if self.gated and self.per_segment:
            raise CupelError("Gates judge system scores: leave out -sl, --prefer and --flagged.")
        if bool(self.not_worse_than) != bool(self.margin):
            raise CupelError(
                "--not-worse-than and --margin go together: name a baseline, and for each metric to "
                "test how much worse is acceptable."
            )

    def _check_spread(self) -> None:
        if self.engine == "ray":
            self._check_ray()
        else:
            for option_name, value in (("--address", self.address), ("--keep", self.keep)):
                if value is not None:
                    raise CupelError(
                        f"{option_name} is for --engine ray: add that, or leave it out."
                    )
        if self.part is not None:
            if self.ci or self.paired:
                raise CupelError(
                    "Intervals and tests are of all parts: ask `cupel merge` for them."
                )
            if self.file is None:
                raise CupelError("A part is written to a file: name it with -o.")
        elif is_parquet(self.file) and not self.segments:
            raise CupelError("Only segment scores are written as Parquet: add -sl, or --part K/N.")

    def _check_ray(self) -> None:
        unfit = {**self.on_all_texts, "--stream": self.stream, "--part": self.part}
        for option_name, value in unfit.items():
            if value:
                raise CupelError(
                    f"--engine ray does not go with {option_name}: leave one of them out."
                )
        if self.details and self.segments:
            raise CupelError("--details of segments needs all texts at once: leave it out.")
        if self.encoding.lower().replace("-", "") != "utf8":
            raise CupelError("--engine ray reads UTF-8 only: convert the files.")
        if self.num_refs != 1:
            raise CupelError("--engine ray reads one reference per line: leave out --num-refs.")


_SYSTEMS_ONLY = (
    "Intervals, tests and clusters are computed for system scores only: leave out -sl, "
    "--prefer and --flagged."
)


def is_parquet(path: Path | None) -> bool:
    """Whether a file is to be Parquet, by its name."""
    return path is not None and path.suffix.lower() == ".parquet"
