"""Expert MQM of newstest2020, zh-en and en-de: Freitag and others (TACL 2021).

The table of annotations has all texts. It is taken from the training data of the WMT22 task on
quality estimation, whose copy has the annotations of 2020 in an archive of a few megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from cupel.data.converters.annotations import UNKNOWN, Annotation, judged_pair, read_annotations
from cupel.data.converters.graded import write_pair
from cupel.data.converters.sources import archived_lines, only

_FOLDER = "train-dev_data/task1_word-level/train"
_PEOPLE = {
    "zh-en": {"refA": "Human-A.0", "refB": "Human-B.0"},
    "en-de": {"refA": "Human-A.0", "refB": "Human-B.0", "refP": "Human-P.0"},
}


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Everything from the annotations."""
    for pair, people in _PEOPLE.items():
        annotations = list(_annotations(pair, only(sources)))
        judged = judged_pair(pair, annotations, people, people.values(), "news", spans=True)
        write_pair(target, judged, "mqm")


def _annotations(pair: str, folder: Path) -> Iterator[Annotation]:
    archive = folder / _FOLDER / f"{pair}_mqm" / f"{pair}-train-2020.tar.gz"
    table = archived_lines(archive, f"mqm_newstest2020_{pair.replace('-', '')}.tsv")
    for error in read_annotations(*table):
        target = unquoted(error.target)
        span = error.span if target == error.target or not error.penalty else UNKNOWN
        yield replace(error, source=unquoted(error.source), target=target, span=span)


def unquoted(text: str) -> str:
    r"""The text without the quotes that a spreadsheet put around and into some of them.

    >>> unquoted('"He said ""no"" to it."'), unquoted('""No,"" he said.'), unquoted('"No."')
    ('He said "no" to it.', '"No," he said.', '"No."')
    """
    for inner in (text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else "", text):
        if '""' in inner and '"' not in inner.replace('""', ""):
            return inner.replace('""', '"')
    return text
