"""`cupel score --paired`: how often people prefer the better system when a metric differs so much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cupel.meaning import Meaning
    from cupel.scores import Scores


def meanings_of(scores: Scores, asked: bool, pair: str | None, domain: str | None) -> list[Meaning]:
    """Of all systems and metrics, or none where no test is asked for."""
    if not asked:
        return []
    from cupel.meaning import meanings
    from cupel.metric import Vector

    return [
        one
        for label, metric in scores.metrics.items()
        if not isinstance(metric, Vector)
        for one in meanings(scores, label, pair=pair, domain=domain)
    ]


def preferred_columns(meanings: Sequence[Meaning], row: Mapping[str, Any]) -> dict[str, Any]:
    """How often people prefer the system of a row to the first one, with its interval."""
    names = ("preferred", "preferred_low", "preferred_high")
    for one in meanings:
        if (one.metric, one.system) == (row["metric"], row["system"]) and (ends := one.preferred()):
            return dict(zip(names, ends, strict=True))
    return dict.fromkeys(names)


def sentences(meanings: Sequence[Meaning], names: Mapping[str, str]) -> list[str]:
    """For people: one sentence for each two systems, then what is not known. names: short ones."""
    groups: dict[tuple[str, str], list[Meaning]] = {}
    for one in meanings:
        if one.share is not None:
            groups.setdefault((one.better, one.worse), []).append(one)
    lines = [
        f"With such a difference people prefer {names[better]} to {names[worse]} "
        f"{_listed([_share(one) for one in group])}."
        for (better, worse), group in groups.items()
    ]
    unknown: dict[str, dict[str, None]] = {}
    for one in meanings:
        if one.share is None:
            unknown.setdefault(one.reason, {})[one.metric] = None
    return lines + [
        f"No evidence of what people prefer by {_listed(list(metrics))}: {reason}."
        for reason, metrics in unknown.items()
    ]


def _share(one: Meaning) -> str:
    return f"in {one.share:.0%} of cases by {one.metric} ({one.low:.0%} to {one.high:.0%})"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
