"""`cupel align`: which words a metric matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from cupel.cli import languages, output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.alignments import Aligning, Alignment
    from cupel.corpus import Corpus
    from cupel.questions.align import Align


def run(question: Align) -> None:
    """Align, and print."""
    from cupel.engines.score import tree_options
    from cupel.reading import read_texts
    from cupel.scoring import aligning_metric

    metric, pair = question.metric, question.language_pair
    given = {} if question.trees is None else tree_options([metric], question.trees)
    options = languages.with_language(given, [metric], pair, None)
    chosen = aligning_metric(metric, **options.get(metric.partition(":")[0], {}))
    corpus = read_texts(question)
    languages.remark(corpus, {metric: chosen}, pair)
    segment = question.segment
    if segment is not None and segment > len(corpus):
        raise CupelError(f"There is no segment {segment}: {len(corpus)} were read.")
    chosen = chosen.prepare(corpus)
    rows = range(len(corpus)) if segment is None else range(segment - 1, segment)
    by_segment = {
        (system, row + 1): alignment
        for system in corpus.systems
        for row, alignment in zip(rows, _alignments(chosen, corpus, system, rows), strict=True)
    }
    with output.output(question.file) as file:
        if question.format == "text":
            _print_text(by_segment, file)
        else:
            _print_records(by_segment, question.format, file, metric, str(chosen.signature()))


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
        in_hypothesis, in_reference = alignment.unmatched
        print(f"\nunmatched in the hypothesis: {' '.join(in_hypothesis) or '(nothing)'}", file=file)
        print(f"unmatched in the reference: {' '.join(in_reference) or '(nothing)'}", file=file)


def _print_records(
    by_segment: dict[tuple[str, int], Alignment],
    form: str,
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


def _listed(positions: tuple[int, ...], form: str) -> list[int] | str:
    """Token positions, from 1."""
    listed = [at + 1 for at in positions]
    return listed if form == "json" else " ".join(map(str, listed))
