"""Training ReVal from a teacher: all outputs of a campaign are scored and parsed, a model trained.

`cupel train reval --teacher METRIC` is this from the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.console import Progress
from cupel.learned.manifest import licences
from cupel.learned.reval.data.examples import Examples, SimilarityData
from cupel.learned.reval.data.taught import (
    UNJUDGED,
    Outputs,
    normal_scores,
    outputs_of,
    teacher_scores,
)
from cupel.learned.reval.files import KIND
from cupel.learned.reval.model.network import Design
from cupel.learned.reval.model.words import forest_of, word_matrix
from cupel.learned.reval.training.loop import Trained
from cupel.learned.reval.training.run import Reading, numbered, numbered_pairs, parsed
from cupel.learned.reval.training.settings import Teaching
from cupel.learned.reval.training.taught import Judged, Lessons, teach
from cupel.metric import Metric
from cupel.neural.checkpoints import Run
from cupel.neural.devices import find_device
from cupel.neural.training import Report
from cupel.neural.weights import check_untrained, save_weights
from cupel.text.vectors import open_vectors


@dataclass(frozen=True, eq=False)
class Taught:
    """Outputs with the scores of their teacher, and what else a model learns from.

    graded  pairs with similarities of their own (SICK)
    """

    data: SimilarityData
    outputs: Outputs
    teacher: Metric
    scores: FloatArray
    graded: Examples | None
    more: Sequence[str]


def taught_by(
    teacher: Metric,
    data: SimilarityData,
    more: Sequence[str] = (),
    graded: Examples | None = None,
    unjudged: int = UNJUDGED,
    progress: Progress | None = None,
) -> Taught:
    """Let the teacher score outputs; more, unjudged: as for `outputs_of`."""
    outputs = outputs_of(data, more, unjudged)
    scores = teacher_scores(outputs, teacher, progress)
    return Taught(data, outputs, teacher, scores, graded, more)


def train_taught(
    taught: Taught,
    folder: Path | str,
    design: Design,
    how: Teaching,
    reading: Reading,
    *,
    parsing: Progress | None = None,
    progress: Progress | None = None,
    report: Report | None = None,
) -> Trained:
    """Train, and write weights, card and log; a training that was stopped goes on where it was.

    parsing, progress: called with (done, total) sentences and batches.
    """
    check_untrained(folder)
    find_device(how.device)
    lessons = prepared(taught, reading, parsing)
    trained = teach(
        lessons, design, how, folder=folder, data=reading.identity(_content(taught)), progress=progress,
        report=report,
    )  # fmt: skip
    best, graded = trained.best, taught.graded
    origins = sorted(set(graded.origin)) if graded is not None else []
    card = {
        "model": design.record(),
        **reading.record(),
        "licences": licences([taught.data.dataset, *taught.more, *origins, taught.teacher.name]),
        "data": {
            "judgments": taught.data.dataset,
            "outputs": [taught.data.dataset, *taught.more],
            "teacher": str(taught.teacher.signature()),
            "graded": origins,
            "train": len(taught.outputs),
            "lines": int(taught.outputs.line.max()) + 1,
        },
        "training": how.record(),
        "dev": {"epoch": best.epoch, "tau": round(best.figures["tau"], 4)},
    }
    save_weights(folder, KIND, dict(trained.tensors), card)
    Run(folder, {}).finish()
    return trained


def prepared(taught: Taught, reading: Reading, progress: Progress | None = None) -> Lessons:
    """The arrays that a training reads."""
    numbers: dict[str, int] = {}

    def rows(texts: Sequence[str]) -> IntArray:
        return numbered(texts, numbers)

    outputs, graded, ranked = taught.outputs, taught.graded, taught.data.ranked
    pairs = Judged(
        rows(outputs.references), rows(outputs.translations), outputs.better, outputs.worse
    )
    marks = numbered_pairs(graded, numbers) if graded is not None else None
    held = np.flatnonzero(np.isin(ranked.line, np.concatenate(taught.data.lines)))
    place = np.full(len(ranked), -1)
    place[held] = np.arange(len(held))
    inside = (place[ranked.better] >= 0) & (place[ranked.worse] >= 0)
    dev = Judged(
        rows([ranked.references[row] for row in held]),
        rows([ranked.translations[row] for row in held]),
        place[ranked.better[inside]],
        place[ranked.worse[inside]],
    )
    forest, words = forest_of(parsed(reading.source, list(numbers), progress))
    matrix = word_matrix(words, open_vectors(reading.vectors), reading.unknown)
    normal = normal_scores(taught.scores)
    return Lessons(forest, matrix, pairs, outputs.line, normal, marks, dev)


def _content(taught: Taught) -> bytes:
    """All text and scores, which name a training."""
    outputs = taught.outputs
    texts = "\n".join([*outputs.references, *outputs.translations, str(taught.graded is not None)])
    return taught.scores.round(6).tobytes() + texts.encode("utf-8", "surrogatepass")
