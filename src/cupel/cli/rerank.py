"""`cupel rerank`: candidates ordered by scores of each alone; what a list could give at best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from cupel.cli import candidates, languages, output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.choosing.reranking import Reranker, Standing
    from cupel.choosing.segment import Candidates
    from cupel.questions.rerank import Rerank

CHUNK = 1000
"""Lists that are scored at once; metrics that learn from the candidates see the first so many."""


class LinesBeside:
    """A file with a line for each list, or for each candidate: neither fewer nor more."""

    def __init__(self, path: str, counted: str = "lists of candidates") -> None:
        from cupel.reading.lines import iterate_lines

        self.path, self.read = path, 0
        self._counted, self._lines = counted, iterate_lines(path)

    def take(self, count: int) -> list[str]:
        """The next lines."""
        lines = list(islice(self._lines, count))
        self.read += len(lines)
        if len(lines) < count:
            raise CupelError(
                f"{self.path} has {self.read} lines, fewer than there are {self._counted}."
            )
        return lines

    def end(self) -> None:
        """An error where lines are left."""
        if next(self._lines, None) is not None:
            raise CupelError(f"{self.path} has more lines than the {self.read} {self._counted}.")


def run(question: Rerank) -> None:
    """Choose and print, or print how judges see the choice."""
    from cupel.choosing.streams import chunked

    references = [LinesBeside(path) for path in question.references]
    chosen = None if question.chosen is None else LinesBeside(question.chosen)
    standing = _standing(question) if question.judges else None
    reranker: Reranker | None = None
    done = 0
    with output.output(question.file) as file:
        printer = candidates.Printer(question, file)
        for lists in chunked(_lists(question), CHUNK):
            texts = [*zip(*(lines.take(len(lists)) for lines in references), strict=True)] or None
            if question.metrics and reranker is None:
                reranker = _reranker(question, lists)
            choices = reranker.choose(lists, texts) if reranker else []
            if standing is not None:
                numbers = [choice.index for choice in choices] or _picked(chosen, lists)
                standing.add(lists, texts or (), numbers)
            else:
                for number, choice in enumerate(choices):
                    printer.add(choice, lists[number], done + number + 1)
            done += len(lists)
        for lines in [*references, *([chosen] if chosen else ())]:
            lines.end()
        if standing is not None:
            _print_standing(standing, question.form, file)
        elif reranker is not None:
            printer.close(reranker.metrics)


def _lists(question: Rerank) -> Iterator[Candidates]:
    """The candidates, with the sources and scores of other files."""
    import numpy as np

    from cupel.choosing.reading import Reading, read_candidates

    source = None if question.source is None else LinesBeside(question.source)
    scores = {name: LinesBeside(path, "candidates") for name, path in question.score_files}
    reading = Reading(question.input_format, question.per_segment)
    for segment in read_candidates(question.candidates, reading):
        if source is not None:
            segment = replace(segment, source=source.take(1)[0])
        numbers = {k: np.array(_numbers(lines, len(segment.texts))) for k, lines in scores.items()}
        yield replace(segment, scores={**segment.scores, **numbers}) if numbers else segment
    for lines in [*scores.values(), *([source] if source else ())]:
        lines.end()


def _numbers(lines: LinesBeside, count: int) -> list[float]:
    from math import isfinite

    numbers = []
    for place, text in enumerate(lines.take(count), start=lines.read - count + 1):
        try:
            numbers.append(float(text))
        except ValueError:
            numbers.append(float("nan"))
        if not isfinite(numbers[-1]):
            raise CupelError(f"{lines.path}, line {place}: {text!r} is no number.")
    return numbers


def _reranker(question: Rerank, lists: list[Candidates]) -> Reranker:
    from cupel.choosing.reranking import Reranker

    scored = {name for segment in lists for name in segment.scores}
    specs = [name for name in question.metrics if name not in scored]
    computed = languages.chosen_metrics(specs, question.language_pair) if specs else {}
    first = [segment.texts[0] for segment in lists]
    languages.remark_texts(first, computed, question.language_pair)
    made = Reranker.of(
        {**{name: name for name in question.metrics if name in scored}, **computed},
        scored,
        lower=question.lower,
        combine=question.combine,
        weights=question.metric_weights,
    )
    return made.learnt(lists)


def _picked(chosen: LinesBeside | None, lists: list[Candidates]) -> list[int] | None:
    """The number of the chosen text in each list."""
    if chosen is None:
        return None
    numbers = []
    for segment, text in zip(lists, chosen.take(len(lists)), strict=True):
        if text not in segment.texts:
            raise CupelError(
                f"{segment.place}: {text!r}, chosen in {chosen.path}, is not among the candidates."
            )
        numbers.append(list(segment.texts).index(text))
    return numbers


def _standing(question: Rerank) -> Standing:
    from cupel.choosing.reranking import Standing, judge_metric

    judges = languages.chosen_metrics(question.judges, question.language_pair)
    return Standing({label: judge_metric(label, metric) for label, metric in judges.items()})


def _print_standing(standing: Standing, form: str, file: TextIO) -> None:
    from cupel.metric import decimals_of

    rows = standing.rows()
    places = {label: decimals_of(metric) for label, metric in standing.judges.items()}
    if form != "text":
        output.records(rows, "json" if form == "jsonl" else form, file)
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
