"""Gates for builds: is this system good enough, and is it not worse than the one before?

A floor compares a score with a number. Non-inferiority is a test: the null hypothesis is that the
new system is worse than the baseline by the margin or more. The difference of the two scores plus
the margin, divided by its standard error from a paired bootstrap, is held against Student's t
distribution (`cupel.system_ranking`), one-sided. So a system that is truly worse by the margin or more
passes with a probability of about alpha at most; a system that is equally good passes the more surely,
the wider the margin and the more segments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from cupel import significance
from cupel.errors import CupelError
from cupel.metric import Vector, decimals_of
from cupel.names import short_names
from cupel.reading.segments import nearest
from cupel.records import Row
from cupel.scores import Scores
from cupel.significance import standard_errors, tail

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Outcome:
    """One gate: of a system and a metric, whether it passed, and a sentence for people.

    gate  `fail-under` or `not-worse-than`; limit: the floor or the margin
    """

    gate: str
    system: str
    metric: str
    limit: float
    passed: bool
    sentence: str
    p_value: float | None = None

    def row(self) -> Row:
        """A flat record."""
        return dict(vars(self))


def limits(given: Sequence[str], option: str, labels: Sequence[str]) -> dict[str, float]:
    """`["bleu=30"]` as {"bleu": 30.0}. option: what errors call it. labels: the metrics there are."""
    result: dict[str, float] = {}
    for text in given:
        label, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if not label or not np.isfinite(value):
            raise CupelError(f"{option} {text!r} is not METRIC=NUMBER, such as bleu=30.")
        label = next((known for known in labels if known.lower() == label.lower()), label)
        if label in result:
            raise CupelError(f"{option} names {label!r} twice.")
        result[label] = value
    check_metrics(result, option, labels)
    return result


def check_metrics(limits: Mapping[str, float], option: str, labels: Sequence[str]) -> None:
    """The metrics of the limits are among those that score."""
    for label in limits:
        if label not in labels:
            raise CupelError(
                f"{option} names {label!r}, but the metrics are {', '.join(labels)}"
                f"{nearest(label, labels)}"
            )


def fail_under(
    scores: Scores, floors: Mapping[str, float], but: str | None = None
) -> list[Outcome]:
    """Each system against each floor; where lower is better, the score must not be above it.

    but: a system that is left out, the baseline.
    """
    _check_single(scores, floors)
    return [
        _floor(scores, system, label, floor)
        for label, floor in floors.items()
        for system in scores.systems
        if system != but
    ]


def _check_single(scores: Scores, limits: Mapping[str, float]) -> None:
    check_metrics(limits, "A gate", list(scores.metrics))
    for label in limits:
        if isinstance(scores.metrics[label], Vector):
            raise CupelError(f"{label} is a vector of features, without one score to gate.")


def _floor(scores: Scores, system: str, label: str, floor: float) -> Outcome:
    metric, score = scores.metrics[label], scores.system_score(label, system)
    passed = score >= floor if metric.higher_is_better else score <= floor
    side = "below" if metric.higher_is_better else "above"
    relation = f"is {'not ' if passed else ''}{side} {floor:g}"
    places = max(decimals_of(metric), 2)
    sentence = f"{label} of {system}, {score:.{places}f}, {relation}."
    return Outcome("fail-under", system, label, floor, passed, sentence)


def not_worse(
    scores: Scores,
    baseline: str,
    margins: Mapping[str, float],
    *,
    alpha: float = 0.05,
    resamples: int = significance.BOOTSTRAP_RESAMPLES,
    seed: int = significance.DEFAULT_SEED,
) -> list[Outcome]:
    """Each system against the baseline: is it shown that it is worse by less than the margin?

    margins: by metric, 0 or more. alpha: of the test. resamples, seed: of the paired bootstrap.
    """
    _check_single(scores, margins)
    if not margins:
        raise CupelError(
            "A margin is needed to test whether a system is not worse: --margin bleu=0.5."
        )
    for label, margin in margins.items():
        if margin < 0:
            raise CupelError(f"The margin of {label} must be 0 or more, not {margin:g}.")
    if not 0 < alpha <= 0.5:
        raise CupelError(f"alpha must be above 0 and at most 0.5, not {alpha:g}.")
    if len(scores.corpus) < 2 or len(scores.systems) < 2:
        raise CupelError("A test against a baseline needs two systems, and two segments at least.")
    metrics = {label: scores.metrics[label] for label in margins}
    statistics = {label: scores.statistics[label] for label in margins}
    drawn = significance.bootstrap_all(metrics, statistics, resamples, seed)
    errors = {label: standard_errors(rows, len(scores.corpus)) for label, rows in drawn.items()}
    base = scores.systems.index(baseline)
    return [
        _test(scores, (baseline, system), label, margin, float(errors[label][base, row]), alpha)
        for label, margin in margins.items()
        for row, system in enumerate(scores.systems)
        if system != baseline
    ]


def _test(
    scores: Scores, pair: tuple[str, str], label: str, margin: float, error: float, alpha: float
) -> Outcome:
    from scipy.special import stdtrit

    metric, (old, new) = scores.metrics[label], (scores.system_score(label, s) for s in pair)
    gain = (new - old) if metric.higher_is_better else (old - new)
    degrees = len(scores.corpus) - 1
    p = float(tail(np.array(gain + margin), np.array(error), degrees + 1))
    worst = gain - float(stdtrit(degrees, 1 - alpha)) * error
    places = max(decimals_of(metric), 2)
    worse, side = ("better", "least") if worst >= 0 else ("worse", "most")
    numbers = (
        f"{new:.{places}f} against {old:.{places}f}, {worse} by {abs(worst):.{places}f} at {side}, "
        f"{'p < 0.0001' if p < 0.0001 else f'p = {p:.4f}'}"
    )
    sentence = (
        f"{pair[1]} is not worse than {pair[0]} by {margin:g} {label} or more ({numbers})."
        if p <= alpha
        else f"It is not shown that {pair[1]} is worse than {pair[0]} by less than {margin:g} {label} "
        f"({numbers})."
    )
    return Outcome("not-worse-than", pair[1], label, margin, p <= alpha, sentence, p)


def markdown(scores: Scores, outcomes: Sequence[Outcome]) -> str:
    """A section for the summary of a build: the scores, and each gate with its sentence."""
    labels = [label for label, metric in scores.metrics.items() if not isinstance(metric, Vector)]
    failed = sum(not one.passed for one in outcomes)
    title = (
        "Translation scores" if not outcomes
        else "Translation quality: all gates passed" if not failed
        else f"Translation quality: {failed} of {len(outcomes)} gates failed"
    )  # fmt: skip
    lines = [f"### {title}", "", _cells(["System", *labels]), "|---" + "|--:" * len(labels) + "|"]
    lines += [
        _cells(
            [
                short,
                *(
                    f"{scores.system_score(label, system):.{decimals_of(scores.metrics[label])}f}"
                    for label in labels
                ),
            ]
        )
        for system, short in short_names(scores.systems).items()
    ]
    lines += [
        "",
        *(f"* {'' if o.passed else '**Failed:** '}{_plain(o.sentence)}" for o in outcomes),
    ]
    lines += ["", *(f"`{label}|{scores.signatures[label]}`  " for label in labels), "", ""]
    return "\n".join(lines)


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |"


def _plain(text: str) -> str:
    """Without what Markdown and HTML read as their own."""
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", text.replace("\n", " "))


def junit(outcomes: Sequence[Outcome], suite: str = "cupel score") -> str:
    """JUnit's XML: one test case for each gate."""
    failed = str(sum(not one.passed for one in outcomes))
    counts = {"tests": str(len(outcomes)), "failures": failed, "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    parent = ElementTree.SubElement(root, "testsuite", {"name": suite, **counts})
    for one in outcomes:
        named = {
            "classname": _xml(one.system),
            "name": _xml(f"{one.metric} {one.gate} {one.limit:g}"),
        }
        case = ElementTree.SubElement(parent, "testcase", named)
        if not one.passed:
            ElementTree.SubElement(case, "failure", {"message": _xml(one.sentence)})
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _xml(text: str) -> str:
    return _NOT_IN_XML.sub("?", text)
