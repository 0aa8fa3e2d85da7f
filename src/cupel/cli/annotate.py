"""`cupel annotate`: pages on which people judge translations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.human.tasks.sheets import Sheets
    from cupel.questions.annotate import Annotate


def run(question: Annotate) -> None:
    """Write the pages and their key, and print what is on each."""
    from cupel.human.tasks.sheets import make_sheets
    from cupel.human.tasks.task import read_tasks
    from cupel.report.annotation import default_instructions, read_instructions

    if question.show_instructions:
        sys.stdout.write(default_instructions(question.protocol))
        return
    text = read_instructions(question.instructions) if question.instructions else ""
    sheets = make_sheets(read_tasks(question.tasks), question)
    pages = _paths(question, sheets)
    files = _filled(question, pages, sheets)
    _write(question, pages, sheets, text, files)
    rows = [_row(part, str(pages[part]), sheets) for part in sheets.parts]
    output.table(list(rows[0]), [list(row.values()) for row in rows], sys.stdout)
    output.warn(
        f"Wrote {_key_path(question.file)}, which tells the systems apart: keep it, and do not give "
        "it to annotators."
    )


def _key_path(out: Path) -> Path:
    from cupel.human.tasks.key import SUFFIX

    return out.with_name(f"{out.stem}{SUFFIX}")


def _paths(question: Annotate, sheets: Sheets) -> dict[str, Path]:
    from cupel.folders import check_writable

    out = question.file
    parts = list(sheets.parts)
    alone = len(parts) == 1
    paths = {
        part: out if alone else out.with_name(f"{out.stem}-{part}{out.suffix}") for part in parts
    }
    for path in [*paths.values(), _key_path(out)]:
        check_writable(path)
        if path.exists() and not question.force:
            raise CupelError(
                f"{path} exists already: choose another name, or --force to replace it; judgments "
                "made with other pages need their own key."
            )
    return paths


def _write(
    question: Annotate, pages: dict[str, Path], sheets: Sheets, text: str, others: dict[Path, str]
) -> None:
    from cupel.folders import write_text
    from cupel.human.tasks.key import key_text
    from cupel.report.annotation import annotation_page

    contents = {
        path: annotation_page(
            sheets,
            part,
            question.file.stem,
            title=question.title,
            instructions=text,
            references=question.references,
        )
        for part, path in pages.items()
    }
    write_text(_key_path(question.file), key_text(sheets, question.file.stem))
    for path, content in {**contents, **others}.items():
        write_text(path, content)


def _filled(question: Annotate, pages: dict[str, Path], sheets: Sheets) -> dict[Path, str]:
    """The files that annotators would save -> their content, for `--rehearse`."""
    from cupel.human.tasks.rehearsal import filled_sheet

    if question.rehearse is None:
        return {}
    out = question.file
    scores = _known_scores(question.rehearse, sheets)
    files = {}
    for part in pages:
        path = out.with_name(f"{out.stem}-{sheets.annotators[part] or f'rehearsal{part}'}.json")
        if path.exists() and not question.force:
            raise CupelError(f"{path} exists already: choose another name or use --force.")
        files[path], left = filled_sheet(sheets, part, out.stem, scores)
        note = f"; {left} tasks have no human score" if left else ""
        output.warn(f"Wrote {path}, filled in from {question.rehearse}{note}.")
    return files


def _known_scores(campaign: str, sheets: Sheets) -> dict[tuple[str, int], float]:
    import math

    from cupel.data.find import campaign_folder
    from cupel.human.evalset import evalset_pairs, read_evalset

    folder, pair = campaign_folder(campaign), sheets.tasks[0].pair
    if folder is None or pair not in evalset_pairs(folder):
        raise CupelError(f"There is no campaign {campaign!r} with human scores of {pair}.")
    judged = read_evalset(folder, pair)
    systems = [name for name in sheets.tasks[0].translations if name in judged.corpus.systems]
    name = next(iter(judged.human), None)
    if name is None or not systems:
        raise CupelError(f"{campaign} has no human scores of the systems of these tasks.")
    matrix = judged.table(judged.human[name], "segment", systems)
    return {
        (system, at + 1): float(score)
        for system, row in zip(systems, matrix, strict=True)
        for at, score in enumerate(row)
        if math.isfinite(score)
    }


def _row(part: str, path: str, sheets: Sheets) -> dict[str, str]:
    screens = sheets.parts[part]
    kinds = [screen.kind for screen in screens]
    return {
        "file": path,
        "annotator": sheets.annotators[part] or "-",
        "segments": str(len({screen.segment for screen in screens})),
        "tasks": str(len(screens)),
        "checks": str(kinds.count("check")),
        "repeats": str(kinds.count("repeat")),
    }
