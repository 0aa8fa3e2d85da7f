"""The tool that lists a recipe's files reads clones at the recipe's commit, whatever is checked out."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from list_dataset_files import contents, git_folder, paths_at, selected

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
FILES = {"a/one.txt": b"one\nwithout an end", "a/empty.txt": b"", "two words.bin": b"\0\n\xff\n"}


def git(folder: Path, *command: str) -> str:
    author = ("-c", "user.name=Cupel", "-c", "user.email=cupel@example.org")
    return subprocess.check_output(["git", "-C", folder, *author, *command], text=True).strip()


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    """owner/clone with a work tree, and the same bare at owner+bare/repo."""
    folder = tmp_path / "owner" / "clone"
    for path, content in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "First")
    git(folder, "tag", "first")
    (folder / "a/one.txt").write_text("changed later")
    git(folder, "commit", "-qam", "Second")
    git(tmp_path, "clone", "-q", "--bare", str(folder), str(tmp_path / "owner+bare" / "repo"))
    return tmp_path


@pytest.mark.parametrize("name", ["owner/clone", "owner/bare"])
def test_files_are_read_at_a_commit(name: str, clones: Path) -> None:
    folder = git_folder(name, [clones / "nowhere", clones])
    paths = paths_at(folder, "first")
    assert dict(zip(paths, contents(folder, "first", paths), strict=True)) == FILES
    assert list(contents(folder, "HEAD", ["a/one.txt"])) == [b"changed later"]


def test_what_is_missing_is_named(clones: Path) -> None:
    with pytest.raises(SystemExit, match="no clone of owner/other in"):
        git_folder("owner/other", [clones])
    with pytest.raises(SystemExit, match=r"no content of b\.txt at first"):
        list(contents(git_folder("owner/clone", [clones]), "first", ["b.txt"]))
    with pytest.raises(SystemExit, match="git ls-tree"):
        paths_at(git_folder("owner/clone", [clones]), "third")


def test_patterns_select_paths() -> None:
    assert selected(FILES, ["a/*.txt", "*/one.*"]) == {"a/one.txt", "a/empty.txt"}
    with pytest.raises(SystemExit, match=r"No file matches 'b/\*'"):
        selected(FILES, ["*.bin", "b/*"])
