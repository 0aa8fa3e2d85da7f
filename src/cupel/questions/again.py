"""Does a result come out the same when it is computed once more?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.questions.field import option
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Again(Question):
    """Compute a result once more from the question that it carries, and say whether it is the same.

    The files that were read are looked for by name and content in the folder of the result and in
    the current one. Nothing is written. The exit status is 1 if a number differs.

    Example: cupel again scores.json
    """

    command: ClassVar[str] = "again"

    result: Path = option(
        ...,
        "A result of Cupel: JSON (-f json), segment scores in Parquet, or an HTML report.",
        role="input",
        metavar="RESULT",
        argument=True,
    )
    folders: tuple[Path, ...] = option(
        (),
        "Folders with the files that were read.",
        "--folder",
        "-d",
        role="input",
        metavar="FOLDER",
        shown="the folder of the result, and the current one",
    )
    plugins: bool = option(
        False,
        "Run metrics that are not part of Cupel: functions of Python modules, and metrics of other "
        "packages. Do so only with a result that you trust.",
    )
    tolerance: float = option(
        1e-5,
        "Largest difference of two numbers that count as the same, relative to the number; scores of "
        "lexical metrics are equal, those of neural ones may differ by rounding.",
        metavar="NUMBER",
    )
