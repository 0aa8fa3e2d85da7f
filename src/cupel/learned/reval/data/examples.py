"""ReVal's training sets (Table 2 of Gupta et al. 2015): L, LNF, L+Sick, XL+Sick, and their splits.

    L        pairs ranked four or more times whose ranks vary less than Table 1 allows
    LNF      the same, not filtered by variance
    L+Sick   L and SICK: its TRAIN split for training, its TRIAL split for development
    XL+Sick  L+Sick and the pairs ranked three times, filtered, for training

Development and test take whole lines of the test set: all translations of a line, from whatever
language pair, lie on one side. The lines are drawn once, on L, and serve all sets: what one model
trains on, no other is tested on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cupel.arrays import BoolArray, FloatArray, IntArray
from cupel.data.sick import sick_pairs
from cupel.errors import CupelError
from cupel.learned.reval.data.similarity import BANDS, PUBLISHED, RankedPairs, ranked_pairs
from cupel.significance import DEFAULT_SEED

SPLITS = ("train", "dev", "test")
HELD_OUT = 1000
"""Pairs of development and of test data, each."""


@dataclass(frozen=True)
class Recipe:
    """Which ranked pairs a set takes.

    least     ranked at least so often
    filtered  whether Table 1's variances apply; pairs ranked less than three times use the first
    extra     pairs ranked at least so often, filtered, join the training part
    sick      whether SICK is added
    """

    least: int = 4
    filtered: bool = True
    extra: int | None = None
    sick: bool = False


SETS: dict[str, Recipe] = {
    "L": Recipe(),
    "LNF": Recipe(filtered=False),
    "XL": Recipe(extra=3),
    "XXL": Recipe(extra=2),
    "All": Recipe(least=1, filtered=False),
}
"""Each also with `+Sick` behind its name. XXL (also pairs ranked twice) and All (every pair that was
ever ranked) are not the paper's."""
WITH_SICK = "+Sick"


def recipe_of(name: str) -> Recipe:
    """The recipe of `L`, `LNF`, `L+Sick`, ..."""
    base = name.removesuffix(WITH_SICK)
    if base not in SETS:
        raise CupelError(
            f"There is no set {name!r}; there are {', '.join(SETS)}, each also with {WITH_SICK}."
        )
    return replace(SETS[base], sick=name != base)


@dataclass(frozen=True)
class Examples:
    """Sentence pairs with a similarity from 1 to 5; entry i of each column belongs together.

    origin    `wmt13`, `sick`, ...
    line      the line of the test set, from 0; for SICK the pair's id less 1
    count     how often it was ranked, and `variance` of the ranks; 0 for SICK
    """

    references: list[str]
    translations: list[str]
    similarity: FloatArray
    origin: list[str]
    line: IntArray
    count: IntArray
    variance: FloatArray

    def __len__(self) -> int:
        return len(self.references)

    def take(self, rows: IntArray) -> Examples:
        """Those examples, in that order."""
        return Examples(
            [self.references[row] for row in rows],
            [self.translations[row] for row in rows],
            self.similarity[rows],
            [self.origin[row] for row in rows],
            self.line[rows],
            self.count[rows],
            self.variance[rows],
        )

    @classmethod
    def joined(cls, parts: Sequence[Examples]) -> Examples:
        """The examples of all parts, one after the other."""
        return cls(
            [text for part in parts for text in part.references],
            [text for part in parts for text in part.translations],
            np.concatenate([part.similarity for part in parts]),
            [name for part in parts for name in part.origin],
            np.concatenate([part.line for part in parts]),
            np.concatenate([part.count for part in parts]),
            np.concatenate([part.variance for part in parts]),
        )


@dataclass(frozen=True)
class SimilaritySet:
    """A training set: train, dev and test examples."""

    name: str
    train: Examples
    dev: Examples
    test: Examples

    @property
    def sizes(self) -> tuple[int, int, int]:
        return len(self.train), len(self.dev), len(self.test)

    def tsv(self) -> str:
        """The whole set as a table with a header, one example a line."""
        rows = ["split\torigin\tline\tcount\tvariance\tsimilarity\treference\ttranslation"]
        for split in SPLITS:
            part: Examples = getattr(self, split)
            rows += [
                f"{split}\t{origin}\t{line}\t{count}\t{variance:.6g}\t{similarity:.6g}\t"
                f"{_cell(reference)}\t{_cell(translation)}"
                for origin, line, count, variance, similarity, reference, translation in zip(
                    part.origin,
                    (part.line + 1).tolist(),
                    part.count.tolist(),
                    part.variance.tolist(),
                    part.similarity.tolist(),
                    part.references,
                    part.translations,
                    strict=True,
                )
            ]
        return "\n".join(rows) + "\n"


class SimilarityData:
    """The ranked pairs of a campaign, from which every set is made with the same held-out lines.

    held_out    pairs of dev and of test data each
    thresholds  the variance of each band that L's pairs stay below; Table 1's by default
    """

    def __init__(
        self,
        dataset: str = "wmt13",
        pairs: Iterable[str] | None = None,
        *,
        thresholds: Mapping[int, float | None] = PUBLISHED,
        held_out: int = HELD_OUT,
        seed: int = DEFAULT_SEED,
    ) -> None:
        self.dataset = dataset
        self.pairs = None if pairs is None else list(pairs)
        self.ranked: RankedPairs = ranked_pairs(dataset, self.pairs)
        self.thresholds = dict(thresholds)
        self.held_out = held_out
        self.seed = seed

    @cached_property
    def lines(self) -> tuple[IntArray, IntArray]:
        """The lines of dev and of test: drawn until L has `held_out` pairs in each, and no more
        than an eighth of all lines.
        """
        inside = self._kept(4, filtered=True)
        lines = np.random.default_rng(self.seed).permutation(np.unique(self.ranked.line))
        sizes = np.bincount(self.ranked.line[inside], minlength=int(lines.max(initial=0)) + 1)
        ends = np.cumsum(sizes[lines])
        most = max(len(lines) // 8, 1)
        first, second = (np.searchsorted(ends, [self.held_out, 2 * self.held_out]) + 1).tolist()
        first = min(first, most)
        return lines[:first], lines[first : min(second, first + most)]

    @cached_property
    def held_references(self) -> set[str]:
        """The references of the lines of dev and test."""
        held = np.isin(self.ranked.line, np.concatenate(self.lines))
        return {self.ranked.references[row] for row in np.flatnonzero(held)}

    def make(self, name: str, recipe: Recipe | None = None) -> SimilaritySet:
        """A set by its name (see `recipe_of`), or by another recipe."""
        recipe = recipe or recipe_of(name)
        chosen = self._kept(recipe.least, recipe.filtered)
        dev_lines, test_lines = self.lines
        in_dev = np.isin(self.ranked.line, dev_lines)
        in_test = np.isin(self.ranked.line, test_lines)
        more = self._kept(recipe.extra, True) if recipe.extra else np.zeros_like(chosen)
        for_training = (chosen | more) & ~self._seen(in_dev | in_test)
        if not for_training.any():
            raise CupelError(
                f"The training set is empty: the lines held out for development and test are all "
                f"that {self.dataset} has."
            )
        train = self._examples(np.flatnonzero(for_training))
        dev = self._examples(self._first(chosen & in_dev, dev_lines))
        test = self._examples(self._first(chosen & in_test, test_lines))
        if recipe.sick:
            train = Examples.joined([train, sick_examples("train")])
            dev = Examples.joined([dev, sick_examples("trial")])
        return SimilaritySet(name, train, dev, test)

    def everything(self, recipe: Recipe) -> Examples:
        """All pairs of a recipe, nothing held out: a campaign that only adds to the training."""
        return self._examples(np.flatnonzero(self._kept(recipe.least, recipe.filtered)))

    def _seen(self, held: BoolArray) -> BoolArray:
        """What is held out, and what has the same reference on another line."""
        references = self.ranked.references
        texts = {references[row] for row in np.flatnonzero(held)}
        return held | np.fromiter((text in texts for text in references), np.bool_, len(held))

    def _kept(self, least: int, filtered: bool) -> BoolArray:
        """The pairs ranked so often and below their threshold; an error says what leaves none."""
        often = self.ranked.count >= least
        if not often.any():
            raise CupelError(
                f"The training set is empty: no translation in {self.dataset} was ranked {least} or "
                "more times."
            )
        kept = often & self._below() if filtered else often
        if not kept.any():
            shown = ", ".join(f"{band}: {self.thresholds.get(band)}" for band in BANDS)
            raise CupelError(
                f"The training set is empty: of the {int(often.sum())} translations in "
                f"{self.dataset} that were ranked {least} or more times none has a variance below "
                f"the thresholds ({shown})."
            )
        return kept

    def _below(self) -> BoolArray:
        """Below the threshold of its band; what was ranked less often has the first band's."""
        below = np.zeros(len(self.ranked), np.bool_)
        for band in (1, 2, *BANDS):
            variance = self.thresholds.get(max(band, BANDS[0]))
            if variance is not None:
                below |= self.ranked.in_band(band) & self.ranked.below(variance)
        return below

    def _first(self, chosen: BoolArray, lines: IntArray) -> IntArray:
        """The first `held_out` chosen pairs, lines in the order in which they were drawn."""
        place = np.full(int(self.ranked.line.max(initial=0)) + 1, len(lines))
        place[lines] = np.arange(len(lines))
        rows = np.flatnonzero(chosen)
        order = np.argsort(place[self.ranked.line[rows]], kind="stable")
        return rows[order[: self.held_out]]

    def _examples(self, rows: IntArray) -> Examples:
        ranked = self.ranked
        return Examples(
            [ranked.references[row] for row in rows],
            [ranked.translations[row] for row in rows],
            ranked.similarity[rows],
            [self.dataset] * len(rows),
            ranked.line[rows],
            ranked.count[rows],
            ranked.variance[rows],
        )


def sick_examples(split: str) -> Examples:
    """SICK's pairs of a split; their relatedness, from 1 to 5, is the similarity."""
    pairs = sick_pairs(split)
    nothing = np.zeros(len(pairs))
    return Examples(
        pairs.first,
        pairs.second,
        pairs.relatedness,
        ["sick"] * len(pairs),
        pairs.pair_id - 1,
        nothing.astype(np.int64),
        nothing,
    )


def with_training(data: SimilaritySet, more: Examples, name: str) -> SimilaritySet:
    """A set with more examples in its training part."""
    return replace(data, name=name, train=Examples.joined([data.train, more]))


def _cell(text: str) -> str:
    return " ".join(text.split())
