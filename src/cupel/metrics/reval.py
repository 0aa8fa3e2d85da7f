"""ReVal (Gupta et al. 2015): how similar a Tree-LSTM finds translation and reference.

Both sides are parsed and encoded by one dependency Tree-LSTM; a small network on the product and
the distance of the two vectors gives the probabilities of the similarities 1 to 5 (equation 2). Their
expectation y-hat is brought to a segment score from 0 to 1:

    score = (y-hat - 1) / 4

The system score is the mean over segments. The model that comes with Cupel was trained on WMT13
rankings turned into similarities (section 5 of the paper) and SICK; `weights=FOLDER` takes one that
`cupel train reval` wrote, and `weights=FOLDER+FOLDER+FOLDER` the mean of several, of different seeds
for example. `long=FOLDER` is the paper's *mix*: a second model for references of more than 20 words
(`limit`). Of several references the best counts.

Words are looked up in lower case; a segment without any known word is scored like any other, by
its tree and what its unknown words get (see `cupel.text.unknown_words`). An empty one has the
vector 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.learned.reval.files import PRESETS, Scorer, open_scorer
from cupel.learned.reval.model.words import plain
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.registry import register
from cupel.syntax.models import parser_missing
from cupel.syntax.parser import TreeSource, tree_source

MULTIPLE = ("best", "mean")


@register(
    "reval",
    "similarity to the reference by a Tree-LSTM (Gupta et al. 2015)",
    modules=("torch", "safetensors", "spacy"),
    extra="neural,syntax",
    check=parser_missing,
    renamed={"model=ensemble": "preset=ensemble", "model": "weights"},
)
@dataclass(frozen=True)
class ReVal(Metric):
    """Statistics: [segment score, 1].

    preset    a model that comes with Cupel: single, or ensemble, the mean of three: better on
              segments, three times the work
    weights   a folder of weights and card in place of a preset, or several, joined by `+`, whose
              similarities are averaged
    long      other models in the same form, for references of more than `limit` words
    vectors   other word vectors than those that the model names
    parser    a spaCy model; None is en_core_web_sm
    trees     a CoNLL-U file with the trees of references and translations, in place of a parser
    multiple  of several references the `best` or the `mean`
    device    auto, cpu, cuda, ...
    """

    preset: str = "single"
    weights: str | None = None
    long: str | None = None
    limit: int = 20
    vectors: str | None = None
    parser: str | None = None
    trees: str | None = None
    multiple: str = "best"
    device: str = "auto"

    name = "reval"
    decimals = 4
    higher_is_better = True

    def __post_init__(self) -> None:
        if self.multiple not in MULTIPLE:
            raise CupelError(
                f"Unknown way {self.multiple!r} to take several references for ReVal; known are: "
                f"{', '.join(MULTIPLE)}."
            )
        if self.preset not in PRESETS:
            raise CupelError(f"ReVal has no preset {self.preset!r}; it has: {', '.join(PRESETS)}.")

    @property
    def scorers(self) -> list[Scorer]:
        """The models, read once."""
        from cupel.neural.weights import embedded

        return self._opened(self.weights or str(embedded(PRESETS[self.preset])))

    def _opened(self, folders: str) -> list[Scorer]:
        # A folder that has a + in its name is one folder.
        names = [folders] if Path(folders).exists() else folders.split("+")
        return [open_scorer(name, self.vectors) for name in names]

    @property
    def source(self) -> TreeSource:
        """Where the trees come from; the models' cards say under which heads."""
        models = [*self.scorers, *(self._opened(self.long) if self.long else [])]
        heads = {str(scorer.card.get("heads", "native")) for scorer in models}
        if len(heads) > 1:
            raise CupelError(
                f"The models read trees under different heads ({', '.join(sorted(heads))}): give "
                "models of one kind."
            )
        return plain(tree_source(self.trees, self.parser, heads.pop()))

    def signature(self) -> Signature:
        scorers = self.scorers
        long = f"{_checksums(self._opened(self.long))}>{self.limit}" if self.long else None
        vectors = dict.fromkeys(scorer.vectors.signature() for scorer in scorers)
        return (
            Signature.of(
                model=_checksums(scorers),
                long=long,
                vectors="+".join(vectors),
                multiple=self.multiple,
            )
            + self.source.signature()
        )

    def prepare(self, corpus: Corpus) -> Self:
        _ = self.source  # what is wrong with a model is an error before anything is parsed
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.neural.devices import find_device

        device = find_device(self.device)
        trees = batch.analyse(self.source)
        translations = np.repeat(batch.hypothesis_index, batch.reference_counts)
        references = batch.reference_index
        pairs = trees, references, translations, device
        similarity = np.mean([s.similarities(*pairs) for s in self.scorers], axis=0, dtype=float)
        if self.long:
            rows = np.flatnonzero(trees.lengths[references] > self.limit)
            pairs = trees, references[rows], translations[rows], device
            each = [scorer.similarities(*pairs) for scorer in self._opened(self.long)]
            similarity[rows] = np.mean(each, axis=0, dtype=float)
        scores = (similarity - 1) / 4
        first = batch.reference_offsets[:-1]
        if self.multiple == "best":
            return mean_statistics(np.maximum.reduceat(scores, first))
        return mean_statistics(np.add.reduceat(scores, first) / batch.reference_counts)

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)


def _checksums(scorers: Sequence[Scorer]) -> str:
    return "+".join(scorer.checksum for scorer in scorers)
