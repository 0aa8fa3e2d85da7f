"""Why `assay` gave a score: which words match, how well, and what each word cost.

Pieces are matched as in `cupel.neural.token_match`; a word's match is the mean over its pieces, and
its partner the word that most of its pieces match. What a word cost is how much higher the score
would be if its pieces matched perfectly, alone and in their phrases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cupel.alignments import Alignment, Link
from cupel.arrays import FloatArray
from cupel.learned.assay.model.network import Assay, Side, standard_names
from cupel.learned.assay.model.scoring import Limits, encoded
from cupel.neural.token_match import (
    best_matches,
    f_score,
    in_context,
    similarities,
    weighted_mean,
    worst,
)
from cupel.neural.wordpiece import WordPieces

LEAST = 0.5
"""A cosine below this is no match worth showing."""
COSTLY = 5
"""How many of the words that cost most are named."""


@torch.inference_mode()
def explained(
    model: Assay,
    tokenizer: WordPieces,
    hypothesis: str,
    reference: str,
    number: int,
    card: Mapping[str, Any],
) -> Alignment:
    """The alignment of a translation with the reference of that number."""
    pieces = tokenizer([hypothesis, reference])
    vectors = encoded(model, pieces, Limits.of(model.mix.device))
    first, second = vectors.side(np.array([0])), vectors.side(np.array([1]))
    features = model.features(first, second)
    score = _calibrated(model.head(features), card)
    ours, our_words = tokenizer.words(hypothesis)
    theirs, their_words = tokenizer.words(reference)
    cosines = similarities(first[0], second[0])[0].float().cpu().numpy().astype(np.float64)
    links = _links(cosines[: len(our_words), : len(their_words)], our_words, their_words)
    costs = [
        (float(after) - score, word)
        for words, of_piece, side in ((ours, our_words, 0), (theirs, their_words, 1))
        if of_piece
        for word, after in zip(
            (word if side == 0 else f"[{word}]" for word in words),
            _calibrated_all(model, features, first, second, of_piece, side, card),
            strict=True,
        )
    ]
    costs.sort(key=lambda entry: -entry[0])
    details = dict(zip(standard_names(model.design), features[0].tolist(), strict=False))
    details |= {f"cost of {word}": cost for cost, word in costs[:COSTLY] if cost >= 0.0005}
    return Alignment(ours, theirs, number, links, score, details)


def _links(cosines: FloatArray, ours: list[int], theirs: list[int]) -> list[Link]:
    """Pairs of words: mutual where each is the other's partner, else one-sided."""
    forward = _partners(cosines, ours, theirs)
    backward = {(b, a): how for (a, b), how in _partners(cosines.T, theirs, ours).items()}
    links = []
    for pair in sorted({*forward, *backward}):
        weight = max(forward.get(pair, 0.0), backward.get(pair, 0.0))
        if weight >= LEAST:
            kind = "mutual" if pair in forward and pair in backward else "one-sided"
            links.append(Link((pair[0],), (pair[1],), kind, round(weight, 4)))
    return links


def _partners(
    cosines: FloatArray, ours: list[int], theirs: list[int]
) -> dict[tuple[int, int], float]:
    """For each of our words the word of theirs that most of its pieces match, and how well."""
    if not ours or not theirs:
        return {}
    matches: dict[int, dict[int, list[float]]] = {}
    for piece, word in enumerate(ours):
        best = int(cosines[piece].argmax())
        at = matches.setdefault(word, {}).setdefault(theirs[best], [])
        at.append(float(cosines[piece, best]))
    partners = {}
    for word, candidates in matches.items():
        partner = max(candidates, key=lambda name: (len(candidates[name]), sum(candidates[name])))
        partners[word, partner] = float(np.mean(candidates[partner]))
    return partners


def _calibrated(raw: Tensor, card: Mapping[str, Any]) -> float:
    return float(_probabilities(raw, card)[0])


def _probabilities(raw: Tensor, card: Mapping[str, Any]) -> Tensor:
    return torch.sigmoid(float(card["slope"]) * (raw.double() - float(card["centre"])))


def _calibrated_all(
    model: Assay,
    features: Tensor,
    first: Side,
    second: Side,
    of_piece: list[int],
    side: int,
    card: Mapping[str, Any],
) -> list[float]:
    """The score with each word of one side in turn matched perfectly."""
    cosines = similarities(first[0], second[0])
    masks, weights = (first[3], second[3]), (first[2], second[2])
    members = torch.tensor(of_piece, device=features.device)
    one = members[None] == torch.arange(int(members.max()) + 1, device=features.device)[:, None]
    changed = features.repeat(len(one), 1)
    context = in_context(cosines, *masks) if model.design.phrases else None
    for at, matrix in ((0, cosines), (6, context)):
        if matrix is None:
            continue
        matches = best_matches(matrix, *masks)[side][:, : len(of_piece)]
        perfect = torch.where(one, 1.0, matches)
        own = weights[side][:, : len(of_piece)].expand(len(one), -1)
        changed[:, at + side] = weighted_mean(perfect, own)
        changed[:, at + 2] = f_score(changed[:, at], changed[:, at + 1])
        if at == 0 and model.design.worst:
            column = 6 + 3 * model.design.phrases + side
            changed[:, column] = worst(perfect, torch.ones_like(one))
    scores: list[float] = _probabilities(model.head(changed), card).tolist()
    return scores
