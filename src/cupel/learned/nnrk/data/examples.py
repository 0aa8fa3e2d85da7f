"""Judged pairs of translations with their features: what NNRK learns from and is tested on.

Each distinct translation of a segment is an item, and its features are computed once, whatever
number of pairs it is in; metrics' features are kept in the cache on disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from cupel import code_digest
from cupel.arrays import BoolArray, Float32Array, FloatArray, IntArray
from cupel.batch import Batch
from cupel.cache import kept_array
from cupel.cache import key as cache_key
from cupel.corpus import Corpus
from cupel.data import wmt_corpus
from cupel.errors import CupelError
from cupel.human.rankings import Rankings, wmt_rankings
from cupel.learned.language_pairs import chosen_pairs
from cupel.learned.nnrk.model.features import FeatureSet, SkipFeature
from cupel.learned.nnrk.model.inputs import SentenceVectors, SkipArcs, check_finite

HELD_OUT = 20
"""Every 20th line of the training set is held out, the first line included."""


@dataclass(frozen=True)
class Examples:
    """Items with features, and pairs of them.

    psi         (n, F) skip-arc features of each item with its reference
    x           (n, D) vectors of the translations
    references  (m, D) vectors of the references
    reference   (n,) the reference of each item
    first, second  (p,) items; they have the same reference
    label       (p,) 1 where people prefer the first, 0 where the second
    line        (p,) the segment's line in its file, from 0
    language    (p,) an index into `languages`
    items       language -> (systems, segments), the item of each output, -1 for none
    """

    psi: FloatArray
    x: Float32Array
    references: Float32Array
    reference: IntArray
    first: IntArray
    second: IntArray
    label: IntArray
    line: IntArray
    language: IntArray
    languages: tuple[str, ...]
    items: dict[str, IntArray]

    def __len__(self) -> int:
        return len(self.first)

    def pairs(self, chosen: BoolArray | IntArray) -> Examples:
        """Some of the pairs, over the same items."""
        return replace(
            self,
            first=self.first[chosen],
            second=self.second[chosen],
            label=self.label[chosen],
            line=self.line[chosen],
            language=self.language[chosen],
        )

    def sample(self, count: int | None, seed: int) -> Examples:
        """`count` pairs drawn without replacement; all of them where there are no more."""
        if count is None or count >= len(self):
            return self
        drawn = np.random.default_rng(seed).choice(len(self), count, replace=False)
        return self.pairs(np.sort(drawn))

    def agreed(self) -> Examples:
        """Each two translations once, preferred as most of their judges did; draws are left out.

        Judges disagree on three of ten pairs: a majority is worth more than its members.
        """
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        sign = np.where((self.label == 1) == (self.first == low), 1.0, -1.0)
        _, place, inverse = np.unique(
            low * (len(self.psi) + 1) + high, return_index=True, return_inverse=True
        )
        votes = np.bincount(inverse, sign, len(place))
        kept = (votes != 0) & (low[place] != high[place])
        chosen = self.pairs(place[kept])
        return replace(
            chosen, label=((votes[kept] > 0) == (chosen.first == low[place[kept]])).astype(np.int64)
        )

    def swapped_labels(self) -> Examples:
        """The same pairs with the opposite preferences."""
        return replace(self, label=1 - self.label)


def split(
    examples: Examples, development: int = 5000, seed: int = 12345
) -> tuple[Examples, Examples]:
    """(training, development) pairs that share no line of the test set, in any language."""
    held = examples.line % HELD_OUT == 0
    return examples.pairs(~held), examples.pairs(held).sample(development, seed)


def load(
    dataset: str,
    features: FeatureSet,
    *,
    pairs: Sequence[str] | None = None,
    whole: bool = False,
    note: Callable[[str], None] | None = None,
) -> Examples:
    """All strict preferences of a WMT dataset into English, with features.

    whole: also the outputs that nobody judged, for system scores. note: is given a sentence on
    what is being computed.
    """
    rankings = wmt_rankings(dataset)
    parts = []
    for pair in chosen_pairs(dataset, rankings, pairs):
        if note:
            note(f"{dataset} {pair}: features")
        parts.append(_load_pair(dataset, rankings[pair], features, whole))
    return joined(parts)


def _load_pair(dataset: str, rankings: Rankings, features: FeatureSet, whole: bool) -> Examples:
    corpus = wmt_corpus(dataset, rankings.pair)
    judged = rankings.pairs()
    taken = np.zeros((len(rankings.systems), len(corpus)), np.bool_)
    taken[judged.better, judged.segment] = taken[judged.worse, judged.segment] = True
    if whole:
        taken[:] = True
    numbers: dict[tuple[int, str], int] = {}
    items = np.full(taken.shape, -1, np.int64)
    for system, segment in np.argwhere(taken).tolist():
        text = corpus.systems[rankings.systems[system]][segment]
        items[system, segment] = numbers.setdefault((segment, text), len(numbers))
    segments = np.array([segment for segment, _ in numbers], np.int64)
    texts = [text for _, text in numbers]
    used, reference = np.unique(segments, return_inverse=True)
    references = [corpus.references[segment][0] for segment in used.tolist()]
    batch = Batch(texts, [[references[r]] for r in reference.tolist()])
    place = f"{dataset} {rankings.pair}"
    psi, vectors = computed_features(features, corpus, batch, place)
    low, high = np.minimum(judged.better, judged.worse), np.maximum(judged.better, judged.worse)
    order = {text: row for row, text in enumerate(batch.sentences)}
    rows = np.array([order[text] for text in references], np.int64)
    return Examples(
        psi,
        vectors[batch.hypothesis_index],
        vectors[rows],
        reference,
        items[low, judged.segment],
        items[high, judged.segment],
        (low == judged.better).astype(np.int64),
        judged.segment,
        np.zeros(len(judged), np.int64),
        (rankings.pair,),
        {rankings.pair: items},
    )


def joined(parts: Sequence[Examples]) -> Examples:
    """All pairs of all parts, whose features are the same."""
    if not parts:
        raise CupelError("There are no language pairs to learn from.")
    first, second, reference, language = [], [], [], []
    items: dict[str, IntArray] = {}
    languages: list[str] = []
    at = at_reference = 0
    for part in parts:
        first.append(part.first + at)
        second.append(part.second + at)
        reference.append(part.reference + at_reference)
        language.append(part.language + len(languages))
        for pair in part.languages:
            name = pair if pair not in items else f"{pair} ({len(languages) + 1})"
            items[name] = np.where(part.items[pair] >= 0, part.items[pair] + at, -1)
            languages.append(name)
        at += len(part.psi)
        at_reference += len(part.references)
    return Examples(
        np.concatenate([part.psi for part in parts]),
        np.concatenate([part.x for part in parts]),
        np.concatenate([part.references for part in parts]),
        np.concatenate(reference),
        np.concatenate(first),
        np.concatenate(second),
        np.concatenate([part.label for part in parts]),
        np.concatenate([part.line for part in parts]),
        np.concatenate(language),
        tuple(languages),
        items,
    )


def computed_features(
    features: FeatureSet, corpus: Corpus, batch: Batch, place: str
) -> tuple[FloatArray, Float32Array]:
    """psi of the batch's items and x of its sentences, from the cache where they are there.

    place: names what is being computed in errors.
    """
    text = _text_hash(batch)
    prepared = features.prepare(corpus)
    columns: list[Any] = [np.zeros((len(batch), 0))]
    for skip in prepared.skips:
        key = cache_key(_code(skip), skip.signature(), text)
        columns += [kept_array("features", key, partial(_computed, skip, batch, place))]
    vectors: list[Any] = [np.zeros((len(batch.sentences), 0), np.float32)]
    for name, analyser in prepared.vectors:
        key = cache_key(_code(analyser), "vectors", analyser.signature(), text)
        vectors += [kept_array("features", key, partial(_analysed, name, analyser, batch))]
    return np.concatenate(columns, axis=1), np.concatenate(vectors, axis=1)


def _analysed(name: str, analyser: SentenceVectors, batch: Batch) -> Float32Array:
    return check_finite(name, batch.analyse(analyser)).astype(np.float32)


def _computed(skip: SkipArcs, batch: Batch, place: str) -> FloatArray:
    try:
        return skip.values(batch)
    except CupelError as error:
        raise CupelError(f"{place}: {error}") from error


def _code(feature: SkipArcs | SentenceVectors) -> str:
    """What stands in a key for the code behind a feature."""
    if isinstance(feature, SkipFeature):
        return code_digest.code_of(feature.metric) + code_digest.digest(
            "cupel.learned.nnrk.model.components"
        )
    return code_digest.digest(type(feature).__module__)


def _text_hash(batch: Batch) -> str:
    digest = hashlib.sha256()
    for sentence in batch.sentences:
        digest.update(sentence.encode("utf-8", "surrogatepass") + b"\n")
    digest.update(batch.hypothesis_index.tobytes() + batch.reference_index.tobytes())
    return digest.hexdigest()
