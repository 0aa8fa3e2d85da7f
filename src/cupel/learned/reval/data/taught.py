"""Similarities that another metric gives: a teacher scores all outputs of a campaign, judged or not.

People judged a few translations of a line, most of them once or twice. A metric that learned from
these judgments gives a score to every output of every system, so that a Tree-LSTM has ten times as
many similarities to learn from, and each says more. The lines that are held out for development and
test are left out here too.

A teacher's scores become similarities by their ranks: the normal distribution with the mean CENTRE
and the standard deviation SPREAD, from 1 to 5. Any metric can teach, whatever its scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.console import Progress
from cupel.data import wmt_corpus
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.human.rankings import wmt_rankings
from cupel.learned.language_pairs import chosen_pairs
from cupel.learned.reval.data.examples import SimilarityData
from cupel.metric import Metric
from cupel.reading.jsons import json_lines
from cupel.significance import DEFAULT_SEED

CENTRE, SPREAD = 3.2, 0.8
UNJUDGED = 6
"""Outputs of a line that nobody judged."""
AT_ONCE = 2000
"""Pairs that the teacher scores between two reports of progress."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """n distinct pairs of a reference and a system's output, and p judgments between them.

    line           (n,) the reference's number: pairs of one line have the same
    better, worse  (p,) each strict preference of a judge, as numbers of pairs
    """

    references: list[str]
    translations: list[str]
    line: IntArray
    better: IntArray
    worse: IntArray

    def __len__(self) -> int:
        return len(self.references)


def outputs_of(data: SimilarityData, more: Sequence[str] = (), unjudged: int = UNJUDGED) -> Outputs:
    """The outputs of the campaign on lines that are not held out: those that people judged, and of
    each line so many others, drawn at random.

    more: datasets whose outputs are all added, as texts alone; nobody's judgments of them are read.
    """
    held, ranked = data.held_references, data.ranked
    seen = set(zip(ranked.references, ranked.translations, strict=True))
    by_line: dict[str, dict[str, None]] = {}
    for reference, translation in _campaign(data):
        if reference not in held:
            by_line.setdefault(reference, {})[translation] = None
    rng = np.random.default_rng(DEFAULT_SEED)
    numbers: dict[tuple[str, str], int] = {}
    for reference, translations in by_line.items():
        texts = [(reference, text) for text in translations]
        others = [text for text in texts if text not in seen]
        drawn = {others[k] for k in rng.permutation(len(others))[:unjudged]}
        for text in texts:
            if text in seen or text in drawn:
                numbers.setdefault(text, len(numbers))
    for name in more:
        for text in _texts(name):
            if text[0] not in held:
                numbers.setdefault(text, len(numbers))
    if not numbers:
        raise CupelError(f"There are no outputs of {data.dataset} outside of its held-out lines.")
    lines: dict[str, int] = {}
    line = [lines.setdefault(reference, len(lines)) for reference, _ in numbers]
    every = zip(ranked.references, ranked.translations, strict=True)
    places = np.array([numbers.get(text, -1) for text in every], np.int64)
    better, worse = places[ranked.better], places[ranked.worse]
    inside = (better >= 0) & (worse >= 0)
    return Outputs(
        [reference for reference, _ in numbers],
        [translation for _, translation in numbers],
        np.array(line, np.int64),
        better[inside],
        worse[inside],
    )


def _campaign(data: SimilarityData) -> Iterator[tuple[str, str]]:
    """Reference and output of each line, language pair and system."""
    for pair in chosen_pairs(data.dataset, wmt_rankings(data.dataset), data.pairs):
        corpus = wmt_corpus(data.dataset, pair)
        for line, references in enumerate(corpus.references):
            for texts in corpus.systems.values():
                yield references[0], texts[line]


def _texts(name: str) -> Iterator[tuple[str, str]]:
    """References and outputs into English of a dataset of rankings, as campaign or as JSON."""
    folder = find(name)
    files = sorted(folder.glob("*-en.jsonl"))
    if not files:
        raise CupelError(f"{name} has no outputs to be taught from: it has no file XX-en.jsonl.")
    for path in files:
        for place, row in json_lines(path):
            try:
                reference = str(row["reference"])
                outputs = [str(text) for _, text, _ in row["items"]]
            except (KeyError, TypeError, ValueError) as error:
                raise CupelError(
                    f"{place}: a reference and items of system, text and rank were expected."
                ) from error
            for text in outputs:
                yield reference, text


def teacher_scores(
    outputs: Outputs, teacher: Metric, progress: Progress | None = None
) -> FloatArray:
    """(n,) what the teacher gives each pair."""
    scores = np.empty(len(outputs))
    for start in range(0, len(outputs), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        batch = Batch(outputs.translations[part], [[text] for text in outputs.references[part]])
        scores[part] = teacher.segment_scores(teacher.statistics(batch))
        if progress is not None:
            progress(min(start + AT_ONCE, len(outputs)), len(outputs))
    if not np.isfinite(scores).all():
        raise CupelError("The teacher gives some outputs no score: choose another metric.")
    return scores if teacher.higher_is_better else -scores


def normal_scores(scores: FloatArray) -> FloatArray:
    """(n,) the ranks of the scores as a standard normal distribution; equal scores stay equal.

    >>> normal_scores(np.array([7.0, 1.0, 3.0])).round(3).tolist()
    [0.967, -0.967, 0.0]
    """
    from statistics import NormalDist

    values, places = np.unique(scores, return_inverse=True)
    ordered = np.sort(scores)
    below = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    normal = NormalDist()
    each = [normal.inv_cdf(count / (2 * len(scores))) for count in below.tolist()]
    return np.array(each)[places]


def similarities_of(normal: Iterable[float] | FloatArray) -> FloatArray:
    """Normal scores on the scale from 1 to 5."""
    return np.clip(CENTRE + SPREAD * np.asarray(normal, np.float64), 1.0, 5.0)
