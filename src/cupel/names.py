"""Names of systems as tables, charts and pages show them: without what all of them share.

Programs get the whole names: the rows of JSON and TSV, and everything that Python returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_PARTS = re.compile(r"[^._:/\\\s-]+|[._:/\\\s-]+")
"""Words and what stands between them."""


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Each name without the words that all of them begin and end with.

    Names are cut between words only, at `.`, `-`, `_`, `:`, `/` or blanks. Each keeps at least one
    word, and a shared word stays where a single letter or a bare number would be left of a name.
    A single name stays as it is, and so do all where a short one is the whole name of another.

    >>> short_names(["newstest2014.CMU.3461.de-en", "newstest2014.onlineA.0.de-en"])
    {'newstest2014.CMU.3461.de-en': 'CMU.3461', 'newstest2014.onlineA.0.de-en': 'onlineA.0'}
    """
    whole = list(dict.fromkeys(names))
    same = dict(zip(whole, whole, strict=True))
    if len(whole) < 2:
        return same
    split = [_PARTS.findall(name) for name in whole]
    start, end = _shared(split), _shared([parts[::-1] for parts in split])
    while end and not all(_has_word(parts[start : len(parts) - end]) for parts in split):
        end -= 1
        end -= _rest(split[0][::-1], end)
    while start and any(map(_is_bare, _cut(split, start, end))):
        start -= 1
        start -= _rest(split[0], start)
    cut = dict(zip(whole, _cut(split, start, end), strict=True))
    return same if any(cut[name] != name and cut[name] in same for name in whole) else cut


def _shared(split: Sequence[Sequence[str]]) -> int:
    """How many leading parts can go: up to a separator, and each name keeps a word behind it."""
    count = 0
    for parts in zip(*split, strict=False):
        if len(set(parts)) > 1:
            break
        count += 1
    while count and not all(_has_word(parts[count:]) for parts in split):
        count -= 1
    return count - _rest(split[0], count)


def _rest(parts: Sequence[str], count: int) -> int:
    """How many of the leading parts stand behind the last separator among them."""
    return next((n for n in range(count) if not _is_word(parts[count - 1 - n])), count)


def _cut(split: Sequence[Sequence[str]], start: int, end: int) -> list[str]:
    return ["".join(parts[start : len(parts) - end]) for parts in split]


def _is_word(part: str) -> bool:
    return not re.match(r"[._:/\\\s-]", part)


def _has_word(parts: Sequence[str]) -> bool:
    return any(map(_is_word, parts))


def _is_bare(name: str) -> bool:
    """Whether it says too little alone: `1` of `run-1`, `A` of `online-A`."""
    return len(name) < 2 or not any(map(str.isalpha, name))


def did_you_mean(name: str, names: Iterable[str], count: int = 3, cutoff: float = 0.6) -> str:
    """The end of a sentence about an unknown name: `: did you mean ...?`, or a full stop."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(names), n=count, cutoff=cutoff)
    return f": did you mean {' or '.join(near)}?" if near else "."
