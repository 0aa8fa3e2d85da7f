"""What `cupel score` and `cupel merge` are asked to print, and how they do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.cli import flagged, languages, output
from cupel.cli.meanings import meanings_of
from cupel.cli.output import Format
from cupel.cli.score_tables import Results, print_segments, print_systems, warn_without_details
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.cli.gates import Gates
    from cupel.corpus import Corpus, Outline
    from cupel.gates import Outcome
    from cupel.metric import Metric
    from cupel.scores import Scores
    from cupel.system_ranking import Ranking

TOKENISED = 100
"""From so many segments that end in ' .' a system looks tokenised."""


@dataclass(frozen=True)
class Printing:
    """The values of the options."""

    segments: bool
    details: bool
    ci: bool
    ci_n: int
    test: str | None
    test_n: int | None
    seed: int
    form: Format
    width: int | None
    score_only: bool
    out: Path | None
    quiet: bool
    force: bool = False
    pair: str | None = None
    domain: str | None = None

    def print_scores(
        self,
        scores: Scores,
        rankings: Mapping[str, Ranking] | None = None,
        outcomes: Sequence[Outcome] = (),
        *,
        flags: bool = False,
    ) -> None:
        """Print systems, or segments, or with `flags` the segments that checks flag."""
        if self.segments and not flags and output.is_parquet(self.out):
            self._write_parquet(scores)
            return
        results = Results(
            scores, self.ci, self.ci_n, self.test, self.test_n, self.seed, rankings, outcomes
        )
        results.meanings = meanings_of(scores, self.test is not None, self.pair, self.domain)
        with output.output(self.out) as file:
            if flags:
                flagged.print_flagged(scores, self.form, self.width, file)
            else:
                print_them = print_segments if self.segments else print_systems
                print_them(results, self.form, self.width, self.score_only, file, self.details)

    def print_preferences(self, corpus: Corpus, metrics: Mapping[str, Metric]) -> None:
        """Print, for each segment, the probability that the first system is better."""
        from cupel.cli.prefer import print_preferences

        with output.output(self.out) as file:
            print_preferences(corpus, metrics, self.form, self.width, self.score_only, file)

    def print_streamed(self, scores: Scores) -> None:
        """Notes and system scores of what was read block by block."""
        if not self.quiet:
            _remark_empty(scores.outline)
            _remark_tokenised(scores.outline, scores.metrics, self.force)
            warn_without_details(scores, self.details)
            if scores.totals.unit > 1 and (self.ci or self.test):
                output.warn(
                    f"Intervals and tests draw blocks of {scores.totals.unit} segments, because the input is large."
                )
        if not self.segments:
            self.print_scores(scores)

    def check(self, *, part: bool = False) -> None:
        """Refuse what cannot be printed. part: whether a part is written instead."""
        if output.is_parquet(self.out) and not (self.segments or part):
            raise CupelError("Only segment scores are written as Parquet: add -sl, or --part K/N.")

    def _write_parquet(self, scores: Scores) -> None:
        from cupel.folders import writing

        assert self.out is not None
        if self.details:
            raise CupelError("Details are not written as Parquet: leave out --details.")
        frame = scores.frame("segment")
        if self.width is not None:
            import polars as pl

            frame = frame.with_columns(pl.col(pl.Float64).round(self.width))
        with writing(self.out) as beside:
            frame.write_parquet(beside)


def remark(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    force: bool,
    asked_gates: Gates | None = None,
    pair: str | None = None,
) -> None:
    """Notes on gates, empty segments, languages, and systems that look tokenised."""
    if asked_gates is not None:
        asked_gates.remark(corpus)
    _remark_empty(corpus.outline)
    languages.remark(corpus, metrics, pair)
    _remark_tokenised(corpus.outline, metrics, force)


def _remark_empty(outline: Outline) -> None:
    for part in dict.fromkeys([*outline.segments, "references"]):
        if count := outline.empty[part]:
            where = "the references" if part == "references" else f"system {part!r}"
            output.warn(f"{count} empty segment{'s' * (count != 1)} in {where}.")


def _remark_tokenised(outline: Outline, metrics: Mapping[str, Metric], force: bool) -> None:
    if force or not any(getattr(metric, "tokenises", False) for metric in metrics.values()):
        return
    for system in outline.segments:
        if (tokenised := outline.tokenised[system]) >= TOKENISED:
            output.warn(
                f"System {system!r} looks tokenised ({tokenised} segments end in ' .'), which "
                "changes its score; use --force if this is what you want."
            )
