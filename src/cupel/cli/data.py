"""`cupel data`: where the datasets are, which are missing and how to get them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.data.get import Added, Plan
    from cupel.questions.data import AddData, GetData, ListData, VerifyData


def show(question: ListData) -> None:
    """Print the list."""
    rows = _dataset_rows()
    if question.format != "text":
        output.records(rows, question.format, sys.stdout)
    elif sys.stdout.isatty():
        _print_table(rows)
    else:
        _print_paragraphs(rows)


def get(question: GetData) -> int:
    """Get datasets; 1 where the person does not agree."""
    from cupel.data import DATASETS
    from cupel.data.get import planned
    from cupel.errors import CupelError

    if bool(question.names) == question.everything:
        raise CupelError(f"Name the datasets to get, or give --all for {', '.join(DATASETS)}.")
    plan = planned(question.names or list(DATASETS), question.source)
    if plan.missing and not _agreed(plan, question.yes):
        print("Nothing was downloaded.", file=sys.stderr)
        return 1
    with output.progress_bar("getting files", in_bytes=True) as progress:
        results = plan.run(progress)
    _print_added(results)
    return 0


def _agreed(plan: Plan, yes: bool) -> bool:
    """Say what is going to happen, and ask on a terminal unless `--yes` was given."""
    from cupel.errors import CupelError
    from cupel.folders import data_folder

    for entry in plan.missing:
        places = ", ".join(f"github.com/{repository.name}" for repository in entry.repositories)
        output.warn(f"{entry.name}: from {places}; licence: {entry.licence}. {entry.lost}".rstrip())
    size = f"{max(plan.transfer / 1e6, 0.1):,.1f} MB"
    output.warn(f"About {size} are transferred; the datasets are put into {data_folder()}.")
    if yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CupelError("There is no terminal to ask on: add --yes to go on without a question.")
    print("cupel: Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def add(question: AddData) -> None:
    """Add data, and say what it was recognised as."""
    from cupel.data import add as add_data

    added = add_data(question.path, question.name)
    for sentence in dict.fromkeys(item.origin for item in added if item.origin):
        output.warn(sentence)
    _print_added(added)


def verify(question: VerifyData) -> int:
    """Print what is wrong with datasets; 1 where something is."""
    from cupel.data import verify as verify_dataset
    from cupel.data.verify import sweep_copies

    if question.clean:
        sweep_copies()
    reports = [verify_dataset(name) for name in question.names or _names_here()]
    if question.format == "text":
        for report in reports:
            print(f"{report.name}: {'in order' if report.ok else 'wrong'}: {report.folder}")
            for problem in report.problems:
                print(f"  {problem}")
    else:
        rows = [
            {"name": report.name, "folder": str(report.folder), "problem": problem}
            for report in reports
            for problem in report.problems or (None,)
        ]
        output.records(rows, question.format, sys.stdout)
    return 0 if all(report.ok for report in reports) else 1


def _print_added(added: Sequence[Added]) -> None:
    for item in added:
        state = "was already there and is left as it is" if item.already else "added"
        print(f"{item.name}: {state}: {item.folder}")


def _names_here() -> list[str]:
    from cupel.data import DATASETS
    from cupel.data.find import locate
    from cupel.errors import MissingPart
    from cupel.folders import search_folders

    here = [name for name in DATASETS if locate(name)]
    if not here:
        places = ", ".join(str(folder) for folder in search_folders())
        raise MissingPart(
            f"No dataset is installed (looked in {places}): `cupel data list` says which there "
            "are, and `cupel data get NAME` gets one."
        )
    return here


def _dataset_rows() -> list[dict[str, Any]]:
    from cupel.data import DATASETS
    from cupel.data.catalog import EMBEDDED
    from cupel.data.find import locate

    return [
        {
            "name": entry.name,
            "description": entry.description,
            "licence": entry.licence,
            "published": entry.published,
            "used_for": entry.used_for,
            "here": place is not None,
            "place": str(place) if place else None,
            "languages": entry.languages,
            "systems": entry.systems,
            "judgments": entry.judgments,
            "bytes": entry.size,
            "lost": entry.lost,
        }
        for entry in (*DATASETS.values(), *EMBEDDED.values())
        for place in [locate(entry.name)]
    ]


def _shown_place(row: dict[str, Any]) -> str | None:
    from cupel.data.catalog import EMBEDDED

    place: str | None = row["place"]
    return "in Cupel" if row["name"] in EMBEDDED else place


def _print_paragraphs(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        print(f"{row['name']}: {row['description']}")
        get_it = f"no; run `cupel data get {row['name']}`"
        for label, text in (
            ("here", _shown_place(row) or get_it),
            ("languages", row["languages"]),
            ("judgments", row["judgments"]),
            ("published", row["published"]),
            ("licence", row["licence"]),
            ("used for", row["used_for"]),
            ("lost", row["lost"]),
        ):
            if text:
                print(f"  {label}: {text}")
    print(_advice(rows))


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("dataset", "what", "licence", "published", "here", show_lines=True)
    for row in rows:
        place = Text(_shown_place(row) or "no", overflow="fold")
        table.add_row(
            Text(row["name"], style="bold"),
            Text(row["description"]),
            Text(row["licence"]),
            Text(row["published"], overflow="fold"),
            place,
        )
    console = Console()
    console.print(table)
    console.print(_advice(rows), markup=False, highlight=False)


def _advice(rows: list[dict[str, Any]]) -> str:
    from cupel.folders import DATA_VARIABLE

    if all(row["here"] for row in rows):
        return "All datasets are here."
    return (
        "To get one that is not here, run `cupel data get NAME`. If you have a copy, run `cupel data "
        f"add PATH`, or name the folder that holds it in {DATA_VARIABLE}."
    )
