"""What are the scores of a run that was scored in parts?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.questions.field import option
from cupel.questions.question import Question
from cupel.questions.score import Printed


@dataclass(frozen=True, kw_only=True)
class Merge(Printed, Question):
    """Print the scores of a run that was scored in parts, as one run would have printed them.

    Example: cupel merge part-*.parquet -f json --ci
    """

    command: ClassVar[str] = "merge"

    parts: tuple[Path, ...] = option(
        ...,
        "Files that `cupel score --part K/N -o FILE` wrote.",
        role="input",
        metavar="PART",
        argument=True,
    )
