"""Results as a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.errors import CupelError
from cupel.questions.field import option
from cupel.questions.groups import source, system_names, systems
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Report(Question):
    """Make one HTML file of results, with tables, charts and segments; it opens offline.

    Example: cupel report scores.json segments.json --ref ref.txt -i a.txt b.txt -o report.html
    """

    command: ClassVar[str] = "report"

    runs: tuple[Path, ...] = option(
        ...,
        "Results of `cupel score`, `meta` or `mutt`, written with -f json.",
        role="input",
        metavar="RUN",
        argument=True,
    )
    file: Path = option(
        Path("report.html"),
        "HTML file to write.",
        "--output",
        "-o",
        role="output",
        metavar="FILE",
    )
    references: tuple[str, ...] = option(
        (),
        "Reference files, to show the text of segments.",
        "--ref",
        "-r",
        role="input",
        metavar="REF",
    )
    systems: tuple[str, ...] = systems(shown="none: no texts are shown")
    source: str | None = source()
    names: tuple[str, ...] = system_names()
    title: str = option("", "Heading of the page.", metavar="TEXT", shown="from the results")
    align: bool = option(True, "Show in each segment which words the metric matched.")
    force: bool = option(False, "Replace the HTML file if it exists.", role="output")

    def rules(self) -> None:
        """A page that exists stays, and texts are whole."""
        check_new(self.file, self.force)
        if bool(self.references) != bool(self.systems):
            raise CupelError(
                "To show texts, give both the references (--ref) and the systems (-i)."
            )


def check_new(path: Path | None, force: bool) -> None:
    """An error where a report exists, unless it may be replaced."""
    if path is not None and path.exists() and not force:
        raise CupelError(f"{path} exists already: choose another name, or replace it with --force.")
