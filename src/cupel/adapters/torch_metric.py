"""Any metric of Cupel with the interface of torchmetrics, for loops of PyTorch and Lightning."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import torch
from torchmetrics import Metric

from cupel.adapters.accumulator import Accumulator, Segment
from cupel.adapters.distributed import as_tensor, packed, unpacked
from cupel.metrics.function import Function
from cupel.registry import MetricLike


class TorchMetric(Metric):  # type: ignore[misc]
    """`torchmetrics.Metric` over `cupel.Accumulator`: update, compute, reset, forward, collections.

    The states are float64 sums of statistics that are added over processes, so that any number of
    them gives the same bits. A metric that learns from the whole corpus (NIST, CIDEr) has the texts
    as its state.
    """

    segments: torch.Tensor
    is_differentiable = False
    full_state_update = False

    def __init__(self, metric: MetricLike = "bleu", **options: Any) -> None:
        """metric: a name with options, a `Metric` or a function. options: those of torchmetrics."""
        super().__init__(**options)
        self.accumulator = Accumulator([metric])
        ((self.label, self.metric),) = self.accumulator.metrics.items()
        # A collection lets metrics with equal states share them: the name of the state is the
        # metric's own, so that WER and TER do not look the same on a first batch without shifts.
        digest = hashlib.sha256(self.accumulator.identity.encode()).hexdigest()[:16]
        self._state = f"state_{digest}"
        if self.accumulator.learning:
            self.add_state(self._state, [], dist_reduce_fx="cat")
        else:
            width = _width(self.accumulator)
            zeros = torch.zeros((3, width), dtype=torch.float64)
            self.add_state(self._state, zeros, dist_reduce_fx="sum")
        self.add_state("segments", torch.tensor(0), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:
        """False for an error rate."""
        return self.metric.higher_is_better

    def update(
        self,
        preds: Sequence[str],
        target: Sequence[str | Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> None:
        """Add a batch: translations, their references, and their sources where the metric reads them.

        preds, target: named as by torchmetrics. target: per segment a string or a list of strings.
        """
        part = self.accumulator
        part.reset()
        part.update(preds, target, sources)
        if part.learning:
            text = as_tensor(packed(part.texts)).to(self.device)
            getattr(self, self._state).append(text)
        elif part.segments:
            sums = torch.from_numpy(part.sums[self.label]).to(self.device)
            setattr(self, self._state, getattr(self, self._state) + sums)
        self.segments = self.segments + part.segments

    def compute(self) -> torch.Tensor:
        """The score of all segments of all processes, as a float64 scalar."""
        state, whole = getattr(self, self._state), self.accumulator
        texts: list[Segment] = []
        if whole.learning:
            for part in [state] if isinstance(state, torch.Tensor) else state:
                texts += unpacked(part.cpu().numpy().tobytes())
        sums = {} if whole.learning else {self.label: state.cpu().numpy()}
        whole.restore(sums, texts, int(self.segments))
        score = whole.compute()[self.label]
        whole.reset()
        return torch.tensor(score, dtype=torch.float64, device=self.device)

    def _apply(self, fn: Any, exclude_state: Sequence[str] = "") -> Any:
        """Moves between devices; a model that becomes float16 does not round the sums."""
        return super()._apply(lambda tensor: tensor.to(fn(tensor).device), exclude_state)


def _width(accumulator: Accumulator) -> int:
    """The number of statistics of the metric: a segment is scored, unless it is a user's function."""
    ((label, metric),) = accumulator.metrics.items()
    if isinstance(metric, Function):
        return 2 + len(getattr(metric.function, "details", ()))
    accumulator.update(["a"], ["a"], ["a"])
    width = len(accumulator.sums[label][0])
    accumulator.reset()
    return width
