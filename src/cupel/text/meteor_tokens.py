"""METEOR's tokens of whole batches, each distinct piece of text tokenised once in a process.

`MeteorNorm` splits sentences at white space in a compiled loop, looks up what the rules of
`cupel.text.meteor_norm` made of each piece, and puts the tokens together. Running text brings few
new pieces, so that most of a batch never meets a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock

import numpy as np
import numpy.typing as npt

from cupel.arrays import Int32Array, IntArray
from cupel.text.meteor_norm import Piece, Rules
from cupel.text.tokens import Tokens, offsets_of

MOST_PIECES = 300_000
"""A memory of more pieces is emptied, to keep it small."""

_WHOLE = "\ud801"  # marks a piece that is a finished token; no readable text has a lone surrogate


@dataclass(frozen=True)
class MeteorNorm:
    """The analyser sentences -> `Tokens`, normalised and in lower case.

    Ids are those of a vocabulary that grows with the process: `types` has words of other batches,
    too.
    """

    language: str = "en"

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        return _memory(self.language).tokens(sentences)


@cache
def _memory(language: str) -> Memory:
    return Memory(Rules(language))


class Memory:
    """What the rules made of pieces: rows of tokens, and which row before which kind of piece."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._types: list[str] = []
        self._token_ids: dict[str, int] = {}
        self._piece_ids: dict[str, int] = {}
        self._kinds = np.zeros(0, np.uint8)
        self._variants = np.zeros((0, 3), np.int32)
        self._row_offsets = np.zeros(1, np.int32)
        self._row_tokens = np.zeros(0, np.int32)

    def tokens(self, sentences: Sequence[str]) -> Tokens:
        """The tokens of sentences."""
        from cupel.kernels.pieces import place_tokens

        distinct, pieces, offsets, odd = _split(sentences)
        for sentence in odd:
            whole = [_WHOLE + token for token in self._rules.sentence(sentences[sentence])]
            pieces, offsets = _replaced(pieces, offsets, sentence, len(distinct), len(whole))
            distinct += whole
        with self._lock:
            numbers = self._numbers(distinct)
            ids, ends = place_tokens(
                numbers[pieces],
                offsets,
                self._kinds,
                self._variants,
                self._row_offsets,
                self._row_tokens,
            )
            return Tokens(ids, ends, self._types)

    def _numbers(self, pieces: Sequence[str]) -> Int32Array:
        if len(self._piece_ids) > MOST_PIECES:
            self._begin()
        ids = self._piece_ids
        new = [piece for piece in dict.fromkeys(pieces) if piece not in ids]
        if new:
            plain = [piece for piece in new if piece[0] != _WHOLE]
            self._add(plain, self._rules.pieces(plain))
            whole = [piece for piece in new if piece[0] == _WHOLE]
            self._add(whole, [Piece([w[1:]], [w[1:]], [w[1:]], 0) for w in whole])
        return np.fromiter(map(ids.__getitem__, pieces), np.int32, len(pieces))

    def _add(self, pieces: Sequence[str], made: Sequence[Piece]) -> None:
        first = len(self._piece_ids)
        self._piece_ids.update(zip(pieces, range(first, first + len(pieces)), strict=True))
        row = len(self._row_offsets) - 1
        rows: list[list[str]] = []
        variants: list[tuple[int, int, int]] = []
        for before_else, before_lower, before_digit, _ in made:
            own = row + len(rows)
            rows.append(before_else)
            lower = digit = own
            if before_lower is not before_else and before_lower != before_else:
                lower = row + len(rows)
                rows.append(before_lower)
            if before_digit is not before_else and before_digit != before_else:
                digit = row + len(rows)
                rows.append(before_digit)
            variants.append((own, lower, digit))
        tokens = [token for listed in rows for token in listed]
        if tokens:
            tokens = "\n".join(tokens).lower().split("\n")
        number = self._token_ids
        fresh = [token for token in dict.fromkeys(tokens) if token not in number]
        number.update(zip(fresh, range(len(number), len(number) + len(fresh)), strict=True))
        self._types.extend(fresh)
        ids = np.fromiter(map(number.__getitem__, tokens), np.int32, len(tokens))
        ends = offsets_of(map(len, rows), len(rows))[1:] + len(self._row_tokens)
        kinds = np.fromiter((piece.kind for piece in made), np.uint8, len(made))
        self._kinds = np.concatenate([self._kinds, kinds])
        self._variants = np.concatenate(
            [self._variants, np.array(variants, np.int32).reshape(-1, 3)]
        )
        self._row_offsets = np.concatenate([self._row_offsets, ends.astype(np.int32)])
        self._row_tokens = np.concatenate([self._row_tokens, ids])


def _split(sentences: Sequence[str]) -> tuple[list[str], Int32Array, IntArray, list[int]]:
    """The distinct pieces, the number of each piece, their offsets, and the odd sentences."""
    from cupel.kernels.pieces import split_pieces

    text = "\n".join(sentences) + "\n"
    if text.count("\n") != len(sentences):  # to METEOR a line feed is a blank like others
        text = "\n".join(sentence.replace("\n", " ") for sentence in sentences) + "\n"
    if not sentences:
        text = ""
    codes: npt.NDArray[np.uint32] = np.frombuffer(
        text.encode("utf-32-le", "surrogatepass"), np.uint32
    )
    ids, offsets, starts, ends, is_odd = split_pieces(codes, len(sentences))
    distinct = [text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    return distinct, ids, offsets, np.flatnonzero(is_odd).tolist()


def _replaced(
    pieces: Int32Array, offsets: IntArray, sentence: int, first: int, count: int
) -> tuple[Int32Array, IntArray]:
    """Pieces `first ... + count` in place of those of a sentence."""
    start, end = offsets[sentence], offsets[sentence + 1]
    new = np.arange(first, first + count, dtype=np.int32)
    shifted = offsets.copy()
    shifted[sentence + 1 :] += count - (end - start)
    return np.concatenate([pieces[:start], new, pieces[end:]]), shifted
