"""List the files that a dataset is made from, in src/cupel/resources/datasets/NAME.tsv.

    python tools/list_dataset_files.py NAME CLONES...

One line per file: SHA-256, bytes, repository, path; sorted by repository and path. CLONES are
folders with git clones, named OWNER/NAME or OWNER+NAME, with a work tree or bare. Files are read at
the commit that the catalog names, whatever is checked out; which ones, its patterns say.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from cupel.data import DATASETS

HERE = Path(__file__).resolve().parent.parent / "src" / "cupel" / "resources" / "datasets"


def main(name: str, folders: Sequence[Path]) -> None:
    """Write the list and print how many files and bytes it names."""
    rows = list(listed(name, folders))
    path = HERE / f"{name}.tsv"
    lines = ("\t".join(map(str, row)) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    print(f"{path.name}: {len(rows)} files, {sum(size for _, size, _, _ in rows):,} bytes")


def listed(name: str, folders: Sequence[Path]) -> Iterator[tuple[str, int, str, str]]:
    """(SHA-256, bytes, repository, path) of each file that the dataset is made from."""
    for repository in sorted(DATASETS[name].repositories, key=lambda repository: repository.name):
        git = git_folder(repository.name, folders)
        paths = sorted(selected(paths_at(git, repository.commit), repository.reads))
        for path, content in zip(paths, contents(git, repository.commit, paths), strict=True):
            yield hashlib.sha256(content).hexdigest(), len(content), repository.name, path


def selected(paths: Iterable[str], patterns: Sequence[str]) -> set[str]:
    """The paths that match one of the patterns, each of which must match some."""
    paths = list(paths)
    matches = [{path for path in paths if fnmatchcase(path, pattern)} for pattern in patterns]
    for pattern, some in zip(patterns, matches, strict=True):
        if not some:
            raise SystemExit(f"No file matches {pattern!r}.")
    return set().union(*matches)


def git_folder(repository: str, folders: Sequence[Path]) -> Path:
    """The git directory of the first clone of the repository (OWNER/NAME) in these folders."""
    for folder in folders:
        for name in (repository, repository.replace("/", "+")):
            for place in ("repo/.git", "repo", ".git", ""):
                if (folder / name / place / "objects").is_dir():
                    return folder / name / place
    raise SystemExit(f"There is no clone of {repository} in {', '.join(map(str, folders))}.")


def paths_at(git: Path, commit: str) -> list[str]:
    """The paths of all files of a commit."""
    output = _git(git, "ls-tree", "-r", "-z", "--name-only", commit)
    return [path.decode() for path in output.split(b"\0") if path]


def contents(git: Path, commit: str, paths: Sequence[str]) -> Iterator[bytes]:
    """The files' contents at a commit, in the order of the paths."""
    asked = "".join(f"{commit}:{path}\n" for path in paths)
    output = memoryview(_git(git, "cat-file", "--batch", asked=asked.encode()))
    for path in paths:
        end = bytes(output[:4096]).index(b"\n")
        *_, kind, size = bytes(output[:end]).decode().split()
        if kind != "blob":
            raise SystemExit(f"{git} has no content of {path} at {commit}.")
        yield bytes(output[end + 1 : end + 1 + int(size)])
        output = output[end + 2 + int(size) :]


def _git(git: Path, *command: str, asked: bytes = b"") -> bytes:
    run = subprocess.run(
        ["git", f"--git-dir={git}", *command], input=asked, capture_output=True, check=False
    )
    if run.returncode:
        raise SystemExit(f"git {command[0]} in {git}: {run.stderr.decode().strip()}")
    return run.stdout


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], [Path(folder) for folder in sys.argv[2:]])
