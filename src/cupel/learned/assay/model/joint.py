"""A joint encoder: translation and reference in one input, as a teacher for `assay`.

Where `assay` encodes each sentence once and compares vectors, this reads the two together, so that
every layer may look across: [first] translation [last] reference [last], with the encoder's segment
types 0 and 1. The vectors are matched as `assay` matches its own, and the last layer's mean m and
its first vector f add to the score:

    score = assay's of the matches + v . tanh(W [m, f] + b) + c

Without matches (`Design.matched`) the second part is all there is. Every pair of sentences is
encoded by itself, which is slow: `assay` learns from its scores
(`cupel.learned.assay.training.teachers`). Of a sentence it reads the first LONGEST pieces, as
training does.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.arrays import Float32Array, IntArray
from cupel.learned.assay.model.network import LONGEST, Assay, Design, Side
from cupel.neural.encoder import Encoder, padded
from cupel.neural.wordpiece import Pieces

UNITS = 128
DROPOUT = 0.1
"""Of what the tanh units see, in training."""
BATCH = 1 << 15
"""Pieces of a batch in scoring."""


class Joint(Assay):
    """Encoder and both heads; it takes what `Assay` takes."""

    def __init__(self, encoder: Encoder, design: Design | None = None) -> None:
        super().__init__(encoder, design or Design(joint=True))
        self.hidden = nn.Linear(2 * encoder.config.size, UNITS)
        self.out = nn.Linear(UNITS, 1)
        nn.init.zeros_(self.out.weight)

    def forward(self, ids: Tensor, mask: Tensor, own: Tensor, items: Tensor) -> Tensor:
        states, there = self._read(ids, mask, items)
        with torch.autocast(ids.device.type, enabled=False):
            last = states[-1].float()
            mean = (last * there[..., None]).sum(1) / there.sum(1, keepdim=True)
            seen = functional.dropout(torch.cat([mean, last[:, 0]], -1), DROPOUT, self.training)
            score: Tensor = self.out(torch.tanh(self.hidden(seen))).squeeze(-1)
            if self.design.matched:
                score = score + self.head(self._matches(states, ids, mask, own, items))
            return score

    def item_features(self, ids: Tensor, mask: Tensor, own: Tensor, items: Tensor) -> Tensor:
        return self._matches(self._read(ids, mask, items)[0], ids, mask, own, items)

    def _read(self, ids: Tensor, mask: Tensor, items: Tensor) -> tuple[list[Tensor], Tensor]:
        """The layers' states of the joined sentences, and where these have a piece."""
        joined, there, types = join(ids, mask, items)
        return self.encoder(joined, there, types), there

    def _matches(
        self,
        states: list[Tensor],
        ids: Tensor,
        mask: Tensor,
        own: Tensor,
        items: Tensor,
    ) -> Tensor:
        """(n, f) features of translation and reference, whose vectors are those read together."""
        state = self.mixed(states)
        first, second = items.unbind(1)
        columns = torch.arange(ids.shape[1], device=ids.device)[None]
        behind = columns + mask.sum(1)[first][:, None] - 1
        with torch.autocast(ids.device.type, enabled=False):
            sides = (
                self._side(state, columns.expand(len(items), -1), first, ids, mask, own),
                self._side(state, behind, second, ids, mask, own),
            )
            return self.features(*sides)

    def _side(
        self, state: Tensor, columns: Tensor, rows: Tensor, ids: Tensor, mask: Tensor, own: Tensor
    ) -> Side:
        """One of the two sentences, taken out of what was read: `columns` is where it stands."""
        places = columns.clamp(max=state.shape[1] - 1)[..., None].expand(-1, -1, state.shape[-1])
        vectors, there = state.gather(1, places), mask[rows]
        whole = (vectors * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        vectors, whole = functional.normalize(vectors, dim=-1), functional.normalize(whole, dim=-1)
        weights = self.weights(vectors, ids[rows], own[rows])
        return vectors, whole, weights, own[rows], ids[rows]


def join(ids: Tensor, mask: Tensor, items: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Pieces, mask and types (n, u) of two rows each: the first whole, the second behind it.

    ids, mask: (b, t) sentences with their special pieces; of the second sentence the piece that
    stands before it is left out.
    """
    first, second = items.unbind(1)
    lengths = mask.sum(1)
    before, behind = lengths[first][:, None], lengths[second][:, None] - 1
    columns = torch.arange(int((before + behind).max()), device=ids.device)[None]
    in_first, there = columns < before, columns < before + behind
    longest = ids.shape[1] - 1
    ours = ids[first].gather(1, columns.clamp(max=longest).expand(len(first), -1))
    theirs = ids[second].gather(1, (columns - before + 1).clamp(0, longest))
    joined = torch.where(in_first, ours, theirs) * there
    return joined, there, (there & ~in_first).long()


@torch.inference_mode()
def joint_scores(
    model: Joint,
    pieces: Pieces,
    hypothesis: IntArray,
    reference: IntArray,
) -> Float32Array:
    """(items,) scores, in batches of about equal length."""
    device = model.out.weight.device
    lengths = np.minimum(pieces.lengths, LONGEST)
    total = lengths[hypothesis] + lengths[reference] + 3
    order = np.argsort(-total, kind="stable")
    scores = np.zeros(len(order), np.float32)
    at = 0
    while at < len(order):
        rows = order[at : at + max(1, BATCH // int(total[order[at]]))]
        both = np.stack([hypothesis[rows], reference[rows]], 1)
        sentences, items = np.unique(both, return_inverse=True)
        ids, mask, own = padded(pieces.take(sentences), *model.encoder.special, LONGEST)
        arrays = (ids, mask, own, items.reshape(both.shape))
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            raw = model(*(torch.from_numpy(array).to(device) for array in arrays))
        scores[rows] = raw.float().cpu().numpy()
        at += len(rows)
    return scores
