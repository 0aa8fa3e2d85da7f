"""Components of metrics' scores, as ratios that mean the same in long and short segments.

After section 5.1 of the paper, which gives a network the components of BLEU in place of its score
(`bleucomp`); here those of chrF, METEOR and NIST.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cupel.batch import FloatArray
from cupel.errors import CupelError
from cupel.metric import Metric, ratio


def _chrf(metric: Any, statistics: FloatArray) -> FloatArray:
    """The F-score, then precision and recall of each order."""
    hypothesis, reference, matches = (statistics[..., i::3] for i in range(3))
    score = metric.score(statistics)[..., None]
    parts = [score, 100 * ratio(matches, hypothesis), 100 * ratio(matches, reference)]
    return np.concatenate(parts, axis=-1)


def _meteor(metric: Any, statistics: FloatArray) -> FloatArray:
    """Score, P, R, penalty; matched content and function words by matcher over the reference's."""
    precision, recall = metric.precision_and_recall(statistics)
    penalty = metric.penalty(statistics)
    lengths = np.maximum(statistics[..., 1:2], 1.0)
    matched = statistics[..., 5 : 4 + 4 * len(metric.matchers) : 2] / lengths
    parts = [metric.score(statistics), precision, recall, penalty]
    ratios = [ratio(statistics[..., 20], statistics[..., 1])]
    heads = np.stack([np.nan_to_num(part) for part in parts + ratios], axis=-1)
    return np.concatenate([heads, matched], axis=-1)


def _nist(metric: Any, statistics: FloatArray) -> FloatArray:
    """The score, and the information gained per n-gram of each order."""
    orders = metric.max_ngram_order
    gained = ratio(statistics[..., 2 : 2 + orders], statistics[..., 2 + orders :])
    return np.concatenate([metric.score(statistics)[..., None], gained], axis=-1)


def _own(metric: Any, statistics: FloatArray) -> FloatArray:
    parts: FloatArray = metric.components(statistics)
    return parts


_COMPONENTS: dict[str, Callable[[Any, FloatArray], FloatArray]] = {
    "chrf": _chrf,
    "meteor": _meteor,
    "nist": _nist,
}


def check(metric: Metric) -> None:
    """Refuse a metric that has no components."""
    if not hasattr(metric, "components") and metric.name.rstrip("+") not in _COMPONENTS:
        names = ", ".join(["bleucomp", *_COMPONENTS])
        raise CupelError(
            f"The metric {metric.name!r} has no components; those that have are {names}. Its score "
            f"is the feature {metric.name!r}, its statistics are '{metric.name}.statistics'."
        )


def of(metric: Metric, statistics: FloatArray) -> FloatArray:
    """(n, k) statistics -> (n, components)."""
    check(metric)
    return _COMPONENTS.get(metric.name.rstrip("+"), _own)(metric, statistics)
