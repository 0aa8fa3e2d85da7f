"""How far `assay` agrees with experts on paragraphs, as docs/research/assay-2.md has it.

    python research/long_texts.py                                  # mqm21, zh-en, 2, 3, 5 and 8 segments
    python research/long_texts.py ted21 --lengths 3 6 --others chrf

Paragraphs are made of consecutive segments that one document has of one system; the grade is the mean of
theirs. Tau is within paragraphs (systems are compared), Pearson's r over all of them. Rows: paragraphs
that are read as a whole, in aligned parts (as the metric does), the mean of the segments' own scores, and
other metrics.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.learned.assay.data.graded import GradedPair, graded_pairs
from cupel.learned.assay.model.joint import Joint
from cupel.learned.assay.training.graded import within_segments
from cupel.metrics.assay import Assay
from cupel.registry import get_metric

LENGTHS, OTHERS = (2, 3, 5, 8), ("chrf", "bleu", "meteor")


@dataclass(frozen=True)
class Paragraphs:
    """Rows of the translations that each paragraph is made of, and its number in all systems."""

    rows: list[list[int]]
    numbers: list[int]


def paragraphs(pair: GradedPair, length: int) -> Paragraphs:
    """All of `length` consecutive segments that do not overlap."""
    rows, numbers = [], []
    for run in _runs(pair):
        lines = [pair.lines[at] for at in run]
        for start in range(0, len(run) - length + 1, length):
            whole = lines[start + length - 1] - lines[start] == length - 1
            if whole:
                rows.append(run[start : start + length])
                numbers.append(lines[start])
    return Paragraphs(rows, numbers)


def _runs(pair: GradedPair) -> Iterator[list[int]]:
    """Of each system and document the rows; systems follow each other, each with its lines in order."""
    run: list[int] = []
    for at, line in enumerate(pair.lines):
        before = run[-1] if run else at
        if run and (line <= pair.lines[before] or pair.documents[at] != pair.documents[before]):
            yield run
            run = []
        run.append(at)
    yield run


def figures(name: str, scores: FloatArray, grades: FloatArray, made: Paragraphs) -> None:
    """Print a row."""
    tau = within_segments(scores, grades, np.array(made.numbers))
    r = float(np.corrcoef(scores, grades)[0, 1])
    print(f"  {name}\ttau {tau:.3f}\tr {r:.3f}\tmean {scores.mean():.3f}", flush=True)


def main() -> None:
    """Print a table for each length."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("campaign", nargs="?", default="mqm21")
    parser.add_argument("--metric", default="assay:precision=bfloat16")
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    parser.add_argument("--others", nargs="*", default=OTHERS)
    asked = parser.parse_args()
    metric = get_metric(asked.metric)
    assert isinstance(metric, Assay)
    model, _ = metric._opened()
    assert isinstance(model, Joint)
    for pair in graded_pairs(asked.campaign):
        own = metric.statistics(Batch(pair.hypotheses, [[text] for text in pair.references]))[:, 0]
        for length in asked.lengths:
            made = paragraphs(pair, length)
            texts = [" ".join(pair.hypotheses[at] for at in rows) for rows in made.rows]
            references = [" ".join(pair.references[at] for at in rows) for rows in made.rows]
            grades = pair.grades[np.array(made.rows)].mean(1)
            words = np.mean([len(text.split()) for text in references])
            print(
                f"{asked.campaign} {pair.pair}, {length} segments, {words:.0f} words, {len(texts)}"
            )
            long, model.long = model.long, None
            for name in ("as a whole", "in aligned parts"):
                batch = Batch(texts, [[text] for text in references])
                figures(name, metric.statistics(batch)[:, 0], grades, made)
                model.long = long
            figures("segments", own[np.array(made.rows)].mean(1), grades, made)
            for name in asked.others:
                other, batch = get_metric(name), Batch(texts, [[text] for text in references])
                figures(name, other.segment_scores(other.statistics(batch)), grades, made)


if __name__ == "__main__":
    main()
