"""What `assay` is taught by other models: their scores of every translation, judged or not.

A judgment is one person's word on two translations; a teacher's score is what many such words have
in common, and it is there for the unjudged translations too. Several teachers are more than one: an
encoder that reads both sentences together (`cupel.neural.assay_joint`) errs elsewhere than one that
compares vectors. Each teacher's scores are divided by their deviation within segments; the means of
the two kinds count alike; and the whole has the deviation SPREAD, about that of a trained model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError
from cupel.neural.assay_data import Judgments
from cupel.neural.assay_files import load_assay
from cupel.neural.assay_joint import Joint
from cupel.neural.assay_scoring import raw_scores

SPREAD = 1.5


def with_lessons(
    data: Judgments, teachers: Sequence[Path | str], encoder: Path | None, device: str
) -> Judgments:
    """The data with the teachers' scores of all items that can be taught."""
    if not len(data.taught):
        raise CupelError("There are no translations for teachers to speak about: name rankings.")
    items = data.taught[np.argsort(data.reference[data.taught], kind="stable")]
    found: dict[bool, list[FloatArray]] = {}
    for folder in teachers:
        model, _ = load_assay(folder, encoder, device)
        scores = raw_scores(model, data.pieces, data.hypothesis[items], data.reference[items])
        alike = _divided(scores.astype(np.float64), data.segment[items], str(folder))
        found.setdefault(isinstance(model, Joint), []).append(alike)
    means = [np.mean(scores, axis=0) for scores in found.values()]
    lesson = SPREAD * _divided(np.mean(means, axis=0), data.segment[items], "all teachers")
    return replace(data, taught=items, lesson=lesson.astype(np.float32))


def _divided(scores: FloatArray, segment: IntArray, whose: str) -> FloatArray:
    """FloatArray less their mean within a segment, over the deviation of that."""
    _, of, counts = np.unique(segment, return_inverse=True, return_counts=True)
    apart = scores - (np.bincount(of, scores) / counts)[of]
    spread = float(apart.std())
    if not spread > 0.0:
        raise CupelError(f"The scores of {whose} do not tell translations of a segment apart.")
    return apart / spread
