"""`cupel.mbr`: the candidate whose expected utility is the highest.

With candidates h and pseudo-references r of weight p(r), minimum Bayes risk decoding (Kumar and
Byrne 2004; Eikema and Aziz 2020) chooses

    argmax over h of sum over r of p(r) u(h, r)

where u is any metric of segments. Of equals the earlier candidate is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, overload

import numpy as np
from numpy.typing import NDArray

from cupel.arrays import FloatArray, IntArray
from cupel.choosing import methods
from cupel.choosing.combining import combined, metric_weights
from cupel.choosing.fastest import utility_of
from cupel.choosing.segment import Candidates, Distinct, Numbers, probabilities
from cupel.choosing.utilities import Utility, utility_metric
from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.questions.candidates import Combination
from cupel.questions.mbr import Method, Shortcuts
from cupel.registry import MetricLike, Metrics, get_metric, listed, named_metrics

Texts = Sequence[str] | NDArray[Any]


@dataclass(frozen=True)
class Choice:
    """What was chosen, and how good each candidate is.

    index      of the chosen candidate, from 0
    text       the candidate itself
    utility    its expected utility; with several metrics their combination
    utilities  (n,) those of all candidates, NaN where a method left one out
    order      (n,) the candidates, best first
    by_metric  label -> (n,) expected utilities
    matrices   label -> (n, pseudo-references) utilities of all pairs, where they were asked for
    """

    index: int
    text: str
    utility: float
    utilities: FloatArray
    order: IntArray
    by_metric: Mapping[str, FloatArray] = field(default_factory=dict)
    matrices: Mapping[str, FloatArray] = field(default_factory=dict)

    def __index__(self) -> int:
        return self.index


@dataclass(frozen=True)
class Decoder:
    """Everything that a choice depends on beside the segment; frozen, so that workers can have it."""

    metrics: Mapping[str, Metric]
    method: str = "exact"
    combine: str = "ranks"
    weights: Mapping[str, float] = field(default_factory=dict)
    coarse: Metric | None = None
    shortcuts: Shortcuts = field(default_factory=Shortcuts)
    matrix: bool = False
    threads: int = 1

    @classmethod
    def of(
        cls,
        metrics: Metrics = "chrf",
        *,
        method: str = "exact",
        combine: str = "ranks",
        weights: Sequence[str] | Mapping[str, float] = (),
        coarse: MetricLike | None = None,
        matrix: bool = False,
        threads: int = 1,
        **shortcuts: Any,
    ) -> Decoder:
        """The same from names; an error where an option has no such value."""
        for name, value, values in (
            ("method", method, get_args(Method)),
            ("combination", combine, get_args(Combination)),
        ):
            if value not in values:
                raise CupelError(f"Unknown {name} {value!r}; known are: {', '.join(values)}.")
        chosen = {k: utility_metric(k, m) for k, m in named_metrics(metrics).items()}
        if method == "prune" and len(chosen) > 1:
            raise CupelError("--method prune takes one metric: it drops candidates by its scores.")
        if coarse is None and method == "coarse":
            coarse = "chrf"
        return cls(
            chosen, method, combine, metric_weights(weights, list(chosen)),
            None if coarse is None else utility_metric(str(coarse), get_metric(coarse)),
            Shortcuts(**shortcuts), matrix, threads,
        )  # fmt: skip

    def choose(self, candidates: Candidates) -> Choice:
        """The best candidate of a segment."""
        segment = Distinct.of(candidates)
        if self.method == "prune":
            segment = methods.drawn(segment, self.shortcuts)
        utilities = {
            label: utility_of(metric, segment, candidates.source, candidates.place)
            for label, metric in self.metrics.items()
        }
        signs = {k: 1.0 if m.higher_is_better else -1.0 for k, m in self.metrics.items()}
        rows, fallback = self._kept(segment, candidates)
        values = {
            label: self._expected(label, utility, segment, rows, signs[label], candidates.place)
            for label, utility in utilities.items()
        }
        of = segment.of_candidate
        spread = {label: scores[of] for label, scores in values.items()}
        total, sign = combined(spread, signs, self.weights, self.combine)
        order = methods.best_first(total, sign, None if fallback is None else fallback[of])
        best = int(order[0])
        return Choice(
            best, candidates.texts[best], float(total[best]), total, order, spread,
            self._matrices(utilities, segment, candidates.place) if self.matrix else {},
        )  # fmt: skip

    def _kept(
        self, segment: Distinct, candidates: Candidates
    ) -> tuple[IntArray, FloatArray | None]:
        """The rows to compare exactly, and with `coarse` what the first step said of all."""
        if self.method != "coarse" or self.coarse is None:
            return segment.rows, None
        utility = utility_of(self.coarse, segment, candidates.source, candidates.place)
        scores = utility.aggregate()
        if scores is None:
            scores = methods.exact(utility, segment, segment.rows, candidates.place, self.threads)
        sign = 1.0 if self.coarse.higher_is_better else -1.0
        kept = methods.best_first(scores, sign)[: self.shortcuts.keep]
        return np.sort(kept), sign * scores

    def _expected(
        self,
        label: str,
        utility: Utility,
        segment: Distinct,
        rows: IntArray,
        sign: float,
        place: str,
    ) -> FloatArray:
        if self.method == "aggregate":
            return methods.aggregate(utility, label)
        if self.method == "prune":
            return methods.pruned(utility, segment, sign, self.shortcuts)
        if self.method == "low-rank":
            return methods.low_rank(utility, segment, self.shortcuts, place)
        values = methods.exact(utility, segment, rows, place, self.threads)
        if len(rows) == len(segment.rows):
            return values
        result = np.full(len(segment.rows), np.nan)
        result[rows] = values
        return result

    def _matrices(
        self, utilities: Mapping[str, Utility], segment: Distinct, place: str
    ) -> dict[str, FloatArray]:
        position = np.zeros(len(segment.sentences), np.int64)
        position[segment.columns] = np.arange(len(segment.columns))
        column = position[segment.of_reference]
        matrices = {}
        for label, utility in utilities.items():
            methods.check_pairs(utility, len(segment.of_candidate) * len(column), place)
            whole = utility.matrix(segment.rows, 0, len(segment.columns))
            matrices[label] = whole[np.ix_(segment.of_candidate, column)]
        return matrices


@cache
def _named_decoder(metric: str, method: str, threads: int) -> Decoder:
    return Decoder.of(metric, method=method, threads=threads)


@overload
def mbr(
    candidates: Texts, metric: Sequence[MetricLike] | MetricLike = ..., **options: Any
) -> Choice: ...
@overload
def mbr(
    candidates: Sequence[Texts], metric: Sequence[MetricLike] | MetricLike = ..., **options: Any
) -> list[Choice]: ...
def mbr(
    candidates: Texts | Sequence[Texts],
    metric: Sequence[MetricLike] | MetricLike = "chrf",
    *,
    references: Any = None,
    weights: Any = None,
    logprobs: Any = None,
    sources: Any = None,
    method: str = "exact",
    threads: int = 1,
    **options: Any,
) -> Choice | list[Choice]:
    """The candidate that agrees most with all the others: minimum Bayes risk decoding.

    candidates: a list of strings, or a list of such lists, one per segment, which gives a list of
    choices. metric: the utility, one or several. references: pseudo-references instead of the
    candidates. weights or logprobs: one number for each pseudo-reference. sources: the source text,
    for metrics that read it. All of these once per segment, like candidates. method: exact,
    aggregate, coarse, prune or low-rank. threads: that share the work of one segment. options:
    combine and metric_weights for several metrics; coarse, keep, confidence, reduction, rank and
    seed for methods; matrix=True for the utilities of all pairs.
    """
    if isinstance(metric, str) and not options:
        decoder = _named_decoder(metric, method, threads)
    else:
        of_metrics = options.pop("metric_weights", ())
        decoder = Decoder.of(
            listed(metric), method=method, threads=threads, weights=of_metrics, **options
        )
    if weights is not None and logprobs is not None:
        raise CupelError("Give either weights or logprobs, not both.")
    if len(candidates) and isinstance(candidates[0], str):
        one = _segment(candidates, references, weights, logprobs, sources, "The list")
        return decoder.choose(one)
    given = [
        _per_segment(part, len(candidates)) for part in (references, weights, logprobs, sources)
    ]
    rows = zip(candidates, *given, strict=True)
    return [
        decoder.choose(_segment(texts, own, weight, logarithms, source, f"Segment {number}"))
        for number, (texts, own, weight, logarithms, source) in enumerate(rows, start=1)
    ]


def _per_segment(part: Any, count: int) -> Sequence[Any]:
    if part is None:
        return [None] * count
    if len(part) != count:
        raise CupelError(
            f"There are {count} lists of candidates, and {len(part)} of what goes with them."
        )
    values: Sequence[Any] = part
    return values


def _segment(
    texts: Any, references: Any, weights: Any, logprobs: Any, source: Any, place: str
) -> Candidates:
    own = texts if isinstance(texts, list) else list(texts)
    others = None if references is None else list(references)
    numbers: Numbers | None = weights if logprobs is None else logprobs
    return Candidates(
        own,
        others,
        None
        if numbers is None
        else probabilities(
            numbers, len(own if others is None else others), place, logarithms=logprobs is not None
        ),
        source,
        place=place,
    )
