"""What a metric says about itself: its docstring in parts, and a sentence about each option.

The docstring of a metric's class or function, or else of its module, has these headings at the
beginning of a line. `cupel metrics NAME` prints them in this order, options before the paper.

    Measures:  what a score means, on which scale, and whether higher or lower is better
    Use:       when to use the metric, and when not
    Needs:     extras to install, resources, languages
    Formula:   the formula and its conventions; indented lines are printed as they are
    Paper:     the full reference
    Equal to:  the trusted implementation that gives the same numbers

An option is described where it is declared: `tokenize: Annotated[str, "Tokenizer of both sides."]`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

PARTS = ("Measures", "Use", "Needs", "Formula", "Paper", "Equal to")
_HEADING = re.compile(rf"^({'|'.join(PARTS)}):[ \n]", re.MULTILINE)


def described_parts(make: Callable[..., Any]) -> dict[str, str]:
    """Heading -> text. A docstring without headings is what the metric measures."""
    module = inspect.getmodule(make)
    for docstring in (make.__doc__, module.__doc__ if module else None):
        _, *rest = _HEADING.split(inspect.cleandoc(docstring or ""))
        if rest:
            texts = dict(zip(rest[::2], rest[1::2], strict=True))
            return {part: _unwrapped(texts[part]) for part in PARTS if part in texts}
    return {"Measures": _unwrapped(inspect.cleandoc(make.__doc__))} if make.__doc__ else {}


def _unwrapped(text: str) -> str:
    """The same with one line per paragraph; indented ones stay as they are."""
    paragraphs = re.split(r"\n{2,}", text.strip("\n"))
    return "\n\n".join(p if p.startswith("    ") else " ".join(p.split()) for p in paragraphs)


def type_hints(make: Callable[..., Any]) -> dict[str, Any]:
    """Option -> declared type, with what `Annotated` adds to it."""
    is_plain_class = inspect.isclass(make) and not is_dataclass(make)
    return get_type_hints(make.__init__ if is_plain_class else make, include_extras=True)


def option_sentences(make: Callable[..., Any]) -> dict[str, str]:
    """Option -> the text in its `Annotated` type; options without one are left out."""
    try:
        hints = type_hints(make)
    except (NameError, TypeError):  # types of another package that do not exist at run time
        return {}
    return {
        name: text
        for name, hint in hints.items()
        if get_origin(hint) is Annotated
        for text in get_args(hint)[1:]
        if isinstance(text, str)
    }
