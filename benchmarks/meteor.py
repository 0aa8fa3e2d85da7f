"""METEOR against meteor-1.5.jar, whose start-up is not counted.

The jar is timed on one line and on the whole file; the difference is its steady state. It prints
segment scores with all their digits, so both sides can be compared.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import cupel

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


def rows(corpus: cupel.Corpus, repetitions: int) -> list[list[str]]:
    """One file; several systems that share their references; and the command line."""
    path = jar()
    if path is None:
        return [["skipped: no Java, or no pycocoevalcap", "", "", "", "", ""]]
    references = [texts[0] for texts in corpus.references]
    systems = dict(list(corpus.systems.items())[:5])
    cupel.score(systems, references, ["meteor"])  # compiled, and the table opened
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, ["one"], ["one"])
        startup = statistics.median(run_jar(path, folder)[0] for _ in range(3))
        for what, chosen, goal in (
            ("one file", dict(list(systems.items())[:1]), "8x"),
            (f"{len(systems)} systems sharing references", systems, "15x"),
        ):
            ours, theirs = [], []
            hypotheses = [text for texts in chosen.values() for text in texts]
            write(folder, hypotheses, references * len(chosen))
            for _ in range(repetitions):
                start = time.perf_counter()
                scores = cupel.score(chosen, references, ["meteor"])
                segments = [scores.segment_scores("meteor", system) for system in chosen]
                ours.append(time.perf_counter() - start)
                took, expected = run_jar(path, folder)
                theirs.append(took - startup)
            difference = np.abs(np.concatenate(segments) - expected).max()
            found.append(_row(what, len(hypotheses), ours, theirs, goal, f"{difference:.0e}"))
        hypotheses = next(iter(systems.values()))
        write(folder, hypotheses, references)
        command = [sys.executable, "-m", "cupel", "score", "ref", "-i", "hyp", "-m", "meteor"]
        ours, theirs = [], []
        for _ in range(repetitions):
            start = time.perf_counter()
            subprocess.run(
                command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=os.environ
            )
            ours.append(time.perf_counter() - start)
            theirs.append(run_jar(path, folder)[0])
        found.append(
            _row("command line, start-up included", len(hypotheses), ours, theirs, "5x", "")
        )
    return found


def _row(
    what: str, n: int, ours: list[float], theirs: list[float], goal: str, difference: str
) -> list[str]:
    a, b = statistics.median(ours), statistics.median(theirs)
    return [what, f"{n / a:,.0f}", f"{n / b:,.0f}", f"{b / a:.1f}x", goal, difference]
