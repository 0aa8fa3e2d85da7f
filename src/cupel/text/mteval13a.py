r"""The tokenizer `13a` of mteval-v13a.pl and sacreBLEU, over whole batches.

Its rules, in order, after XML entities are resolved and a blank is put at either end:

1. a blank around each of ``{|}~ [\]^_` !"#$%& ()*+ :;<=>?@ /``
2. a period or comma goes apart unless a digit stands before it
3. a period or comma goes apart unless a digit stands behind it
4. a dash goes apart behind a digit

No rule looks past white space: what stands there is "not a digit", whatever it is. So a sentence
is tokenised piece by piece (pieces: what `str.split` gives), and each *distinct* piece once: a
newstest has ten times fewer of those than running words. The pieces are joined into one text and
each rule is one substitution over all of them. Two things do reach over white space, a line break
inside a segment (mteval glues a word hyphenated at it) and its mark ``<skipped>``: they are
resolved first, in the few segments that have them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cupel.text.tokens import Tokens, tokenize_pieces

_RULES = (
    (re.compile(r"([!-&(-+/:-@\[-`{-~])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])-"), r"\1 - "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def tokenize(sentences: Sequence[str]) -> Tokens:
    """The 13a tokens of each sentence."""
    pieces = [sentence.split() for sentence in sentences]
    for index, sentence in enumerate(sentences):
        if "\n" in sentence or "<skipped>" in sentence:
            pieces[index] = _resolved(sentence).split()
    return tokenize_pieces(pieces, _tokenize_pieces)


def _resolved(sentence: str) -> str:
    return sentence.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def _tokenize_pieces(pieces: Sequence[str]) -> tuple[list[str], list[int]]:
    # Most pieces are a bare word, or a word with a final period or comma, which always goes apart
    # (rule 3: what stands behind it is white space). Only the others need the rules.
    rest = [p for p in pieces if not (p.isalnum() or (p[-1] in ".," and p[:-1].isalnum()))]
    ruled = iter(_by_rules(rest))
    tokens: list[str] = []
    lengths: list[int] = []
    for piece in pieces:
        if piece.isalnum():
            tokens.append(piece)
            lengths.append(1)
        elif piece[-1] in ".," and piece[:-1].isalnum():
            tokens += (piece[:-1], piece[-1])
            lengths.append(2)
        else:
            found = next(ruled).split()
            tokens += found
            lengths.append(len(found))
    return tokens, lengths


def _by_rules(pieces: Sequence[str]) -> list[str]:
    # Each piece stands between two blanks on a line of its own: no rule can see its neighbours.
    text = " " + " \n ".join(pieces) + " "
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    return text.split("\n")
