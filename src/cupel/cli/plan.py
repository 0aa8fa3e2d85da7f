"""`cupel plan`: how many segments would show a difference?"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from cupel.cli import languages, output

if TYPE_CHECKING:
    from cupel.planning import Plan
    from cupel.questions.plan import PlanTest
    from cupel.scores import Scores


def run(question: PlanTest) -> None:
    """Print the plan."""
    plans, scores = _answer(question)
    with output.output(question.file) as file:
        if question.format in ("json", "tsv"):
            rows = [plan.row() for plan in plans]
            output.records(rows, question.format, file, signatures=scores.signatures)
        else:
            _print(plans, scores.systems, question.format, file)


def answer(question: PlanTest) -> list[Plan]:
    """Each system against the first, under each metric."""
    return _answer(question)[0]


def _answer(question: PlanTest) -> tuple[list[Plan], Scores]:
    from cupel.planning import plan
    from cupel.reading import read_texts
    from cupel.scoring import score_corpus

    chosen = languages.chosen_metrics(question.metrics, question.language_pair)
    corpus = read_texts(question)
    languages.remark(corpus, chosen, question.language_pair)
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(corpus, chosen, progress=progress)
    plans = [
        row
        for label in scores.metrics
        for row in plan(
            scores, label, question.difference, power=question.power, alpha=question.alpha
        )
    ]
    return plans, scores


def _print(plans: list[Plan], systems: list[str], form: str, file: TextIO) -> None:
    from cupel.names import short_names

    names = short_names(systems)
    asked = plans[0].difference is not None
    header = ["System", "Metric", "Difference seen", "Error", "Detectable"]
    header += ["Power here", "Segments needed", "95% interval"] if asked else []
    body = []
    for one in plans:
        cells = [names[one.system], one.metric]
        cells += [f"{value:+.3g}" for value in (one.seen,)]
        cells += [f"{value:.3g}" for value in (one.error, one.detectable)]
        if asked:
            cells += [
                f"{one.power_here:.0%}",
                f"{one.needed:,}",
                f"{one.needed_low:,} to {one.needed_high:,}",
            ]
        body.append(cells)
    output.print_table(header, body, form, file)
    mark = "% " * (form == "latex")
    print(file=file)
    for one in plans:
        print(f"{mark}{_sentence(one, names)}", file=file)


def _sentence(one: Plan, names: dict[str, str]) -> str:
    pair = f"{names[one.baseline]} and {names[one.system]}"
    test = f"at p < {one.alpha:g} on {one.power:.0%} of such test sets"
    here = (
        f"These {one.segments:,} segments show a difference of {one.detectable:.3g} {one.metric} or "
        f"more between {pair} {test}"
    )
    if one.difference is None or one.needed is None:
        return f"{here}."
    return (
        f"{one.needed:,} segments ({one.needed_low:,} to {one.needed_high:,}) would show a difference "
        f"of {one.difference:g} {one.metric} {test}. {here}, and one of {one.difference:g} on "
        f"{one.power_here:.0%}."
    )
