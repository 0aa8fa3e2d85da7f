"""One step of NNRK's training: the costs of a minibatch (sections 3.3 and 5.5), and AdaGrad.

A pair is two examples of the logistic cost, one in each order; of the Kendall cost, and with an
encoder, which then encodes every sentence once, it is one example that has both orders. On a GPU the
step is recorded once and replayed (a CUDA graph): its many small kernels take less time than their
launches.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional

from cupel.learned.nnrk.training.networks import TABLE, Networks
from cupel.learned.nnrk.training.settings import KENDALL, LOGISTIC, Training

EPSILON = 1e-8
AHEAD = 200
"""Steps whose inputs are gathered at once."""


def costs(networks: Networks, kind: str, how: Training, label: Tensor, *given: Tensor) -> Tensor:
    """(K, n, 1): the costs of examples, as rows (K, n, 3) of sentences or as their inputs.

    With y = 1 where people prefer the first, -1 where the second, the logistic cost is
    -log sig(y z); the Kendall cost is sig(-gamma y D) + ties exp(-beta D^2 / 2), with
    D = p(t1, t2) - p(t2, t1).
    """
    x, psi = given if len(given) == 2 else networks.inputs(given[0], training=True)
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


def descend(weight: Tensor, gradient: Tensor, total: Tensor, rate: float) -> None:
    """One step of AdaGrad, in place; total: the sum of all squared gradients so far."""
    total.addcmul_(gradient, gradient)
    weight.addcdiv_(gradient, total.sqrt().add_(EPSILON), value=-rate)


class Step:
    """AdaGrad over a minibatch: w -= rate * g / (sqrt(sum of g^2) + epsilon)."""

    def __init__(self, networks: Networks, kind: str, how: Training) -> None:
        self.networks, self.kind, self.how = networks, kind, how
        self.weights = [w for w in networks.weights.values() if w.requires_grad]
        self.sums = torch.zeros_like(networks.flat)
        self.totals = networks.views(self.sums)
        self.mask, self.decay = torch.ones_like(self.sums), torch.zeros_like(self.sums)
        for name, decay in networks.views(self.decay).items():
            decay.fill_(0.0 if name.endswith("bias") else 2 * how.decay)
        if networks.units:
            networks.views(self.mask)["hidden"].copy_(networks.mask)
        self.table = networks.weights.get(TABLE, networks.flat.detach())
        if self.table.requires_grad:
            self.totals[TABLE] = torch.zeros_like(self.table)
        self.loss = torch.zeros(len(networks), device=networks.device)
        both = in_both_orders(networks, kind) and kind == LOGISTIC
        self.size = max(how.batch // 2, 1) if both else how.batch
        shape = len(networks), self.size
        rows = torch.zeros((*shape, 3), dtype=torch.long, device=networks.device)
        self.example = next(self.batches(rows, torch.zeros((*shape, 1), device=networks.device)))
        self.graph: torch.cuda.CUDAGraph | None = None
        if networks.device.type == "cuda":
            self._record()

    def batches(self, rows: Tensor, label: Tensor) -> Iterator[tuple[Tensor, ...]]:
        """Minibatches of examples (K, n, 3), (K, n, 1): the labels, and rows or, ahead, inputs.

        Inputs that do not depend on the weights are gathered for many steps at once.
        """
        ahead = self.size * AHEAD
        for some, labels in zip(
            torch.split(rows, ahead, dim=1), torch.split(label, ahead, dim=1), strict=True
        ):
            fixed = self.networks.encoding is None
            given = self.networks.inputs(some, training=True) if fixed else (some,)
            parts = [torch.split(table, self.size, dim=1) for table in (labels, *given)]
            yield from zip(*parts, strict=True)

    def __call__(self, *batch: Tensor) -> None:
        """Change the weights by one of the `batches`, and add its costs to `loss`."""
        if self.graph is None or batch[0].shape != self.example[0].shape:
            self._take(*batch)
            return
        for static, tensor in zip(self.example, batch, strict=True):
            static.copy_(tensor)
        self.graph.replay()

    def _take(self, *batch: Tensor) -> None:
        how, flat = self.how, self.networks.flat
        losses = costs(self.networks, self.kind, how, *batch)
        share = torch.full_like(losses, 1 / losses.shape[1])
        gradients = torch.autograd.grad(losses, self.weights, share)
        with torch.no_grad():
            own = gradients[: len(self.networks.shapes)]
            gradient = torch.cat([part.flatten(1) for part in own], dim=1)
            descend(flat, gradient.mul_(self.mask).addcmul_(flat, self.decay), self.sums, how.rate)
            if self.table.requires_grad:
                descend(self.table, gradients[-1], self.totals[TABLE], how.rate)
                # Beside AdaGrad, which would turn the smallest constant pull on the vectors of
                # words that do not occur into full steps.
                start = self.networks.moderate_start
                pull, target = (how.decay, 0.0) if start is None else (how.near, start)
                self.table.sub_(2 * pull * how.rate * (self.table - target))
            self.loss.add_(losses.sum((1, 2)))

    def _record(self) -> None:
        """Record the step for replay; everything that it changes is put back afterwards."""
        changed = [self.networks.flat, *self.weights, *self.totals.values(), self.loss]
        before = [tensor.detach().clone() for tensor in changed]
        graph = torch.cuda.CUDAGraph()
        try:
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    self._take(*self.example)
            torch.cuda.current_stream().wait_stream(side)
            with torch.cuda.graph(graph):
                self._take(*self.example)
            self.graph = graph
        except RuntimeError:
            self.graph = None
        with torch.no_grad():
            for tensor, old in zip(changed, before, strict=True):
                tensor.copy_(old)
