"""The tokenizer of Tercom, the first TER program, as sacreBLEU's TER applies it.

With `normalized`, XML entities are decoded, the rules of 13a put punctuation apart (see `mteval13a`),
and 's at the end of a word goes apart; with `asian_support`, East Asian characters and punctuation are
words of their own. sacreBLEU tokenises a reference twice, and the second pass may find more to do
(`..1` becomes `. .1`, then `. . 1`). Its scores depend on that, so ours do it too: word by word, since
the first pass has put blanks between words, past which no rule looks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import Bytes, Int32Array, IntArray
from cupel.batch import Batch
from cupel.text.code_points import Case
from cupel.text.tokens import Tokens, offsets_of, ragged_take, split_words

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_ASIAN_PUNCTUATION = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULL_WIDTH_PUNCTUATION = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
_PUNCTUATION = re.compile(r'[.,?:;!"()]')
_ANY_PUNCTUATION = re.compile(rf'[.,?:;!"(){_ASIAN_PUNCTUATION}{_FULL_WIDTH_PUNCTUATION}]')


@dataclass(frozen=True)
class Tercom:
    """The analyser sentences -> `Tokens`; the options are sacreBLEU's.

    With `normalized` there are twice as many rows as sentences: after those tokenised once, as
    hypotheses are, come those tokenised twice, as references are.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        lower: Case = None if self.case_sensitive else "lower"
        if not self.normalized:
            return self._without_punctuation(split_words(sentences, lower=lower))
        whole = "".join(sentences)
        if "&" in whole or "\n" in whole:
            sentences = [
                _resolved(text, lower) if "&" in text or "\n" in text else text
                for text in sentences
            ]
        once = self._pass(sentences, lower)
        return _with_second_pass(once, self._changed(once.types))

    def _changed(self, words: Sequence[str]) -> dict[int, list[str]]:
        """What the second pass makes of the words that it changes, by their place.

        What it splits is in letters and digits only in words of one character.
        """
        places = [n for n, word in enumerate(words) if len(word) > 1 and not word.isalnum()]
        again = self._pass([words[n] for n in places])
        rows = ((n, again.of(row)) for row, n in enumerate(places))
        return {n: made for n, made in rows if made != [words[n]]}

    def _pass(self, sentences: Sequence[str], lower: Case = None) -> Tokens:
        from cupel.kernels.words import RULES_TERCOM

        words = split_words(sentences, RULES_TERCOM, self._classes(), lower)
        return self._without_punctuation(words)

    def _classes(self) -> Bytes:
        from cupel.text.code_points import tercom

        return tercom(self.asian_support)

    def _without_punctuation(self, tokens: Tokens) -> Tokens:
        """Words without the punctuation in them; a word that is nothing else is left out."""
        if not self.no_punct:
            return tokens
        pattern = _ANY_PUNCTUATION if self.asian_support else _PUNCTUATION
        stripped = split_words([pattern.sub("", word) for word in tokens.types])
        return _replaced(tokens, stripped)

    def reference_rows(self, batch: Batch) -> IntArray:
        """Where the batch's references stand in the tokens."""
        return batch.reference_index + (len(batch.sentences) if self.normalized else 0)


def _resolved(sentence: str, lower: Case) -> str:
    """Without line breaks and XML entities, which may be written in capitals where case is ignored."""
    sentence = sentence.lower() if lower else sentence
    if "\n" in sentence:
        sentence = sentence.rstrip().replace("\n-", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        sentence = sentence.replace(entity, character)
    return sentence


def _replaced(tokens: Tokens, words: Tokens) -> Tokens:
    """Each token replaced by row `id` of `words`: by none, one, or several."""
    ids = ragged_take(words.ids, words.offsets, tokens.ids)
    ends = offsets_of(words.lengths[tokens.ids], len(tokens.ids))
    return Tokens(ids, ends[tokens.offsets], words.types)


def _with_second_pass(once: Tokens, changed: Mapping[int, list[str]]) -> Tokens:
    """The rows of `once`, and behind them the same with each changed token replaced by its words."""
    types, ids, offsets = list(once.types), once.ids, once.offsets
    if changed:  # few do change
        numbers = {word: number for number, word in enumerate(types)}
        rows = {
            n: [numbers.setdefault(w, len(numbers)) for w in made] for n, made in changed.items()
        }
        types = list(numbers)
        ids, offsets = _with_rows(once, rows)
    return Tokens(
        np.concatenate([once.ids, ids]),
        np.concatenate([once.offsets, offsets[1:] + once.offsets[-1]]),
        types,
    )


def _with_rows(tokens: Tokens, rows: Mapping[int, Sequence[int]]) -> tuple[Int32Array, IntArray]:
    """Ids and offsets with each token that is in `rows` replaced by the tokens there."""
    changes = np.zeros(len(tokens.types), np.bool_)
    changes[list(rows)] = True
    places = np.flatnonzero(changes[tokens.ids])
    lengths = np.ones(len(tokens.ids), np.int64)
    parts, done = [], 0
    for place in places.tolist():
        row = rows[int(tokens.ids[place])]
        parts += [tokens.ids[done:place], np.array(row, np.int32)]
        lengths[place] = len(row)
        done = place + 1
    ids = np.concatenate([*parts, tokens.ids[done:]])
    return ids, offsets_of(lengths, len(lengths))[tokens.offsets]
