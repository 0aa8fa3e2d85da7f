"""A local HTTP server with the real files of a public repository, and with the faults of real servers.

It has the paths of GitHub's servers under one base: BASE/OWNER/NAME/tar.gz/COMMIT for the archive and
BASE/OWNER/NAME/COMMIT/PATH for a file. The files are those of the packs mutt and sick, which hold
them as they are in text-machine-lab/MUTT.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import ssl
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cupel.data import DATASETS

MUTT = DATASETS["mutt"].repositories[0]
SICK_PATH = "data/sick/SICK.txt"
SICK_URL = f"/{MUTT.name}/{MUTT.commit}/{SICK_PATH}"
ARCHIVE_URL = f"/{MUTT.name}/tar.gz/{MUTT.commit}"


def repository_files(*packs: Path) -> dict[str, bytes]:
    """The files of text-machine-lab/MUTT that the recipes list, taken from the packs."""
    contents = [path.read_bytes() for pack in packs for path in pack.rglob("*") if path.is_file()]
    by_checksum = {hashlib.sha256(content).hexdigest(): content for content in contents}
    listed = [*DATASETS["sick"].artifacts, *DATASETS["mutt"].artifacts]
    return {file.name: by_checksum[file.sha256] for file in listed}


def archive(files: Mapping[str, bytes], top: str = f"MUTT-{MUTT.commit}") -> bytes:
    """An archive in GitHub's form: one folder, and the commit in a global header."""
    plain = io.BytesIO()
    headers = {"comment": MUTT.commit}
    with tarfile.open(
        fileobj=plain, mode="w", format=tarfile.PAX_FORMAT, pax_headers=headers
    ) as tar:
        folder = tarfile.TarInfo(top)
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{path}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), 1)


Fault = Callable[["Handler", bytes], None]
"""What is done in place of the answer with this content."""


def cut_after(count: int) -> Fault:
    """Promise everything, then close the connection after some bytes."""

    def fault(handler: Handler, content: bytes) -> None:
        handler.start(content)
        handler.send(handler.part(content)[:count])
        handler.close_connection = True

    return fault


def stall_after(count: int) -> Fault:
    """Send some bytes, then nothing while the server lasts."""

    def fault(handler: Handler, content: bytes) -> None:
        handler.start(content)
        handler.send(handler.part(content)[:count])
        handler.wfile.flush()
        handler.server.stalling.set()
        handler.server.ended.wait(60)

    return fault


def answer(code: int, **headers: str) -> Fault:
    def fault(handler: Handler, content: bytes) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return fault


class Server(ThreadingHTTPServer):
    """contents: by path; faults: by path, used one after the other before answers are right."""

    daemon_threads = True

    def __init__(self, contents: dict[str, bytes], ranges: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.contents = contents
        self.ranges = ranges
        self.chunked = False  # as codeload.github.com answers, without saying how long it is
        self.faults: dict[str, list[Fault]] = {}
        self.requests: list[tuple[str, str | None]] = []  # path and range
        self.stalling, self.ended = threading.Event(), threading.Event()

    def handle_error(self, *_: object) -> None:
        """A client that leaves early is no error."""

    def use_tls(self, certificate: Path, key: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def base(self) -> str:
        scheme = "https" if isinstance(self.socket, ssl.SSLSocket) else "http"
        return f"{scheme}://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers.get("Range")))
        content = self.server.contents.get(self.path)
        faults = self.server.faults.get(self.path)
        if faults:
            faults.pop(0)(self, content or b"")
        elif content is None:
            answer(404)(self, b"")
        else:
            self.start(content)
            self.send(self.part(content))
            if self.server.chunked:
                self.wfile.write(b"0\r\n\r\n")

    def start(self, content: bytes) -> None:
        part = self.part(content)
        self.send_response(206 if len(part) < len(content) else 200)
        if self.server.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(part)))
        self.end_headers()

    def send(self, content: bytes) -> None:
        if self.server.chunked:
            content = b"".join(
                b"%x\r\n%s\r\n" % (len(chunk), chunk)
                for start in range(0, len(content), 50_000)
                for chunk in [content[start : start + 50_000]]
            )
        self.wfile.write(content)

    def part(self, content: bytes) -> bytes:
        asked = self.headers.get("Range")
        return content[int(asked[6:-1]) :] if asked and self.server.ranges else content

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(contents: dict[str, bytes], ranges: bool = True) -> Iterator[Server]:
    with Server(contents, ranges) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()
