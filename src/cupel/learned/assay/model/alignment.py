"""Why `assay` gave a score: which words match, how well, and what each word cost.

Pieces are matched as in `cupel.neural.token_match`; a word's match is the mean over its pieces, and
its partner the word that most of its pieces match. What a word cost is how much higher the score
would be if its pieces matched perfectly, alone and in their phrases.

A model that reads both sentences together scores more than these matches. There a word costs

    (best - score) c / sum of all c        c = sum over its pieces of g (1 - match)

with `best` the score of a translation that equals its reference, and g how strongly the score depends on
the piece, of either sentence (`joint.influences`). Of long texts that are read in parts, words match
within their part; what is missing is shared out to the parts by what each lacks, and to the words
within them. Gradients have no sign; that words which people mark as wrong cost most is an observation, not a
property (docs/research/assay-2.md, "Spans").
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cupel.alignments import Alignment, Link
from cupel.arrays import FloatArray
from cupel.learned.assay.model.joint import Joint, as_inputs, influences, is_long, readable
from cupel.learned.assay.model.long_texts import Parts, joined
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
from cupel.neural.wordpiece import Pieces, WordPieces

LEAST = 0.5
"""A cosine below this is no match worth showing."""
COSTLY = 5
"""How many of the words that cost most are named."""


@dataclass(frozen=True)
class _Part:
    """A part of translation and reference, as the model sees it; all of both, if they are not long.

    both    the pieces
    words   of each piece of both, the word of the whole text that it is part of
    column  of the first piece, behind special ones
    weight  what the part counts in the whole
    """

    both: Pieces
    first: Side
    second: Side
    features: Tensor
    words: tuple[list[int], list[int]]
    column: int
    weight: float

    def cosines(self) -> FloatArray:
        """Of the pieces of both, without special ones."""
        cosines = similarities(self.first[0], self.second[0])[0].float().cpu().numpy()
        ours, theirs = (slice(self.column, self.column + len(words)) for words in self.words)
        return np.asarray(cosines[ours, theirs], np.float64)


@torch.inference_mode()
def explained(
    model: Assay,
    tokenizer: WordPieces,
    hypothesis: str,
    reference: str,
    number: int,
    card: Mapping[str, Any],
    raw: float,
) -> Alignment:
    """The alignment of a translation with the reference of that number.

    raw: the score to explain, before the card makes it one from 0 to 1; a second model may have its
    part in it
    """
    pieces = tokenizer([hypothesis, reference])
    ours, our_words = tokenizer.words(hypothesis)
    theirs, their_words = tokenizer.words(reference)
    score = _calibrated(raw, card)
    parts = list(_parts(model, pieces, our_words, their_words))
    links = [link for part in parts for link in _links(part.cosines(), *part.words)]
    texts = ours, [f"[{word}]" for word in theirs]
    if isinstance(model, Joint):
        highest = _highest(model, pieces, card)
        missing = _calibrated(highest, card) - score
        shares = word_shares(model, parts, highest)
        costs = [(missing * share, texts[side][word]) for (side, word), share in shares.items()]
    else:
        costs = [
            (_calibrated(raw + more, card) - score, texts[side][word])
            for part in parts
            for side in (0, 1)
            for word, more in _gains(model, part, side)
        ]
    features = sum(part.weight * part.features[0] for part in parts).tolist()  # type: ignore[union-attr]
    details = dict(zip(standard_names(model.design), features, strict=False))
    for cost, word in sorted(costs, key=lambda entry: -entry[0])[:COSTLY]:
        if cost >= 0.0005:  # of a word that is there twice the higher cost is shown
            details.setdefault(f"cost of {word}", float(cost))
    return Alignment(ours, theirs, number, links, score, details)


def _highest(model: Joint, pieces: Pieces, card: Mapping[str, Any]) -> float:
    """The raw score of a translation that equals its reference."""
    if "same" in card:
        return float(card["same"])
    return float(raw_scores(model, pieces, np.array([1]), np.array([1]))[0])


def word_shares(
    model: Joint, parts: Sequence[_Part], highest: float
) -> dict[tuple[int, int], float]:
    """(side, word) -> its share of what is missing; sides are translation and reference.

    highest: the raw score of a translation that equals its reference, which nothing is missing of
    """
    shares: dict[tuple[int, int], float] = {}
    for part in parts:
        raw, (ours, theirs) = highest, np.split(part.both.ids, part.both.offsets[1:2])
        if not np.array_equal(ours, theirs):
            raw = float(raw_scores(model, part.both, np.array([0]), np.array([1]))[0])
        cosines = part.cosines()
        costs = [
            own * (1.0 - cosines.max(1 - side, initial=0.0))
            for side, own in enumerate(influences(model, part.both))
        ]
        missing = part.weight * max(highest - raw, 0.0) / (sum(map(np.sum, costs)) or 1.0)
        for side, own in enumerate(costs):
            for word, cost in zip(part.words[side], own.tolist(), strict=True):
                shares[side, word] = shares.get((side, word), 0.0) + missing * cost
    whole = sum(shares.values()) or 1.0
    return {word: share / whole for word, share in shares.items()}


def _parts(
    model: Assay, pieces: Pieces, our_words: list[int], their_words: list[int]
) -> Iterator[_Part]:
    """What a model reads of two texts, part by part."""
    ours, theirs = (pieces.ids[a:b] for a, b in pairwise(pieces.offsets.tolist()))
    ends = np.array([[len(ours), len(theirs)]])
    whole = Parts(np.zeros_like(ends), ends, np.ones(1))
    if isinstance(model, Joint) and model.long and is_long(model, ends[:, 0], ends[:, 1]).all():
        whole = model.long.parts(ours, theirs)
    for row, texts in enumerate(whole.of(ours, theirs)):
        (a, b), (c, d) = whole.begin[row].tolist(), whole.end[row].tolist()
        both = joined(texts)
        first, second, column = _read(model, both)
        words = our_words[a:c], their_words[b:d]
        if isinstance(model, Joint):  # of a text that is too long it sees the beginning
            words = words[0][: readable(model)], words[1][: readable(model)]
        features = model.features(first, second)
        yield _Part(both, first, second, features, words, column, float(whole.weights[row]))


def _read(model: Assay, both: Pieces) -> tuple[Side, Side, int]:
    """Translation and reference as the model sees them, and the column of their first piece."""
    device, items = model.mix.device, np.array([[0, 1]])
    if isinstance(model, Joint):
        inputs = as_inputs(model, both, items, device)
        return *model.read(*inputs), len(model.encoder.special[0])
    vectors = encoded(model, both, Limits.of(device))
    return vectors.side(items[:, 0]), vectors.side(items[:, 1]), 0


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


def _calibrated(raw: float, card: Mapping[str, Any]) -> float:
    level = card.get("level", card)
    return 1.0 / (1.0 + math.exp(-float(level["slope"]) * (raw - float(level["centre"]))))


def _gains(model: Assay, part: _Part, side: int) -> list[tuple[int, float]]:
    """How much higher the score of a model without a reader is with each word of one side matched perfectly."""
    if not part.words[side]:
        return []
    cosines = similarities(part.first[0], part.second[0])
    both = part.first, part.second
    device = part.features.device
    words = sorted(set(part.words[side]))
    members = torch.tensor(part.words[side], device=device)
    one = members[None] == torch.tensor(words, device=device)[:, None]
    changed = part.features.repeat(len(one), 1)
    masks = both[0][3], both[1][3]
    context = in_context(cosines, *masks) if model.design.phrases else None
    for at, matrix in ((0, cosines), (6, context)):
        if matrix is None:
            continue
        perfect = torch.where(one, 1.0, best_matches(matrix, *masks)[side])
        own = both[side][2].expand(len(one), -1)
        changed[:, at + side] = weighted_mean(perfect, own)
        changed[:, at + 2] = f_score(changed[:, at], changed[:, at + 1])
        if at == 0 and model.design.worst:
            column = 6 + 3 * model.design.phrases + side
            changed[:, column] = worst(perfect, torch.ones_like(one))
    more = model.head(changed) - model.head(part.features)
    return list(zip(words, more.tolist(), strict=True))
