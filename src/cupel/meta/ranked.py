"""Metrics against rankings: people ordered up to five translations of a segment.

Segment level: rankings give pairs, and a WMT tau counts how many a metric orders alike. System
level: rankings (or the campaign's official scores) give each system a score, and a correlation
compares those with the metric's. Intervals resample the rankings, as in the WMT14 metrics task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.rankings import Pairs, Rankings
from cupel.human.system_scores import OFFICIAL, SYSTEM_SCORES, YEARS_OWN
from cupel.human.tau import TAUS, agreement
from cupel.meta.comparison import PERMUTATIONS, Permuted, perm_both_pairs
from cupel.meta.correlations import SYSTEM_STATISTICS, pearson
from cupel.meta.measured import Measured, Point, point
from cupel.meta.scorecache import MetricScores
from cupel.questions.judge import Judge
from cupel.significance import bootstrap_sums, bootstrap_weights, drawn_indices

COMPARISONS = {"segment": "perm-both", "system": "williams"}
"""Beside the bootstrap."""


def completed(question: Judge) -> Judge:
    """The question with what the year of the rankings decides; an error if rankings cannot answer."""
    if question.p_values:
        raise CupelError("P-values of no correlation are for graded judgments, not for rankings.")
    human = question.human or YEARS_OWN.get(question.dataset, "expected-wins")
    if human != OFFICIAL and human not in SYSTEM_SCORES:
        raise CupelError(
            f"There is no way {human!r} to score systems; there are: official, "
            f"{', '.join(SYSTEM_SCORES)}."
        )
    if question.level not in COMPARISONS:
        raise CupelError(f"Rankings have no {question.level} level: it is segment or system.")
    names, default = tuple(SYSTEM_STATISTICS), "pearson"
    if question.level == "segment":
        names, default = tuple(f"tau-{year}" for year in TAUS), f"tau-{question.dataset}"
    statistic = question.statistic or default
    if statistic not in names:
        raise CupelError(
            f"There is no statistic {statistic!r} for these judgments at this level; "
            f"there are: {', '.join(names)}."
        )
    if question.compare not in (None, "bootstrap", COMPARISONS[question.level]):
        raise CupelError(
            f"{question.compare!r} does not compare metrics on rankings at {question.level} level: "
            f"there, {COMPARISONS[question.level]} and bootstrap do."
        )
    return replace(question, statistic=statistic, human=human)


@dataclass(frozen=True)
class Ranked:
    """One language pair: its rankings, the scores of every metric, official human scores if any.

    The systems of `scores` are those of the rankings, in the same order. An interval over rankings is
    never widened.
    """

    pair: str
    rankings: Rankings
    scores: Mapping[str, MetricScores]
    official: FloatArray | None = None
    units: int = 0

    def judged_systems(self, question: Judge) -> int:
        """How many systems have a score by people."""
        return int(np.isfinite(self.human(question)).sum())

    def human(self, question: Judge) -> FloatArray:
        """People's scores of the systems: official, or by a way to get scores from rankings."""
        if question.human != OFFICIAL:
            return SYSTEM_SCORES[question.human or "expected-wins"](self.rankings)
        if self.official is None:
            raise CupelError(
                f"There are no official human scores for {self.pair}: choose how to get them from the "
                f"rankings, one of {', '.join(SYSTEM_SCORES)}."
            )
        return self.official

    def measured(self, question: Judge) -> Measured:
        """A WMT tau over pairs, or a correlation over systems, of every metric."""
        measure = self._of_pairs if question.level == "segment" else self._of_systems
        values, replicates, number = measure(question)
        return Measured(
            dict(zip(self.scores, values.tolist(), strict=True)),
            dict(zip(self.scores, replicates.T, strict=True)),
            number,
        )

    def _of_pairs(self, question: Judge) -> tuple[FloatArray, FloatArray, int]:
        tau, pairs = TAUS[_year(question)], self.rankings.pairs()
        matrices = [scores.segments for scores in self.scores.values()]
        if question.over == "judgments":
            counts = [agreement(pairs, m, len(self.rankings)) for m in matrices]
            stacked = np.stack(counts, axis=1)
            drawn = bootstrap_sums(stacked, question.resamples, question.seed)
        else:
            single = replace(pairs, row=np.arange(len(pairs)))
            stacked = np.stack([agreement(single, m, len(pairs)) for m in matrices], axis=1)
            drawn = drawn_pairs(pairs, stacked, matrices[0].shape, question)
        return tau(stacked.sum(0)), tau(drawn), len(pairs)

    def _of_systems(self, question: Judge) -> tuple[FloatArray, FloatArray, int]:
        """Intervals resample what `over` says.

        Rankings and segments change people's scores (by expected wins where the official scores are
        the yardstick, which cannot be resampled); segments change the metric's too, which is then
        the mean of its segment scores; systems are drawn with both their scores.
        """
        correlation = SYSTEM_STATISTICS[question.statistic or "pearson"]
        human = self.human(question)
        judged = np.isfinite(human)  # a system that nobody saw has no score
        replicates = []
        for machine, people in self._resampled(question, human):
            pair = machine[..., judged], people[..., judged]
            if question.over in ("systems", "both"):
                pair = _drawn_systems(*pair, question)
            replicates.append(correlation(*pair))
        drawn = np.stack(replicates, axis=1)
        if question.average_resamples:
            return np.nanmean(drawn, axis=0), drawn, int(judged.sum())
        scores = np.stack([s.systems[judged] for s in self.scores.values()])
        return correlation(scores, human[judged]), drawn, int(judged.sum())

    def _resampled(
        self, question: Judge, human: FloatArray
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """For each metric its system scores and people's, (systems,) or (resamples, systems)."""
        resamples, seed, rankings = question.resamples, question.seed, self.rankings
        if question.over == "systems":
            yield from ((scores.systems, human) for scores in self.scores.values())
            return
        by_wins = question.human in (None, OFFICIAL)
        method = SYSTEM_SCORES["expected-wins" if by_wins else str(question.human)]
        people = np.empty((resamples, len(rankings.systems)))
        if question.over == "judgments":
            for block, weights in bootstrap_weights(len(rankings), resamples, seed):
                people[block] = method(rankings, weights)
            yield from ((scores.systems, people) for scores in self.scores.values())
            return
        segments = next(iter(self.scores.values())).segments.shape[1]
        machines = [np.empty_like(people) for _ in self.scores]
        for block, weights in bootstrap_weights(segments, resamples, seed):
            people[block] = method(rankings, weights[:, rankings.segments])
            for machine, scores in zip(machines, self.scores.values(), strict=True):
                machine[block] = weights @ scores.segments.T / segments
        yield from ((machine, people) for machine in machines)

    def correlations(self, question: Judge) -> tuple[FloatArray, FloatArray, int]:
        """For Williams' test: each metric with people (m,), each two metrics (m, m), and n."""
        human = self.human(question)
        judged = np.isfinite(human)
        scores = np.stack([s.systems[judged] for s in self.scores.values()])
        between = np.array([[float(pearson(a, b)) for b in scores] for a in scores])
        return pearson(scores, human[judged]), between, scores.shape[1]

    def permuted(self, first: str, second: str, question: Judge) -> Permuted:
        """PERM-BOTH for two metrics."""
        a, b = self.scores[first].segments, self.scores[second].segments
        tau, pairs = TAUS[_year(question)], self.rankings.pairs()
        return perm_both_pairs(a, b, pairs, tau, PERMUTATIONS, question.seed)

    def points(self, question: Judge) -> Iterator[Point]:
        """Systems, with the campaign's own human scores."""
        try:
            human = self.human(question)
        except CupelError:
            return  # this way to score systems needs what this language pair lacks
        for row, system in enumerate(self.rankings.systems):
            if np.isfinite(human[row]):
                scores = {label: s.systems[row] for label, s in self.scores.items()}
                yield point(self.pair, system, human[row], scores)


def _year(question: Judge) -> str:
    return str(question.statistic).removeprefix("tau-")


def drawn_pairs(
    pairs: Pairs, counts: FloatArray, shape: Sequence[int], question: Judge
) -> FloatArray:
    """Sums of counts (pairs, ...) when segments, systems or both are drawn with replacement.

    shape: (systems, segments). A pair counts as often as its segment was drawn, and as its two
    systems were, multiplied.
    """
    systems, segments = shape
    flat = counts.reshape(len(counts), -1)
    sums = np.empty((question.resamples, flat.shape[1]))
    held = max(len(counts), segments)
    draws = (
        bootstrap_weights(segments, question.resamples, question.seed, held),
        bootstrap_weights(systems, question.resamples, question.seed + 1, held),
    )
    for (block, by_segment), (_, by_system) in zip(*draws, strict=True):
        weights = np.ones((len(by_segment), len(counts)))
        if question.over in ("segments", "both"):
            weights *= by_segment[:, pairs.segment]
        if question.over in ("systems", "both"):
            weights *= by_system[:, pairs.better] * by_system[:, pairs.worse]
        sums[block] = weights @ flat
    return sums.reshape(len(sums), *counts.shape[1:])


def _drawn_systems(
    machine: FloatArray, people: FloatArray, question: Judge
) -> tuple[FloatArray, FloatArray]:
    systems, resamples = people.shape[-1], question.resamples
    # Another stream than the segments', which have the seed itself.
    drawn = np.empty((resamples, systems), np.int64)
    for block, rows in drawn_indices(systems, resamples, question.seed + 1):
        drawn[block] = rows
    sides = (np.broadcast_to(side, (resamples, systems)) for side in (machine, people))
    first, second = (np.take_along_axis(side, drawn, axis=1) for side in sides)
    return first, second
