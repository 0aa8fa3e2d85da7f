"""How many of the words that cost most by `cupel align` are in spans that experts marked as wrong.

    python research/marked_words.py mqm_ted_zhen.tsv --reference refB --count 375

The file is a table of MQM annotations with marks in its texts, people's translations among the systems
(`cupel.human.raw.mqm_tsv`); --reference names the one that is read as reference, --people the others.
Words are what spaces part. A word is marked if a span, other than an error of the source, has a letter
of it. Translations have at least one marked word, and at most half of their words are marked. Of each,
as many words as are marked are taken, those that cost most; what a random draw would have on average
is printed beside it.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.human.raw.annotations import Judgment, MarkedError, Notes
from cupel.human.raw.mqm_tsv import read_mqm_tsv
from cupel.learned.assay.model.alignment import _parts, word_shares
from cupel.learned.assay.model.joint import Joint
from cupel.metrics.assay import Assay
from cupel.neural.wordpiece import WordPieces
from cupel.registry import get_metric

DRAWS = 2000


@dataclass(frozen=True)
class Item:
    """A translation, its reference, and of each of its words whether it is marked."""

    text: str
    reference: str
    marked: FloatArray


def items(judgments: list[Judgment], reference: str, people: list[str]) -> Iterator[Item]:
    """Translations that one rater or several marked."""
    references = {one.place: one.target or "" for one in judgments if one.system == reference}
    spans: dict[tuple[tuple[str, str], str], list[tuple[int, int]]] = {}
    for one in judgments:
        if one.system not in (reference, *people) and references.get(one.place):
            marks = spans.setdefault((one.place, one.target or ""), [])
            marks += [(e.start, e.end) for e in one.errors if not _of_source(e)]
    for (place, text), marks in spans.items():
        words = [match.span() for match in re.finditer(r"\S+", text)]
        marked = np.array([any(a < d and c < b for c, d in marks) for a, b in words], float)
        if 0 < 2 * marked.sum() <= len(words) and text != references[place]:
            yield Item(text, references[place], marked)


def _of_source(error: MarkedError) -> bool:
    return error.in_source or error.category.lower().startswith("source")


def costs(metric: Assay, item: Item) -> FloatArray:
    """Of each word, as shares of what is missing."""
    model, card = metric._opened()
    tokenizer = WordPieces.load(metric.place)
    (_, ours), (_, theirs) = (tokenizer.words(text) for text in (item.text, item.reference))
    starts = [start for start, _ in tokenizer.spans(item.text)]
    ends = [match.end() for match in re.finditer(r"\S+", item.text)]
    word = {token: int(np.searchsorted(ends, starts[n], "right")) for n, token in enumerate(ours)}
    summed = np.zeros(len(ends))
    parts = list(_parts(model, tokenizer([item.text, item.reference]), ours, theirs))
    assert isinstance(model, Joint)
    for (side, token), share in word_shares(model, parts, float(card["same"])).items():
        if side == 0:
            summed[word[token]] += share
    return summed


def main() -> None:
    """Print the shares of marked words, with standard errors over translations."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--reference", default="refB", help="the system that is the reference")
    parser.add_argument("--people", nargs="*", default=["ref"], help="systems to leave out")
    parser.add_argument("--count", type=int, default=100, help="how many translations")
    parser.add_argument("--metric", default="assay")
    given = parser.parse_args()
    judgments = read_mqm_tsv(given.file, Notes(lenient=True))
    every = sorted(items(judgments, given.reference, given.people), key=lambda item: item.text)
    random.Random(1).shuffle(every)
    chosen = every[: given.count]
    metric = get_metric(given.metric)
    assert isinstance(metric, Assay)
    marked = np.array([item.marked.sum() for item in chosen])
    chance = marked**2 / [len(item.marked) for item in chosen]
    hits = np.array([_hits(costs(metric, item), item.marked) for item in chosen])
    rows = np.random.default_rng(1).integers(0, len(chosen), (DRAWS, len(chosen)))
    error = np.std((hits - chance)[rows].sum(1) / marked[rows].sum(1))
    words = sum(len(item.marked) for item in chosen)
    print(f"{len(chosen)} translations, {marked.sum():.0f} of {words} words marked")
    print(
        f"{hits.sum() / marked.sum():.3f}, random {chance.sum() / marked.sum():.3f}, ± {error:.3f}"
    )


def _hits(costs: FloatArray, marked: FloatArray) -> float:
    return float(marked[np.argsort(-costs, kind="stable")[: int(marked.sum())]].sum())


if __name__ == "__main__":
    main()
