"""`cupel data get` as a process: killed, twice at once, on a full disk, with and without a terminal."""

from __future__ import annotations

import errno
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import served
from cupel.data import DATASETS, get, verify
from cupel.data.store import Store
from cupel.errors import CupelError
from served import ARCHIVE_URL, MUTT, SICK_URL, stall_after

(SICK,) = DATASETS["sick"].artifacts


@pytest.fixture(autouse=True)
def home(empty_home) -> Path:
    return empty_home


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "cupel", "data", "get", *arguments]


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False)


def test_it_says_what_it_does(server, home):
    done = run("sick", "--from", server.base, "--yes")
    assert (done.returncode, done.stdout) == (0, f"sick: added: {home}/sick\n")
    assert done.stderr == (
        "cupel: sick: from github.com/text-machine-lab/MUTT; licence: CC BY-NC-SA 3.0.\n"
        f"cupel: About 2.4 MB are transferred; the datasets are put into {home}.\n"
    )
    again = run("sick")
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == f"sick: was already there and is left as it is: {home}/sick\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sick"], "There is no terminal to ask on: add --yes to go on without a question."),
        (["wmt99"], "There is no dataset 'wmt99'; there are wmt12, "),
        ([], "Name the datasets to get, or give --all for wmt12, "),
        (["sick", "--all"], "Name the datasets to get, or give --all for wmt12, "),
        (["sick", "--yes", "--from", "absent"], "absent does not exist: give a clone, "),
    ],
)
def test_bad_usage(home, arguments, sentence):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(f"cupel: {sentence}")
    assert not home.exists()


@pytest.mark.parametrize("reply", [b"n\n", b"\n", b"y\n"])
def test_it_asks_on_a_terminal(server, home, reply):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("sick", "--from", server.base), stdin=theirs, stderr=theirs, stdout=subprocess.PIPE
    )
    os.close(theirs)
    printed = b""
    while b"Go on? [y/N] " not in printed:
        printed += os.read(ours, 1000)
    assert b"licence: CC BY-NC-SA 3.0." in printed
    assert server.requests == []
    os.write(ours, reply)
    while chunk := _read(ours):
        printed += chunk
    agreed = reply == b"y\n"
    assert process.wait(30) == (0 if agreed else 1)
    os.close(ours)
    assert (home / "sick").is_dir() is agreed
    assert len(server.requests) == agreed
    assert (b"getting files" in printed) is agreed  # the progress bar
    assert (b"Nothing was downloaded." in printed) is not agreed


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1000)
    except OSError:  # how Linux says that the other end is closed
        return b""


def stopped(server: served.Server, number: int, *arguments: str) -> tuple[int, str]:
    """Start a download and send it a signal when the server stalls: its status and what it printed."""
    process = start(*arguments, "--yes")
    assert server.stalling.wait(30)
    store = Store(MUTT.name).folder
    deadline = time.monotonic() + 30
    while not any(path.stat().st_size for path in store.glob("*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)  # somewhere in the middle
    process.send_signal(number)
    _, printed = process.communicate(timeout=30)
    server.requests.clear()
    return process.returncode, printed


def test_a_kill_in_the_middle_of_a_file(server, home, tmp_path):
    server.faults[SICK_URL] = [stall_after(1_000_000)]
    status, _ = stopped(server, signal.SIGKILL, "sick", "--from", server.base)
    assert status == -signal.SIGKILL
    assert not home.exists()
    (part,) = Store(MUTT.name).folder.iterdir()
    size = part.stat().st_size
    assert 0 < size <= 1_000_000
    assert run("sick", "--from", server.base, "--yes").returncode == 0
    assert server.requests == [(SICK_URL, f"bytes={size}-")]
    assert verify("sick").ok
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


def test_an_interrupt(server, home):
    server.faults[SICK_URL] = [stall_after(1_000_000)]
    status, printed = stopped(server, signal.SIGINT, "sick", "--from", server.base)
    assert status == 130
    assert "Traceback" not in printed
    assert not home.exists()
    get("sick", server.base)
    (request,) = server.requests
    assert request[1] is not None  # a range


def test_a_kill_in_the_middle_of_an_archive(server, home, tmp_path, mutt_files):
    """What came out of it is kept."""
    url = server.base + ARCHIVE_URL
    server.faults[ARCHIVE_URL] = [stall_after(len(server.contents[ARCHIVE_URL]) // 2)]
    stopped(server, signal.SIGKILL, "mutt", "--from", url)
    assert not home.exists()
    kept = [path for path in Store(MUTT.name).folder.iterdir() if not path.suffix]
    assert kept
    assert run("mutt", "--from", server.base, "--yes").returncode == 0
    assert len(server.requests) == len(set(mutt_files.values())) - 1 - len(kept)  # without SICK.txt
    assert verify("mutt").ok
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


def test_a_kill_while_it_is_built(server, home, tmp_path):
    script = (
        "import os, signal, sys\n"
        "from cupel.data import get\n"
        "from cupel.data.converters import mutt\n"
        "def build(sources, target):\n"
        "    (target / 'SICK.txt').write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "mutt.build_sick = build\n"
        "get(['sick'], sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, server.base], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (home / "sick").exists()
    server.requests.clear()
    assert run("sick", "--from", server.base, "--yes").returncode == 0
    assert server.requests == []  # it was all here
    assert verify("sick").ok
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


def hold(server: served.Server, go_on: threading.Event) -> served.Fault:
    """Stop in the middle of the answer until an event."""

    def fault(handler: served.Handler, content: bytes) -> None:
        handler.start(content)
        handler.wfile.write(content[:1_000_000])
        server.stalling.set()
        go_on.wait(30)
        handler.wfile.write(content[1_000_000:])

    return fault


WAITING = "cupel: Another process is downloading text-machine-lab/MUTT; waiting for it.\n"


def until_it_waits(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line == WAITING:
            return
    pytest.fail("the second process does not wait")


def test_two_processes_at_once(server, home, tmp_path):
    go_on = threading.Event()
    server.faults[SICK_URL] = [hold(server, go_on)]
    first = start("sick", "--from", server.base, "--yes")
    assert server.stalling.wait(30)
    second = start("sick", "--from", server.base, "--yes")
    until_it_waits(second)
    go_on.set()
    assert first.communicate()[0] == f"sick: added: {home}/sick\n"
    answer = second.communicate()[0]
    assert answer == f"sick: was already there and is left as it is: {home}/sick\n"
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(server.requests) == 1
    assert [path.name for path in home.iterdir()] == ["sick"]
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


def test_the_second_process_takes_over_when_the_first_is_killed(server, home):
    server.faults[SICK_URL] = [stall_after(1_000_000)]
    first = start("sick", "--from", server.base, "--yes")
    assert server.stalling.wait(30)
    second = start("sick", "--from", server.base, "--yes")
    until_it_waits(second)
    first.kill()
    first.communicate()
    assert second.communicate()[0] == f"sick: added: {home}/sick\n"
    assert verify("sick").ok
    assert len(server.requests) == 2


def test_processes_that_start_together(server, home, tmp_path):
    """All of them end well, whoever builds what."""
    names = (["sick"], ["mutt"], ["mutt", "sick"], ["sick"])
    processes = [start(*some, "--from", server.base, "--yes") for some in names]
    answers = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, answers
    assert "".join(printed for printed, _ in answers).count(": added: ") == 2
    assert sorted(path.name for path in home.iterdir()) == ["mutt", "sick"]
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


def test_a_disk_that_takes_no_more(server, home, tmp_path):
    """1,024,000 bytes and no more; later the rest."""
    limited = ["bash", "-c", 'ulimit -f 1000; exec "$@"', "bash"]
    done = subprocess.run(
        [*limited, *command("sick", "--from", server.base, "--yes")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"cupel: {tmp_path}/cache/downloads/text-machine-lab+MUTT cannot be written: the file would be "
        "too large for the disk; free some space there and try again."
    )
    assert not home.exists()
    server.requests.clear()
    get(["sick"], server.base)
    assert server.requests == [(SICK_URL, "bytes=1024000-")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk(server, home):
    store = Store(MUTT.name)
    store.folder.mkdir(parents=True)
    (store.folder / f"{SICK.sha256}.part").symlink_to("/dev/full")
    with pytest.raises(CupelError) as raised:
        get(["sick"], server.base)
    assert str(raised.value) == (
        f"{store.folder} cannot be written: the disk is full; free some space there and try again."
    )
    assert not home.exists()


def test_a_data_folder_on_a_full_disk(server, home, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("cupel.data.converters.sources.shutil.copyfile", refuse)
        with pytest.raises(CupelError) as raised:
            get(["sick"], server.base)
    assert str(raised.value) == (
        f"{home}/sick cannot be written: the disk is full; free some space there and try again."
    )
    assert list(home.iterdir()) == []
    get(["sick"], server.base)
    assert len(server.requests) == 1
