"""METEOR 1.5: words and phrases aligned by form, stem, synonym and paraphrase.

Measures: How many words of translation and reference match, content words counting more than
function words, and how much the order differs. From 0 to 1; higher is better.

Use: For single segments without a trained metric, and to see why a score is low (`cupel align`).
For systems chrf and redp agree with people at least as well.

Needs: pip install 'cupel[meteor]' for the paraphrase table (compiled once, about three seconds), or
modules=exact,stem,synonym to do without. English (en), and with a paraphrase table for them cs,
de, es, fr and ru. Any other language=CODE compares words and, where Snowball has a stemmer, stems,
with the parameters of Meteor Universal; its function words are the frequent words of the references.

Formula:
    P = sum over i of w_i (delta mc_i + (1 - delta) mf_i) / (delta hc + (1 - delta) hf)
    F = P R / (alpha P + (1 - alpha) R)
    METEOR = F (1 - gamma (chunks / m) ^ beta)

mc_i, mf_i: content and function words of the translation that matcher i matched; hc, hf: all of
them; R: the same as P over the reference; m: the mean of the words matched on either side;
chunks: the runs of matches that are contiguous in both. The alignment is one to one (see
`cupel.kernels.alignment`). Of several references the one with the
best score counts; the score of a system is that of the summed statistics.

Paper: Michael Denkowski and Alon Lavie. 2014. Meteor Universal: Language Specific Translation
Evaluation for Any Target Language. WMT 2014.

Equal to: meteor-1.5.jar with -norm, in all 23 statistics of every segment compared
(docs/research/metrics.md), without Java.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.checksums import sha256_of
from cupel.metric import Metric, Signature, ratio
from cupel.metrics import shared_options as option
from cupel.metrics.meteor_tasks import (
    MODULES,
    Parameters,
    available_modules,
    check_modules,
    matchers_of,
    parameters,
)
from cupel.registry import register
from cupel.text.meteor_lexicon import Analysis, MeteorAnalysis
from cupel.text.meteor_words import METEOR_LANGUAGES, frequent_words
from cupel.text.paraphrases import find_table, open_paraphrases, table_missing

if TYPE_CHECKING:
    from cupel.alignments import Alignment
    from cupel.corpus import Corpus

BEAM = 40
"""How many paths the alignment search keeps, as in METEOR."""

_CHUNKS, _HYPOTHESIS_MATCHES, _REFERENCE_MATCHES = 20, 21, 22

_NO_ENTRIES = np.zeros(0, np.int32)


@register(
    "meteor",
    "METEOR 1.5: words aligned by form, stem, synonym and paraphrase; as meteor-1.5.jar",
    check=table_missing,
)
@dataclass(frozen=True)
class Meteor(Metric):
    """Statistics: the 23 numbers of METEOR, see `cupel.kernels.alignment.STATISTICS`."""

    language: option.AnyLanguage = "en"
    task: Annotated[
        str,
        "What the parameters were tuned for: rank (rankings of WMT), adq (adequacy), hter, li (one "
        "set for all languages), tune (balanced, for tuning translation systems).",
    ] = "rank"
    modules: option.Modules = None
    paraphrases: option.Paraphrases = None
    _function: frozenset[str] | None = field(default=None, repr=False)

    name = "meteor"
    languages: ClassVar[str] = "any; English, cs, de, es, fr, ru with paraphrases"
    higher_is_better = True
    counts = True
    decimals = 4

    @property
    def made_for(self) -> str:
        return self.language

    @classmethod
    def language_options(cls, language: str, options: str) -> dict[str, object]:
        """The language; without paraphrases, of which there is a table to install for English only."""
        if language == "en" or "paraphrases=" in options:
            return {"language": language}
        modules = [name for name in available_modules(language) if name != "paraphrase"]
        return {"language": language, "modules": ",".join(modules)}

    def __post_init__(self) -> None:
        check_modules(self.modules, self.language, self.paraphrases)
        _ = self.parameters, self.table

    @property
    def learns(self) -> bool:
        """Whether the references say what its function words are."""
        return self.language not in METEOR_LANGUAGES

    @property
    def matchers(self) -> tuple[str, ...]:
        """The matchers in use, in their order."""
        return matchers_of(self.modules, self.language)

    @property
    def parameters(self) -> Parameters:
        """Those of the task; named matchers get its weights by their place, as with METEOR's -m."""
        tuned = parameters(self.task, self.language)
        missing = (0.0,) * (len(self.matchers) - len(tuned.weights))
        weights = (tuned.weights + missing)[: len(self.matchers)]
        return replace(tuned, weights=weights)

    @property
    def table(self) -> Path | None:
        """The file of the paraphrase table, where it is used."""
        if "paraphrase" not in self.matchers:
            return None
        return find_table(self.language, self.paraphrases)

    @property
    def analyser(self) -> MeteorAnalysis:
        stems, synonyms = "stem" in self.matchers, "synonym" in self.matchers
        return MeteorAnalysis(self.language, stems, synonyms, self.table, self._function)

    def signature(self) -> Signature:
        return Signature.of(
            lang=self.language,
            task="universal" if self.learns and self.task == "rank" else self.task,
            modules=",".join(self.matchers),
            paraphrases=sha256_of(self.table)[:12] if self.table else None,
            function="frequent" if self.learns else None,
            tok="script" if self.learns else "meteor-1.5-norm",
        )

    def prepare(self, corpus: Corpus) -> Self:
        """Compile the paraphrase table here, once, if the cache does not have it yet.

        For a language that METEOR has no list for, frequent words of the references become its
        function words.
        """
        if self.table:
            open_paraphrases(self.table)
        if not self.learns:
            return self
        return replace(self, _function=frequent_words(chain.from_iterable(corpus.references)))

    def statistics(self, batch: Batch) -> FloatArray:
        analysis = batch.analyse(self.analyser)
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        rows, _, _ = self._align(analysis, hypotheses, batch.reference_index, keep=False)
        return rows[self._best(rows, batch.reference_offsets)]

    def score(self, statistics: FloatArray) -> FloatArray:
        precision, recall = self.precision_and_recall(statistics)
        with np.errstate(invalid="ignore"):
            score = self.f_mean(precision, recall) * (1.0 - self.penalty(statistics))
        # 0/0: nothing matched, or there was nothing to match.
        return np.where(np.isnan(score), 0.0, np.maximum(score, 0.0))

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Precision, recall, their mean F, the fragmentation penalty, chunks, matches, lengths.

        NaN is what cannot be computed without words or matches. chunks: without those of segments
        that are matched as a whole; matches: words matched, the mean of either side.
        """
        precision, recall = self.precision_and_recall(statistics)
        return {
            "precision": precision,
            "recall": recall,
            "f-mean": self.f_mean(precision, recall),
            "penalty": self.penalty(statistics),
            "chunks": statistics[..., _CHUNKS],
            "matches": statistics[..., _HYPOTHESIS_MATCHES : _REFERENCE_MATCHES + 1].mean(axis=-1),
            "hypothesis-length": statistics[..., 0],
            "reference-length": statistics[..., 1],
        }

    def ratios(self, statistics: FloatArray) -> FloatArray:
        """Score, P, R, penalty; chunks, and matched words by matcher and kind, over the reference's."""
        parts = [self.score(statistics), *self.precision_and_recall(statistics)]
        parts += [self.penalty(statistics), ratio(statistics[..., _CHUNKS], statistics[..., 1])]
        lengths = np.maximum(statistics[..., 1:2], 1.0)
        matched = statistics[..., 5 : 4 + 4 * len(self.matchers) : 2] / lengths
        return np.concatenate([np.nan_to_num(np.stack(parts, axis=-1)), matched], axis=-1)

    def f_mean(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        """F; NaN where P or R is."""
        alpha = self.parameters.alpha
        with np.errstate(divide="ignore", invalid="ignore"):
            mean: FloatArray = 1.0 / ((1.0 - alpha) / precision + alpha / recall)
        return mean

    def precision_and_recall(self, statistics: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P and R, words weighted by matcher and by kind; NaN where there are no words."""
        # In the order in which the jar sums, so that the last bit is the same.
        delta, weights = self.parameters.delta, self.parameters.weights
        sides: list[FloatArray] = []
        for side in (0, 1):
            function = statistics[..., 2 + side]
            length = delta * (statistics[..., side] - function) + (1.0 - delta) * function
            matched = np.zeros(statistics.shape[:-1])
            for stage, weight in enumerate(weights):
                matched = matched + statistics[..., 4 + 4 * stage + side] * weight * delta
            for stage, weight in enumerate(weights):
                matched = matched + statistics[..., 6 + 4 * stage + side] * weight * (1.0 - delta)
            with np.errstate(divide="ignore", invalid="ignore"):
                sides.append(matched / length)
        return sides[0], sides[1]

    def penalty(self, statistics: FloatArray) -> FloatArray:
        """The fragmentation penalty; NaN where nothing matched."""
        matched = statistics[..., _HYPOTHESIS_MATCHES] + statistics[..., _REFERENCE_MATCHES]
        with np.errstate(divide="ignore", invalid="ignore"):
            fragmentation = statistics[..., _CHUNKS] / (matched / 2)
            penalty: FloatArray = self.parameters.gamma * fragmentation**self.parameters.beta
        return penalty

    def alignments(self, batch: Batch) -> list[Alignment]:
        """How each hypothesis aligns with its best-scoring reference, for `cupel align`."""
        analysis = batch.analyse(self.analyser)
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        rows, matches, offsets = self._align(analysis, hypotheses, batch.reference_index, keep=True)
        best = self._best(rows, batch.reference_offsets)
        number = best - batch.reference_offsets[:-1]
        return [
            self._alignment(
                analysis.tokens.of(int(hypotheses[row])),
                analysis.tokens.of(int(batch.reference_index[row])),
                matches[offsets[row] : offsets[row + 1]].tolist(),
                rows[row],
                int(reference),
            )
            for row, reference in zip(best.tolist(), number.tolist(), strict=True)
        ]

    def _alignment(
        self,
        hypothesis: Sequence[str],
        reference: Sequence[str],
        matches: Sequence[Sequence[int]],
        statistics: FloatArray,
        number: int,
    ) -> Alignment:
        """The matches of a pair (rows as in `cupel.kernels.alignment`) with its score and its parts."""
        from cupel.alignments import Alignment, Link

        links, chunk, following = [], 0, (-1, -1)
        for start, length, own_start, own_length, stage in matches:
            chunk += (own_start, start) != following
            following = own_start + own_length, start + length
            words = tuple(range(own_start, following[0])), tuple(range(start, following[1]))
            weight = self.parameters.weights[stage]
            links.append(Link(*words, self.matchers[stage], weight, chunk))
        precision, recall = self.precision_and_recall(statistics)
        parts = {
            "precision": float(precision),
            "recall": float(recall),
            "chunks": float(chunk),
            "penalty": float(self.penalty(statistics)),
        }
        details = {name: value for name, value in parts.items() if value == value}  # NaN: no words
        return Alignment(
            hypothesis, reference, number, links, float(self.score(statistics)), details
        )

    def _align(
        self, analysis: Analysis, hypotheses: IntArray, references: IntArray, keep: bool
    ) -> tuple[FloatArray, np.ndarray, IntArray]:
        modules = np.array([MODULES.index(name) for name in self.matchers], np.int32)
        rows, matches, offsets = align_pairs(
            analysis, self.table, modules, hypotheses, references, keep
        )
        # A segment matched as a whole, in one chunk, is not fragmented: METEOR leaves its chunk
        # out of the segment's penalty and of the system's sum.
        whole = (rows[:, _HYPOTHESIS_MATCHES] == rows[:, 0]) & (
            rows[:, _REFERENCE_MATCHES] == rows[:, 1]
        )
        rows[whole & (rows[:, _CHUNKS] == 1), _CHUNKS] = 0
        return rows, matches, offsets

    def _best(self, rows: FloatArray, offsets: IntArray) -> IntArray:
        """Of the rows of each item the best-scoring one, the first of equals."""
        scores = self.score(rows)
        best = np.repeat(np.maximum.reduceat(scores, offsets[:-1]), np.diff(offsets))
        places = np.flatnonzero(scores == best)
        first: IntArray = places[np.searchsorted(places, offsets[:-1])]
        return first


def align_pairs(
    analysis: Analysis,
    table: Path | None,
    modules: npt.NDArray[np.int32],
    hypotheses: IntArray,
    references: IntArray,
    keep: bool,
) -> tuple[FloatArray, npt.NDArray[np.int32], IntArray]:
    """METEOR's aligner on pairs of sentences: see `cupel.kernels.alignment.align`."""
    from cupel.kernels.alignment import align

    return align(
        analysis.sentences,
        analysis.words,
        open_paraphrases(table).paraphrases if table else _NO_ENTRIES,
        modules,
        BEAM,
        hypotheses,
        references,
        keep,
    )
