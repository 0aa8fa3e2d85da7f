"""Which weights of learned metrics are there, where are they, and are they whole?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cupel.questions.field import option
from cupel.questions.groups import Format, output_format
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class ModelsList(Question):
    """List the models of learned metrics: what each is, its licence, and where it is.

    Example: cupel models list
    """

    command: ClassVar[str] = "models list"

    format: Format = output_format()


@dataclass(frozen=True, kw_only=True)
class ModelsGet(Question):
    """Get models, and those that they need, into your data folder.

    Example: cupel models get assay
    """

    command: ClassVar[str] = "models get"

    names: tuple[str, ...] = option(..., "Models to get.", metavar="MODEL", argument=True)
    source: str | None = option(
        None,
        "Take the files from a mirror, or from a folder: another data folder's models, a clone of "
        "Cupel's repository, or wheels.",
        "--from",
        role="input",
        metavar="PATH|URL",
        shown="where each is published",
    )


@dataclass(frozen=True, kw_only=True)
class ModelsVerify(Question):
    """Check each file of models against its SHA-256.

    Example: cupel models verify
    """

    command: ClassVar[str] = "models verify"

    names: tuple[str, ...] = option(
        (), "Models to check.", metavar="MODEL", shown="all that are here", argument=True
    )
    format: Format = output_format()
