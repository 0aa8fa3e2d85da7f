"""Where are the datasets, and how do I get, add and check them?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cupel.questions.field import option
from cupel.questions.groups import Format, output_format
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class ListData(Question):
    """List all datasets: what each is, its licence, where it is, and how to get it.

    Example: cupel data list -f tsv
    """

    command: ClassVar[str] = "data list"

    format: Format = output_format()


@dataclass(frozen=True, kw_only=True)
class Data(ListData):
    """List all datasets, as `cupel data list` does.

    Example: cupel data
    """

    command: ClassVar[str] = "data"


@dataclass(frozen=True, kw_only=True)
class GetData(Question):
    """Download the public files of datasets and convert them, into your data folder.

    Example: cupel data get sick --yes
    """

    command: ClassVar[str] = "data get"

    names: tuple[str, ...] = option((), "Datasets to get.", metavar="DATASET", argument=True)
    everything: bool = option(False, "Get all datasets.", "--all")
    source: str | None = option(
        None,
        "Take the files from a clone, an archive, a folder of these, or a mirror.",
        "--from",
        metavar="PATH|URL",
        shown="GitHub",
    )
    yes: bool = option(False, "Do not ask before the download.")


@dataclass(frozen=True, kw_only=True)
class AddData(Question):
    """Recognise and check data that you have, and copy it into your data folder.

    Example: cupel data add wmt14.tar.gz
    """

    command: ClassVar[str] = "data add"

    path: Path = option(
        ...,
        "Folder or archive (.tar.gz, .tgz, .zip): a dataset, a clone of a repository that datasets are "
        "made from, a WMT release, a campaign as in mt-metrics-eval, or sacreBLEU's cache.",
        role="input",
        metavar="PATH",
        argument=True,
    )
    name: str | None = option(
        None, "Name to add it under.", metavar="NAME", shown="that of the dataset or PATH"
    )


@dataclass(frozen=True, kw_only=True)
class VerifyData(Question):
    """Check that the files of datasets are complete, with the expected numbers of lines.

    Example: cupel data verify wmt14
    """

    command: ClassVar[str] = "data verify"

    names: tuple[str, ...] = option(
        (), "Datasets to check.", metavar="DATASET", argument=True, shown="all that are installed"
    )
    clean: bool = option(
        False, "Also remove the hidden copies that killed runs left in your data folder and cache."
    )
    format: Format = output_format()
