"""The cache: what is kept, what is computed again, and that nothing fails for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cupel import cache, checksums
from cupel.errors import CupelError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Counted:
    """Computes a value, and counts how often."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.times = 0

    def __call__(self) -> Any:
        self.times += 1
        return self.value


VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)
KEPT: list[tuple[Callable[..., Any], Any, str]] = [
    (cache.kept_array, VALUES, "arrays"),
    (cache.kept_json, {"value": 0.5, "of": [1, 2]}, "json"),
]


def test_a_key_names_all_parts_and_their_borders() -> None:
    assert cache.key("a", 1) == cache.key("a", "1") != cache.key("a1")
    assert cache.key("a", "b") != cache.key("ab", "") != cache.key("a\0b")
    assert len(cache.key()) == 32


@pytest.mark.parametrize(("kept", "value", "suffix"), KEPT)
def test_a_result_is_computed_once(
    folder: Path, kept: Callable[..., Any], value: Any, suffix: str
) -> None:
    compute = Counted(value)
    for _ in range(2):
        np.testing.assert_equal(kept("kind", "name", compute), value)
    assert compute.times == 1
    assert [path.name for path in (folder / "kind").iterdir()] == [f"name.{suffix}"]
    kept("kind", "other", compute)
    assert compute.times == 2


def test_an_array_may_be_changed(folder: Path) -> None:
    cache.save_array("kind", "name", VALUES)
    values: npt.NDArray[Any] | None = cache.load_array("kind", "name")
    assert values is not None
    assert values.dtype == np.float32
    values[0] = 9
    np.testing.assert_array_equal(cache.load_array("kind", "name"), VALUES)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"a": 1', b"[1, 2]", b"[" * 9999, b"PK"])
@pytest.mark.parametrize(("kept", "value", "suffix"), KEPT)
def test_a_damaged_entry_is_computed_again(
    folder: Path, kept: Callable[..., Any], value: Any, suffix: str, content: bytes
) -> None:
    compute = Counted(value)
    kept("kind", "name", compute)
    (folder / "kind" / f"name.{suffix}").write_bytes(content)
    for _ in range(2):
        np.testing.assert_equal(kept("kind", "name", compute), value)
    assert compute.times == 2


def test_a_cache_that_cannot_be_written_is_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "file"))
    for kept, value, _ in KEPT:
        np.testing.assert_equal(kept("kind", "name", Counted(value)), value)

    def fill(place: Path) -> None:
        filled.append(place)
        (place / "text").write_text("whole")

    filled: list[Path] = []
    for _ in range(2):
        assert (cache.kept_folder("kind", "name", fill) / "text").read_text() == "whole"
    assert len(filled) == 1
    error = capsys.readouterr().err
    assert error.startswith("cupel: Results are not kept for the next run: ")
    assert error.count("\n") == 1


def test_errors_of_the_computation_are_not_those_of_the_cache(folder: Path) -> None:
    def fail(*_: object) -> Any:
        raise CupelError("The input is bad.")

    for attempt in (
        lambda: cache.kept_array("kind", "name", fail),
        lambda: cache.kept_json("kind", "name", fail),
        lambda: cache.kept_folder("kind", "name", fail),
        lambda: cache.mapped_arrays("kind", "name", 1, "", fail),
    ):
        with pytest.raises(CupelError, match=r"^The input is bad\.$"):
            attempt()
    assert not list(folder.glob("kind/*"))


def test_what_killed_processes_left_behind_is_swept(folder: Path) -> None:
    (folder / "kind").mkdir(parents=True)
    for name, age in ((".cupel-old.json", 3), (".cupel-young.json", 1), ("old.json", 3)):
        (folder / "kind" / name).write_text("half")
        then = (folder / "kind" / name).stat().st_mtime - age * 24 * 3600
        os.utime(folder / "kind" / name, (then, then))
    cache.kept_json("kind", "name", lambda: 1)
    assert sorted(path.name for path in (folder / "kind").iterdir()) == [
        ".cupel-young.json", "name.json", "old.json"
    ]  # fmt: skip


def test_the_checksum_of_a_large_file_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table"
    path.write_bytes(b"content")
    small = checksums.sha256_of(path)
    assert not folder.exists()
    monkeypatch.setattr(checksums, "LARGE", 3)
    for content in (None, b"", b"[]"):
        for entry in folder.glob("checksums/*"):
            if content is not None:
                entry.write_bytes(content)
        checksums._sha256.cache_clear()
        assert checksums.sha256_of(path) == small
    assert len(list(folder.glob("checksums/*"))) == 1
