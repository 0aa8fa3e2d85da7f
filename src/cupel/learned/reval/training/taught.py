"""How ReVal learns from a teacher's scores, on prepared arrays.

A step takes groups of translations of one line, and graded pairs (SICK) beside them. Its cost is

    KL(y)      the paper's equation 3 with the similarities y that the teacher's scores become
    preference the teacher's preferences within each group: for the pairs i, j of a group, with the
               predicted similarities s and the teacher's normal scores z, the cross entropy of
               sigmoid((s_i - s_j) BELIEF / SPREAD) and sigmoid((z_i - z_j) BELIEF), less its least
    judged     softplus((s_worse - s_better) BELIEF / SPREAD) of each judgment within a group
    graded     equation 3 for the graded pairs

Of all epochs the one is kept whose running mean of weights orders the judgments of held-out lines
best (tau). The numbers drawn at random depend on the seed and on the epoch's number alone, so that
a run resumed after any epoch goes on exactly as an unbroken one.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from cupel.arrays import Float32Array, FloatArray, IntArray
from cupel.console import Progress
from cupel.errors import CupelError
from cupel.human.tau import tau_wmt14
from cupel.learned.reval.data.taught import SPREAD, similarities_of
from cupel.learned.reval.model.forest import Forest
from cupel.learned.reval.model.network import (
    Design,
    Floats,
    ReVal,
    divergence,
    expected,
    similarities,
)
from cupel.learned.reval.training.loop import Pairs, Trained
from cupel.learned.reval.training.settings import Teaching
from cupel.neural.checkpoints import Run, flat_state, optimizer_state, part_of, restore_optimizer
from cupel.neural.devices import find_device
from cupel.neural.training import Epoch, Report

BELIEF = 2.4
"""How many units of log odds a standard deviation of the teacher's scores is worth: Assay's own."""
PREFERENCES = 4.0
"""Makes the preferences weigh about as much as the similarities."""
WARM, LAST = 0.05, 0.02
"""The share of the steps in which the rate rises, and the least share of the rate later."""
LONGEST = 5.0
"""The norm that gradients are cut to."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Pairs of trees and the strict preferences between them, as numbers of pairs."""

    references: IntArray
    translations: IntArray
    better: IntArray
    worse: IntArray


@dataclass(frozen=True, eq=False)
class Lessons:
    """All that a training reads: trees and vectors, taught pairs, graded pairs, held-out judgments.

    taught  the pairs, and the judgments between them; `line` and the teacher's normal scores
            `normal` belong to its pairs
    """

    forest: Forest
    vectors: Float32Array
    taught: Judged
    line: IntArray
    normal: FloatArray
    graded: Pairs | None
    dev: Judged

    def __post_init__(self) -> None:
        if not len(self.dev.better):
            raise CupelError("There are no judgments of held-out lines to choose an epoch by.")


def teach(
    lessons: Lessons,
    design: Design,
    how: Teaching,
    *,
    folder: Path | str | None = None,
    data: str = "",
    progress: Progress | None = None,
    report: Report | None = None,
) -> Trained:
    """Train a model; with a folder, after each epoch a checkpoint that a second call resumes.

    data, progress: as for `cupel.learned.reval.training.loop.train`.
    """
    device = find_device(how.device)
    torch.manual_seed(how.seed)
    pupil = _Pupil(lessons, ReVal(design).to(device), how)
    run = None
    if folder is not None:
        run = Run(folder, {**design.record(), **how.record(), "data": data, "taught": True})
    log = pupil.resume(run)
    while len(log) < how.epochs:
        begun = time.perf_counter()
        loss = pupil.epoch(len(log), progress)
        figures = {"tau": pupil.tau()}
        log.append(Epoch(len(log) + 1, loss, figures, round(time.perf_counter() - begun, 3)))
        if figures["tau"] > max((epoch.figures["tau"] for epoch in log[:-1]), default=-2.0):
            pupil.best = {name: t.detach().clone() for name, t in pupil.mean.state_dict().items()}
        if run is not None:
            run.save(pupil.tensors(), log)
        if report is not None:
            report(log[-1])
    pupil.mean.load_state_dict(pupil.best)
    return Trained(pupil.mean, pupil.best, log, "tau")


def groups_of(line: IntArray, size: int, rng: np.random.Generator) -> list[IntArray]:
    """Each line's pairs, shuffled, in groups of about `size`; groups of one pair are left out."""
    order = np.argsort(line, kind="stable")
    groups: list[IntArray] = []
    for pairs in np.split(order, np.flatnonzero(np.diff(line[order])) + 1):
        parts = max(round(len(pairs) / size), 1)
        groups += [part for part in np.array_split(rng.permutation(pairs), parts) if len(part) > 1]
    return [groups[place] for place in rng.permutation(len(groups))]


def batches_of(groups: list[IntArray], size: int) -> list[list[IntArray]]:
    """Groups one after the other, until a batch has `size` pairs."""
    batches: list[list[IntArray]] = [[]]
    for group in groups:
        if sum(map(len, batches[-1])) >= size:
            batches.append([])
        batches[-1].append(group)
    return batches


def preference_cost(similarity: Tensor, normal: Tensor, group: Tensor) -> Tensor:
    """The divergence of the predicted preferences from the teacher's, over all pairs of a group."""
    same = torch.triu(group[:, None] == group[None, :], 1)
    one, other = torch.nonzero(same, as_tuple=True)
    logits = (similarity[one] - similarity[other]) * (BELIEF / SPREAD)
    belief = torch.sigmoid((normal[one] - normal[other]) * BELIEF)
    entropy = nn.functional.binary_cross_entropy(belief, belief)
    return nn.functional.binary_cross_entropy_with_logits(logits, belief) - entropy


def judged_cost(similarity: Tensor, better: Tensor, worse: Tensor) -> Tensor:
    """The sum over judgments; 0 where there are none."""
    gap = (similarity[better] - similarity[worse]) * (BELIEF / SPREAD)
    return nn.functional.softplus(-gap).sum()


class _Pupil:
    """A model that is taught: what changes while training, and what a checkpoint holds."""

    def __init__(self, lessons: Lessons, model: ReVal, how: Teaching) -> None:
        self.lessons, self.model, self.how = lessons, model, how
        self.mean = copy.deepcopy(model)
        self.best: dict[str, Tensor] = {}
        self.device = next(model.parameters()).device
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=how.rate, weight_decay=how.decay, betas=(0.9, 0.98)
        )
        self.views = model.encoder.views(lessons.forest)
        self.vectors = torch.from_numpy(lessons.vectors).to(self.device)
        self.normal = self._floats(lessons.normal)
        self.similarity = self._floats(similarities_of(lessons.normal))
        order = np.argsort(lessons.taught.better, kind="stable")
        self.better, self.worse = lessons.taught.better[order], lessons.taught.worse[order]
        self.first = np.searchsorted(self.better, np.arange(len(lessons.line) + 1))
        self.steps = 0

    def _floats(self, values: Floats) -> Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(self.device)

    def epoch(self, number: int, progress: Progress | None) -> float:
        """One pass over all lines; the mean cost of a step."""
        rng = np.random.default_rng([self.how.seed, number])
        torch.manual_seed(1000 * self.how.seed + number)
        batches = batches_of(groups_of(self.lessons.line, self.how.group, rng), self.how.batch)
        graded = self._graded(len(batches), rng)
        total, every = 0.0, self.how.epochs * len(batches)
        for place, batch in enumerate(batches):
            self.steps = number * len(batches) + place
            rising = min(1.0, (self.steps + 1) / (WARM * every + 1))
            for group in self.optimizer.param_groups:
                group["lr"] = self.how.rate * rising * max(LAST, 1 - self.steps / every)
            cost = self._cost(batch, graded[place])
            self.optimizer.zero_grad()
            cost.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.model.parameters(), LONGEST)
            self.optimizer.step()
            self._move_mean()
            total += float(cost.detach())
            if progress is not None:
                progress(self.steps + 1, every)
        return total / len(batches)

    def _graded(self, steps: int, rng: np.random.Generator) -> list[IntArray]:
        """The graded pairs of each step: all of them in turn, each time in another order."""
        pairs, each = self.lessons.graded, self.how.graded_batch
        if pairs is None or not self.how.graded:
            return [np.zeros(0, np.int64)] * steps
        rounds = -(-steps * each // len(pairs))
        order = np.concatenate([rng.permutation(len(pairs)) for _ in range(rounds)])
        return [order[step * each : (step + 1) * each] for step in range(steps)]

    def _cost(self, groups: list[IntArray], graded: IntArray) -> Tensor:
        how, taught = self.how, self.lessons.taught
        pairs = np.concatenate(groups)
        references, translations = taught.references[pairs], taught.translations[pairs]
        if self.lessons.graded is not None:
            references = np.append(references, self.lessons.graded.references[graded])
            translations = np.append(translations, self.lessons.graded.translations[graded])
        predicted = self._predicted(references, translations)
        similarity, rows, n = (
            expected(predicted),
            torch.from_numpy(pairs).to(self.device),
            len(pairs),
        )
        cost = divergence(predicted[:n], self.similarity[rows])
        if self.lessons.graded is not None and len(graded):
            grades = self._floats(self.lessons.graded.similarity[graded])
            cost = cost + how.graded * divergence(predicted[n:], grades)
        group = torch.from_numpy(np.repeat(np.arange(len(groups)), [len(g) for g in groups]))
        preferences = preference_cost(similarity[:n], self.normal[rows], group.to(self.device))
        cost = cost + how.preference * PREFERENCES * preferences
        judged = judged_cost(similarity[:n], *self._judgments(pairs))
        return cost + how.judged * judged / (how.batch / 3)

    def _predicted(self, references: IntArray, translations: IntArray) -> Tensor:
        rows, places = np.unique(np.append(references, translations), return_inverse=True)
        noise = partial(_dropped, share=self.how.dropout, words=self.how.words)
        states = self.model.encode(self.views, rows, self.vectors, noise)
        both = states[torch.from_numpy(places).to(self.device)]
        reference, translation = both[: len(references)], both[len(references) :]
        kept = nn.functional.dropout(torch.ones_like(reference), self.how.dropout)
        predicted: Tensor = self.model.head(reference * kept, translation * kept)
        return predicted

    def _judgments(self, pairs: IntArray) -> tuple[Tensor, Tensor]:
        """The judgments between pairs of the batch, as places in it."""
        place = {pair: k for k, pair in enumerate(pairs.tolist())}
        inside = [
            (k, place[worse])
            for pair, k in place.items()
            for worse in self.worse[self.first[pair] : self.first[pair + 1]].tolist()
            if worse in place
        ]
        both = torch.tensor(inside, dtype=torch.int64, device=self.device).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    @torch.no_grad()
    def _move_mean(self) -> None:
        """The running mean of the weights; short at first, so that the first weights do not stay."""
        kept = min(self.how.average, (2 + self.steps) / (11 + self.steps))
        for mean, weight in zip(self.mean.parameters(), self.model.parameters(), strict=True):
            mean.lerp_(weight, 1 - kept)

    def tau(self) -> float:
        """(C - D) / (C + D + T) of the mean's weights on the judgments of held-out lines."""
        dev = self.lessons.dev
        pairs = self.lessons.forest, dev.references, dev.translations, self.vectors
        scores = np.round(similarities(self.mean, *pairs), 5)
        better, worse = scores[dev.better], scores[dev.worse]
        counts = [(better > worse).sum(), (better < worse).sum(), (better == worse).sum()]
        return float(tau_wmt14(np.array(counts, np.float64)))

    def tensors(self) -> dict[str, Tensor]:
        return flat_state(
            now=self.model.state_dict(),
            mean=self.mean.state_dict(),
            best=self.best,
            optimizer=optimizer_state(self.optimizer),
        )

    def resume(self, run: Run | None) -> list[Epoch]:
        """Take up the last checkpoint, where there is one; returns its log."""
        checkpoint = run.resume() if run is not None else None
        if checkpoint is None:
            return []
        tensors, log = checkpoint
        self.model.load_state_dict(part_of(tensors, "now"))
        self.mean.load_state_dict(part_of(tensors, "mean"))
        self.best = {name: t.to(self.device) for name, t in part_of(tensors, "best").items()}
        restore_optimizer(self.optimizer, part_of(tensors, "optimizer"))
        return log


def _dropped(vectors: Tensor, share: float, words: float) -> Tensor:
    """Word vectors without a share of their numbers, and without some words."""
    whole = nn.functional.dropout(vectors.new_ones(len(vectors), 1), words) * (1 - words)
    return nn.functional.dropout(vectors * whole, share)
