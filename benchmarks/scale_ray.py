"""What `cupel score --engine ray` costs, part by part, and what that predicts for a billion pairs.

    python benchmarks/scale_ray.py [--only parts|small|predict|check] [--pairs N]

parts    CPU seconds of planning, reading, scoring and adding up, per million pairs and per block, each
         measured in one process, so that other work on the machine matters little
small    the time of a whole command with and without Ray, on few pairs: when not to use it
predict  hours for 10^9 pairs on N nodes of 16 cores, by the model below, from the costs in `parts`
check    the costs of runs of N and 4 N pairs, and how well they predict those of one of 12 N

The model: a run takes  start + over * pairs * (read + score) / cores, or start + pairs * add + blocks *
schedule where that is longer; over is what actors of a real run use more than the sum of their parts: the one process that starts tasks and adds blocks up works beside the others. Text lines
are scanned first, pairs * scan / cores.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import scale
from cupel.blocks import Block, BlockStatistics, block_statistics
from cupel.cli.output import table
from cupel.engines.inputs import blocks
from cupel.engines.patterns import Patterns, indexed_file, patterns_of
from cupel.engines.ray import LARGE
from cupel.metric import Metric
from cupel.registry import named_metrics
from cupel.totals import Totals

MILLION = 1_000_000
SETS = {
    "bleu": ["bleu"],
    "bleu, chrf, ter": ["bleu", "chrf", "ter"],
    "meteor": ["meteor"],
    "rouge-l": ["rouge-l"],
}
RUN = """
import os, resource, sys, time
from pathlib import Path
if __name__ == "__main__":
    from cupel.engines.patterns import patterns_of
    from cupel.engines.ray import Settings, score_on_ray
    from cupel.registry import named_metrics
    pattern, metrics, block = sys.argv[1:]
    patterns, times, start = patterns_of([pattern], None, None, None), [], time.perf_counter()
    def cpu_of(place):
        try:
            if b"ray::CupelActor" not in (place / "cmdline").read_bytes():
                return 0.0
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            node = Path("/proc", fields[1], "stat").read_text().rpartition(")")[2].split()
            if int(node[1]) != os.getpid():  # of another run
                return 0.0
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    def progress(done, total):
        own = resource.getrusage(resource.RUSAGE_SELF)
        actors = sum(map(cpu_of, Path("/proc").glob("[0-9]*")))
        times.append((time.perf_counter() - start, own.ru_utime + own.ru_stime, actors))
    score_on_ray(
        patterns, named_metrics(metrics.split(",")), Settings(block=int(block)), progress=progress
    )
    blocks = len(times) - 1
    each = ((last - first) / blocks for first, last in zip(times[0], times[-1]))
    print(times[0][0], *each, *times[-1][1:])
"""
"""Prints the seconds to the first result; per block clock, CPU of the driver, CPU of all actors; at the end
CPU of the driver and of all actors."""


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process for some work."""
    before = time.process_time()
    work()
    return time.process_time() - before


def _write_parquet(folder: Path, pairs: int) -> None:
    import polars as pl

    scale.write_pairs(folder, pairs)
    lines = {name: (folder / name).read_text("utf-8").splitlines() for name in ("hyp", "ref")}
    pl.DataFrame({"mt": lines["hyp"], "ref": lines["ref"]}).write_parquet(folder / "pairs.parquet")


def part_costs(folder: Path, pairs: int) -> dict[str, float]:
    """CPU seconds per million pairs of each part, and per block of the last."""
    _write_parquet(folder, pairs)
    costs: dict[str, float] = {}
    per = MILLION / pairs
    names = [str(folder / "hyp"), str(folder / "ref")]
    costs["scan of text lines"] = per * cpu(lambda: [indexed_file(name) for name in names])
    lines = patterns_of(names[1:], names[:1], None, None)
    table_of_both = patterns_of([str(folder / "pairs.parquet")], None, None, None)
    read_blocks: list[Block] = []
    for kind, patterns in (("text lines", lines), ("Parquet", table_of_both)):
        files = {name: indexed_file(name) for pattern in patterns.all for name in pattern.paths}
        inputs = patterns.indexed(files)

        def read(inputs: Patterns = inputs) -> None:
            read_blocks[:] = blocks(inputs, LARGE, 0, inputs.segments)

        costs[f"read {kind}"] = per * cpu(read)
    for name, specs in SETS.items():
        metrics = named_metrics(specs)
        kept: list[BlockStatistics] = []

        def score(metrics: dict[str, Metric] = metrics, kept: list[BlockStatistics] = kept) -> None:
            kept += [block_statistics(metrics, block) for block in read_blocks]

        costs[f"score {name}"] = per * cpu(score)
        totals = Totals("units")

        def add(totals: Totals = totals, kept: list[BlockStatistics] = kept) -> None:
            for block in kept:
                totals.add(block)

        costs[f"add {name}"] = per * cpu(add)
        arrays = [a for block in kept for a in (*block.rows.values(), *block.sums.values())]
        costs[f"bytes {name}"] = per * sum(array.nbytes for array in arrays)
    return costs


def run_costs(folder: Path, file: str, metrics: str, block: int) -> list[float]:
    """Seconds to the first result; clock, CPU of the driver and of all actors per further block."""
    command = [sys.executable, "-c", RUN, file, metrics, str(block)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return list(map(float, done.stdout.split()))


def schedule_cost(folder: Path) -> tuple[float, float]:
    """Seconds to the first result, and CPU of the driver per block of almost no work."""
    import polars as pl

    pl.DataFrame({"mt": ["a b"] * 204_800, "ref": ["a c"] * 204_800}).write_parquet(
        folder / "small.parquet"
    )
    first, _, driver, *_ = run_costs(folder, "small.parquet", "wer", 1024)
    return first, driver


def small_rows(folder: Path) -> list[list[str]]:
    """The clock of whole commands, without and with Ray."""
    rows = []
    for pairs in (1_000, 10_000, 100_000):
        scale.write_pairs(folder, pairs)
        times = []
        for engine in ([], ["--engine", "ray"]):
            command = [*scale.COMMAND, *"ref -i hyp -m bleu chrf ter -q".split(), *engine]
            start = time.perf_counter()
            subprocess.run(command, cwd=folder, capture_output=True, check=True)
            times.append(time.perf_counter() - start)
        rows.append([f"{pairs:,}", *(f"{t:.1f} s" for t in times), f"{times[1] - times[0]:.1f} s"])
    return rows


def predictions(
    costs: dict[str, float], start: float, schedule: float, over: float
) -> list[list[str]]:
    """Hours for 10^9 pairs in Parquet, and what limits them."""
    rows = []
    for name in SETS:
        for nodes in (1, 10, 100):
            cores = 16 * nodes
            spread = over * 1000 * (costs["read Parquet"] + costs[f"score {name}"]) / cores
            alone = 1000 * costs[f"add {name}"] + 1e9 / LARGE * schedule
            seconds = start + max(spread, alone)
            limit = "scoring" if spread > alone else "the driver"
            rows.append([name, str(nodes), _clock(seconds), limit, f"{spread / alone:.1f}"])
    return rows


def check_rows(folder: Path, pairs: int) -> list[list[str]]:
    """CPU seconds of three runs, and what a line through the first two says about the third."""
    block, runs = 16_384, []
    for size in (pairs, 4 * pairs, 12 * pairs):
        _write_parquet(folder, size)
        runs.append((size, *run_costs(folder, "pairs.parquet", "bleu,chrf,ter", block)[4:]))
    (one, *first), (two, *second), (three, *third) = runs
    predicted = [
        f + (s - f) / (two - one) * (three - one) for f, s in zip(first, second, strict=True)
    ]
    errors = (100 * (p / m - 1) for p, m in zip(predicted, third, strict=True))
    rows = [[f"{size:,.0f} pairs", *(f"{cost:.1f} s" for cost in costs)] for size, *costs in runs]
    rows.append(["the last, predicted", *(f"{cost:.1f} s" for cost in predicted)])
    return [*rows, ["error", *(f"{error:+.0f}%" for error in errors)]]


def _clock(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds > 5400 else f"{seconds / 60:.0f} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["parts", "small", "predict", "check"])
    parser.add_argument("--pairs", type=int, default=262_144)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.only in (None, "small"):
            table(["Pairs", "local", "Ray", "difference"], small_rows(folder), sys.stdout)
        if given.only == "small":
            return
        if given.only == "check":
            found = check_rows(folder, given.pairs)
            table(["CPU of BLEU, chrF, TER", "driver", "actors"], found, sys.stdout)
            return
        costs = part_costs(folder, given.pairs)
        rows = [[what, f"{cost:.2f}"] for what, cost in costs.items()]
        table(["CPU seconds (or bytes) per million pairs", "cost"], rows, sys.stdout)
        first, each = schedule_cost(folder)
        print(
            f"first result after {first:.1f} s; a block costs the driver {1000 * each:.1f} ms of CPU"
        )
        real = run_costs(folder, "pairs.parquet", "bleu,chrf,ter", 16_384)[3]
        model = (costs["score bleu, chrf, ter"] + costs["read Parquet"]) * 16_384 / MILLION
        print(f"actors: {real:.2f} s of CPU per block of 16,384; the model says {model:.2f} s")
        found = predictions(costs, first, each, real / model)
        table(["Metrics", "nodes of 16 cores", "10^9 pairs", "limit", "ratio"], found, sys.stdout)
        print(json.dumps({"costs": costs, "first": first, "each": each}))
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")


if __name__ == "__main__":
    main()
