"""`cupel report`: results as an HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.questions.report import Report


def run(question: Report) -> None:
    """Write the page."""
    from cupel.folders import write_text
    from cupel.report import page
    from cupel.report.runs import other_versions, read_run

    runs = [read_run(path) for path in question.runs]
    for kind in ("score", "segments"):
        if sum(run.kind == kind for run in runs) > 1:
            raise CupelError(
                f"Only one run of {'system' if kind == 'score' else 'segment'} scores fits on a "
                "page: leave one out."
            )
    for sentence in other_versions(runs):
        output.warn(sentence)
    corpus = _corpus(question)
    if corpus is not None and not any(run.kind == "segments" for run in runs):
        raise CupelError(
            "Texts are shown with segment scores: add a run of `cupel score -sl -f json`."
        )
    write_text(question.file, page.report(runs, corpus, title=question.title, align=question.align))
    output.warn(f"Wrote {question.file}.")


def _corpus(question: Report) -> Corpus | None:
    from cupel.reading import read_corpus

    if not question.references:
        return None
    return read_corpus(
        question.references, question.systems, question.source, names=question.names or None
    )
