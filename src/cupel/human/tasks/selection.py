"""Which segments to judge: how much the judgment of each would tell, by what metrics and texts say.

Scores are (metrics, systems, segments), higher is better; z are the scores of each metric with mean 0
and deviation 1 over all translations, and e their mean over metrics. For a segment j and two systems
a, b let d_m = z_m(a, j) - z_m(b, j) be the difference by metric m, and d that of e.

    disagreement  root of the mean over a, b of the variance of d_m over metrics: metrics contradict
                  each other
    variance      standard deviation of e over systems: translations of different quality (Zouhar et al. 2025,
                  "How to select datapoints for efficient human evaluation of NLG models?", MetricVar)
    close         sum over a, b of |d| / (1 + (t / 4)^2), t the paired t of the two systems over all
                  segments: differences between systems that are hard to tell apart
    consistency   Kendall's tau-b of e in this segment and over all: segments that show the ranking
                  which metrics see already (their MetricCons)
    typical       Pearson's r of e in this segment and over all: systems are as far apart as they are over
                  all
    diversity     1 - mean overlap of words between two translations: systems that say it differently
    content       words of the source that are rare in the test set: new content in every segment

A method is one of them, or several by the product of their ranks; the segments are the first by it, or
are drawn with probabilities in proportion to it (`draw`). `random` is the baseline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError

RANDOM = "random"


@dataclass(frozen=True)
class Evidence:
    """What is known before anybody judges.

    scores: (metrics, systems, segments), higher is better; translations: per segment those of all
    systems; sources: per segment.
    """

    scores: FloatArray
    translations: Sequence[Sequence[str]]
    sources: Sequence[str]

    @property
    def standardized(self) -> FloatArray:
        """z: mean 0 and deviation 1 for each metric."""
        centred = self.scores - self.scores.mean((1, 2), keepdims=True)
        spread = centred.std((1, 2), keepdims=True)
        return np.asarray(centred / np.where(spread > 0, spread, 1.0))

    def __len__(self) -> int:
        return int(self.scores.shape[2])


def _differences(scores: FloatArray) -> FloatArray:
    """(..., systems, segments) -> (..., pairs of systems, segments)."""
    first, second = np.triu_indices(scores.shape[-2], 1)
    return np.asarray(scores[..., first, :] - scores[..., second, :])


def disagreement(evidence: Evidence) -> FloatArray:
    """(segments,); of one system the deviation of its scores over metrics."""
    z = evidence.standardized
    d = _differences(z) if z.shape[1] > 1 else z
    return np.asarray(np.sqrt(d.var(0).mean(0)))


def variance(evidence: Evidence) -> FloatArray:
    """(segments,)"""
    return np.asarray(evidence.standardized.mean(0).std(0))


def close(evidence: Evidence) -> FloatArray:
    """(segments,)"""
    d = _differences(evidence.standardized.mean(0))
    error = d.std(1) / np.sqrt(len(evidence))
    t = np.divide(d.mean(1), error, out=np.zeros(len(d)), where=error > 0)
    return np.asarray((np.abs(d) / (1 + (t / 4) ** 2)[:, None]).sum(0))


def consistency(evidence: Evidence) -> FloatArray:
    """(segments,), from 0 to 2."""
    e = evidence.standardized.mean(0)
    whole = np.sign(_differences(e.mean(1)[:, None]))
    signs = np.sign(_differences(e))
    pairs = (np.abs(whole) * np.ones_like(signs)).sum(0)
    decided = np.abs(signs).sum(0)
    root = np.sqrt(pairs * decided)
    tau = np.divide((whole * signs).sum(0), root, out=np.zeros(len(evidence)), where=root > 0)
    return np.asarray(1 + tau)


def typical(evidence: Evidence) -> FloatArray:
    """(segments,), from 0 to 2."""
    e = evidence.standardized.mean(0)
    x, y = e - e.mean(0), e.mean(1) - e.mean()
    root = np.sqrt((x * x).sum(0) * (y * y).sum())
    # Scores that differ by rounding alone are equal.
    r = np.divide(y @ x, root, out=np.zeros(len(evidence)), where=root > 1e-12)
    return np.asarray(1 + r)


def diversity(evidence: Evidence) -> FloatArray:
    """(segments,), from 0 to 1; words are characters in texts without blanks."""
    values = np.zeros(len(evidence))
    for at, texts in enumerate(evidence.translations):
        spaced = any(" " in text for text in texts)
        bags = [Counter(text.split() if spaced else text) for text in texts]
        overlaps = [
            2 * (one & other).total() / max(one.total() + other.total(), 1)
            for place, one in enumerate(bags)
            for other in bags[:place]
        ]
        values[at] = 1 - np.mean(overlaps) if overlaps else 0.0
    return values


def content(evidence: Evidence) -> FloatArray:
    """(segments,): mean over the words of a source of log(segments / segments that have the word)."""
    # Words in the order of the text: a set of them has another order, and sum, in each process.
    spaced = sum(" " in source for source in evidence.sources) > len(evidence) / 2
    bags = [dict.fromkeys(source.split() if spaced else source) for source in evidence.sources]
    frequency = Counter(word for bag in bags for word in bag)
    return np.array(
        [np.mean([np.log(len(bags) / frequency[w]) for w in bag]) if bag else 0.0 for bag in bags]
    )


UTILITIES: dict[str, Callable[[Evidence], FloatArray]] = {
    "disagreement": disagreement,
    "variance": variance,
    "close": close,
    "consistency": consistency,
    "typical": typical,
    "diversity": diversity,
    "content": content,
}
METHODS = (RANDOM, *UTILITIES)


def utility(evidence: Evidence, methods: Sequence[str]) -> FloatArray:
    """(segments,), more than 0: of one method its values, of several the product of their ranks."""
    for name in methods:
        if name not in METHODS:
            raise CupelError(f"There is no way {name!r} to select; there are {', '.join(METHODS)}.")
    if RANDOM in methods and len(methods) > 1:
        raise CupelError("A random selection cannot be combined with another method.")
    if RANDOM in methods:
        return np.ones(len(evidence))
    if len(methods) == 1:
        return np.asarray(np.maximum(UTILITIES[methods[0]](evidence), 1e-9))
    ranks = [_ranks(UTILITIES[name](evidence)) for name in methods]
    return np.asarray(np.prod(ranks, axis=0))


def _ranks(values: FloatArray) -> FloatArray:
    """From just above 0 to 1; equal values share the mean of their ranks."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values) / len(values))


def order(values: FloatArray, seed: int, *, draw: bool) -> IntArray:
    """All segments, those to be judged first in front.

    draw: without replacement, with probabilities in proportion to the values (Efraimidis and
    Spirakis 2006: by u^(1/value)); otherwise by value, ties by chance.
    """
    chance = np.random.default_rng(seed).random(len(values))
    keys = np.log(chance) / values if draw else values + 1e-12 * chance
    return np.argsort(-keys, kind="stable")


def whole_documents(order: IntArray, documents: Sequence[str], budget: int) -> IntArray:
    """Segments of whole documents, at most `budget`, in the order of the documents' mean place."""
    places: dict[str, list[int]] = {}
    for segment, document in enumerate(documents):
        places.setdefault(document, []).append(segment)
    place = np.empty(len(order))
    place[order] = np.arange(len(order))
    chosen: list[int] = []
    for segments in sorted(places.values(), key=lambda some: float(place[some].mean())):
        if len(chosen) + len(segments) <= budget:
            chosen.extend(segments)
    if not chosen:
        smallest = min(len(segments) for segments in places.values())
        raise CupelError(
            f"No document fits into a budget of {budget} segments: the shortest has {smallest}."
        )
    return np.array(chosen)
