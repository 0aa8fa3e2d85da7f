"""`fetch`: one published file, from its URLs, a mirror or a folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import served
from cupel.data import download
from cupel.data.download import Artifact, fetch
from cupel.errors import CupelError
from served import answer, cut_after

CONTENT = bytes(range(256)) * 2_000
PATH = "/models/small.bin"


@pytest.fixture(autouse=True)
def home(empty_home, monkeypatch) -> Path:
    monkeypatch.setattr(download, "WAITS", (0.01, 0.01))
    return empty_home


@pytest.fixture
def publisher():
    with served.serving({PATH: CONTENT}) as server:
        yield server


def artifact(*urls: str) -> Artifact:
    digest = hashlib.sha256(CONTENT).hexdigest()
    return Artifact("small.bin", len(CONTENT), digest, "small", urls)


def test_a_file_is_fetched_once(publisher, tmp_path):
    small = artifact(publisher.base + PATH)
    calls: list[tuple[int, int]] = []
    place = fetch(small, tmp_path / "models", progress=lambda *call: calls.append(call))
    assert place == tmp_path / "models" / "small.bin"
    assert place.read_bytes() == CONTENT
    assert calls[-1] == (len(CONTENT), len(CONTENT))
    assert fetch(small, tmp_path / "models") == place
    assert len(publisher.requests) == 1
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []
    place.write_bytes(b"damaged")
    assert fetch(small, tmp_path / "models").read_bytes() == CONTENT


def test_the_next_url_is_tried(publisher, tmp_path, capsys):
    small = artifact(f"{publisher.base}/gone", publisher.base + PATH)
    assert fetch(small, tmp_path).read_bytes() == CONTENT
    assert capsys.readouterr().err == (
        f"cupel: {publisher.base}/gone does not exist (404): give a copy with --from. The next place "
        "is tried.\n"
    )


def test_what_came_in_before_is_kept(publisher, tmp_path):
    small = artifact(publisher.base + PATH)
    publisher.faults[PATH] = [cut_after(300_000), *[answer(503)] * 2]
    with pytest.raises(CupelError, match="503 Service Unavailable"):
        fetch(small, tmp_path / "models")
    assert not (tmp_path / "models").exists()
    publisher.requests.clear()
    fetch(small, tmp_path / "models")
    assert publisher.requests == [(PATH, "bytes=300000-")]


@pytest.mark.parametrize("form", ["mirror", "folder", "file"])
def test_other_places(publisher, tmp_path, form):
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "small.bin").write_bytes(CONTENT)
    places = {
        "mirror": f"{publisher.base}/models/",
        "folder": tmp_path / "copy",
        "file": tmp_path / "copy" / "small.bin",
    }
    assert fetch(artifact(), tmp_path / "models", places[form]).read_bytes() == CONTENT


def test_what_is_refused(tmp_path):
    (tmp_path / "small.bin").write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(CupelError) as refusal:
        fetch(artifact(), tmp_path / "models", tmp_path)
    assert str(refusal.value).startswith(
        f"small.bin of small, from {tmp_path}/small.bin, is not the file that Cupel expects (expected "
    )
    assert not (tmp_path / "models").exists()
    with pytest.raises(
        CupelError, match=r"^small\.bin is not published: give a copy with --from\.$"
    ):
        fetch(artifact(), tmp_path / "models")
