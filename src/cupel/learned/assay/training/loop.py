"""How `assay` is trained: on preferences, on grades, or on both; readable from top to bottom.

A preference costs softplus(-(s_better - s_worse)), the negative log likelihood of a Bradley-Terry
model. With ties as a third outcome it is that of Rao and Kupper (1967): a difference must exceed a
learned threshold t to be seen, p(better) = sigmoid(d - t), p(worse) = sigmoid(-d - t), the rest is
the tie. A grade costs the squared error of a learned linear function of the score; a teacher's
scores of a segment's translations cost the squared error of ours, both less their mean over them.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.arrays import Float32Array
from cupel.learned.assay.data.judgments import LONGEST, TIED, Judgments, Step, steps, weights_of
from cupel.learned.assay.model.network import Assay
from cupel.neural.checkpoints import Run, optimizer_state, restore_optimizer
from cupel.neural.encoder import padded
from cupel.neural.wordpiece import Pieces

Log = Callable[[dict[str, Any]], None]
Model = TypeVar("Model", bound=Assay)


@dataclass(frozen=True)
class Recipe:
    """Every knob of a training."""

    epochs: int = 4
    by_segment: bool = True  # a step is what was said of some segments, not single pairs
    size: int = 16  # segments (or pairs) a step
    encoder_rate: float = 5e-5  # AdamW's step for the encoder's layers
    head_rate: float = 1e-3  # and for everything on top of them
    decay: float = 0.01  # AdamW's weight decay
    warmup: float = 0.1  # the part of the training in which the rates rise; then they fall to 0
    dropout: float = 0.15
    embeddings: bool = False  # whether the table of the pieces is trained too
    agreed: bool = False  # contradicting judgments cancel
    tied: float = 0.0  # what a tie counts, as a third outcome; 0: ties are left out
    corrupted: float = 0.5  # what a preference for the original over its corruption counts
    borrowed: float = 0.0  # what a judgment counts with another translation for the reference
    graded: float = 0.0  # what a grade counts
    taught: float = 0.0  # what a teacher's score counts; judgments count 1 beside it
    average: float = 0.998  # decay of a moving average of the weights, which is then what is kept
    seed: int = 12345

    def entries(self) -> dict[str, Any]:
        """For a card or a checkpoint."""
        return asdict(self)


class Objective(nn.Module):
    """The losses, with the few numbers that they learn."""

    def __init__(self) -> None:
        super().__init__()
        self.threshold = nn.Parameter(torch.tensor(-1.0))
        self.grade = nn.Parameter(torch.tensor([0.5, 0.0]))

    def forward(self, scores: Tensor, step: Mapping[str, Tensor], recipe: Recipe) -> Tensor:
        total, weight = scores.sum() * 0.0, scores.new_tensor(1e-6)
        if len(step["better"]):
            difference = scores[step["better"]] - scores[step["worse"]]
            costs = self.preference(difference, step["kind"] == TIED, recipe.tied > 0)
            total = total + (costs * step["weight"]).sum()
            weight = weight + step["weight"].sum()
        if recipe.graded and len(step["graded"]):
            predicted = self.grade[0] * scores[step["graded"]] + self.grade[1]
            errors = functional.mse_loss(predicted, step["grade"], reduction="sum")
            total = total + recipe.graded * errors
            weight = weight + recipe.graded * len(step["graded"])
        cost = total / weight
        if recipe.taught and len(step["taught"]):
            ours, group = scores[step["taught"]], step["group"]
            errors = centred(ours, group) - centred(step["lesson"], group)
            cost = cost + recipe.taught * errors.square().mean()
        return cost

    def preference(self, difference: Tensor, tied: Tensor, with_ties: bool) -> Tensor:
        """(pairs,) negative log likelihoods."""
        if not with_ties:
            return functional.softplus(-difference)
        threshold = functional.softplus(self.threshold)
        upper, lower = torch.sigmoid(difference + threshold), torch.sigmoid(difference - threshold)
        tie = -torch.log((upper - lower).clamp_min(1e-6))
        return torch.where(tied, tie, functional.softplus(-(difference - threshold)))


def centred(values: Tensor, group: Tensor) -> Tensor:
    """(n,) values less the mean of their group; groups are numbered from 0."""
    empty = values.new_zeros(int(group.max()) + 1)
    total = empty.index_add(0, group, values)
    return values - (total / empty.index_add(0, group, torch.ones_like(values)))[group]


@dataclass(frozen=True)
class Place:
    """Where a training runs: its device, and its part of a distributed one."""

    device: torch.device
    rank: int = 0
    world: int = 1


def train(
    model: Model,
    data: Judgments,
    recipe: Recipe,
    place: Place,
    *,
    check: Callable[[Model], Mapping[str, float]] | None = None,
    run: Run | None = None,
    log: Log | None = None,
    extra: Float32Array | None = None,
) -> Model:
    """Train a model in place and return what is kept of it: itself, or the average of its weights.

    check: figures of the model on held-out segments, after each epoch. extra: (items, k) features.
    """
    torch.manual_seed(recipe.seed)
    device = place.device
    model.to(device)
    objective = Objective().to(device)
    model.encoder.dropout = recipe.dropout
    model.encoder.words.weight.requires_grad_(recipe.embeddings)
    weight = weights_of(data, recipe.corrupted, recipe.tied, recipe.agreed, recipe.borrowed)
    optimizer = _optimizer(model, objective, recipe)
    kept = copy.deepcopy(model) if recipe.average else model
    before = run.resume() if run else None
    history: list[dict[str, Any]] = []
    if before:
        state, history = before
        _restore(state, {"model": model, "objective": objective, "kept": kept}, optimizer)
    else:
        if not model.head.centre.any():  # else it goes on from another training
            _standardise(model, data, weight, recipe, device, extra)
        kept.load_state_dict(model.state_dict())
    per_epoch = sum(1 for _ in _epoch(data, weight, recipe, 0))
    total = per_epoch * recipe.epochs
    for epoch in range(len(history), recipe.epochs):
        start, losses = time.perf_counter(), []
        model.train()
        for number, step in enumerate(_epoch(data, weight, recipe, epoch)):
            if number >= per_epoch - per_epoch % place.world:
                break  # every process takes as many steps as the others
            if number % place.world != place.rank:
                continue
            done = epoch * per_epoch + number - place.rank  # the same in all processes
            for group in optimizer.param_groups:
                group["lr"] = group["highest"] * _rate(done, total, recipe.warmup)
            tensors = as_tensors(data.pieces, step, model, device, extra)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                scores = model(*inputs(tensors))
            loss = objective(scores, tensors, recipe)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            _share_gradients(optimizer, place.world)
            optimizer.step()
            if recipe.average:
                _follow(kept, model, min(recipe.average, (done + 1) / (done + 10)))
            losses.append(loss.detach())
        entry: dict[str, Any] = {
            "epoch": epoch + 1,
            "loss": float(torch.stack(losses).mean()) if losses else 0.0,
            "seconds": round(time.perf_counter() - start, 2),
        }
        kept.eval()
        if check:
            entry |= check(kept)
        history.append(entry)
        if log:
            log(entry)
        if run and place.rank == 0:
            parts: dict[str, nn.Module] = {"model": model, "objective": objective, "kept": kept}
            run.save(_state(parts, optimizer), history)
    return kept.eval()


def as_tensors(
    pieces: Pieces,
    step: Step,
    model: Assay,
    device: torch.device,
    extra: Float32Array | None = None,
) -> dict[str, Tensor]:
    """A step's arrays on the device, its sentences padded to the longest (at most LONGEST)."""
    ids, mask, own = padded(pieces.take(step.sentences), *model.encoder.special, LONGEST)
    arrays = {
        "ids": ids,
        "mask": mask,
        "own": own,
        "items": step.items,
        "better": step.better,
        "worse": step.worse,
        "weight": step.weight,
        "kind": step.kind,
        "graded": step.graded,
        "grade": step.grade,
        "taught": step.taught,
        "lesson": step.lesson,
        "group": step.group,
    }
    if extra is not None:
        arrays["extra"] = extra[step.numbers]
    return {
        name: torch.from_numpy(array).to(device, non_blocking=True)
        for name, array in arrays.items()
    }


def inputs(tensors: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor | None]:
    """What the model takes, of the tensors of a step."""
    return (
        tensors["ids"],
        tensors["mask"],
        tensors["own"],
        tensors["items"],
        tensors.get("extra"),
    )


def _epoch(data: Judgments, weight: Float32Array, recipe: Recipe, epoch: int):  # type: ignore[no-untyped-def]
    generator = np.random.default_rng([recipe.seed, epoch])
    return steps(data, weight, recipe.size, recipe.by_segment, generator)


def _rate(step: int, total: int, warmup: float) -> float:
    """From 0 to 1 in the warm-up, then down to 0."""
    rising = max(1, int(total * warmup))
    return (step + 1) / rising if step < rising else (total - step) / max(1, total - rising)


def _optimizer(model: Assay, objective: Objective, recipe: Recipe) -> torch.optim.Optimizer:
    encoder = [p for p in model.encoder.parameters() if p.requires_grad]
    inside = {id(p) for p in model.encoder.parameters()}
    rest = [p for p in model.parameters() if id(p) not in inside] + list(objective.parameters())
    groups = [
        {"params": encoder, "lr": recipe.encoder_rate, "highest": recipe.encoder_rate},
        {"params": rest, "lr": recipe.head_rate, "highest": recipe.head_rate},
    ]
    return torch.optim.AdamW(groups, weight_decay=recipe.decay, fused=True)


@torch.no_grad()
def _standardise(
    model: Assay,
    data: Judgments,
    weight: Float32Array,
    recipe: Recipe,
    device: torch.device,
    extra: Float32Array | None,
) -> None:
    """Centre and spread of the features, over the first steps of the first epoch."""
    model.eval()
    found = []
    for number, step in enumerate(_epoch(data, weight, recipe, 0)):
        tensors = as_tensors(data.pieces, step, model, device, extra)
        found.append(model.item_features(*inputs(tensors)))
        if number >= 20 or sum(map(len, found)) > 4000:
            break
    model.head.standardise(torch.cat(found))


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


def _state(parts: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    state = {
        f"{part}.{name}": tensor.clone()
        for part, module in parts.items()
        for name, tensor in module.state_dict().items()
    }
    return state | optimizer_state(optimizer)


def _restore(
    state: Mapping[str, Tensor], parts: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer
) -> None:
    for part, module in parts.items():
        prefix = f"{part}."
        module.load_state_dict(
            {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
        )
    restore_optimizer(optimizer, state)
