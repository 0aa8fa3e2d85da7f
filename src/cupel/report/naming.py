"""Short names of the systems on a page: what all of them share is left out, once for all sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cupel.corpus import NO_REFERENCES
from cupel.names import short_names
from cupel.report import segments
from cupel.report.runs import Run
from cupel.report.verdicts import Uncertainty

if TYPE_CHECKING:
    from cupel.corpus import Corpus

_OF_SYSTEMS = ("score", "segments")


def page_names(runs: Sequence[Run], corpus: Corpus | None) -> dict[str, str]:
    """Whole name -> short name of all systems that have scores; the texts must be theirs."""
    if corpus is not None:
        for run in runs:
            if run.kind == "segments":
                segments.check_texts(run, corpus)
    return short_names(
        system for run in runs if run.kind in _OF_SYSTEMS for system in segments.system_names(run)
    )


def renamed_run(run: Run, names: Mapping[str, str]) -> Run:
    """The run with the short names."""
    if run.kind not in _OF_SYSTEMS:
        return run
    return replace(run, rows=[{**row, "system": names[row["system"]]} for row in run.rows])


def renamed_corpus(corpus: Corpus | None, names: Mapping[str, str]) -> Corpus | None:
    """The texts of the systems that have scores."""
    if corpus is None or not names:
        return corpus
    texts = {short: corpus.systems[name] for name, short in names.items() if name in corpus.systems}
    references = corpus.references if corpus.has_references else NO_REFERENCES
    return replace(corpus, systems=texts or corpus.systems, references=references)


def renamed_uncertainty(
    uncertainty: Uncertainty | None, names: Mapping[str, str]
) -> Uncertainty | None:
    """Intervals, differences and rankings with the short names."""
    if uncertainty is None:
        return None
    return replace(
        uncertainty,
        intervals={(m, names[s]): value for (m, s), value in uncertainty.intervals.items()},
        differences=[
            replace(one, system=names[one.system], baseline=names[one.baseline])
            for one in uncertainty.differences
        ],
        rankings={label: one.renamed(names) for label, one in uncertainty.rankings.items()},
    )
