"""`cupel data`: where the datasets are, which are missing and how to get them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from cupel.cli import output
from cupel.cli.options import PlainForm
from cupel.cli.output import PlainFormat
from cupel.cli.usage import Command, Group

app = typer.Typer(
    cls=Group,
    help="List datasets: where they are, which are missing and how to get them.\n\n"
    "Example: cupel data verify wmt14",
    no_args_is_help=False,
)


@app.callback(invoke_without_command=True)
def data(context: typer.Context, form: PlainForm = PlainFormat.text) -> None:
    """List datasets: where they are, which are missing and how to get them."""
    if context.invoked_subcommand is None:
        show(form)
    elif form is not PlainFormat.text:
        from cupel.errors import CupelError

        command = context.invoked_subcommand
        raise CupelError(f"Write -f after the command: cupel data {command} -f {form}.")


@app.command("list", cls=Command)
def show(form: PlainForm = PlainFormat.text) -> None:
    """List all datasets: what each is, its licence, and where it is.

    Example: cupel data list -f tsv
    """
    rows = _dataset_rows()
    if form is not PlainFormat.text:
        output.records(rows, form, sys.stdout)
    elif sys.stdout.isatty():
        _print_table(rows)
    else:
        _print_paragraphs(rows)


@app.command(cls=Command)
def add(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="Folder or .tar.gz archive of the dataset.")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            metavar="DATASET", help="Name of the dataset.", show_default="the name of PATH"
        ),
    ] = None,
) -> None:
    """Check a dataset and copy it into your data folder.

    Example: cupel data add wmt14.tar.gz
    """
    from cupel.data import add as add_dataset

    added = add_dataset(path, name)
    already = "was already there and is left as it is" if added.already else "added"
    typer.echo(f"{added.name}: {already}: {added.folder}")


@app.command(cls=Command)
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATASET", help="Datasets to check.", show_default="all that are installed"
        ),
    ] = None,
    form: PlainForm = PlainFormat.text,
) -> None:
    """Check that the files of datasets are complete, with the expected numbers of lines.

    Example: cupel data verify wmt14
    """
    from cupel.data import verify as verify_dataset

    reports = [verify_dataset(name) for name in names or _names_here()]
    if form is PlainFormat.text:
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
        output.records(rows, form, sys.stdout)
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
            f"No dataset is installed (looked in {places}): `cupel data list` says where each is "
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
