"""Why `assay` gave a score: which words match, how well, and what each word cost.

Pieces are matched as in `cupel.neural.token_match`; a word's match is the mean over its pieces, and
its partner the word that most of its pieces match. What a word cost is how much higher the score
would be if its pieces matched perfectly, alone and in their phrases. A model that reads both sentences
together scores more than these matches; what it adds to their score is taken to stay as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cupel.alignments import Alignment, Link
from cupel.arrays import FloatArray
from cupel.learned.assay.model.joint import Joint, as_inputs, joint_scores, readable
from cupel.learned.assay.model.network import Assay, Side, standard_names
from cupel.learned.assay.model.scoring import Limits, encoded, raw_scores
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
    device, both = model.mix.device, np.array([[0, 1]])
    ours, our_words = tokenizer.words(hypothesis)
    theirs, their_words = tokenizer.words(reference)
    begin = 0
    if isinstance(model, Joint):
        first, second = model.read(*as_inputs(model, pieces, both, device))
        raw = torch.from_numpy(joint_scores(model, pieces, both[:, 0], both[:, 1])).to(device)
        begin = len(model.encoder.special[0])  # pieces stand behind the special ones
        our_words, their_words = (words[: readable(model)] for words in (our_words, their_words))
    else:
        vectors = encoded(model, pieces, Limits.of(device))
        first, second = vectors.side(both[:, 0]), vectors.side(both[:, 1])
        raw = model.head(model.features(first, second))
    features = model.features(first, second)
    if model.correction is not None:
        raw = torch.from_numpy(raw_scores(model, pieces, both[:, 0], both[:, 1])).to(device)
    if hypothesis == reference and "same" in card:
        raw = torch.full_like(raw, float(card["same"]))
    score = _calibrated(raw, card)
    cosines = similarities(first[0], second[0])[0].float().cpu().numpy().astype(np.float64)
    own = cosines[begin : begin + len(our_words), begin : begin + len(their_words)]
    links = _links(own, our_words, their_words)
    rest = raw - model.head(features)
    costs = [
        (float(after) - score, word)
        for words, of_piece, side in ((ours, our_words, 0), (theirs, their_words, 1))
        if of_piece
        for word, after in zip(
            (word if side == 0 else f"[{word}]" for word in words),
            _calibrated_all(model, features, first, second, of_piece, side, card, begin, rest),
            strict=False,
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
    level = card.get("level", card)
    return torch.sigmoid(float(level["slope"]) * (raw.double() - float(level["centre"])))


def _calibrated_all(
    model: Assay,
    features: Tensor,
    first: Side,
    second: Side,
    of_piece: list[int],
    side: int,
    card: Mapping[str, Any],
    begin: int,
    rest: Tensor,
) -> list[float]:
    """The score with each word of one side in turn matched perfectly.

    begin: the column of the first piece; rest: what the score has beside that of the matches.
    """
    cosines = similarities(first[0], second[0])
    masks, weights = (first[3], second[3]), (first[2], second[2])
    members = torch.tensor(of_piece, device=features.device)
    one = members[None] == torch.arange(int(members.max()) + 1, device=features.device)[:, None]
    changed = features.repeat(len(one), 1)
    context = in_context(cosines, *masks) if model.design.phrases else None
    for at, matrix in ((0, cosines), (6, context)):
        if matrix is None:
            continue
        columns = slice(begin, begin + len(of_piece))
        matches = best_matches(matrix, *masks)[side][:, columns]
        perfect = torch.where(one, 1.0, matches)
        own = weights[side][:, columns].expand(len(one), -1)
        changed[:, at + side] = weighted_mean(perfect, own)
        changed[:, at + 2] = f_score(changed[:, at], changed[:, at + 1])
        if at == 0 and model.design.worst:
            column = 6 + 3 * model.design.phrases + side
            changed[:, column] = worst(perfect, torch.ones_like(one))
    scores: list[float] = _probabilities(model.head(changed) + rest, card).tolist()
    return scores
