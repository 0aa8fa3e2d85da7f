"""Direct assessment of WMT13 segments: Graham, Baldwin and Mathur (NAACL 2015).

The repository holds one archive; its texts and scores are taken as they are, without the human
post-edits that it holds as well.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from cupel.data.recipes.copying import copy_files, write_readme
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.data.unpack import unpack

_REPOSITORY = Repository(
    "ygraham/direct-assessment",
    "c2ef771d41141a7ddef09b8573dc345c3676737a",
    archive_bytes=1_600_000,
)
_ARCHIVE = "dataset.tar.gz"

_README = """\
# Direct assessment of WMT13 segments

Graham, Baldwin and Mathur, "Accurate Evaluation of Segment-level Machine Translation Metrics" (NAACL
2015). One judged segment a line, in the same order in all files of a language pair:

- `sys.PAIR`, `ref.PAIR`, `src.PAIR`: translation, reference and source, tokenized; `.pre-tok.PAIR`:
  before tokenization.
- `human-scores.PAIR.csv`: language pair, system, segment and score, with a header. Scores are means of
  standardized judgments; higher is better.

Segments: es-en 500; cs-en, de-en, fr-en, ru-en and en-fr 70 each; en-de, en-es and en-ru 140 each.
"""


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Unpack the archive and take the texts and the scores."""
    with tempfile.TemporaryDirectory(dir=target) as folder:
        unpack(sources[_REPOSITORY.name] / _ARCHIVE, Path(folder))
        for stem in ("sys", "ref", "src", "human-scores"):
            copy_files(Path(folder), f"{stem}.*", target)
    write_readme(target, _README)


READS = {"da13": {_REPOSITORY.name: (_ARCHIVE,)}}
RECIPES = {"da13": Recipe("da13", (_REPOSITORY,), build)}
