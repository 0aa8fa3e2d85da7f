"""`get --from PATH`: clones, archives, folders of these; and what is refused."""

from __future__ import annotations

import io
import shutil
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import pytest

import served
import snapshots
from cupel.data import DATASETS, catalog, get, verify
from cupel.errors import CupelError
from served import MUTT, SICK_PATH

SICK_SHA256 = "336a65a94eb678515b61c402fce99f6babe9980b36a9d846c8edc871f330e002"


@pytest.fixture(autouse=True)
def home(empty_home) -> Path:
    return empty_home


@pytest.fixture
def sick(mutt_files) -> dict[str, bytes]:
    return {SICK_PATH: mutt_files[SICK_PATH], "README.md": b"Metric Unit TesTing\n"}


def sentence(*arguments) -> str:
    with pytest.raises(CupelError) as raised:
        get(*arguments)
    return str(raised.value)


def write(folder: Path, files: Mapping[str, bytes]) -> Path:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def git(*arguments: object) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *map(str, arguments)], check=True, capture_output=True)


def clone(folder: Path, files: Mapping[str, bytes]) -> Path:
    write(folder, files)
    git("init", folder)
    git("-C", folder, "add", ".")
    git("-C", folder, "commit", "-m", "All")
    return folder


def bare(folder: Path, files: Mapping[str, bytes]) -> Path:
    git("clone", "--bare", clone(folder.parent / "whole", files), folder)
    shutil.rmtree(folder.parent / "whole")
    return folder


def no_work_tree(folder: Path, files: Mapping[str, bytes]) -> Path:
    clone(folder, files)
    for entry in folder.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    return folder


def other_line_ends(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A work tree as git may check it out on Windows."""
    clone(folder, files)
    (folder / SICK_PATH).write_bytes(files[SICK_PATH].replace(b"\n", b"\r\n"))
    return folder


def tar_gz(folder: Path, files: Mapping[str, bytes]) -> Path:
    archive = folder.with_name(f"{folder.name}.tar.gz")
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(served.archive(files))
    return archive


def zipped(folder: Path, files: Mapping[str, bytes]) -> Path:
    path = folder.with_name(f"{folder.name}.zip")
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir(f"MUTT-{MUTT.commit}")
        for name, content in files.items():
            archive.writestr(f"MUTT-{MUTT.commit}/{name}", content)
    return path


Maker = Callable[[Path, Mapping[str, bytes]], Path]
FORMS = (write, clone, bare, no_work_tree, other_line_ends, tar_gz, zipped)


@pytest.mark.parametrize("make", FORMS)
def test_every_form(tmp_path, sick, make: Maker):
    place = make(tmp_path / "anything", sick)
    get(["sick"], place)
    assert verify("sick").ok
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("text-machine-lab/MUTT", clone),
        ("text-machine-lab/MUTT", tar_gz),
        ("text-machine-lab+MUTT", bare),
        ("text-machine-lab+MUTT/repo", bare),
        ("text-machine-lab+MUTT/repo", no_work_tree),
        ("text-machine-lab-MUTT", write),
        ("MUTT", zipped),
        ("MUTT.git", bare),
        ("MUTT-master", zipped),
        (f"MUTT-{MUTT.commit}", tar_gz),
        (f"MUTT-{MUTT.commit}/MUTT-{MUTT.commit}", write),
        (f"text-machine-lab-MUTT-{MUTT.commit}", write),
    ],
)
def test_a_folder_of_several(tmp_path, sick, name, make: Maker):
    make(tmp_path / "copies" / name, sick)
    write(tmp_path / "copies" / "other", {"a": b"", "b": b""})
    (tmp_path / "copies" / "notes.txt").write_text("")
    get(["sick"], tmp_path / "copies")
    assert verify("sick").ok


def test_an_unpacked_archive_with_a_folder_of_the_same_name(tmp_path, sick):
    get(["sick"], write(tmp_path / "unpacked", {**sick, "MUTT/__init__.py": b""}))
    assert verify("sick").ok


def test_the_commit_of_the_recipe_comes_before_head(tmp_path, sick, mutt_files, monkeypatch):
    folder = clone(tmp_path / "MUTT", sick)
    commit = subprocess.run(
        ["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (folder / SICK_PATH).write_bytes(b"changed since\n")
    git("-C", folder, "commit", "-a", "-m", "Change")
    assert sentence(["sick"], folder).startswith(
        f"data/sick/SICK.txt of text-machine-lab/MUTT, from {folder}/.git at HEAD, is not the file that "
        f"Cupel expects (expected SHA-256 {SICK_SHA256}, received SHA-256 "
    )
    at_commit = replace(MUTT, commit=commit)
    entries = {**DATASETS, "sick": replace(DATASETS["sick"], repositories=(at_commit,))}
    monkeypatch.setattr(catalog, "_entries", lambda *_: entries)
    get(["sick"], folder)
    assert verify("sick").ok


@pytest.mark.parametrize("make", [write, clone, bare, no_work_tree, tar_gz, zipped])
def test_what_is_not_that_repository(tmp_path, home, make: Maker):
    place = make(tmp_path / "other", {"README.md": b"no\n", "src/main.py": b"no\n"})
    assert sentence(["sick"], place) == (
        f"{place} is not a copy of https://github.com/text-machine-lab/MUTT at commit 9b1ae1c3b65f: it does not have "
        "data/sick/SICK.txt."
    )
    assert not home.exists()


def test_a_changed_file(tmp_path, sick):
    place = write(tmp_path / "MUTT", {**sick, SICK_PATH: b"changed\n"})
    assert sentence(["sick"], place).startswith(
        f"data/sick/SICK.txt of text-machine-lab/MUTT, from {place}/data/sick/SICK.txt, is not the file"
    )


def test_what_does_not_exist(tmp_path):
    assert sentence(["sick"], tmp_path / "absent") == (
        f"{tmp_path}/absent does not exist: give a clone, an archive, a folder of these or the URL of a "
        "mirror with --from."
    )


def test_what_names_nothing():
    assert sentence(["sick"], "") == (
        "--from is empty: name a clone, an archive or a mirror, or leave it out."
    )
    assert sentence(["sick"], "http://") == (
        "http:// names no server: a URL looks like https://server/path."
    )


def test_without_git(tmp_path, sick, monkeypatch):
    place = no_work_tree(tmp_path / "MUTT", sick)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sentence(["sick"], place) == (
        f"{place}/.git is read with the program git, which is not installed: install it, or give an "
        "archive or a folder with the repository's files with --from."
    )


def test_a_damaged_clone(tmp_path, sick):
    place = no_work_tree(tmp_path / "MUTT", sick)
    (place / ".git" / "config").write_text("[core\n")
    assert sentence(["sick"], place) == (
        f"git cannot read data/sick/SICK.txt in {place}/.git: give another copy with --from."
    )


def test_variables_of_git_lead_nowhere_else(tmp_path, sick, monkeypatch):
    other = clone(tmp_path / "other", {"a": b"b"})
    place = bare(tmp_path / "MUTT.git", sick)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))
    get(["sick"], place)
    assert verify("sick").ok


def tar_of(path: Path, *members: tuple[str, bytes, bytes, str], end: Mapping[str, bytes]) -> Path:
    """An archive with special members (name, kind, content, target), and then the files."""
    top = f"MUTT-{MUTT.commit}"
    with tarfile.open(path, "w:gz") as tar:
        for name, kind, content, target in members:
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(content), target
            tar.addfile(member, io.BytesIO(content))
        for name, content in end.items():
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "MUTT/../../outside", "M\\..\\x"])
def test_an_archive_that_leads_out(tmp_path, home, sick, name):
    place = tar_of(tmp_path / "a.tar.gz", (name, tarfile.REGTYPE, b"x", ""), end=sick)
    refusal = f"is refused: its member {name!r} would be written outside the dataset's folder."
    assert sentence(["sick"], place) == f"{place} {refusal}"
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, b"x")
    assert sentence(["sick"], tmp_path / "a.zip") == f"{tmp_path}/a.zip {refusal}"
    assert not home.exists()
    assert not list(tmp_path.rglob("outside"))


def test_a_link_in_the_place_of_a_file(tmp_path, sick):
    name = f"MUTT-{MUTT.commit}/{SICK_PATH}"
    place = tar_of(tmp_path / "a.tar.gz", (name, tarfile.SYMTYPE, b"", "/etc/passwd"), end={})
    assert sentence(["sick"], place) == (
        f"{place} is refused: its member {name!r} is a symbolic link to '/etc/passwd'; only plain files "
        "and folders are unpacked."
    )
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        member = zipfile.ZipInfo(name)
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(member, b"/etc/passwd")
    assert sentence(["sick"], tmp_path / "a.zip") == (
        f"{tmp_path}/a.zip is refused: its member {name!r} is a symbolic link; only plain files "
        "and folders are unpacked."
    )


def test_links_that_no_recipe_reads_do_no_harm(tmp_path, sick):
    link = (f"MUTT-{MUTT.commit}/link", tarfile.SYMTYPE, b"", "/etc/passwd")
    get(["sick"], tar_of(tmp_path / "a.tar.gz", link, end=sick))
    assert verify("sick").ok


@pytest.mark.parametrize("make", [tar_gz, zipped])
@pytest.mark.parametrize("part", [0.1, 0.9])
def test_a_truncated_archive(tmp_path, home, sick, make: Maker, part):
    place = make(tmp_path / "MUTT", sick)
    content = place.read_bytes()
    place.write_bytes(content[: int(part * len(content))])
    refusal = sentence(["sick"], place)
    assert refusal.startswith(f"{place} is damaged or incomplete (")
    assert refusal.endswith("): get it again.")
    assert not home.exists()


def test_a_file_that_is_no_archive(tmp_path):
    (tmp_path / "page.html").write_text("<html>")
    assert sentence(["sick"], tmp_path / "page.html") == (
        f"{tmp_path}/page.html is damaged or incomplete (not a gzipped file (b'<h')): get it again."
    )


def test_a_zip_at_a_url(tmp_path, sick):
    content = zipped(tmp_path / "MUTT", sick).read_bytes()
    with served.serving({"/archive/MUTT.zip": content}) as server:
        server.faults["/archive/MUTT.zip"] = [served.cut_after(len(content) // 2)]
        get(["sick"], f"{server.base}/archive/MUTT.zip")
    assert verify("sick").ok


LISTS = (files("cupel") / "resources" / "datasets").iterdir()


@pytest.mark.parametrize("name", sorted(p.name[:-4] for p in LISTS if p.name.endswith(".tsv")))
def test_real_snapshots(tmp_path, home, name):
    """Every dataset from the real files, through a server that has them as GitHub does."""
    contents = {}
    for repository in DATASETS[name].repositories:
        mine = [file.path for file in snapshots.listed(name) if file.repository == repository.name]
        real = dict(zip(mine, snapshots.read(repository, mine), strict=True))
        top = f"{repository.name.split('/')[1]}-{repository.commit}"
        contents[f"/{repository.name}/tar.gz/{repository.commit}"] = served.archive(real, top)
        for path, content in real.items():
            contents[f"/{repository.name}/{repository.commit}/{quote(path)}"] = content
    with served.serving(contents) as server:
        get([name], server.base)
    assert verify(name).problems == ()
