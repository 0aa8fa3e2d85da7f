"""Universal Dependencies English-EWT, the English web treebank of Silveira and others (LREC 2014).

The repository keeps the treebank by document as well, and each part of the release is its documents
one after the other, in the order of a list. They are read in place of the parts, because some copies
of the repository leave out the training part as too large.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from cupel.data.converters.sources import only
from cupel.errors import CupelError
from cupel.reading import read_lines

_LISTS = "not-to-release/file-lists"
_DOCUMENTS = "not-to-release/sources"


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Write each part from its documents."""
    folder = only(sources)
    for part in ("train", "dev", "test"):
        names = folder / _LISTS / f"files.{part}"
        with (target / f"en_ewt-ud-{part}.conllu").open("wb") as file:
            for line, name in enumerate(read_lines(names), start=1):
                document = folder / _DOCUMENTS / name
                if ".." in Path(name).parts or not document.is_file():
                    raise CupelError(f"{names}, line {line}: there is no document {name!r}.")
                with document.open("rb") as content:
                    shutil.copyfileobj(content, file)
