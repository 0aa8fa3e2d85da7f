"""`cupel align`: which words a metric matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from cupel.cli import languages, output
from cupel.cli.options import Out, PlainForm, Systems, Trees
from cupel.cli.output import PlainFormat
from cupel.cli.trees import tree_options
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.alignments import Aligning, Alignment
    from cupel.corpus import Corpus


def align(
    references: Annotated[
        list[str],
        typer.Argument(metavar="REF", help="Reference files, in the formats of `cupel score`."),
    ],
    input_: Systems = None,
    metric: Annotated[
        str, typer.Option("--metric", "-m", metavar="METRIC", help="Metric that aligns words.")
    ] = "meteor",
    language_pair: Annotated[
        str | None,
        typer.Option(
            "--language-pair",
            "-l",
            metavar="PAIR",
            help="Language pair, such as en-ar: the target language chooses METEOR's stems and words.",
            show_default="English",
        ),
    ] = None,
    trees: Trees = None,
    segment: Annotated[
        int | None,
        typer.Option(
            "--segment",
            "-n",
            metavar="N",
            min=1,
            help="Show only segment N, counted from 1.",
            show_default="all",
        ),
    ] = None,
    form: PlainForm = PlainFormat.text,
    out: Out = None,
) -> None:
    """Show which words or phrases a metric matched, how, and with which weights.

    Example: cupel align ref.txt -i system.txt -m meteor --segment 3
    """
    from cupel.reading import read_corpus
    from cupel.scoring import aligning_metric

    options = languages.with_language(tree_options([metric], trees), [metric], language_pair, None)
    chosen = aligning_metric(metric, **options.get(metric.partition(":")[0], {}))
    corpus = read_corpus(references, input_ or ["-"], None)
    languages.remark(corpus, {metric: chosen}, language_pair)
    if segment is not None and segment > len(corpus):
        raise CupelError(f"There is no segment {segment}: {len(corpus)} were read.")
    chosen = chosen.prepare(corpus)
    rows = range(len(corpus)) if segment is None else range(segment - 1, segment)
    by_segment = {
        (system, row + 1): alignment
        for system in corpus.systems
        for row, alignment in zip(rows, _alignments(chosen, corpus, system, rows), strict=True)
    }
    with output.output(out) as file:
        if form is PlainFormat.text:
            _print_text(by_segment, file)
        else:
            _print_records(by_segment, form, file, metric, str(chosen.signature()))


def _alignments(metric: Aligning, corpus: Corpus, system: str, rows: range) -> list[Alignment]:
    from cupel.batch import Batch

    texts = corpus.systems[system]
    batch = Batch([texts[row] for row in rows], [corpus.references[row] for row in rows])
    return list(metric.alignments(batch))


def _print_text(by_segment: dict[tuple[str, int], Alignment], file: TextIO) -> None:
    from cupel.names import short_names

    names = short_names(system for system, _ in by_segment)
    for number, ((system, segment), alignment) in enumerate(by_segment.items()):
        if number:
            print(file=file)
        parts = "".join(f"  {name} {value:.4g}" for name, value in alignment.details.items())
        print(f"{names[system]}, segment {segment}: {alignment.score:.4f}{parts}", file=file)
        print(f"hypothesis   {' '.join(alignment.hypothesis)}", file=file)
        which = f"reference {alignment.reference_number + 1}".ljust(13)
        print(f"{which}{' '.join(alignment.reference)}", file=file)
        if alignment.links:
            print(file=file)
            output.table(
                ["hypothesis", "reference", "matched by", "weight", "chunk"],
                [
                    [
                        alignment.hypothesis_words(link),
                        alignment.reference_words(link),
                        link.kind,
                        f"{link.weight:g}",
                        "" if link.group is None else str(link.group),
                    ]
                    for link in alignment.links
                ],
                file,
            )
        ours, theirs = alignment.unmatched
        print(f"\nunmatched in the hypothesis: {' '.join(ours) or '(nothing)'}", file=file)
        print(f"unmatched in the reference: {' '.join(theirs) or '(nothing)'}", file=file)


def _print_records(
    by_segment: dict[tuple[str, int], Alignment],
    form: PlainFormat,
    file: TextIO,
    metric: str,
    signature: str,
) -> None:
    links: list[dict[str, Any]] = [
        {
            "system": system,
            "segment": segment,
            "kind": link.kind,
            "weight": link.weight,
            "chunk": link.group,
            "hypothesis": alignment.hypothesis_words(link),
            "hypothesis_at": _listed(link.hypothesis, form),
            "reference": alignment.reference_words(link),
            "reference_at": _listed(link.reference, form),
        }
        for (system, segment), alignment in by_segment.items()
        for link in alignment.links
    ]
    segments = [
        {
            "system": system,
            "segment": segment,
            "score": alignment.score,
            **alignment.details,
            "reference_number": alignment.reference_number + 1,
            "hypothesis": list(alignment.hypothesis),
            "reference": list(alignment.reference),
        }
        for (system, segment), alignment in by_segment.items()
    ]
    output.records(links, form, file, signatures={metric: signature}, segments=segments)


def _listed(positions: tuple[int, ...], form: PlainFormat) -> list[int] | str:
    """Token positions, from 1."""
    listed = [at + 1 for at in positions]
    return listed if form is PlainFormat.json else " ".join(map(str, listed))
