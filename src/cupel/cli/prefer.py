"""`cupel score --prefer`: which of two systems translated each segment better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from cupel.cli import output
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import Metric, Preferring
from cupel.names import short_names

if TYPE_CHECKING:
    from cupel.arrays import FloatArray
    from cupel.questions.score import Score


def print_preferences(question: Score, corpus: Corpus, metrics: Mapping[str, Metric]) -> None:
    """One row per segment: the probability that the first system's translation is the better one.

    In text also how many segments each system wins, and the mean probability.
    """
    from cupel.batch import Batch

    for label, metric in metrics.items():
        if not isinstance(metric, Preferring):
            raise CupelError(
                f"The metric {label!r} does not compare two translations directly: leave out "
                "--prefer, or use one that does, such as nnrk."
            )
    if len(corpus.systems) != 2:
        raise CupelError(
            f"--prefer compares two systems, not {len(corpus.systems)}: give two files with -i."
        )
    (first, one), (second, other) = corpus.systems.items()
    batches = [Batch(list(texts), corpus.references, corpus.sources) for texts in (one, other)]
    probabilities: dict[str, FloatArray] = {}
    for label, metric in metrics.items():
        prepared = metric.prepare(corpus)
        assert isinstance(prepared, Preferring)
        probabilities[label] = prepared.prefer(*batches)
    with output.output(question.file) as file:
        _print(question, probabilities, (first, second), metrics, file)


def _print(
    question: Score,
    probabilities: Mapping[str, FloatArray],
    systems: tuple[str, str],
    metrics: Mapping[str, Metric],
    file: TextIO,
) -> None:
    form, width = question.format, question.width
    first, second = systems
    segments = len(next(iter(probabilities.values())))
    places = 4 if width is None else width
    if form in ("json", "tsv"):
        rows = [
            {"segment": i + 1, "first": first, "second": second}
            | {label: _rounded(float(p[i]), width) for label, p in probabilities.items()}
            for i in range(segments)
        ]
        signatures = {label: str(metric.signature()) for label, metric in metrics.items()}
        output.records(rows, form, file, signatures=signatures)
        return
    lines = [[f"{p[i]:.{places}f}" for p in probabilities.values()] for i in range(segments)]
    if question.score_only and form == "text":
        for line in lines:
            print(*line, sep="\t", file=file)
        return
    body = [[str(i + 1), *line] for i, line in enumerate(lines)]
    body.append(["mean", *(f"{p.mean():.{places}f}" for p in probabilities.values())])
    header = ["Segment", *probabilities]
    output.print_table(header, body, form, file)
    if form == "text":
        first, second = short_names((first, second)).values()
        print(f"\nProbability that {first} is better than {second}", file=file)
        for label, p in probabilities.items():
            won, lost = int((p > 0.5).sum()), int((p < 0.5).sum())
            print(
                f"{label}: {first} wins {won}, {second} wins {lost}, {len(p) - won - lost} equal",
                file=file,
            )


def _rounded(value: float, width: int | None) -> float:
    return value if width is None else round(value, width)
