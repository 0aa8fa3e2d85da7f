"""Clones of the public repositories that datasets are made from: which they are, and their files.

Files come out of a clone without a work tree through the program `git`, which itself knows its
packs, alternates and formats; this is the one place in the package's core that runs another
program. It is kept from the network, also where the clone is a partial one.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from cupel.data.catalog import DATASETS
from cupel.data.store import CHUNK, Artifact, Store
from cupel.errors import CupelError


def datasets_of_clone(folder: Path) -> dict[str, list[str]]:
    """Dataset -> the other repositories that it is made from, for each that reads this one."""
    result = {}
    for name, dataset in DATASETS.items():
        paths: dict[str, list[str]] = {repository.name: [] for repository in dataset.repositories}
        for file in dataset.artifacts if paths else ():
            paths[file.repository].append(file.name)
        here = [
            repository for repository in paths if _is_clone(folder, repository, paths[repository])
        ]
        if here:
            result[name] = [repository for repository in paths if repository not in here]
    return result


def git_folder(folder: Path) -> Path | None:
    """The git directory of a clone, with or without a work tree; None where it is not a clone."""
    for place in (folder / ".git", folder):
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return place
    return folder / ".git" if (folder / ".git").is_file() else None


def take_from_git(git: Path, commit: str, files: Sequence[Artifact], store: Store) -> None:
    """Take the files that the clone has at the commit, or at HEAD without that commit."""
    for revision in (commit, "HEAD"):
        missing = [file for file in files if not store.has(file)]
        with tempfile.TemporaryFile() as answers:
            _ask_git(git, [f"{revision}:{file.name}" for file in missing], answers)
            answers.seek(0)
            for file in missing:
                answer = answers.readline()
                if answer.endswith(b" missing\n"):
                    continue
                if b" blob " not in answer:
                    raise CupelError(
                        f"git cannot read {file.name} in {git}: give another copy with --from."
                    )
                size = int(answer.split()[-1])
                store.receive(file, _exactly(answers, size), f"{git} at {revision}")
                answers.read(1)  # the end of the line


def _ask_git(git: Path, objects: Sequence[str], answers: IO[bytes]) -> None:
    # No variable such as GIT_DIR leads elsewhere.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    try:
        subprocess.run(
            ["git", f"--git-dir={git}", "-c", "protocol.allow=never", "cat-file", "--batch"],
            input="".join(f"{name}\n" for name in objects).encode(),
            env={**environment, "GIT_NO_LAZY_FETCH": "1"},
            stdout=answers,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except FileNotFoundError as error:
        raise CupelError(
            f"{git} is read with the program git, which is not installed: install it, or give an "
            "archive or a folder with the repository's files with --from."
        ) from error


def _exactly(content: IO[bytes], size: int) -> Iterator[bytes]:
    while size and (chunk := content.read(min(size, CHUNK))):
        size -= len(chunk)
        yield chunk


def _is_clone(folder: Path, repository: str, paths: Sequence[str]) -> bool:
    """By its files, or where it has a git directory by its name or its origin."""
    if paths and all((folder / path).is_file() for path in paths):
        return True
    git = git_folder(folder)
    if git is None:
        return False
    owner, name = repository.lower().split("/")
    called = {place.name.lower().removesuffix(".git") for place in (folder, folder.parent)}
    if called & {f"{owner}+{name}", f"{owner}-{name}"}:
        return True
    try:
        origin = (git / "config").read_text("utf-8", "replace").lower()
    except OSError:
        return False
    return f"{owner}/{name}.git\n" in origin or f"{owner}/{name}\n" in origin
