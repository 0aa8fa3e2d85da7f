"""The Tree-LSTM as its equations read: one node at a time, by recursion, in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from cupel.learned.reval.model.encoder import TreeLstm


def root_state(module: TreeLstm, vectors: Tensor, heads: list[int]) -> Tensor:
    """The hidden state of one tree's root; vectors: (words, inputs)."""
    m = module.memory
    if not heads:
        return vectors.new_zeros(m)
    of_word, of_child, of_children = module.of_word, module.of_child, module.of_children

    def gate(number: int, x: Tensor, h: Tensor) -> Tensor:
        w = slice((1 + number) * m, (2 + number) * m)
        u = slice(number * m, (number + 1) * m)
        return (
            of_word.weight[w] @ x
            + of_word.bias[w]
            + of_children.weight[u] @ h
            + of_children.bias[u]
        )

    def state(node: int) -> tuple[Tensor, Tensor]:
        x = vectors[node]
        below = [state(child) for child, head in enumerate(heads) if head == node]
        summed = sum((h for h, _ in below), vectors.new_zeros(m))
        c = torch.sigmoid(gate(0, x, summed)) * torch.tanh(gate(1, x, summed))
        for h, child_cell in below:
            forget = of_word.weight[:m] @ x + of_word.bias[:m] + of_child.weight @ h + of_child.bias
            c = c + torch.sigmoid(forget) * child_cell
        hidden = torch.tanh(c)
        if module.gates == 3:
            hidden = torch.sigmoid(gate(2, x, summed)) * hidden
        return hidden, c

    return state(heads.index(-1))[0]
