"""Options written as text (`lowercase=yes`, `beta=2`) become values of the declared type."""

from __future__ import annotations

import types
from typing import Annotated, Any, Union, get_args, get_origin

from cupel.errors import CupelError

_BOOLEANS = {
    "yes": True, "true": True, "1": True, "on": True,
    "no": False, "false": False, "0": False, "off": False,
}  # fmt: skip


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
