"""A real service in a process of its own, and a small client."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Running:
    """A service that answers at `port`."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        kind: str = "application/json",
    ) -> tuple[int, bytes, dict[str, str]]:
        """Status, content and headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if body else {})
            answer = connection.getresponse()
            return answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}
        finally:
            connection.close()

    def post(self, path: str, **content: object) -> tuple[int, Any]:
        """Status and JSON."""
        status, answer, _ = self.ask("POST", path, json.dumps(content).encode())
        return status, json.loads(answer)

    def at_once(self, path: str, contents: Sequence[dict[str, Any]]) -> list[tuple[int, Any]]:
        """Several requests at the same time."""
        answers: list[tuple[int, Any]] = [(0, None)] * len(contents)

        def one(at: int) -> None:
            answers[at] = self.post(path, **contents[at])

        threads = [threading.Thread(target=one, args=(at,)) for at in range(len(contents))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def counter(self, name: str) -> float:
        """A value of /metrics."""
        lines = self.ask("GET", "/metrics")[1].decode().splitlines()
        return float(next(line.rpartition(" ")[2] for line in lines if line.startswith(name + " ")))

    def workers(self) -> list[int]:
        """The process numbers of its workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [
            int(child)
            for child in children.split()
            if "cupel.pool" in Path(f"/proc/{child}/cmdline").read_text()
        ]


def command(*options: str) -> subprocess.Popen[str]:
    environment = dict(os.environ)
    paths = [str(HERE), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return subprocess.Popen(
        [sys.executable, "-m", "cupel", "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


@contextmanager
def running(*options: str) -> Iterator[Running]:
    """A service, from its start until it was stopped."""
    process = command(*options)
    assert process.stderr is not None
    try:
        line = ""
        for line in process.stderr:
            if "Serving" in line:
                break
        assert "Serving" in line, line
        yield Running(process, int(line.split("http://")[1].split(" ")[0].rpartition(":")[2]))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        if not process.stderr.closed:
            process.stderr.read()
            process.stderr.close()
        process.wait(30)
