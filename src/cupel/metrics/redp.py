"""REDp: RED with stems, synonyms, paraphrases and function words.

Measures: How many of the reference's dependency n-grams the translation has, in these or in
related words. 0 or more; higher is better.

Use: To rank systems into English: at system level the best metric here that needs no training.
Its parameters can be tuned to your own judgments (`cupel tune redp`).

Needs: pip install 'cupel[syntax,meteor]' (spaCy with its English model, paraphrase table), or
trees of the references; modules=exact,stem,synonym does without paraphrases. English; cs, de, es,
fr and ru with trees or a spaCy model and their paraphrase tables.

Formula:
    F_n and REDp as in RED, with S_n = score_dep_n + score_par_n
    score_dep_n = sum over the dep-ngrams d of n words of p(d) s_mod s_fun
    score_par_n = sum over the paraphrases of n words of (1 - w_par) s_fun,
                  or as the paper prints it, with as_printed=yes, of 1 - w_par s_fun
    s_mod = mean over the words of w_exact, w_stem or w_syn
    s_fun = (C_fun w_fun + C_con (1 - w_fun)) / (C_fun + C_con)

METEOR's aligner decides which word of the translation each word of a dep-ngram is matched with,
and how (`cupel.metrics.red_aligned`); p(d) is that of RED for this one match. C_fun, C_con:
function words (METEOR's list) and content words in the dep-ngram. A paraphrase is a phrase of the
reference that the aligner, run with paraphrases alone (or with all matchers, phrases=joint), matches
in the translation; its length and its function words are those of the reference's side, and it
counts in count_n. The nine parameters are those of Table 1, tuned on WMT10; they are not normalized
(w_1gram, w_2gram and w_3gram sum to 1.2).

Paper: Hui Yu, Xiaofeng Wu, Jun Xie, Wenbin Jiang, Qun Liu and Shouxun Lin. 2014. RED: A Reference
Dependency Based MT Evaluation Metric. COLING 2014 (section 3).

Equal to: It was not compared with the authors' program; the tests compare it with a direct
computation of the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.checksums import sha256_of
from cupel.errors import CupelError
from cupel.metric import Signature, ratio
from cupel.metrics import shared_options as option
from cupel.metrics.meteor_tasks import MODULES
from cupel.metrics.red import LONGEST, check_distance, check_fraction, weighted_sum
from cupel.metrics.red_aligned import PHRASE_RUNS, Aligner, dep_parts, paraphrase_parts
from cupel.metrics.red_text import DISTANCES, DepNgramMetric, TreePairs, TreeText, forest
from cupel.presets import load_preset
from cupel.registry import register
from cupel.syntax.heads import CONVENTIONS
from cupel.syntax.models import parser_missing
from cupel.syntax.ngrams import dep_ngrams
from cupel.syntax.parser import OWN
from cupel.text.paraphrases import open_paraphrases, table_missing

if TYPE_CHECKING:
    from cupel.alignments import Alignment
    from cupel.corpus import Corpus
    from cupel.metrics.red_aligned import WordMatches

TABLE_1 = {
    "alpha": 0.9,
    "w_fun": 0.2,
    "w_exact": 0.9,
    "w_stem": 0.6,
    "w_syn": 0.6,
    "w_par": 0.6,
    "w_1gram": 0.6,
    "w_2gram": 0.5,
    "w_3gram": 0.1,
}
"""The values of the paper."""


_LENGTH, _FIRST = 0, 1
_PER_LENGTH = 10
_COUNT, _PARAPHRASES = 0, 9


@register(
    "redp",
    "RED with stems, synonyms, paraphrases and function words (Yu et al. 2014)",
    check=lambda: parser_missing() or table_missing(),
)
@dataclass(frozen=True)
class Redp(DepNgramMetric):
    """Statistics: [segment score, 1].

    Scores depend on the parameters only through sums that are kept apart (`features`), so a search
    for parameters computes no match twice.
    """

    alpha: Annotated[float | None, "Weight of recall in F (default: preset, or 0.9)."] = None
    w_fun: Annotated[float | None, "Weight of function words (default: preset, or 0.2)."] = None
    w_exact: Annotated[float | None, "Weight of exact matches (default: preset, or 0.9)."] = None
    w_stem: Annotated[float | None, "Weight of stem matches (default: preset, or 0.6)."] = None
    w_syn: Annotated[float | None, "Weight of synonym matches (default: preset, or 0.6)."] = None
    w_par: Annotated[float | None, "Discount of paraphrases (default: preset, or 0.6)."] = None
    w_1gram: Annotated[float | None, "Weight of single words (default: preset, or 0.6)."] = None
    w_2gram: Annotated[float | None, "Weight of dep-2-grams (default: preset, or 0.5)."] = None
    w_3gram: Annotated[float | None, "Weight of dep-3-grams (default: preset, or 0.1)."] = None
    preset: Annotated[
        str | None,
        "Parameters that `cupel tune` saved: a name, or the path of a .json file (default: those of "
        "Table 1 of the paper).",
    ] = None
    n: option.LongestNgrams = LONGEST
    distance: option.Distance = DISTANCES[0]
    as_printed: Annotated[bool, "Score paraphrases by the formula as the paper prints it."] = False
    phrases: Annotated[
        str,
        "Paraphrases that count: alone (of a run of the aligner with paraphrases only) or joint (of its "
        "run with all matchers).",
    ] = PHRASE_RUNS[0]
    language: option.Language = "en"
    modules: option.Modules = None
    paraphrases: option.Paraphrases = None
    trees: option.Trees = None
    parser: option.SpacyModel = None
    heads: option.Heads = CONVENTIONS[0]
    tokenize: option.TreeTokenize = OWN
    normalize: option.Normalize = True

    name = "redp"

    def __post_init__(self) -> None:
        check_distance(self.distance, self.n)
        if self.n > LONGEST:
            raise CupelError(f"REDp has weights for dep-ngrams of up to 3 words, not {self.n}.")
        if self.phrases not in PHRASE_RUNS:
            raise CupelError(
                f"REDp has no phrases {self.phrases!r}; it has: {', '.join(PHRASE_RUNS)}."
            )
        for name, value in self.parameters.items():
            check_fraction(name, value)
        self.aligner.check()
        _ = self.text.source

    @property
    def text(self) -> TreeText:
        return TreeText(self.trees, self.parser, self.heads, self.tokenize, True, self.normalize)

    @property
    def aligner(self) -> Aligner:
        return Aligner(self.language, self.modules, self.paraphrases)

    @property
    def parameters(self) -> Mapping[str, float]:
        """The nine parameters: as given, else the preset's, else Table 1's."""
        saved: Mapping[str, float] = {}
        if self.preset is not None:
            saved = load_preset(self.preset, self.name).parameters
        check_parameters(saved)
        given = {name: getattr(self, name) for name in TABLE_1}
        return {**TABLE_1, **saved, **{n: v for n, v in given.items() if v is not None}}

    def signature(self) -> Signature:
        table = self.aligner.table
        own = Signature.of(
            n=self.n,
            **{name: f"{value:.12g}" for name, value in self.parameters.items()},
            distance=self.distance,
            par="printed" if self.as_printed else "product",
            phrases=self.phrases if self.phrases != PHRASE_RUNS[0] else None,
            lang=self.language,
            modules=",".join(self.aligner.matchers),
            paraphrases=sha256_of(table)[:12] if table else None,
        )
        return own + self.text.signature()

    def prepare(self, corpus: Corpus) -> Self:
        """Read the preset, and compile the paraphrase table if the cache does not have it yet."""
        self.text.check(corpus)
        if self.aligner.table:
            open_paraphrases(self.aligner.table)
        settled: dict[str, Any] = dict(self.parameters)
        return replace(self, preset=None, **settled)

    def features(self, batch: Batch) -> FloatArray:
        """(n, references, 1 + 10 N): per reference of each item, zeros where it has fewer,

        the translation's length, and for each length of dep-ngrams count_n, six sums of p(d) c / n
        (exact, stem, synonym; each by C_fun / n and by C_con / n), sums of C_fun / n and of
        C_con / n over paraphrases, and their number.
        """
        pairs = self.text.pairs(batch)
        rows = self.pair_features(pairs)
        counts = batch.reference_counts
        item = np.repeat(np.arange(len(batch)), counts)
        place = np.arange(len(rows)) - np.repeat(pairs.offsets[:-1], counts)
        padded = np.zeros((len(batch), int(counts.max(initial=1)), rows.shape[1]))
        padded[item, place] = rows
        return padded

    def rescore(self, features: FloatArray, parameters: Mapping[str, float]) -> FloatArray:
        """(n,) scores under these parameters, those not named as they are: the best reference's."""
        best: FloatArray = self._rescored(features, parameters).max(axis=1)
        return best

    def pair_scores(self, pairs: TreePairs) -> FloatArray:
        return self._rescored(self.pair_features(pairs), {})

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which dep-ngrams and paraphrases of the best reference matched, and their weights."""
        from cupel.metrics.red_alignment import aligned_alignments

        pairs = self.text.pairs(batch)
        return aligned_alignments(self, pairs, self.pair_scores(pairs))

    def weighing(
        self, is_function: Sequence[int]
    ) -> tuple[Callable[[Sequence[int], WordMatches], float], Callable[[Sequence[int]], float]]:
        """s_mod s_fun of a dep-ngram, and a paraphrase's score, in a reference of such words."""
        at = self.parameters
        weights = dict(zip(MODULES, (at["w_exact"], at["w_stem"], at["w_syn"]), strict=False))

        def s_fun(words: Sequence[int]) -> float:
            functions = sum(is_function[word] for word in words)
            contents = len(words) - functions
            return (functions * at["w_fun"] + contents * (1 - at["w_fun"])) / len(words)

        def ngram(words: Sequence[int], matches: WordMatches) -> float:
            return sum(weights[matches[word][1]] for word in words) / len(words) * s_fun(words)

        def paraphrase(words: Sequence[int]) -> float:
            if self.as_printed:
                return 1 - at["w_par"] * s_fun(words)
            return (1 - at["w_par"]) * s_fun(words)

        return ngram, paraphrase

    def pair_features(self, pairs: TreePairs) -> FloatArray:
        """(pairs, 1 + 10 N): those of each hypothesis with each of its references."""
        aligner = self.aligner
        ngrams = dep_ngrams(pairs.trees, self.n)
        analysis = aligner.analysis(pairs)
        words = aligner.matches(analysis, pairs, aligner.of_words)
        distance = DISTANCES.index(self.distance)
        rows = np.zeros((len(pairs.references), _FIRST + _PER_LENGTH * self.n))
        rows[:, _LENGTH] = pairs.lengths
        parts = rows[:, _FIRST:].reshape(-1, self.n, _PER_LENGTH)
        parts[..., _COUNT] = ngrams.counts[pairs.references]
        parts[..., 1:7] = dep_parts(forest(pairs, ngrams), pairs, words, analysis, self.n, distance)
        if aligner.of_phrases:
            phrases = aligner.phrases(analysis, pairs, self.phrases)
            parts[..., 7:] = paraphrase_parts(pairs, phrases, analysis, self.n)
        return rows

    def _rescored(self, features: FloatArray, parameters: Mapping[str, float]) -> FloatArray:
        """(..., features) -> (...)."""
        check_parameters(parameters)
        at = {**self.parameters, **parameters}
        parts = features[..., _FIRST:].reshape(*features.shape[:-1], self.n, _PER_LENGTH)
        kinds = np.array([at["w_fun"], 1 - at["w_fun"]])
        modules = np.array([at["w_exact"], at["w_stem"], at["w_syn"]])
        sums = weighted_sum(parts[..., 1:7], np.outer(modules, kinds).ravel())
        weighed = weighted_sum(parts[..., 7:9], kinds)
        number = parts[..., _PARAPHRASES]
        if self.as_printed:
            sums = sums + number - at["w_par"] * weighed
        else:
            sums = sums + (1 - at["w_par"]) * weighed
        counts, lengths = parts[..., _COUNT] + number, features[..., _LENGTH, None]
        both = at["alpha"] * counts + (1 - at["alpha"]) * lengths
        weights = np.array([at[f"w_{n}gram"] for n in range(1, self.n + 1)])
        return weighted_sum(ratio(sums, np.where(sums > 0, both, 0.0)), weights)


def check_parameters(parameters: Mapping[str, float]) -> None:
    """Raise an error for a parameter that REDp does not have."""
    for name in parameters:
        if name not in TABLE_1:
            raise CupelError(f"REDp has no parameter {name!r}; it has: {', '.join(TABLE_1)}.")
