"""The tables of compare-mt 0.2.10, figure for figure: recorded, and on its own example where given.

`COMPARE_MT=FOLDER` names the folder example/ of a clone of neulab/compare-mt: its texts are not part of
this repository. tools/record_compare_mt.py records the figures.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from cupel.corpus import Corpus
from cupel.data import find, sample, wmt_corpus
from cupel.diagnose.compare_mt import Table, compare_mt_tables
from cupel.errors import MissingPart
from cupel.reading import read_corpus

RECORDED = json.loads((Path(__file__).parent / "recorded_compare_mt.json").read_text())
EXAMPLE = os.environ.get("COMPARE_MT")
TITLES = {
    "words": "word fmeas by frequency bucket",
    "length": "bucket type: length, statistic type: BLEU",
    "length difference": "bucket type: len(output)-len(reference), statistic type: count",
    "sentence BLEU": "bucket type: sentence-level BLEU, statistic type: count",
}


def corpus_of(name: str) -> Corpus:
    if name == "ted":
        if EXAMPLE is None:
            pytest.skip("COMPARE_MT is not set to the examples of a clone of neulab/compare-mt")
        files = [str(Path(EXAMPLE) / f"ted.{part}.eng") for part in ("ref", "sys1", "sys2")]
        return read_corpus(files[:1], files[1:], None, names=["sys1", "sys2"])
    if name == "sample":
        corpus = sample()
    else:
        try:
            find(name)
        except MissingPart as missing:
            pytest.skip(str(missing))
        corpus = wmt_corpus(name, "de-en")
    two = list(corpus.systems.values())[:2]
    return Corpus(dict(zip(("sys1", "sys2"), two, strict=True)), corpus.references)


def printed(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("name", ["sample", "wmt14", "ted"])
def test_every_figure_is_the_same(name: str) -> None:
    tables = {table.name: table for table in compare_mt_tables(corpus_of(name))}
    theirs = RECORDED[name]
    for line in tables["scores"].lines:
        assert [printed(value) for value in line[1:]] == theirs[line[0]][0]
    for ours, title in TITLES.items():
        lines = [[printed(value) for value in line] for line in tables[ours].lines]
        assert lines == theirs[title], title
    for direction in ("sys1>sys2", "sys2>sys1"):
        compare_ngrams(
            tables[f"n-grams {direction}"], theirs[f"n-grams where {direction} in match"]
        )
        title = f"sentences where {direction} at sentence-level BLEU"
        lines = [[printed(v) for v in line[1:]] for line in tables[f"segments {direction}"].lines]
        assert lines == theirs[title]


def compare_ngrams(table: Table, theirs: list[list[str]]) -> None:
    """All of a share but the last: of that one compare-mt shows some by chance."""
    ours = [tuple(map(printed, line[1:])) for line in table.lines]
    assert len(ours) == len(theirs)
    last = theirs[-1][0]
    assert ours[-1][0] == last
    assert Counter(line for line in ours if line[0] != last) == Counter(
        tuple(line) for line in theirs if line[0] != last
    )
