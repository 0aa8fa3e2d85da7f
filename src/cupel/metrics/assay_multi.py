"""Assay for many languages: an encoder that matches meanings, and lexical statistics.

Measures: How good a translation into any language is, from what it shares with the reference: words
and characters, and meaning as a multilingual encoder sees it. From 0 to 1; higher is better.

Use: For translations into other languages than English, where chrf++ is the usual choice, and for single
segments. `assay` means this metric where -l names a target language other than English; into
English assay itself is better. docs/research/assay-multi.md has its agreement with people by language.

Needs: pip install 'cupel[multi]' (PyTorch and Gemma 3 270M, 250 MB, under the Gemma Terms of Use; no
network at run time). Any language; the card lists those of its training. encoder=no needs nothing
beyond Cupel, and leaves the lexical statistics. A core scores about fifteen distinct sentences a second,
with precision=bfloat16 twenty-five where the processor has such numbers.

Formula:
    score = 1 / (1 + exp(-a (l + g - c)))

l = sum_i w_i clip((x_i - m_i) / d_i, -6, 6): statistics x of both texts
(`cupel.metrics.assay_multi_features`): n-grams of characters and words by order, rare words, numbers, capitalised
words, punctuation, word order and length. g: the score of the matched pieces (`cupel.neural.gemma_match`), 0 with
encoder=no. Of several references the best counts. A translation that equals its reference has the
highest score. With a reference of more than 1,200 bytes, some sentences are scored after the other
(`cupel.metrics.assay_multi_parts`): the score is their mean by length. The score of a system is the
mean over segments.

Paper: None; it is a metric of this package. See docs/research/assay-multi.md.

Equal to: Nothing else computes it. The same weights and texts give the same score within 1e-4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from cupel.batch import Batch, FloatArray, IntArray
from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.metrics.assay_multi_parts import is_long, parts_of
from cupel.neural.weights import CARD, embedded, load_weights, read_card
from cupel.registry import register

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.neural.gemma_match import Matcher
    from cupel.neural.score_pieces import ScorePieces

KIND, TABLE = "assay-multi", "frequencies.npy"
EMBEDDED = embedded(KIND)
PRECISIONS = ("float32", "bfloat16")
LIMIT = 6.0
"""How far a standardised statistic may be from its mean, so that odd text moves no score further."""
MISSING_TORCH = (
    "assay-multi needs torch and safetensors: pip install 'cupel[multi]', or score without the "
    "encoder: assay-multi:encoder=no."
)


def _check() -> str | None:
    from cupel.neural.gemma_package import gemma_missing

    return gemma_missing()


@register(
    "assay-multi",
    "an encoder and lexical statistics of any language, trained on judgments",
    check=_check,
)
@dataclass(frozen=True)
class AssayMulti(Metric):
    """Statistics: [segment score, 1]."""

    encoder: Annotated[bool, "Match meanings with the encoder; without it only words count."] = True
    precision: Annotated[
        str,
        "Numbers in the encoder's products: float32, or bfloat16, which takes about half the time "
        "on processors that have it, and changes scores in the fourth digit.",
    ] = "float32"

    name = "assay-multi"
    higher_is_better = True
    learns = False
    longest = 100_000
    languages: ClassVar[str] = "any"
    decimals = 4

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise CupelError(
                f"Unknown value {self.precision!r} of assay-multi:precision; known are: "
                f"{', '.join(PRECISIONS)}."
            )

    def signature(self) -> Signature:
        # The card has the lexical weights, and names all other files by their checksums.
        weights = Signature.of(weights=f"{KIND}[{sha256_of(EMBEDDED / CARD)[:12]}]", long="parts")
        if not self.encoder:
            return weights + Signature.of(encoder=False)
        encoder = str(own_card()["encoder"])[:12]
        return weights + Signature.of(encoder=encoder, precision=self.precision)

    def prepare(self, corpus: Corpus) -> Self:
        if self.encoder:
            open_matcher(self.precision)  # so that what is missing is reported before scoring
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        best: FloatArray = np.maximum.reduceat(
            self._pair_scores(batch), batch.reference_offsets[:-1]
        )
        return mean_statistics(best)

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def _pair_scores(self, batch: Batch) -> FloatArray:
        """(m,) the score of each hypothesis with each of its references, long ones in parts."""
        if not any(is_long(text) for texts in batch.references for text in texts):
            return self._scaled(self.raw(batch))
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts).tolist()
        parts = parts_of(
            [batch.sentences[number] for number in hypotheses],
            [batch.sentences[number] for number in batch.reference_index.tolist()],
        )
        return parts.means(self._scaled(self.raw(parts.batch())))

    def _scaled(self, raw: FloatArray) -> FloatArray:
        level = own_card()["level" if self.encoder else "lexical-level"]
        slope, centre = float(level["slope"]), float(level["centre"])
        scores: FloatArray = 0.5 * (1.0 + np.tanh(0.5 * slope * (raw - centre)))
        return scores

    def raw(self, batch: Batch) -> FloatArray:
        """(m,) l + g of each hypothesis with each of its references, whatever their length."""
        card = own_card()
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        s = lexical_scores(batch, card)
        if self.encoder:
            s = s + _match_scores(
                batch.sentences, hypotheses, batch.reference_index, self.precision
            )
        same = float(card["level" if self.encoder else "lexical-level"]["same"])
        raw: FloatArray = np.where(hypotheses == batch.reference_index, same, np.minimum(s, same))
        return raw


def lexical_scores(batch: Batch, card: Mapping[str, Any]) -> FloatArray:
    """(m,) l of each hypothesis with each of its references."""
    from cupel.metrics.assay_multi_features import features

    names, values = features(batch, EMBEDDED / TABLE)
    if names != card["features"]:
        raise CupelError("The weights of assay-multi are for other statistics: build them again.")
    mean, deviation, weights = (np.array(card[key]) for key in ("mean", "deviation", "weights"))
    standard = np.clip((values - mean) / deviation, -LIMIT, LIMIT)
    scores: FloatArray = (standard * weights).sum(axis=1)  # row by row: a batch changes no digit
    return scores


def _match_scores(
    texts: list[str], hypotheses: IntArray, references: IntArray, precision: str
) -> FloatArray:
    """(m,) g of each pair of texts; equal pairs are matched once, and 0 where both texts are the same."""
    matcher, tokenizer = open_matcher(precision)
    scores = np.zeros(len(hypotheses))
    differ = hypotheses != references
    key, of = np.unique((hypotheses * len(texts) + references)[differ], return_inverse=True)
    if len(key):
        matched = matcher(tokenizer(texts), key // len(texts), key % len(texts))
        scores[differ] = matched[of.reshape(-1)]
    return scores


@cache
def open_matcher(precision: str = "float32") -> tuple[Matcher, ScorePieces]:
    """The encoder with its trained changes, and its tokenizer."""
    from cupel.neural.gemma_package import open_gemma

    file = open_gemma()
    try:
        import torch

        from cupel.neural.gemma import GemmaEncoder
        from cupel.neural.gemma_match import Matcher

        tensors, card = load_weights(EMBEDDED, KIND)
    except ImportError as error:
        raise MissingPart(MISSING_TORCH) from error
    from cupel.neural.score_pieces import ScorePieces

    weights = {name: value.float() for name, value in tensors.items()}
    heads = {name: value for name, value in weights.items() if name.startswith("head.")}
    kind = getattr(torch, precision)
    encoder = GemmaEncoder(file, int(card["layers"]), weights, kind)
    return Matcher(encoder, heads), ScorePieces(file.settings)


@cache
def own_card() -> Mapping[str, Any]:
    """The card: what the weights are, and those of the lexical statistics."""
    card = read_card(EMBEDDED, KIND)
    if sha256_of(EMBEDDED / TABLE) != card["frequencies"]:
        raise CupelError(f"{EMBEDDED / TABLE} is not the file that its card describes.")
    return card
