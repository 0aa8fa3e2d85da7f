"""Other forms of the tokenizer `ptb`, to compare it with the original."""

from __future__ import annotations

from collections.abc import Sequence

from cupel.text.ptb import _as_units, _coco, _from_units, _line, _lower, _next


def stanford_tokens(sentences: Sequence[str]) -> list[list[str]]:
    """All Stanford tokens of each sentence, in lower case, punctuation included."""
    lines = (_line(sentence) for sentence in sentences)
    return [line.split(" ") if line else [] for line in lines]


def tokenize_file(sentences: Sequence[str]) -> list[str]:
    """The sentences in COCO form as pycocoevalcap gives them for this very list, in this order."""
    text = _as_units("\n".join(sentence.replace("\n", " ") for sentence in sentences))
    lines: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        token, at = _next(text, at)
        if token == "\n":
            lines.append([])
        elif token:
            lines[-1].append(token)
    # A tag may hold a line break of its own, hence the detour by one text.
    printed = "\n".join(" ".join(line) for line in lines)
    return [_coco(_lower(_from_units(line))) for line in printed.split("\n")][: len(sentences)]
