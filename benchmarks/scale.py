"""Large inputs: memory over size, what a second worker brings, time to the first result, parts.

    make bench BENCH_ARGS="--only scale [--quick]"
    python benchmarks/scale.py [--quick] [--only memory|workers|first|parts] [--pairs N]

Pairs are all outputs of wmt14 with their references, as often as it takes, each round with another
number behind the text, so that no two are equal. The time of two workers is given twice: on the
clock, which says something on an idle machine alone, and as the CPU time of the busiest process,
which is what the clock says where every process has a core to itself.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import start
from cupel.cli.output import table
from cupel.data import wmt_corpus, wmt_pairs

COMMAND = [sys.executable, "-m", "cupel", "score"]
WORKED = {"ter": 1_000_000, "meteor": 1_000_000, "assay": 8_192}
"""Pairs for the comparison of workers; assay does some hundred a second: its are fewer."""
ONE = """
import json, resource, sys, time
if __name__ == "__main__":
    start = time.perf_counter()
    from cupel.engines.inputs import Inputs
    from cupel.engines.stream import score_files
    from cupel.registry import named_metrics
    scores = score_files(
        Inputs.of(["ref"], ["hyp"]), named_metrics(sys.argv[1].split(",")), workers=int(sys.argv[2])
    )
    clock = time.perf_counter() - start
    own, other = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    busy = [usage.ru_utime + usage.ru_stime for usage in (own, other)]
    print(json.dumps({"clock": clock, "cpu": busy, "memory": own.ru_maxrss / 1000,
                      "rows": scores.rows()}))
"""


def texts() -> Iterator[tuple[str, str]]:
    """Endless pairs of translation and reference."""
    real = [
        (hypothesis, references[0])
        for pair in wmt_pairs("wmt14")
        for corpus in [wmt_corpus("wmt14", pair)]
        for outputs in corpus.systems.values()
        for hypothesis, references in zip(outputs, corpus.references, strict=True)
    ]
    yield from real
    number = 1
    while True:
        yield from (
            (f"{hypothesis} {number}", f"{reference} {number}") for hypothesis, reference in real
        )
        number += 1


def write_pairs(folder: Path, count: int) -> None:
    """The files `hyp` and `ref`."""
    with (folder / "hyp").open("w") as hyp, (folder / "ref").open("w") as ref:
        for _, (hypothesis, reference) in zip(range(count), texts(), strict=False):
            hyp.write(hypothesis + "\n")
            ref.write(reference + "\n")


def memory_rows(folder: Path, sizes: Sequence[int]) -> list[list[str]]:
    """BLEU, chrF and TER of growing files, with one worker."""
    rows = []
    for size in sizes:
        write_pairs(folder, size)
        megabytes = sum((folder / name).stat().st_size for name in ("hyp", "ref")) / 1e6
        took, memory = start.measured([*COMMAND, *"ref -i hyp -m bleu chrf ter".split()], folder)
        rows.append(
            [
                f"{size:,}",
                f"{megabytes:,.0f} MB",
                f"{memory:,.0f} MB",
                f"{took:.0f} s",
                f"{size / took:,.0f}",
            ]
        )
    return rows


def _one(folder: Path, metric: str, workers: int) -> dict[str, Any]:
    script = folder / "one.py"
    script.write_text(ONE)
    done = subprocess.run(
        [sys.executable, "one.py", metric, str(workers)],
        cwd=folder,
        check=True,
        stdout=subprocess.PIPE,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def worker_rows(folder: Path, pairs: int | None) -> list[list[str]]:
    """One worker and two, with the same scores."""
    rows = []
    for metric, most in WORKED.items():
        size = min(most, pairs or most)
        write_pairs(folder, size)
        one, two = (_one(folder, metric, workers) for workers in (1, 2))
        assert one["rows"] == two["rows"], f"two workers gave other scores of {metric}"
        alone, busiest = max(one["cpu"]), max(two["cpu"])
        ratios = [f"{alone / busiest:.2f}", f"{one['clock'] / two['clock']:.2f}", "1.8"]
        rates = [f"{size / alone:,.0f}", f"{size / busiest:,.0f}"]
        rows.append([metric, f"{size:,}", *rates, *ratios])
    return rows


def first_rows(folder: Path, sizes: Sequence[int]) -> list[list[str]]:
    """How long it takes until the first line of segment scores is there, and all of them."""
    rows = []
    command = [*COMMAND, *"ref -i hyp -m bleu chrf ter -sl -f tsv".split()]
    for size in sizes:
        write_pairs(folder, size)
        begun = time.perf_counter()
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.stdout.readline()
            first = time.perf_counter() - begun
            lines = sum(1 for _ in process.stdout)
        assert lines == size - 1
        rows.append([f"{size:,}", f"{first:.1f} s", f"{time.perf_counter() - begun:.1f} s"])
    return rows


def part_rows(folder: Path, size: int) -> list[list[str]]:
    """Eight parts one after the other, and their merge, beside one run."""
    write_pairs(folder, size)
    arguments = "ref -i hyp -m bleu chrf ter".split()
    whole, _ = start.measured([*COMMAND, *arguments], folder)
    parts = [
        start.measured(
            [*COMMAND, *arguments, "--part", f"{k}/8", "-o", f"part-{k}.parquet"], folder
        )
        for k in range(1, 9)
    ]
    names = [f"part-{k}.parquet" for k in range(1, 9)]
    merged, memory = start.measured([sys.executable, "-m", "cupel", "merge", *names], folder)
    kilobytes = sum((folder / name).stat().st_size for name in names) / 1e3
    seconds = [took for took, _ in parts]
    return [
        [
            f"{size:,}",
            f"{whole:.1f} s",
            f"{max(seconds):.1f} s",
            f"{sum(seconds):.1f} s",
            f"{merged:.1f} s",
            f"{memory:.0f} MB",
            f"{kilobytes:,.0f} kB",
        ]
    ]


def report(quick: bool, only: str = "", pairs: int | None = None) -> None:
    """All tables. quick: sizes that take a minute."""
    sizes = [100_000] if quick else [100_000, 1_000_000, 10_000_000]
    pairs = pairs or (20_000 if quick else None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if only in "memory":
            header = ["pairs", "files", "peak memory", "time", "pairs/s"]
            table(header, memory_rows(folder, sizes if pairs is None else [*sizes[:1]]), sys.stdout)
            print()
        if only in "workers":
            header = [
                "metric",
                "pairs",
                "1 worker/s",
                "2 workers/s",
                "ratio",
                "on the clock",
                "goal",
            ]
            table(header, worker_rows(folder, pairs), sys.stdout)
            print()
        if only in "first":
            table(["pairs", "first row", "all"], first_rows(folder, sizes[:2]), sys.stdout)
            print()
        if only in "parts":
            header = [
                "pairs",
                "one run",
                "slowest of 8 parts",
                "all parts",
                "merge",
                "its memory",
                "files",
            ]
            table(header, part_rows(folder, sizes[:2][-1]), sys.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="the table whose name contains this")
    parser.add_argument("--pairs", type=int, help="at most so many pairs for workers")
    arguments = parser.parse_args()
    print(f"Measured on {start.machine()}.\n")
    report(arguments.quick, arguments.only, arguments.pairs)


if __name__ == "__main__":
    main()
