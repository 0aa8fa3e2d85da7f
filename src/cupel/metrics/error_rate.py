"""What the error rates (TER, WER, PER, CDER) have in common: edits over reference length.

    100 * sum of edits / sum of reference lengths

Where the references are empty the rate is 100 if there are edits and 0 if there are none, as in
sacreBLEU's TER. Rates above 100 are possible: a hypothesis may have more wrong words than its
reference has words.
"""

from __future__ import annotations

import numpy as np

from cupel.batch import Batch, FloatArray
from cupel.metric import Signature, ratio
from cupel.text.tokenizers import Tokenizer


def error_rate(statistics: FloatArray) -> FloatArray:
    """(..., 2) summed [edits, reference length] -> (...) percent."""
    edits, length = statistics[..., 0], statistics[..., 1]
    percent: FloatArray = 100 * np.where(length > 0, ratio(edits, length), edits > 0)
    return percent


def best_edits(batch: Batch, tokenizer: Tokenizer, distance: int) -> FloatArray:
    """(n, 2) [edits, reference length] by one of the distances of `cupel.kernels.edits`."""
    from cupel.kernels import edits

    tokens = batch.analyse(tokenizer)
    statistics: FloatArray = edits.best_edits(
        tokens.ids,
        tokens.offsets,
        batch.hypothesis_index,
        batch.reference_index,
        batch.reference_offsets,
        len(tokens.types),
        distance,
    )
    return statistics


def text_signature(tokenizer: Tokenizer) -> Signature:
    """The entries case and tok."""
    return Signature.of(case="lc" if tokenizer.lowercase else "mixed", tok=tokenizer.signature())
