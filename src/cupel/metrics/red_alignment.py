"""Which dep-ngrams matched and what each contributed, in the form that `cupel align` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cupel.alignments import Alignment, Link
from cupel.arrays import FloatArray, IntArray
from cupel.metrics.meteor_tasks import MODULES
from cupel.metrics.red_aligned import PHRASE_RUNS, Aligner, WordMatches
from cupel.metrics.red_text import DISTANCES, TreePairs, forest, text_of
from cupel.syntax.ngrams import KINDS, DepNgrams, chains, dep_ngrams

if TYPE_CHECKING:
    from cupel.syntax.tree import Tree

Weigh = Callable[[Sequence[int], WordMatches], float]
"""What a dep-ngram's score is multiplied by."""


class Matched(Protocol):
    """A metric of dep-ngrams."""

    @property
    def n(self) -> int:
        """The words of the longest dep-ngrams."""
        ...

    @property
    def distance(self) -> str:
        """How word distances of chains are compared."""
        ...


class Weighed(Matched, Protocol):
    """One that matches words by METEOR's aligner."""

    @property
    def aligner(self) -> Aligner:
        """Its matchers."""
        ...

    def weighing(
        self, is_function: Sequence[int]
    ) -> tuple[Weigh, Callable[[Sequence[int]], float]]:
        """What a dep-ngram's score is multiplied by, and a paraphrase's, in a reference of such words."""
        ...


def exact_alignments(metric: Matched, pairs: TreePairs, scores: FloatArray) -> list[Alignment]:
    """RED's alignment of each item with its best reference; `scores` are those of all pairs."""
    from cupel.kernels.chains import exact_matches

    best, numbers, values = _best(pairs, scores)
    ngrams = dep_ngrams(best.trees, metric.n)
    text, trees = text_of(best), forest(best, ngrams)
    alignments = []
    for place, (h, r) in enumerate(zip(best.hypotheses, best.references, strict=True)):
        kind = DISTANCES.index(metric.distance)
        rows, weights = exact_matches(
            text, trees, int(h), int(r), len(best.words.types), metric.n, kind
        )
        links = list(_exact_links(rows.tolist(), weights.tolist(), metric.n))
        alignments.append(_alignment(best, ngrams, place, numbers[place], links, values[place]))
    return alignments


def _exact_links(
    rows: Sequence[Sequence[int]], weights: Sequence[float], longest: int
) -> Iterator[Link]:
    for (kind, n, *places), weight in zip(rows, weights, strict=True):
        theirs, ours = places[:n], places[longest : longest + n]
        yield Link(tuple(ours), tuple(theirs), f"{('chain', *KINDS)[kind]}-{n}", weight)


def aligned_alignments(metric: Weighed, pairs: TreePairs, scores: FloatArray) -> list[Alignment]:
    """The same for dep-ngrams matched by METEOR's aligner, and paraphrases where they count."""
    best, numbers, values = _best(pairs, scores)
    ngrams = dep_ngrams(best.trees, metric.n)
    aligner = metric.aligner
    analysis = aligner.analysis(best)
    words = aligner.matches(analysis, best, aligner.of_words)
    phrases = aligner.phrases(analysis, best, getattr(metric, "phrases", PHRASE_RUNS[0]))
    alignments = []
    for place, row in enumerate(best.references.tolist()):
        tree = best.trees[row]
        is_function = analysis.words.is_function[_ids(best, row)].tolist()
        matches = {match[0]: (match[2], MODULES[match[4]]) for match in words.of(place)}
        weigh, of_phrase = metric.weighing(is_function)
        links = list(_aligned_links(tree, ngrams, row, matches, weigh, metric.distance))
        for first, length, there, width, _ in phrases.of(place):
            if length <= metric.n:
                theirs, ours = range(first, first + length), range(there, there + width)
                weight = of_phrase(theirs)
                links.append(Link(tuple(ours), tuple(theirs), f"paraphrase-{length}", weight))
        alignments.append(_alignment(best, ngrams, place, numbers[place], links, values[place]))
    return alignments


def _aligned_links(
    tree: Tree, ngrams: DepNgrams, row: int, matches: WordMatches, weigh: Weigh, distance: str
) -> Iterator[Link]:
    structures = ngrams.structures[ngrams.offsets[row] : ngrams.offsets[row + 1]].tolist()
    for n in range(1, ngrams.longest + 1):
        for chain in chains(tree, n):
            yield from _link("chain", chain, matches, weigh, distance)
        for kind, first, length in structures:
            if length == n:
                words = tuple(range(first, first + n))
                yield from _link(KINDS[kind], words, matches, weigh, distance)


def _link(
    kind: str, words: tuple[int, ...], matches: WordMatches, weigh: Weigh, distance: str
) -> Iterator[Link]:
    from cupel.kernels.chains import score_of

    if not all(word in matches for word in words):
        return
    n = len(words)
    where = tuple(matches[word][0] for word in words)
    if kind == "chain":
        way = np.array(words, np.int32), np.array(where, np.int32)
        score = score_of(*way, n, DISTANCES.index(distance))
    else:
        score = float(where == tuple(range(where[0], where[0] + n)))
    if score:
        yield Link(where, words, f"{kind}-{n}", score * weigh(words, matches))


def _best(pairs: TreePairs, scores: FloatArray) -> tuple[TreePairs, list[int], list[float]]:
    """Each item with its best reference alone (the first of equals), its number, its score."""
    best = np.array(
        [
            start + int(np.argmax(scores[start:end]))
            for start, end in zip(pairs.offsets[:-1], pairs.offsets[1:], strict=True)
        ],
        np.int64,
    )
    alone = replace(
        pairs,
        hypotheses=pairs.hypotheses[best],
        references=pairs.references[best],
        offsets=np.arange(len(best) + 1),
    )
    return alone, (best - pairs.offsets[:-1]).tolist(), scores[best].tolist()


def _ids(pairs: TreePairs, row: int) -> IntArray:
    theirs = pairs.reference_words
    return theirs.ids[theirs.offsets[row] : theirs.offsets[row + 1]].astype(np.int64)


def _alignment(
    pairs: TreePairs,
    ngrams: DepNgrams,
    place: int,
    number: int,
    links: Sequence[Link],
    score: float,
) -> Alignment:
    row = int(pairs.references[place])
    details: dict[str, float] = {"length": float(pairs.lengths[place])}
    for n in range(1, ngrams.longest + 1):
        mine = [link for link in links if link.kind.endswith(f"-{n}")]
        phrases = sum(link.kind.startswith("paraphrase") for link in mine)
        details[f"S{n}"] = sum(link.weight for link in mine)
        details[f"count{n}"] = float(ngrams.counts[row, n - 1] + phrases)
    words = pairs.words.of(int(pairs.hypotheses[place]))
    return Alignment(words, pairs.reference_words.of(row), number, links, score, details)
