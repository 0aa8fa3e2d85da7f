"""The cache in company: many processes at once, no room, another file system, an older version."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cupel import cache

FILL = """
import sys, numpy as np
from cupel import cache
made = 0
def rows():
    global made
    made += 1
    return np.arange(50_000.0)
def fill(folder):
    for n in range(20): (folder / str(n)).write_text("x" * 1000)
array = cache.kept_array("arrays", "a", rows)
value = cache.kept_json("values", "v", lambda: list(range(2000)))
folder = cache.kept_folder("folders", "f", fill)
table = cache.mapped_arrays("tables", "t", 1, "s", lambda w: w.add("a", [rows()]))
print(array.sum(), sum(value), len(list(folder.iterdir())), table["a"].sum())
"""
EXPECTED = "1249975000.0 1999000 20 1249975000.0\n"


def start(folder: Path, file_size: int | None = None, **environment: str) -> subprocess.Popen[str]:
    def limit() -> None:
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    return subprocess.Popen(
        [sys.executable, "-c", FILL], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "CUPEL_CACHE": str(folder), **environment}, preexec_fn=limit,
    )  # fmt: skip


def test_eight_processes_fill_the_same_empty_cache(tmp_path):
    running = [start(tmp_path / "cache") for _ in range(8)]
    printed = [process.communicate(timeout=200) for process in running]
    assert printed == [(EXPECTED, "")] * 8
    assert sorted(path.name for path in (tmp_path / "cache").glob("*/*")) == [
        "a.arrays", "f", "t", "v.json"
    ]  # fmt: skip


def test_a_cache_that_is_full(tmp_path):
    """Files may have 10 kB here: what does not fit is computed each time, and one line says so."""
    printed, notes = start(tmp_path / "cache", file_size=10_000).communicate(timeout=100)
    # The table cannot be mapped from anywhere then, so that this is where it ends.
    assert "too large" in notes or printed == EXPECTED
    assert "Traceback" not in notes or "CannotWrite" in notes
    assert not list((tmp_path / "cache").rglob("*.arrays"))
    printed, notes = start(tmp_path / "cache").communicate(timeout=100)
    assert (printed, notes) == (EXPECTED, "")


@pytest.mark.parametrize("kind", ["a file", "read-only"])
def test_a_cache_that_cannot_be_written(tmp_path, kind):
    folder = tmp_path / "cache"
    if kind == "a file":
        folder.write_text("")
    elif os.geteuid() == 0:
        folder = Path("/sys/cupel-cache")  # root may write into read-only folders, but not there
    else:
        folder.mkdir(mode=0o500)
    printed, notes = start(folder).communicate(timeout=100)
    assert printed == EXPECTED
    assert notes.startswith("cupel: Results are not kept for the next run: ")
    assert len(notes.splitlines()) == 1


def test_a_cache_on_another_file_system(tmp_path):
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system")
    folder = other / f"cupel-test-{os.getpid()}"
    try:
        printed, notes = start(folder, TMPDIR=str(tmp_path)).communicate(timeout=100)
        assert (printed, notes) == (EXPECTED, "")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_entries_of_an_older_version_and_damaged_ones_are_made_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    cache.mapped_arrays("tables", "t", 1, "s", lambda writer: writer.add("a", [np.arange(3)]))
    new = cache.mapped_arrays("tables", "t", 2, "s", lambda writer: writer.add("a", [np.ones(2)]))
    assert new["a"].tolist() == [1, 1]
    assert "is of another version of Cupel; it is made again" in capsys.readouterr().err
    cache.kept_array("arrays", "a", lambda: np.arange(3))
    (tmp_path / "arrays" / "a.arrays").write_bytes(b"CUPELMAP of long ago")
    assert cache.kept_array("arrays", "a", lambda: np.arange(4)).tolist() == [0, 1, 2, 3]
    cache.kept_json("values", "v", lambda: 1)
    (tmp_path / "values" / "v.json").write_text("[" * 100_000)
    assert cache.kept_json("values", "v", lambda: 2) == 2


def test_two_versions_side_by_side_have_entries_of_their_own(monkeypatch):
    import cupel

    ours = cache.key("a text", "an option")
    monkeypatch.setattr(cupel, "__version__", "0.0.1")
    assert cache.key("a text", "an option") != ours
