"""Training of the networks of `cupel.learned.nnrk.model.pairwise`: AdaGrad, early stopping on accuracy.

A minibatch holds pairs in both orders, and every sentence in it is encoded once. On a GPU the step
is recorded once and replayed (a CUDA graph), for its thousands of small kernels are bound by their
launches otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import FloatArray
from cupel.learned.nnrk.model.pairwise import Pairwise, Sentences

EPSILON = 1e-8


@dataclass(frozen=True)
class Pairs:
    """Who is compared with whom: rows of `Sentences`, and psi (p, F) of either translation."""

    first: Tensor
    second: Tensor
    reference: Tensor
    psi1: Tensor
    psi2: Tensor
    label: Tensor

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: Tensor) -> Pairs:
        fields = (self.first, self.second, self.reference, self.psi1, self.psi2, self.label)
        return Pairs(*(values[rows] for values in fields))


@dataclass(frozen=True)
class Schedule:
    """How long and how fast."""

    rate: float = 0.01  # AdaGrad's first step
    batch: int = 15  # pairs in a minibatch, each in both orders
    decay: float = 1e-4  # lambda of the squared weights
    near: float = 1e-2  # of (E - E0)^2 in moderate tuning
    epochs: int = 30
    patience: int = 5
    seed: int = 12345


@dataclass
class Progress:
    """Of each of the K networks: the best development accuracy, its epoch, its weights."""

    accuracy: Tensor
    epoch: Tensor
    kept: dict[str, Tensor] = field(repr=False)


def cost(model: Pairwise, sentences: Sentences, pairs: Pairs, training: bool = True) -> Tensor:
    """(K,): mean negative log likelihood over both orders."""
    rows = torch.cat([pairs.first, pairs.second, pairs.reference])
    x1, x2, r = model.encoded(sentences, rows, training).chunk(3, dim=1)
    forth = model.logits(x1, x2, r, pairs.psi1, pairs.psi2, training)
    back = model.logits(x2, x1, r, pairs.psi2, pairs.psi1, training)
    y = pairs.label.to(forth.dtype).expand_as(forth)
    both = functional.binary_cross_entropy_with_logits(
        torch.cat([forth, back], 1), torch.cat([y, 1 - y], 1), reduction="none"
    )
    return both.mean(1)


def predictions(
    model: Pairwise, sentences: Sentences, pairs: Pairs, size: int = 1000
) -> FloatArray:
    """(K, p): p(t1, t2, r); each sentence is encoded once."""
    every = torch.cat([pairs.first, pairs.second, pairs.reference])
    rows, places = torch.unique(every, return_inverse=True)
    x = encoded(model, sentences, rows, size)
    found = []
    with torch.no_grad():
        for part in torch.split(torch.arange(len(pairs), device=places.device), size):
            some = pairs.take(part)
            x1, x2, r = (x[:, places[part + k * len(pairs)]] for k in range(3))
            found.append(torch.sigmoid(model.logits(x1, x2, r, some.psi1, some.psi2)).cpu())
    return torch.cat(found, 1).double().numpy()


def encoded(model: Pairwise, sentences: Sentences, rows: Tensor, size: int = 1000) -> Tensor:
    """(K, n, size): x of these sentences, some of the same length at a time."""
    order = torch.argsort(sentences.lengths[rows])
    with torch.no_grad():
        parts = [model.encoded(sentences, rows[part], False) for part in torch.split(order, size)]
    return torch.cat(parts, dim=1)[:, torch.argsort(order)]


class Stepper:
    """One step of AdaGrad over a minibatch, replayed from a recording where that is possible."""

    def __init__(
        self, model: Pairwise, sentences: Sentences, pairs: Pairs, schedule: Schedule
    ) -> None:
        self.model, self.sentences, self.pairs, self.schedule = model, sentences, pairs, schedule
        k = len(model.variants)
        self.weights = list(model.weights.values())
        self.shrunk = [not name.endswith("bias") for name in model.weights]
        self.totals = [torch.zeros_like(w) for w in self.weights]
        self.table_total = torch.zeros_like(model.table)
        tunings = [variant.tuning for variant in model.variants]

        def per_model(values: list[float]) -> Tensor:
            return torch.tensor(values, device=model.table.device).view(k, 1, 1)

        self.learned = per_model([float(tuning != "fixed") for tuning in tunings])
        # Applied beside AdaGrad: it would turn the smallest constant pull on the vectors of words
        # that do not occur into full steps.
        self.shrink = per_model(
            [2 * schedule.decay * schedule.rate * (tuning == "full") for tuning in tunings]
        )
        self.pull = per_model(
            [2 * schedule.near * schedule.rate * (tuning == "moderate") for tuning in tunings]
        )
        self.rows = torch.zeros(schedule.batch, dtype=torch.long, device=model.table.device)
        self.graph: torch.cuda.CUDAGraph | None = None

    def eager(self) -> None:
        """The step itself, over the pairs `self.rows`."""
        schedule, model = self.schedule, self.model
        losses = cost(model, self.sentences, self.pairs.take(self.rows))
        wanted = [*self.weights, model.table]
        gradients = torch.autograd.grad(losses.sum(), wanted)
        with torch.no_grad():
            for w, total, g, shrunk in zip(
                self.weights, self.totals, gradients[:-1], self.shrunk, strict=True
            ):
                g = g + 2 * schedule.decay * w if shrunk else g
                total.addcmul_(g, g)
                w.addcdiv_(g, total.sqrt() + EPSILON, value=-schedule.rate)
            g = gradients[-1] * self.learned
            self.table_total.addcmul_(g, g)
            model.table.addcdiv_(g, self.table_total.sqrt() + EPSILON, value=-schedule.rate)
            model.table.sub_(self.shrink * model.table)
            model.table.sub_(self.pull * (model.table - model.start))

    def record(self) -> None:
        """Record the step for replay; weights are put back to where they were."""
        held = [*self.weights, self.model.table, *self.totals, self.table_total]
        before = [tensor.detach().clone() for tensor in held]
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.eager()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.eager()
        self.graph = graph
        with torch.no_grad():
            for tensor, old in zip(held, before, strict=True):
                tensor.copy_(old)

    def __call__(self, rows: Tensor) -> None:
        if len(rows) == len(self.rows) and self.graph is not None:
            self.rows.copy_(rows)
            self.graph.replay()
            return
        whole, self.rows = self.rows, rows
        self.eager()
        self.rows = whole


Report = Callable[[int, FloatArray], None]


def train(
    model: Pairwise,
    sentences: Sentences,
    training: Pairs,
    development: Pairs,
    schedule: Schedule,
    report: Report | None = None,
) -> Progress:
    """Train all K networks; each ends with the weights of its best epoch, the latest of equals."""
    stepper = Stepper(model, sentences, training, schedule)
    if model.table.is_cuda:
        try:
            stepper.record()
        except RuntimeError:
            stepper.graph = None
    k = len(model.variants)
    held = model.weights | {"table": model.table}
    progress = Progress(
        torch.full((k,), -1.0),
        torch.zeros(k, dtype=torch.long),
        {name: tensor.detach().clone() for name, tensor in held.items()},
    )
    rng = np.random.default_rng(schedule.seed)
    label = development.label.cpu().numpy()
    for epoch in range(1, schedule.epochs + 1):
        order = torch.from_numpy(rng.permutation(len(training))).to(model.table.device)
        for low in range(0, len(order), schedule.batch):
            stepper(order[low : low + schedule.batch])
        right = (predictions(model, sentences, development) > 0.5) == (label == 1)
        accuracy = torch.from_numpy(right.mean(1)).float()
        better = accuracy >= progress.accuracy
        for name, tensor in held.items():
            chosen = better.to(tensor.device).view(-1, *[1] * (tensor.ndim - 1))
            progress.kept[name] = torch.where(chosen, tensor.detach(), progress.kept[name])
        progress.accuracy = torch.where(better, accuracy, progress.accuracy)
        progress.epoch = torch.where(better, epoch, progress.epoch)
        if report:
            report(epoch, accuracy.double().numpy())
        if epoch - int(progress.epoch.max()) >= schedule.patience:
            break
    with torch.no_grad():
        for name, tensor in held.items():
            tensor.copy_(progress.kept[name])
    return progress
