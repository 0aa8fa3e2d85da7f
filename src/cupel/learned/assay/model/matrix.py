"""Scores of all pairs of two lists of sentences, from vectors that were computed once per sentence.

The same features as `Assay.features` gives for single pairs, on a grid of n times m pairs: one product
of all vectors with all, and a few passes over its (n, t, m, u) cells, on whatever device they are.
What depends on one sentence alone is computed for that sentence, not for each of its pairs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from cupel.learned.assay.model.network import Assay, Side
from cupel.neural.token_match import SHARPNESS, f_score

OUTSIDE = -1.0
"""What a piece matches where there is none: no cosine is lower."""


def score_matrix(model: Assay, first: Side, second: Side) -> Tensor:
    """(n, m): the network's scores of n translations with m references, not calibrated."""
    features = torch.stack(_matches(model, first, second), -1)
    return model.head(torch.cat([features, *_learned(model, first[1], second[1])], -1))  # type: ignore[no-any-return]


def _matches(model: Assay, first: Side, second: Side) -> list[Tensor]:
    """The features of `Assay.matched` before the learned ones, (n, m) each, in its order."""
    a_vectors, a_whole, _, a_mask, a_ids = first
    b_vectors, b_whole, _, b_mask, b_ids = second
    (n, t, size), (m, u, _) = a_vectors.shape, b_vectors.shape
    # Vectors of padding are 0, so that its cosines are.
    left = (a_vectors * a_mask[..., None]).reshape(n * t, size)
    right = (b_vectors * b_mask[..., None]).reshape(m * u, size)
    cosines = (left @ right.T).view(n, t, m, u)
    context = _in_context(cosines, a_mask, b_mask) if model.design.phrases else None
    outside = ~(a_mask[:, :, None, None] & b_mask)
    rows, columns = _best(cosines, outside, OUTSIDE, a_mask, b_mask)
    parts = _sides(rows, columns, first, second)
    parts.append(a_whole @ b_whole.T)
    lengths = torch.log((a_mask.sum(1)[:, None] + 1.0) / (b_mask.sum(1) + 1.0))
    parts += [lengths, lengths.abs()]
    if context is not None:
        best = _best(context, outside, 3.0 * OUTSIDE, a_mask, b_mask)
        parts += _sides(best[0] / 3.0, best[1] / 3.0, first, second)
    if model.design.worst:
        parts += [_worst(rows, a_mask[:, :, None], 1), _worst(columns, b_mask, 2)]
    if model.design.repeats:
        parts.append(_repeats(a_ids, b_ids, a_mask, b_mask))
    return parts


def _in_context(cosines: Tensor, a_mask: Tensor, b_mask: Tensor) -> Tensor:
    """Each cosine with its two neighbours on the diagonal, added up; see `token_match.in_context`."""
    context = cosines.clone()
    context[:, 1:, :, 1:] += cosines[:, :-1, :, :-1]
    context[:, :-1, :, :-1] += cosines[:, 1:, :, 1:]
    context[:, 0, :, 0] += 1.0
    rows, columns = (torch.arange(len(mask), device=mask.device) for mask in (a_mask, b_mask))
    # The last pieces; of an empty sentence any place, since it has no match.
    last = (a_mask.sum(1) - 1).clamp_min(0), (b_mask.sum(1) - 1).clamp_min(0)
    context[rows[:, None], last[0][:, None], columns, last[1]] += 1.0
    return context


def _best(
    cells: Tensor, outside: Tensor, lowest: float, a_mask: Tensor, b_mask: Tensor
) -> tuple[Tensor, Tensor]:
    """The best match of each piece: (n, t, m) and (n, m, u); 0 where there is none. Changes cells."""
    cells.masked_fill_(outside, lowest)
    rows, columns = cells.amax(3), cells.amax(1)
    rows *= a_mask[:, :, None] & b_mask.any(1)
    columns *= b_mask & a_mask.any(1)[:, None, None]
    return rows, columns


def _sides(rows: Tensor, columns: Tensor, first: Side, second: Side) -> list[Tensor]:
    """Precision, recall and F of the best matches, by the weights of the pieces."""
    precision = torch.einsum("ntm,nt->nm", rows, first[2])
    recall = torch.einsum("nmu,mu->nm", columns, second[2])
    precision = precision / first[2].sum(1).clamp_min(1e-6)[:, None]
    recall = recall / second[2].sum(1).clamp_min(1e-6)
    return [precision, recall, f_score(precision, recall)]


def _worst(values: Tensor, mask: Tensor, along: int) -> Tensor:
    """`token_match.worst` along one axis of a grid."""
    counts = mask.sum(along if mask.ndim == 3 else 1)
    raised = (torch.exp(-SHARPNESS * values) * mask).sum(along)
    soft = -torch.log((raised / counts.clamp_min(1)).clamp_min(1e-6)) / SHARPNESS
    return soft * (counts > 0)


def _repeats(a_ids: Tensor, b_ids: Tensor, a_mask: Tensor, b_mask: Tensor) -> Tensor:
    """`token_match.repeats` on a grid: only pairs of pieces that may be too many are counted there."""
    pieces, followers, there = a_ids[:, :-1], a_ids[:, 1:], a_mask[:, 1:]
    same = (pieces[:, :, None] == pieces[:, None, :]) & (
        followers[:, :, None] == followers[:, None, :]
    )
    so_far = (same & there[:, None, :]).tril().sum(2)
    twice = pieces == followers
    row, place = torch.nonzero(there & (twice | (so_far > 1)), as_tuple=True)
    excess = torch.zeros(len(a_ids), len(b_ids), device=a_ids.device)
    if len(row):
        other = (b_ids[:, :-1] == pieces[row, place, None, None]) & (
            b_ids[:, 1:] == followers[row, place, None, None]
        )
        allowed = (other & b_mask[:, 1:]).sum(2)
        least = torch.where(twice[row, place, None], allowed, allowed.clamp_min(1))
        excess.index_add_(0, row, (so_far[row, place, None] > least).float())
    return torch.log1p(excess)


def _learned(model: Assay, first: Tensor, second: Tensor) -> list[Tensor]:
    """Features of the sentence vectors, (n, m, f) each, for designs that have them."""
    parts, scale = [], first.shape[-1] ** 0.5
    if model.design.pooled:
        apart, common = (first[:, None] - second).abs(), first[:, None] * second
        parts.append(torch.tanh(model.pool(torch.cat([apart, common], -1) * scale)))
    if model.design.level:
        parts.append(torch.tanh(model.about((first[:, None] + second) * scale)))
    return parts
