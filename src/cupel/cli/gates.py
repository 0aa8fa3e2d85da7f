"""The gates of `cupel score` for builds: their options, and what they decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import output
from cupel.cli.options import writable
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.gates import Outcome
    from cupel.scores import Scores


def _option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, rich_help_panel="Builds", **more)


FailUnder = Annotated[
    list[str] | None,
    _option(
        "--fail-under",
        metavar="METRIC=NUMBER...",
        help="Exit with 1 if the score of a system is worse than this.",
    ),
]
NotWorseThan = Annotated[
    str | None,
    _option(
        "--not-worse-than",
        metavar="HYP",
        help="Exit with 1 unless a one-sided paired test (bootstrap of the difference) shows for "
        "each metric of --margin that the systems are worse than this one by less than the margin. "
        "It becomes the first system of the results.",
    ),
]
Margin = Annotated[
    list[str] | None,
    _option(
        "--margin",
        metavar="METRIC=NUMBER...",
        help="How much worse than --not-worse-than is acceptable, such as chrf++=0.3.",
    ),
]
Alpha = Annotated[
    float,
    _option(
        "--alpha",
        metavar="LEVEL",
        help="Level of the test of --not-worse-than and of --clusters: a system that is worse by "
        "the margin passes with this probability.",
    ),
]
Summary = Annotated[
    Path | None,
    _option(
        "--summary",
        metavar="FILE",
        callback=writable,
        help='Append scores and gates to this file as Markdown: "$GITHUB_STEP_SUMMARY".',
    ),
]
Junit = Annotated[
    Path | None,
    _option("--junit", metavar="FILE", callback=writable, help="Write the gates as JUnit XML."),
]


@dataclass(frozen=True)
class Gates:
    """What the options ask for."""

    fail_under: Sequence[str]
    not_worse_than: str | None
    margin: Sequence[str]
    alpha: float
    summary: Path | None
    junit: Path | None

    @property
    def asked(self) -> bool:
        """Whether there is anything to do."""
        return any((self.fail_under, self.not_worse_than, self.margin, self.summary, self.junit))

    def check(self, labels: Sequence[str], per_segment: bool) -> None:
        """Refuse, before any work, what cannot be decided. labels: the metrics that will score."""
        if not self.asked:
            return
        from cupel.gates import limits

        if per_segment:
            raise CupelError("Gates judge system scores: leave out -sl, --prefer and --flagged.")
        if bool(self.not_worse_than) != bool(self.margin):
            raise CupelError(
                "--not-worse-than and --margin go together: name a baseline, and for each metric to "
                "test how much worse is acceptable."
            )
        limits(self.fail_under, "--fail-under", labels)
        limits(self.margin, "--margin", labels)

    def with_baseline(
        self, systems: Sequence[str], names: Sequence[str] | None
    ) -> tuple[list[str], list[str] | None]:
        """The files of the systems and their names, with the baseline as the first."""
        base = self.not_worse_than
        if base is None:
            return list(systems), list(names) if names is not None else None
        if base not in systems:
            systems, names = [base, *systems], names and [Path(base).name, *names]
        at = list(systems).index(base)
        order = [at, *(i for i in range(len(systems)) if i != at)]
        if names is not None and len(names) == len(systems):
            names = [names[i] for i in order]
        return [systems[i] for i in order], list(names) if names is not None else None

    def remark(self, corpus: Corpus) -> None:
        """A note where the baseline is a file with several systems."""
        base = self.not_worse_than
        own = [s for s, file in corpus.origins.items() if file.startswith(f"{base} (system ")]
        if len(own) > 1:
            output.warn(
                f"{base} has {len(own)} systems: all others are compared with the first, {own[0]!r}; "
                f"{base}:SYSTEM names another."
            )

    def _baseline(self, scores: Scores) -> str | None:
        """The first system, or the one of that name where there are only scores."""
        name = self.not_worse_than
        if name is None or scores.corpus.origins:
            return name and scores.systems[0]
        if name not in scores.systems:
            raise CupelError(
                f"There are no scores of {name!r} to compare with; there are those of "
                f"{', '.join(scores.systems)}."
            )
        return name

    def decide(self, scores: Scores, resamples: int, seed: int) -> list[Outcome]:
        """Every gate, and the files that report them."""
        if not self.asked:
            return []
        from cupel import gates

        labels = list(scores.metrics)
        base = self._baseline(scores)
        floors = gates.limits(self.fail_under, "--fail-under", labels)
        outcomes = gates.fail_under(scores, floors, base)
        if base is not None:
            margins = gates.limits(self.margin, "--margin", labels)
            outcomes += gates.not_worse(
                scores, base, margins, alpha=self.alpha, resamples=resamples, seed=seed
            )
        if self.summary is not None:
            _append(self.summary, gates.markdown(scores, outcomes))
        if self.junit is not None:
            from cupel.folders import write_text

            write_text(self.junit, gates.junit(outcomes))
        return outcomes


def report(outcomes: Sequence[Outcome], quiet: bool) -> None:
    """The sentences of the gates; leaves with exit status 1 if one failed."""
    for one in outcomes:
        if not (one.passed and quiet):
            output.warn(one.sentence)
    if not all(one.passed for one in outcomes):
        raise typer.Exit(1)


def _append(path: Path, text: str) -> None:
    """At the end of what other steps of the build wrote, in one piece."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(text)
