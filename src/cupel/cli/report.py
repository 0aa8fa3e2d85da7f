"""`cupel report`: a run as a page that people look at."""

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
        typer.Argument(metavar="RUN", help="The JSON of `cupel score`, `meta` or `mutt`."),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=writable, help="The HTML file to write."
        ),
    ] = Path("report.html"),
    references: Annotated[
        list[str] | None,
        typer.Option("--ref", "-r", metavar="REF...", help="Reference files, to show texts."),
    ] = None,
    input_: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", metavar="HYP...", help="The systems' files, to show texts."),
    ] = None,
    source: Source = None,
    names: Names = None,
    title: Annotated[
        str, typer.Option(metavar="TEXT", help="Heading of the page.", show_default="by the runs")
    ] = "",
    align: Annotated[
        bool, typer.Option("--align/--no-align", help="Show METEOR's alignments in the segments.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Turn runs into one HTML file that opens anywhere, offline.

    Example: cupel report scores.json segments.json --ref ref.txt -i a.txt b.txt -o report.html
    """
    from cupel.folders import write_text
    from cupel.report import page
    from cupel.report.runs import other_versions, read_run

    refuse_to_replace(out, force)
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
            "Texts are shown beside segment scores: add a run of `cupel score -sl -f json`."
        )
    write_text(out, page.report(read, corpus, title=title, align=align))
    output.warn(f"Wrote {out}.")


def refuse_to_replace(path: Path, force: bool) -> None:
    """A report that is there already stays, unless its replacement is asked for."""
    if path.exists() and not force:
        raise CupelError(f"{path} exists already: choose another name, or replace it with --force.")


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
