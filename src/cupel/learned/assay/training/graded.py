"""What `assay` learns from graded campaigns, and how far it agrees with them.

Of a batch with items of each campaign (see `cupel.learned.assay.data.graded`) the cost is

    regressed . mean over items (a s + b - grade)^2  +  correlated . mean over campaigns (1 - r)
    +  within . mean over pairs softplus(-(s_high - s_low))

a and b are learned, for each campaign its own. r is Pearson's correlation of scores and grades over
a campaign's items; a batch has items of about equal length, so it says nothing about what length
does to a grade. Pairs are two translations of one segment. A model can lower the error by only
guessing how hard a segment is; pairs reward what tells translations apart, so they should count
more. A pair whose standardised grades differ by less than 1 counts as much less. Scores of teachers
are learned like grades, without pairs; their error less its mean over a segment counts twice more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import FloatArray, IntArray
from cupel.learned.assay.data.examples import LINES, TEACHERS, Judgments
from cupel.learned.assay.data.graded import GradedBatch, graded_pairs
from cupel.learned.assay.model.network import Assay
from cupel.learned.assay.training.settings import Training
from cupel.neural.devices import moved
from cupel.neural.encoder import padded


def batch_inputs(
    data: Judgments, batch: GradedBatch, model: Assay, longest: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What the model takes: sentences, padded, and the batch's items as rows of them."""
    numbers = data.marked[batch.marks]
    both = np.stack([data.hypothesis[numbers], data.reference[numbers]], 1)
    sentences, items = np.unique(both, return_inverse=True)
    ids, mask, own = padded(data.pieces.take(sentences), *model.encoder.special, longest)
    rows = torch.from_numpy(items.reshape(both.shape))
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(own), rows


def graded_cost(
    scores: Tensor, lines: Tensor, data: Judgments, batch: GradedBatch, how: Training
) -> Tensor:
    """The cost of scores (m,) of a batch. lines: (campaigns + 1, 2), the a and b of each campaign."""
    numbers = data.campaign[batch.marks]

    def there(array: npt.NDArray[Any]) -> Tensor:
        return moved(torch.from_numpy(array), scores.device)

    targets = there(data.mark[batch.marks])
    slope, offset = lines[there(numbers)].unbind(1)
    errors = slope * scores + offset - targets
    given, taught = np.flatnonzero(numbers != TEACHERS), np.flatnonzero(numbers == TEACHERS)
    of_people = errors[there(given)]
    cost = how.regressed * of_people.square().sum() / max(1, len(given))
    if len(taught):
        segments, of = np.unique(
            data.segment[data.marked[batch.marks[taught]]], return_inverse=True
        )
        of_teachers = errors[there(taught)]
        apart = centred(of_teachers, there(of), len(segments))
        cost = cost + how.taught * (of_teachers.square().mean() + 2 * apart.square().mean())
    if how.correlated:
        campaign = there(batch.campaign)
        r = correlations(scores, targets, campaign, int(batch.campaign[-1]) + 1)
        cost = cost + how.correlated * (1.0 - r).mean()
    if len(batch.higher):
        higher, lower = (there(x) for x in (batch.higher, batch.lower))
        weight = (targets[higher] - targets[lower]).clamp(max=1.0)
        costs = functional.softplus(scores[lower] - scores[higher])
        cost = cost + how.within * (costs * weight).sum() / weight.sum()
    return cost


def centred(values: Tensor, group: Tensor, groups: int) -> Tensor:
    """(n,) values less the mean of their group, which has a number below `groups`."""
    empty = values.new_zeros(groups)
    total = empty.index_add(0, group, values)
    return values - (total / empty.index_add(0, group, torch.ones_like(values)))[group]


def correlations(first: Tensor, second: Tensor, group: Tensor, count: int) -> Tensor:
    """(count,) Pearson's correlation of two (n,) within each group; 0 where nothing varies."""

    def summed(values: Tensor) -> Tensor:
        return values.new_zeros(count).index_add(0, group, values)

    sizes = summed(torch.ones_like(first))
    a, b = (x - (summed(x) / sizes)[group] for x in (first, second))
    return summed(a * b) / (summed(a * a) * summed(b * b) + 1e-8).sqrt()


def agreement(scores: FloatArray, data: Judgments) -> dict[int, dict[str, float]]:
    """For each language pair of each graded campaign, by its number: tau and r.

    scores: (items,). tau = (C - D) / (C + D + T) over pairs of translations of one segment that
    people told apart, as in WMT14; r is Pearson's over all items. NaN where there is none.
    """
    pair_of = np.where(data.campaign == TEACHERS, -1, data.segment[data.marked] // LINES)
    table = {}
    for number in np.unique(pair_of[pair_of >= 0]).tolist():
        own = np.flatnonzero(pair_of == number)
        ours, grades = scores[data.marked[own]], data.mark[own].astype(np.float64)
        varied = len(own) > 2 and np.ptp(ours) > 0 and np.ptp(grades) > 0
        table[number] = {
            "tau": within_segments(ours, grades, data.segment[data.marked[own]]),
            "r": float(np.corrcoef(ours, grades)[0, 1]) if varied else float("nan"),
        }
    return table


def by_pair(
    dataset: str, data: Judgments, scores: FloatArray
) -> list[tuple[str, int, float, float]]:
    """Of each language pair of a campaign, which is all of the data: name, items, tau and r."""
    table, name = agreement(scores, data), dataset.partition(":")[0]
    return [
        (f"{name} {of.pair}", len(of.grades), table[number]["tau"], table[number]["r"])
        for number, of in enumerate(graded_pairs(dataset))
    ]


def within_segments(scores: FloatArray, grades: FloatArray, segment: IntArray) -> float:
    """Kendall's tau over all pairs of one segment with different grades; ties of scores count 0."""
    order = np.argsort(segment, kind="stable")
    starts = np.flatnonzero(np.diff(segment[order], prepend=-1))
    balance, total = 0.0, 0
    for part in np.split(order, starts[1:]):
        human = np.sign(grades[part, None] - grades[part])
        ours = np.sign(scores[part, None] - scores[part])
        balance += float((human * ours).sum()) / 2
        total += int(np.count_nonzero(human)) // 2
    return balance / total if total else float("nan")
