"""Arrays in a mapped file: what is written is read, and damage is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cupel.mapped_file import UnusableFile, open_arrays, write_arrays, writing_arrays

ARRAYS: dict[str, npt.NDArray[Any]] = {
    "ids": np.arange(7, dtype=np.int16),
    "none": np.zeros((0, 3), np.float32),
    "matrix": np.arange(12, dtype="<f8").reshape(4, 3)[:, ::-1],
    "text": np.frombuffer("zażółć\n".encode(), np.uint8),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_arrays(tmp_path / "table", "kind", 3, "source", ARRAYS)
    return tmp_path / "table"


def test_arrays_come_back_as_they_were(file: Path) -> None:
    arrays = open_arrays(file, "kind", 3, "source")
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
        assert not arrays[name].flags.writeable
        assert arrays[name].ctypes.data % 64 == 0


def test_pieces_are_one_array(tmp_path: Path) -> None:
    rows = np.arange(30, dtype=np.float32).reshape(10, 3)
    with writing_arrays(tmp_path / "table", "kind", 1, "") as writer:
        writer.add("rows", (rows[start : start + 4] for start in range(0, 10, 4)), checked=False)
        writer.add("empty", [])
    arrays = open_arrays(tmp_path / "table", "kind", 1, "")
    np.testing.assert_array_equal(arrays["rows"], rows)
    assert arrays["empty"].tolist() == []


def test_every_flipped_byte_is_seen(file: Path) -> None:
    whole = file.read_bytes()
    for place in range(len(whole)):
        if 24 <= place < 64:
            continue  # behind the start, before the arrays: nothing stands there
        content = bytearray(whole)
        content[place] ^= 1
        file.write_bytes(content)
        with pytest.raises(UnusableFile):
            open_arrays(file, "kind", 3, "source")


def test_every_cut_is_seen(file: Path) -> None:
    whole = file.read_bytes()
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        with pytest.raises(UnusableFile, match=r"^damaged$"):
            open_arrays(file, "kind", 3, "source")


def test_an_unchecked_array_is_checked_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "table"
    with writing_arrays(path, "kind", 1, "") as writer:
        writer.add("rows", [np.zeros(100)], checked=False)
    content = bytearray(path.read_bytes())
    content[64] = 1
    path.write_bytes(content)
    assert open_arrays(path, "kind", 1, "")["rows"].view(np.uint8)[0] == 1
    path.write_bytes(content[:64] + content[72:])
    with pytest.raises(UnusableFile, match=r"^damaged$"):
        open_arrays(path, "kind", 1, "")


@pytest.mark.parametrize(
    ("kind", "version", "source", "reason"),
    [
        ("other", 3, "source", "damaged"),
        ("kind", 4, "source", "of another version of Cupel"),
        ("kind", 3, "other", "damaged"),
    ],
)
def test_another_file(file: Path, kind: str, version: int, source: str, reason: str) -> None:
    with pytest.raises(UnusableFile, match=f"^{reason}$"):
        open_arrays(file, kind, version, source)


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(FileNotFoundError):
            open_arrays(path, "kind", 3, "source")
