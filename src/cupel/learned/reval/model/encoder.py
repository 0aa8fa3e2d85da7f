"""Child-sum Tree-LSTM (Tai et al. 2015, equations 2 to 8) as ReVal uses it, level by level.

For a node with the word vector x and the children k:

    h~ = sum of h_k
    i = sigmoid(W_i x + U_i h~ + b),  u = tanh(W_u x + U_u h~ + b)
    f_k = sigmoid(W_f x + U_f h_k + b)            one forget gate for each child
    c = i * u + sum of f_k * c_k
    h = tanh(c),  or with an output gate o = sigmoid(W_o x + U_o h~ + b):  h = o * tanh(c)

The authors' code has no output gate and two biases a gate, one beside W and one beside U: 203,400
parameters for 300-dimensional vectors and a memory of 150, the paper's figure (section 4).

An LSTM is the Tree-LSTM of a chain: each word has one child, the word before it, whose forget gate
is the LSTM's, and the last word is the root. One implementation serves both, and both directions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cupel.arrays import IntArray
from cupel.errors import CupelError
from cupel.learned.reval.model.forest import Forest, Levels

CELLS = ("tree-lstm", "lstm", "bilstm")
Look = Callable[[IntArray], Tensor]
"""Rows of the vectors -> the vectors."""


class TreeLstm(nn.Module):
    """Word vectors and trees -> the hidden state of each root."""

    def __init__(self, inputs: int, memory: int, output_gate: bool = False) -> None:
        super().__init__()
        self.memory = memory
        self.gates = 3 if output_gate else 2
        # Gates side by side, f first: one product for all of them.
        self.of_word = nn.Linear(inputs, (1 + self.gates) * memory)
        self.of_child = nn.Linear(memory, memory)
        self.of_children = nn.Linear(memory, self.gates * memory)

    def forward(self, vectors: Tensor, levels: Levels) -> Tensor:
        """(nodes, inputs) vectors in the order of `levels` -> (count, memory); 0 for an empty tree.

        Leaves, half of all nodes, have no children: their states come first, all at once.
        """
        device, inner, leaves = vectors.device, levels.inner.tolist(), levels.leaves.tolist()
        # Split, never sliced: the gradient of a split is put together once, not once a level.
        of_inner, of_leaves = torch.split(self.of_word(vectors), [sum(inner), sum(leaves)])
        leaf_hidden, leaf_cell = self._states(of_leaves[:, self.memory :] + self.of_children.bias)
        below = zip(
            torch.split(leaf_hidden, leaves),
            torch.split(leaf_cell, leaves),
            torch.split(self.of_child(leaf_hidden), leaves),
            strict=True,
        )
        sizes = (levels.inner + levels.leaves).tolist()
        parents = torch.split(torch.from_numpy(levels.parents).to(device), sizes)
        hidden, cell, forget = next(below)
        for words, above, leaf in zip(
            torch.split(of_inner, inner)[1:], parents, below, strict=False
        ):
            states = self._level(words, above, hidden, cell, forget)
            hidden, cell = (torch.cat(pair) for pair in zip(states, leaf[:2], strict=True))
            forget = torch.cat([self.of_child(states[0]), leaf[2]])
        rows = torch.from_numpy(levels.full).to(device)
        return hidden.new_zeros(levels.count, self.memory).index_copy(0, rows, hidden)

    def _level(
        self, words: Tensor, parents: Tensor, hidden: Tensor, cell: Tensor, forget: Tensor
    ) -> tuple[Tensor, Tensor]:
        """States of one level's inner nodes from those of their children, one level below.

        forget: U_f h_k of each child k; parents: its parent's row among `words`.
        """
        of_forget, of_gates = torch.split(words, [self.memory, self.gates * self.memory], dim=1)
        nothing = words.new_zeros(len(words), self.memory)
        summed = nothing.index_add(0, parents, hidden)
        gate = torch.sigmoid(of_forget.index_select(0, parents) + forget)
        kept = nothing.index_add(0, parents, gate * cell)
        return self._states(of_gates + self.of_children(summed), kept)

    def _states(self, gates: Tensor, kept: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """h and c from the sums inside i, u (and o), and from what the forget gates let through."""
        parts = torch.split(gates, self.memory, dim=1)
        cell = torch.sigmoid(parts[0]) * torch.tanh(parts[1])
        if kept is not None:
            cell = cell + kept
        hidden = torch.tanh(cell)
        return (torch.sigmoid(parts[2]) * hidden if self.gates == 3 else hidden), cell


class Encoder(nn.Module):
    """Trees (or their words in order) -> one vector a sentence."""

    def __init__(self, cell: str, inputs: int, memory: int, output_gate: bool = False) -> None:
        super().__init__()
        if cell not in CELLS:
            raise CupelError(f"There is no cell {cell!r}; there are {', '.join(CELLS)}.")
        self.cell = cell
        directions = 2 if cell == "bilstm" else 1
        self.size = directions * memory
        self.directions = nn.ModuleList(
            TreeLstm(inputs, memory, output_gate) for _ in range(directions)
        )

    def views(self, forest: Forest) -> list[Forest]:
        """The trees as each direction reads them; make them once for a whole corpus."""
        if self.cell == "tree-lstm":
            return [forest]
        return [forest.chains(backward) for backward in (False, True)[: len(self.directions)]]

    def forward(self, views: list[Forest], rows: npt.NDArray[np.integer], look: Look) -> Tensor:
        """(len(rows), size): the sentences of those rows."""
        states = []
        for direction, view in zip(self.directions, views, strict=True):
            levels = view.levels(rows)
            states.append(direction(look(levels.words), levels))
        return states[0] if len(states) == 1 else torch.cat(states, dim=1)
