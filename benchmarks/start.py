"""What a person waits for: whole commands, beside sacreBLEU's, in turn, in the same run.

Processes run as a user starts them: on all cores, with no limit on threads. Caches are warm, but
for the rows that say otherwise.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import cupel

HEADER = ["whole command", "ours", "sacreBLEU", "ratio", "goal", "our memory", "its memory"]
FIRST_HEADER = ["first answer", "measured", "goal"]

BIN = Path(sys.executable).parent
LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
UNUSUAL = (*LIMITS, "PYTHONDONTWRITEBYTECODE")
"""Variables that users do not set: an installed package has its bytecode."""
FIRST_SCORE = "import cupel; print(cupel.score(['a b'], ['a b c'], ['bleu']))"
STARTER = """
import os, resource, sys, time
start = time.perf_counter()
child = os.fork()
if not child:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.execv(sys.argv[1], sys.argv[1:])
status = os.waitpid(child, 0)[1]
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
LEXICAL = "bleu chrf ter nist cider rouge-l wer per cder badger ncd w2v-avg terp meteor".split()


def rows(corpus: cupel.Corpus, repetitions: int) -> list[list[str]]:
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for segments, goals in (
            (50, {"bleu": 3.0}),
            (3000, {"bleu": 1.0, "chrf": 1.0, "ter": 1.0}),
        ):
            _write(folder, corpus, segments)
            for metric in ("bleu", "chrf", "ter"):
                arguments = ["ref", "-i", "hyp", "-m", metric]
                slow = metric == "ter" and segments == 3000
                ours, theirs = _in_turn(
                    [str(BIN / "cupel"), "score", *arguments],
                    [str(BIN / "sacrebleu"), *arguments],
                    folder,
                    min(repetitions, 3) if slow else repetitions,
                )
                goal = goals.get(metric)
                found.append(
                    [
                        f"{metric}, {segments:,} segments",
                        f"{ours[0]:.2f} s",
                        f"{theirs[0]:.2f} s",
                        f"{ours[0] / theirs[0]:.2f}",
                        "" if goal is None else f"at most {goal:g}",
                        f"{ours[1]:.0f} MB",
                        f"{theirs[1]:.0f} MB",
                    ]
                )
    return found


def first_rows(corpus: cupel.Corpus, repetitions: int) -> list[list[str]]:
    """Start-up alone, and the first use on a machine: with an empty cache."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, corpus, 50)
        score = [str(BIN / "cupel"), "score", "ref", "-i", "hyp", "-m"]
        commands = [
            ("cupel --help", [str(BIN / "cupel"), "--help"], "0.4 s"),
            (
                "import cupel; cupel.score(...) with BLEU",
                [sys.executable, "-c", FIRST_SCORE],
                "0.3 s",
            ),
        ]
        found = [
            [what, f"{_median(command, folder, repetitions)[0]:.2f} s", goal]
            for what, command, goal in commands
        ]
        for metric in LEXICAL:
            took = statistics.median(
                measured([*score, metric], folder, {"CUPEL_CACHE": str(folder / f"{metric}-{n}")})[
                    0
                ]
                for n in range(3)
            )
            found.append([f"first use of {metric} on a machine", f"{took:.2f} s", "3 s"])
    return found


def machine() -> str:
    """What it was measured on, in a line."""
    model = platform.processor() or platform.machine()
    for line in (
        Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    ):
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    )


def _write(folder: Path, corpus: cupel.Corpus, segments: int) -> None:
    hypotheses = next(iter(corpus.systems.values()))[:segments]
    references = [texts[0] for texts in corpus.references[:segments]]
    for name, lines in (("hyp", hypotheses), ("ref", references)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _in_turn(
    first: list[str], second: list[str], folder: Path, repetitions: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Median seconds and megabytes of both; each once before, outside the clock."""
    measured(first, folder)
    measured(second, folder)
    runs = [(measured(first, folder), measured(second, folder)) for _ in range(repetitions)]
    return _medians([ours for ours, _ in runs]), _medians([theirs for _, theirs in runs])


def _median(command: list[str], folder: Path, repetitions: int) -> tuple[float, float]:
    measured(command, folder)
    return _medians([measured(command, folder) for _ in range(repetitions)])


def _medians(runs: list[tuple[float, float]]) -> tuple[float, float]:
    seconds, megabytes = zip(*runs, strict=True)
    return statistics.median(seconds), statistics.median(megabytes)


def measured(
    command: list[str], folder: Path, variables: dict[str, str] | None = None
) -> tuple[float, float]:
    """Seconds and megabytes. A small process starts it: memory is counted from the fork on."""
    environment = {k: v for k, v in os.environ.items() if k not in UNUSUAL} | (variables or {})
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", STARTER, *command],
        cwd=folder, env=environment, check=True, text=True, stdout=subprocess.PIPE,
    )  # fmt: skip
    took, size = map(float, done.stdout.split())
    return took, size * (1 if sys.platform == "darwin" else 1024) / 1e6
