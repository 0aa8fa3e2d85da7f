"""Which candidate agrees most with all the others?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions.candidates import CandidateLists, Chosen, Combining
from cupel.questions.field import Count, Natural, Range, option
from cupel.questions.groups import address, engine, seed, workers
from cupel.questions.question import Question

Method = Literal["exact", "aggregate", "coarse", "prune", "low-rank"]


@dataclass(frozen=True, kw_only=True)
class Shortcuts:
    """Options of the methods that compare fewer pairs, each read by those that have it."""

    panel: ClassVar[str] = "Fewer pairs"

    keep: Count = option(
        16, "Candidates that --method coarse compares exactly.", "--coarse-keep", metavar="K"
    )
    confidence: float = option(
        0.99,
        "How sure --method prune must be to drop a candidate.",
        "--prune-confidence",
        metavar="P",
    )
    reduction: float = option(8.0, "--method low-rank scores one in R pairs.", metavar="R")
    rank: Count = option(8, "Rank of the matrix of --method low-rank.", metavar="K")
    seed: Natural = seed()

    def __post_init__(self) -> None:
        for name, value, is_right, condition in (
            ("keep", self.keep, self.keep >= 1, "1 or more"),
            ("confidence", self.confidence, 0 < self.confidence < 1, "between 0 and 1"),
            ("reduction", self.reduction, self.reduction >= 1, "1 or more"),
            ("rank", self.rank, self.rank >= 1, "1 or more"),
        ):
            if not is_right:
                raise CupelError(f"{name} must be {condition}, not {value}.")


@dataclass(frozen=True, kw_only=True)
class Mbr(CandidateLists, Combining, Shortcuts, Chosen, Question):
    """Choose the candidate of each segment that a metric likes best, averaged over all the others.

    Minimum Bayes risk decoding: the other candidates, or a file of pseudo-references, stand in for
    the reference. Prints the chosen text, one line per segment; of equals the earlier one.

    Example: cupel mbr candidates.jsonl -m chrf++ -o chosen.txt
    """

    command: ClassVar[str] = "mbr"
    first: ClassVar[tuple[str, ...]] = (
        "metrics", "pseudo_references", "language_pair", "per_segment", "method", "workers", "format",
        "everything", "file",
    )  # fmt: skip

    metrics: tuple[str, ...] = option(
        ("chrf",),
        "Metrics that compare a candidate with a pseudo-reference; `cupel metrics` lists "
        "them. Options follow a colon: assay-wmt13:device=cuda.",
        "--metrics",
        "-m",
        metavar="METRIC",
    )
    pseudo_references: str | None = option(
        None,
        "Pseudo-references of each segment, in any format of the candidates.",
        role="input",
        metavar="FILE",
        shown="the candidates",
    )
    use_scores: bool = option(
        False, "Weight pseudo-references by the decoder's own scores, taken as log-probabilities."
    )
    temperature: Annotated[float, Range(0, above=True)] = option(
        1.0, "Divide log-probabilities by this number.", metavar="T"
    )
    method: Method = option(
        "exact",
        "Compare all pairs (exact); with one reference made of all (aggregate); all pairs of "
        "the best by aggregate (coarse); drop hopeless candidates early (prune); score some pairs "
        "and guess the others (low-rank).",
    )
    coarse: str | None = option(
        None, "Metric of the first step of --method coarse.", metavar="METRIC", shown="chrf"
    )
    matrix: bool = option(False, "Add the scores of all pairs, with -f json or --json-lines.")
    resume: bool = option(
        False,
        "With -o: keep what is done in FILE.part, and go on there after an interruption.",
        role="output",
    )
    workers: Count = workers()
    threads: Count = option(
        1, "Number of threads that share the work of one segment.", role="spread", metavar="N"
    )
    engine: Literal["local", "ray"] = engine()
    address: str | None = address()

    def rules(self) -> None:
        """Formats that hold what is asked for, and a cluster where one is named."""
        super().rules()
        if self.address is not None and self.engine != "ray":
            raise CupelError("--address is for --engine ray: add that, or leave it out.")
        if self.matrix and self.form not in ("json", "jsonl"):
            raise CupelError("--matrix needs -f json or --json-lines.")
        by_line = self.json_lines or (self.form in ("text", "tsv") and not self.everything)
        if self.resume and (self.file is None or not by_line):
            raise CupelError(
                "--resume needs -o FILE and one line per segment: text, tsv or --json-lines."
            )
