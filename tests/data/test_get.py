"""`get`, end to end, from a local server with the real files of a repository."""

from __future__ import annotations

import hashlib
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

import served
from cupel.data import download, get, places, verify
from cupel.data.converters import mutt
from cupel.errors import CannotWrite, CupelError
from served import ARCHIVE_URL, MUTT, SICK_URL, answer, cut_after, stall_after


@pytest.fixture(autouse=True)
def home(empty_home, monkeypatch) -> Path:
    monkeypatch.setattr(download, "WAITS", (0.01, 0.01))
    return empty_home


def by_archive(monkeypatch) -> None:
    """Make single files so dear that the whole archive is less."""
    monkeypatch.setattr(places, "_REQUEST", 10**8)


def sentence(*arguments) -> str:
    with pytest.raises(CupelError) as raised:
        get(*arguments)
    return str(raised.value)


def downloads(tmp_path: Path) -> dict[str, int]:
    """What is in the cache, with sizes."""
    return {path.name: path.stat().st_size for path in (tmp_path / "cache").rglob("*.part")} | {
        path.name: path.stat().st_size
        for path in (tmp_path / "cache").rglob("*")
        if path.is_file() and len(path.name) == 64
    }


def test_one_file(server, home, tmp_path, mutt_files):
    (result,) = get(["sick"], server.base)
    assert (result.name, result.folder, result.already) == ("sick", home / "sick", False)
    assert (home / "sick" / "SICK.txt").read_bytes() == mutt_files[served.SICK_PATH]
    assert verify("sick").ok
    assert server.requests == [(SICK_URL, None)]
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


def test_a_shared_repository_is_downloaded_once(server, home, tmp_path, mutt_files, monkeypatch):
    by_archive(monkeypatch)
    calls: list[tuple[int, int]] = []
    results = get(["sick", "mutt", "sick"], server.base, lambda *call: calls.append(call))
    assert [(result.name, result.already) for result in results] == [
        ("sick", False),
        ("mutt", False),
    ]
    assert server.requests == [(ARCHIVE_URL, None)]
    copies = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert len(copies) == len(mutt_files) + 2  # README.md of both
    assert set(mutt_files.values()) < set(copies)
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert {total for _, total in calls} == {MUTT.archive_bytes}


def test_what_is_here_is_left_alone(server, home, monkeypatch, tmp_path):
    get(["sick"], server.base)
    (again,) = get(["sick"], server.base)
    assert (again.folder, again.already) == (home / "sick", True)
    (tmp_path / "other" / "mutt").mkdir(parents=True)
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path / "other"))
    (listed,) = get(["mutt"], server.base)
    assert (listed.folder, listed.already) == (tmp_path / "other" / "mutt", True)
    assert len(server.requests) == 1


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("archive", [True, False])
@pytest.mark.parametrize("chunked", [True, False])
def test_a_connection_that_breaks(server, monkeypatch, capsys, archive, ranges, chunked):
    """It goes on where it was, or starts again where the server does not take ranges."""
    server.chunked = chunked
    url = SICK_URL
    if archive:
        by_archive(monkeypatch)
        url = ARCHIVE_URL
    server.ranges = ranges
    server.faults[url] = [cut_after(300_000), cut_after(0), cut_after(600_000)]
    get(["sick"], server.base)
    assert verify("sick").ok
    position = 900_000 if ranges else 600_000
    assert server.requests == [
        (url, None), (url, "bytes=300000-"), (url, "bytes=300000-"), (url, f"bytes={position}-")
    ]  # fmt: skip
    note = f"cupel: {server.base}{url}: the connection broke; trying again in 0.01 s.\n"
    assert capsys.readouterr().err == note * 3


def test_a_connection_that_breaks_for_good(server, home, tmp_path):
    server.faults[SICK_URL] = [cut_after(1_000_000), *[cut_after(0)] * 2]
    assert sentence(["sick"], server.base) == (
        f"{server.base}{SICK_URL} cannot be downloaded (the connection broke): check the network and "
        "try again, or give a copy of the files with --from."
    )
    assert not home.exists()
    (part,) = downloads(tmp_path).items()
    assert part[0].endswith(".part")
    assert part[1] == 1_000_000
    server.requests.clear()
    get(["sick"], server.base)
    assert server.requests == [(SICK_URL, "bytes=1000000-")]
    assert verify("sick").ok
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


def test_files_that_came_out_of_a_broken_archive_are_kept(
    server, tmp_path, mutt_files, monkeypatch
):
    by_archive(monkeypatch)
    half = len(server.contents[ARCHIVE_URL]) // 2
    server.faults[ARCHIVE_URL] = [cut_after(half), *[cut_after(0)] * 2]
    assert "the connection broke" in sentence(["mutt", "sick"], server.base)
    kept = [name for name in downloads(tmp_path) if not name.endswith(".part")]
    assert 5 < len(kept) < len(mutt_files)
    server.requests.clear()
    monkeypatch.undo()
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CUPEL_DATA", raising=False)
    get(["mutt", "sick"], server.base)
    assert len(server.requests) == len(set(mutt_files.values())) - len(kept)  # some are the same


def test_what_an_earlier_process_left_is_verified_again(server, tmp_path):
    server.faults[SICK_URL] = [cut_after(500_000), *[cut_after(0)] * 2]
    sentence(["sick"], server.base)
    (part,) = (tmp_path / "cache").rglob("*.part")
    part.write_bytes(b"x" * 500_000)
    get(["sick"], server.base)
    assert [span for _, span in server.requests[-2:]] == ["bytes=500000-", None]
    assert verify("sick").ok
    (tmp_path / "home" / "cupel" / "sick").rename(tmp_path / "sick")
    whole = part.with_suffix("")
    whole.parent.mkdir(parents=True)
    whole.write_bytes(b"damaged")
    get(["sick"], server.base)
    assert verify("sick").ok


def test_a_part_longer_than_what_the_server_has(server, home, tmp_path):
    server.faults[SICK_URL] = [cut_after(500_000), cut_after(0), cut_after(0)]
    sentence(["sick"], server.base)
    server.faults[SICK_URL] = [answer(416)]
    get(["sick"], server.base)
    assert verify("sick").ok


@pytest.mark.parametrize("archive", [True, False])
def test_a_wrong_checksum(server, home, tmp_path, mutt_files, monkeypatch, archive):
    changed = mutt_files[served.SICK_PATH].replace(b"relatedness", b"Relatedness", 1)
    server.contents[SICK_URL] = changed
    server.contents[ARCHIVE_URL] = served.archive({**mutt_files, served.SICK_PATH: changed})
    if archive:
        by_archive(monkeypatch)
    assert sentence(["sick"], server.base) == (
        f"data/sick/SICK.txt of text-machine-lab/MUTT, from {server.base}"
        f"{ARCHIVE_URL if archive else SICK_URL}, is not the file that Cupel expects (expected "
        "SHA-256 336a65a94eb678515b61c402fce99f6babe9980b36a9d846c8edc871f330e002, received SHA-256 "
        f"{hashlib.sha256(changed).hexdigest()}): try again, or give another copy with --from."
    )
    assert not home.exists()
    assert downloads(tmp_path) == {}


def test_a_file_that_does_not_end(server, mutt_files):
    server.contents[SICK_URL] = mutt_files[served.SICK_PATH] * 20
    assert "received more than 2,432,650 bytes): try again" in sentence(["sick"], server.base)


def test_a_file_that_is_missing_keeps_the_others(server, home, tmp_path, mutt_files):
    path = next(path for path in server.contents if path.endswith("corruptions/passive.txt"))
    content = server.contents.pop(path)
    expected = f"{server.base}{path} does not exist (404): give a copy with --from."
    assert sentence(["mutt"], server.base) == expected
    assert not home.exists()
    server.contents[path] = content
    kept = len([name for name in downloads(tmp_path) if len(name) == 64])
    assert kept == 4  # those before it in the list
    server.requests.clear()
    get(["mutt"], server.base)
    assert len(server.requests) == len(set(mutt_files.values())) - 1 - kept  # without SICK.txt


@pytest.mark.parametrize("archive", [True, False])
def test_what_does_not_exist(server, home, monkeypatch, archive):
    if archive:
        by_archive(monkeypatch)
    server.contents.clear()
    url = server.base + (ARCHIVE_URL if archive else SICK_URL)
    assert (
        sentence(["sick"], server.base) == f"{url} does not exist (404): give a copy with --from."
    )
    assert len(server.requests) == 1
    assert not home.exists()


def test_a_refusal(server):
    server.faults[SICK_URL] = [answer(403)]
    assert sentence(["sick"], server.base) == (
        f"{server.base}{SICK_URL} cannot be downloaded (the server answered 403 Forbidden): try again "
        "later, or give a copy of the files with --from."
    )


def test_a_server_that_asks_for_patience(server, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("cupel.data.download.time.sleep", waits.append)
    server.faults[SICK_URL] = [answer(429, Retry_After="7"), answer(503)]
    get(["sick"], server.base)
    assert waits == [7.0, 0.01]
    assert verify("sick").ok


def test_a_server_that_stays_out_of_order(server):
    server.faults[SICK_URL] = [answer(503)] * 3
    assert sentence(["sick"], server.base) == (
        f"{server.base}{SICK_URL} cannot be downloaded (the server answered 503 Service Unavailable): "
        "try again later, or give a copy of the files with --from."
    )
    assert len(server.requests) == 3


@pytest.mark.parametrize("count", [0, 1_000_000])
def test_a_server_that_stalls(server, home, tmp_path, monkeypatch, count):
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    server.faults[SICK_URL] = [stall_after(count)]
    assert sentence(["sick"], server.base) == (
        f"{server.base}{SICK_URL} stalled: no byte came for 0.3 seconds; try again later, or give a "
        "copy of the files with --from."
    )
    assert sum(downloads(tmp_path).values()) == count
    get(["sick"], server.base)
    assert verify("sick").ok


def test_a_redirect(server):
    moved = "/moved/SICK.txt"
    server.contents[moved] = server.contents[SICK_URL]
    server.faults[SICK_URL] = [answer(302, Location=moved)]
    get(["sick"], server.base)
    assert [path for path, _ in server.requests] == [SICK_URL, moved]


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/x", "http://example.org/x", "ftp://a/b"])
def test_a_redirect_to_another_server_without_https(server, target):
    server.faults[SICK_URL] = [answer(301, Location=target)]
    assert sentence(["sick"], server.base) == (
        f"{server.base}{SICK_URL} redirects to {target}, which is refused: only https is followed to "
        "another server."
    )


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    """A certificate for this machine, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    paths = folder / "certificate.pem", folder / "key.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=cupel -days 2 -addext "
        f"subjectAltName=IP:127.0.0.1 -out {paths[0]} -keyout {paths[1]}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    return paths


def test_https(server, certificate, monkeypatch):
    plain, moved = f"{server.base}/moved", "/moved/SICK.txt"
    server.contents[moved] = server.contents[SICK_URL]
    with served.serving(server.contents) as secure:
        secure.use_tls(*certificate)
        refusal = sentence(["sick"], secure.base)
        assert refusal.startswith(f"{secure.base}{SICK_URL} cannot be downloaded (")
        assert "certificate verify failed" in refusal
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        secure.faults[SICK_URL] = [answer(302, Location=plain), answer(302, Location=moved)]
        assert sentence(["sick"], secure.base) == (
            f"{secure.base}{SICK_URL} redirects to {plain}, which is refused: only https is followed to "
            "another server."
        )
        get("sick", secure.base)
        assert [path for path, _ in secure.requests[-2:]] == [SICK_URL, moved]
    assert server.requests == []
    assert verify("sick").ok


def test_a_redirect_that_does_not_end(server):
    server.faults[SICK_URL] = [answer(302, Location=SICK_URL)] * 20
    assert sentence(["sick"], server.base).startswith(
        f"{server.base}{SICK_URL} cannot be downloaded (the server answered 302 "
    )


def test_a_refused_connection():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        assert sentence(["sick"], base) == (
            f"{base}{SICK_URL} cannot be downloaded (Connection refused): check the network and try "
            "again, or give a copy of the files with --from."
        )


def test_an_archive_that_ends_early(server, monkeypatch, home):
    by_archive(monkeypatch)
    server.contents[ARCHIVE_URL] = server.contents[ARCHIVE_URL][:200_000]
    assert sentence(["sick"], server.base) == (
        f"{server.base}{ARCHIVE_URL} is damaged or incomplete (compressed file ended before the "
        "end-of-stream marker was reached): get it again."
    )
    assert not home.exists()


def test_an_archive_without_a_file(server, mutt_files, monkeypatch):
    by_archive(monkeypatch)
    few = {path: content for path, content in mutt_files.items() if "passive" not in path}
    server.contents[ARCHIVE_URL] = served.archive(few)
    assert sentence(["mutt"], server.base) == (
        f"{server.base}{ARCHIVE_URL} is not a copy of https://github.com/text-machine-lab/MUTT at commit 9b1ae1c3b65f: it "
        "does not have corruptions/passive.txt and 5 more of its files."
    )


def test_the_url_of_one_archive(server, home):
    get(["sick"], server.base + ARCHIVE_URL)
    assert server.requests == [(ARCHIVE_URL, None)]
    assert verify("sick").ok


def test_a_url_that_is_none():
    assert sentence(["sick"], "http://[::1").startswith("http://[::1 is not a URL: ")


def test_a_data_folder_that_cannot_be_written(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(CannotWrite) as raised:
        get(["sick"], server.base)
    assert str(raised.value) == (
        f"{tmp_path}/file/cupel cannot be written: a part of that path is a file, not a folder; "
        "choose another name."
    )
    assert server.requests == []


def test_a_cache_that_cannot_be_written(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "file"))
    assert sentence(["sick"], server.base) == (
        f"{tmp_path}/file/downloads cannot be written: a part of that path is a file, not a folder; "
        "choose another name."
    )


def test_a_converter_that_makes_the_wrong_thing(server, home, tmp_path, monkeypatch):
    def build(sources, target: Path) -> None:
        (target / "SICK.txt").write_text("one line\n")

    monkeypatch.setattr(mutt, "build_sick", build)
    assert sentence(["sick"], server.base) == (
        "The files of sick were converted, but SICK.txt: 9841 lines expected, 1 found."
    )
    assert list(home.iterdir()) == []
    assert list(downloads(tmp_path).values()) == [2_432_650]  # nothing is downloaded again
