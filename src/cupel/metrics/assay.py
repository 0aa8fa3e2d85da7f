"""`assay`: contextual vectors matched word by word, weighed as people weigh translations.

A small pretrained encoder gives each word piece a vector; each piece of the translation looks for
its nearest in the reference and the other way round, alone and in its phrase; a network trained on
the preferences of WMT's judges makes a score of these matches. `cupel.learned.assay.model.network` has the
formulas, `cupel.neural.token_match` the matches, docs/assay.md what each part is worth.

A segment's score is 1 / (1 + exp(a (c - s))), with s the network's score, c its mean over the
system translations that people judged in WMT13, and a what a difference is worth on segments that
the training has not seen: the probability that a judge prefers this translation to an average one
of 2013, 0.5 for such a one. Of several references the best counts; with `multiple=soft` all do, as
log(mean(exp(s))). The score of a system is the mean. `meteor=yes` adds METEOR as one more skip arc,
w times its segment score, with w fitted on held-out lines; it needs METEOR's paraphrase table.

`assay` is trained on wmt12, wmt13 and wmt14; scores on these are not to be reported. To compare
metrics on wmt12 or wmt14 there is `assay-wmt13`, which has seen wmt13 alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from cupel.batch import Batch, FloatArray, IntArray
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.neural.weights import embedded, read_card
from cupel.neural.wordpiece import Pieces, WordPieces, encoder_missing, find_encoder
from cupel.registry import register

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cupel.alignments import Alignment
    from cupel.corpus import Corpus
    from cupel.learned.assay.model.network import Assay as Model

PRESETS = ("wmt12-14", "wmt13")
RENAMED = {f"weights=assay-{name}": f"preset={name}" for name in PRESETS}
MULTIPLE = ("best", "soft")
PRECISIONS = ("float32", "bfloat16")
AVERAGE_METEOR = 0.325
"""METEOR's mean over the translations that people judged in WMT13."""
NEEDS = ("torch", "safetensors", "tokenizers")


@dataclass(frozen=True)
class WordPieceAnalysis:
    """The word pieces of sentences, as the encoder in that folder cuts them."""

    encoder: Path

    def __call__(self, sentences: Sequence[str]) -> Pieces:
        return WordPieces.load(self.encoder)(sentences)


@register(
    "assay",
    "contextual word matches, weighed as WMT's judges do (for use)",
    modules=NEEDS,
    extra="contextual",
    check=encoder_missing,
    renamed=RENAMED,
)
@register(
    "assay-wmt13",
    "assay trained on wmt13 alone, for comparisons on wmt12 and wmt14",
    modules=NEEDS,
    extra="contextual",
    check=encoder_missing,
    renamed=RENAMED,
    preset="wmt13",
)
@dataclass(frozen=True)
class Assay(Metric):
    """Statistics: [segment score, 1].

    preset     a model that comes with Cupel, by what it is trained on: wmt12-14, wmt13
    weights    a folder that `cupel train assay` wrote, in place of a preset
    encoder    the folder of the encoder it was trained from, where that is not the default
    multiple   of several references: best, soft
    meteor     METEOR's score as one more skip arc
    precision  of the encoder: float32; bfloat16, twice as fast where the processor has it
    device     cpu, cuda, cuda:1, ...; auto is the first GPU where there is one
    """

    preset: str = "wmt12-14"
    weights: str | None = None
    encoder: str | None = None
    multiple: str = "best"
    meteor: bool = False
    precision: str = "float32"
    device: str = "auto"

    higher_is_better = True
    decimals = 4

    def __post_init__(self) -> None:
        for what, value, choices in (
            ("preset", self.preset, PRESETS),
            ("way to take several references", self.multiple, MULTIPLE),
            ("precision", self.precision, PRECISIONS),
        ):
            if value not in choices:
                raise CupelError(
                    f"Assay knows no {what} {value!r}; known are: {', '.join(choices)}."
                )

    @property
    def name(self) -> str:
        return "assay-wmt13" if self.preset == "wmt13" and self.weights is None else "assay"

    @property
    def folder(self) -> Path:
        """The folder of the weights."""
        if self.weights is None:
            return embedded(f"assay-{self.preset}")
        if not Path(self.weights).is_dir():
            raise CupelError(
                f"There are no weights {self.weights!r} for assay: name a folder that `cupel train "
                "assay` wrote."
            )
        return Path(self.weights)

    @property
    def place(self) -> Path:
        """The folder of the encoder."""
        return find_encoder(self.encoder)

    def signature(self) -> Signature:
        card = read_card(self.folder, "assay")
        return Signature.of(
            weights=f"{self.folder.name}[{str(card['sha256'])[:12]}]",
            encoder=str(card["encoder"]["sha256"])[:12],
            multiple=self.multiple,
            precision=self.precision,
        ) + self._meteor_signature(card)

    def prepare(self, corpus: Corpus) -> Self:
        self._opened()  # wrong weights, encoder or device are an error before any scoring
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        model, card = self._opened()
        raw = self._raw(batch, model, card)
        slope = self._slope(card)
        return mean_statistics(calibrated(self._over_references(raw, batch), card, slope))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def prefer(self, first: Batch, second: Batch) -> FloatArray:
        """(n,) the Bradley-Terry probability that the first translation is the better one."""
        model, card = self._opened()
        ours, theirs = (
            self._over_references(self._raw(batch, model, card), batch) for batch in (first, second)
        )
        return _sigmoid(self._slope(card) * (ours - theirs))

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which words match which of the best-scoring reference, for `cupel align`."""
        from cupel.learned.assay.model.alignment import explained

        if self.meteor:
            raise CupelError("Assay explains its own matches: leave meteor=yes out to align.")
        model, card = self._opened()
        raw = self._raw(batch, model, card)
        tokenizer = WordPieces.load(self.place)
        explanations = []
        for row, texts in enumerate(batch.references):
            start = int(batch.reference_offsets[row])
            number = int(np.argmax(raw[start : start + len(texts)]))
            explanations.append(
                explained(model, tokenizer, batch.hypotheses[row], texts[number], number, card)
            )
        return explanations

    def _opened(self) -> tuple[Model, Mapping[str, Any]]:
        from cupel.learned.assay.files import open_assay

        model, card = open_assay(self.folder, self.place, self.device, self.precision)
        if self.meteor and "meteor" not in card:
            raise CupelError(
                f"The weights in {self.folder} have no weight for METEOR: leave it out."
            )
        return model, card

    def _slope(self, card: Mapping[str, Any]) -> float:
        return float(card["meteor"]["slope"] if self.meteor else card["slope"])

    def _meteor_signature(self, card: Mapping[str, Any]) -> Signature:
        if not self.meteor:
            return Signature()
        from cupel.metrics.meteor import Meteor

        entries = dict(Meteor().signature().entries)
        return Signature.of(meteor=f"{card['meteor']['weight']}[{entries['paraphrases']}]")

    def _raw(self, batch: Batch, model: Model, card: Mapping[str, Any]) -> FloatArray:
        """(m,) the network's score of each hypothesis with each of its references."""
        from cupel.learned.assay.model.scoring import raw_scores

        pieces = batch.analyse(WordPieceAnalysis(self.place))
        longest = int(pieces.lengths.max(initial=0))
        if longest > model.encoder.window:
            # One wording, so that Python's own filter shows it once.
            warnings.warn(
                f"Segments of more than {model.encoder.window} word pieces are encoded in "
                "overlapping windows.",
                stacklevel=2,
            )
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        raw = _distinct_scores(raw_scores, model, pieces, hypotheses, batch.reference_index)
        if self.meteor:
            raw += float(card["meteor"]["weight"]) * _meteor(batch)
        return raw

    def _over_references(self, raw: FloatArray, batch: Batch) -> FloatArray:
        first = batch.reference_offsets[:-1]
        best = np.maximum.reduceat(raw, first)
        if self.multiple == "best":
            return best
        row = np.repeat(np.arange(len(batch)), batch.reference_counts)
        key = row * len(batch.sentences) + batch.reference_index
        once = np.zeros(len(raw))  # a reference that is there twice is one reference
        once[np.unique(key, return_index=True)[1]] = 1.0
        total = np.add.reduceat(np.exp(raw - best[row]) * once, first)
        return best + np.log(total / np.add.reduceat(once, first))


def _distinct_scores(
    scorer: Any, model: Model, pieces: Pieces, hypotheses: IntArray, references: IntArray
) -> FloatArray:
    """Each distinct pair of sentences once, in the order of first appearance."""
    key = hypotheses * len(pieces) + references
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    chosen = first[order]
    scores = scorer(model, pieces, hypotheses[chosen], references[chosen]).astype(np.float64)
    each: FloatArray = scores[rank[of]]
    return each


def _meteor(batch: Batch) -> FloatArray:
    """(m,) how far METEOR's score of each hypothesis with each reference is above its mean."""
    from cupel.metrics.meteor import Meteor

    counts = batch.reference_counts.tolist()
    alone = Batch(
        [text for text, count in zip(batch.hypotheses, counts, strict=True) for _ in range(count)],
        [[text] for texts in batch.references for text in texts],
    )
    metric = Meteor()
    return metric.score(metric.statistics(alone)) - AVERAGE_METEOR


def calibrated(raw: FloatArray, card: Mapping[str, Any], slope: float) -> FloatArray:
    """The network's scores as probabilities to be preferred to an average translation."""
    return _sigmoid(slope * (raw - float(card["centre"])))


def _sigmoid(x: FloatArray) -> FloatArray:
    return 0.5 * (1.0 + np.tanh(0.5 * x))
