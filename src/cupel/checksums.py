"""What a file holds, told without reading it twice: its state, and the checksum it had in it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from cupel.errors import CupelError

State = tuple[int, int]


def state_of(path: Path | str) -> State | None:
    """(time of change, size): what changes when a file does; None where there is none to read."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, read again only when its state is another."""
    try:
        return _sha256(path, state_of(path))
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=64)
def _sha256(path: Path, state: State | None) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
