"""What `assay` is taught by other models: their scores of every translation, judged or not.

Teachers may be models like the student, or encoders that read both sentences together
(`cupel.learned.assay.model.joint`). Each teacher's scores are divided by their deviation within
segments, and weighted so that the held-out judgments are likeliest, or equally where none are held
out; the sum has the deviation SPREAD, about that of a trained model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError
from cupel.learned.assay.data.examples import JUDGED, TEACHERS, Judgments
from cupel.learned.assay.files import load_assay
from cupel.learned.assay.model.scoring import raw_scores
from cupel.learned.assay.training.bradley_terry import fitted
from cupel.neural.wordpiece import WordPieces

SPREAD = 1.5


def with_lessons(
    data: Judgments,
    teachers: Sequence[Path | str],
    encoder: Path | None,
    device: str,
    held_out: bool = True,
) -> Judgments:
    """The data with the teachers' scores of all items that can be taught.

    held_out: whether one line in HELD_OUT was kept from the teachers, as from the pupil.
    """
    if not len(data.taught):
        raise CupelError("There are no translations for teachers to score: name rankings.")
    items = data.taught[np.argsort(data.reference[data.taught], kind="stable")]
    each = []
    for folder in teachers:
        model, _ = load_assay(folder, encoder, device)
        place = model.mix.device.type
        with torch.autocast(place, torch.bfloat16, enabled=place == "cuda"):
            scores = raw_scores(model, data.pieces, data.hypothesis[items], data.reference[items])
        each.append(_divided(scores.astype(np.float64), data.segment[items], str(folder)))
    columns = np.stack(each, 1)
    weights = _weights(columns, items, data) if held_out else np.ones(len(teachers))
    lesson = SPREAD * _divided(columns @ weights, data.segment[items], "all teachers")
    return replace(data, taught=items, lesson=lesson.astype(np.float32))


def with_marks(
    data: Judgments,
    teachers: Sequence[Path | str],
    prepared: Callable[[WordPieces], Judgments],
    encoder: Path | None,
    device: str,
) -> Judgments:
    """The data with the mean of the teachers' scores, each standardised, as one more campaign.

    encoder: that of the teachers; prepared: the same data, as a tokenizer cuts it.
    """
    items = data.taught[np.argsort(data.reference[data.taught], kind="stable")]
    total, pieces = np.zeros(len(items)), None
    for folder in teachers:
        model, _ = load_assay(folder, encoder, device)
        assert model.encoder.pieces is not None
        pieces = pieces or prepared(model.encoder.pieces).pieces
        place = model.mix.device.type
        with torch.autocast(place, torch.bfloat16, enabled=place == "cuda"):
            given = raw_scores(model, pieces, data.hypothesis[items], data.reference[items])
        scores = given.astype(np.float64)
        total += (scores - scores.mean()) / scores.std()
    none = np.zeros(0, np.int64)
    return replace(
        data,
        marked=np.concatenate([data.marked, items]),
        mark=np.concatenate([data.mark, (total / total.std()).astype(np.float32)]),
        campaign=np.concatenate([data.campaign, np.full(len(items), TEACHERS)]),
        taught=none,
        lesson=none.astype(np.float32),
    )


def _weights(scores: FloatArray, items: IntArray, data: Judgments) -> FloatArray:
    """(k,) what each of k teachers' scores (n, k) counts, by the judgments of held-out lines."""
    judged = data.part(True).of_kind(JUDGED)
    place = np.full(len(data.hypothesis), -1)
    place[items] = np.arange(len(items))
    better, worse = place[judged.better], place[judged.worse]
    scored = (better >= 0) & (worse >= 0)
    weights = fitted(scores[better[scored]] - scores[worse[scored]])
    return weights if weights.any() else np.ones_like(weights)


def _divided(scores: FloatArray, segment: IntArray, whose: str) -> FloatArray:
    """Scores less their mean within a segment, over the deviation of that."""
    _, of, counts = np.unique(segment, return_inverse=True, return_counts=True)
    apart = scores - (np.bincount(of, scores) / counts)[of]
    spread = float(apart.std())
    if not spread > 0.0:
        raise CupelError(f"The scores of {whose} do not tell translations of a segment apart.")
    return apart / spread
