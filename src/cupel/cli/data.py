"""`cupel data`: where the datasets are, what is missing and how to get it."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cupel.cli.usage import Command, Group

app = typer.Typer(
    cls=Group,
    help="Datasets: where they are, what is missing and how to get it.\n\n"
    "Example: cupel data verify wmt14",
    no_args_is_help=False,
)


class Format(StrEnum):
    """How results are printed."""

    text = "text"
    json = "json"
    tsv = "tsv"


FormatOption = Annotated[
    Format, typer.Option("-f", "--format", help="A table, or flat records for programs.")
]


@app.callback(invoke_without_command=True)
def data(context: typer.Context, format: FormatOption = Format.text) -> None:  # noqa: A002
    """Datasets: where they are, what is missing and how to get it."""
    if context.invoked_subcommand is None:
        show(format)
    elif format is not Format.text:
        from cupel.errors import CupelError

        command = context.invoked_subcommand
        raise CupelError(f"-f belongs behind the command: cupel data {command} -f {format}.")


@app.command("list", cls=Command)
def show(format: FormatOption = Format.text) -> None:  # noqa: A002
    """List every dataset and where it is. Example: cupel data list -f tsv"""
    rows = _dataset_rows()
    if format is not Format.text:
        _print_records(rows, format)
    elif sys.stdout.isatty():
        _print_table(rows)
    else:
        _print_paragraphs(rows)


@app.command(cls=Command)
def add(
    path: Annotated[Path, typer.Argument(help="A dataset's folder, or its .tar.gz archive.")],
    name: Annotated[
        str | None, typer.Option(help="Which dataset it is, where its name does not say so.")
    ] = None,
) -> None:
    """Check a dataset and put it into your data folder. Example: cupel data add wmt14.tar.gz"""
    from cupel.data import add as add_dataset

    added = add_dataset(path, name)
    already = "was already there and is left as it is" if added.already else "added"
    typer.echo(f"{added.name}: {already}: {added.folder}")


@app.command(cls=Command)
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Datasets; every one that is here if none is given.")
    ] = None,
    format: FormatOption = Format.text,  # noqa: A002
) -> None:
    """Check files and line counts. Example: cupel data verify wmt14"""
    from cupel.data import verify as verify_dataset

    reports = [verify_dataset(name) for name in names or _names_here()]
    if format is Format.text:
        for report in reports:
            typer.echo(f"{report.name}: {'in order' if report.ok else 'wrong'}: {report.folder}")
            for problem in report.problems:
                typer.echo(f"  {problem}")
    else:
        rows = [
            {"name": report.name, "folder": str(report.folder), "problem": problem}
            for report in reports
            for problem in report.problems or (None,)
        ]
        _print_records(rows, format)
    if not all(report.ok for report in reports):
        raise typer.Exit(1)


def _names_here() -> list[str]:
    from cupel.data import DATASETS
    from cupel.data.find import locate, search_folders
    from cupel.errors import MissingPart

    here = [name for name in DATASETS if locate(name)]
    if not here:
        places = ", ".join(str(folder) for folder in search_folders())
        raise MissingPart(
            f"No dataset is here (looked in {places}): `cupel data list` says where each is "
            "published."
        )
    return here


def _dataset_rows() -> list[dict[str, Any]]:
    from cupel.data import DATASETS
    from cupel.data.find import locate

    return [
        {
            "name": entry.name,
            "what": entry.what,
            "licence": entry.licence,
            "published": entry.published,
            "used_for": entry.used_for,
            "here": place is not None,
            "place": str(place) if place else None,
        }
        for entry in DATASETS.values()
        for place in [locate(entry.name)]
    ]


def _print_records(rows: list[dict[str, Any]], format: Format) -> None:  # noqa: A002
    if format is Format.json:
        from cupel import __version__

        typer.echo(json.dumps({"rows": rows, "version": __version__}, ensure_ascii=False, indent=2))
        return
    typer.echo("\t".join(rows[0]))
    for row in rows:
        typer.echo("\t".join(_cell(value) for value in row.values()))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else " ".join(str(value).split())


def _print_paragraphs(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        typer.echo(f"{row['name']}: {row['what']}")
        typer.echo(f"  here: {row['place'] or 'no'}")
        typer.echo(f"  published: {row['published']}")
        typer.echo(f"  licence: {row['licence']}")
        typer.echo(f"  used for: {row['used_for']}")
    typer.echo(_advice(rows))


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("dataset", "what", "licence", "published", "here", show_lines=True)
    for row in rows:
        place = Text(row["place"] or "no", overflow="fold")
        table.add_row(
            Text(row["name"], style="bold"),
            Text(row["what"]),
            Text(row["licence"]),
            Text(row["published"], overflow="fold"),
            place,
        )
    console = Console()
    console.print(table)
    console.print(_advice(rows), markup=False, highlight=False)


def _advice(rows: list[dict[str, Any]]) -> str:
    from cupel.data.find import VARIABLE

    if all(row["here"] for row in rows):
        return "All datasets are here."
    return (
        "To bring in one that is not here, get it where it is published, then run "
        f"`cupel data add PATH` or name its folder in {VARIABLE}."
    )
