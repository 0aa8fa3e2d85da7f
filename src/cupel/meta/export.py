"""Scores of Cupel's metrics as score files, in both layouts: they drop into mt-metrics-eval.

    TARGET/metric-scores/PAIR/NAME-REF.{seg,doc,domain,sys}.score    a folder of mt-metrics-eval
    TARGET/metrics-task/NAME.{seg,sys}.score                         the WMT metrics task

Higher is better in all of them, as there: an error rate is written with a minus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cupel.human.evalset_scores import file_name, safe_name, write_score_set
from cupel.human.score_files import write_seg_scores, write_sys_scores
from cupel.human.scores import ScoreSet
from cupel.meta.scorecache import MetricScores


@dataclass(frozen=True)
class Written:
    """The scores of one language pair that are to be written.

    used, references: the names of the references that were read, and of all. domains: names.
    """

    pair: str
    sets: Mapping[str, ScoreSet]
    used: Sequence[str] = ("ref",)
    references: Sequence[str] = ("ref",)
    domains: Sequence[str] = ()


def score_sets(
    scores: Mapping[str, MetricScores],
    pair: str,
    systems: Sequence[str],
    documents: Sequence[str] = (),
) -> dict[str, ScoreSet]:
    """Computed scores in the shape of those that are read.

    documents: names, of the first columns of `MetricScores.groups`; the others are domains.
    """
    sets = {}
    for metric, values in scores.items():
        groups = np.zeros((len(systems), 0)) if values.groups is None else values.groups
        tables = (values.segments, *np.split(groups, [len(documents)], axis=1))
        segments, of_documents, of_domains = (
            dict(zip(systems, table, strict=True)) if table.shape[1] else {} for table in tables
        )
        sets[metric] = ScoreSet(
            metric,
            pair,
            segments,
            dict(zip(systems, values.systems.tolist(), strict=True)),
            document_scores=of_documents,
            domain_scores=of_domains,
        )
    return sets


def write_scores(target: Path | str, testset: str, pairs: Sequence[Written]) -> None:
    """Write the scores of all metrics on all language pairs, in both layouts."""
    of_metric: dict[str, list[ScoreSet]] = {}
    for written in pairs:
        for metric, computed in written.sets.items():
            scores = replace(computed, testset=testset)
            of_metric.setdefault(metric, []).append(scores)
            name = file_name(metric, written.used, written.references)
            home = Path(target) / "metric-scores" / written.pair
            write_score_set(home, replace(scores, name=name), written.domains)
    for metric, sets in of_metric.items():
        stem = Path(target) / "metrics-task" / safe_name(metric)
        write_seg_scores(f"{stem}.seg.score", sets)
        write_sys_scores(f"{stem}.sys.score", sets)
