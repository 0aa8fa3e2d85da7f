"""One segment: its candidates, the pseudo-references that they are compared with, and weights.

Pseudo-references are samples of what the model would say; without any, the candidates are their own
(Eikema and Aziz 2020). A weight is the probability of a pseudo-reference; without weights all count
the same, one that was drawn twice twice as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError

Numbers = Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class Candidates:
    """What is known of one segment.

    texts       one or more candidates
    references  pseudo-references; None: the candidates
    weights     (pseudo-references,) adding up to 1; None: all the same
    source      the source text, for metrics that read it
    scores      name -> (candidates,) scores that were computed elsewhere
    place       where errors say that it stands
    """

    texts: Sequence[str]
    references: Sequence[str] | None = None
    weights: FloatArray | None = None
    source: str | None = None
    scores: Mapping[str, FloatArray] = field(default_factory=dict)
    place: str = "The list"

    def __post_init__(self) -> None:
        check_texts(self.texts, "candidates", self.place)
        if self.references is not None:
            check_texts(self.references, "pseudo-references", self.place)
        for name, numbers in self.scores.items():
            if len(numbers) != len(self.texts):
                raise CupelError(
                    f"{self.place}: {len(self.texts)} candidates have {len(numbers)} scores {name!r}."
                )


def check_texts(texts: Sequence[str], what: str, place: str) -> None:
    """An error where there are none, or one of them is no text."""
    if isinstance(texts, str):
        raise CupelError(f"{place}: a list of {what} was expected, not one text.")
    if not len(texts):
        raise CupelError(f"{place} has no {what}: give at least one.")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            kind = type(text).__name__
            raise CupelError(f"{place}: number {number} of the {what} is no text, but {kind}.")


def probabilities(
    numbers: Numbers, count: int, place: str, *, logarithms: bool = False, temperature: float = 1.0
) -> FloatArray:
    """(count,) weights that add up to 1, from weights or from logarithms of probabilities."""
    what = "log-probabilities" if logarithms else "weights"
    try:
        values = np.asarray(numbers, np.float64)
    except (TypeError, ValueError):
        raise CupelError(f"{place}: the {what} are not all numbers.") from None
    if values.shape != (count,):
        size = len(values) if values.ndim == 1 else f"an array of shape {values.shape}"
        raise CupelError(f"{place}: {count} pseudo-references have {size} {what}.")
    wrong = np.flatnonzero(np.isnan(values) | (values == np.inf))
    if len(wrong):
        value = values[wrong[0]]
        raise CupelError(f"{place}: number {wrong[0] + 1} of the {what} is {value}.")
    if logarithms:
        if not np.isfinite(values.max()):
            raise CupelError(f"{place}: all log-probabilities are -inf.")
        values = np.exp((values - values.max()) / temperature)
    elif values.min() < 0:
        where = int(np.argmin(values))
        raise CupelError(f"{place}: number {where + 1} of the weights is below 0: {values[where]}.")
    if values.sum() <= 0:
        raise CupelError(f"{place}: the weights add up to 0.")
    normalised: FloatArray = values / values.sum()
    return normalised


@dataclass(frozen=True)
class Distinct:
    """A segment with each distinct text once.

    sentences     the distinct candidates, then the distinct pseudo-references that are no candidate
    of_candidate  (candidates,) the sentence of each; of_reference: (pseudo-references,) likewise
    columns       the distinct pseudo-references, as numbers of sentences
    weights       (columns,) what each counts, adding up to 1
    """

    sentences: list[str]
    rows: IntArray
    of_candidate: IntArray
    of_reference: IntArray
    columns: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, candidates: Candidates) -> Distinct:
        numbers: dict[str, int] = {}
        number = numbers.setdefault
        texts = candidates.texts
        of_candidate = np.fromiter((number(t, len(numbers)) for t in texts), np.int64, len(texts))
        rows = np.arange(len(numbers))
        references = candidates.references
        of_reference = of_candidate
        if references is not None:
            of_reference = np.fromiter(
                (number(t, len(numbers)) for t in references), np.int64, len(references)
            )
        weights = candidates.weights
        if weights is None:
            weights = np.full(len(of_reference), 1.0 / len(of_reference))
        total: FloatArray = np.zeros(len(numbers))
        np.add.at(total, of_reference, weights)
        columns = rows if references is None else np.unique(of_reference)
        return cls(list(numbers), rows, of_candidate, of_reference, columns, total[columns])
