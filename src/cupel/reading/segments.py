"""What a reader returns: the segments of one file, and where each of them came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["reference", "hypothesis", "source"]
Key = tuple[str, str]  # (document, segment id)


@dataclass(frozen=True)
class Segments:
    """The texts of one system, of a source, or of all references in one file.

    origin  the file as the user named it, "standard input" for `-`
    texts   one string per segment, or a list of them where a file holds several references
    keys    (document, segment id) of each text, where the file has them
    label   the system's name, where the file has one
    """

    origin: str
    texts: Sequence[str | Sequence[str]]
    keys: Sequence[Key] | None = None
    label: str | None = None

    @property
    def who(self) -> str:
        """The file, and the system in it: how errors call these segments."""
        return f"{self.origin} (system {self.label!r})" if self.label else self.origin


def counted(number: int, singular: str, plural: str) -> str:
    """A number with what it counts: `1 was found`, `2 were found`."""
    return f"{number} {singular if number == 1 else plural}"


def listed(names: Sequence[str], limit: int = 12) -> str:
    """'a', 'b', 'c': the names in quotes, the first of them where there are many."""
    if not names:
        return "none"
    shown = ", ".join(map(repr, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def nearest(name: str, names: Sequence[str]) -> str:
    """`; did you mean 'x'?`, or nothing where no name is near; the end of a sentence."""
    from difflib import get_close_matches

    lowered = {other.lower(): other for other in names}
    near = get_close_matches(name.lower(), lowered, n=1)
    return f"; did you mean {lowered[near[0]]!r}?" if near else "."
