"""From rankings to similarity scores: section 5 of ReVal (Gupta et al. 2015).

A (reference, translation) pair that judges ranked n times has the similarity y = 6 - mean rank, so
that rank 1 is similarity 5, and the (population) variance of its ranks. Pairs whose ranks vary too
much are noise: Algorithm 1 finds, for n = 3, 4, 5, 6, 7 and >= 8 each, the largest variance below
which the pairs, taken as a scoring function, still agree with the judgments.

A pair is a pair of texts: equal translations of one line are one pair, whatever systems and language
pairs they come from, and a judge who saw one twice in a row ranked it once, where it came first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cupel.arrays import BoolArray, FloatArray, IntArray
from cupel.data import wmt_corpus
from cupel.errors import CupelError
from cupel.human.rankings import Rankings, wmt_rankings
from cupel.human.rankings_csv import NONE
from cupel.human.tau import TAUS
from cupel.learned.language_pairs import chosen_pairs

BANDS = (3, 4, 5, 6, 7, 8)
"""How often a pair was ranked; the last band is that often or more."""
PUBLISHED = {3: 0.65, 4: 1.0, 5: 1.2, 6: 1.2, 7: 1.3, 8: 0.85}
"""Table 1: the variance thresholds of the paper."""
LEAST_TAU = 0.78
FIRST, STEP, LAST = 25, 5, 400
"""Algorithm 1's thresholds in hundredths; ranks from 1 to 5 never vary by more than 4."""


@dataclass(frozen=True)
class RankedPairs:
    """(reference, translation) pairs with their ranks; m pairs, p comparisons.

    references, translations  texts of each pair
    line                      (m,) the line of the test set
    count                     (m,) how often it was ranked; 0 for one that nobody saw
    rank_sum, square_sum      (m,) of its ranks and of their squares
    better, worse             (p,) each strict preference of a judge, as numbers of pairs
    """

    references: list[str]
    translations: list[str]
    line: IntArray
    count: IntArray
    rank_sum: IntArray
    square_sum: IntArray
    better: IntArray
    worse: IntArray

    def __len__(self) -> int:
        return len(self.references)

    @cached_property
    def similarity(self) -> FloatArray:
        """(m,) y = 6 - mean rank; NaN for a pair that was never ranked."""
        with np.errstate(invalid="ignore"):
            return 6.0 - self.rank_sum / self.count

    @cached_property
    def variance(self) -> FloatArray:
        """(m,) the population variance of the ranks."""
        with np.errstate(invalid="ignore"):
            return (self.count * self.square_sum - self.rank_sum**2) / self.count**2

    def below(self, variance: float) -> BoolArray:
        """(m,) whether the ranks vary by strictly less, decided in whole numbers.

        100 (n sum r^2 - (sum r)^2) < 100 v n^2: a variance that equals the threshold on paper is
        never below it by a rounding error.
        """
        scaled = self.count * self.square_sum - self.rank_sum**2
        return 100 * scaled < round(100 * variance) * self.count**2

    def in_band(self, band: int) -> BoolArray:
        """(m,) ranked exactly so often; in the last band, so often or more."""
        return self.count >= band if band == BANDS[-1] else self.count == band

    def agreement(self, kept: BoolArray) -> FloatArray:
        """[C, D, T]: the judgments between kept pairs that the similarities order alike."""
        both = kept[self.better] & kept[self.worse]
        # Sums over counts are compared crosswise, so that equal means tie exactly.
        better, worse = self.better[both], self.worse[both]
        left = self.rank_sum[better] * self.count[worse]
        right = self.rank_sum[worse] * self.count[better]
        return np.array([(left < right).sum(), (left > right).sum(), (left == right).sum()], float)


@dataclass(frozen=True)
class Threshold:
    """The result of Algorithm 1 for one band; variance is None where not even the first holds."""

    band: int
    variance: float | None
    tau: float
    pairs: int
    comparisons: int


def threshold(
    ranked: RankedPairs, band: int, tau: str = "wmt14", least: float = LEAST_TAU
) -> Threshold:
    """Algorithm 1 for the pairs ranked `band` times: the last variance v = 0.25, 0.30, ... up to
    which tau >= `least` holds without a break.

    tau: `wmt12`, `wmt13` or `wmt14`; the paper does not say which (see `cupel.human.tau`).
    """
    if tau not in TAUS:
        raise CupelError(f"There is no tau {tau!r}; there are {', '.join(TAUS)}.")
    inside = ranked.in_band(band)
    last: Threshold | None = None
    for hundredths in range(FIRST, LAST + STEP, STEP):
        kept = inside & ranked.below(hundredths / 100)
        counts = ranked.agreement(kept)
        if not counts.sum():
            raise CupelError(
                f"Algorithm 1 has nothing to go by for pairs ranked {_times(band)}: no judge "
                f"compared two of them with a variance below {hundredths / 100:.2f}."
            )
        value = float(TAUS[tau](counts))
        here = Threshold(band, hundredths / 100, value, int(kept.sum()), int(counts.sum()))
        if not value >= least:
            return last or replace(here, variance=None)
        last = here
    assert last is not None
    return last


def ranked_pairs(dataset: str = "wmt13", pairs: Iterable[str] | None = None) -> RankedPairs:
    """The pairs of a campaign's rankings; of the language pairs into English by default."""
    rankings = wmt_rankings(dataset)
    chosen = chosen_pairs(dataset, rankings, pairs)
    if not chosen:
        raise CupelError(f"There is no language pair of {dataset} to take rankings from.")
    targets = sorted({pair.partition("-")[2] for pair in chosen})
    if len(targets) > 1:
        raise CupelError(
            f"The language pairs translate into {' and '.join(targets)}; a model is of one language."
        )
    builder = _Builder()
    for pair in chosen:
        corpus = wmt_corpus(dataset, pair)
        references = [texts[0] for texts in corpus.references]
        builder.add(rankings[pair], references, corpus.systems)
    return builder.build()


class _Builder:
    """Collects the rankings of several language pairs, whose equal texts are one pair."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, str], int] = {}
        self.lines: list[int] = []
        self.ranked: list[IntArray] = []
        self.ranks: list[IntArray] = []
        self.better: list[IntArray] = []
        self.worse: list[IntArray] = []

    def add(
        self, rankings: Rankings, references: list[str], systems: Mapping[str, Sequence[str]]
    ) -> None:
        """One language pair: its rankings and the texts that they are about."""
        items = np.full(rankings.ranked.shape, NONE, np.int64)
        texts = [systems[name] for name in rankings.systems]
        for row, column in zip(*np.nonzero(rankings.ranks != NONE), strict=True):
            line = int(rankings.segments[row])
            key = references[line], texts[rankings.ranked[row, column]][line]
            number = self.numbers.setdefault(key, len(self.numbers))
            if number == len(self.lines):
                self.lines.append(line)
            items[row, column] = number
        ranks = np.where(_seen_before(items), NONE, rankings.ranks)
        seen = ranks != NONE
        self.ranked.append(items[seen])
        self.ranks.append(ranks[seen].astype(np.int64))
        # The pairs of texts take the place of systems, so that `pairs` compares them.
        compared = replace(rankings, ranked=items, ranks=ranks, items=items).pairs()
        self.better.append(compared.better)
        self.worse.append(compared.worse)

    def build(self) -> RankedPairs:
        ranked, ranks = np.concatenate(self.ranked), np.concatenate(self.ranks)
        m = len(self.lines)
        return RankedPairs(
            references=[reference for reference, _ in self.numbers],
            translations=[translation for _, translation in self.numbers],
            line=np.array(self.lines, np.int64),
            count=np.bincount(ranked, minlength=m),
            rank_sum=np.bincount(ranked, ranks, m).astype(np.int64),
            square_sum=np.bincount(ranked, ranks**2, m).astype(np.int64),
            better=np.concatenate(self.better),
            worse=np.concatenate(self.worse),
        )


def _seen_before(items: IntArray) -> BoolArray:
    """(rows, w) whether an earlier column of the row has the same item."""
    seen = np.zeros(items.shape, np.bool_)
    for column in range(1, items.shape[1]):
        earlier = items[:, :column] == items[:, column : column + 1]
        seen[:, column] = earlier.any(axis=1) & (items[:, column] != NONE)
    return seen


def _times(band: int) -> str:
    return f"{band} or more times" if band == BANDS[-1] else f"{band} times"
