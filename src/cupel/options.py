"""Options written as text (`lowercase=yes`, `beta=2`) become values of the declared type.

What values make sense is declared with the type: `Annotated[int, "Words.", Range(1, 100)]`.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from cupel.errors import CupelError

_BOOLEANS = {
    "yes": True, "true": True, "1": True, "on": True,
    "no": False, "false": False, "0": False, "off": False,
}  # fmt: skip


@dataclass(frozen=True)
class Range:
    """The numbers that an option takes, both ends included; either may be left to the metric."""

    least: float = -math.inf
    most: float = math.inf

    def __str__(self) -> str:
        if math.isinf(self.least):
            return f"a number up to {self.most:,.12g}"
        return f"a number from {self.least:,.12g} to {self.most:,.12g}"


def check_numbers(values: Mapping[str, object], hints: Mapping[str, Any], owner: str) -> None:
    """An error for a number that is out of its declared range, infinite or not a number."""
    for name, value in values.items():
        if not isinstance(value, int | float):
            continue
        given = get_args(hints.get(name))[1:] if name in hints else ()
        span = next((part for part in given if isinstance(part, Range)), Range())
        infinite = isinstance(value, float) and not math.isfinite(value)
        if infinite or not span.least <= value <= span.most:
            expected = "a finite number" if span == Range() else str(span)
            raise CupelError(f"The option {owner}:{name} takes {expected}, not {value}.")


def converted(text: str, kind: Any, name: str) -> object:
    """`text` as a value of type `kind` (bool, int, float, str, tuple of str, or one of them | None)."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        if text.lower() == "none":
            return None
        kind = next(part for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is tuple:
        return tuple(text.split(","))
    try:
        if kind is bool:
            return _BOOLEANS[text.lower()]
        return kind(text) if kind in (int, float) else text
    except (KeyError, ValueError):
        expected = {bool: "yes or no", int: "a whole number", float: "a number"}[kind]
        raise CupelError(f"The option {name} takes {expected}, not {text!r}.") from None
