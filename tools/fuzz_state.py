"""What the fuzzer did so far, in files: slices of many runs and machines add up.

OUT/READER/state.json    time, files and kinds of failures
OUT/READER/corpus/       inputs that reached lines that none before had reached
OUT/READER/0.json ...    the first input of each kind of failure, and 0.trace
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType

LARGEST_KEPT = 20_000


@dataclass
class State:
    """Of one reader: CPU and clock seconds, files tried, and kind of failure -> its file."""

    cpu: float = 0.0
    clock: float = 0.0
    files: int = 0
    failures: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> State:
        path = folder / "state.json"
        return cls(**json.loads(path.read_text())) if path.exists() else cls()

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        beside = folder / "state.beside"
        beside.write_text(json.dumps(asdict(self), indent=1))
        beside.replace(folder / "state.json")

    def stopwatch(self, folder: Path) -> Callable[[], None]:
        """A function that saves with the time since now added."""
        clock, cpu = time.monotonic() - self.clock, time.process_time() - self.cpu

        def save() -> None:
            self.clock, self.cpu = time.monotonic() - clock, time.process_time() - cpu
            self.save(folder)

        return save

    def keep_failure(self, folder: Path, suffix: str, content: bytes, trace: str) -> None:
        """Keep the input, if it is the first of its kind."""
        kind = _kind(trace)
        if kind in self.failures:
            return
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{len(self.failures)}{suffix}"
        path.write_bytes(content)
        path.with_name(f"{len(self.failures)}.trace").write_text(trace)
        self.failures[kind] = str(path)
        self.save(folder)


def _kind(trace: str) -> str:
    """Where in Cupel it happened, and what."""
    lines = trace.strip().splitlines()
    places = [
        line.strip() for line in lines if "cupel" in line and line.lstrip().startswith("File")
    ]
    return f"{places[-1] if places else ''} {lines[-1][:60]}"


def load_corpus(folder: Path) -> list[bytes]:
    """The inputs kept by earlier slices."""
    return [path.read_bytes() for path in sorted((folder / "corpus").glob("*"))]


def keep_input(folder: Path, content: bytes) -> None:
    """Add an input to the corpus."""
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    (folder / "corpus" / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def watch_lines(leave_out: str) -> Callable[[], int]:
    """A function for the number of lines of Python reached so far, outside of files of that name.

    Each line is counted once and then costs nothing more, which needs Python 3.12: 0 before.
    """
    if sys.version_info < (3, 12):
        return lambda: 0
    monitoring, count = sys.monitoring, 0

    def reached(code: CodeType, _line: int) -> object:
        nonlocal count
        count += leave_out not in code.co_filename and not code.co_filename.startswith("<")
        return monitoring.DISABLE

    monitoring.use_tool_id(monitoring.COVERAGE_ID, "fuzz")
    monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, reached)
    monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)
    return lambda: count


def total(outs: Iterable[Path], names: Iterable[str]) -> str:
    """A table of what was done in all these folders together."""
    rows = [f"{'reader':15} {'files':>12} {'CPU s':>8} {'corpus':>6} failures"]
    everything = [0, 0.0, 0, 0]
    folders = list(outs)
    for name in names:
        states = [State.load(out / name) for out in folders]
        corpus = {p.name for out in folders for p in (out / name / "corpus").glob("*")}
        kinds = {kind for state in states for kind in state.failures}
        row = [
            sum(state.files for state in states), sum(state.cpu for state in states), len(corpus),
            len(kinds),
        ]  # fmt: skip
        everything = [one + more for one, more in zip(everything, row, strict=True)]
        rows.append(_row(name, row))
    return "\n".join([*rows, _row("all", everything)])


def _row(name: str, row: list[float]) -> str:
    return f"{name:15} {row[0]:12,} {row[1]:8,.0f} {row[2]:6} {row[3]}"
