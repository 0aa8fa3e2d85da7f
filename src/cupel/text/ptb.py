r"""The tokenizer `ptb`: Penn Treebank tokens as the COCO caption metrics see them.

Equal to pycocoevalcap's `PTBTokenizer`, which calls Java: Stanford CoreNLP 3.4.1
(`edu.stanford.nlp.process.PTBTokenizer -preserveLines -lowerCase`), and then removes
punctuation. Here it is a scanner in plain Python over rules of our own (`ptb_rules`).

What is different:
- pycocoevalcap sends all captions through Java as one file, and the lexer there looks past the
  end of a line: `Plan B.` gives `plan b.`, but `plan b` when the next caption begins with `The`.
  Here a sentence does not depend on its neighbours: it is read as if an empty line came next.
- A line break other than `\n` inside a caption (`\r`, U+2028, ...) shifts all later captions by
  one in the original. In `tokenize` it is a blank.
- Lower case is Python's, which may know newer letters than Java's; and a Greek capital sigma that
  shares a token with Chinese, Hebrew or Indian script may get its other small form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from cupel.errors import CupelError
from cupel.text.ptb_chars import BLANKS
from cupel.text.ptb_rules import RULES, Rule

# What pycocoevalcap removes. It also lists brackets, but in capitals, so `-lrb-` never matches.
_DROPPED = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])
# Most words need no rule: letters before a blank, except those that are two words in one.
_PLAIN = re.compile(
    "(?!(?i:cannot|gonna|gotta|lemme|gimme|wanna)[, \n])[A-Za-z]++(?=,?[ \n])", re.ASCII
)
_BLANK = re.compile(f"[{BLANKS}]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
# What Java takes for one word when it looks for a sigma at the end.
_SIGMA_WORD = re.compile(
    r"\w[\w\u0300-\u036f]*(?:(?<=[^\W\d])[-.'\u00ad\u2010\u2011](?=[^\W\d])[\w\u0300-\u036f]+)*"
)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

LONGEST_PIECE = 5_000
"""Characters between two blanks at most: some rules look to the end from each of them."""

_MEMO_SIZE = 200_000
_memo = {"": ""}  # piece between blanks -> its tokens
_last_memo = {"": ""}  # the same for the last piece of a sentence


def tokenize(sentences: Sequence[str]) -> list[str]:
    """The sentences in COCO form: lower case, without punctuation, one blank between tokens.

    >>> tokenize(["The dog's owner can't (or won't) pay $3.50."])
    ["the dog 's owner ca n't -lrb- or wo n't -rrb- pay $ 3.50"]

    A fraction or phone number with a blank inside is one token, with a no-break space instead.
    """
    return [_coco(_line(sentence)) for sentence in sentences]


def _coco(line: str) -> str:
    return " ".join([token for token in line.rstrip().split(" ") if token not in _DROPPED])


def _line(sentence: str) -> str:
    """All tokens of a sentence, joined by blanks (no token holds one)."""
    text = _as_units(sentence.replace("\n", " "))
    *pieces, last = text.split(" ")
    try:
        tokens = [_memo[piece] for piece in pieces]
        tokens.append(_last_memo[last])
    except KeyError:
        tokens = list(_pieces(text))
    return " ".join(filter(None, tokens))


def _pieces(text: str) -> Iterator[str]:
    """The tokens of a sentence, piece by piece; those that no context can change are kept."""
    end = len(text)
    text += "\n\n"
    at = 0
    while at < end:
        stop = text.find(" ", at)
        is_last = stop < 0
        if is_last:
            stop = end
        if stop - at > LONGEST_PIECE:
            raise CupelError(
                f"The tokenizer ptb takes up to {LONGEST_PIECE:,} characters without a blank, not "
                f"{stop - at:,}."
            )
        memo = _last_memo if is_last else _memo
        piece = text[at:stop]
        tokens = memo.get(piece)
        if tokens is None:
            tokens, after = _until(text, at, stop)
            if after == stop and not _depends(piece, is_last):
                if len(memo) > _MEMO_SIZE:
                    memo.clear()
                    memo[""] = ""
                memo[piece] = tokens
            stop = after
        yield tokens
        at = stop + 1


def _depends(piece: str, is_last: bool) -> bool:
    """Whether the tokens of a piece may be others before another piece, or after a blank.

    Before: it may end in an abbreviation or be the beginning of a fraction, phone number,
    ellipsis or tag. After: blanks of any kind that follow each other are read as one.
    """
    end = piece[-1]
    return piece[0].isspace() or (
        not is_last and (end in ".)" or end.isdigit() or end.isspace() or "<" in piece)
    )


def _until(text: str, at: int, stop: int) -> tuple[str, int]:
    """The tokens from `at` to the first blank, at `stop` or later, that no token reaches over."""
    tokens = []
    while at > 0 and _BLANK.match(text, at):
        at += 1
    while at < stop or text[at] not in " \n":
        token, at = _next(text, at)
        if token and token != "\n":
            tokens.append(token)
    return _lower(_from_units(" ".join(tokens))), at


def _next(text: str, at: int) -> tuple[str, int]:
    """The token that begins at `at` ("" for none, where text is left out), and its end."""
    plain = _PLAIN.match(text, at)
    if plain:
        return plain[0], plain.end()
    reach = at
    for rule in _candidates(text[at]):
        match = rule.pattern.match(text, at)
        if match and match.end() > reach:
            reach, best, longest = match.end(), rule, match
    group = best.pattern.groups
    return best.printed(longest[group]), longest.end(group)


@cache
def _candidates(character: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if re.match(f"[{rule.starts}]", character))


def _lower(text: str) -> str:
    if "\u03a3" in text:
        text = _SIGMA_WORD.sub(_small_sigmas, text)
    return text.lower()


def _small_sigmas(match: re.Match[str]) -> str:
    """A word with each capital sigma in lower case: of the final form after the last letter."""
    word = match[0]
    cased = [i for i, character in enumerate(word) if character.lower() != character.upper()]
    if len(cased) > 1 and word[cased[-1]] == "\u03a3":
        word = word[: cased[-1]] + "\u03c2" + word[cased[-1] + 1 :]
    return word.replace("\u03a3", "\u03c3")


def _as_units(text: str) -> str:
    """Text with every character beyond the basic plane as two surrogates, as Java sees it."""
    return text if text.isascii() else _ASTRAL.sub(_split_pair, text)


def _split_pair(match: re.Match[str]) -> str:
    code = ord(match[0]) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _from_units(text: str) -> str:
    return text if text.isascii() else _PAIR.sub(_join_pair, text)


def _join_pair(match: re.Match[str]) -> str:
    high, low = map(ord, match[0])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
