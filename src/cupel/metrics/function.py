"""Any Python function as a metric, by `-m module:function`.

It is called for each distinct segment as f(hypothesis, references), or, decorated with
`@cupel.batched`, once for many segments as f(hypotheses, references) with lists. What it takes is
read off its parameters: after the translation, those called `reference`, `references`, `source` or
`sources` are given by name; a second one of any other name is given the references. It returns a
number a segment; with `details`, a mapping with "score" and the named details. Its system
score, like that of a detail, is the mean over segments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import REFERENCES, SOURCES, Metric, Signature, ratio

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])
SCORE = "score"
_PARTS = {"reference": REFERENCES, "references": REFERENCES, "source": SOURCES, "sources": SOURCES}


@overload
def batched(function: Wrapped) -> Wrapped: ...
@overload
def batched(
    *, details: Sequence[str] = (), higher_is_better: bool = True
) -> Callable[[Wrapped], Wrapped]: ...
def batched(
    function: Wrapped | None = None,
    *,
    details: Sequence[str] = (),
    higher_is_better: bool = True,
) -> Wrapped | Callable[[Wrapped], Wrapped]:
    """Mark a function as a metric of whole lists: f(hypotheses, references) -> numbers.

    function: it may also take `sources`, and needs no references where it has no parameter for
    them. details: names of further numbers; it then returns a mapping of "score" and these names to
    numbers per segment. higher_is_better: False for an error rate.
    """

    def mark(given: Wrapped) -> Wrapped:
        given.batched = True  # type: ignore[attr-defined]
        given.details = tuple(details)  # type: ignore[attr-defined]
        given.higher_is_better = higher_is_better  # type: ignore[attr-defined]
        return given

    return mark if function is None else mark(function)


@dataclass(frozen=True)
class Function(Metric):
    """The adapter; `spec` is how the user named the function."""

    spec: str
    function: Callable[..., Any]

    decimals = 4

    @property
    def name(self) -> str:
        return self.spec

    @property
    def higher_is_better(self) -> bool:
        return bool(getattr(self.function, "higher_is_better", True))

    @property
    def needs(self) -> tuple[str, ...]:
        """What its parameters ask for."""
        return tuple(dict.fromkeys(_PARTS.get(name, REFERENCES) for name in self._parameters))

    def signature(self) -> Signature:
        return Signature.of(function=self.spec.replace(":", "."))

    def statistics(self, batch: Batch) -> FloatArray:
        if getattr(self.function, "batched", False):
            return self._of_batch(batch)
        rows = np.ones((len(batch), 2 + len(self._details)))
        for index in range(len(batch)):
            value = self._call(batch, index)
            try:
                rows[index, :-1] = [value[name] for name in self._names] if self._details else value
            except (TypeError, ValueError, KeyError):
                raise CupelError(f"it returned {value!r} where {self._expected} expected") from None
        return rows

    def score(self, statistics: FloatArray) -> FloatArray:
        return ratio(statistics[..., 0], statistics[..., -1])

    @property
    def _details(self) -> tuple[str, ...]:
        return tuple(getattr(self.function, "details", ()))

    @property
    def _names(self) -> tuple[str, ...]:
        return (SCORE, *self._details)

    @property
    def _expected(self) -> str:
        return f"a mapping with {', '.join(self._names)} was" if self._details else "a number was"

    @property
    def _parameters(self) -> tuple[str, ...]:
        """The parameters after the translation that are to be filled."""
        try:
            _, *others = inspect.signature(self.function).parameters.values()
        except ValueError:  # a built-in without a signature, or without a parameter
            return ("references",)
        positional = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        second = [o.name for o in others[:1] if o.kind in positional and o.default is o.empty]
        return tuple(dict.fromkeys([*second, *(o.name for o in others if o.name in _PARTS)]))

    def _call(self, batch: Batch, at: int | slice) -> Any:
        references: Any = batch.references[at]
        if isinstance(at, int):
            references = list(references)
        parts = {REFERENCES: references, SOURCES: batch.sources and batch.sources[at]}
        positional = [references for name in self._parameters if name not in _PARTS]
        named = {name: parts[_PARTS[name]] for name in self._parameters if name in _PARTS}
        return self.function(batch.hypotheses[at], *positional, **named)

    def _of_batch(self, batch: Batch) -> FloatArray:
        value = self._call(batch, slice(None))
        try:
            columns = [value[name] for name in self._names] if self._details else [value]
            rows = np.array([*columns, np.ones(len(batch))], np.float64).T
        except (TypeError, ValueError, KeyError):
            rows = np.empty((0, 0))
        if rows.shape != (len(batch), 2 + len(self._details)):
            raise CupelError(
                f"for a batch of {len(batch)} segments it did not return {len(batch)} numbers"
                + (f" each for {', '.join(self._names)}" if self._details else "")
            )
        return rows


@dataclass(frozen=True)
class DetailedFunction(Function):
    """A function that names details."""

    def details(self, statistics: FloatArray) -> Mapping[str, FloatArray]:
        """The means of the details that the function names."""
        return {
            name: ratio(statistics[..., place], statistics[..., -1])
            for place, name in enumerate(self._details, start=1)
        }


def function_metric(spec: str, function: Callable[..., Any]) -> Function:
    """The function as a metric of that name."""
    kind = DetailedFunction if getattr(function, "details", ()) else Function
    return kind(spec, function)
