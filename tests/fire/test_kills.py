"""Commands that are killed leave nothing half-written and nothing running; `make soak` tries more moments."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kills
from cupel import cache, folders

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")


@needs_proc
@pytest.mark.parametrize("name", ["score-workers", "caches"])
def test_killed_at_random_moments(name):
    line = kills.soak(name, 2, random.SystemRandom().randrange(10**6))
    assert line.startswith(f"{name}: 2 moments")


def test_what_a_running_process_writes_is_never_swept(tmp_path):
    """Whatever the clock says: an hour or a year later, its file is still there."""
    with folders.writing(tmp_path / "out.txt") as beside:
        old = time.time() - 400 * 24 * 3600
        os.utime(beside, (old, old))
        folders.sweep(tmp_path)
        assert beside.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_what_a_dead_process_left_is_swept_by_the_next_one_that_writes_there(tmp_path):
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=-1)
    left = tmp_path / f".cupel-{int(dead.stdout)}-0123456789ab.txt"
    left.write_text("half")
    folders.write_text(tmp_path / "out.txt", "whole")
    assert left.exists()  # it could be of another machine, and fresh
    old = time.time() - 3 * 24 * 3600
    os.utime(left, (old, old))
    code = "import sys; from cupel.folders import write_text; write_text(sys.argv[1], 'x')"
    subprocess.run([sys.executable, "-c", code, tmp_path / "next.txt"], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["next.txt", "out.txt"]


@pytest.mark.parametrize("jump", [-10 * 365 * 24 * 3600.0, 10 * 365 * 24 * 3600.0])
def test_a_clock_that_jumps(tmp_path, monkeypatch, jump):
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    assert cache.kept_json("kind", "name", lambda: 1) == 1
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + jump)
    assert cache.kept_json("kind", "name", lambda: 2) == 1
    assert cache.kept_json("kind", "other", lambda: 3) == 3
    assert cache.kept_folder("folders", "one", lambda folder: None).is_dir()
