"""Published files on their way into a dataset: verified, resumable, and one process at a time.

The cache has a folder for each repository, `downloads/OWNER+NAME`. A file in it is named by its
SHA-256 once that is verified, and ends in `.part` before. A process may be killed at any moment:
the next one continues with what is there.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cupel.console import Progress, warn
from cupel.errors import CannotWrite, CupelError
from cupel.folders import cache_folder, explained

CHUNK = 2**16
_POLL = 0.2  # seconds between two looks at a lock that another process holds


class WrongContent(CupelError):
    """A file does not have the content that is published."""


@dataclass(frozen=True)
class Artifact:
    """A published file: what it must contain, and where it is.

    name: its path in a repository, or its own name
    size: in bytes
    repository: OWNER/NAME, or whatever groups files that are received together
    urls: where it is published, the best first; none for the files of a repository
    """

    name: str
    size: int
    sha256: str
    repository: str
    urls: tuple[str, ...] = ()


class Meter:
    """Adds up the bytes that came in, and tells the progress."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def __call__(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total)


class Store:
    """The files of one repository that have been received."""

    def __init__(self, repository: str) -> None:
        self.folder = _downloads() / repository.replace("/", "+")
        self.meter: Callable[[int], object] = lambda _: None  # called with the bytes written

    def path(self, file: Artifact) -> Path:
        """Where the verified file is, or will be."""
        return self.folder / file.sha256

    def has(self, file: Artifact) -> bool:
        """Whether the file was received and verified."""
        return self.path(file).is_file()

    def missing(self, files: Iterable[Artifact]) -> list[Artifact]:
        """The files that are still to be received; those of an earlier process are verified again."""
        for file in files:
            if self.has(file) and sha256_in(self.path(file)) != file.sha256:
                self.path(file).unlink()
        return [file for file in files if not self.has(file)]

    def received(self, file: Artifact) -> int:
        """How many bytes of an incomplete file are there."""
        with suppress(FileNotFoundError):
            size = self._part(file).stat().st_size
            return size if size < file.size else 0
        return 0

    def receive(self, file: Artifact, chunks: Iterable[bytes], where: str, start: int = 0) -> None:
        """Write the file from byte `start` on, and verify it.

        where: names its origin in the error. Where reading `chunks` fails, what was written stays.
        """
        part = self._part(file)
        with self._filling(), part.open("r+b" if start else "wb") as target:
            size = target.seek(start)
            for chunk in chunks:
                size += target.write(chunk)
                self.meter(len(chunk))
                if size > file.size:
                    break
        digest = sha256_in(part)
        if digest != file.sha256:
            part.unlink()
            received = (
                f"SHA-256 {digest}" if size <= file.size else f"more than {file.size:,} bytes"
            )
            raise WrongContent(
                f"{file.name} of {file.repository}, from {where}, is not the file that Cupel expects "
                f"(expected SHA-256 {file.sha256}, received {received}): try again, or give another "
                "copy with --from."
            )
        part.replace(self.path(file))

    @contextmanager
    def scratch(self, chunks: Iterable[bytes]) -> Iterator[IO[bytes]]:
        """A temporary file with this content."""
        with self._filling(), tempfile.TemporaryFile(dir=self.folder) as file:
            file.writelines(chunks)
            file.seek(0)
            yield file

    def lay_out(self, files: Iterable[Artifact], folder: Path) -> None:
        """Put the files into `folder` under their own paths."""
        for file in files:
            place = folder / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(self.path(file), place)
            except OSError:  # a file system without hard links
                shutil.copyfile(self.path(file), place)

    def move(self, file: Artifact, target: Path) -> None:
        """Move a verified file out of the cache."""
        shutil.move(self.path(file), target)
        with suppress(OSError):  # others may be there
            self.folder.rmdir()

    def remove(self) -> None:
        """Remove everything of this repository from the cache."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _part(self, file: Artifact) -> Path:
        return self.folder / f"{file.sha256}.part"

    @contextmanager
    def _filling(self) -> Iterator[None]:
        with explained(self.folder, self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            yield


def chunks_of(content: IO[bytes]) -> Iterator[bytes]:
    """The content in pieces of moderate size."""
    while chunk := content.read(CHUNK):
        yield chunk


@contextmanager
def locked(repositories: Sequence[str]) -> Iterator[None]:
    """Keep other processes from the stores of these repositories; wait while one has them.

    The locks end with the process, however that ends. All processes take them in the same order.
    """
    folder = _downloads()
    with ExitStack() as stack:
        for name in sorted(repositories):
            with explained(folder, folder):
                folder.mkdir(parents=True, exist_ok=True)
                lock = folder / f"{name.replace('/', '+')}.lock"
                file = _locked_file(lock, name)
            stack.enter_context(file)
            stack.callback(_remove, lock)  # before it is closed
        yield


def _locked_file(path: Path, name: str) -> IO[bytes]:
    noted = False
    while True:
        file = path.open("ab")
        try:
            if _lock(file) and _is_at(file, path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()
        if not noted:
            warn(f"Another process is downloading {name}; waiting for it.")
            noted = True
        time.sleep(_POLL)


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Whether the path still is this file: the process before us may have removed it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


def _lock(file: IO[bytes]) -> bool:
    """Lock the file, which lasts until it is closed; False where another process has locked it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            return False
        raise CannotWrite(
            f"{file.name} cannot be locked ({error.strerror}): name a folder on another disk in "
            "CUPEL_CACHE."
        ) from error
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):  # an open file cannot be removed everywhere
        path.unlink()


def _downloads() -> Path:
    return cache_folder() / "downloads"


def sha256_in(path: Path) -> str:
    """SHA-256 of a file as it is now on the disk."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
