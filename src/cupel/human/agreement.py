"""How far the judges of a ranking campaign agree, with each other and with themselves.

Kappa as the findings of WMT report it (Callison-Burch et al. 2012, section 3.2; Bojar et al. 2013,
section 3.3; Cohen 1960):

    kappa = (P(A) - P(E)) / (1 - P(E))

A judgment says of two outputs A and B of a segment that A > B, A = B or A < B. P(A) is the share of
agreeing ones among all pairs of judgments of the same two outputs. P(E), the agreement to expect by
chance, takes the share of ties as observed and the two other answers as equally likely:

    P(E) = P(A=B)^2 + P(A>B)^2 + P(A<B)^2,  P(A>B) = P(A<B) = (1 - P(A=B)) / 2

Joined systems (2015 and later) are one output, as the judges saw them. The script released with
WMT15 and WMT16 differs in two points; with `as_released` the counts are those printed there, one by
one (WMT15 fi-en: 1,212 of 1,929 agree, kappa .388; within judges 107 of 145, .562).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import IntArray
from cupel.errors import CupelError
from cupel.human.rankings import Rankings
from cupel.human.rankings_csv import NONE


@dataclass(frozen=True)
class Agreement:
    """What was counted, and kappa from it; NaN where no two judgments can be compared.

    agreeing, comparable: pairs of judgments; ties, judgments: what P(E) is estimated from.
    """

    agreeing: int
    comparable: int
    ties: int
    judgments: int

    @property
    def observed(self) -> float:
        """P(A)."""
        return self.agreeing / self.comparable if self.comparable else np.nan

    @property
    def expected(self) -> float:
        """P(E)."""
        if not self.judgments:
            return np.nan
        tied = self.ties / self.judgments
        return tied**2 + 2 * ((1 - tied) / 2) ** 2

    @property
    def kappa(self) -> float:
        """(P(A) - P(E)) / (1 - P(E)); NaN where all judgments are ties, for P(E) is 1 then."""
        if self.expected == 1:
            return np.nan
        return (self.observed - self.expected) / (1 - self.expected)


def inter_annotator(rankings: Rankings, *, as_released: bool = False) -> Agreement:
    """Agreement between judgments of the same two outputs by two different judges.

    as_released: as the script released with WMT15 and WMT16 counts, which pairs up all judgments,
    also two of one judge, but only those that show the two outputs in the same order.
    """
    _check_judges(rankings)
    item, answer, row = _judgments(rankings, ordered=as_released)
    judge = rankings.judges[row]
    agreeing, comparable = _matching(item, answer)
    if not as_released:
        own = _matching(_joint(item, judge), answer)
        agreeing, comparable = agreeing - own[0], comparable - own[1]
    return Agreement(agreeing, comparable, int((answer == 0).sum()), len(answer))


def intra_annotator(rankings: Rankings, *, as_released: bool = False) -> Agreement:
    """Agreement between judgments of the same two outputs by the same judge.

    P(E) is estimated from the judgments of those judges and segments in which anything was judged
    twice: what the released script does. as_released: only outputs shown in the same order.
    """
    _check_judges(rankings)
    item, answer, row = _judgments(rankings, ordered=as_released)
    named = rankings.judges[row] != NONE
    item, answer, row = item[named], answer[named], row[named]
    judge = rankings.judges[row]
    own = _joint(item, judge)
    agreeing, comparable = _matching(own, answer)
    _, inverse, counts = np.unique(own, return_inverse=True, return_counts=True)
    place = _joint(judge, rankings.segments[row])
    twice = np.isin(place, place[counts[inverse] > 1])
    return Agreement(agreeing, comparable, int((answer[twice] == 0).sum()), int(twice.sum()))


def _check_judges(rankings: Rankings) -> None:
    if not rankings.judge_ids:
        raise CupelError(
            f"The rankings of {rankings.pair} have no judge ids, so agreement cannot be computed."
        )


def _judgments(rankings: Rankings, *, ordered: bool) -> tuple[IntArray, IntArray, IntArray]:
    """(item, answer, row) of every two outputs in a ranking.

    item: a number for (segment, output, output), the outputs sorted unless `ordered`; answer: -1,
    0 or 1, the sign of the first output's rank minus the second's.
    """
    items, ranks = _once(rankings)
    first, second = np.triu_indices(items.shape[1], 1)
    row, column = np.nonzero((ranks[:, first] != NONE) & (ranks[:, second] != NONE))
    left, right = items[row, first[column]], items[row, second[column]]
    answer = np.sign(ranks[row, first[column]] - ranks[row, second[column]])
    if not ordered:
        answer = np.where(left > right, -answer, answer)
        left, right = np.minimum(left, right), np.maximum(left, right)
    base = int(items.max(initial=0)) + 1
    return (rankings.segments[row] * base + left) * base + right, answer, row


def _once(rankings: Rankings) -> tuple[IntArray, IntArray]:
    """items and ranks with each shown output in one column only."""
    items = rankings.items
    repeated = np.zeros(items.shape, bool)
    for column in range(1, items.shape[1]):
        # The systems of one output stand side by side.
        repeated[:, column] = items[:, column] == items[:, column - 1]
    return items, np.where(repeated, NONE, rankings.ranks)


def _joint(first: IntArray, second: IntArray) -> IntArray:
    """A number for each combination of the two."""
    codes = np.unique(first, return_inverse=True)[1]
    return np.asarray(codes * (int(second.max(initial=0)) + 2) + second + 1, np.int64)


def _matching(item: IntArray, answer: IntArray) -> tuple[int, int]:
    """Pairs of judgments of the same item: those that agree, and all of them."""
    return _pairs_within(_joint(item, answer)), _pairs_within(item)


def _pairs_within(groups: IntArray) -> int:
    counts = np.unique(groups, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())
