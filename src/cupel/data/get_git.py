"""Reading files out of a git clone through the program `git`, without a work tree.

Git itself knows its packs, alternates and formats; this is the one place in the package's core
that runs another program. It is kept from the network, also where the clone is a partial one.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from cupel.data.get_store import CHUNK, Store
from cupel.data.recipes.listed import ListedFile
from cupel.data.recipes.recipe import Repository
from cupel.errors import CupelError


def git_folder(folder: Path) -> Path | None:
    """The git directory of a clone, with or without a work tree; None where it is not a clone."""
    for place in (folder / ".git", folder):
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return place
    return folder / ".git" if (folder / ".git").is_file() else None


def take_from_git(
    git: Path, repository: Repository, files: Sequence[ListedFile], store: Store
) -> None:
    """Take the files that the clone has at the recipe's commit, or at HEAD without that commit."""
    # No variable such as GIT_DIR leads elsewhere.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", f"--git-dir={git}", "-c", "protocol.allow=never", "cat-file", "--batch"]
    try:
        process = subprocess.Popen(
            command,
            env={**environment, "GIT_NO_LAZY_FETCH": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise CupelError(
            f"{git} is read with the program git, which is not installed: install it, or give an "
            "archive or a folder with the repository's files with --from."
        ) from error
    try:
        assert process.stdin is not None  # both are pipes
        assert process.stdout is not None
        for file in files:
            for commit in (repository.commit, "HEAD"):
                if _take(process.stdin, process.stdout, git, commit, file, store):
                    break
    finally:
        process.kill()
        process.communicate()


def _take(
    questions: IO[bytes], answers: IO[bytes], git: Path, commit: str, file: ListedFile, store: Store
) -> bool:
    """Take one file; False where the clone does not have it."""
    try:
        questions.write(f"{commit}:{file.path}\n".encode())
        questions.flush()
    except OSError:
        pass  # then there is no answer either
    answer = answers.readline()
    if answer.endswith(b" missing\n"):
        return False
    if b" blob " not in answer:
        raise CupelError(f"git cannot read {file.path} in {git}: give another copy with --from.")
    size = int(answer.split()[-1])
    store.receive(file, _exactly(answers, size), f"{git} at {commit}")
    answers.read(1)  # the end of the line
    return True


def _exactly(content: IO[bytes], size: int) -> Iterator[bytes]:
    while size and (chunk := content.read(min(size, CHUNK))):
        size -= len(chunk)
        yield chunk
