"""Metrics against graded judgments: direct assessment, MQM, ESA, any score that people gave.

Judgments are a matrix (systems, items) with NaN where nobody judged; items are segments, documents or
domains, and at system level there is one. Statistics are those of `cupel.meta.statistic`. Intervals
resample items: all translations of a segment are drawn together; at system level they resample the
judgments of segments from which people's scores of systems were computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from cupel.arrays import FloatArray
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.meta.agreement import agreement, group_values
from cupel.meta.comparison import correlations_of
from cupel.meta.correlations import SYSTEM_STATISTICS, pearson_of_sums, summands
from cupel.meta.measured import MOST_POINTS, Measured, Point, point
from cupel.meta.permutation import Stopping
from cupel.meta.ranking import Ranking, rank_metrics
from cupel.meta.statistic import CALIBRATED, STATISTICS, Statistic, Value, generator, grouped
from cupel.questions.judge import Judge
from cupel.significance import bootstrap_sums, drawn_indices

DIFFERENCES = "pearson-diff"
"""Pearson's r over the differences between translations of one segment."""
OF_SYSTEMS = ("spearman-no-ties", "kendall")
"""Statistics over systems that mt-metrics-eval does not have."""
SEGMENT_STATISTICS = (*(n for n in STATISTICS if n not in ("accuracy", "spa")), DIFFERENCES)
CORRELATIONS = ("pearson", "spearman", "tau-b", "tau-c")
PAIRWISE = ("tau-23", "acc-23", "tau-eq", "acc-eq", "tau-b")
"""What is counted over pairs of translations."""
TESTS = {
    "perm-both": "both",
    "perm-sys": "systems",
    "perm-input": "segments",
    "perm-pair-diff": "pairs",
}
"""Permutation tests, and what they exchange between two metrics."""
_BY_ITEM = ("acc-eq", "tau-eq", "kendall-like", DIFFERENCES)


def completed(question: Judge) -> Judge:
    """The question with its statistic; an error if grades do not have it or it cannot be tested."""
    statistic, test = question.statistic or "pearson", question.compare
    names = (*STATISTICS, *OF_SYSTEMS) if question.level == "system" else SEGMENT_STATISTICS
    if statistic not in names:
        raise CupelError(
            f"There is no statistic {statistic!r} for these judgments at this level; "
            f"there are: {', '.join(names)}."
        )
    if test == "williams" and statistic not in CORRELATIONS:
        raise CupelError(f"williams tests correlations, not {statistic}: use perm-both.")
    if test in TESTS and statistic in (*OF_SYSTEMS, DIFFERENCES, "kendall-like"):
        raise CupelError(f"{test} cannot test {statistic}: use bootstrap.")
    if test == "perm-pair-diff" and statistic not in PAIRWISE:
        raise CupelError(
            f"perm-pair-diff exchanges verdicts on pairs of translations: it can test "
            f"{', '.join(PAIRWISE)}, not {statistic}; use perm-both."
        )
    if question.p_values and statistic not in CORRELATIONS:
        raise CupelError(
            f"{statistic} has no p-value of no correlation: {', '.join(CORRELATIONS)} do."
        )
    return replace(question, statistic=statistic)


@dataclass(frozen=True)
class Graded:
    """One language pair at one level: what people and metrics gave each system and item.

    human: (systems, items), NaN where nobody judged; scores: metric -> the same shape. systems,
    items: their names. judgments: people's scores of segments, (systems, segments), where they are
    there. gold: the name of the human scores. corpus: all texts. blocks: the numbers of systems of
    several language pairs that follow each other; those of different pairs are not compared.
    """

    pair: str
    human: FloatArray
    scores: Mapping[str, FloatArray]
    level: str = "segment"
    systems: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    judgments: FloatArray | None = None
    gold: str = ""
    corpus: Corpus | None = field(default=None, repr=False)
    blocks: tuple[int, ...] = ()

    def judged_systems(self, question: Judge) -> int:
        """How many systems people judged."""
        return int(np.isfinite(self.human).any(axis=1).sum())

    @property
    def drawn(self) -> FloatArray:
        """(systems, items): the judgments that resamples draw from."""
        if self.human.shape[1] == 1 and self.judgments is not None:
            return self.judgments
        return self.human

    @property
    def units(self) -> int:
        """How many segments (or documents, domains) that people judged there are to draw from."""
        return int(np.isfinite(self.drawn).any(axis=0).sum())

    def statistic(self, question: Judge) -> Statistic:
        """The statistic with its options. Ties and thresholds are judged within a segment."""
        name = question.statistic or "pearson"
        by_item = name in _BY_ITEM and len(self.human) > 1
        raw = 25.0 if self.gold == "wmt-raw" else 0.0
        return Statistic(
            "pearson" if name == DIFFERENCES else name,
            question.average or ("item" if by_item else "none"),
            zeros=question.undefined == "zero",
            weighted=name == "kendall-like",
            threshold=raw if question.threshold is None else question.threshold,
            sample_rate=question.sample_rate,
            differences=name == DIFFERENCES,
            packed=question.like_mtme,
            blocks=self.blocks,
        )

    def measured(self, question: Judge) -> Measured:
        """The value of each metric, as it is and on resampled judgments."""
        judged = np.isfinite(self.human)
        if not judged.any():
            raise CupelError(f"Nobody judged a translation of {self.pair}.")
        nothing = 0.0 if question.like_mtme else np.nan
        values, drawn, reasons, p_values = {}, {}, {}, {}
        for metric, result in self._values(question).items():
            values[metric] = nothing if result.value is None else result.value
            drawn[metric] = np.full(question.resamples, np.nan)
            if np.isfinite(values[metric]):
                drawn[metric] = self._resampled(question, metric, result.epsilon)
            else:
                reasons[metric] = why_no_value(self.human, self.scores[metric])
            if result.p_value is not None:
                p_values[metric] = result.p_value
        number = int((judged.any(axis=1) if question.level == "system" else judged).sum())
        return Measured(values, drawn, number, reasons, p_values)

    def _values(self, question: Judge) -> dict[str, Value]:
        if question.statistic in OF_SYSTEMS:
            correlate, people = SYSTEM_STATISTICS[question.statistic], self.human[:, 0]
            return {
                metric: Value(float(correlate(scores[:, 0], people)), 1)
                for metric, scores in self.scores.items()
            }
        statistic, random = self.statistic(question), generator(question.seed)
        return {
            metric: agreement(
                statistic, self.human, scores, random=random, p_value=question.p_values
            )
            for metric, scores in self.scores.items()
        }

    def ranking(self, question: Judge) -> Ranking:
        """The metrics in order, each two tested by a permutation test."""
        assert question.compare is not None
        trials = 1000 if question.permutations is None else question.permutations
        return rank_metrics(
            self.statistic(question),
            self.human,
            self.scores,
            swap=TESTS[question.compare],
            trials=trials,
            stopping=Stopping(block=question.block),
            random=question.seed,
            undefined_as_zero=question.like_mtme,
        )

    def correlations(self, question: Judge) -> tuple[FloatArray, FloatArray, int]:
        """For Williams' test: each metric with people (m,), each two metrics (m, m), and n."""
        return correlations_of(
            self.statistic(question),
            self.human,
            list(self.scores.values()),
            as_published=question.like_mtme,
        )

    def points(self, question: Judge) -> Iterator[Point]:
        """Judged translations, named `SYSTEM-SEGMENT` by their numbers from 1, or systems by name."""
        systems, items = np.nonzero(np.isfinite(self.human))
        kept = np.unique(np.linspace(0, len(systems) - 1, MOST_POINTS).round().astype(int))
        for at in kept if len(systems) else ():
            place = int(systems[at]), int(items[at])
            scores = {metric: rows[place] for metric, rows in self.scores.items()}
            yield point(self.pair, self._name(*place), self.human[place], scores)

    def _name(self, system: int, item: int) -> str:
        if self.human.shape[1] == 1 and self.systems:
            return self.systems[system]
        return f"{system + 1}-{item + 1}" if len(self.human) > 1 else str(item + 1)

    def _resampled(self, question: Judge, metric: str, epsilon: float | None) -> FloatArray:
        """(resamples,): the value on resampled judgments; NaN where that takes too long."""
        resamples, seed, scores = question.resamples, question.seed, self.scores[metric]
        replicates = np.full(resamples, np.nan)
        if not resamples or question.statistic == "spa":
            return replicates
        if self.human.shape[1] == 1:
            return self._over_judgments(question, scores)
        statistic = self.statistic(question)
        if statistic.average == "item" and not statistic.weighted and not statistic.differences:
            return self._over_items(question, scores, epsilon)
        if question.statistic in CALIBRATED:
            return replicates
        if (
            statistic.name == "pearson"
            and statistic.average == "none"
            and not statistic.differences
        ):
            return pearson_of_sums(bootstrap_sums(summands(scores, self.human), resamples, seed))
        for block, drawn in drawn_indices(self.human.shape[1], resamples, seed):
            for number, columns in enumerate(drawn, start=block.start):
                result = agreement(statistic, self.human[:, columns], scores[:, columns])
                replicates[number] = np.nan if result.value is None else result.value
        return replicates

    def _over_judgments(self, question: Judge, scores: FloatArray) -> FloatArray:
        """One score a system: people's is the mean of resampled judgments."""
        if self.judgments is None:
            return np.full(question.resamples, np.nan)
        rated = np.isfinite(self.judgments)
        sums = np.stack([np.where(rated, self.judgments, 0.0), rated.astype(float)], axis=-1)
        drawn = bootstrap_sums(np.swapaxes(sums, 0, 1), question.resamples, question.seed)
        with np.errstate(divide="ignore", invalid="ignore"):
            people = drawn[..., 0] / drawn[..., 1]
        if question.statistic in SYSTEM_STATISTICS:
            return np.asarray(SYSTEM_STATISTICS[question.statistic](scores[:, 0], people))
        statistic = self.statistic(question)
        values = [agreement(statistic, row[:, None], scores).value for row in people]
        return np.array(values, np.float64)

    def _over_items(self, question: Judge, scores: FloatArray, epsilon: float | None) -> FloatArray:
        """The mean over items, drawn with replacement; a tie threshold stays as it was chosen."""
        statistic = self.statistic(question)
        name = {"acc-eq": "acc-23", "tau-eq": "tau-23"}.get(statistic.name, statistic.name)
        fixed = Statistic(name, "item", zeros=statistic.zeros, epsilon=epsilon or 0.0)
        groups = grouped(self.human, [scores], "item")
        values = group_values(fixed, groups, groups.metrics)[0]
        values[groups.sizes < 2] = np.nan
        if statistic.zeros:
            values[groups.sizes > 1] = np.nan_to_num(values[groups.sizes > 1])
        # (items, 2): the value and whether there is one; an item without a judgment has none.
        table = np.zeros((self.human.shape[1], 2))
        table[groups.labels] = np.stack([np.nan_to_num(values), np.isfinite(values)], axis=1)
        sums = bootstrap_sums(table, question.resamples, question.seed)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[:, 0] / sums[:, 1])


def why_no_value(human: FloatArray, metric: FloatArray) -> str:
    """The reason why a statistic is undefined, in a few words."""
    judged = np.isfinite(human) & np.isfinite(metric)
    if judged.sum() < 2:
        return "fewer than two judgments"
    if np.ptp(metric[judged]) == 0:
        return "constant scores"
    return (
        "constant human scores"
        if np.ptp(human[judged]) == 0
        else "no group with two different scores"
    )
