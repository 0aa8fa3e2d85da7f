"""The data of sentences and words that METEOR's matchers need, for whole batches.

A `Lexicon` is kept for the whole process: each distinct word is stemmed and looked up once,
whatever number of batches it occurs in. The analyser `MeteorAnalysis` turns sentences into the
arrays that `cupel.kernels.alignment` takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cupel.arrays import Int32Array
from cupel.errors import CupelError
from cupel.text.meteor_tokens import MeteorNorm
from cupel.text.meteor_words import METEOR_LANGUAGES, function_words
from cupel.text.paraphrases import open_paraphrases
from cupel.text.stemmer import stem
from cupel.text.synonyms import load_synonyms
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import Tokens, offsets_of

if TYPE_CHECKING:
    from cupel.kernels.alignment import Sentences, Words


class Analysis(NamedTuple):
    """Sentences and words as the matchers take them, and the tokens for people."""

    sentences: Sentences
    words: Words
    tokens: Tokens


@dataclass(frozen=True)
class MeteorAnalysis:
    """The analyser sentences -> `Analysis`; stems, synonyms and phrases only where asked for.

    function: the words that count less, if they are not METEOR's own.
    """

    language: str = "en"
    stems: bool = True
    synonyms: bool = True
    table: Path | None = None
    function: frozenset[str] | None = None

    def __call__(self, sentences: Sequence[str]) -> Analysis:
        if self.language not in METEOR_LANGUAGES:
            return self.of_tokens(Tokenizer("script", lowercase=True)(sentences), "script")
        return self.of_tokens(MeteorNorm(self.language)(sentences))

    def of_tokens(self, tokens: Tokens, vocabulary: str = "norm") -> Analysis:
        """The analysis of tokens whose `types` only grow, or are rarely replaced by another list.

        vocabulary: a name for that list, under which the data of its words is kept.
        """
        from cupel.kernels.alignment import LONGEST, Sentences
        from cupel.kernels.phrases import find_phrases

        if len(tokens) and tokens.lengths.max() > LONGEST:
            raise CupelError(
                f"METEOR aligns sentences of at most {LONGEST} tokens; one has "
                f"{tokens.lengths.max()}."
            )
        lexicon = _lexicon(
            self.language, self.stems, self.synonyms, self.table, self.function, vocabulary
        )
        words, numbers = lexicon.cover(tokens.types)
        if self.table is None:
            phrases = (np.zeros(len(tokens) + 1, np.int64), np.zeros((0, 6), np.int32))
        else:
            trie = open_paraphrases(self.table).trie
            phrases = find_phrases(numbers[tokens.ids], tokens.offsets, trie)
        return Analysis(Sentences(tokens.ids, tokens.offsets, *phrases), words, tokens)


class Lexicon:
    """The arrays of `Words` for a growing vocabulary, and the words' numbers in the table."""

    def __init__(
        self,
        language: str,
        stems: bool,
        synonyms: bool,
        table: Path | None,
        function: frozenset[str] | None,
    ) -> None:
        self._language, self._stems, self._synonyms = language, stems, synonyms
        self._table = table
        self._function = function_words() if function is None else function
        self._lock = Lock()
        self._types: Sequence[str] = ()

    def _begin(self, types: Sequence[str]) -> None:
        from cupel.kernels.alignment import Words

        self._types = types
        self._numbers = np.zeros(0, np.int32)
        self._words = Words(
            key=np.zeros(0, np.int32),
            stem=np.zeros(0, np.int32),
            is_function=np.zeros(0, np.uint8),
            synset_spans=np.zeros((0, 2), np.int32),
            synsets=np.zeros(0, np.int32),
        )

    def cover(self, types: Sequence[str]) -> tuple[Words, Int32Array]:
        """The arrays with a row for each of `types`: a list that only grows, or another one."""
        with self._lock:
            if types is not self._types:
                self._begin(types)
            new = types[len(self._words.key) :]
            if new:
                self._add(new)
            return self._words, self._numbers

    def _add(self, words: Sequence[str]) -> None:
        from cupel.kernels.alignment import Words

        function = self._function
        keys = _hash_codes(words)
        stems = _hash_codes(stem(words, self._language)) if self._stems else keys
        synsets, offsets = np.zeros(0, np.int32), np.zeros(len(words) + 1, np.int64)
        if self._synonyms:
            synsets, offsets = load_synonyms().sets(words)
        old = self._words
        spans = np.stack([offsets[:-1], offsets[1:]], axis=1) + len(old.synsets)
        self._words = Words(
            key=np.concatenate([old.key, keys]),
            stem=np.concatenate([old.stem, stems]),
            is_function=np.concatenate(
                [old.is_function, np.fromiter((word in function for word in words), np.uint8)]
            ),
            synset_spans=np.concatenate([old.synset_spans, spans.astype(np.int32)]),
            synsets=np.concatenate([old.synsets, synsets]),
        )
        if self._table is not None:
            numbers = open_paraphrases(self._table).numbers(words)
            self._numbers = np.concatenate([self._numbers, numbers])


@cache
def _lexicon(
    language: str,
    stems: bool,
    synonyms: bool,
    table: Path | None,
    function: frozenset[str] | None,
    vocabulary: str,
) -> Lexicon:
    return Lexicon(language, stems, synonyms, table, function)


def _hash_codes(words: Sequence[str]) -> Int32Array:
    """Java's hash codes, which the jar compares in place of words."""
    from cupel.kernels.alignment import hash_codes

    text = "".join(words)
    if text and max(text) > "\uffff":  # two units for such a character
        lengths = (len(word.encode("utf-16-le", "surrogatepass")) // 2 for word in words)
        offsets = offsets_of(lengths, len(words))
    else:
        offsets = offsets_of(map(len, words), len(words))
    return hash_codes(np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16), offsets)
