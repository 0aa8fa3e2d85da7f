"""Training of `tuned-match`: word vectors and weights whose greedy matches agree with preferences.

A translation's score is linear in the columns of `cupel.learned.nnrk.model.tuned_match` and in further
features psi, so that the matches learn what those do not show. Of each group, the translations of one
segment, all pairs are learned from at once: what most judges preferred, and how probable a teacher, a
larger metric that scored the translations, takes it that the one is better. The vector of a word is
P e + c with its vector e in the table and a change c of its own; its weight is exp(a log(rarity) + b +
w . e + d). Own changes c and d are drawn to 0, and left out at random, so that words that occur
seldom learn little. Needs PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import BoolArray, Float32Array, FloatArray, IntArray
from cupel.learned.nnrk.model.tuned_match import COLUMNS, LEVELS, RARITY, STEEPNESS

LONGEST = 60
"""Words of a sentence that are read in training."""
USUAL, SCALE = 0.7, 5.0
"""A column enters the score as SCALE times what it is above USUAL."""
FAST = 4e-3
"""The rate of what few numbers there are: the score's weights, and those that all words share."""
WARM_UP = 100
Arrays = dict[str, Float32Array]


@dataclass(frozen=True)
class Lessons:
    """Translations in groups, and what people and a teacher think of them.

    ids, offsets   the words of all sentences as numbers of types
    hypothesis     (n,) the sentence of each translation
    reference      (g,) the sentence of each group's reference
    group          (n,) the group of each translation
    psi            (n, F) further features, standardised
    teacher        (n,) scores whose differences are log-odds; NaN for none
    first, second  (p,) translations of one group
    sign           (p,) 1 where the first is preferred, else -1
    held           (g,) groups that nothing is learned from
    """

    ids: IntArray
    offsets: IntArray
    hypothesis: IntArray
    reference: IntArray
    group: IntArray
    psi: Float32Array
    teacher: FloatArray
    first: IntArray
    second: IntArray
    sign: FloatArray
    held: BoolArray

    def padded(self, sentences: IntArray) -> tuple[Tensor, Tensor]:
        """(n, t) types, 0 behind the end, and (n, t) where there are words."""
        lengths = np.minimum(self.offsets[sentences + 1] - self.offsets[sentences], LONGEST)
        table = np.zeros((len(sentences), max(int(lengths.max()), 2)), np.int64)
        for row, (sentence, length) in enumerate(zip(sentences, lengths, strict=True)):
            start = self.offsets[sentence]
            table[row, :length] = self.ids[start : start + length]
        inside = np.arange(table.shape[1])[None] < lengths[:, None]
        return torch.from_numpy(table), torch.from_numpy(inside)


@dataclass(frozen=True)
class Settings:
    """How the matches learn."""

    dimension: int = 100
    epochs: int = 1  # a second one agrees less with held-out judgments
    groups: int = 12  # of a step
    rate: float = 1e-3  # of P and w, by Adam; falls to 0 in a line
    own_rate: float = 2e-3  # of what words have of their own
    hold: float = 1.0  # how fast that is drawn to 0, times its rate
    drop: float = 0.3  # share of words whose own part is left out in a step
    teacher: float = 0.8  # what the teacher counts; people count the rest
    own_vectors: bool = True  # whether words have changes c of their vectors, beside weights
    seed: int = 1


class Matcher:
    """The weights, and the columns that they give.

    table   (types, e) vectors of unit length
    rarity  (types,) from 0 to 1
    inside  (types,) whether the type is a word of the table; others are of letters, and share one
            weight
    """

    def __init__(
        self,
        table: Float32Array,
        rarity: Float32Array,
        inside: BoolArray,
        start: Float32Array,
        features: int,
        own_vectors: bool = True,
    ) -> None:
        self.table, self.inside = torch.from_numpy(table), torch.from_numpy(inside)
        self.log_rarity = torch.log(torch.from_numpy(rarity) + RARITY)
        count, size = int(inside.sum()), start.shape[1]
        places = torch.cumsum(self.inside, 0) - 1
        self.place = torch.where(self.inside, places, torch.zeros_like(places))
        weights = torch.zeros(COLUMNS)
        weights[[5, 15, 21]] = 0.3  # the three weighted F
        self.weights = {
            "context": torch.tensor([0.3, 0.1]),
            "projection": torch.from_numpy(start.copy()),
            "rarity": torch.tensor([1.0, 0.0]),
            "unknown": torch.zeros(1),
            "weight": torch.zeros(table.shape[1]),
            "own-weight": torch.zeros(count),
            "psi": torch.zeros(features),
            "columns": weights,
        }
        if own_vectors:
            self.weights["own-vector"] = torch.zeros(count, size)
        for weight in self.weights.values():
            weight.requires_grad_()

    @property
    def own(self) -> list[Tensor]:
        """What words have of their own."""
        return [w for name, w in self.weights.items() if name.startswith("own-")]

    def words(self, types: Tensor, kept: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Vectors of unit length and weights; kept: (types,) how much of the own part counts."""
        w, given = self.weights, self.table[types]
        inside = self.inside[types].float()
        own = inside if kept is None else inside * kept[types]
        vectors = given @ w["projection"]
        if "own-vector" in w:
            changes = functional.embedding(self.place[types], w["own-vector"])
            vectors = vectors + changes * own[..., None]
        logarithm = w["rarity"][0] * self.log_rarity[types] + w["rarity"][1]
        logarithm = logarithm + (given @ w["weight"]) * inside + w["unknown"] * (1 - inside)
        logarithm = logarithm + w["own-weight"][self.place[types]] * own
        return functional.normalize(vectors, dim=-1), torch.exp(logarithm.clamp(-6, 4))

    def columns(
        self, one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor], kept: Tensor | None = None
    ) -> Tensor:
        """(n, COLUMNS) of translations and their references, each as types and mask."""
        (a, wa), (b, wb) = self.words(one[0], kept), self.words(other[0], kept)
        ma, mb = one[1], other[1]
        wa, wb = wa * ma, wb * mb
        near = [ma[:, 1:] & ma[:, :-1], mb[:, 1:] & mb[:, :-1]]
        pairs = [functional.normalize(x[:, :-1] + x[:, 1:], dim=-1) for x in (a, b)]
        sums = [(w[:, :-1] + w[:, 1:]) * m for w, m in zip((wa, wb), near, strict=True)]
        parts = [
            *_compared(a, b, wa, wb, ma, mb, LEVELS),
            *_compared(pairs[0], pairs[1], sums[0], sums[1], near[0], near[1]),
            *_compared(self._in_context(a, ma), self._in_context(b, mb), wa, wb, ma, mb),
        ]
        totals = [
            functional.normalize((x * w[..., None]).sum(1), dim=-1) for x, w in ((a, wa), (b, wb))
        ]
        return torch.stack([*parts, (totals[0] * totals[1]).sum(1)], dim=1)

    def _in_context(self, words: Tensor, mask: Tensor) -> Tensor:
        words, n = words * mask[..., None], words.shape[1]
        near, far = self.weights["context"]
        around = functional.pad(words, (0, 0, 2, 2))
        mixed = words + near * (around[:, 1 : n + 1] + around[:, 3 : n + 3])
        return functional.normalize(mixed + far * (around[:, :n] + around[:, 4 : n + 4]), dim=-1)

    def scores(self, lessons: Lessons, items: IntArray, kept: Tensor | None = None) -> Tensor:
        """(n,) of these translations."""
        columns = self.columns(
            lessons.padded(lessons.hypothesis[items]),
            lessons.padded(lessons.reference[lessons.group[items]]),
            kept,
        )
        psi = torch.from_numpy(lessons.psi[items])
        return SCALE * (columns - USUAL) @ self.weights["columns"] + psi @ self.weights["psi"]


def _compared(
    a: Tensor, b: Tensor, wa: Tensor, wb: Tensor, ma: Tensor, mb: Tensor,
    levels: tuple[float, ...] = (),
) -> list[Tensor]:  # fmt: skip
    """Precision, recall and F, all alike and weighted; the weight above each level."""
    cosines = torch.bmm(a, b.transpose(1, 2))
    cosines = cosines.masked_fill(~mb[:, None], -1.0).masked_fill(~ma[:, :, None], -1.0)
    here, there = cosines.max(2).values * ma, cosines.max(1).values * mb

    def mean(values: Tensor, weights: Tensor) -> Tensor:
        return (values * weights).sum(1) / weights.sum(1).clamp_min(1e-6)

    columns = []
    for own, others in ((ma.float(), mb.float()), (wa, wb)):
        p, r = mean(here, own), mean(there, others)
        columns += [p, r, 2 * p * r / (p + r).clamp_min(1e-2)]
    for level in levels:
        for values, weights in ((here, wa), (there, wb)):
            columns.append(mean(torch.sigmoid(STEEPNESS * (values - level)), weights))
    return columns


class _Groups:
    """Which translations and which pairs of `Lessons` belong to a group."""

    def __init__(self, lessons: Lessons) -> None:
        count = len(lessons.reference)
        self.lessons = lessons
        self.items = np.argsort(lessons.group, kind="stable")
        self.starts = np.searchsorted(lessons.group[self.items], np.arange(count + 1))
        of_pair = lessons.group[lessons.first]
        self.pairs = np.argsort(of_pair, kind="stable")
        self.pair_starts = np.searchsorted(of_pair[self.pairs], np.arange(count + 1))
        taught = np.bincount(lessons.group, np.isfinite(lessons.teacher), minlength=count)
        some = (np.diff(self.pair_starts) > 0) | (taught > 1)
        self.chosen = np.flatnonzero(~lessons.held & some)

    def of(self, groups: IntArray) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """The translations that something is learned from; pairs of places among them, signs."""
        data = self.lessons
        items = np.concatenate([self.items[self.starts[g] : self.starts[g + 1]] for g in groups])
        pairs = np.concatenate(
            [self.pairs[self.pair_starts[g] : self.pair_starts[g + 1]] for g in groups]
        )
        judged = np.isin(items, np.concatenate([data.first[pairs], data.second[pairs]]))
        items = np.sort(items[judged | np.isfinite(data.teacher[items])])
        first, second = (np.searchsorted(items, side[pairs]) for side in (data.first, data.second))
        return items, first, second, data.sign[pairs]


def train(
    matcher: Matcher,
    lessons: Lessons,
    how: Settings,
    report: Callable[[int, float], None] | None = None,
) -> None:
    """Change the matcher's weights; report: is given the number of steps and the mean cost."""
    random, generator = np.random.default_rng(how.seed), torch.Generator().manual_seed(how.seed)
    groups = _Groups(lessons)
    shared = [matcher.weights["projection"], matcher.weights["weight"]]
    own = matcher.own
    few = [w for w in matcher.weights.values() if not any(w is x for x in (*shared, *own))]
    rates = (how.rate, how.own_rate, FAST)
    optimiser = torch.optim.Adam(
        [{"params": part} for part in (shared, own, few)], how.rate, betas=(0.9, 0.99)
    )
    total = how.epochs * -(-len(groups.chosen) // how.groups)
    step, costs = 0, 0.0
    for _ in range(how.epochs):
        order = random.permutation(groups.chosen)
        for at in range(0, len(order), how.groups):
            share = min(1.0, (step + 1) / WARM_UP) * max(1 - step / total, 0.02)
            for part, rate in zip(optimiser.param_groups, rates, strict=True):
                part["lr"] = rate * share
            kept = torch.rand(len(matcher.table), generator=generator) >= how.drop
            cost = _cost(
                matcher, lessons, groups.of(order[at : at + how.groups]),
                how.teacher, kept.float() / (1 - how.drop),
            )  # fmt: skip
            optimiser.zero_grad(set_to_none=True)
            cost.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            with torch.no_grad():
                for weight in own:
                    weight.mul_(1 - how.hold * optimiser.param_groups[1]["lr"])
            step, costs = step + 1, costs + cost.item()
        if report:
            report(step, costs / step)


def _cost(
    matcher: Matcher,
    lessons: Lessons,
    chosen: tuple[IntArray, IntArray, IntArray, FloatArray],
    share: float,
    kept: Tensor,
) -> Tensor:
    """The logistic costs of people's preferences and, by `share`, of the teacher's."""
    items, first, second, sign = chosen
    scores = matcher.scores(lessons, items, kept)
    cost = 1e-4 * matcher.weights["psi"].square().sum()
    given = np.isfinite(lessons.teacher[items])
    if len(first):
        margin = torch.from_numpy(sign).float() * (scores[first] - scores[second])
        people = functional.softplus(-margin).mean()
        cost = cost + people * (1 - share if np.isfinite(lessons.teacher).any() else 1)
    same = lessons.group[items][:, None] == lessons.group[items][None]
    one, other = np.nonzero(np.triu(same & given[:, None] & given[None], 1))
    if len(one):
        teacher = lessons.teacher[items]
        likely = torch.sigmoid(torch.from_numpy(teacher[one] - teacher[other]).float())
        margin = scores[one] - scores[other]
        cost = cost + share * functional.binary_cross_entropy_with_logits(margin, likely)
    return cost
