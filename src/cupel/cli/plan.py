"""`cupel plan`: how many segments would show a difference?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from cupel.cli import languages, output
from cupel.cli.options import Form, Names, Out, Source, Systems
from cupel.cli.output import Format

if TYPE_CHECKING:
    from cupel.planning import Plan


def plan(
    references: Annotated[
        list[str],
        typer.Argument(metavar="REF", help="Reference files, as for `cupel score`."),
    ],
    input_: Systems = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "--metric",
            "-m",
            metavar="METRIC...",
            help="Metrics to plan for.",
            show_default="bleu",
        ),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(
            "--difference",
            "-d",
            metavar="NUMBER",
            help="Difference that is to be shown, in points of the metric, above 0.",
            show_default="none: print only what this test set can show",
        ),
    ] = None,
    power: Annotated[
        float,
        typer.Option(
            "--power",
            metavar="SHARE",
            help="Share of test sets on which a real difference of this size must be found.",
        ),
    ] = 0.8,
    alpha: Annotated[
        float, typer.Option("--alpha", metavar="P", help="Level of the two-sided paired test.")
    ] = 0.05,
    source: Source = None,
    language_pair: languages.LanguagePair = None,
    names: Names = None,
    form: Form = Format.text,
    out: Out = None,
) -> None:
    """Say how many segments would show a difference, from two outputs on some segments.

    Example: cupel plan ref.txt -i old.txt new.txt -m chrf++ --difference 0.5
    """
    from cupel.planning import plan as plan_for
    from cupel.reading import read_corpus
    from cupel.scoring import score_corpus

    chosen = languages.chosen_metrics(metrics or ["bleu"], language_pair)
    corpus = read_corpus(references, input_ or ["-"], source, names=names)
    languages.remark(corpus, chosen, language_pair)
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(corpus, chosen, progress=progress)
    plans = [
        one
        for label in scores.metrics
        for one in plan_for(scores, label, difference, power=power, alpha=alpha)
    ]
    with output.output(out) as file:
        if form in (Format.json, Format.tsv):
            rows = [one.row() for one in plans]
            output.records(rows, form, file, signatures=scores.signatures)
        else:
            _print(plans, scores.systems, form, file)


def _print(plans: list[Plan], systems: list[str], form: Format, file: TextIO) -> None:
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
    mark = "% " * (form is Format.latex)
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
