"""`cupel diagnose`: where is a system worse than another?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupel.cli import languages, output
from cupel.cli.printing import note_left_out
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.questions.diagnose import Diagnose

ENGLISH, ANY = "en", "xx"
"""Codes of spaCy: xx is that of models for several languages."""


def run(question: Diagnose) -> None:
    """Compare the systems, and print."""
    from cupel.cli.diagnose_tables import print_diagnosis, print_tables

    if question.compare_mt:
        with output.output(question.file) as file:
            print_tables(_texts(question), question.format, file)
        return
    from cupel.diagnose.prepare import prepare
    from cupel.diagnose.run import diagnose
    from cupel.metrics.external import corpus_of, read_sources
    from cupel.scoring import score_corpus

    language = (question.language_pair or ENGLISH).rpartition("-")[2]
    pair = None if language in (ENGLISH, ANY) else question.language_pair
    others = read_sources(question.scores)
    specs = list(question.metrics) or ([] if others else ["chrf++"])
    metrics = languages.chosen_metrics(specs, pair) if specs else {}
    corpus = _texts(question) if question.texts_are_read else corpus_of(others)
    if question.references:
        languages.remark(corpus, metrics, pair)
    with output.progress_bar("parsing") as progress:
        material = prepare(
            corpus,
            language=language,
            parser=question.parser,
            frequency=question.frequency,
            training=question.training,
            columns=question.columns,
            documents=_documents(question),
            progress=progress,
        )
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(
            corpus,
            metrics,
            external=others,
            lower=question.lower,
            workers=question.workers,
            progress=progress,
        )
    note_left_out(others, corpus)
    diagnosis = diagnose(material, scores, resamples=question.resamples, seed=question.seed)
    for note in diagnosis.notes:
        output.warn(note)
    with output.output(question.file) as file:
        print_diagnosis(diagnosis, question.format, question.top, file)
    if question.report is not None:
        from cupel.folders import write_text
        from cupel.report.diagnosis import diagnosis_page

        write_text(question.report, diagnosis_page(diagnosis))
        output.warn(f"Wrote {question.report}.")


def _texts(question: Diagnose) -> Corpus:
    from cupel.reading import read_texts

    corpus = read_texts(question)
    if len(corpus.systems) < 2:
        raise CupelError("A diagnosis compares systems: give two or more files with -i.")
    return corpus


def _documents(question: Diagnose) -> list[str] | None:
    """The documents that an SGM or XML reference names."""
    from cupel.reading import read_segments
    from cupel.reading.names import parse_name

    for name in question.references:
        if parse_name(name).kind == "sgm":
            keys = read_segments(name, "reference")[0].keys
            return [document for document, _ in keys] if keys else None
    return None
