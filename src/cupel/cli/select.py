"""`cupel select`: which segments should people judge?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.meta.selecting import Selection
    from cupel.questions.select import Select


def run(question: Select) -> None:
    """Write the tasks, and print what is chosen beside a random choice."""
    from cupel.human.tasks.task import write_tasks
    from cupel.questions.report import check_new

    check_new(question.file, question.force)
    selection = answer(question)
    write_tasks(question.file, selection.tasks)
    _print(selection.rows, question.format)
    output.warn(
        f"Wrote {len(selection.tasks)} tasks to {question.file}; `cupel annotate {question.file}` "
        "goes on."
    )


def answer(question: Select) -> Selection:
    """The segments that are chosen, as tasks."""
    from cupel.meta.selecting import select_segments

    corpus, documents, pair = (
        _of_files(question)
        if question.campaign is None
        else _of_campaign(question.campaign, question.pair)
    )
    with output.progress_bar("Scoring") as progress:
        return select_segments(
            corpus,
            min(200, len(corpus)) if question.budget is None else question.budget,
            question.metrics,
            method=question.method,
            draw=question.pick == "draw",
            documents=_documents(question.documents) if question.documents else documents,
            whole=question.whole,
            context=question.context,
            pair=pair,
            seed=question.seed,
            progress=progress,
        )


def _print(rows: list[dict[str, object]], form: str) -> None:
    if form in ("json", "tsv"):
        output.records(rows, form, sys.stdout)
        return
    keys = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    cells = [
        [f"{row[key]:.2f}" if isinstance(row[key], float) else str(row[key]) for key in keys]
        for row in rows
    ]
    output.print_table(keys, cells, form, sys.stdout)


def _of_files(question: Select) -> tuple[Corpus, list[str] | None, str | None]:
    from cupel.human.raw.formats import pair_of_name
    from cupel.reading import read_corpus

    assert question.source is not None  # `rules` has checked it
    corpus = read_corpus(
        question.references, question.systems, question.source, names=question.names or None
    )
    pairs = (pair_of_name(Path(name).name) for name in [question.source, *question.systems])
    return corpus, None, question.pair or next((pair for pair in pairs if pair), None)


def _of_campaign(name: str, pair: str | None) -> tuple[Corpus, list[str] | None, str]:
    from dataclasses import replace

    from cupel.data.find import campaign_folder
    from cupel.human.evalset import evalset_pairs, read_evalset
    from cupel.reading.segments import listed

    folder = campaign_folder(name)
    if folder is None:
        raise CupelError(f"There is no dataset or folder called {name!r} (see `cupel data`).")
    pairs = evalset_pairs(folder)
    if pair is None and len(pairs) == 1:
        pair = pairs[0]
    if pair not in pairs:
        raise CupelError(f"Choose one language pair of {name} (--pair): {listed(pairs)}.")
    campaign = read_evalset(folder, pair)
    human = campaign.human_translations
    systems = {n: texts for n, texts in campaign.corpus.systems.items() if n not in human}
    corpus = replace(campaign.corpus, systems=systems)
    documents = list(campaign.documents) if (folder / "documents").is_dir() else None
    return corpus, documents, pair


def _documents(path: str) -> list[str]:
    from cupel.reading.lines import display_name, read_lines

    names = [line.split("\t")[-1].strip() for line in read_lines(path)]
    for number, name in enumerate(names, start=1):
        if not name:
            raise CupelError(
                f"{display_name(path)}, line {number}: the name of a document is missing."
            )
    return names
