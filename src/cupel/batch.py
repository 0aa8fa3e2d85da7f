"""A batch of segments to score, and the analyses that metrics share over it.

A batch holds n items (a hypothesis with its references) and the list of the *distinct*
sentences in them, with integer arrays that point into that list. An analysis (tokens, stems,
characters, trees) is computed over the distinct sentences, once per batch, whatever number of
metrics and systems ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol, TypeVar

import numpy as np

from cupel.arrays import FloatArray as FloatArray
from cupel.arrays import IntArray as IntArray

Result = TypeVar("Result", covariant=True)


class Analyser(Protocol[Result]):
    """Maps distinct sentences to an analysis of all of them; equal analysers share results.

    A frozen dataclass that names everything which can change its result is one.
    """

    def __call__(self, sentences: Sequence[str]) -> Result: ...

    def __hash__(self) -> int: ...


class Batch:
    """n hypotheses, each with its references (and source), as the `Metric` protocol takes them.

    hypotheses        (n,) strings
    references        (n,) lists of one or more strings
    sources           (n,) strings, or None
    sentences         the distinct sentences of hypotheses and references
    hypothesis_index  (n,)    hypothesis of item i is `sentences[hypothesis_index[i]]`
    reference_index   (m,)    references of all items, one after the other
    reference_offsets (n+1,)  those of item i are `reference_index[offsets[i]:offsets[i+1]]`
    """

    def __init__(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
    ) -> None:
        self.hypotheses = hypotheses
        self.references = references
        self.sources = sources
        counts = [len(texts) for texts in references]
        flat = list(chain.from_iterable(references))
        total = len(hypotheses) + len(flat)
        numbers: dict[str, int] = dict.fromkeys(chain(hypotheses, flat), 0)
        self.sentences: list[str] = list(numbers)
        if len(numbers) == total:  # the usual case
            index = np.arange(total)
        else:
            numbers.update(zip(self.sentences, range(len(numbers)), strict=True))
            each = map(numbers.__getitem__, chain(hypotheses, flat))
            index = np.fromiter(each, np.int64, total)
        self.hypothesis_index: IntArray = index[: len(hypotheses)].copy()
        self.reference_index: IntArray = index[len(hypotheses) :].copy()
        self.reference_offsets: IntArray = np.zeros(len(references) + 1, np.int64)
        np.cumsum(np.fromiter(counts, np.int64, len(counts)), out=self.reference_offsets[1:])
        self._analyses: dict[Analyser[Any], Any] = {}

    def __len__(self) -> int:
        return len(self.hypotheses)

    @property
    def reference_counts(self) -> IntArray:
        """(n,): how many references each item has."""
        return np.diff(self.reference_offsets)

    def analyse(self, analyser: Analyser[Result]) -> Result:
        """The analysis of all distinct sentences of this batch, computed once.

        analyser: called with `sentences`; equal ones share the result.
        """
        if analyser not in self._analyses:
            self._analyses[analyser] = analyser(self.sentences)
        result: Result = self._analyses[analyser]
        return result
