"""REDp (Yu et al. 2014, section 3): RED with stems, synonyms, paraphrases and function words.

METEOR's aligner says which word of the translation each word of a dep-ngram is matched with (see
`cupel.metrics.red_aligned`), and what by: exact, stem or synonym. With p(d) as in RED, but of that
one match, and C_fun function words (METEOR's list) and C_con content words in it,

    s_mod = mean over its words of w_exact, w_stem or w_syn
    s_fun = (C_fun w_fun + C_con (1 - w_fun)) / (C_fun + C_con)
    score_dep_n = sum over D_n of p(d) s_mod s_fun
    score_par_n = sum over the paraphrases of n words of (1 - w_par) s_fun

    precision_n = (score_dep_n + score_par_n) / len
    recall_n    = (score_dep_n + score_par_n) / (count_n + number of paraphrases of n words)

and then as in RED, F_n by alpha and REDp = sum over n of w_n F_n. A paraphrase is a phrase of the
reference that the aligner, run with paraphrases alone, finds said otherwise in the translation; its
length and its function words are those of the reference's side.

The paper prints 1 - w_par s_fun for a paraphrase, and in its text 1 - w_par; since s_fun weighs
words elsewhere as a factor, it is one here, too, which on wmt13 agrees better with people (segment
tau .278 against .274). `as_printed=yes` takes the printed formula.

The nine parameters are those of Table 1, tuned on WMT10; they are not normalised (w_1gram, w_2gram
and w_3gram sum to 1.2). Any of them can be set, or all by a preset that `cupel tune` saved. Since
scores depend on them only through sums that are kept apart (`features`), a search computes no match
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.checksums import sha256_of
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics, ratio
from cupel.metrics.meteor_tasks import MODULES
from cupel.metrics.red import LONGEST, check_distance, check_fraction, weighted_sum
from cupel.metrics.red_aligned import Aligner, dep_parts, paraphrase_parts
from cupel.metrics.red_text import DISTANCES, TreePairs, TreeText, forest
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
    from cupel.metrics.red_alignment import Found

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
"""The paper's values."""


def _missing() -> str | None:
    return parser_missing() or table_missing()


_LENGTH, _FIRST = 0, 1
_PER_LENGTH = 10
_COUNT, _PARAPHRASES = 0, 9


@register(
    "redp",
    "RED with stems, synonyms, paraphrases, function words (Yu et al. 2014)",
    check=_missing,
)
@dataclass(frozen=True)
class Redp(Metric):
    """Statistics: [segment score, 1].

    alpha ... w_3gram  the parameters; those not given are the preset's, or Table 1's
    preset       the name or path of saved parameters
    n            the longest dep-ngrams' number of words, 1 to 3
    distance     relative, cosine, absolute
    as_printed   score paraphrases by the formula as it is printed
    language, modules, paraphrases  see `cupel.metrics.red_aligned.Aligner`
    trees ... normalize  see `cupel.metrics.red_text.TreeText`
    """

    alpha: float | None = None
    w_fun: float | None = None
    w_exact: float | None = None
    w_stem: float | None = None
    w_syn: float | None = None
    w_par: float | None = None
    w_1gram: float | None = None
    w_2gram: float | None = None
    w_3gram: float | None = None
    preset: str | None = None
    n: int = LONGEST
    distance: str = DISTANCES[0]
    as_printed: bool = False
    language: str = "en"
    modules: str | None = None
    paraphrases: str | None = None
    trees: str | None = None
    model: str | None = None
    heads: str = CONVENTIONS[0]
    tokenize: str = OWN
    normalize: bool = True

    name = "redp"
    higher_is_better = True
    decimals = 4

    def __post_init__(self) -> None:
        check_distance(self.distance, self.n)
        if self.n > LONGEST:
            raise CupelError(f"REDp has weights for dep-ngrams of up to 3 words, not {self.n}.")
        for name, value in self.parameters.items():
            check_fraction(name, value)
        self.aligner.check()
        _ = self.text.source

    @property
    def text(self) -> TreeText:
        return TreeText(self.trees, self.model, self.heads, self.tokenize, True, self.normalize)

    @property
    def aligner(self) -> Aligner:
        return Aligner(self.language, self.modules, self.paraphrases)

    @property
    def parameters(self) -> Mapping[str, float]:
        """The nine parameters: as given, else the preset's, else Table 1's."""
        saved: Mapping[str, float] = {}
        if self.preset is not None:
            saved = load_preset(self.preset, self.name).parameters
        known(saved)
        given = {name: getattr(self, name) for name in TABLE_1}
        return {**TABLE_1, **saved, **{n: v for n, v in given.items() if v is not None}}

    def signature(self) -> Signature:
        table = self.aligner.table
        own = Signature.of(
            n=self.n,
            **{name: f"{value:.12g}" for name, value in self.parameters.items()},
            distance=self.distance,
            par="printed" if self.as_printed else "product",
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

    def statistics(self, batch: Batch) -> FloatArray:
        pairs = self.text.pairs(batch)
        scores = self._rescored(self.pair_features(pairs), {})
        return mean_statistics(np.maximum.reduceat(scores, pairs.offsets[:-1]))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which dep-ngrams and paraphrases of the best reference matched, and what each gave."""
        from cupel.metrics.red_alignment import aligned_alignments

        pairs = self.text.pairs(batch)
        scores = self._rescored(self.pair_features(pairs), {})
        return aligned_alignments(self, pairs, scores)

    def weighing(
        self, is_function: Sequence[int]
    ) -> tuple[Callable[[Sequence[int], Found], float], Callable[[Sequence[int]], float]]:
        """s_mod s_fun of a dep-ngram, and a paraphrase's score, in a reference of such words."""
        at = self.parameters
        weights = dict(zip(MODULES, (at["w_exact"], at["w_stem"], at["w_syn"]), strict=False))

        def s_fun(words: Sequence[int]) -> float:
            functions = sum(is_function[word] for word in words)
            contents = len(words) - functions
            return (functions * at["w_fun"] + contents * (1 - at["w_fun"])) / len(words)

        def ngram(words: Sequence[int], found: Found) -> float:
            return sum(weights[found[word][1]] for word in words) / len(words) * s_fun(words)

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
            found = aligner.matches(analysis, pairs, aligner.of_phrases)
            parts[..., 7:] = paraphrase_parts(pairs, found, analysis, self.n)
        return rows

    def _rescored(self, features: FloatArray, parameters: Mapping[str, float]) -> FloatArray:
        """(..., features) -> (...)."""
        known(parameters)
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


def known(parameters: Mapping[str, float]) -> None:
    """Complain about a parameter that REDp does not have."""
    for name in parameters:
        if name not in TABLE_1:
            raise CupelError(f"REDp has no parameter {name!r}; it has: {', '.join(TABLE_1)}.")
