"""Downloading: the only module of Cupel that touches the network, for `cupel data get`.

The bytes behind a URL come as a stream that survives broken connections: it continues where it was
if the server takes ranges, and else starts again and skips what it had. Connections that cannot be
made or break, and answers that ask for patience, are tried again a few times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cupel.console import warn
from cupel.data.get_archive import take_from_tar, take_from_zip
from cupel.data.get_store import CHUNK, Store, WrongContent
from cupel.data.recipes.listed import ListedFile
from cupel.data.recipes.recipe import Repository
from cupel.errors import CupelError

Meter = Callable[[int], object]
"""Called with the number of bytes that came in."""

TIMEOUT = 60.0  # seconds without a byte
WAITS = (1.0, 3.0, 9.0)  # seconds before each new attempt
LONGEST_WAIT = 60.0
_LATER = (408, 425, 429, 500, 502, 503, 504)  # answers that may be better the next time
_COPY = "or give a copy of the files with --from"
_REQUEST = 50_000  # bytes: what a file of its own costs in time beyond its size, about


class Stream:
    """The bytes behind a URL, from byte `position` on."""

    def __init__(self, url: str, position: int, meter: Meter) -> None:
        self.url = url
        self.position = position
        self._meter = meter
        self._failures = 0
        self._response: HTTPResponse | None = None
        self._end: int | None = None

    def read(self, size: int = CHUNK) -> bytes:
        """Up to `size` bytes, at least one before the end."""
        while True:
            try:
                chunk = self._read(size)
            except (OSError, HTTPException) as error:
                self.close()
                self._wait_or_raise(error)
                continue
            if chunk:
                self._failures = 0
                self.position += len(chunk)
                self._meter(len(chunk))
            return chunk

    def __iter__(self) -> Iterator[bytes]:
        while chunk := self.read():
            yield chunk

    def close(self) -> None:
        """Close the connection."""
        if self._response is not None:
            self._response.close()
            self._response = None

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, size: int) -> bytes:
        if self._response is None:
            self._open()
        assert self._response is not None
        chunk = self._response.read1(size)
        if not chunk and self._end is not None and self.position < self._end:
            raise ConnectionResetError
        return chunk

    def _open(self) -> None:
        from cupel import __version__

        request = Request(self.url, headers={"User-Agent": f"cupel/{__version__}"})
        if self.position:
            request.add_header("Range", f"bytes={self.position}-")
        # Proxies come from the environment.
        self._response = build_opener(_Redirects).open(request, timeout=TIMEOUT)
        length = self._response.headers.get("Content-Length")
        if self._response.status == 206:
            self._end = self.position + int(length) if length else None
            return
        self._end = int(length) if length else None
        skipped = 0
        while skipped < self.position:
            chunk = self._response.read1(min(CHUNK, self.position - skipped))
            if not chunk:
                raise ConnectionResetError
            skipped += len(chunk)

    def _wait_or_raise(self, error: OSError | HTTPException) -> None:
        """Wait before the next attempt, or raise the sentence for this error."""
        reason = error.reason if isinstance(error, URLError) else error
        given_up = self._failures == len(WAITS)
        if isinstance(error, HTTPError):
            if given_up or error.code not in _LATER:
                raise self._refused(error) from error
            reason = f"the server answered {error.code} {error.reason}"
        elif isinstance(reason, TimeoutError):
            raise CupelError(
                f"{self.url} stalled: no byte came for {TIMEOUT:g} seconds; try "
                f"again later, {_COPY}."
            ) from error
        if given_up:
            raise CupelError(
                f"{self.url} cannot be downloaded ({_plain(reason)}): check the network and try "
                f"again, {_COPY}."
            ) from error
        wait = max(WAITS[self._failures], _asked_wait(error))
        self._failures += 1
        warn(f"{self.url}: {_plain(reason)}; trying again in {wait:g} s.")
        time.sleep(wait)

    def _refused(self, error: HTTPError) -> CupelError:
        if error.code == 416:  # what we have is longer than what the server has
            return WrongContent(f"{self.url} ends before byte {self.position:,}.")
        if error.code in (404, 410):
            return CupelError(f"{self.url} does not exist ({error.code}): give a copy with --from.")
        return CupelError(
            f"{self.url} cannot be downloaded (the server answered {error.code} {error.reason}): "
            f"try again later, {_COPY}."
        )


@dataclass(frozen=True)
class Server:
    """GitHub or a mirror of it: archives and single files of repositories, by commit."""

    archives: str = "https://codeload.github.com"
    files: str = "https://raw.githubusercontent.com"

    def transfer(self, repository: Repository, files: Sequence[ListedFile]) -> int:
        """How many bytes a download takes, about."""
        if self._by_archive(repository, files):
            return repository.archive_bytes
        return sum(file.size for file in files)

    def fetch(
        self, repository: Repository, files: Sequence[ListedFile], store: Store, meter: Meter
    ) -> str:
        """Download the files, one by one or with the whole repository, whichever is less."""
        if self._by_archive(repository, files):
            url = f"{self.archives}/{repository.name}/tar.gz/{repository.commit}"
            with Stream(url, 0, meter) as stream:
                take_from_tar(stream, url, files, store)
            return url
        base = f"{self.files}/{repository.name}/{repository.commit}"
        for file in files:
            if not store.has(file):  # two paths may have the same content
                self._fetch_file(f"{base}/{quote(file.path)}", file, store, meter)
        return base

    def _by_archive(self, repository: Repository, files: Sequence[ListedFile]) -> bool:
        return sum(file.size + _REQUEST for file in files) > repository.archive_bytes

    def _fetch_file(self, url: str, file: ListedFile, store: Store, meter: Meter) -> None:
        start = store.received(file)
        meter(start)
        try:
            with Stream(url, start, meter) as stream:
                store.receive(file, stream, url, start)
        except WrongContent:
            if not start:
                raise
            # What an earlier process left may be the wrong part.
            with Stream(url, 0, lambda _: None) as stream:
                store.receive(file, stream, url)


@dataclass(frozen=True)
class ArchiveAt:
    """One archive at a URL: a `.zip`, or else a `.tar.gz`."""

    url: str

    def transfer(self, repository: Repository, files: Sequence[ListedFile]) -> int:
        """How many bytes a download takes, about."""
        return repository.archive_bytes

    def fetch(
        self, repository: Repository, files: Sequence[ListedFile], store: Store, meter: Meter
    ) -> str:
        """Download the archive and take the files out."""
        with Stream(self.url, 0, meter) as stream:
            if urlsplit(self.url).path.endswith(".zip"):
                with store.scratch(stream) as whole:
                    take_from_zip(whole, self.url, files, store)
            else:
                take_from_tar(stream, self.url, files, store)
        return self.url


class _Redirects(HTTPRedirectHandler):
    """Redirects to https, or from a mirror without it to itself."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if new.scheme != "https" and (new.scheme, new.netloc) != (old.scheme, old.netloc):
            raise CupelError(
                f"{req.full_url} redirects to {newurl}, which is refused: only https is followed "
                "to another server."
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _asked_wait(error: Any) -> float:
    """The seconds that the server asks for, within reason."""
    asked = error.headers.get("Retry-After", "") if isinstance(error, HTTPError) else ""
    return min(float(asked), LONGEST_WAIT) if asked.isdigit() else 0.0


def _plain(reason: object) -> str:
    if isinstance(reason, IncompleteRead | ConnectionResetError):
        return "the connection broke"
    text = (reason.strerror if isinstance(reason, OSError) else None) or str(reason)
    return text.rstrip(".") or type(reason).__name__
