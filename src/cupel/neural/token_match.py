"""Greedy matching of contextual vectors: how well each piece of one sentence matches the other.

With s(i, j) the cosine of piece i of the translation and piece j of the reference, and weights w:

    precision = sum_i w(i) max_j s(i, j) / sum_i w(i)
    recall    = sum_j w(j) max_i s(i, j) / sum_j w(j)
    F         = their harmonic mean

The same over *phrases*, so that order counts: c(i, j) is the mean of s along the diagonal from
(i-1, j-1) to (i+1, j+1), where the beginning matches the beginning and the end the end. And the
*worst* match on each side, a soft minimum, since one wrong word can turn a meaning round.
Greedy matches forgive repetitions; *repeats* counts the pairs of neighbouring pieces that
the translation has more often than the reference, beyond the first time.
A side without pieces matches nothing: 0 throughout.
"""

from __future__ import annotations

import torch
from torch import Tensor

SHARPNESS = 10.0
"""How close the soft minimum comes to the minimum."""


def similarities(first: Tensor, second: Tensor) -> Tensor:
    """(b, m, d) and (b, n, d) normalised vectors -> (b, m, n) cosines."""
    return torch.bmm(first, second.transpose(1, 2))


def in_context(cosines: Tensor, first_mask: Tensor, second_mask: Tensor) -> Tensor:
    """(b, m, n) cosines -> the mean of each with its two neighbours on the diagonal."""
    b, m, n = cosines.shape
    both = first_mask[:, :, None] & second_mask[:, None, :]
    framed = cosines.new_zeros(b, m + 2, n + 2)
    framed[:, 1:-1, 1:-1] = cosines * both
    framed[:, 0, 0] = 1.0
    rows = torch.arange(b, device=cosines.device)
    framed[rows, first_mask.sum(1) + 1, second_mask.sum(1) + 1] = 1.0
    return (framed[:, :-2, :-2] + framed[:, 1:-1, 1:-1] + framed[:, 2:, 2:]) / 3.0


def best_matches(cosines: Tensor, first_mask: Tensor, second_mask: Tensor) -> tuple[Tensor, Tensor]:
    """The best match of each piece on either side: (b, m) and (b, n); 0 where there is none."""
    inside = cosines.masked_fill(~(first_mask[:, :, None] & second_mask[:, None, :]), -1.0)
    rows, columns = inside.amax(2), inside.amax(1)
    some = second_mask.any(1, keepdim=True), first_mask.any(1, keepdim=True)
    return rows * (first_mask & some[0]), columns * (second_mask & some[1])


def weighted_mean(values: Tensor, weights: Tensor) -> Tensor:
    """(b, m), (b, m) weights that are 0 outside -> (b,); 0 where there is no weight."""
    total = weights.sum(1)
    mean: Tensor = (values * weights).sum(1) / total.clamp_min(1e-6)
    return mean


def repeats(first: Tensor, second: Tensor, first_mask: Tensor, second_mask: Tensor) -> Tensor:
    """log(1 + pairs of neighbouring pieces that are there once too often); (b, m), (b, n) piece numbers.

    A pair may occur once, or as often as in the second sentence; a piece beside itself only as
    often as there.
    """
    pairs, there = first[:, :-1], first_mask[:, 1:]
    followers = first[:, 1:]
    own = (pairs[:, :, None] == pairs[:, None, :]) & (
        followers[:, :, None] == followers[:, None, :]
    )
    other = (pairs[:, :, None] == second[:, None, :-1]) & (
        followers[:, :, None] == second[:, None, 1:]
    )
    so_far = (own & there[:, None, :]).tril().sum(2)
    allowed = (other & second_mask[:, None, 1:]).sum(2)
    twice = pairs == followers
    excess = so_far > torch.where(twice, allowed, allowed.clamp_min(1))
    return torch.log1p((excess & there).sum(1).float())


def f_score(precision: Tensor, recall: Tensor) -> Tensor:
    """The harmonic mean, 0 where one side is not above 0."""
    return (
        2.0
        * precision
        * recall
        / (precision + recall).clamp_min(1e-6)
        * ((precision > 0) & (recall > 0))
    )


def worst(values: Tensor, mask: Tensor) -> Tensor:
    """A soft minimum over what the mask lets through: -log(mean(exp(-k v))) / k; 0 of nothing."""
    raised = torch.exp(-SHARPNESS * values) * mask
    mean = raised.sum(1) / mask.sum(1).clamp_min(1)
    soft: Tensor = -torch.log(mean.clamp_min(1e-6)) / SHARPNESS
    return soft * mask.any(1)
