"""`cupel data`: where the datasets are, which are missing and how to get them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import output
from cupel.cli.options import PlainForm
from cupel.cli.output import PlainFormat
from cupel.cli.usage import Command, Group

if TYPE_CHECKING:
    from cupel.data.get import Plan

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
def get(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATASET", help="Datasets to get.", show_default=False),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Get all datasets.")] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PATH|URL",
            help="Take the files from a clone, an archive, a folder of these, or a mirror.",
            show_default="GitHub",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the download.")] = False,
) -> None:
    """Download the public files of datasets and convert them, into your data folder.

    Example: cupel data get sick --yes
    """
    from cupel.data import DATASETS
    from cupel.data.get import planned
    from cupel.errors import CupelError

    if bool(names) == everything:
        raise CupelError(f"Name the datasets to get, or give --all for {', '.join(DATASETS)}.")
    plan = planned(names or list(DATASETS), source)
    if plan.missing and not _agreed(plan, yes):
        typer.echo("Nothing was downloaded.", err=True)
        raise typer.Exit(1)
    with output.progress_bar("getting files", in_bytes=True) as progress:
        results = plan.run(progress)
    for result in results:
        already = "was already there and is left as it is" if result.already else "added"
        typer.echo(f"{result.name}: {already}: {result.folder}")


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


@app.command(cls=Command)
def add(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="Folder or archive (.tar.gz, .tgz, .zip): a dataset, a clone of a repository that "
            "datasets are made from, a WMT release, a campaign as in mt-metrics-eval, or sacreBLEU's "
            "cache.",
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Name to add it under.", show_default="that of the dataset or PATH"
        ),
    ] = None,
) -> None:
    """Recognise and check data that you have, and copy it into your data folder.

    Example: cupel data add wmt14.tar.gz
    """
    from cupel.data import add as add_data

    added = add_data(path, name)
    for sentence in dict.fromkeys(item.origin for item in added if item.origin):
        output.warn(sentence)
    for one in added:
        already = "was already there and is left as it is" if one.already else "added"
        typer.echo(f"{one.name}: {already}: {one.folder}")


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
        typer.echo(f"{row['name']}: {row['description']}")
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
                typer.echo(f"  {label}: {text}")
    typer.echo(_advice(rows))


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
