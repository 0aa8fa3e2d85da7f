"""Several metrics as one: the mean of a candidate's ranks, or a weighted mean of its utilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.reading.jsons import parse_json
from cupel.reading.lines import display_name, read_text


def combined(
    utilities: Mapping[str, FloatArray],
    signs: Mapping[str, float],
    weights: Mapping[str, float],
    how: str,
) -> tuple[FloatArray, float]:
    """(n,) one number for each candidate, and its sign: -1 where lower is better.

    utilities: (n,) by metric, NaN where a candidate was left out. ranks: the mean rank, 1 for the
    best, equal ones sharing the mean of their ranks. mean: utilities times weights, those of
    metrics for which lower is better taken off.
    """
    if len(utilities) == 1:
        ((label, values),) = utilities.items()
        return values, signs[label]
    total = sum(abs(weights[label]) for label in utilities)
    if how == "ranks":
        ranks = [weights[k] * _ranks(signs[k] * values) for k, values in utilities.items()]
        return np.sum(ranks, axis=0) / total, -1.0
    parts = [weights[k] * signs[k] * values for k, values in utilities.items()]
    return np.sum(parts, axis=0) / total, 1.0


def _ranks(values: FloatArray) -> FloatArray:
    from scipy.stats import rankdata

    ranks: FloatArray = rankdata(-np.round(values, 9), nan_policy="omit")
    return ranks


def metric_weights(
    given: Sequence[str] | Mapping[str, float], labels: Sequence[str]
) -> dict[str, float]:
    """The weight of each metric, 1 where none is given.

    given: NAME=NUMBER, one or more, or one file: a JSON object, or lines of a name and a number.
    """
    pairs = given.items() if isinstance(given, Mapping) else _parsed(given)
    weights = dict.fromkeys(labels, 1.0)
    for written, value in pairs:
        name = next((label for label in labels if label.lower() == written.lower()), written)
        if name not in weights:
            raise CupelError(
                f"There is a weight of {name!r}, which is not among the metrics: {', '.join(labels)}."
            )
        weights[name] = _number(name, value)
    if not any(weights.values()):
        raise CupelError("All metrics have the weight 0.")
    return weights


def _parsed(given: Sequence[str]) -> list[tuple[str, object]]:
    if len(given) == 1 and Path(given[0]).is_file():
        return _from_file(given[0])
    pairs: list[tuple[str, object]] = []
    for item in given:
        name, equals, value = item.rpartition("=")
        if not equals:
            raise CupelError(f"The weight {item!r} is neither NAME=NUMBER nor a file.")
        pairs.append((name, value))
    return pairs


def _from_file(path: str) -> list[tuple[str, object]]:
    text, name = read_text(path), display_name(path)
    if text.lstrip().startswith("{"):
        value = parse_json(text, name, unique=True)
        return list(value.items())
    pairs: list[tuple[str, object]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if fields and len(fields) != 2:
            raise CupelError(f"{name}, line {number}: a metric and a number were expected.")
        pairs += [(fields[0], fields[1])] if fields else []
    return pairs


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise CupelError(f"The weight of {name!r} is {value!r}, which is no number.") from None
    if not np.isfinite(number) or number < 0:
        raise CupelError(f"The weight of {name!r} must be 0 or more, not {value}.")
    return number
