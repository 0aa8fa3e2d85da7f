"""`cupel annotate`: pages on which people judge translations."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import output
from cupel.cli.options import OUTPUT, SEED, Seed, writable
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.human.tasks.sheets import Sheets

CONTROL = "Quality control"


class Protocol(StrEnum):
    """The values of `--protocol`."""

    da = "da"
    ranking = "ranking"
    esa = "esa"
    mqm = "mqm"


def annotate(
    tasks: Annotated[
        Path, typer.Argument(metavar="TASKS.jsonl", help="Tasks that `cupel select` wrote.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.html",
            callback=writable,
            help="HTML file to write; of several annotators FILE-NAME.html each. The key that "
            "says which system is which goes to FILE.key.json.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("tasks.html"),
    protocol: Annotated[
        Protocol,
        typer.Option(
            help="What annotators do: give a score (da), rank translations (ranking), mark errors "
            "and give a score (esa), mark errors with their kind (mqm)."
        ),
    ] = Protocol.esa,
    annotators: Annotated[
        list[str] | None,
        typer.Option(
            "--annotators",
            metavar="NAME...",
            help="Names of the annotators, or their number; each gets a file.",
            show_default="one, who types a name",
        ),
    ] = None,
    shared: Annotated[
        float,
        typer.Option(
            metavar="SHARE", min=0, max=1, help="Share of the segments that all annotators judge."
        ),
    ] = 0.2,
    instructions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Text that annotators read first: a blank line between paragraphs, '# ' before a "
            "heading, '* ' before an item of a list.",
            show_default="one for each protocol",
        ),
    ] = None,
    show_instructions: Annotated[
        bool,
        typer.Option(
            "--show-instructions", help="Print the instructions of the protocol, and write nothing."
        ),
    ] = False,
    title: Annotated[
        str, typer.Option(metavar="TEXT", help="Heading of the page.")
    ] = "Judge translations",
    references: Annotated[
        bool, typer.Option("--references", help="Show the references to the annotators.")
    ] = False,
    most: Annotated[
        int,
        typer.Option(metavar="N", min=2, max=9, help="Most translations on a screen of a ranking."),
    ] = 5,
    checks: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Attention checks: damaged translations, as a share of the tasks.",
            rich_help_panel=CONTROL,
        ),
    ] = 0.05,
    repeats: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Tasks that come twice, as a share of the tasks.",
            rich_help_panel=CONTROL,
        ),
    ] = 0.05,
    rehearse: Annotated[
        str | None,
        typer.Option(
            metavar="DATASET",
            help="Also write what annotators would save (.json), filled in from the human scores of "
            "this campaign, to try the way to `cupel meta` before anybody is asked.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    seed: Seed = SEED,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Make an HTML page for each annotator; it opens from disk, without a server or network.

    Example: cupel annotate tasks.jsonl -o tasks.html --protocol esa --annotators anna ben
    """
    from cupel.human.tasks.files import read_tasks
    from cupel.human.tasks.sheets import Plan, make_sheets
    from cupel.report.annotation import default_instructions, read_instructions

    if show_instructions:
        sys.stdout.write(default_instructions(protocol))
        return
    text = read_instructions(instructions) if instructions else ""
    plan = Plan(protocol, _names(annotators), shared, checks, repeats, most, seed)
    sheets = make_sheets(read_tasks(tasks), plan)
    pages = _paths(out, sheets, force)
    files = _filled(out, pages, sheets, rehearse, force) if rehearse else {}
    _write(out, pages, sheets, text, title, references, files)
    rows = [_row(part, str(pages[part]), sheets) for part in sheets.parts]
    output.table(list(rows[0]), [list(row.values()) for row in rows], sys.stdout)
    output.warn(
        f"Wrote {_key_path(out)}, which tells the systems apart: keep it, and do not give it to "
        "annotators."
    )


def _names(annotators: list[str] | None) -> list[str]:
    if not annotators:
        return [""]
    if len(annotators) == 1 and annotators[0].isdecimal():
        count = int(annotators[0])
        if not 1 <= count <= 100:
            raise CupelError(f"There can be 1 to 100 annotators, not {count}.")
        return [""] * count
    for name in annotators:
        if not name.strip() or "/" in name or name.startswith(".") or not name.isprintable():
            raise CupelError(f"The annotator {name!r} cannot be part of a file's name.")
    return annotators


def _key_path(out: Path) -> Path:
    from cupel.human.tasks.key import SUFFIX

    return out.with_name(f"{out.stem}{SUFFIX}")


def _paths(out: Path, sheets: Sheets, force: bool) -> dict[str, Path]:
    parts = list(sheets.parts)
    alone = len(parts) == 1
    paths = {
        part: out if alone else out.with_name(f"{out.stem}-{part}{out.suffix}") for part in parts
    }
    for path in [*paths.values(), _key_path(out)]:
        writable(path)
        if path.exists() and not force:
            raise CupelError(
                f"{path} exists already: choose another name, or --force to replace it; judgments "
                "made with other pages need their own key."
            )
    return paths


def _write(
    out: Path,
    pages: dict[str, Path],
    sheets: Sheets,
    text: str,
    title: str,
    references: bool,
    others: dict[Path, str],
) -> None:
    from cupel.folders import write_text
    from cupel.human.tasks.key import key_text
    from cupel.report.annotation import annotation_page

    contents = {
        path: annotation_page(
            sheets, part, out.stem, title=title, instructions=text, references=references
        )
        for part, path in pages.items()
    }
    write_text(_key_path(out), key_text(sheets, out.stem))
    for path, content in {**contents, **others}.items():
        write_text(path, content)


def _filled(
    out: Path, pages: dict[str, Path], sheets: Sheets, campaign: str, force: bool
) -> dict[Path, str]:
    """The files that annotators would save -> their content."""
    from cupel.human.tasks.rehearsal import filled_sheet

    scores = _known_scores(campaign, sheets)
    files = {}
    for part in pages:
        path = out.with_name(f"{out.stem}-{sheets.annotators[part] or f'rehearsal{part}'}.json")
        if path.exists() and not force:
            raise CupelError(f"{path} exists already: choose another name or use --force.")
        files[path], left = filled_sheet(sheets, part, out.stem, scores)
        note = f"; {left} tasks have no human score" if left else ""
        output.warn(f"Wrote {path}, filled in from {campaign}{note}.")
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
    matrix = judged.human_scores(name, "segment", systems)
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
