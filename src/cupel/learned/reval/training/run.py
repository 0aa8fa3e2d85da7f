"""Training ReVal from text: a similarity set is parsed, its words looked up, a model trained.

`cupel train reval` is this from the command line. The folder that comes out is what
`reval:weights=FOLDER` scores with.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import IntArray
from cupel.console import Progress
from cupel.errors import CupelError
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
from cupel.syntax.parser import TreeSource, tree_source
from cupel.syntax.trees import Trees
from cupel.text.vectors import EMBEDDED, open_vectors


@dataclass(frozen=True)
class Reading:
    """How text becomes what the model reads; all of it is kept in the card.

    vectors  see `cupel.text.vectors`
    unknown  see `cupel.text.unknown_words`
    heads    of the trees: native or penn2malt
    parser   a spaCy model; None is en_core_web_sm
    trees    a CoNLL-U file in place of a parser
    """

    vectors: str = EMBEDDED
    unknown: str = "hash"
    heads: str = "native"
    parser: str | None = None
    trees: str | None = None

    @property
    def source(self) -> TreeSource:
        """Where the trees come from."""
        return plain(tree_source(self.trees, self.parser, self.heads))


def prepare(
    data: SimilaritySet, reading: Reading, progress: Progress | None = None
) -> tuple[Prepared, list[str]]:
    """The arrays that a training reads, and the word of each row of the vectors."""
    for part in ("train", "dev"):
        if not len(getattr(data, part)):
            raise CupelError(f"The {part} part of the set {data.name} is empty.")
    numbers: dict[str, int] = {}
    sides = [_numbered(part, numbers) for part in (data.train, data.dev)]
    trees = parsed(reading.source, list(numbers), progress)
    forest, words = forest_of(trees)
    matrix = word_matrix(words, open_vectors(reading.vectors), reading.unknown)
    return Prepared(forest, matrix, *sides), words


def parsed(source: TreeSource, texts: list[str], progress: Progress | None) -> Trees:
    """The trees of the texts, with a report of how many are parsed."""
    if isinstance(source, Unescaped):
        source.parser([unescaped(text) for text in texts], progress)
    return source(texts)


def _numbered(part: Examples, numbers: dict[str, int]) -> Pairs:
    def rows(texts: list[str]) -> IntArray:
        each = (numbers.setdefault(text, len(numbers)) for text in texts)
        return np.fromiter(each, np.int64, len(texts))

    return Pairs(rows(part.references), rows(part.translations), part.similarity)


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
    identity = _identity(data, reading)
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


def _identity(data: SimilaritySet, reading: Reading) -> str:
    """A hash of all text, similarities, trees' source and vectors."""
    digest = hashlib.sha256(data.tsv().encode("utf-8", "surrogatepass"))
    digest.update(str(reading.source.signature()).encode())
    digest.update(f"{open_vectors(reading.vectors).digest}|{reading.unknown}".encode())
    return digest.hexdigest()[:16]


def _card(
    data: SimilaritySet, design: Design, how: Training, reading: Reading, trained: Trained
) -> dict[str, Any]:
    best = trained.best
    return {
        "model": design.record(),
        "vectors": reading.vectors,
        "vectors_digest": open_vectors(reading.vectors).digest[:12],
        "unknown": reading.unknown,
        "heads": reading.heads,
        "trees": str(reading.source.signature()),
        "data": {
            "set": data.name,
            "origins": sorted({*data.train.origin, *data.dev.origin}),
            "train": len(data.train),
            "dev": len(data.dev),
        },
        "training": how.record(),
        "dev": {"epoch": best.epoch, "pearson": round(best.figures["pearson"], 4)},
    }
