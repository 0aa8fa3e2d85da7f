"""Every bucket compared, for every system and metric: one `Finding` each, strongest evidence first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.diagnose.alignment import KINDS, error_counts
from cupel.diagnose.comparison import (
    LEAST_SEGMENTS,
    Score,
    bootstrap_differences,
    compare,
    segment_evidence,
    share_evidence,
    standardised,
)
from cupel.diagnose.material import Material
from cupel.diagnose.segment_buckets import SegmentBucket, segment_buckets
from cupel.diagnose.word_buckets import WordFeature, word_features
from cupel.diagnose.words import Words
from cupel.metric import Metric, Vector, ratio
from cupel.scores import Scores
from cupel.significance import corrected, quantile_interval

SIGNIFICANT = 0.05
RECALL, PRECISION, ERRORS = "word recall", "word precision", "errors per 100 words"
_SURE = 0.001


@dataclass(frozen=True)
class Finding:
    """A bucket, and how a system differs from the first system in it.

    level       `segments`, `words` or `errors`
    feature     what the bucket is of; bucket: its name, with the feature
    metric      a metric; for words `word recall` or `word precision`, on whichever the systems
                differ more clearly; `errors per 100 words` for errors
    rows        the segments of the bucket, from 0; words: how many words of references it has
    share       of the whole difference under the metric; None for words and errors
    low, high   of the difference, a 95% interval
    evidence    by how many standard errors the difference is larger here than elsewhere
    verdict     `better`, `worse` or an empty string, which claims nothing
    parts       precision, recall and F of words, of this and the first system
    """

    level: str
    feature: str
    bucket: str
    metric: str
    system: str
    rows: IntArray
    words: int
    first_score: float
    score: float
    difference: float
    low: float | None
    high: float | None
    p_value: float | None
    q_value: float | None
    evidence: float
    share: float | None = None
    verdict: str = ""
    higher_is_better: bool = True
    parts: Mapping[str, float] | None = None


@dataclass(frozen=True)
class _Bucket:
    """What `_findings` needs of a bucket: statistics (systems, its segments, k), and evidence."""

    level: str
    feature: str
    name: str
    metric: str
    score: Score
    higher: bool
    rows: IntArray
    words: int
    statistics: FloatArray
    evidence: FloatArray
    shares: FloatArray | None = None
    parts: Sequence[Mapping[str, float]] | None = None


def matched_share(statistics: FloatArray) -> FloatArray:
    """The share of words that are matched, in %, of summed [credit, words]."""
    return 100 * ratio(statistics[..., 0], statistics[..., 1])


def error_rate(statistics: FloatArray) -> FloatArray:
    """Errors per 100 words of the reference, of summed [errors, words]."""
    return 100 * ratio(statistics[..., 0], statistics[..., 1])


def findings(material: Material, scores: Scores, weights: FloatArray) -> list[Finding]:
    """All buckets. weights: (resamples, segments) of the paired bootstrap."""
    systems = scores.systems[1:]
    by_system: dict[str, list[Finding]] = {name: [] for name in systems}
    for views in _buckets(material, scores):
        for group in zip(*(_compared(view, systems, weights) for view in views), strict=True):
            by_system[group[0].system].append(_strongest(group))
    return ranked([f for group in by_system.values() for f in _corrected(group)])


def _strongest(group: Sequence[Finding]) -> Finding:
    """Of several views of one bucket one with a sure difference, and of those the strongest evidence.

    Its p-value is that of the best of so many tries (Bonferroni).
    """
    best = max(group, key=lambda finding: ((finding.p_value or 0.0) < _SURE, finding.evidence))
    if best.p_value is None or len(group) == 1:
        return best
    return replace(best, p_value=min(1.0, len(group) * best.p_value))


def ranked(group: Sequence[Finding]) -> list[Finding]:
    """Claims first, then by evidence; what nothing can be claimed about comes last."""
    return sorted(group, key=lambda f: (not f.verdict, f.p_value is None, -f.evidence))


def _corrected(group: Sequence[Finding]) -> Iterator[Finding]:
    """With q-values over all buckets and metrics of a system."""
    tested = [f for f in group if f.p_value is not None]
    p_values = np.array([f.p_value or 0.0 for f in tested])
    q = dict(zip(map(id, tested), corrected(p_values, "bh").tolist(), strict=True))
    for finding in group:
        value = q.get(id(finding))
        if value is None:
            yield finding
            continue
        better = (finding.difference > 0) == finding.higher_is_better
        claim = ("better" if better else "worse") if value < SIGNIFICANT else ""
        yield replace(finding, q_value=value, verdict=claim)


def _compared(bucket: _Bucket, systems: Sequence[str], weights: FloatArray) -> Iterator[Finding]:
    result = compare(bucket.score, bucket.statistics)
    claimed = len(bucket.rows) >= LEAST_SEGMENTS
    lows = highs = [None] * len(systems)
    if claimed:
        drawn = bootstrap_differences(bucket.score, bucket.statistics, bucket.rows, weights)
        lows, highs = quantile_interval(drawn).tolist()
    for at, system in enumerate(systems):
        difference = float(result.differences[at])
        yield Finding(
            bucket.level, bucket.feature, bucket.name, bucket.metric, system,
            bucket.rows, bucket.words,
            float(result.scores[0]), float(result.scores[at + 1]), difference,
            lows[at], highs[at],
            float(result.p_values[at]) if claimed else None, None,
            float(bucket.evidence[at] * np.sign(difference)),
            None if bucket.shares is None else float(bucket.shares[at]),
            higher_is_better=bucket.higher,
            parts=None if bucket.parts is None else bucket.parts[at],
        )  # fmt: skip


def _parts(recalled: FloatArray, precise: FloatArray) -> list[dict[str, float]]:
    """Precision, recall and F of each system and of the first, from summed [credit, words]."""
    recall, precision = matched_share(recalled), matched_share(precise)
    f = ratio(2 * precision * recall, precision + recall)
    values = {"precision": precision, "recall": recall, "f": f}
    return [
        {f"first_{name}": float(of[0]) for name, of in values.items()}
        | {name: float(of[at]) for name, of in values.items()}
        for at in range(1, len(recall))
    ]


def _buckets(material: Material, scores: Scores) -> Iterator[tuple[_Bucket, ...]]:
    """Every bucket, with the views of it that there are."""
    by_segment = segment_buckets(material)
    for label, metric in scores.metrics.items():
        if not isinstance(metric, Vector):
            statistics = scores.statistics[label]
            for bucket in _of_segments(material, label, metric, statistics, by_segment):
                yield (bucket,)
    if scores.corpus.has_references and scores.corpus.has_texts:
        for feature in word_features(material):
            yield from _of_words(material, feature)
        for bucket in _of_errors(material):
            yield (bucket,)


def _of_segments(
    material: Material,
    label: str,
    metric: Metric,
    statistics: FloatArray,
    buckets: Sequence[SegmentBucket],
) -> Iterator[_Bucket]:
    shares = compare(metric.score, statistics).shares
    whole = shares.sum(axis=1)
    values = standardised(shares, material.sizes, is_mean(statistics))
    for bucket in buckets:
        inside = shares[:, bucket.rows].sum(axis=1)
        yield _Bucket(
            "segments", bucket.feature, bucket.name, label, metric.score, metric.higher_is_better,
            bucket.rows, int(material.sizes[bucket.rows].sum()),
            statistics[:, bucket.rows], segment_evidence(values, bucket.rows),
            np.divide(inside, whole, out=np.zeros_like(whole), where=whole != 0),
        )  # fmt: skip


def is_mean(statistics: FloatArray) -> bool:
    """Whether statistics are those of a mean over segments, [score, 1]."""
    return statistics.shape[-1] == 2 and bool((statistics[..., 1] == 1).all())


def _of_words(material: Material, feature: WordFeature) -> Iterator[tuple[_Bucket, _Bucket]]:
    """The buckets of one feature, seen from the reference and from the translations."""
    words, count = material.words, len(feature.names)
    recalled, precise = [], []
    for own, aligned, codes in zip(
        material.outputs, material.aligned, feature.outputs, strict=True
    ):
        recalled.append(_table(words, feature.reference, aligned.credit, count))
        precise.append(_table(own, codes, aligned.own_credit, count))
    references, outputs = np.stack(recalled), np.stack(precise)  # (systems, segments, buckets, 2)
    changes = [one.credit - material.aligned[0].credit for one in material.aligned[1:]]
    gained, lost = (
        np.stack([_sums(words, np.maximum(sign * c, 0.0)) for c in changes]) for sign in (1, -1)
    )
    wrong = np.stack(
        [
            _sums(own, 1 - aligned.own_credit)
            for own, aligned in zip(material.outputs, material.aligned, strict=True)
        ]
    )
    more = wrong[1:] - wrong[0]
    worse, less = np.maximum(more, 0.0), np.maximum(-more, 0.0)
    in_bucket = references[0, ..., 1]
    overall = in_bucket.sum(axis=0) / max(in_bucket.sum(), 1)
    for which, name in enumerate(feature.names):
        present = references[..., which, 1].any(axis=0) | outputs[..., which, 1].any(axis=0)
        rows = np.flatnonzero(present)
        if not len(rows):
            continue
        share = (in_bucket[:, which] + overall[which]) / (material.sizes + 1)
        inside = references[1:, :, which, 0] - references[0, :, which, 0]
        of_wrong = outputs[..., which, 1] - outputs[..., which, 0]
        extra = of_wrong[1:] - of_wrong[0]
        parts = _parts(references[:, rows, which].sum(axis=1), outputs[:, rows, which].sum(axis=1))
        shared = ("words", feature.feature, f"{feature.feature}: {name}")
        size = int(in_bucket[:, which].sum())
        yield (
            _Bucket(
                *shared, RECALL, matched_share, True, rows, size, references[:, rows, which],
                share_evidence(inside, lost, gained, share), parts=parts,
            ),
            _Bucket(
                *shared, PRECISION, matched_share, True, rows, size, outputs[:, rows, which],
                -share_evidence(extra, less, worse, share),
                parts=parts,
            ),
        )  # fmt: skip


def _sums(words: Words, values: FloatArray) -> FloatArray:
    """(segments,): the values of a segment's words, added up."""
    return np.bincount(words.segments, values, len(words)).astype(np.float64)


def _table(words: Words, codes: IntArray, credit: FloatArray, count: int) -> FloatArray:
    """(segments, buckets, 2): the credit and the number of words in each bucket."""
    kept = codes >= 0
    places = words.segments[kept] * count + codes[kept]
    size = len(words) * count
    columns = [np.bincount(places, values, size) for values in (credit[kept], np.ones(len(places)))]
    return np.stack(columns, axis=-1).reshape(len(words), count, 2).astype(np.float64)


def _of_errors(material: Material) -> Iterator[_Bucket]:
    counts = np.stack(
        [
            error_counts(aligned, material.words, own)
            for aligned, own in zip(material.aligned, material.outputs, strict=True)
        ]
    )
    sizes = np.broadcast_to(material.sizes, counts.shape[:2])
    change = counts[1:] - counts[:1]
    gained, lost = np.maximum(change, 0).sum(axis=2), np.maximum(-change, 0).sum(axis=2)
    shares = counts.sum(axis=(0, 1)) / max(counts.sum(), 1)
    rows = np.arange(len(material.corpus))
    for which, kind in enumerate(KINDS):
        if not counts[..., which].any():
            continue
        share = np.full(len(material.corpus), shares[which])
        yield _Bucket(
            "errors", "error kind", f"error kind: {kind} words", ERRORS, error_rate, False,
            rows, int(material.sizes.sum()),
            np.stack([counts[..., which], sizes], axis=-1),
            share_evidence(change[..., which], lost, gained, share),
        )  # fmt: skip
