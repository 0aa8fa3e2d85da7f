"""Assay's training loop on prepared arrays: preferences, grades, scores of teachers.

A preference costs softplus(-(s_better - s_worse)), the negative log likelihood of a Bradley-Terry
model. With ties as a third outcome it is that of Rao and Kupper (1967): a difference must exceed a
learned threshold t to be seen, p(better) = sigmoid(d - t), p(worse) = sigmoid(-d - t), the rest is
the tie. A grade costs the squared error of a learned linear function of the score; a teacher's
scores of a segment's translations cost the squared error of ours, both less their mean over them.
What graded campaigns cost is in `cupel.learned.assay.training.graded`.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from cupel.arrays import Float32Array
from cupel.learned.assay.data.examples import TIED, Judgments, Step, step_count, steps, weights_of
from cupel.learned.assay.data.graded import GradedBatch, graded_batches
from cupel.learned.assay.model.joint import Joint
from cupel.learned.assay.model.network import Assay
from cupel.learned.assay.training.graded import batch_inputs, centred, graded_cost
from cupel.learned.assay.training.settings import Training
from cupel.neural.checkpoints import Run, flat_state, optimizer_state, part_of, restore_optimizer
from cupel.neural.devices import moved
from cupel.neural.encoder import padded
from cupel.neural.training import Epoch, Report, ahead
from cupel.neural.wordpiece import Pieces

Inputs = tuple[Tensor, Tensor, Tensor, Tensor]
"""What a model takes: pieces of sentences, masks, and items as rows of them."""
READ = ("ids", "mask", "own", "items")
"""Their names among the tensors of a step."""
AHEAD = 4
"""Steps that are prepared while others are learned from."""
LENGTHS = {"cuda": 2, "cpu": 6}
"""Into so many parts by length what a step reads is taken: more leave less padding, and take more calls."""

Model = TypeVar("Model", bound=Assay)


class Objective(nn.Module):
    """The losses, with the few numbers that they learn."""

    def __init__(self, campaigns: int = 0) -> None:
        super().__init__()
        self.threshold = nn.Parameter(torch.tensor(-1.0))
        self.grade = nn.Parameter(torch.tensor([0.5, 0.0]))
        self.lines = nn.Parameter(torch.tensor([0.5, 0.0]).repeat(campaigns + 1, 1))

    def forward(self, scores: Tensor, step: Mapping[str, Tensor], how: Training) -> Tensor:
        total, weight = scores.sum() * 0.0, scores.new_tensor(1e-6)
        if len(step["better"]):
            difference = scores[step["better"]] - scores[step["worse"]]
            costs = self.preference(difference, step["kind"] == TIED, how.tied > 0)
            total = total + (costs * step["weight"]).sum()
            weight = weight + step["weight"].sum()
        if how.graded and len(step["graded"]):
            predicted = self.grade[0] * scores[step["graded"]] + self.grade[1]
            errors = functional.mse_loss(predicted, step["grade"], reduction="sum")
            total = total + how.graded * errors
            weight = weight + how.graded * len(step["graded"])
        cost = total / weight
        if how.taught and len(step["taught"]):
            ours, group = scores[step["taught"]], step["group"]
            groups = int(group.max()) + 1
            errors = centred(ours, group, groups) - centred(step["lesson"], group, groups)
            cost = cost + how.taught * errors.square().mean()
        return cost

    def preference(self, difference: Tensor, tied: Tensor, with_ties: bool) -> Tensor:
        """(pairs,) negative log likelihoods."""
        if not with_ties:
            return functional.softplus(-difference)
        threshold = functional.softplus(self.threshold)
        upper, lower = torch.sigmoid(difference + threshold), torch.sigmoid(difference - threshold)
        tie = -torch.log((upper - lower).clamp_min(1e-6))
        return torch.where(tied, tie, functional.softplus(-(difference - threshold)))


@dataclass(frozen=True)
class Place:
    """Where a training runs: its device, and its part of a distributed one."""

    device: torch.device
    rank: int = 0
    world: int = 1


def train(
    model: Model,
    data: Judgments,
    how: Training,
    place: Place,
    *,
    check: Callable[[Model], Mapping[str, float]] | None = None,
    run: Run | None = None,
    report: Report | None = None,
) -> tuple[Model, list[Epoch]]:
    """Train a model in place; returns what is kept of it, itself or its average, and the log.

    check: figures of the model on held-out segments, after each epoch.
    """
    torch.manual_seed(how.seed)
    model.to(place.device)
    objective = Objective(int(data.campaign.max(initial=0))).to(place.device)
    model.encoder.dropout = how.dropout
    model.encoder.words.weight.requires_grad_(how.embeddings)
    weight = weights_of(data, how.corrupted, how.tied, how.agreed, how.borrowed)
    optimizer = _optimizer(model, objective, how)
    kept = copy.deepcopy(model) if how.average else model
    parts: dict[str, nn.Module] = {"model": model, "objective": objective, "kept": kept}
    checkpoint = run.resume() if run else None
    log: list[Epoch] = []
    if checkpoint:
        state, log = checkpoint
        for name, module in parts.items():
            module.load_state_dict(part_of(state, name))
        restore_optimizer(optimizer, part_of(state, "optimizer"))
    else:
        if not model.head.centre.any():  # else it goes on from another training
            _standardise(model, data, weight, how, place)
        kept.load_state_dict(model.state_dict())
    if how.compiled:
        for layer in model.encoder.layers:
            layer.compile(dynamic=True)
    every = _step_count(data, how)
    per_epoch = min(every, how.steps or every)
    for epoch in range(len(log), how.epochs):
        begun = time.perf_counter()
        loss = _epoch(model, kept, objective, optimizer, data, weight, how, place, epoch, per_epoch)
        seconds = round(time.perf_counter() - begun, 2)
        kept.eval()
        log.append(Epoch(epoch + 1, loss, check(kept) if check else {}, seconds))
        if report:
            report(log[-1])
        if run and place.rank == 0:
            tensors = {name: module.state_dict() for name, module in parts.items()}
            run.save(flat_state(**tensors, optimizer=optimizer_state(optimizer)), log)
    return kept.eval(), log


def _epoch(
    model: Assay,
    kept: Assay,
    objective: Objective,
    optimizer: torch.optim.Optimizer,
    data: Judgments,
    weight: Float32Array,
    how: Training,
    place: Place,
    epoch: int,
    per_epoch: int,
) -> float:
    """One pass over the data; the mean cost of the steps of this process."""
    model.train()
    losses = []
    own = _own_steps(model, data, weight, how, place, epoch, per_epoch)
    for number, given in ahead(own, AHEAD):
        done = epoch * per_epoch + number - place.rank  # the same in all processes
        for group in optimizer.param_groups:
            group["lr"] = group["highest"] * _rate(done, per_epoch * how.epochs, how.warmup)
        loss = _cost(model, objective, data, given, how, place)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        _share_gradients(optimizer, place.world)
        if how.clip:
            nn.utils.clip_grad_norm_(model.parameters(), how.clip)
        optimizer.step()
        if how.average:
            _follow(kept, model, min(how.average, (done + 1) / (done + 10)))
        losses.append(loss.detach())
    return float(torch.stack(losses).mean()) if losses else 0.0


@dataclass(frozen=True)
class Given:
    """A step as tensors of the main memory: its preferences, where it has any, and its grades.

    tensors: of the preferences, by name; inputs: what the model reads for either.
    """

    tensors: Mapping[str, Tensor] | None
    batch: GradedBatch | None
    inputs: Sequence[Inputs]

    @classmethod
    def of(
        cls,
        step: Step | None,
        batch: GradedBatch | None,
        model: Assay,
        data: Judgments,
        longest: int,
    ) -> Given:
        tensors = None if step is None else as_tensors(data.pieces, step, model, longest)
        read = [] if tensors is None else [inputs(tensors)]
        if batch is not None:
            read.append(batch_inputs(data, batch, model, longest))
        return cls(tensors, batch, read)


def _own_steps(
    model: Assay,
    data: Judgments,
    weight: Float32Array,
    how: Training,
    place: Place,
    epoch: int,
    per_epoch: int,
) -> Iterator[tuple[int, Given]]:
    """The steps of an epoch that this process takes, with their numbers."""
    for number, (step, batch) in enumerate(mixed_steps(data, weight, how, place, epoch)):
        if number >= per_epoch - per_epoch % place.world:
            break  # every process takes as many steps as the others
        if number % place.world == place.rank:
            yield number, Given.of(step, batch, model, data, how.longest)


def _cost(
    model: Assay,
    objective: Objective,
    data: Judgments,
    given: Given,
    how: Training,
    place: Place,
) -> Tensor:
    """Of the preferences and of the grades of a step, where it has them."""
    scores = _scores(model, given.inputs, how.bfloat16, place.device)
    costs = []
    if given.tensors is not None:
        judged = {
            name: moved(tensor, place.device)
            for name, tensor in given.tensors.items()
            if name not in READ
        }
        costs.append(objective(scores[0], judged, how))
    if given.batch is not None:
        costs.append(graded_cost(scores[-1], objective.lines, data, given.batch, how))
    return torch.stack(costs).sum()


def as_tensors(pieces: Pieces, step: Step, model: Assay, longest: int) -> dict[str, Tensor]:
    """A step's arrays as tensors, its sentences padded to the longest (at most `longest`)."""
    ids, mask, own = padded(pieces.take(step.sentences), *model.encoder.special, longest)
    arrays = {**vars(step), "ids": ids, "mask": mask, "own": own}
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def inputs(tensors: Mapping[str, Tensor]) -> Inputs:
    """What the model takes, of the tensors of a step."""
    ids, mask, own, items = (tensors[name] for name in READ)
    return ids, mask, own, items


def mixed_steps(
    data: Judgments, weight: Float32Array, how: Training, place: Place, epoch: int
) -> Iterator[tuple[Step | None, GradedBatch | None]]:
    """The preferences and the grades of campaigns of each step, where the data has any."""
    generator = np.random.default_rng([how.seed, epoch, place.rank, 1])
    batches = (
        graded_batches(data, how.marks, generator, how.share, how.lessons)
        if len(data.marked)
        else repeat(None)
    )
    return zip(_ranked(data, weight, how, epoch), batches, strict=False)


def _ranked(
    data: Judgments, weight: Float32Array, how: Training, epoch: int
) -> Iterator[Step | None]:
    """The steps of an epoch; of graded campaigns alone, as many as the largest one fills."""
    if not len(data.better) + len(data.graded) + len(data.taught):
        return repeat(None, _step_count(data, how))
    return steps(data, weight, how.batch, np.random.default_rng([how.seed, epoch]))


def _step_count(data: Judgments, how: Training) -> int:
    """How many steps an epoch of all of the data has."""
    if not len(data.better) + len(data.graded) + len(data.taught):
        return -(-int(np.bincount(data.campaign).max()) // how.marks)
    return step_count(data, how.batch)


def _scores(
    model: Assay, batches: Sequence[Inputs], bfloat16: bool, device: torch.device
) -> list[Tensor]:
    """Of each batch, (items,) scores; on a GPU always in bfloat16."""
    kind = device.type
    if isinstance(model, Joint) and (kind != "cpu" or bfloat16):
        return by_length(model, batches, LENGTHS.get(kind, 1))
    there = [[moved(tensor, device) for tensor in batch] for batch in batches]
    if kind == "cpu" and not bfloat16:
        return [model(*batch) for batch in there]
    with torch.autocast(kind, torch.bfloat16):
        return [model(*batch) for batch in there]


def by_length(
    model: Joint,
    batches: Sequence[Inputs],
    parts: int = 1,
    kind: torch.dtype = torch.bfloat16,
) -> list[Tensor]:
    """What `model` gives for each batch, whose items are read together: short ones apart from long.

    Lengths are looked at before anything is on the model's device, so that a GPU is not waited for.
    kind: of the numbers of the encoder, which are cast once.
    """
    device = model.out.weight.device
    encoder = {f"encoder.{n}": p.to(kind) for n, p in model.encoder.named_parameters()}
    width = max(ids.shape[1] for ids, *_ in batches)
    ids, mask, own = (
        torch.cat([functional.pad(batch[at], (0, width - batch[at].shape[1])) for batch in batches])
        for at in range(3)
    )
    before = np.cumsum([0, *(len(batch[0]) for batch in batches)]).tolist()
    items = torch.cat([batch[3] + at for batch, at in zip(batches, before[:-1], strict=True)])
    lengths = mask.sum(1)[items]
    both = lengths.sum(1)
    order = both.argsort()
    scores = []
    for part in order.tensor_split(parts):
        if not len(part):
            continue
        most = int(lengths[part].max())
        read = (ids[:, :most], mask[:, :most], own[:, :most], items[part])
        given = (*(moved(tensor, device) for tensor in read), int(both[part].max()) - 1)
        scores.append(functional_call(model, encoder, given))
    back = moved(order.argsort(), device)
    return list(torch.split(torch.cat(scores)[back], [len(batch[3]) for batch in batches]))


def _rate(step: int, total: int, warmup: float) -> float:
    """From 0 to 1 in the warm-up, then down to 0."""
    rising = max(1, int(total * warmup))
    return (step + 1) / rising if step < rising else (total - step) / max(1, total - rising)


def _optimizer(model: Assay, objective: Objective, how: Training) -> torch.optim.Optimizer:
    encoder = [p for p in model.encoder.parameters() if p.requires_grad]
    inside = {id(p) for p in model.encoder.parameters()}
    rest = [p for p in model.parameters() if id(p) not in inside]
    rates = ((encoder, how.encoder_rate), (rest, how.rate), (objective.parameters(), 10 * how.rate))
    groups = [{"params": list(own), "lr": rate, "highest": rate} for own, rate in rates]
    return torch.optim.AdamW(groups, weight_decay=how.decay, fused=True)


@torch.no_grad()
def _standardise(
    model: Assay,
    data: Judgments,
    weight: Float32Array,
    how: Training,
    place: Place,
) -> None:
    """Centre and spread of the features, over the first steps of the first epoch."""
    model.eval()
    features = []
    for number, (step, batch) in enumerate(mixed_steps(data, weight, how, place, 0)):
        for read in Given.of(step, batch, model, data, how.longest).inputs:
            there = [moved(tensor, place.device) for tensor in read]
            features.append(model.item_features(*there))
        if number >= 20 or sum(map(len, features)) > 4000:
            break
    model.head.standardise(torch.cat(features))


@torch.no_grad()
def _follow(kept: Assay, model: Assay, decay: float) -> None:
    """Move the average of the weights towards the weights."""
    pairs = zip(kept.parameters(), model.parameters(), strict=True)
    moving: list[tuple[Tensor, Tensor]] = [pair for pair in pairs if pair[1].requires_grad]
    ours, theirs = [own for own, _ in moving], [new for _, new in moving]
    torch._foreach_lerp_(ours, theirs, 1.0 - decay)


def _share_gradients(optimizer: torch.optim.Optimizer, world: int) -> None:
    """The mean of all processes' gradients, in each."""
    if world == 1:
        return
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    flat = torch.cat([
        (p.grad if p.grad is not None else torch.zeros_like(p)).flatten() for p in parameters
    ])  # fmt: skip
    torch.distributed.all_reduce(flat)
    flat /= world
    parts = torch.split(flat, [p.numel() for p in parameters])
    for p, part in zip(parameters, parts, strict=True):
        p.grad = part.view_as(p)
