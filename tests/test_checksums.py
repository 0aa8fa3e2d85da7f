"""A file's checksum: right, read once, and another when the file is."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from cupel import checksums
from cupel.checksums import sha256_of, state_of
from cupel.errors import CupelError


def test_it_is_sha256_and_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "table.gz"
    for content in (b"one", b"two", b""):
        path.write_bytes(content)
        os.utime(path, ns=(0, len(content) + content[:1].count(b"o")))  # a clock too coarse to tell
        assert sha256_of(path) == hashlib.sha256(content).hexdigest()


def test_an_unchanged_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "table.gz"
    path.write_bytes(b"content")
    before = checksums._sha256.cache_info()
    assert sha256_of(path) == sha256_of(path)
    after = checksums._sha256.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 1)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert state_of(tmp_path / "absent") is None
    with pytest.raises(CupelError, match=r"absent cannot be read: No such file or directory\."):
        sha256_of(tmp_path / "absent")
