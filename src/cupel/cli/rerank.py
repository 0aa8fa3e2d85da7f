"""`cupel rerank`: candidates ordered by scores of each alone; what a list could give at best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from cupel.cli import candidates as shared
from cupel.cli import languages, output
from cupel.cli.candidates import ChoiceFormat, Combination, ListFormat
from cupel.cli.options import LanguagePair, Out, Source
from cupel.errors import CupelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cupel.choosing.reranking import Reranker, Standing
    from cupel.choosing.segment import Candidates

CHUNK = 1000
"""Lists that are scored at once; metrics that learn from the candidates see the first so many."""


def rerank(
    candidates: shared.CandidateFile,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics", "-m", metavar="METRIC...",
            help="What orders the candidates: metrics that need no reference, names of scores that the "
            "file brings along ('model' for those of a decoder), or with --references any metric.",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores", metavar="NAME=FILE...",
            help="Scores that were computed elsewhere: one number a line, for each candidate in the "
            "order of the file.",
        ),
    ] = None,
    lower: Annotated[
        list[str] | None,
        typer.Option("--lower", metavar="NAME...", help="Scores for which lower is better."),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--references", metavar="REF...",
            help="Reference files, one segment per line: what is chosen is then the oracle.",
        ),
    ] = None,
    judges: Annotated[
        list[str] | None,
        typer.Option(
            "--judge", metavar="METRIC...",
            help="With --references: print how these metrics judge a random candidate, the first, the "
            "chosen one, and the best of each list (oracle).",
        ),
    ] = None,
    chosen: Annotated[
        str | None,
        typer.Option(
            "--chosen", metavar="FILE",
            help="With --judge: the translations that were chosen, such as those of cupel mbr.",
        ),
    ] = None,
    source: Source = None,
    language_pair: LanguagePair = None,
    number: shared.PerSegment = None,
    input_format: shared.InputFormat = ListFormat.auto,
    combine: shared.Combine = Combination.ranks,
    metric_weights: shared.MetricWeights = None,
    form: shared.ChoiceForm = ChoiceFormat.text,
    everything: shared.All = False,
    out: Out = None,
) -> None:  # fmt: skip
    """Choose the best candidate of each segment by scores of each candidate alone.

    Scores come from metrics that need no reference, from other programs, or with references from any
    metric. --judge compares a choice with a random one and with the best that the lists have.

    Example: cupel rerank candidates.jsonl -m model -o chosen.txt
    """
    _check_options(metrics, references, judges, chosen)
    from cupel.choosing.reading import Reading, read_candidates
    from cupel.choosing.streams import chunked
    from cupel.reading.lines import read_lines

    lists = read_candidates(candidates, Reading(input_format.value, number))
    lists = _with_sources(lists, source)
    named = [_named(item) for item in scores or ()]
    lists = _with_scores(lists, named)
    texts = [read_lines(path) for path in references or ()]
    picks = iter(read_lines(chosen)) if chosen is not None else None
    standing = _standing(judges, language_pair) if judges else None
    reranker: Reranker | None = None
    done = 0
    with output.output(out) as file:
        printer = shared.Printer(form, file, everything)
        for chunk in chunked(lists, CHUNK):
            own = _references(texts, done, len(chunk), references)
            if metrics and reranker is None:
                reranker = _reranker(metrics, chunk, lower, combine, metric_weights, language_pair)
            choices = reranker.choose(chunk, own) if reranker else None
            if standing is not None:
                assert own is not None
                numbers = [c.index for c in choices] if choices else _picked(picks, chunk, chosen)
                standing.add(chunk, own, numbers)
            for offset, (choice, one) in enumerate(
                zip(choices or (), chunk, strict=False), start=1
            ):
                if standing is None:
                    printer.add(choice, one.texts, done + offset, one.place)
            done += len(chunk)
        _check_all_used(texts, references, picks, chosen, done)
        if standing is not None:
            _print_standing(standing, form, file)
        else:
            used = reranker.metrics if reranker else {}
            printer.close({label: str(metric.signature()) for label, metric in used.items()})


def _check_options(
    metrics: list[str] | None,
    references: list[str] | None,
    judges: list[str] | None,
    chosen: str | None,
) -> None:
    if judges and not references:
        raise CupelError("--judge needs --references.")
    if chosen is not None and (metrics or not judges):
        raise CupelError("--chosen is judged by --judge, and goes without -m.")
    if not metrics and not judges:
        raise CupelError(
            "Name metrics that order the candidates (-m), or give --references with --judge."
        )


def _named(item: str) -> tuple[str, str]:
    name, equals, path = item.partition("=")
    if not (name and equals and path):
        raise CupelError(f"--scores {item!r} is not NAME=FILE.")
    return name, path


def _with_sources(lists: Iterator[Candidates], path: str | None) -> Iterator[Candidates]:
    from dataclasses import replace

    from cupel.reading.lines import iterate_lines

    if path is None:
        yield from lists
        return
    lines = iterate_lines(path)
    for number, one in enumerate(lists, start=1):
        line = next(lines, None)
        if line is None:
            raise CupelError(f"{path} has {number - 1} lines, fewer than there are lists.")
        yield replace(one, source=line)
    if next(lines, None) is not None:
        raise CupelError(f"{path} has more lines than there are lists of candidates.")


def _with_scores(
    lists: Iterator[Candidates], named: Sequence[tuple[str, str]]
) -> Iterator[Candidates]:
    from dataclasses import replace
    from itertools import islice

    import numpy as np

    from cupel.reading.lines import iterate_lines

    files = {name: (path, enumerate(iterate_lines(path), start=1)) for name, path in named}
    for one in lists:
        given = dict(one.scores)
        for name, (path, lines) in files.items():
            rows = list(islice(lines, len(one.texts)))
            if len(rows) < len(one.texts):
                raise CupelError(f"{path} has fewer lines than there are candidates ({one.place}).")
            given[name] = np.array([_score(text, path, line) for line, text in rows])
        yield replace(one, scores=given) if files else one
    for path, lines in files.values():
        if next(lines, None) is not None:
            raise CupelError(f"{path} has more lines than there are candidates.")


def _score(text: str, path: str, line: int) -> float:
    from math import isfinite

    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise CupelError(f"{path}, line {line}: {text!r} is no number.")
    return value


def _reranker(
    metrics: list[str],
    chunk: list[Candidates],
    lower: list[str] | None,
    combine: Combination,
    weights: list[str] | None,
    pair: str | None,
) -> Reranker:
    from cupel.choosing.reranking import Reranker

    given = {name for one in chunk for name in one.scores}
    others = [name for name in metrics if name not in given]
    computed = languages.chosen_metrics(others, pair) if others else {}
    languages.remark_texts([one.texts[0] for one in chunk if one.texts], computed, pair)
    made = Reranker.of(
        {**{name: name for name in metrics if name in given}, **computed},
        given,
        lower=lower or (),
        combine=combine.value,
        weights=weights or (),
    )
    return made.learnt(chunk)


def _references(
    texts: list[list[str]], start: int, count: int, paths: list[str] | None
) -> list[list[str]] | None:
    if not texts:
        return None
    for path, lines in zip(paths or (), texts, strict=True):
        if len(lines) < start + count:
            raise CupelError(f"{path} has {len(lines)} lines, fewer than there are lists.")
    return [[lines[n] for lines in texts] for n in range(start, start + count)]


def _picked(
    picks: Iterator[str] | None, chunk: list[Candidates], path: str | None
) -> list[int] | None:
    if picks is None:
        return None
    numbers = []
    for one in chunk:
        text = next(picks, None)
        if text is None:
            raise CupelError(f"{path} has fewer lines than there are lists.")
        if text not in one.texts:
            raise CupelError(
                f"{one.place}: {text!r}, chosen in {path}, is not among the candidates."
            )
        numbers.append(list(one.texts).index(text))
    return numbers


def _check_all_used(
    texts: list[list[str]],
    paths: list[str] | None,
    picks: Iterator[str] | None,
    chosen: str | None,
    count: int,
) -> None:
    for path, lines in zip(paths or (), texts, strict=True):
        if len(lines) > count:
            raise CupelError(f"{path} has {len(lines)} lines, more than the {count} lists.")
    if picks is not None and next(picks, None) is not None:
        raise CupelError(f"{chosen} has more lines than the {count} lists.")


def _standing(judges: list[str], pair: str | None) -> Standing:
    from cupel.choosing.reranking import Standing, judge_metric

    chosen = languages.chosen_metrics(judges, pair)
    return Standing({k: judge_metric(k, metric) for k, metric in chosen.items()})


def _print_standing(standing: Standing, form: ChoiceFormat, file: TextIO) -> None:
    from cupel.metric import decimals_of

    rows = standing.rows()
    places = {label: decimals_of(metric) for label, metric in standing.judges.items()}
    if form is not ChoiceFormat.text:
        output.records(rows, "json" if form is ChoiceFormat.jsonl else form.value, file)
        return
    names = ("random", "first", "chosen", "oracle")
    cells = [
        [
            row["metric"],
            *("" if row[n] is None else f"{row[n]:.{places[row['metric']]}f}" for n in names),
            "" if row["standing"] is None else f"{row['standing']:.0f}%",
        ]
        for row in rows
    ]
    output.table(["Judge", "Random", "First", "Chosen", "Oracle", "Standing"], cells, file)
    segments, count = rows[0]["segments"], rows[0]["candidates"]
    print(
        f"\n{segments:,} segments, {count:,} candidates; 0% is a random choice, 100% the oracle",
        file=file,
    )
