"""Do the papers' tables come out?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.errors import CupelError
from cupel.questions.field import Count, option
from cupel.questions.groups import Format, output_file, output_format, workers
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Reproduce(Question):
    """Compute the tables of the four papers and compare them with the published numbers.

    Example: cupel reproduce red-4
    """

    command: ClassVar[str] = "reproduce"

    tables: tuple[str, ...] = option(
        (), "Tables to compute.", metavar="TABLE", shown="list all tables", argument=True
    )
    all: bool = option(False, "Compute every table.")
    full: bool = option(
        False,
        "Train all models again, which takes hours, in place of the weights that come with Cupel "
        "and recorded trainings.",
    )
    write: Path | None = option(
        None, "Write the results as a Markdown page.", role="output", metavar="FILE.md"
    )
    record: Path | None = option(
        None,
        "Write a summary that the list of tables can show.",
        role="output",
        metavar="FILE.json",
    )
    workers: Count = workers()
    format: Format = output_format()
    file: Path | None = output_file()

    def rules(self) -> None:
        """Tables are named, or all, or none."""
        if self.all and self.tables:
            raise CupelError("--all means every table: leave out their names.")
        if not (self.all or self.tables) and (self.write or self.record or self.full):
            raise CupelError("Name the tables to compute, or all of them with --all.")
