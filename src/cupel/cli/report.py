"""`cupel report`: results as an HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import output
from cupel.cli.options import Names, Source, writable
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN", help="Results of `cupel score`, `meta` or `mutt`, written with -f json."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=writable, help="HTML file to write."
        ),
    ] = Path("report.html"),
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--ref", "-r", metavar="REF...", help="Reference files, to show the text of segments."
        ),
    ] = None,
    input_: Annotated[
        list[str] | None,
        typer.Option(
            "--input", "-i", metavar="HYP...", help="Files with the translations, one per system."
        ),
    ] = None,
    source: Source = None,
    names: Names = None,
    title: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Heading of the page.", show_default="from the results"),
    ] = "",
    align: Annotated[
        bool,
        typer.Option(
            "--align/--no-align", help="Show in each segment which words the metric matched."
        ),
    ] = True,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the HTML file if it exists.")
    ] = False,
) -> None:
    """Make one HTML file of results, with tables, charts and segments; it opens offline.

    Example: cupel report scores.json segments.json --ref ref.txt -i a.txt b.txt -o report.html
    """
    from cupel.folders import write_text
    from cupel.report import page
    from cupel.report.runs import other_versions, read_run

    check_report(out, force)
    read = [read_run(path) for path in runs]
    for kind in ("score", "segments"):
        if sum(run.kind == kind for run in read) > 1:
            raise CupelError(
                f"Only one run of {'system' if kind == 'score' else 'segment'} scores fits on a "
                "page: leave one out."
            )
    for sentence in other_versions(read):
        output.warn(sentence)
    corpus = _corpus(references, input_, source, names)
    if corpus is not None and not any(run.kind == "segments" for run in read):
        raise CupelError(
            "Texts are shown with segment scores: add a run of `cupel score -sl -f json`."
        )
    write_text(out, page.report(read, corpus, title=title, align=align))
    output.warn(f"Wrote {out}.")


def check_report(path: Path | None, force: bool) -> None:
    """Raise an error if the report exists, unless it may be replaced."""
    if path is not None and path.exists() and not force:
        raise CupelError(f"{path} exists already: choose another name, or replace it with --force.")


def check_different(**files: Path | None) -> None:
    """Raise an error if one file is named for two results. files: what is written -> where."""
    places: dict[Path, str] = {}
    for what, path in files.items():
        if path is None:
            continue
        other = places.setdefault(path.resolve(), what)
        if other != what:
            raise CupelError(f"{path} is named for the {other} and for the {what}: name two files.")


def _corpus(
    references: list[str] | None,
    systems: list[str] | None,
    source: str | None,
    names: list[str] | None,
) -> Corpus | None:
    from cupel.reading import read_corpus

    if not references and not systems:
        return None
    if not references or not systems:
        raise CupelError("To show texts, give both the references (--ref) and the systems (-i).")
    return read_corpus(references, systems, source, names=names)
