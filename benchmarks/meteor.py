"""METEOR against meteor-1.5.jar, whose start-up is not counted.

The jar's steady state is what four more systems cost it beside one: by then its start-up and its
compiler are out of the way. We are timed on text that the process has not seen before. The jar
prints segment scores with all their digits, so both sides can be compared.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import cupel
import cupel.data

JAVA = ("java", "-Xmx2G", "-XX:ActiveProcessorCount=1", "-jar")
HEADER = ["METEOR", "ours/s", "jar/s", "ratio", "goal", "largest difference"]


def jar() -> Path | None:
    """The jar inside pycocoevalcap, where it and Java are there."""
    from importlib.util import find_spec

    found = find_spec("pycocoevalcap")
    if found is None or shutil.which("java") is None:
        return None
    for folder in found.submodule_search_locations or ():
        path = Path(folder) / "meteor" / "meteor-1.5.jar"
        if path.exists():
            return path
    return None


def run_jar(path: Path, folder: Path) -> tuple[float, np.ndarray]:
    """Seconds that the jar takes for the files hyp and ref, and its segment scores."""
    start = time.perf_counter()
    done = subprocess.run(
        [*JAVA, path, "hyp", "ref", "-l", "en", "-norm"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    took = time.perf_counter() - start
    scores = re.findall(r"^Segment \d+ score:\s+(\S+)$", done.stdout, re.M)
    return took, np.array(scores, np.float64)


def write(folder: Path, hypotheses: Sequence[str], references: Sequence[str]) -> None:
    (folder / "hyp").write_text("".join(h + "\n" for h in hypotheses), "utf-8")
    (folder / "ref").write_text("".join(r + "\n" for r in references), "utf-8")


def rows(corpora: Mapping[str, cupel.Corpus]) -> list[list[str]]:
    """One file; several systems that share their references; and the command line."""
    path = jar()
    if path is None:
        return [["skipped: no Java, or no pycocoevalcap", "", "", "", "", ""]]
    cupel.score(cupel.data.sample(), metrics=["meteor"])  # compiled, and the table opened
    several: list[float] = []
    single: list[float] = []
    steady: list[float] = []
    differences = [0.0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, corpus in enumerate(corpora.values()):
            references = [texts[0] for texts in corpus.references]
            systems = dict(list(corpus.systems.items())[: 1 if number % 2 else 5])
            start = time.perf_counter()
            scores = cupel.score(systems, references, ["meteor"])
            segments = np.concatenate([scores.segment_scores("meteor", s) for s in systems])
            took = time.perf_counter() - start
            write(folder, [text for t in systems.values() for text in t], references * len(systems))
            theirs, expected = run_jar(path, folder)
            differences.append(float(np.abs(segments - expected).max()))
            (single if number % 2 else several).append(len(segments) / took)
            if len(systems) > 1:
                write(folder, next(iter(systems.values())), references)
                alone, _ = run_jar(path, folder)
                steady.append((len(segments) - len(references)) / (theirs - alone))
        rate = statistics.median(steady)
        largest = f"{max(differences):.0e}"
        found = [
            _row("one file", statistics.median(single), rate, "8x", largest),
            _row("5 systems sharing references", statistics.median(several), rate, "15x", largest),
        ]
        # The last file is still there: the same by the command line, with everything.
        command = [sys.executable, "-m", "cupel", "score", "ref", "-i", "hyp", "-m", "meteor"]
        ours, jars = [], []
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            ours.append(len(references) / (time.perf_counter() - start))
            jars.append(len(references) / run_jar(path, folder)[0])
        found.append(
            _row(
                f"command line, start-up included, {len(references):,} segments",
                statistics.median(ours),
                statistics.median(jars),
                "5x",
                "",
            )
        )
    return found


def _row(what: str, ours: float, theirs: float, goal: str, difference: str) -> list[str]:
    return [what, f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.1f}x", goal, difference]
