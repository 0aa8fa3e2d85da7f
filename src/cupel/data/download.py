"""Downloading: the only module of Cupel that fetches from the network, for datasets and models.

The bytes behind a URL come as a stream that survives broken connections: it continues where it was
if the server takes ranges, and else starts again and skips what it had. Connections that cannot be
made or break, and answers that ask for patience, are tried again a few times. By hand, since pooch
and its like start a broken file again, verify it at its end alone, have no mirrors and no lock
between processes, unpack without bounds, and bring a second HTTP client.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cupel.console import Progress, warn
from cupel.data.store import CHUNK, Meter, Store, WrongContent, chunks_of, locked, sha256_in
from cupel.data.store import Artifact as Artifact
from cupel.errors import CannotWrite, CupelError
from cupel.folders import check_writable, writing

TIMEOUT = 60.0  # seconds without a byte
WAITS = (1.0, 3.0, 9.0)  # seconds before each new attempt
LONGEST_WAIT = 60.0
_LATER = (408, 425, 429, 500, 502, 503, 504)  # answers that may be better the next time
_COPY = "or give a copy of the files with --from"


def fetch(
    artifact: Artifact,
    folder: Path,
    place: str | Path | None = None,
    progress: Progress | None = None,
) -> Path:
    """The verified file `folder/NAME`; nothing is read where it is there already.

    A process that is killed leaves nothing in `folder`, and the next one continues what it had
    received. Of several processes one downloads, and the others wait for it.

    place: a folder that has the file, the file itself, or the URL of a mirror, to which the name is
    added; by default the artifact's URLs, one after the other until one has it
    progress: called with (bytes received, bytes in all)
    """
    target = folder / artifact.name
    check_writable(target)
    with locked([artifact.repository]):
        if target.is_file() and sha256_in(target) == artifact.sha256:
            return target
        store = Store(artifact.repository)
        if store.missing([artifact]):
            meter = Meter(progress, artifact.size)
            _receive_from_one(_origins(artifact, place), artifact, store, meter)
        with writing(target) as beside:
            store.move(artifact, beside)
    return target


def is_url(place: str | Path) -> bool:
    """Whether a place is on a server, not on this machine."""
    return str(place).startswith(("https://", "http://"))


def checked_url(text: str) -> str:
    """The URL with its special characters quoted; an error where it names no server."""
    try:
        url = quote(text, safe="/:@%?&=+,~[]").rstrip("/")
        host = urlsplit(url).hostname
    except ValueError as error:
        raise CupelError(f"{text} is not a URL: {error}.") from error
    if not host:
        raise CupelError(f"{text} names no server: a URL looks like https://server/path.")
    return url


def download_file(url: str, file: Artifact, store: Store, meter: Callable[[int], object]) -> None:
    """Put one file into the store, from where an earlier process stopped."""
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


def _origins(artifact: Artifact, place: str | Path | None) -> list[str | Path]:
    if place is None:
        if not artifact.urls:
            raise CupelError(f"{artifact.name} is not published: give a copy with --from.")
        return list(artifact.urls)
    if is_url(place):
        return [f"{checked_url(str(place))}/{quote(artifact.name)}"]
    path = Path(place).expanduser()
    path = path / artifact.name if path.is_dir() else path
    if not path.is_file():
        raise CupelError(f"{path} does not exist: give another copy with --from.")
    return [path]


def _receive_from_one(
    origins: list[str | Path], artifact: Artifact, store: Store, meter: Meter
) -> None:
    """Receive from the first origin that has the file; the error is that of the last."""
    for left, origin in enumerate(origins, start=1 - len(origins)):
        try:
            if isinstance(origin, Path):
                store.meter = meter
                with origin.open("rb") as content:
                    store.receive(artifact, chunks_of(content), str(origin))
            else:
                download_file(origin, artifact, store, meter)
            return
        except CupelError as error:
            if not left or isinstance(error, CannotWrite):
                raise
            warn(f"{error} The next place is tried.")


class Stream:
    """The bytes behind a URL, from byte `position` on."""

    def __init__(self, url: str, position: int, meter: Callable[[int], object]) -> None:
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
