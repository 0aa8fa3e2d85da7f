"""Sentence encoders by name: Tree-LSTM, LSTM and bidirectional LSTM behind one interface.

An LSTM is the Tree-LSTM of a chain: each word has one child, the word before it, whose forget gate
is the LSTM's, and the last word is the root. One implementation serves all three.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cupel.arrays import IntArray
from cupel.errors import CupelError
from cupel.learned.reval.model.forest import Forest
from cupel.learned.reval.model.tree_lstm import TreeLstm

CELLS = ("tree-lstm", "lstm", "bilstm")
Look = Callable[[IntArray], Tensor]
"""Rows of the vectors -> the vectors."""


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
