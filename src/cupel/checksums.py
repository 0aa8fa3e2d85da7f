"""Which content a file has, without reading it twice: its state, and the checksum that goes with it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from cupel.cache import kept_json, key
from cupel.errors import CupelError

State = tuple[int, int]

LARGE = 10_000_000
"""The checksums of files of more bytes than this are kept in the cache."""


def state_of(path: Path | str) -> State | None:
    """(time of change, size): what changes when a file does; None where there is none to read."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, which is read again only when its state has changed."""
    try:
        return _sha256(path, state_of(path))
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=64)
def _sha256(path: Path, state: State | None) -> str:
    def compute() -> str:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    if state is None or state[1] <= LARGE:
        return compute()
    return str(kept_json("checksums", key(path.resolve(), *state), compute))
