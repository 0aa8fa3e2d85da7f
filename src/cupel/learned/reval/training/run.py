"""Training ReVal from text: a similarity set is parsed, its words looked up, a model trained.

`cupel train reval` is this from the command line. The folder that comes out is what
`reval:weights=FOLDER` scores with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import IntArray
from cupel.console import Progress
from cupel.errors import CupelError
from cupel.learned.manifest import licences
from cupel.learned.reval.data.examples import Examples, SimilaritySet
from cupel.learned.reval.files import KIND, TUNED, TUNED_WORDS
from cupel.learned.reval.model.network import Design
from cupel.learned.reval.model.words import Unescaped, forest_of, plain, unescaped, word_matrix
from cupel.learned.reval.training.loop import Pairs, Prepared, Trained, train
from cupel.learned.reval.training.settings import Training
from cupel.neural.checkpoints import Run
from cupel.neural.devices import find_device
from cupel.neural.training import Report
from cupel.neural.weights import check_untrained, save_weights
from cupel.questions.train_reval import RevalReading
from cupel.syntax.parser import TreeSource, tree_source
from cupel.syntax.trees import Trees
from cupel.text.vectors import open_vectors


@dataclass(frozen=True)
class Reading(RevalReading):
    """How text becomes what the model reads; all of it is kept in the card.

    vectors  see `cupel.text.vectors`
    unknown  see `cupel.text.unknown_words`
    heads    of the trees: native or penn2malt
    parser   a spaCy model; None is en_core_web_sm
    trees    a CoNLL-U file in place of a parser
    """

    @property
    def source(self) -> TreeSource:
        """Where the trees come from."""
        return plain(tree_source(self.trees, self.parser, self.heads))

    def record(self) -> dict[str, str]:
        """What a card says of it."""
        return {
            "vectors": self.vectors,
            "vectors_digest": open_vectors(self.vectors).digest[:12],
            "unknown": self.unknown,
            "heads": self.heads,
            "trees": str(self.source.signature()),
        }

    def identity(self, content: bytes) -> str:
        """A hash of what is read, of the trees' source and of the vectors."""
        digest = hashlib.sha256(content)
        digest.update(str(self.source.signature()).encode())
        digest.update(f"{open_vectors(self.vectors).digest}|{self.unknown}".encode())
        return digest.hexdigest()[:16]


def prepare(
    data: SimilaritySet, reading: Reading, progress: Progress | None = None
) -> tuple[Prepared, list[str]]:
    """The arrays that a training reads, and the word of each row of the vectors."""
    for part in ("train", "dev"):
        if not len(getattr(data, part)):
            raise CupelError(f"The {part} part of the set {data.name} is empty.")
    numbers: dict[str, int] = {}
    sides = [numbered_pairs(part, numbers) for part in (data.train, data.dev)]
    trees = parsed(reading.source, list(numbers), progress)
    forest, words = forest_of(trees)
    matrix = word_matrix(words, open_vectors(reading.vectors), reading.unknown)
    return Prepared(forest, matrix, *sides), words


def parsed(source: TreeSource, texts: list[str], progress: Progress | None) -> Trees:
    """The trees of the texts, with a report of how many are parsed."""
    if isinstance(source, Unescaped):
        source.parser([unescaped(text) for text in texts], progress)
    return source(texts)


def numbered(texts: Sequence[str], numbers: dict[str, int]) -> IntArray:
    """The number of each text; new ones are added to `numbers`."""
    each = (numbers.setdefault(text, len(numbers)) for text in texts)
    return np.fromiter(each, np.int64, len(texts))


def numbered_pairs(part: Examples, numbers: dict[str, int]) -> Pairs:
    """The texts of examples as numbers, with their similarities."""
    references = numbered(part.references, numbers)
    return Pairs(references, numbered(part.translations, numbers), part.similarity)


def train_reval(
    data: SimilaritySet,
    folder: Path | str,
    design: Design,
    how: Training,
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
    find_device(how.device)  # one that is not there is an error before any work
    prepared, words = prepare(data, reading, parsing)
    identity = reading.identity(data.tsv().encode("utf-8", "surrogatepass"))
    trained = train(
        prepared, design, how, folder=folder, data=identity, progress=progress, report=report
    )
    tensors, card = dict(trained.tensors), _card(data, design, how, reading, trained)
    if TUNED in tensors:
        tuned = tensors[TUNED].cpu()
        changed = np.flatnonzero((tuned.numpy() != prepared.vectors).any(axis=1))
        tensors[TUNED], card[TUNED_WORDS] = tuned[changed], [words[row] for row in changed]
    save_weights(folder, KIND, tensors, card)
    Run(folder, {}).finish()
    return trained


def _card(
    data: SimilaritySet, design: Design, how: Training, reading: Reading, trained: Trained
) -> dict[str, Any]:
    best, origins = trained.best, sorted({*data.train.origin, *data.dev.origin})
    return {
        "model": design.record(),
        **reading.record(),
        "licences": licences(origins),
        "data": {
            "set": data.name,
            "origins": origins,
            "train": len(data.train),
            "dev": len(data.dev),
        },
        "training": how.record(),
        "dev": {"epoch": best.epoch, "pearson": round(best.figures["pearson"], 4)},
    }
