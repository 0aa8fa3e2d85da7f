"""Universal Dependencies English-EWT, the English web treebank of Silveira and others (LREC 2014).

The repository keeps the treebank by document as well, and each part of the release is its documents
one after the other, in the order of a list. They are read in place of the parts, because some copies
of the repository leave out the training part as too large.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from cupel.data.recipes.copying import write_readme
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.errors import CupelError
from cupel.reading import read_lines

_REPOSITORY = Repository(
    "UniversalDependencies/UD_English-EWT",
    "15d613d8447b3478787d4c278730a1e48a945efb",
    archive_bytes=8_000_000,
)
_LISTS = "not-to-release/file-lists"
_DOCUMENTS = "not-to-release/sources"

_README = """\
# Universal Dependencies English-EWT

English web text (weblogs, newsgroups, e-mail, reviews, answers) with dependency trees in CoNLL-U:
`en_ewt-ud-train.conllu`, `en_ewt-ud-dev.conllu`, `en_ewt-ud-test.conllu`, equal to the parts of the
public repository. Silveira and others, "A Gold Standard Dependency Corpus for English" (LREC 2014).
Licence: CC BY-SA 4.0.
"""


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Write each part from its documents."""
    folder = sources[_REPOSITORY.name]
    for part in ("train", "dev", "test"):
        names = folder / _LISTS / f"files.{part}"
        with (target / f"en_ewt-ud-{part}.conllu").open("wb") as file:
            for line, name in enumerate(read_lines(names), start=1):
                document = folder / _DOCUMENTS / name
                if ".." in Path(name).parts or not document.is_file():
                    raise CupelError(f"{names}, line {line}: there is no document {name!r}.")
                with document.open("rb") as content:
                    shutil.copyfileobj(content, file)
    write_readme(target, _README)


READS = {"ud-english-ewt": {_REPOSITORY.name: (f"{_LISTS}/files.*", f"{_DOCUMENTS}/*.conllu")}}
RECIPES = {"ud-english-ewt": Recipe("ud-english-ewt", (_REPOSITORY,), build)}
