"""`cupel diagnose`: where is a system worse than another?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import external, languages, output
from cupel.cli.options import (
    OUTPUT,
    SEED,
    Names,
    Out,
    PlainForm,
    Seed,
    Source,
    Systems,
    Workers,
    writable,
)
from cupel.cli.output import PlainFormat
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.metrics.external import Source as GivenScores

BUCKETS = "Buckets"
ENGLISH, ANY = "en", "xx"
"""Codes of spaCy: xx is that of models for several languages."""


def diagnose(
    references: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="REF",
            help="Reference files, in the formats of `cupel score`.",
            show_default="none where there are only --scores",
        ),
    ] = None,
    input_: Systems = None,
    source: Source = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC...",
            help="Metrics to compare the systems by; `cupel metrics` lists them.",
            show_default="chrf++, or none with --scores",
        ),
    ] = None,
    scores_of_others: external.Scores = None,
    lower: external.Lower = None,
    names: Names = None,
    language: Annotated[
        str,
        typer.Option(
            "--language",
            "-l",
            metavar="LANG",
            help="Language of the translations, or a pair such as de-en.",
            rich_help_panel=BUCKETS,
        ),
    ] = ENGLISH,
    parser: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="spaCy model for parts of speech, dependency relations, entities and lemmas, or none "
            "to do without.",
            show_default="one that is installed for the language",
            rich_help_panel=BUCKETS,
        ),
    ] = None,
    frequency: Annotated[
        str,
        typer.Option(
            metavar="test|wordfreq|FILE",
            help="Where word frequencies come from: the references, the package wordfreq, or a file "
            "with text or with lines WORD, tab, COUNT.",
            rich_help_panel=BUCKETS,
        ),
    ] = "test",
    training: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Training data in the language of the translations, as text or as counts of n-grams: "
            "adds buckets of what was seen there.",
            rich_help_panel=BUCKETS,
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE[:COLUMN]...",
            help="Tables with a row per segment, whose columns are buckets: domain, document, and so "
            "on. A column called document gives positions in documents as well.",
            rich_help_panel=BUCKETS,
        ),
    ] = None,
    resamples: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Number of bootstrap resamples for the intervals."),
    ] = 1000,
    compare_mt: Annotated[
        bool,
        typer.Option(
            "--compare-mt",
            help="Print the tables of compare-mt instead: the same figures, for tokenised text.",
        ),
    ] = False,
    workers: Workers = 1,
    seed: Seed = SEED,
    form: PlainForm = PlainFormat.text,
    most: Annotated[
        int,
        typer.Option(
            "--top", metavar="N", min=1, help="Buckets to print as text.", rich_help_panel=OUTPUT
        ),
    ] = 20,
    out: Out = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=writable,
            help="Also write an HTML page with all buckets and segments.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the HTML page if it exists.", rich_help_panel=OUTPUT),
    ] = False,
) -> None:
    """Find out where systems differ from the first one: in which segments, words and errors.

    Example: cupel diagnose ref.txt -i old.txt new.txt -s source.txt -m chrf++
    """
    from cupel.cli.diagnose_tables import print_diagnosis, print_tables
    from cupel.questions.report import check_new

    if report is not None:
        check_new(report, force)
    if compare_mt:
        corpus = _texts(references, input_, source, names)
        with output.output(out) as file:
            print_tables(corpus, form, file)
        return
    from cupel.diagnose.prepare import prepare
    from cupel.diagnose.run import diagnose as diagnosed
    from cupel.metrics.external import read_sources
    from cupel.scoring import score_corpus

    others = read_sources(scores_of_others or ())
    specs = metrics or ([] if others else ["chrf++"])
    pair = None if language.rpartition("-")[2] in (ENGLISH, ANY) else language
    chosen = languages.chosen_metrics(specs, pair) if specs else {}
    corpus = _corpus(references, input_, source, names, others)
    if references:
        languages.remark(corpus, chosen, pair)
    with output.progress_bar("parsing") as progress:
        material = prepare(
            corpus,
            language=language.rpartition("-")[2],
            parser=parser,
            frequency=frequency,
            training=training,
            columns=columns or (),
            documents=_documents(references),
            progress=progress,
        )
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(
            corpus, chosen, external=others, lower=lower or (), workers=workers, progress=progress
        )
    external.remark(others, corpus)
    diagnosis = diagnosed(material, scores, resamples=resamples, seed=seed)
    for note in diagnosis.notes:
        output.warn(note)
    with output.output(out) as file:
        print_diagnosis(diagnosis, form, most, file)
    if report is not None:
        from cupel.folders import write_text
        from cupel.report.diagnosis import diagnosis_page

        write_text(report, diagnosis_page(diagnosis))
        output.warn(f"Wrote {report}.")


def _corpus(
    references: list[str] | None,
    systems: list[str] | None,
    source: str | None,
    names: list[str] | None,
    others: list[GivenScores],
) -> Corpus:
    if systems or references or not others:
        return _texts(references, systems, source, names, needed=not others)
    from cupel.metrics.external import corpus_of

    return corpus_of(others)


def _texts(
    references: list[str] | None,
    systems: list[str] | None,
    source: str | None,
    names: list[str] | None,
    needed: bool = True,
) -> Corpus:
    from cupel.reading import read_corpus

    if needed and not references:
        raise CupelError("The argument REF is missing (see `cupel diagnose --help`).")
    corpus = read_corpus(references or [], systems or ["-"], source, names=names)
    if len(corpus.systems) < 2:
        raise CupelError("A diagnosis compares systems: give two or more files with -i.")
    return corpus


def _documents(references: list[str] | None) -> list[str] | None:
    """The documents that an SGM or XML reference names."""
    from cupel.reading import read_segments
    from cupel.reading.names import parse_name

    for given in references or ():
        if parse_name(given).kind == "sgm":
            keys = read_segments(given, "reference")[0].keys
            return [document for document, _ in keys] if keys else None
    return None
