"""`cupel mbr`: the candidate that agrees most with all the others."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import candidates as shared
from cupel.cli import languages
from cupel.cli.candidates import ChoiceFormat, Combination, ListFormat
from cupel.cli.options import SEED, LanguagePair, Out, Seed, Workers
from cupel.errors import CupelError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cupel.choosing.mbr import Choice, Decoder
    from cupel.choosing.segment import Candidates

METHOD = "Fewer pairs"


class EngineName(StrEnum):
    """The values of `--engine`."""

    local = "local"
    ray = "ray"


Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="Address of the Ray cluster, or auto for the one that runs on this machine.",
        show_default="a cluster on this machine for this run",
        rich_help_panel="Large inputs",
    ),
]


class Method(StrEnum):
    """The values of `--method`."""

    exact = "exact"
    aggregate = "aggregate"
    coarse = "coarse"
    prune = "prune"
    low_rank = "low-rank"


@dataclass(frozen=True)
class Spreading:
    """Where segments are worked on: processes of this machine, or a cluster."""

    workers: int
    ray: bool
    address: str | None

    def __post_init__(self) -> None:
        if self.address is not None and not self.ray:
            raise CupelError("--address is for --engine ray: add that, or leave it out.")

    def choices(self, segments: Iterator[Candidates], decoder: Decoder) -> Iterator[Choice]:
        """The choice of each segment, in their order."""
        from cupel.choosing.streams import choices

        if not self.ray:
            yield from choices(segments, decoder, self.workers)
            return
        from cupel.engines.ray import over_cluster

        with over_cluster(self.address, self.workers if self.workers > 1 else None) as spread:
            yield from choices(segments, decoder, spread=spread)


def mbr(
    candidates: shared.CandidateFile,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics", "-m", metavar="METRIC...",
            help="Metrics that compare a candidate with a pseudo-reference; `cupel metrics` lists "
            "them. Options follow a colon: assay-wmt13:device=cuda.",
            show_default="chrf",
        ),
    ] = None,
    references: Annotated[
        str | None,
        typer.Option(
            "--references", metavar="FILE",
            help="Pseudo-references of each segment, in any format of the candidates.",
            show_default="the candidates", rich_help_panel=shared.INPUT,
        ),
    ] = None,
    language_pair: LanguagePair = None,
    number: shared.PerSegment = None,
    input_format: shared.InputFormat = ListFormat.auto,
    use_scores: Annotated[
        bool,
        typer.Option(
            "--use-scores",
            help="Weight pseudo-references by the decoder's own scores, taken as log-probabilities.",
            rich_help_panel=shared.INPUT,
        ),
    ] = False,
    temperature: Annotated[
        float,
        typer.Option(
            metavar="T", help="Divide log-probabilities by this number.", rich_help_panel=shared.INPUT
        ),
    ] = 1.0,
    combine: shared.Combine = Combination.ranks,
    metric_weights: shared.MetricWeights = None,
    method: Annotated[
        Method,
        typer.Option(
            help="Compare all pairs (exact); with one reference made of all (aggregate); all pairs of "
            "the best by aggregate (coarse); drop hopeless candidates early (prune); score some pairs "
            "and guess the others (low-rank).",
            rich_help_panel=METHOD,
        ),
    ] = Method.exact,
    coarse: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC", help="Metric of the first step of --method coarse.",
            show_default="chrf", rich_help_panel=METHOD,
        ),
    ] = None,
    keep: Annotated[
        int,
        typer.Option(
            metavar="K", min=1, help="Candidates that --method coarse compares exactly.",
            rich_help_panel=METHOD,
        ),
    ] = 16,
    confidence: Annotated[
        float,
        typer.Option(
            metavar="P", help="How sure --method prune must be to drop a candidate.",
            rich_help_panel=METHOD,
        ),
    ] = 0.99,
    reduction: Annotated[
        float,
        typer.Option(
            metavar="R", help="--method low-rank scores one in R pairs.", rich_help_panel=METHOD
        ),
    ] = 8.0,
    rank: Annotated[
        int,
        typer.Option(
            metavar="K", min=1, help="Rank of the matrix of --method low-rank.",
            rich_help_panel=METHOD,
        ),
    ] = 8,
    seed: Seed = SEED,
    form: shared.ChoiceForm = ChoiceFormat.text,
    everything: shared.All = False,
    matrix: Annotated[
        bool,
        typer.Option(
            "--matrix", help="Add the scores of all pairs, with -f json or jsonl.",
            rich_help_panel="Output",
        ),
    ] = False,
    workers: Workers = 1,
    engine: Annotated[
        EngineName,
        typer.Option(
            "--engine", help="Where to work: in processes of this machine, or on a Ray cluster."
        ),
    ] = EngineName.local,
    address: Address = None,
    threads: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Number of threads that share the work of one segment."
        ),
    ] = 1,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="With -o: keep what is done in FILE.part, and go on there after an interruption.",
            rich_help_panel="Output",
        ),
    ] = False,
    out: Out = None,
) -> None:  # fmt: skip
    """Choose the candidate of each segment that a metric likes best, averaged over all the others.

    Minimum Bayes risk decoding: the other candidates, or a file of pseudo-references, stand in for
    the reference. Prints the chosen text, one line per segment; of equals the earlier one.

    Example: cupel mbr candidates.jsonl -m chrf++ -o chosen.txt
    """
    if matrix and form not in (ChoiceFormat.json, ChoiceFormat.jsonl):
        raise CupelError("--matrix needs -f json or -f jsonl.")
    spreading = Spreading(workers, engine is EngineName.ray, address)
    from cupel.choosing.mbr import Decoder
    from cupel.choosing.reading import Reading

    decoder = Decoder.of(
        languages.chosen_metrics(metrics or ["chrf"], language_pair), method=method.value, combine=combine.value,
        weights=metric_weights or (), coarse=coarse, matrix=matrix, threads=threads, keep=keep,
        confidence=confidence, reduction=reduction, rank=rank, seed=seed,
    )  # fmt: skip
    _note_readings(decoder)
    reading = Reading(input_format.value, number, use_scores, temperature)
    segments = shared.with_notes(
        _segments(candidates, references, reading), decoder.metrics, language_pair
    )
    if not resume:
        from cupel.cli.output import output

        with output(out) as file:
            printer = shared.Printer(form, file, everything)
            _print_choices(segments, decoder, spreading, printer)
        return
    if out is None or form is ChoiceFormat.json or (everything and form is not ChoiceFormat.jsonl):
        raise CupelError("--resume needs -o FILE and one line per segment: text, tsv or jsonl.")
    _resume(
        out, segments, decoder, spreading, form, everything, f"{candidates} {references} {reading}"
    )


def _note_readings(decoder: Decoder) -> None:
    """Say what takes long, where a metric reads both sentences of a pair."""
    from cupel.choosing.vector_utility import reads_pairs

    slow = [label for label, metric in decoder.metrics.items() if reads_pairs(metric)]
    if slow and decoder.method == "exact":
        from cupel.console import warn

        warn(
            f"{slow[0]} reads each pair of candidates, n times n of them; assay-wmt13 encodes each "
            f"candidate once, and --method coarse reads the pairs of the best {decoder.shortcuts.keep}."
        )


def _segments(path: str, references: str | None, reading: object) -> Iterator[Candidates]:
    """The segments, with their pseudo-references where a file has them."""
    from dataclasses import replace

    from cupel.choosing.reading import Reading, read_candidates

    assert isinstance(reading, Reading)
    if references is None:
        yield from read_candidates(path, reading)
        return
    others = read_candidates(references, reading)
    plain = replace(reading, use_scores=False)
    count = 0
    for count, one in enumerate(read_candidates(path, plain), start=1):
        other = next(others, None)
        if other is None:
            raise CupelError(f"{references} has pseudo-references of {count - 1} segments only.")
        yield replace(one, references=other.texts, weights=other.weights)
    if next(others, None) is not None:
        raise CupelError(f"{references} has more segments than {path}, which has {count}.")


def _print_choices(
    segments: Iterator[Candidates],
    decoder: Decoder,
    spreading: Spreading,
    printer: shared.Printer,
    done: int = 0,
) -> None:
    under_way, read = _remembered(segments)
    for number, choice in enumerate(spreading.choices(read, decoder), start=done + 1):
        one = under_way.popleft()
        printer.add(choice, one.texts, number, one.place)
    printer.close({label: str(metric.signature()) for label, metric in decoder.metrics.items()})


def _remembered(segments: Iterator[Candidates]) -> tuple[deque[Candidates], Iterator[Candidates]]:
    """The segments that were read and are not yet printed, and all of them, to be read."""
    under_way: deque[Candidates] = deque()

    def passing() -> Iterator[Candidates]:
        for one in segments:
            under_way.append(one)
            yield one

    return under_way, passing()


def _resume(
    out: Path,
    segments: Iterator[Candidates],
    decoder: Decoder,
    spreading: Spreading,
    form: ChoiceFormat,
    everything: bool,
    about: str,
) -> None:
    import hashlib
    from itertools import islice

    from cupel import __version__
    from cupel.choosing.streams import resumable
    from cupel.console import warn

    signatures = [f"{k} {m.signature()}" for k, m in decoder.metrics.items()]
    options = (decoder.method, decoder.combine, decoder.weights, decoder.shortcuts, decoder.coarse)
    parts = (__version__, about, signatures, options, form.value, everything, decoder.matrix)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    with resumable(out, key) as (file, lines):
        is_table = form is ChoiceFormat.tsv
        done = max(0, lines - is_table)
        if done:
            warn(f"{done:,} segments are done already; going on with the next one.")
        rest = islice(segments, done, None)
        printer = shared.Printer(form, file, everything, header=is_table and not lines)
        _print_choices(rest, decoder, spreading, printer, done)
