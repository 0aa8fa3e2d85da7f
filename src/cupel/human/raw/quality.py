"""Quality control of annotators: attention checks, agreement with themselves and with others.

A check is passed where the damaged translation is judged worse than the one it was made of; it is not
counted where that one was not judged, or has the worst score already. Agreement with oneself is
Krippendorff's alpha between first and repeated judgments, agreement with others Pearson's r with the
mean of the others over the translations that they judged too. An annotator is left out who

    passes fewer than two of three checks, of three or more;
    has an alpha below 0 with himself or herself, over ten or more repeats; or
    has an r of 0 or below with every other annotator, of two or more with thirty shared translations.

Of two who contradict each other nobody can say who is right: both are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from cupel.human.raters import krippendorff_alpha
from cupel.human.raw.annotations import Judgment, Notes
from cupel.human.raw.schemes import Scheme, read_scheme
from cupel.human.raw.sheets import Answer, Sheet, judgments_of, rank_scores
from cupel.human.tasks.sheets import CHECK, REPEAT
from cupel.records import Row

LEAST_CHECKS, LEAST_REPEATS, LEAST_SHARED = 3, 10, 30
PASSED = 2 / 3
Place = tuple[str, int]
"""A system and a segment."""


@dataclass(frozen=True)
class Quality:
    """One annotator. alpha: with himself or herself; r: with the others; None where unknown."""

    annotator: str
    done: int
    tasks: int
    checks: int
    passed: int
    repeats: int
    alpha: float | None
    shared: int
    r: float | None
    seconds: float | None
    kept: bool
    reason: str

    def row(self) -> Row:
        """Flat, for tables."""
        return asdict(self)


def quality(sheets: Sequence[Sheet], keep_all: bool = False) -> list[Quality]:
    """Of every annotator, over all sets of tasks; keep_all: leave nobody out."""
    scheme = read_scheme("google")
    by_name: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        by_name.setdefault(sheet.annotator, []).append(sheet)
    values = {name: _values(own, scheme) for name, own in by_name.items()}
    return [_quality(name, own, values, scheme, keep_all) for name, own in by_name.items()]


def _value(answer: Answer, scheme: Scheme) -> float:
    """How good the judged translation is: the score, or minus the weights of its errors."""
    if answer.score is not None:
        return answer.score
    judgment = Judgment("", "", "", "", answer.where, errors=list(answer.errors))
    return scheme.score(judgment, Notes(lenient=True))


def _values(sheets: Sequence[Sheet], scheme: Scheme) -> dict[Place, float]:
    """What an annotator says of every translation."""
    values = {}
    for sheet in sheets:
        for one in judgments_of(sheet):
            score = scheme.score(one, Notes(lenient=True)) if one.score is None else one.score
            values[one.system, int(one.segment)] = score
    return values


def _quality(
    name: str,
    sheets: Sequence[Sheet],
    values: Mapping[str, Mapping[Place, float]],
    scheme: Scheme,
    keep_all: bool,
) -> Quality:
    checks = [passed for sheet in sheets for passed in _checks(sheet, scheme)]
    again = [pair for sheet in sheets for pair in _repeats(sheet, scheme)]
    alpha = krippendorff_alpha(np.array(again).T) if len(again) > 1 else np.nan
    shared = _shared(name, values)
    r = _correlation(np.array(shared)) if len(shared) > 2 else np.nan
    seconds = [a.seconds for s in sheets for a in s.answers.values() if a.seconds is not None]
    reason = _reason(checks, len(again), alpha, _with_each(name, values))
    kept = keep_all or not reason
    if keep_all and reason:
        reason = f"kept although: {reason}"
    if not reason:
        enough = len(checks) >= LEAST_CHECKS
        reason = "passes the checks" if enough else "too few checks to tell"
    return Quality(
        name,
        sum(len(sheet.answers) for sheet in sheets),
        sum(sheet.total for sheet in sheets),
        len(checks),
        sum(checks),
        len(again),
        _finite_or_none(alpha),
        len(shared),
        _finite_or_none(r),
        float(np.median(seconds)) if seconds else None,
        kept,
        reason,
    )


def _finite_or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _reason(checks: Sequence[bool], repeats: int, alpha: float, each: Sequence[float]) -> str:
    """Why the annotator is left out, or nothing. each: r with every other annotator."""
    if len(checks) >= LEAST_CHECKS and sum(checks) < PASSED * len(checks):
        return f"passes {sum(checks)} of {len(checks)} attention checks"
    if repeats >= LEAST_REPEATS and alpha < 0:
        return f"contradicts earlier judgments: alpha {alpha:.2f} over {repeats} repeats"
    if len(each) > 1 and max(each) <= 0:
        return f"agrees with none of {len(each)} others: r is {max(each):.2f} at most"
    return ""


def _with_each(name: str, values: Mapping[str, Mapping[Place, float]]) -> list[float]:
    """r with every other annotator who judged enough of the same translations."""
    own, correlations = values[name], []
    for other, given in values.items():
        both = [(own[place], given[place]) for place in own if place in given]
        if other != name and len(both) >= LEAST_SHARED:
            correlations.append(_correlation(np.array(both)))
    return [r for r in correlations if np.isfinite(r)]


def _checks(sheet: Sheet, scheme: Scheme) -> list[bool]:
    passed = []
    for answer in sheet.answers.values():
        if answer.screen.kind != CHECK:
            continue
        if answer.ranks:
            damaged = next(one.id for one in answer.screen.options if not one.systems)
            passed.append(answer.ranks[damaged] > answer.ranks[answer.screen.of])
            continue
        original = sheet.answers.get(answer.screen.of)
        if original is not None and not (original.score is not None and original.score <= 0):
            passed.append(_value(answer, scheme) < _value(original, scheme))
    return passed


def _repeats(sheet: Sheet, scheme: Scheme) -> list[tuple[float, float]]:
    """(first, again) of every repeated judgment; of a ranking, of every translation in it."""
    pairs = []
    for answer in sheet.answers.values():
        first = sheet.answers.get(answer.screen.of)
        if answer.screen.kind != REPEAT or first is None:
            continue
        if not answer.ranks:
            pairs.append((_value(first, scheme), _value(answer, scheme)))
            continue
        one, other = rank_scores(first), rank_scores(answer)
        texts = {option.text: option.id for option in first.screen.options}
        pairs += [(one[texts[o.text]], other[o.id]) for o in answer.screen.options]
    return pairs


def _shared(name: str, values: Mapping[str, Mapping[Place, float]]) -> list[tuple[float, float]]:
    """(own value, mean of the others) of the translations that others judged too."""
    pairs = []
    for place, own in values[name].items():
        others = [given[place] for who, given in values.items() if who != name and place in given]
        if others:
            pairs.append((own, float(np.mean(others))))
    return pairs


def _correlation(pairs: np.ndarray) -> float:
    one, other = pairs.T
    if one.std() == 0 or other.std() == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])
