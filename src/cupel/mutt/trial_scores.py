"""The scores of trials, and their texts as files that any program can score.

Originals and corruptions are two systems of one corpus, so that what is computed of references is
shared; the segments are the trials of all sets in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.folders import writing_folder
from cupel.metric import Metric
from cupel.metrics.external import Source
from cupel.mutt.suites import TrialSet
from cupel.scores import Scores
from cupel.scoring import score_corpus

ORIGINAL, CORRUPTED = "original", "corrupted"

Pairs = list[tuple[FloatArray, FloatArray]]
"""Of each set of trials the scores of the originals and of the corruptions."""


@dataclass(frozen=True)
class TrialScores:
    """Metrics, and by their labels the scores and signatures."""

    metrics: Mapping[str, Metric]
    pairs: Mapping[str, Pairs]
    signatures: Mapping[str, str]


def trial_scores(
    sets: Sequence[TrialSet],
    metrics: Mapping[str, Metric],
    external: Sequence[Source] = (),
    lower: Sequence[str] = (),
    workers: int = 1,
    progress: Progress | None = None,
) -> TrialScores:
    """The scores of all metrics, and of those that others computed.

    A metric that learns from the references (CIDEr its document frequencies) learns from those of
    each set by itself, as if it had been run on that set; all others score all sets at once.
    """
    corpora = [trial_corpus([trials]) for trials in sets]
    alone = [label for label, m in metrics.items() if m.prepare(corpora[0]) is not m]
    together = {label: metric for label, metric in metrics.items() if label not in alone}
    pairs: dict[str, Pairs] = {}
    signatures: dict[str, str] = {}
    every = dict(metrics)
    if together or external or lower:
        pooled = score_corpus(
            trial_corpus(sets),
            together,
            external=external,
            lower=lower,
            workers=workers,
            progress=progress,
        )
        signatures |= pooled.signatures
        ends = np.cumsum([0, *map(len, sets)])
        for label, metric in pooled.metrics.items():
            if label in alone:
                raise CupelError(f"The metric {label!r} is asked for twice.")
            both = _both(pooled, label)
            pairs[label] = [
                (both[0][start:end], both[1][start:end]) for start, end in pairwise(ends)
            ]
            every.setdefault(label, metric)
    for label in alone:
        each = [score_corpus(c, {label: metrics[label]}, workers=workers) for c in corpora]
        pairs[label] = [_both(one, label) for one in each]
        signatures[label] = each[0].signatures[label]
    named = {label: _without_references(signatures[label]) for label in every}
    return TrialScores(every, pairs, named)


def trial_corpus(sets: Sequence[TrialSet]) -> Corpus:
    """The trials of all sets as segments."""
    trials = [trial for one in sets for trial in one.trials]
    has_sources = all(trial.source is not None for trial in trials)
    return Corpus(
        {ORIGINAL: [t.original for t in trials], CORRUPTED: [t.corrupted for t in trials]},
        [t.references for t in trials],
        [t.source or "" for t in trials] if has_sources else None,
    )


def write_texts(sets: Sequence[TrialSet], folder: Path) -> int:
    """Write the texts of trials into a new folder, one line per trial; how many there are.

    original.txt, corrupted.txt, reference-1.txt, ... (an empty line where a trial has fewer),
    source.txt if there are sources, and trials.tsv: number, corruption, kind.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CupelError(f"{folder} is not an empty folder: name one that does not exist yet.")
    corpus = trial_corpus(sets)
    texts = {f"{name}.txt": list(lines) for name, lines in corpus.systems.items()}
    for number in range(max(map(len, corpus.references))):
        lines = [one[number] if number < len(one) else "" for one in corpus.references]
        texts[f"reference-{number + 1}.txt"] = lines
    if corpus.sources is not None:
        texts["source.txt"] = list(corpus.sources)
    kinds = [f"{one.corruption}\t{one.kind.value}" for one in sets for _ in one.trials]
    rows = [f"{number}\t{kind}" for number, kind in enumerate(kinds, start=1)]
    for name, lines in texts.items():
        for number, line in enumerate(lines, start=1):
            if "\n" in line or "\r" in line:
                raise CupelError(
                    f"Trial {number} cannot be a line of {name}: its text has a line break."
                )
    with writing_folder(folder) as beside:
        for name, lines in {**texts, "trials.tsv": ["number\tcorruption\tkind", *rows]}.items():
            content = "".join(f"{line}\n" for line in lines)
            (beside / name).write_text(content, encoding="utf-8", newline="")
    return len(corpus)


def _both(scores: Scores, label: str) -> tuple[FloatArray, FloatArray]:
    return scores.segment_scores(label, ORIGINAL), scores.segment_scores(label, CORRUPTED)


def _without_references(signature: str) -> str:
    """The number of references is a column of the results."""
    return "|".join(part for part in signature.split("|") if not part.startswith("nrefs:"))
