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

from cupel.arrays import FloatArray
from cupel.human.evalset_scores import file_name, safe_name, write_score_set
from cupel.human.score_files import write_seg_scores, write_sys_scores
from cupel.human.scores import ScoreSet
from cupel.meta.scorecache import MetricScores


@dataclass(frozen=True)
class Written:
    """The scores of one language pair that are to be written.

    used, references: the names of the references that were read, and of all. documents, domains:
    names, in the order of the columns of `MetricScores.groups`.
    """

    pair: str
    systems: Sequence[str]
    scores: Mapping[str, MetricScores]
    used: Sequence[str] = ("ref",)
    references: Sequence[str] = ("ref",)
    documents: Sequence[str] = ()
    domains: Sequence[str] = ()

    def set_of(self, metric: str) -> ScoreSet:
        """All levels of one metric."""
        scores = self.scores[metric]
        groups = np.zeros((len(self.systems), 0)) if scores.groups is None else scores.groups
        documents, domains = np.split(groups, [len(self.documents)], axis=1)
        systems = dict(zip(self.systems, scores.systems.tolist(), strict=True))
        return ScoreSet(
            metric,
            self.pair,
            self._by_system(scores.segments),
            systems,
            document_scores=self._by_system(documents),
            domain_scores=self._by_system(domains),
        )

    def _by_system(self, rows: FloatArray) -> dict[str, FloatArray]:
        return dict(zip(self.systems, rows, strict=True)) if rows.shape[1] else {}


def write_scores(target: Path | str, testset: str, pairs: Sequence[Written]) -> None:
    """Write the scores of all metrics on all language pairs, in both layouts."""
    of_metric: dict[str, list[ScoreSet]] = {}
    for one in pairs:
        for metric in one.scores:
            scores = replace(one.set_of(metric), testset=testset)
            of_metric.setdefault(metric, []).append(scores)
            name = file_name(metric, one.used, one.references)
            home = Path(target) / "metric-scores" / one.pair
            write_score_set(home, replace(scores, name=name), one.domains)
    for metric, sets in of_metric.items():
        stem = Path(target) / "metrics-task" / safe_name(metric)
        write_seg_scores(f"{stem}.seg.score", sets)
        write_sys_scores(f"{stem}.sys.score", sets)
