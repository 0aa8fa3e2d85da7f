"""One step of NNRK's training: the costs of a minibatch (sections 3.3 and 5.5), and AdaGrad.

A pair is two examples of the logistic cost, one in each order; of the Kendall cost, and with an
encoder, which then encodes every sentence once, it is one example that has both orders. On a GPU the
step is recorded once and replayed (a CUDA graph): its many small kernels take less time than their
launches.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from cupel.learned.nnrk.training.networks import TABLE, Networks
from cupel.learned.nnrk.training.settings import KENDALL, LOGISTIC, Training

EPSILON = 1e-8


def costs(networks: Networks, rows: Tensor, label: Tensor, kind: str, how: Training) -> Tensor:
    """(K, n): the costs of examples, rows (K, n, 3) of sentences.

    With y = 1 where people prefer the first, -1 where the second, the logistic cost is
    -log sig(y z); the Kendall cost is sig(-gamma y D) + ties exp(-beta D^2 / 2), with
    D = p(t1, t2) - p(t2, t1).
    """
    x, psi = networks.inputs(rows, training=True)
    forth = networks.logits(x, psi, training=True)
    if not in_both_orders(networks, kind):
        return functional.softplus(-label * forth)
    exchanged = torch.cat([x[:, :, 1:2], x[:, :, :1], x[:, :, 2:]], dim=2)
    back = networks.logits(exchanged, psi.flip(2), training=True)
    if kind == LOGISTIC:
        return (functional.softplus(-label * forth) + functional.softplus(label * back)) / 2
    delta = torch.sigmoid(forth) - torch.sigmoid(back)
    wrong = torch.sigmoid(-how.gamma * label * delta)
    return wrong + how.ties * torch.exp(-how.beta * delta.square() / 2)


def in_both_orders(networks: Networks, kind: str) -> bool:
    """Whether one example has both orders of a pair."""
    return kind == KENDALL or networks.encoding is not None


class Step:
    """AdaGrad over a minibatch: w -= rate * g / (sqrt(sum of g^2) + epsilon)."""

    def __init__(self, networks: Networks, kind: str, how: Training) -> None:
        self.networks, self.kind, self.how = networks, kind, how
        learned = {name: w for name, w in networks.weights.items() if w.requires_grad}
        # Those that decay, then the biases, then the words' vectors.
        names = sorted(learned, key=lambda name: (name == TABLE, name.endswith("bias")))
        self.weights = {name: learned[name] for name in names}
        self.totals = {name: torch.zeros_like(weight) for name, weight in self.weights.items()}
        self.decaying = sum(not name.endswith("bias") and name != TABLE for name in names)
        self.loss = torch.zeros(len(networks), device=networks.device)
        both = in_both_orders(networks, kind) and kind == LOGISTIC
        shape = len(networks), max(how.batch // 2, 1) if both else how.batch
        self.rows = torch.zeros((*shape, 3), dtype=torch.long, device=networks.device)
        self.label = torch.zeros(shape, device=networks.device)
        self.graph: torch.cuda.CUDAGraph | None = None
        if networks.device.type == "cuda":
            self._record()

    @property
    def size(self) -> int:
        """How many examples a step has."""
        return self.label.shape[1]

    def __call__(self, rows: Tensor, label: Tensor) -> None:
        """Change the weights by these examples, and add their costs to `loss`."""
        if self.graph is None or label.shape != self.label.shape:
            self._take(rows, label)
            return
        self.rows.copy_(rows)
        self.label.copy_(label)
        self.graph.replay()

    def _take(self, rows: Tensor, label: Tensor) -> None:
        how, n = self.how, self.decaying
        weights, totals = list(self.weights.values()), list(self.totals.values())
        losses = costs(self.networks, rows, label, self.kind, how)
        share = torch.full_like(losses, 1 / rows.shape[1])
        gradients: Any = torch.autograd.grad(losses, weights, share)
        with torch.no_grad():
            if "hidden" in self.weights:
                gradients[0].mul_(self.networks.mask)
            torch._foreach_add_(gradients[:n], weights[:n], alpha=2 * how.decay)
            torch._foreach_addcmul_(totals, gradients, gradients)
            roots = torch._foreach_sqrt(totals)
            torch._foreach_add_(roots, EPSILON)
            torch._foreach_addcdiv_(weights, gradients, roots, -how.rate)
            if TABLE in self.weights:
                # Beside AdaGrad, which would turn the smallest constant pull on the vectors of
                # words that do not occur into full steps.
                start = self.networks.moderate_start
                pull, target = (how.decay, 0.0) if start is None else (how.near, start)
                weights[-1].sub_(2 * pull * how.rate * (weights[-1] - target))
            self.loss.add_(losses.sum(1))

    def _record(self) -> None:
        """Record the step for replay; everything that it changes is put back afterwards."""
        changed = [*self.weights.values(), *self.totals.values(), self.loss]
        before = [tensor.detach().clone() for tensor in changed]
        graph = torch.cuda.CUDAGraph()
        try:
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    self._take(self.rows, self.label)
            torch.cuda.current_stream().wait_stream(side)
            with torch.cuda.graph(graph):
                self._take(self.rows, self.label)
            self.graph = graph
        except RuntimeError:
            self.graph = None
        with torch.no_grad():
            for tensor, old in zip(changed, before, strict=True):
                tensor.copy_(old)
