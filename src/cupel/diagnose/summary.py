"""A diagnosis in sentences: how much, from where, which words, which errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cupel.diagnose.changes import Change
from cupel.diagnose.comparison import LEAST_SEGMENTS
from cupel.diagnose.findings import Finding
from cupel.metric import Metric, decimals_of

CLEAR = 3.0
"""Evidence of a bucket that is worth a sentence."""
_PART = 0.8
"""A bucket of more than this share of all segments says nothing about where."""
_MOST = 3


def sentences(
    changes: Sequence[Change],
    findings: Sequence[Finding],
    metrics: Mapping[str, Metric],
    names: Mapping[str, str],
    segments: int,
) -> list[str]:
    """Of each system, under the first metric. names: how systems are called."""
    result: list[str] = []
    reported: set[str] = set()
    for change in changes:
        if change.system in reported:
            continue
        reported.add(change.system)
        own = [f for f in findings if f.system == change.system]
        result += _overall(change, decimals_of(metrics[change.metric]), names, segments)
        if change.differ and segments >= LEAST_SEGMENTS:
            result += _about(change, own, segments)
    return result


def _overall(change: Change, places: int, names: Mapping[str, str], segments: int) -> list[str]:
    one, other = names[change.system], names[change.first]
    if not change.differ:
        return [f"{one} and {other} are the same in all {segments:,} segments."]
    size = f"{abs(change.difference):.{places}f} {change.metric}"
    ends = f"95% interval {change.low:+.{places}f} to {change.high:+.{places}f}"
    better = (change.difference > 0) == change.higher_is_better
    if segments < LEAST_SEGMENTS:
        side = "above" if change.difference > 0 else "below"
        return [
            f"{one} is {size} {side} {other} on {segments} segments, which are too few to claim "
            "anything."
        ]
    if change.p_value >= 0.05 or not change.difference:
        verdict = f"{one} cannot be reported apart from {other}: {size} between them ({ends})"
    else:
        verdict = f"{one} is {'better' if better else 'worse'} than {other} by {size} ({ends})"
    return [
        f"{verdict}; {change.differ:,} of {segments:,} segments differ, {change.better:,} are "
        f"better and {change.worse:,} worse."
    ]


def _about(change: Change, findings: Sequence[Finding], segments: int) -> list[str]:
    clear = [f for f in findings if f.verdict and f.evidence >= CLEAR]
    places = [
        f
        for f in clear
        if f.level == "segments" and f.metric == change.metric and len(f.rows) <= _PART * segments
    ]
    words = [f for f in clear if f.level == "words"]
    errors = [f for f in clear if f.level == "errors"]
    result = [_place(f, change, segments) for f in _one_each(places)]
    result += [_words(f) for f in _one_each(words)]
    result += [_errors(f) for f in errors[:2]]
    if not result:
        result.append("No bucket stands out from the others.")
    return result


def _one_each(findings: Sequence[Finding]) -> list[Finding]:
    """The first of each feature, where source and reference say the same only once."""
    seen: dict[str, Finding] = {}
    for finding in findings:
        seen.setdefault(finding.bucket.removeprefix("source "), finding)
    by_feature: dict[str, Finding] = {}
    for finding in seen.values():
        by_feature.setdefault(finding.feature.removeprefix("source "), finding)
    return list(by_feature.values())[:_MOST]


def _place(finding: Finding, change: Change, segments: int) -> str:
    """`73% of the loss of 1.8 chrf++ comes from ...`, where that makes sense."""
    part = f"{finding.bucket!r}, {len(finding.rows) / segments:.0%} of the segments"
    loss = "gain" if (change.difference > 0) == change.higher_is_better else "loss"
    same = (finding.difference > 0) == (change.difference > 0)
    if same and finding.share is not None and 0 < finding.share <= 1 and change.p_value < 0.05:
        size = f"{abs(change.difference):.2g} {change.metric}"
        return f"{finding.share:.0%} of the {loss} of {size} comes from {part}."
    return (
        f"In {part}, {change.metric} is {finding.verdict} by {abs(finding.difference):.2g}, "
        "more than elsewhere."
    )


def _words(finding: Finding) -> str:
    first, own = 100 - finding.first_score, 100 - finding.score
    what = "missed" if finding.metric == "word recall" else "used wrongly"
    return f"Words in {finding.bucket!r} are {what} {_times(first, own)}."


def _errors(finding: Finding) -> str:
    kind = finding.bucket.removeprefix("error kind: ")
    times = f"{finding.score:.1f} per 100 words instead of {finding.first_score:.1f}"
    more = "more" if finding.difference > 0 else "fewer"
    return f"There are {more} {kind}: {times}."


def _times(first: float, own: float) -> str:
    """`twice as often (12% instead of 6%)`."""
    shares = f"{own:.1f}% instead of {first:.1f}%"
    if first <= 0 or own <= 0:
        return f"more often ({shares})" if own > first else f"less often ({shares})"
    ratio = own / first
    if 1.75 <= ratio < 2.25:
        return f"twice as often ({shares})"
    if 0.44 < ratio <= 0.57:
        return f"half as often ({shares})"
    if ratio >= 2.25:
        return f"{ratio:.1f} times as often ({shares})"
    return f"{'more' if ratio > 1 else 'less'} often ({shares})"
