"""A reader: translation and reference in one input of the encoder.

Where `assay` encodes each sentence once and compares vectors, this reads the two together, so that
every layer may look across: [first] translation [last] reference [last], with the encoder's segment
types 0 and 1. The vectors are matched as `assay` matches its own, and the last layer's mean m and
its first vector f add to the score:

    score = assay's of the matches + v . tanh(W [m, f] + b) + c

Without matches (`Design.matched`) the second part is all there is. Every pair of sentences is
encoded by itself; smaller models learn from the scores of larger ones
(`cupel.learned.assay.training.teachers`). When a release scores, it takes
`missing` log(1 + pieces of the reference that the translation lacks) from the score, with a number that
was chosen after the training; beside an empty reference all pieces of the translation count. A metric reads long texts in aligned parts
(`cupel.learned.assay.model.long_texts`). In training, two sentences that are too long for the encoder
are cut into as many overlapping parts each, and the score is the mean over these.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.arrays import BoolArray, Float32Array, FloatArray, Int32Array, IntArray
from cupel.learned.assay.model.correction import missing_pieces
from cupel.learned.assay.model.long_texts import LONG, LongTexts, joined
from cupel.learned.assay.model.network import Assay, Design, Side
from cupel.neural.encoder import Encoder, padded
from cupel.neural.wordpiece import Pieces

UNITS = 128
DROPOUT = 0.1
"""Of what the tanh units see, in training."""
BATCH = {"cpu": 1 << 11, "cuda": 1 << 16}
"""Pieces of a batch in scoring."""
FILLED = 0.75
"""How much of what the encoder can read each part of a long sentence has without its overlap."""


class Joint(Assay):
    """Encoder and both heads; it takes what `Assay` takes."""

    def __init__(self, encoder: Encoder, design: Design | None = None) -> None:
        super().__init__(encoder, design or Design(joint=True))
        self.hidden = nn.Linear(2 * encoder.config.size, UNITS)
        self.out = nn.Linear(UNITS, 1)
        nn.init.zeros_(self.out.weight)
        self.long: LongTexts | None = None  # where a metric asks for it
        self.missing = 0.0  # what log(1 + missing pieces) costs when it scores

    def forward(
        self, ids: Tensor, mask: Tensor, own: Tensor, items: Tensor, width: int | None = None
    ) -> Tensor:
        """width: of the longest two sentences joined, where it is known; a GPU is waited for otherwise."""
        states, there = self._read(ids, mask, items, width)
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

    def _read(
        self, ids: Tensor, mask: Tensor, items: Tensor, width: int | None = None
    ) -> tuple[list[Tensor], Tensor]:
        """The layers' states of the joined sentences, and where these have a piece."""
        joined, there, types = join(ids, mask, items, width)
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
        with torch.autocast(ids.device.type, enabled=False):
            return self.features(*self._sides(states, ids, mask, own, items))

    def read(self, ids: Tensor, mask: Tensor, own: Tensor, items: Tensor) -> tuple[Side, Side]:
        """Translation and reference of items, read together."""
        return self._sides(self._read(ids, mask, items)[0], ids, mask, own, items)

    def _sides(
        self,
        states: list[Tensor],
        ids: Tensor,
        mask: Tensor,
        own: Tensor,
        items: Tensor,
    ) -> tuple[Side, Side]:
        state = self.mixed(states)
        first, second = items.unbind(1)
        columns = torch.arange(ids.shape[1], device=ids.device)[None]
        behind = columns + mask.sum(1)[first][:, None] - 1
        return (
            self._side(state, columns.expand(len(items), -1), first, ids, mask, own),
            self._side(state, behind, second, ids, mask, own),
        )

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


def join(
    ids: Tensor, mask: Tensor, items: Tensor, width: int | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Pieces, mask and types (n, u) of two rows each: the first whole, the second behind it.

    ids, mask: (b, t) sentences with their special pieces; of the second sentence the piece that
    stands before it is left out.
    """
    first, second = items.unbind(1)
    lengths = mask.sum(1)
    before, behind = lengths[first][:, None], lengths[second][:, None] - 1
    if width is None:
        width = int((before + behind).max())
    columns = torch.arange(width, device=ids.device)[None]
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
    """(items,) scores; long texts are read in parts."""
    over = is_long(model, pieces.lengths[hypothesis], pieces.lengths[reference])
    scores = np.zeros(len(hypothesis), np.float32)
    short, long = np.flatnonzero(~over), np.flatnonzero(over)
    scores[short] = _short_scores(model, pieces, hypothesis[short], reference[short])
    if model.long is not None:
        scores[long] = _long_scores(model, model.long, pieces, hypothesis[long], reference[long])
        return scores
    for item in long.tolist():
        parts = _parts(pieces, int(hypothesis[item]), int(reference[item]), readable(model))
        count = np.arange(len(parts) // 2)
        scores[item] = _short_scores(model, parts, count, count + len(count)).mean()
    return scores


def is_long(model: Joint, ours: IntArray, theirs: IntArray) -> BoolArray:
    """(items,) whether pairs of texts of so many pieces are read in parts.

    The reference decides, so that all translations of a segment are read in the same way, but for
    those that are too long for the encoder.
    """
    longest = readable(model)
    return (ours > longest) | (theirs > (longest if model.long is None else min(LONG, longest)))


def _long_scores(
    model: Joint, long: LongTexts, pieces: Pieces, hypothesis: IntArray, reference: IntArray
) -> FloatArray:
    """(items,) means over the aligned parts; parts that several items have are read once."""
    pairs: list[tuple[Int32Array, Int32Array]] = []
    item, weights = [], []
    for number, row in enumerate(zip(hypothesis.tolist(), reference.tolist(), strict=True)):
        ours, theirs = (pieces.ids[pieces.offsets[at] : pieces.offsets[at + 1]] for at in row)
        parts = long.parts(ours, theirs)
        pairs += parts.of(ours, theirs)
        item += [number] * len(parts.weights)
        weights += parts.weights.tolist()
    places: dict[tuple[bytes, bytes], int] = {}
    of = [places.setdefault((a.tobytes(), b.tobytes()), len(places)) for a, b in pairs]
    distinct = joined(
        [side for pair in dict(zip(of, pairs, strict=True)).values() for side in pair]
    )
    numbers = np.arange(0, len(distinct), 2)
    scores = _short_scores(model, distinct, numbers, numbers + 1).astype(np.float64)
    if long.same is not None:
        scores[[number for (a, b), number in places.items() if a == b]] = long.same
    means = np.zeros(len(hypothesis))
    np.add.at(means, item, np.array(weights) * scores[of])
    return means


def readable(model: Joint) -> int:
    """How many pieces of each of two sentences the encoder can read together."""
    return (model.encoder.window - 1) // 2


def _short_scores(
    model: Joint, pieces: Pieces, hypothesis: IntArray, reference: IntArray
) -> Float32Array:
    """(items,) scores, in batches of about equal length."""
    device = model.out.weight.device
    total = pieces.lengths[hypothesis] + pieces.lengths[reference] + 3
    order = np.argsort(-total, kind="stable")
    scores = np.zeros(len(order), np.float32)
    limit = BATCH.get(device.type, BATCH["cpu"])
    at = 0
    while at < len(order):
        rows = order[at : at + max(1, limit // int(total[order[at]]))]
        tensors = as_inputs(model, pieces, np.stack([hypothesis[rows], reference[rows]], 1), device)
        scores[rows] = model(*tensors).float().cpu().numpy()
        at += len(rows)
    if model.missing:
        scores -= model.missing * np.log1p(missing_pieces(pieces, hypothesis, reference))
    return scores


def influences(model: Joint, both: Pieces) -> tuple[FloatArray, FloatArray]:
    """How strongly the score of two sentences depends on each of their pieces, as far as they are read:
    the lengths of its gradients with respect to the vectors that the encoder begins with.
    """
    vectors: list[Tensor] = []

    def keep(_: nn.Module, __: object, embedded: Tensor) -> Tensor:
        vectors.append(embedded.detach().requires_grad_())
        return vectors[0]

    with torch.inference_mode(False), torch.enable_grad():
        hook = model.encoder.words.register_forward_hook(keep)
        try:
            score = model(*as_inputs(model, both, np.array([[0, 1]]), model.out.weight.device))
        finally:
            hook.remove()
        (gradient,) = torch.autograd.grad(score.sum(), vectors[0])
    lengths: FloatArray = gradient[0].float().norm(dim=-1).double().cpu().numpy()
    before, after = (len(special) for special in model.encoder.special)
    ours, theirs = np.minimum(both.lengths, readable(model)).tolist()
    second = before + ours + after
    return lengths[before : before + ours], lengths[second : second + theirs]


def as_inputs(
    model: Joint, pieces: Pieces, both: IntArray, device: torch.device
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What the model takes, of (n, 2) sentences of items."""
    sentences, items = np.unique(both, return_inverse=True)
    ids, mask, own = padded(pieces.take(sentences), *model.encoder.special, readable(model))
    arrays = ids, mask, own, items.reshape(both.shape)
    tensors = [torch.from_numpy(array).to(device) for array in arrays]
    return tensors[0], tensors[1], tensors[2], tensors[3]


def _parts(pieces: Pieces, hypothesis: int, reference: int, longest: int) -> Pieces:
    """Two sentences in as many parts each: all of the first, then all of the second."""
    lengths = pieces.lengths[[hypothesis, reference]]
    count = int(np.ceil(lengths.max() / (FILLED * longest)))
    ids, sizes = [], []
    for sentence, length in zip((hypothesis, reference), lengths.tolist(), strict=True):
        own = pieces.ids[pieces.offsets[sentence] : pieces.offsets[sentence + 1]]
        edges = np.linspace(0, length, count + 1).round().astype(np.int64)
        overlap = (longest - int(np.diff(edges).max())) // 2
        for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            part = own[max(0, start - overlap) : stop + overlap]
            ids.append(part)
            sizes.append(len(part))
    return Pieces(np.concatenate(ids), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
