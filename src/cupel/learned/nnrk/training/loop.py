"""NNRK's training loop on prepared tensors (sections 3.3, 4.4 and 5.5 to 5.7).

After every epoch Kendall's tau of the development pairs is taken (wmt12's formula: ties count as
errors); of each network the latest of its best epochs is kept. Minibatches are small, and what a step
costs is calling PyTorch, not computing: so examples are gathered by their indices from arrays that
hold all sentences, and networks of several seeds train side by side.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cupel.arrays import BoolArray, FloatArray
from cupel.learned.nnrk.model.network import Array, antisymmetric, sigmoid
from cupel.learned.nnrk.training.networks import Networks
from cupel.learned.nnrk.training.settings import KENDALL, Training
from cupel.learned.nnrk.training.step import Step, in_both_orders
from cupel.neural.checkpoints import Run, flat_state, part_of, random_state, restore_random
from cupel.neural.training import Epoch, Report

CHUNK = 1000
"""Sentences that are encoded at once for the development pairs."""


@dataclass(frozen=True)
class Pairs:
    """Judged pairs: rows (p, 3) of first translation, second translation and reference.

    label: (p,) 1 where people prefer the first, -1 where the second.
    """

    rows: Tensor
    label: Tensor

    def __len__(self) -> int:
        return len(self.rows)

    def ordered(self, examples: Tensor) -> Pairs:
        """Example 2 p is pair p as it is, example 2 p + 1 with its translations exchanged."""
        rows, label, exchanged = self.rows[examples >> 1], self.label[examples >> 1], examples & 1
        turned = torch.where(exchanged[..., None] > 0, rows[..., [1, 0, 2]], rows)
        return Pairs(turned, label * (1 - 2 * exchanged))

    def take(self, examples: Tensor) -> Pairs:
        return Pairs(self.rows[examples], self.label[examples])


def pairwise_tau(predictions: FloatArray, label: Array) -> float:
    """(C - D - T) / (C + D + T) where p > 1/2 means that the first is better, label 1 that it is."""
    sign = np.sign(predictions - 0.5) * np.where(label == 1, 1, -1)
    return float(np.where(sign > 0, 1.0, -1.0).mean())


def predictions(networks: Networks, pairs: Pairs) -> FloatArray:
    """(K, p): p(t1, t2, r); each sentence is encoded once."""
    used, places = torch.unique(pairs.rows, return_inverse=True)
    with torch.no_grad():
        x = encoded(networks, used)[:, places]
        psi = networks.sentences.psi[pairs.rows[:, :2]].expand(len(networks), -1, -1, -1)
        return sigmoid(networks.logits(x, psi).double().cpu().numpy())


def encoded(networks: Networks, rows: Tensor) -> Tensor:
    """(K, n, size): x of the sentences of these rows (n,), some of the same length at a time."""
    lengths = networks.sentences.lengths
    order = torch.arange(len(rows), device=rows.device)
    if lengths is not None:
        order = torch.argsort(lengths[rows])
    with torch.no_grad():
        parts = [
            networks.vectors(rows[part].expand(len(networks), -1))
            for part in torch.split(order, CHUNK)
        ]
    return torch.cat(parts, dim=1)[:, torch.argsort(order)]


def taus(networks: Networks, pairs: Pairs, kind: str) -> FloatArray:
    """(K,): tau of the decisions p(t1, t2, r) > 1/2.

    After the Kendall cost it is that of both orders, (1 + p(t1, t2, r) - p(t2, t1, r)) / 2: that
    cost sees their difference only, and leaves the level of p to chance.
    """
    p = predictions(networks, pairs)
    if kind == KENDALL:
        p = antisymmetric(p, predictions(networks, Pairs(pairs.rows[:, [1, 0, 2]], pairs.label)))
    label = pairs.label.cpu().numpy()
    return np.array([pairwise_tau(one, label) for one in p])


_COUNTS = ("tau", "epoch", "done", "since")


class State:
    """Where a training is: the networks and, of each, its best epoch so far.

    tau    (K,) of the development pairs at the best epoch, which is `epoch`
    done   (K,) epochs so far, and `since` how many of them came behind the last better one
    phase  which of the costs is trained by
    """

    def __init__(self, networks: Networks) -> None:
        self.networks = networks
        self.best = {name: w.detach().clone() for name, w in networks.weights.items()}
        k = len(networks)
        self.tau = np.full(k, -np.inf)
        self.epoch, self.done, self.since = (np.zeros(k, np.int64) for _ in range(3))
        self.phase = 0
        self.log: list[Epoch] = []

    def active(self, how: Training) -> BoolArray:
        """(K,): which networks go on."""
        return (self.done < how.epochs) & (self.since < how.patience)

    def keep_best(self, active: BoolArray, tau: FloatArray) -> None:
        """Take note of an epoch; the latest of equally good ones stays."""
        self.done += active
        self.since = np.where(active, np.where(tau > self.tau, 0, self.since + 1), self.since)
        for k in np.flatnonzero(active & (tau >= self.tau)):
            self.tau[k], self.epoch[k] = tau[k], self.done[k]
            for name, best in self.best.items():
                best[k] = self.networks.weights[name][k].detach()

    def return_to_best(self) -> None:
        with torch.no_grad():
            for name, best in self.best.items():
                self.networks.weights[name].copy_(best)

    def save(self, run: Run, step: Step) -> None:
        counts = {name: torch.from_numpy(getattr(self, name)) for name in _COUNTS}
        parts = {
            "now": self.networks.weights,
            "best": self.best,
            "totals": step.totals,
            "count": counts | {"phase": torch.tensor(self.phase)},
            "random": random_state(self.networks.random, self.networks.device),
        }
        run.save(flat_state(**parts), self.log)

    def resume(self, run: Run | None) -> dict[str, Tensor] | None:
        """Take up the last checkpoint, where there is one; returns AdaGrad's totals."""
        checkpoint = run.resume() if run is not None else None
        if checkpoint is None:
            return None
        tensors, self.log = checkpoint
        self.best = {k: t.to(self.networks.device) for k, t in part_of(tensors, "best").items()}
        with torch.no_grad():
            for name, tensor in part_of(tensors, "now").items():
                self.networks.weights[name].copy_(tensor)
        counts = part_of(tensors, "count")
        self.phase = int(counts["phase"])
        for name in _COUNTS:
            setattr(self, name, counts[name].numpy().copy())
        restore_random(self.networks.random, self.networks.device, part_of(tensors, "random"))
        return part_of(tensors, "totals")


def train(
    networks: Networks,
    pairs: Pairs,
    development: Pairs,
    how: Training,
    run: Run | None = None,
    report: Report | None = None,
) -> State:
    """Train all networks; each ends with the weights of its best epoch.

    With a run, there is a checkpoint after each epoch, from which a second call goes on.
    """
    torch.manual_seed(how.seed)
    state = State(networks)
    totals = state.resume(run)
    kinds = how.cost.split("+")
    with _threads(networks):
        while state.phase < len(kinds):
            kind = kinds[state.phase]
            if state.phase and totals is None:
                # The best of the first cost is what the second has to beat, by its own measure.
                state.return_to_best()
                state.tau, state.since = taus(networks, development, kind), 0 * state.since
            step = Step(networks, kind, how)
            for name, total in (totals or {}).items():
                step.totals[name].copy_(total)
            while (active := state.active(how)).any():
                begun = time.perf_counter()
                loss = _epoch(networks, pairs, step, active)
                tau = taus(networks, development, kind)
                state.keep_best(active, tau)
                figures = _figures(tau, active)
                seconds = round(time.perf_counter() - begun, 3)
                state.log.append(Epoch(len(state.log) + 1, loss, figures, seconds))
                if run is not None:
                    state.save(run, step)
                if report:
                    report(state.log[-1])
            state.phase, totals = state.phase + 1, None
    state.return_to_best()
    return state


def _epoch(networks: Networks, pairs: Pairs, step: Step, active: BoolArray) -> float:
    """One pass over the examples, in an order of its own for each network; the mean cost."""
    both = in_both_orders(networks, step.kind)
    count = len(pairs) if both else 2 * len(pairs)
    order = np.stack(
        [
            random.permutation(count) if goes_on else np.arange(count)
            for random, goes_on in zip(networks.random, active, strict=True)
        ]
    )
    codes = torch.from_numpy(order).to(networks.device)
    examples = pairs.take(codes) if both else pairs.ordered(codes)
    step.loss.zero_()
    batches = (torch.split(table, step.size, dim=1) for table in (examples.rows, examples.label))
    for rows, label in zip(*batches, strict=True):
        step(rows, label)
    return float(step.loss.cpu().numpy()[active].mean()) / max(count, 1)


def _figures(tau: FloatArray, active: BoolArray) -> dict[str, float]:
    if len(tau) == 1:
        return {"tau": float(tau[0])}
    return {f"tau {k + 1}": float(tau[k]) for k in np.flatnonzero(active)}


@contextmanager
def _threads(networks: Networks) -> Iterator[None]:
    """One thread for the basic networks: their steps are too small to be shared."""
    before = torch.get_num_threads()
    if networks.encoding is None:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
