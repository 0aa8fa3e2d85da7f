"""ReVal's training loop on prepared arrays (Gupta et al. 2015, sections 3 to 5).

AdaGrad on mini batches of 25, 10 epochs, L2 on all parameters; of all epochs the one whose
predictions correlate best (Pearson) with the development data is kept. The order of the examples is
drawn from the seed and the epoch's number, so that a run resumed after any epoch goes on exactly as
an unbroken one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cupel.arrays import Float32Array, IntArray
from cupel.console import Progress
from cupel.errors import CupelError
from cupel.learned.reval.model.forest import Forest
from cupel.learned.reval.model.network import Design, Floats, ReVal, divergence, similarities
from cupel.learned.reval.training.settings import Training
from cupel.neural.checkpoints import Run, flat_state, optimizer_state, part_of, restore_optimizer
from cupel.neural.devices import find_device
from cupel.neural.training import Epoch, Report

TUNED = "vectors"
"""The name of tuned word vectors among a model's tensors."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """n examples: rows of trees on both sides, and the similarity, from 1 to 5."""

    references: IntArray
    translations: IntArray
    similarity: Floats

    def __len__(self) -> int:
        return len(self.references)


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that a training reads: trees, the vectors of their words, train and dev pairs."""

    forest: Forest
    vectors: Float32Array
    train: Pairs
    dev: Pairs

    def __post_init__(self) -> None:
        for name in ("train", "dev"):
            pairs: Pairs = getattr(self, name)
            if not len(pairs):
                raise CupelError(f"There are no pairs to train on: the {name} part is empty.")
            if pairs.similarity.min() < 1 or pairs.similarity.max() > 5:
                raise CupelError(f"A similarity in the {name} part is not between 1 and 5.")


@dataclass(frozen=True)
class Trained:
    """The best epoch's model, its tensors (tuned vectors included), and the log of all epochs.

    by: the figure by which an epoch is the best
    """

    model: ReVal
    tensors: Mapping[str, Tensor]
    log: list[Epoch]
    by: str = "pearson"

    @property
    def best(self) -> Epoch:
        """The epoch that was kept."""
        return max(self.log, key=lambda epoch: epoch.figures[self.by])


def train(
    prepared: Prepared,
    design: Design,
    how: Training,
    *,
    folder: Path | str | None = None,
    data: str = "",
    progress: Progress | None = None,
    report: Report | None = None,
) -> Trained:
    """Train a model; with a folder, after each epoch a checkpoint that a second call resumes.

    data: names the data, so that a checkpoint of other data is refused. progress: is called with
    the number of batches done and their total.
    """
    if prepared.vectors.shape[1] != design.dimension:
        raise CupelError(
            f"The vectors have {prepared.vectors.shape[1]} dimensions, the model expects "
            f"{design.dimension}."
        )
    device = find_device(how.device)
    torch.manual_seed(how.seed)
    model = ReVal(design).to(device)
    vectors = torch.from_numpy(prepared.vectors).to(device)
    groups: list[dict[str, Any]] = [
        {"params": list(model.parameters()), "lr": how.rate, "weight_decay": how.decay}
    ]
    if how.vectors_rate:
        vectors = vectors.clone().requires_grad_()
        groups.append({"params": [vectors], "lr": how.vectors_rate, "weight_decay": 0.0})
    run = None
    if folder is not None:
        run = Run(folder, {**design.record(), **how.record(), "data": data})
    state = _State(model, vectors, torch.optim.Adagrad(groups))
    log = state.resume(run)
    views = model.encoder.views(prepared.forest)
    dev = prepared.dev
    while len(log) < how.epochs:
        begun = time.perf_counter()
        # Set explicitly, because PyTorch warns where sparse gradients are neither checked nor not.
        with torch.sparse.check_sparse_tensor_invariants(False):  # type: ignore[no-untyped-call]
            loss = _epoch(state, views, prepared.train, how, len(log), progress)
        predicted = similarities(
            model, prepared.forest, dev.references, dev.translations, vectors.detach()
        )
        figures = {
            "pearson": pearson(predicted, dev.similarity),
            "mse": float(np.mean((predicted - dev.similarity) ** 2)),
        }
        seconds = round(time.perf_counter() - begun, 3)
        log.append(Epoch(len(log) + 1, loss, figures, seconds))
        state.keep_if_best(log)
        if run is not None:
            run.save(state.tensors(), log)
        if report is not None:
            report(log[-1])
    model.load_state_dict({name: t for name, t in state.best.items() if name != TUNED})
    return Trained(model, state.best, log)


class _State:
    """What changes while training, and what a checkpoint therefore holds."""

    def __init__(self, model: ReVal, vectors: Tensor, optimizer: torch.optim.Optimizer) -> None:
        self.model, self.vectors, self.optimizer = model, vectors, optimizer
        self.best: dict[str, Tensor] = {}

    def now(self) -> dict[str, Tensor]:
        tensors = {name: t.detach().clone() for name, t in self.model.state_dict().items()}
        if self.vectors.requires_grad:
            tensors[TUNED] = self.vectors.detach().clone()
        return tensors

    def keep_if_best(self, log: list[Epoch]) -> None:
        """The first of equally good epochs stays."""
        before = (epoch.figures["pearson"] for epoch in log[:-1])
        if log[-1].figures["pearson"] > max(before, default=-2.0):
            self.best = self.now()

    def tensors(self) -> dict[str, Tensor]:
        optimizer = optimizer_state(self.optimizer)
        return flat_state(now=self.now(), best=self.best, optimizer=optimizer)

    def resume(self, run: Run | None) -> list[Epoch]:
        """Take up the last checkpoint, where there is one; returns its log."""
        checkpoint = run.resume() if run is not None else None
        if checkpoint is None:
            return []
        tensors, log = checkpoint
        now = part_of(tensors, "now")
        with torch.no_grad():
            if TUNED in now:
                self.vectors.copy_(now.pop(TUNED))
        self.model.load_state_dict(now)
        device = self.vectors.device
        self.best = {name: t.to(device) for name, t in part_of(tensors, "best").items()}
        restore_optimizer(self.optimizer, part_of(tensors, "optimizer"))
        return log


def _epoch(
    state: _State,
    views: list[Forest],
    pairs: Pairs,
    how: Training,
    number: int,
    progress: Progress | None,
) -> float:
    """One pass over the examples in an order of its own; the mean cost."""
    order = np.random.default_rng([how.seed, number]).permutation(len(pairs))
    device = state.vectors.device
    similarity = torch.from_numpy(pairs.similarity.astype(np.float32)).to(device)
    batches = -(-len(order) // how.batch)
    total = torch.zeros((), device=device)
    for batch in range(batches):
        rows = order[batch * how.batch : (batch + 1) * how.batch]
        predicted = state.model(
            views, pairs.references[rows], pairs.translations[rows], state.vectors
        )
        cost = divergence(predicted, similarity[torch.from_numpy(rows).to(device)])
        state.optimizer.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        state.optimizer.step()
        total += cost.detach() * len(rows)
        if progress is not None:
            progress(number * batches + batch + 1, how.epochs * batches)
    return float(total) / len(order)


def pearson(first: Floats, second: Floats) -> float:
    """Pearson's correlation; 0 where one side does not vary."""
    a, b = (np.asarray(x, np.float64) - np.mean(x, dtype=np.float64) for x in (first, second))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else 0.0
