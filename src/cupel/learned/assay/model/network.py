"""The model of `assay`: contextual vectors matched word by word, scored by a small network.

A pretrained encoder (see `cupel.neural.encoder`) gives each piece of translation and reference a
vector: a softmax-weighted mix of its layers, normalised. `cupel.neural.token_match` compares the
two sentences; beside that the cosine of the sentence vectors, and the logarithm of the ratio of
lengths, signed and not. Of these features f, standardised, the score is NNRK's network with its
skip arc (Guzmán et al. 2015, section 3):

    score = a . f + v . tanh(W f + b)

Scores are in units of a Bradley-Terry model: a judge prefers translation 1 to translation 2 of the
same segment with probability 1 / (1 + exp(score 2 - score 1)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.learned.assay.model.correction import Correction
from cupel.neural.encoder import Encoder
from cupel.neural.token_match import (
    best_matches,
    f_score,
    in_context,
    repeats,
    similarities,
    weighted_mean,
    worst,
)
from cupel.questions.train_assay import AssayShape

HIDDEN = 16
POOLED = 16


Side = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""One side of some items, padded: vectors (b, t, d) and sentence vectors (b, d), both normalised;
weights, mask and numbers of the pieces (b, t)."""


@dataclass(frozen=True)
class Design(AssayShape):
    """The shape of a model: what it looks at.

    pooled     tanh(W [|u - v|, u v]) of the two sentence vectors u and v
    level      tanh(W (u + v)): what both are about, such as how hard it is to translate
    weighting  learned from the vectors of pieces, deep: by a layer of tanh units more
    joint      see `cupel.learned.assay.model.joint`; matched: what it read together is matched too
    """

    @property
    def features(self) -> int:
        learned = POOLED * (self.pooled + self.level)
        return 6 + 3 * self.phrases + 2 * self.worst + self.repeats + learned

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> Design:
        """The design that a card holds; one of further features is not supported any more."""
        entries = dict(card["design"])
        if entries.pop("extra", 0):
            raise ValueError("the model has extra features")
        return cls(**entries)

    def record(self) -> dict[str, Any]:
        """The design as a card keeps it."""
        return asdict(self)


class Head(nn.Module):
    """Features -> score: a skip arc and a layer of tanh units, over standardised features."""

    centre: Tensor
    spread: Tensor

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(features))
        self.register_buffer("spread", torch.ones(features))
        self.skip = nn.Linear(features, 1, bias=False)
        self.hidden = nn.Linear(features, HIDDEN)
        self.out = nn.Linear(HIDDEN, 1, bias=False)
        nn.init.zeros_(self.skip.weight)
        nn.init.zeros_(self.out.weight)
        with torch.no_grad():
            self.skip.weight[0, 2] = 1.0  # the F score alone, to begin with

    def forward(self, features: Tensor) -> Tensor:
        x = (features - self.centre) / self.spread
        score: Tensor = self.skip(x) + self.out(torch.tanh(self.hidden(x)))
        return score.squeeze(-1)

    def standardise(self, features: Tensor) -> None:
        """Take centre and spread from a sample of features."""
        self.centre.copy_(features.mean(0))
        self.spread.copy_(features.std(0).clamp_min(1e-3))


class Assay(nn.Module):
    """Encoder, mix of layers, weights of pieces, and head."""

    def __init__(self, encoder: Encoder, design: Design | None = None) -> None:
        super().__init__()
        self.encoder, self.design = encoder, design or Design()
        size = encoder.config.size
        self.mix = nn.Parameter(torch.zeros(encoder.config.layers + 1))
        if self.design.weighting in ("learned", "deep"):
            deep = self.design.weighting == "deep"
            last = nn.Linear(32 if deep else size, 1)
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
            before = [nn.Linear(size, 32), nn.Tanh()] if deep else []
            self.importance = nn.Sequential(*before, last)
        elif self.design.weighting == "table":
            self.register_buffer("table", torch.ones(encoder.config.vocabulary))
        if self.design.pooled:
            self.pool = nn.Linear(2 * size, POOLED)
        if self.design.level:
            self.about = nn.Linear(size, POOLED)
        self.head = Head(self.design.features)
        self.correction: Correction | None = None  # learned from judgments of a user's own

    def mixed(self, states: Sequence[Tensor]) -> Tensor:
        """The hidden states of all layers as one, not yet normalised."""
        weights = torch.softmax(self.mix.float(), 0)
        mixed = weights[0] * states[0].float()
        for weight, state in zip(weights[1:], states[1:], strict=True):
            mixed = mixed + weight * state.float()
        return mixed

    def weights(self, vectors: Tensor, ids: Tensor, mask: Tensor) -> Tensor:
        """(b, t) what each piece counts; 0 outside. `vectors` are normalised."""
        if self.design.weighting in ("learned", "deep"):
            # Of unit vectors the entries are small; with this factor their deviation is about 1.
            scaled = vectors * vectors.shape[-1] ** 0.5
            return functional.softplus(self.importance(scaled).squeeze(-1)) * mask
        if self.design.weighting == "table":
            return self.table[ids] * mask  # type: ignore[index]
        return mask.float()

    def forward(self, ids: Tensor, mask: Tensor, own: Tensor, items: Tensor) -> Tensor:
        """Scores of items: (b, t) pieces of distinct sentences; (n, 2) translation and reference.

        mask: True where there is a piece; own: where that is not one of the special ones.
        """
        features = self.item_features(ids, mask, own, items)
        with torch.autocast(ids.device.type, enabled=False):
            return self.head(features)  # type: ignore[no-any-return]

    def item_features(self, ids: Tensor, mask: Tensor, own: Tensor, items: Tensor) -> Tensor:
        """(n, f) what `forward` scores."""
        state = self.mixed(self.encoder(ids, mask))
        with torch.autocast(ids.device.type, enabled=False):  # cosines need their digits
            state = state.float()
            whole = (state * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            vectors = functional.normalize(state, dim=-1)
            whole = functional.normalize(whole, dim=-1)
            weights = self.weights(vectors, ids, own)
            sides = [
                (vectors[rows], whole[rows], weights[rows], own[rows], ids[rows])
                for rows in items.unbind(1)
            ]
            return self.features(sides[0], sides[1])

    def features(self, first: Side, second: Side) -> Tensor:
        """Translation and reference -> (b, f)."""
        return self.matched(similarities(first[0], second[0]), first, second)

    def matched(self, cosines: Tensor, first: Side, second: Side) -> Tensor:
        """`features` where the cosines of all pieces, (b, t, u), are there; the vectors are not read."""
        _, a_whole, a_weights, a_mask, a_ids = first
        _, b_whole, b_weights, b_mask, b_ids = second
        rows, columns = best_matches(cosines, a_mask, b_mask)
        parts = _sides(rows, columns, a_weights, b_weights)
        parts.append((a_whole * b_whole).sum(-1))
        lengths = torch.log((a_mask.sum(1) + 1.0) / (b_mask.sum(1) + 1.0))
        parts += [lengths, lengths.abs()]
        if self.design.phrases:
            context = in_context(cosines, a_mask, b_mask)
            parts += _sides(*best_matches(context, a_mask, b_mask), a_weights, b_weights)
        if self.design.worst:
            parts += [worst(rows, a_mask), worst(columns, b_mask)]
        if self.design.repeats:
            parts.append(repeats(a_ids, b_ids, a_mask, b_mask))
        features = torch.stack(parts, -1)
        if self.design.pooled:
            both = torch.cat([(a_whole - b_whole).abs(), a_whole * b_whole], -1)
            learned = torch.tanh(self.pool(both * a_whole.shape[-1] ** 0.5))
            features = torch.cat([features, learned], -1)
        if self.design.level:
            about = torch.tanh(self.about((a_whole + b_whole) * a_whole.shape[-1] ** 0.5))
            features = torch.cat([features, about], -1)
        return features


def _sides(rows: Tensor, columns: Tensor, a_weights: Tensor, b_weights: Tensor) -> list[Tensor]:
    precision, recall = weighted_mean(rows, a_weights), weighted_mean(columns, b_weights)
    return [precision, recall, f_score(precision, recall)]


def standard_names(design: Design) -> list[str]:
    """What the features are called, in their order."""
    names = ["precision", "recall", "f", "sentence", "length", "length difference"]
    names += ["phrase precision", "phrase recall", "phrase f"] * design.phrases
    names += ["worst precision", "worst recall"] * design.worst
    names += ["repeats"] * design.repeats
    names += [f"pooled {number + 1}" for number in range(POOLED)] * design.pooled
    names += [f"level {number + 1}" for number in range(POOLED)] * design.level
    return names
