"""The two kinds of inputs of the network: vectors of sentences (x) and skip arcs (psi)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cupel.batch import Batch, FloatArray
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus


class SentenceVectors(Protocol):
    """An analyser sentences -> (s, dimension), with a name for cards and signatures."""

    @property
    def dimension(self) -> int: ...

    def __call__(self, sentences: Sequence[str]) -> FloatArray: ...

    def __hash__(self) -> int: ...

    def signature(self) -> str: ...


class SkipArcs(Protocol):
    """Features psi(t, r) of a translation with its reference, straight to the output."""

    @property
    def name(self) -> str: ...

    def prepare(self, corpus: Corpus) -> SkipArcs:
        """The same, prepared on all references of a corpus."""
        ...

    def signature(self) -> str: ...

    def values(self, batch: Batch) -> FloatArray:
        """(n, columns), every value finite; items have one reference each."""
        ...


def check_finite(name: str, values: FloatArray) -> FloatArray:
    """The values, all of which must be finite numbers; rows are segments."""
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = wrong[0]
        raise CupelError(
            f"The feature {name!r} has the value {values[row, column]} at segment {row + 1}: "
            "a network takes finite numbers only."
        )
    return values
