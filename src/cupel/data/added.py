"""What `cupel data add` and `cupel data get` say of each dataset or test set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Added:
    """The dataset's folder, whether it was there before, and what it was recognised as."""

    name: str
    folder: Path
    already: bool
    what: str = ""
