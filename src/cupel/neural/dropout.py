"""Dropout that does not hold up a training on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def dropped(x: Tensor, rate: float) -> Tensor:
    """Dropout; on a CPU at a rate of n / 256, whose random bytes take a fifth of the time of PyTorch's."""
    if x.device.type != "cpu":
        return functional.dropout(x, rate)
    limit = round(256 * rate)
    drawn = torch.empty((x.numel() + 7) // 8, dtype=torch.int64).random_(-(2**63), None)
    kept = (drawn.view(torch.uint8)[: x.numel()] >= limit).view(x.shape)
    return x * kept.to(x.dtype).mul_(256 / (256 - limit))
