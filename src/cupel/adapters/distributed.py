"""What the processes of a PyTorch job have accumulated, put together.

Only sums travel between processes, except for metrics that learn from the whole corpus: their texts
do. Nothing is pickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from cupel.adapters.accumulator import Accumulator, Segment
from cupel.errors import CupelError
from cupel.neural.packages import check_packages

if TYPE_CHECKING:
    import torch
    from torch.distributed import ProcessGroup


def all_reduce(accumulator: Accumulator, group: ProcessGroup | None = None) -> Accumulator:
    """An accumulator of the segments of all processes, the same in each; the given one stays.

    Every process of the group must call it, also one that has no segments. group: processes of
    torch.distributed; if not given, all. Without distributed training the result is a copy.
    """
    check_packages("all_reduce", ["torch"], "neural")
    import torch.distributed as dist

    whole = copy(accumulator)
    whole.reset()
    if not (dist.is_available() and dist.is_initialized()):
        whole.merge(accumulator)
        return whole
    job = _Job(group)
    text = packed(accumulator.texts)
    headers = job.gathered([_number(accumulator.identity), accumulator.segments, len(text)])
    if len({identity for identity, _, _ in headers}) > 1:
        raise CupelError("The processes accumulate different metrics: give all of them the same.")
    sums = job.summed(accumulator)
    texts: list[Segment] = []
    if any(size for _, _, size in headers):
        for part in job.gathered_bytes(text, [size for _, _, size in headers]):
            texts += unpacked(part)
    whole.restore(sums, texts, sum(segments for _, segments, _ in headers))
    return whole


class _Job:
    """The collective operations, on the kind of device that the backend can reach."""

    def __init__(self, group: ProcessGroup | None) -> None:
        import torch.distributed as dist

        self.group = group
        self.device = "cuda" if dist.get_backend(group) == "nccl" else "cpu"

    def gathered(self, numbers: list[int]) -> list[list[int]]:
        """The numbers of every process; all give equally many."""
        import torch

        own = torch.tensor(numbers, dtype=torch.int64, device=self.device)
        return [each.tolist() for each in self._gathered(own)]

    def summed(self, accumulator: Accumulator) -> dict[str, np.ndarray]:
        """label -> (3, k) sums over all processes; one without segments does not know k."""
        import torch
        import torch.distributed as dist

        labels = [label for label in accumulator.metrics if label not in accumulator.learning]
        own = [accumulator.sums.get(label, np.zeros((3, 0))) for label in labels]
        widths = torch.tensor([sums.shape[1] for sums in own], device=self.device)
        dist.all_reduce(widths, dist.ReduceOp.MAX, group=self.group)
        rows = [
            sums if sums.size else np.zeros((3, width))
            for sums, width in zip(own, widths.tolist(), strict=True)
        ]
        together = torch.from_numpy(np.concatenate([np.zeros((3, 0)), *rows], axis=1))
        together = together.to(self.device)
        dist.all_reduce(together, group=self.group)
        parts = np.split(together.cpu().numpy(), np.cumsum(widths.cpu().numpy())[:-1], axis=1)
        return dict(zip(labels, parts, strict=False)) if labels else {}

    def gathered_bytes(self, text: bytes, sizes: list[int]) -> list[bytes]:
        """The texts of every process; sizes: their lengths, to which they are filled up."""
        import torch

        own = torch.zeros(max(sizes), dtype=torch.uint8, device=self.device)
        own[: len(text)] = as_tensor(text)
        every = self._gathered(own)
        return [part.cpu().numpy().tobytes()[:n] for part, n in zip(every, sizes, strict=True)]

    def _gathered(self, own: torch.Tensor) -> list[torch.Tensor]:
        import torch
        import torch.distributed as dist

        every = [torch.zeros_like(own) for _ in range(dist.get_world_size(self.group))]
        dist.all_gather(every, own, group=self.group)
        return every


def packed(segments: Iterable[Segment]) -> bytes:
    """Segments as lines of JSON in ASCII."""
    return b"".join(json.dumps(segment).encode("ascii") + b"\n" for segment in segments)


def unpacked(text: bytes) -> list[Segment]:
    """The segments of such lines."""
    lines = (json.loads(line) for line in text.splitlines())
    return [(hypothesis, tuple(references), source) for hypothesis, references, source in lines]


def as_tensor(text: bytes) -> torch.Tensor:
    """(bytes,) numbers from 0 to 255."""
    import torch

    return torch.from_numpy(np.frombuffer(text, np.uint8).copy())


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7])
