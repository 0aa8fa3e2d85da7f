"""Lists of candidates from real data: the outputs of all systems for a segment."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from cupel.corpus import Corpus

Place = tuple[str, str, int]
PAIRS = {"wmt14": ("cs-en", "de-en", "fr-en", "hi-en", "ru-en"), "mqm21": ("en-de", "zh-en")}
EVERY, COUNT = 61, 8


def corpus_of(dataset: str, pair: str) -> Corpus:
    """The outputs of all systems for one language pair."""
    from cupel.data import find, wmt_corpus
    from cupel.human.evalset import read_evalset

    if dataset.startswith("wmt"):
        return wmt_corpus(dataset, pair)
    return read_evalset(find(dataset), pair).corpus


def samples() -> Iterator[tuple[Place, list[str]]]:
    """Eight segments of each language pair, spread over the test set."""
    for dataset, pairs in PAIRS.items():
        for pair in pairs:
            corpus = corpus_of(dataset, pair)
            for number in range(0, EVERY * COUNT, EVERY):
                segment = number % len(corpus)
                texts = [lines[segment] for lines in corpus.systems.values()]
                yield (dataset, pair, segment), texts


def variants(texts: Sequence[str], count: int, seed: int = 1) -> list[str]:
    """More candidates of the same segment: parts of two outputs joined at a word that both have, or a
    word exchanged for one of another output. Real lists of samples differ in the same ways."""
    generator = random.Random(seed)
    outputs = list(dict.fromkeys(texts))
    found = dict.fromkeys(outputs)
    grown = list(outputs)
    while len(grown) < count:
        first, second = generator.choice(grown).split(), generator.choice(outputs).split()
        shared = [word for word in first if word in second]
        if shared and generator.random() < 0.8:
            word = generator.choice(shared)
            words = first[: first.index(word)] + second[second.index(word) :]
        else:
            words = [*first]
            words[generator.randrange(len(words))] = generator.choice(second)
        text = " ".join(words)
        if text not in found:
            found[text] = None
            grown.append(text)
    return grown[:count]
