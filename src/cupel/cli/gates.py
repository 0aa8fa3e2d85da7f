"""The gates of `cupel score` for builds: what they decide, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.gates import Outcome
    from cupel.questions.score import Gates, Score
    from cupel.scores import Scores


def check(question: Gates, labels: Sequence[str]) -> None:
    """Refuse, before any work, what cannot be decided. labels: the metrics that will score."""
    if question.gated:
        from cupel.gates import limits

        limits(question.fail_under, "--fail-under", labels)
        limits(question.margin, "--margin", labels)


def note(question: Gates, corpus: Corpus) -> None:
    """A note where the baseline is a file with several systems."""
    base = question.not_worse_than
    systems = [s for s, file in corpus.origins.items() if file.startswith(f"{base} (system ")]
    if len(systems) > 1:
        output.warn(
            f"{base} has {len(systems)} systems: all others are compared with the first, "
            f"{systems[0]!r}; {base}:SYSTEM names another."
        )


def decide(question: Score, scores: Scores) -> list[Outcome]:
    """Every gate, and the files that report them."""
    if not question.gated:
        return []
    from cupel import gates

    labels = list(scores.metrics)
    base = _baseline(question, scores)
    floors = gates.limits(question.fail_under, "--fail-under", labels)
    outcomes = gates.fail_under(scores, floors, base)
    if base is not None:
        margins = gates.limits(question.margin, "--margin", labels)
        outcomes += gates.not_worse(
            scores,
            base,
            margins,
            alpha=question.alpha,
            resamples=question.ci_n,
            seed=question.seed,
        )
    if question.summary is not None:
        _append(question.summary, gates.markdown(scores, outcomes))
    if question.junit is not None:
        from cupel.folders import write_text

        write_text(question.junit, gates.junit(outcomes))
    return outcomes


def _baseline(question: Gates, scores: Scores) -> str | None:
    """The first system, or the one of that name where there are only scores."""
    name = question.not_worse_than
    if name is None or scores.corpus.origins:
        return name and scores.systems[0]
    if name not in scores.systems:
        raise CupelError(
            f"There are no scores of {name!r} to compare with; there are those of "
            f"{', '.join(scores.systems)}."
        )
    return name


def report(outcomes: Sequence[Outcome], quiet: bool) -> int:
    """Print the sentences of the gates; the exit status, 1 if one failed."""
    for outcome in outcomes:
        if not (outcome.passed and quiet):
            output.warn(outcome.sentence)
    return int(not all(outcome.passed for outcome in outcomes))


def _append(path: Path, text: str) -> None:
    """At the end of what other steps of the build wrote, in one piece."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(text)
