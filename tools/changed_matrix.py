"""A matrix of a language model as it is trained: the matrix stays, and a change of low rank is learned."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.neural.decoder_layers import LORA_SCALE


class Changed(nn.Module):
    """x -> (W + 2 B A) x + bias, where only A and B are trained; B begins as 0."""

    weight: Tensor
    bias: Tensor | None

    def __init__(self, weight: Tensor, rank: int, bias: Tensor | None = None) -> None:
        super().__init__()
        outputs, inputs = weight.shape
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        begun = torch.randn(rank, inputs, device=weight.device) / math.sqrt(inputs)
        self.a = nn.Parameter(begun)
        self.b = nn.Parameter(torch.zeros(outputs, rank, device=weight.device))

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.linear(x, self.a.to(x.dtype))
        change = functional.linear(inner, self.b.to(x.dtype))
        return functional.linear(x, self.weight, self.bias) + LORA_SCALE * change
