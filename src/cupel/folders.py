"""Where Cupel keeps things, and how it writes them.

Everything is written beside its place, flushed to disk and then renamed into it, so that a reader
sees a whole file or folder or none, also after a crash, a full disk or Ctrl-C. What a killed
process leaves behind is a hidden `.cupel-*` entry that nothing ever reads; the next process that
writes there removes it, and one of another machine when it is two days old.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import re
import shutil
import time
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cupel.errors import CannotWrite

DATA_VARIABLE = "CUPEL_DATA"
_FREE = "free some space there and try again"
_ALLOW = "choose another folder or change its permissions"
_RENAME = "choose another name"
_CANNOT_WRITE = {
    errno.ENOSPC: f"the disk is full; {_FREE}",
    errno.EDQUOT: f"the disk quota is used up; {_FREE}",
    errno.EFBIG: f"the file would be too large for the disk; {_FREE}",
    errno.EROFS: "the disk is read-only; choose another folder",
    errno.EACCES: f"permission is denied; {_ALLOW}",
    errno.EPERM: f"permission is denied; {_ALLOW}",
    errno.ENOTDIR: f"a part of that path is a file, not a folder; {_RENAME}",
    errno.EEXIST: f"a part of that path is a file, not a folder; {_RENAME}",
    errno.ENAMETOOLONG: f"the name is too long; {_RENAME}",
    errno.EIO: "the disk reports an error; choose another one",
}
_LEFT_BEHIND = 2 * 24 * 3600.0
_OWNER = re.compile(r"\.?cupel-([0-9]+)-(?:([0-9a-f]{8})-)?")
_swept: set[Path] = set()
_unfinished: set[Path] = set()
_ONLY_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def cache_folder() -> Path:
    """CUPEL_CACHE, else XDG_CACHE_HOME/cupel, else ~/.cache/cupel; what is in it can be rebuilt."""
    own = os.environ.get("CUPEL_CACHE")
    return Path(own).expanduser() if own else _xdg("XDG_CACHE_HOME", ".cache")


def data_folder() -> Path:
    """XDG_DATA_HOME/cupel, else ~/.local/share/cupel: where `cupel data get` and `add` put datasets."""
    return _xdg("XDG_DATA_HOME", ".local/share")


def search_folders() -> list[Path]:
    """Where datasets and models are looked for, in order: the folders of CUPEL_DATA, then the user's."""
    listed = os.environ.get(DATA_VARIABLE, "").split(os.pathsep)
    return [*(Path(entry).expanduser() for entry in listed if entry), data_folder()]


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[Path]:
    """A temporary path to write the file at; it becomes `path` when the block ends well.

    The temporary name keeps the suffix of `path`, for writers that look at it. On any exception,
    KeyboardInterrupt included, it is removed and `path` stays as it was.
    """
    target = Path(os.path.realpath(path))  # a link stays a link: what it points to is replaced
    with explained(path, target.parent):
        _check_is_file(path, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep_once(target.parent)
        with _beside(target, target.suffix) as beside:
            with beside.open("xb"):
                pass  # fails here, before any work, where the folder is read-only
            yield beside
            _flush(beside)
            beside.replace(target)
        _flush(target.parent)


@contextlib.contextmanager
def writing_folder(path: Path | str) -> Iterator[Path]:
    """A temporary folder to fill; it becomes `path` when the block ends well.

    Where another process was first, its folder stays and ours is discarded: the caller uses
    `path` in either case.
    """
    target = Path(path)
    with explained(path, target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent)
        with _beside(target) as beside:
            beside.mkdir()
            yield beside
            _flush_tree(beside)
            _rename_unless_there(beside, target)
        _flush(target.parent)


def check_writable(path: Path | str) -> None:
    """Fail now where `writing(path)` would fail after the work; leaves nothing behind.

    The folder may be missing, as it is made when the file is: then the nearest one that is there
    must be writable.
    """
    target = Path(os.path.realpath(path))
    with explained(path, target.parent):
        _check_is_file(path, target)
    _try_writing(path, target.parent)


def check_fillable(folder: Path | str) -> None:
    """The same for a folder that is to be filled with files, whether it is there or not."""
    _try_writing(folder, Path(os.path.realpath(folder)))


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text at once or not at all, with its line ends as they are."""
    with writing(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="")


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write bytes at once or not at all."""
    with writing(path) as beside:
        beside.write_bytes(content)


def _check_is_file(path: Path | str, target: Path) -> None:
    if target.exists() and not target.is_file():
        raise CannotWrite(f"{path} cannot be written: it exists and is not a file.")


def _try_writing(path: Path | str, folder: Path) -> None:
    with explained(path, Path(folder.anchor)):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        with _beside(there / "probe") as probe, probe.open("xb"):
            pass


def _xdg(variable: str, fallback: str) -> Path:
    # The XDG specification: a relative path is to be ignored.
    base = Path(os.environ.get(variable, ""))
    return (base if base.is_absolute() else Path.home() / fallback) / "cupel"


def sweep_once(folder: Path) -> None:
    """`sweep`, the first time that this process writes into the folder."""
    if folder not in _swept:
        _swept.add(folder)
        sweep(folder)


def sweep(folder: Path, pattern: str = ".cupel-*") -> None:
    """Remove what processes that have ended left behind here.

    Those of other machines are not seen, so what they may write is removed when it is old. The age
    alone would not do: a clock that jumps makes the file of a running process old.
    """
    with contextlib.suppress(OSError):
        for entry in folder.glob(pattern):
            owner = _OWNER.match(entry.name)
            here = owner is not None and owner[2] == _machine() and os.name == "posix"
            old = time.time() - entry.stat().st_mtime > _LEFT_BEHIND
            if (here or old) and not (owner and _is_running(int(owner[1]))):
                _remove(entry)


def remove_unfinished() -> None:
    """Remove what this process has begun to write, since it ends at once."""
    for path in list(_unfinished):
        _remove(path)


def owned() -> str:
    """How the names of temporary entries begin, for `sweep` to tell whose they are."""
    return f"cupel-{os.getpid()}-{_machine()}-"


@cache
def _machine() -> str:
    """Where the numbers of processes are those of this one: a host, its boot, and a container."""
    names = [platform.node()]
    with contextlib.suppress(OSError):
        names.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii"))
        names.append(str(Path("/proc/self/ns/pid").readlink()))
    return f"{zlib.crc32(repr(names).encode()):08x}"


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            entry.unlink(missing_ok=True)


@contextlib.contextmanager
def _beside(target: Path, suffix: str = "") -> Iterator[Path]:
    """A hidden path beside; what is still there when the block ends is removed."""
    path = target.parent / f".{owned()}{os.urandom(6).hex()}{suffix}"
    _unfinished.add(path)
    try:
        yield path
    finally:
        _remove(path)
        _unfinished.discard(path)


@contextlib.contextmanager
def explained(path: Path | str, folder: Path) -> Iterator[None]:
    """Turn an OSError about this place into a sentence; errors about other files pass."""
    try:
        yield
    except OSError as error:
        reason = _CANNOT_WRITE.get(error.errno or 0)
        # Of a failing copy, `shutil` names the source, whatever the reason.
        ours = error.errno in _ONLY_WRITING or error.filename is None
        if reason is None or not (ours or _is_near(error.filename, folder)):
            raise
        raise CannotWrite(f"{path} cannot be written: {reason}.") from error


def _is_near(filename: str | bytes | int, folder: Path) -> bool:
    if isinstance(filename, int):
        return True
    place = Path(os.fsdecode(filename))
    return place.is_relative_to(folder) or folder.is_relative_to(place)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF):  # a file system that cannot
            raise
    finally:
        os.close(handle)


def _flush_tree(folder: Path) -> None:
    for parent, _, names in os.walk(folder):
        for name in names:
            _flush(Path(parent, name))
        _flush(Path(parent))


def _rename_unless_there(beside: Path, target: Path) -> None:
    try:
        beside.rename(target)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY) or not target.is_dir():
            raise
