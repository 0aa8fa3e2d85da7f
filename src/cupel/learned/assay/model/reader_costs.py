"""What each word of a translation costs by the large reader, for `cupel align -m assay:size=large`.

The reader matches no words, so there is no match to make perfect, as `alignment` does. The score
depends on a word by the length g of its gradient (`LargeReader.influences`), and a word costs

    (best - score) g / sum of all g

with `best` the score of a translation that equals its reference: what is missing, shared out to the
words. Lengths have no sign; that words which people mark as wrong have long gradients is an
observation, not a property (docs/research/assay-2.md, "Spans").
"""

from __future__ import annotations

import numpy as np

from cupel.learned.assay.model.joint import Joint
from cupel.learned.assay.model.large import LargeReader, parts_read
from cupel.neural.wordpiece import Pieces


def reader_costs(
    reader: LargeReader, model: Joint, pieces: Pieces, texts: tuple[str, str], missing: float
) -> list[tuple[float, str]]:
    """The words of a translation as spaces part them, each behind its share of `missing`.

    pieces: those of the two texts, translation and reference, as `model` cuts them
    """
    words: list[str] = []
    lengths: list[float] = []
    ours, theirs = np.split(pieces.ids, pieces.offsets[1:2])
    for translation, reference, weight in parts_read(model, ours, theirs, *texts):
        words += translation.split()
        lengths += (weight * reader.influences(translation, reference)).tolist()
    share = max(missing, 0.0) / (sum(lengths) or 1.0)
    return [(share * length, word) for length, word in zip(lengths, words, strict=True)]
