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
    q_values,
    segment_evidence,
    share_evidence,
    standardised,
)
from cupel.diagnose.material import Material
from cupel.diagnose.segment_buckets import SegmentBucket, segment_buckets
from cupel.diagnose.word_buckets import WordFeature, word_features
from cupel.metric import Metric, Vector, ratio
from cupel.scores import Scores

SIGNIFICANT = 0.05
WORD_F, ERRORS = "word-f", "errors per 100 words"
_INTERVAL = (2.5, 97.5)


@dataclass(frozen=True)
class Finding:
    """A bucket, and how a system differs from the first system in it.

    level       `segments`, `words` or `errors`
    feature     what the bucket is of; bucket: its name, with the feature
    metric      a metric, `word-f` for words, `errors per 100 words` for errors
    rows        the segments of the bucket, from 0; words: how many words of references it has
    share       of the whole difference under the metric; None for words and errors
    low, high   of the difference, a 95% interval
    evidence    by how many standard errors the difference is larger here than elsewhere
    verdict     `better`, `worse` or an empty string, which claims nothing
    parts       precision and recall of words, of this and the first system
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


def word_f(statistics: FloatArray) -> FloatArray:
    """F of summed [credit, words] of the reference and [credit, words] of the translation, in %."""
    recall, precision = word_recall(statistics), word_precision(statistics)
    return ratio(2 * precision * recall, precision + recall)


def word_recall(statistics: FloatArray) -> FloatArray:
    """The share of the reference's words that is matched, in %."""
    return 100 * ratio(statistics[..., 0], statistics[..., 1])


def word_precision(statistics: FloatArray) -> FloatArray:
    """The share of the translation's words that is matched, in %."""
    return 100 * ratio(statistics[..., 2], statistics[..., 3])


def error_rate(statistics: FloatArray) -> FloatArray:
    """Errors per 100 words of the reference, of summed [errors, words]."""
    return 100 * ratio(statistics[..., 0], statistics[..., 1])


def findings(material: Material, scores: Scores, weights: FloatArray) -> list[Finding]:
    """All buckets. weights: (resamples, segments) of the paired bootstrap."""
    by_system: dict[str, list[Finding]] = {name: [] for name in scores.systems[1:]}
    for bucket in _buckets(material, scores):
        for finding in _compared(bucket, scores.systems[1:], weights):
            by_system[finding.system].append(finding)
    return ranked([f for found in by_system.values() for f in _corrected(found)])


def ranked(found: Sequence[Finding]) -> list[Finding]:
    """Claims first, then by evidence; what nothing can be claimed about comes last."""
    return sorted(found, key=lambda f: (not f.verdict, f.p_value is None, -f.evidence))


def _corrected(found: Sequence[Finding]) -> Iterator[Finding]:
    """With q-values over all buckets and metrics of a system."""
    tested = [f for f in found if f.p_value is not None]
    q = dict(zip(map(id, tested), q_values([f.p_value or 0.0 for f in tested]), strict=True))
    for finding in found:
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
        lows, highs = np.percentile(drawn, _INTERVAL, axis=1).tolist()
    totals = bucket.statistics.sum(axis=1)
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
            parts=_parts(totals, at) if bucket.level == "words" else None,
        )  # fmt: skip


def _parts(totals: FloatArray, at: int) -> dict[str, float]:
    recall, precision = word_recall(totals), word_precision(totals)
    return {
        "first_precision": float(precision[0]),
        "first_recall": float(recall[0]),
        "precision": float(precision[at + 1]),
        "recall": float(recall[at + 1]),
    }


def _buckets(material: Material, scores: Scores) -> Iterator[_Bucket]:
    by_segment = segment_buckets(material)
    for label, metric in scores.metrics.items():
        if not isinstance(metric, Vector):
            yield from _of_segments(material, label, metric, scores.statistics[label], by_segment)
    if scores.corpus.has_references and scores.corpus.has_texts:
        for feature in word_features(material):
            yield from _of_words(material, feature)
        yield from _of_errors(material)


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


def _of_words(material: Material, feature: WordFeature) -> Iterator[_Bucket]:
    """The buckets of one feature. Counts are (segments, buckets), for all buckets at once."""
    n, count = len(material.corpus), len(feature.names)
    words = material.words

    def table(segments: IntArray, codes: IntArray, values: FloatArray) -> FloatArray:
        kept = codes >= 0
        flat = np.bincount(segments[kept] * count + codes[kept], values[kept], n * count)
        return flat.reshape(n, count)

    def whole(segments: IntArray, values: FloatArray) -> FloatArray:
        return np.bincount(segments, values, n)

    ones = np.ones(len(words.ids))
    totals = table(words.segments, feature.reference, ones)
    statistics = np.zeros((len(material.outputs), n, count, 4))
    wrong, all_wrong = np.zeros((2, len(material.outputs), n, count)), None
    wrong_total = np.zeros((len(material.outputs), n))
    del all_wrong
    for at, (own, aligned) in enumerate(zip(material.outputs, material.aligned, strict=True)):
        codes = feature.outputs[at]
        statistics[at, ..., 0] = table(words.segments, feature.reference, aligned.credit)
        statistics[at, ..., 1] = totals
        statistics[at, ..., 2] = table(own.segments, codes, aligned.own_credit)
        statistics[at, ..., 3] = table(own.segments, codes, np.ones(len(own.ids)))
        wrong[0, at] = table(own.segments, codes, 1 - aligned.own_credit)
        wrong_total[at] = whole(own.segments, 1 - aligned.own_credit)
    changes = [one.credit - material.aligned[0].credit for one in material.aligned[1:]]
    gained = np.stack([whole(words.segments, np.maximum(c, 0)) for c in changes])
    lost = np.stack([whole(words.segments, np.maximum(-c, 0)) for c in changes])
    more = wrong_total[1:] - wrong_total[0]
    overall = totals.sum(axis=0) / max(totals.sum(), 1)
    for which, name in enumerate(feature.names):
        rows = np.flatnonzero(statistics[..., which, 1::2].any(axis=(0, 2)))
        if not len(rows):
            continue
        share = (totals[:, which] + overall[which]) / (material.sizes + 1)
        inside = statistics[1:, :, which, 0] - statistics[0, :, which, 0]
        of_reference = share_evidence(inside, lost, gained, share)
        extra = wrong[0, 1:, :, which] - wrong[0, 0, :, which]
        of_outputs = -share_evidence(extra, np.maximum(-more, 0), np.maximum(more, 0), share)
        evidence = np.where(np.abs(of_reference) >= np.abs(of_outputs), of_reference, of_outputs)
        yield _Bucket(
            "words", feature.feature, f"{feature.feature}: {name}", WORD_F, word_f, True,
            rows, int(totals[:, which].sum()), statistics[:, rows, which], evidence,
        )  # fmt: skip


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
