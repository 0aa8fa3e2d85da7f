"""Which candidate has the best scores of its own?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cupel.errors import CupelError
from cupel.questions.candidates import CandidateLists, Chosen, Combining
from cupel.questions.field import option
from cupel.questions.groups import source
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Rerank(CandidateLists, Combining, Chosen, Question):
    """Choose the best candidate of each segment by scores of each candidate alone.

    Scores come from metrics that need no reference, from other programs, or with references from any
    metric. --judge compares a choice with a random one and with the best that the lists have.

    Example: cupel rerank candidates.jsonl -m model -o chosen.txt
    """

    command: ClassVar[str] = "rerank"

    metrics: tuple[str, ...] = option(
        (),
        "What orders the candidates: metrics that need no reference, names of scores that the "
        "file brings along ('model' for those of a decoder), or with --ref any metric.",
        "--metrics",
        "-m",
        metavar="METRIC",
    )
    scores: tuple[str, ...] = option(
        (),
        "Scores that were computed elsewhere: one number a line, for each candidate in the "
        "order of the file.",
        role="input",
        metavar="NAME=FILE",
    )
    lower: tuple[str, ...] = option((), "Scores for which lower is better.", metavar="NAME")
    references: tuple[str, ...] = option(
        (),
        "Reference files, one segment per line: what is chosen is then the oracle.",
        "--ref",
        "-r",
        role="input",
        metavar="REF",
    )
    judges: tuple[str, ...] = option(
        (),
        "With --ref: print how these metrics judge a random candidate, the first, the "
        "chosen one, and the best of each list (oracle).",
        "--judge",
        metavar="METRIC",
    )
    chosen: str | None = option(
        None,
        "With --judge: the translations that were chosen, such as those of cupel mbr.",
        role="input",
        metavar="FILE",
    )
    source: str | None = source()

    @property
    def score_files(self) -> list[tuple[str, str]]:
        """The names and files of --scores."""
        return [(name, path) for name, _, path in (text.partition("=") for text in self.scores)]

    def rules(self) -> None:
        """Something orders the candidates, or was chosen already and is judged."""
        super().rules()
        if self.judges and not self.references:
            raise CupelError("--judge needs references: give them with --ref.")
        if self.chosen is not None and (self.metrics or not self.judges):
            raise CupelError("--chosen is judged by --judge, and goes without -m.")
        if not self.metrics and not self.judges:
            raise CupelError(
                "Name metrics that order the candidates (-m), or give references (--ref) with --judge."
            )
        for text, (name, path) in zip(self.scores, self.score_files, strict=True):
            if not (name and path):
                raise CupelError(f"--scores {text!r} is not NAME=FILE.")
