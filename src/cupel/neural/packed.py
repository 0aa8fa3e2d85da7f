"""Layers of an encoder, made ready to read on a CPU: matrices laid out for oneDNN, once.

The numbers are those of `cupel.neural.encoder.Layer` but for rounding. oneDNN, which comes with PyTorch,
multiplies float32 twice as fast as PyTorch's first choice on AMD's Zen 5, adds biases, residuals and GELU on
the way, and gives a row the same numbers whatever else is in a batch. Where it is not there, layers stay
as they are; and for gradients, which oneDNN's products do not have, the layer itself is taken.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.neural.encoder import Encoder, Layer

ROWS = 2048
"""Of a batch, about: what the layout is made for; others are as right."""


class PackedLayer(nn.Module):
    """One layer, for reading."""

    def __init__(self, layer: nn.Module) -> None:
        assert isinstance(layer, Layer)
        super().__init__()
        self.layer = layer
        self.gelu = "gelu" if layer.activation is functional.gelu else "none"
        self.matrices = [
            torch.ops.mkldnn._reorder_linear_weight(product.weight.detach(), ROWS)
            for product in (layer.projections, layer.output, layer.up, layer.down)
        ]

    def forward(
        self, x: Tensor, mask: Tensor | None, _: float, distances: Tensor | None = None
    ) -> Tensor:
        layer = self.layer
        if x.requires_grad:
            whole: Tensor = layer(x, mask, 0.0, distances)
            return whole
        projections, output, up, down = self.matrices
        projected = _product(x, projections, layer.projections)
        mixed = layer.mixed(projected, mask, 0.0, distances)
        x = layer.attention_norm(_added(mixed, x, output, layer.output))
        inner = _product(x, up, layer.up, self.gelu)
        if self.gelu == "none":
            inner = layer.activation(inner)
        normed: Tensor = layer.norm(_added(inner, x, down, layer.down))
        return normed


def pack(encoder: Encoder) -> None:
    """Let an encoder on a CPU read with packed layers, if PyTorch can here; it cannot be trained then."""
    weight, library = encoder.words.weight, torch.ops.mkldnn
    there = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    if weight.device.type != "cpu" or not there:
        return
    if not hasattr(library, "_linear_pointwise"):
        return
    if weight.dtype == torch.float32 or library._is_mkldnn_bf16_supported():
        encoder.layers = nn.ModuleList(map(PackedLayer, encoder.layers))


def _product(x: Tensor, matrix: Tensor, of: Any, then: str = "none") -> Tensor:
    result: Tensor = torch.ops.mkldnn._linear_pointwise(x, matrix, of.bias, then, [], "none")
    return result


def _added(x: Tensor, to: Tensor, matrix: Tensor, of: Any) -> Tensor:
    result: Tensor = torch.ops.mkldnn._linear_pointwise.binary(x, to, matrix, of.bias, "add")
    return result
