"""Commands that are killed leave nothing half-written and nothing running; `make soak` tries more moments."""

from __future__ import annotations

import os
import random
import signal
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


@needs_proc
@pytest.mark.parametrize("name", kills.ENDS)
def test_nothing_outlives_a_signal(name, tmp_path):
    case, chance = kills.ENDS[name], random.SystemRandom()
    case.prepare(tmp_path)
    kills.ended(case, tmp_path, chance.choice(kills.SIGNALS), chance.uniform(0.1, 2), 30)


STUBBORN = """
import time
from pathlib import Path

def wait(hypothesis, references):
    while True:
        try:
            Path("started").touch()
            time.sleep(60)
        except KeyboardInterrupt:
            pass
"""


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_does_not_end_by_itself(number, tmp_path):
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    (tmp_path / "ref").write_text("a b c d\n" * 9)
    command = "-m cupel score ref -i ref -m stubborn:wait --stream -sl -f tsv -o out.tsv".split()
    process = subprocess.Popen([sys.executable, *command], cwd=tmp_path, stderr=subprocess.PIPE)
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (128 + number, b"")
    assert {path.name for path in tmp_path.iterdir()} <= {
        "ref", "started", "stubborn.py", "__pycache__"
    }  # fmt: skip


def test_what_a_running_process_writes_is_never_swept(tmp_path):
    """Whatever the clock says: an hour or a year later, its file is still there."""
    with folders.writing(tmp_path / "out.txt") as beside:
        old = time.time() - 400 * 24 * 3600
        os.utime(beside, (old, old))
        folders.sweep(tmp_path)
        assert beside.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_what_a_dead_process_left_is_swept_by_the_next_one_that_writes_there(tmp_path):
    code = "from cupel.folders import owned; print(owned())"
    dead = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    owner = dead.stdout.strip()
    here = tmp_path / f".{owner}0123456789ab.txt"
    left = tmp_path / f".{owner[:-9]}{'0' * 8}-0123456789ab.txt"
    for path in (here, left):
        path.write_text("half")
    folders.write_text(tmp_path / "out.txt", "whole")
    assert not here.exists()
    assert left.exists()  # of another machine, and fresh
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
