"""Expert MQM of newstest2020, zh-en and en-de: Freitag and others (TACL 2021).

The table of annotations has all texts. It is taken from the training data of the WMT22 task on
quality estimation, whose copy has the annotations of 2020 in an archive of a few megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from cupel.data.recipes.annotations import Annotation, judged_pair, read_annotations
from cupel.data.recipes.archives import archived_lines
from cupel.data.recipes.copying import write_readme
from cupel.data.recipes.graded import write_pair
from cupel.data.recipes.recipe import Recipe, Repository

_QE22 = Repository(
    "WMT-QE-Task/wmt-qe-2022-data",
    "dda0c256b3227a1939f532f101ede9f1b8951f37",
    archive_bytes=90_000_000,
)
_FOLDER = "train-dev_data/task1_word-level/train"
_PEOPLE = {
    "zh-en": {"refA": "Human-A.0", "refB": "Human-B.0"},
    "en-de": {"refA": "Human-A.0", "refB": "Human-B.0", "refP": "Human-P.0"},
}

_README = """\
# mqm20
newstest2020 (WMT20), zh-en (2,000 segments, 8 systems) and en-de (1,418 segments, 7 systems), all
judged by three professional translators: expert MQM scores (major errors 5, minor 1, of punctuation
0.1, no translation at all 25; mean over raters, negated), equal to the averages that Google publishes.
The references are people's translations that were judged beside the systems (refA, refB; refP of
en-de is a paraphrase). Documents: news, and the name of the article. Layout: mt-metrics-eval's.
Raters could change a text while they marked it: all three have the same one for 86 percent of en-de and
71 percent of zh-en, no two for 1 and 6 percent. Of several, the text is one in which no part is twice in
a row, then the one that most raters have, then the shortest.
Built from WMT-QE-Task/wmt-qe-2022-data, whose annotations come from google/wmt-mqm-human-evaluation
(Apache-2.0).
"""


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Everything from the annotations."""
    for pair, people in _PEOPLE.items():
        annotations = list(_annotations(pair, sources[_QE22.name]))
        judged = judged_pair(pair, annotations, people, people.values(), "news")
        write_pair(target, judged, "mqm")
    write_readme(target, _README)


def _annotations(pair: str, folder: Path) -> Iterator[Annotation]:
    archive = folder / _archive(pair)
    name = f"mqm_newstest2020_{pair.replace('-', '')}.tsv"
    for one in read_annotations(f"{archive}:{name}", archived_lines(archive, name)):
        yield replace(one, source=unquoted(one.source), target=unquoted(one.target))


def unquoted(text: str) -> str:
    r"""The text without the quotes that a spreadsheet put around and into some of them.

    >>> unquoted('"He said ""no"" to it."'), unquoted('""No,"" he said.'), unquoted('"No."')
    ('He said "no" to it.', '"No," he said.', '"No."')
    """
    for inner in (text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else "", text):
        if '""' in inner and '"' not in inner.replace('""', ""):
            return inner.replace('""', '"')
    return text


def _archive(pair: str) -> str:
    return f"{_FOLDER}/{pair}_mqm/{pair}-train-2020.tar.gz"


READS = {"mqm20": {_QE22.name: tuple(map(_archive, _PEOPLE))}}
RECIPES = {
    "mqm20": Recipe(
        "mqm20",
        (_QE22,),
        build,
        lost="Some texts are not the systems' own to the letter: raters changed them.",
    )
}
