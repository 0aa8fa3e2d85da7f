"""`cupel.rerank`: candidates ordered by scores of each alone, and how good a list could be.

A candidate's score is that of a metric without references, one that was computed elsewhere, or with
references that of any metric: the *oracle*, the best that a list has. `Standing` says where a choice
stands between a random one and the oracle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.choosing.combining import combined, metric_weights
from cupel.choosing.mbr import Choice
from cupel.choosing.methods import best_first
from cupel.choosing.segment import Candidates
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import REFERENCES, SOURCES, Metric, learns_from_corpus, needs_of
from cupel.metrics.bleu import Bleu
from cupel.questions.candidates import Combination
from cupel.records import Row
from cupel.registry import MetricLike, get_metric, listed

References = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Reranker:
    """What orders the candidates: metrics, and names of scores that the lists bring along.

    lower: names of such scores for which lower is better.
    """

    metrics: Mapping[str, Metric]
    given: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    combine: str = "ranks"
    weights: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        names: Sequence[MetricLike] | MetricLike | Mapping[str, MetricLike],
        given: Iterable[str] = (),
        *,
        lower: Sequence[str] = (),
        combine: str = "ranks",
        weights: Sequence[str] | Mapping[str, float] = (),
    ) -> Reranker:
        """names: metrics, also by their labels, or names among `given`, those of scores in the lists."""
        if combine not in get_args(Combination):
            listing = ", ".join(get_args(Combination))
            raise CupelError(f"Unknown combination {combine!r}; known are: {listing}.")
        known_scores = set(given)
        if isinstance(names, Mapping):
            labels = dict(names)
        else:
            labels = {n if isinstance(n, str) else get_metric(n).name: n for n in listed(names)}
        own = tuple(label for label in labels if label in known_scores)
        metrics = {
            label: segment_metric(get_metric(name))
            for label, name in labels.items()
            if label not in own
        }
        for name in lower:
            if name not in own:
                raise CupelError(f"{name!r} is not among the scores that the lists bring along.")
        return cls(metrics, own, tuple(lower), combine, metric_weights(weights, list(labels)))

    def learnt(self, lists: Sequence[Candidates]) -> Reranker:
        """With metrics that have seen these candidates, such as length."""
        if not any(learns_from_corpus(metric) for metric in self.metrics.values()):
            return self
        texts = [text for one in lists for text in one.texts]
        sources = [one.source for one in lists for _ in one.texts]
        given = [source for source in sources if source is not None]
        corpus = Corpus.of(texts, None, given if len(given) == len(texts) else None)
        return replace(self, metrics={k: m.prepare(corpus) for k, m in self.metrics.items()})

    def choose(
        self, lists: Sequence[Candidates], references: References | None = None
    ) -> list[Choice]:
        """The best candidate of each list. references: one or more for each list."""
        by_metric = {
            label: metric.segment_scores(candidate_statistics(label, metric, lists, references))
            for label, metric in self.metrics.items()
        }
        signs = {k: 1.0 if m.higher_is_better else -1.0 for k, m in self.metrics.items()}
        signs |= {label: -1.0 if label in self.lower else 1.0 for label in self.given}
        chosen, start = [], 0
        for one in lists:
            part = slice(start, start := start + len(one.texts))
            scores = {label: values[part] for label, values in by_metric.items()}
            scores |= {label: _given_scores(one, label) for label in self.given}
            total, sign = combined(scores, signs, self.weights, self.combine)
            order = best_first(total, sign)
            best = int(order[0])
            chosen.append(Choice(best, one.texts[best], float(total[best]), total, order, scores))
        return chosen


def _given_scores(one: Candidates, label: str) -> FloatArray:
    if label not in one.scores:
        raise CupelError(f"{one.place} has no scores {label!r}.")
    return one.scores[label]


def segment_metric(metric: Metric) -> Metric:
    """The metric as it orders single segments: BLEU with effective order."""
    if isinstance(metric, Bleu):
        return replace(metric, effective_order=True)
    return metric if learns_from_corpus(metric) else metric.prepare(Corpus.of(["a"], ["a"], ["a"]))


def judge_metric(label: str, metric: Metric) -> Metric:
    """A metric that can judge choices: one with references that learns nothing from all of them."""
    if REFERENCES not in needs_of(metric) or learns_from_corpus(metric):
        raise CupelError(
            f"The metric {label!r} cannot judge choices: one that compares with references, and "
            "learns nothing from the whole corpus, is needed."
        )
    return metric if isinstance(metric, Bleu) else segment_metric(metric)


def candidate_statistics(
    label: str, metric: Metric, lists: Sequence[Candidates], references: References | None
) -> FloatArray:
    """(all candidates, k): those of the lists one after the other."""
    if REFERENCES in needs_of(metric) and references is None:
        raise CupelError(f"The metric {label!r} needs references: give them (--ref).")
    for one in lists if SOURCES in needs_of(metric) else ():
        if one.source is None:
            raise CupelError(f"{one.place} has no source, which the metric {label!r} needs.")
    texts = [text for one in lists for text in one.texts]
    sources = [one.source or "" for one in lists for _ in one.texts]
    targets: Iterable[Sequence[str]] = references if references is not None else [()] * len(lists)
    repeated = [r for r, one in zip(targets, lists, strict=True) for _ in one.texts]
    return np.asarray(metric.statistics(Batch(texts, repeated, sources)), np.float64)


class Standing:
    """Sums over segments of the statistics of a random, the first, the chosen and the best candidate.

    Statistics add, so that each is a corpus score: that of a random choice is the score of the mean
    statistics, the oracle's the score of what is best segment by segment.
    """

    COLUMNS = ("random", "first", "chosen", "oracle")

    def __init__(self, judges: Mapping[str, Metric]) -> None:
        self.judges = judges
        self._sums: dict[str, dict[str, FloatArray]] = {label: {} for label in judges}
        self._segments = self._candidates = 0

    def add(
        self, lists: Sequence[Candidates], references: References, chosen: Sequence[int] | None
    ) -> None:
        """chosen: per list the number of the candidate, from 0; None where nothing was chosen."""
        sizes = np.array([len(one.texts) for one in lists])
        starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        self._segments += len(lists)
        self._candidates += int(sizes.sum())
        for label, metric in self.judges.items():
            rows = candidate_statistics(label, metric, lists, references)
            scores = segment_metric(metric).segment_scores(rows)
            sign = 1.0 if metric.higher_is_better else -1.0
            best = [
                start + int(np.argmax(sign * scores[start : start + size]))
                for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)
            ]
            parts = {
                "random": np.add.reduceat(rows, starts, axis=0) / sizes[:, None],
                "first": rows[starts],
                "oracle": rows[best],
            }
            if chosen is not None:
                parts["chosen"] = rows[starts + np.asarray(chosen)]
            for name, values in parts.items():
                self._sums[label][name] = self._sums[label].get(name, 0.0) + values.sum(axis=0)

    def rows(self) -> list[Row]:
        """Flat records: metric, random, first, chosen, oracle, standing (in percent), segments,
        candidates. standing: 0 for a random choice, 100 for the oracle.
        """
        results = []
        for label, metric in self.judges.items():
            sums = self._sums[label]
            scores = {name: float(metric.score(sums[name])) for name in sums}
            row: Row = {"metric": label, **{name: scores.get(name) for name in self.COLUMNS}}
            row["standing"] = _standing(scores)
            results.append({**row, "segments": self._segments, "candidates": self._candidates})
        return results


def _standing(scores: Mapping[str, float]) -> float | None:
    room = scores["oracle"] - scores["random"]
    if "chosen" not in scores or room == 0:
        return None
    return 100.0 * (scores["chosen"] - scores["random"]) / room


def rerank(
    candidates: Sequence[str] | Sequence[Sequence[str]],
    metric: Sequence[MetricLike] | MetricLike | None = None,
    *,
    scores: Mapping[str, Sequence[float] | Sequence[Sequence[float]]] | None = None,
    references: Sequence[str | Sequence[str]] | str | None = None,
    sources: Sequence[str] | str | None = None,
    lower: Sequence[str] = (),
    combine: str = "ranks",
    metric_weights: Mapping[str, float] | None = None,
) -> Choice | list[Choice]:
    """The best candidate by scores of each alone.

    candidates: a list of strings, or a list of such lists, one per segment. metric: metrics that need
    no reference, or with references any; and names of `scores`, which are all used where no metric is
    given. scores: name -> a number for each candidate, computed elsewhere. references: per segment
    one or more: what is chosen is then the oracle. sources: per segment, for metrics that read them.
    lower: names of scores for which lower is better. combine, metric_weights: as for `mbr`.
    """
    single = bool(len(candidates)) and isinstance(candidates[0], str)
    lists: Sequence[Sequence[str]] = [candidates] if single else candidates  # type: ignore[list-item]
    given = {k: [v] if single else v for k, v in (scores or {}).items()}
    texts = [sources] if isinstance(sources, str) else sources
    targets = [references] if single and references is not None else references
    segments = [
        Candidates(
            list(own),
            source=None if texts is None else texts[n],
            scores={name: np.asarray(rows[n], np.float64) for name, rows in given.items()},
            place=f"Segment {n + 1}",
        )
        for n, own in enumerate(lists)
    ]
    if metric is None and not given:
        raise CupelError("Give a metric, or scores, to order the candidates by.")
    reranker = Reranker.of(
        list(given) if metric is None else metric, given,
        lower=lower, combine=combine, weights=metric_weights or {},
    ).learnt(segments)  # fmt: skip
    if targets is not None and len(targets) != len(segments):
        raise CupelError(f"There are {len(segments)} lists, and {len(targets)} references.")
    whole: list[list[str]] | None = None
    if targets is not None:
        whole = [[r] if isinstance(r, str) else [str(text) for text in r] for r in targets]
    results = reranker.choose(segments, whole)
    return results[0] if single else results
