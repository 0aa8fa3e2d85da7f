"""What a difference means: how often people prefer the better system, where a metric shows it.

For each two systems of past campaigns it is known which one a metric prefers, by how much, and
which one people preferred. Of a difference d on n segments people agree with the metric in the share

    P = l + (1 - 2 l) E[1 / (1 + exp(-b e^u d n / (n + m)))],    u normal with deviation w

b: how fast agreement grows, by direction (into English, or not), more or less for single language
pairs; w: how much it differs from campaign to campaign; m: how many segments it takes to trust a
difference half; l: how often people disagree however large the difference is. The numbers come from `tools/fit_meaning.py`; docs/difference.md
explains them and docs/research/meaning.md has how well they predict campaigns left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.significance import quantile_interval

if TYPE_CHECKING:
    from cupel.scores import Scores

FEWEST = 50
"""Segments of the smallest test sets that were seen."""
LEVEL = 0.95
DOMAINS = ("news", "talks", "biomedical")
"""What people judged."""


@dataclass(frozen=True)
class Meaning:
    """How often people prefer the system that the metric prefers.

    system     the one that is compared with the first; better and worse are both, in order
    share      from 0 to 1, with the ends of its 95% interval; None where there is no evidence
    reason     why there is none
    pairs      how many pairs of systems it was learned from, of how many campaigns
    """

    metric: str
    system: str
    better: str
    worse: str
    difference: float
    segments: int
    share: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    pairs: int = 0
    campaigns: int = 0

    def preferred(self) -> tuple[float, float, float] | None:
        """How often people prefer the system to the first one, and the ends of the interval."""
        if self.share is None or self.low is None or self.high is None:
            return None
        ends = (self.share, self.low, self.high)
        return ends if self.better == self.system else (1 - ends[0], 1 - ends[2], 1 - ends[1])

    def row(self) -> dict[str, Any]:
        """A flat record."""
        return {
            "metric": self.metric,
            "system": self.system,
            "better": self.better,
            "worse": self.worse,
            "difference": self.difference,
            "segments": self.segments,
            "preferred": self.share,
            "low": self.low,
            "high": self.high,
            "pairs": self.pairs,
            "no_evidence": self.reason,
        }


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
"""Gauss and Hermite's, for the mean over u."""


def agreement(
    difference: FloatArray,
    segments: FloatArray,
    slope: FloatArray,
    spread: FloatArray,
    lapse: FloatArray,
    half: FloatArray,
) -> FloatArray:
    """The share P above, for arrays of one shape: slope is b, spread w, lapse l, half m."""
    z = slope * difference * segments / (segments + half)
    moved = z[..., None] * np.exp(spread[..., None] * NODES)
    sure = (1 / (1 + np.exp(-np.clip(moved, -30, 30)))) @ WEIGHTS
    return np.asarray(lapse + (1 - 2 * lapse) * sure, np.float64)


def direction(pair: str | None) -> str:
    """`into` English, `from` it or between others, or `any` where the languages are unknown."""
    if pair is None:
        return "any"
    return "into" if pair.endswith("-en") else "from"


@cache
def evidence() -> Mapping[str, Any]:
    """metric -> what was learned about it, from resources/meaning."""
    text = files("cupel").joinpath("resources", "meaning", "meaning.json").read_text("utf-8")
    metrics: Mapping[str, Any] = json.loads(text)["metrics"]
    return metrics


def meanings(
    scores: Scores, metric: str, *, pair: str | None = None, domain: str | None = None
) -> list[Meaning]:
    """Each system against the first under one metric.

    pair: the language pair, such as de-en. domain: of the texts, if it is known.
    """
    first, *others = scores.systems
    return [_of_two(scores, metric, first, other, pair, domain) for other in others]


def _of_two(
    scores: Scores, label: str, first: str, other: str, pair: str | None, domain: str | None
) -> Meaning:
    metric = scores.metrics[label]
    sign = 1.0 if metric.higher_is_better else -1.0
    gain = sign * (scores.system_score(label, other) - scores.system_score(label, first))
    better, worse = (other, first) if gain > 0 else (first, other)
    segments = len(scores.outline)
    bare = Meaning(label, other, better, worse, abs(gain), segments)
    reason = _unlike_campaigns(scores, label, pair, domain)
    if not reason and gain == 0:
        reason = "the systems have the same score"
    if not reason:
        top = sign * scores.system_score(label, better)
        reason = _unlike_systems(metric.name, top, pair)
    if reason:
        return replace(bare, reason=reason)
    learned = evidence()[metric.name]
    where = direction(pair)
    shares = shares_of(learned, abs(gain), segments, pair)
    low, high = quantile_interval(shares[1:], (1 - LEVEL) / 2)
    counts = learned["evidence"][where]
    return replace(
        bare,
        share=float(shares[0]),
        low=min(float(low), float(shares[0])),
        high=max(float(high), float(shares[0])),
        pairs=counts["pairs"],
        campaigns=counts["campaigns"],
    )


def shares_of(
    learned: Mapping[str, Any], difference: float, segments: int, pair: str | None
) -> FloatArray:
    """(1 + draws,): the share by the fit, and by the fits to campaigns drawn with replacement.

    A difference larger than nearly all that were seen counts as that of the largest.
    """
    where = direction(pair)
    difference = min(difference, learned["largest"][where])
    at = {name: column for column, name in enumerate(learned["columns"])}
    fits = np.array([learned["fit"], *learned["draws"]], np.float64)
    log_slopes = [fits[:, at[w]] for w in (("into", "from") if where == "any" else (where,))]
    own = fits[:, at[pair]] if pair in at else 0.0
    spread, half = np.exp(fits[:, at["spread"]]), np.exp(fits[:, at["half"]])
    one = np.ones(len(fits))
    shares = [
        agreement(
            difference * one,
            segments * one,
            np.exp(slope + own),
            spread,
            fits[:, at["lapse"]],
            half,
        )
        for slope in log_slopes
    ]
    return np.asarray(np.mean(shares, axis=0), np.float64)


def _unlike_campaigns(scores: Scores, label: str, pair: str | None, domain: str | None) -> str:
    """Why these texts are not like those that people judged; empty where they are."""
    metric, outline = scores.metrics[label], scores.outline
    learned = evidence().get(metric.name)
    if learned is None:
        return f"no campaign has been scored with {metric.name}"
    if str(metric.signature()) != learned["signature"]:
        return f"only {metric.name} with its default options has been compared with people"
    if domain is not None and domain not in DOMAINS:
        return f"people judged {', '.join(DOMAINS[:-1])} and {DOMAINS[-1]} texts, not {domain}"
    if outline.number_of_references != 1:
        return "the campaigns had one reference for each segment"
    if len(outline) < FEWEST:
        return f"the smallest test sets seen have {FEWEST} segments"
    if direction(pair) not in learned["evidence"]:
        return f"{metric.name} was compared with people for translations into English only"
    if pair is not None and pair.partition("-")[2] not in learned["targets"]:
        return f"people judged no translations into {pair.partition('-')[2]!r}"
    return _unlike_lengths(outline.reference_length, learned["length"])


def _unlike_lengths(mean: float, seen: Sequence[float]) -> str:
    if seen[0] * 0.67 <= mean <= seen[1] * 1.5:
        return ""
    kind = "short" if mean < seen[0] else "long"
    return (
        f"the segments are too {kind}: {mean:.0f} characters, and {seen[0]:.0f} to {seen[1]:.0f} "
        "in the campaigns"
    )


def _unlike_systems(name: str, top: float, pair: str | None) -> str:
    """Whether the better system has a score far above all that were seen. top: higher is better."""
    learned = evidence()[name]
    best = learned["best"][direction(pair)]
    if top > best["score"] + best["margin"]:
        return "the better system is far better than those that people compared"
    return ""
