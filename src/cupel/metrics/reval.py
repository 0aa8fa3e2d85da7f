"""ReVal: similarity of translation and reference by a Tree-LSTM over their parse trees.

Measures: How similar the meanings are, on the paper's scale of similarities from 1 to 5 brought
to 0 to 1; higher is better.

Use: For systems into English, and as an example of a metric trained on rankings; you can train it
on your own (`cupel train reval`). assay and nnrk agree better with people on segments.

Needs: pip install 'cupel[reval]' (PyTorch, spaCy with its English model, weights). English; other
languages with a model that you trained, a parser and word vectors. Both sides are parsed.

Formula:
    score = (y - 1) / 4

y: the expected similarity. Both sides are encoded by one dependency Tree-LSTM; a small network on
the product and the distance of the two vectors gives the probabilities of the similarities 1 to 5
(equation 2). The system score is the mean over segments. The model `taught` learned from WMT13
rankings, from the scores that assay-wmt13 gives to outputs of WMT13 and WMT15, and from SICK;
`single` from WMT13 rankings turned into similarities (section 5 of the paper) and from SICK. Several
models (`weights=A+B`) are averaged. long=FOLDER is the paper's *mix*, a second model for long references. Words
are looked up in lower case; a segment without any known word is scored by its tree and the
vectors of unknown words (`cupel.text.unknown_words`), and an empty one has the vector 0.

Paper: Rohit Gupta, Constantin Orăsan and Josef van Genabith. 2015. ReVal: A Simple and Effective
Machine Translation Evaluation Metric Based on Recurrent Neural Networks. EMNLP 2015.

Equal to: It was not compared with the authors' program; docs/research/reval.md compares the
results with those of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.learned.reval.files import PRESETS, Scorer, open_scorer
from cupel.learned.reval.model.words import plain
from cupel.metric import SegmentMean, Signature, mean_statistics
from cupel.metrics import shared_options as option
from cupel.models import model_folder, what_is_missing
from cupel.options import Range
from cupel.registry import register
from cupel.syntax.models import parser_missing
from cupel.syntax.parser import TreeSource, tree_source

MULTIPLE = ("best", "mean")


@register(
    "reval",
    "similarity to the reference by a Tree-LSTM over both parse trees (Gupta et al. 2015)",
    modules=("torch", "safetensors", "spacy"),
    extra="reval",
    check=lambda: parser_missing() or what_is_missing("reval"),
)
@dataclass(frozen=True)
class ReVal(SegmentMean):
    """Statistics: [segment score, 1]."""

    preset: Annotated[
        str,
        "Trained model: taught, which learned from the scores of assay-wmt13 too; or single, trained as "
        "in the paper.",
    ] = "taught"
    weights: Annotated[
        str | None,
        "Folder that `cupel train reval` wrote; several, joined by +, are averaged (default: the "
        "preset's model).",
    ] = None
    long: Annotated[
        str | None, "Folder of another model for long references (default: the same model)."
    ] = None
    limit: Annotated[
        int, "References of more words than this are scored by long.", Range(0, 1_000_000)
    ] = 20
    vectors: Annotated[
        str | None, "Word vectors: a name or a file (default: those the model was trained with)."
    ] = None
    parser: option.SpacyModel = None
    trees: option.BothTrees = None
    multiple: option.Multiple = "best"
    device: option.Device = "auto"

    name = "reval"
    languages: ClassVar[str] = "English; others with a model of your own"
    decimals = 4
    higher_is_better = True
    costly = True
    longest = 100_000
    learns = False

    @property
    def made_for(self) -> str | None:
        """English, unless the model is your own."""
        return "en" if self.weights is None else None

    def __post_init__(self) -> None:
        for name, value, values in (
            ("multiple", self.multiple, MULTIPLE),
            ("preset", self.preset, tuple(PRESETS)),
        ):
            if value not in values:
                raise CupelError(
                    f"Unknown value {value!r} of reval:{name}; known are: {', '.join(values)}."
                )

    @property
    def scorers(self) -> list[Scorer]:
        """The models, read once."""
        return self._opened(self.weights or str(model_folder(PRESETS[self.preset])))

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
                f"The models were trained with different head conventions "
                f"({', '.join(sorted(heads))}): give models with the same one."
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
        _ = self.source  # so that an error in a model is reported before anything is parsed
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
            by_model = [scorer.similarities(*pairs) for scorer in self._opened(self.long)]
            similarity[rows] = np.mean(by_model, axis=0, dtype=float)
        scores = (similarity - 1) / 4
        first = batch.reference_offsets[:-1]
        if self.multiple == "best":
            return mean_statistics(np.maximum.reduceat(scores, first))
        return mean_statistics(np.add.reduceat(scores, first) / batch.reference_counts)


def _checksums(scorers: Sequence[Scorer]) -> str:
    return "+".join(scorer.checksum for scorer in scorers)
