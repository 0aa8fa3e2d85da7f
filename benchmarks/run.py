"""`make bench`: ours and the peers', same segments, same run, one core; ratios of medians.

    python benchmarks/run.py [--repetitions 5] [--only ter] [--quick]

Real segments come from the pack wmt14 (CUPEL_DATA). Every contest checks that both sides gave the
same scores. A second table holds what has no peer: start-up, resampling, memory. Large inputs are
measured by `--only scale` alone.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

import assay
import campaign
import cupel
import growth
import languages
import mbr
import meteor
import scale
import start
from cupel.cli.output import table
from cupel.data import wmt_corpus, wmt_pairs
from cupel.errors import CupelError
from cupel.human.rankings import wmt_rankings
from cupel.human.tau import tau_wmt14
from cupel.meta.comparison import perm_both_pairs, standardised
from cupel.meta.evaluation import evaluated
from cupel.meta.ranked import Ranked
from cupel.meta.scorecache import MetricScores
from cupel.questions.judge import Judge
from peers import CONTESTS, Contest


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def contest_row(contest: Contest, corpus: cupel.Corpus, repetitions: int) -> list[str]:
    hypotheses = next(iter(corpus.systems.values()))[: contest.segments]
    references = corpus.references[: contest.segments]
    # Once outside the clock: the code is loaded, and the results compared.
    found = contest.ours(hypotheses, references)
    expected = contest.theirs(hypotheses, references)
    difference = float(np.abs(found - expected).max())
    ours, theirs = [], []
    for _ in range(repetitions):  # in turn, so that both meet the same machine
        ours.append(seconds(lambda: contest.ours(hypotheses, references)))
        theirs.append(seconds(lambda: contest.theirs(hypotheses, references)))
    ratio = statistics.median(theirs) / statistics.median(ours)
    return [
        contest.name,
        contest.peer,
        f"{len(hypotheses) / statistics.median(ours):,.0f}",
        f"{len(hypotheses) / statistics.median(theirs):,.0f}",
        f"{ratio:.1f}x",
        "" if contest.goal is None else f"{contest.goal:g}x",
        f"{difference:.0e}" + ("" if difference <= contest.tolerance else " DIFFERENT"),
    ]


LONE = [
    *("terp", "badger", "ncd", "w2v-avg", "wer", "per", "cder", "sentbleu", "bleucomp"),
    *("red", "redp", "hwcm", "reval", "nnrk"),
]
"""Metrics without a peer that can be timed beside them; those that need trees find them parsed."""


def _seconds_of(
    metric: str, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> float:
    return seconds(lambda: cupel.score(hypotheses, references, [metric]))


def lone_rows(corpus: cupel.Corpus, repetitions: int) -> list[list[str]]:
    hypotheses = next(iter(corpus.systems.values()))
    rows = []
    for metric in LONE:
        cupel.score(hypotheses, corpus.references, [metric])
        took = statistics.median(
            _seconds_of(metric, hypotheses, corpus.references) for _ in range(repetitions)
        )
        rows.append([metric, f"{len(hypotheses) / took:,.0f}"])
    return rows


def absolute_rows(corpus: cupel.Corpus, quick: bool) -> list[list[str]]:
    rows = []
    command = [sys.executable, "-m", "cupel"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hypotheses = next(iter(corpus.systems.values()))
        (folder / "ref").write_text("".join(r[0] + "\n" for r in corpus.references), "utf-8")
        (folder / "hyp").write_text("".join(h + "\n" for h in hypotheses), "utf-8")
        score = [*command, "score", "ref", "-i", "hyp", "-m", "bleu"]
        for what, line, goal in (
            ("cupel --help", [*command, "--help"], "0.4 s"),
            (f"cupel score -m bleu, {len(hypotheses):,} segments", score, "2 s"),
        ):
            took = statistics.median(_seconds_of_run(line, folder) for _ in range(5))
            rows.append([what, f"{took:.2f} s", goal])
        rows += [_bootstrap_row(), _tau_row(), _permutation_row()]
        if not quick:
            rows += _million_rows(folder, score, corpus)
    return rows


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _seconds_of_run(command: list[str], folder: Path) -> float:
    return seconds(lambda: _run(command, folder))


def _bootstrap_row() -> list[str]:
    corpora = [wmt_corpus("wmt14", pair) for pair in ("de-en",)]
    corpus = corpora[0]
    systems = dict(list(corpus.systems.items())[:10])
    ten = cupel.Corpus({k: v[:3000] for k, v in systems.items()}, corpus.references[:3000])
    scores = cupel.score(ten, metrics=["bleu"])
    took = statistics.median(seconds(lambda: scores.intervals("bleu")) for _ in range(5))
    what = f"1,000 resamples of {len(ten):,} segments, {len(systems)} systems, BLEU"
    return [what, f"{took:.2f} s", "about 1 s"]


def _judged(metrics: int) -> list[Ranked]:
    """wmt14's rankings with made-up metrics: what is timed does not depend on the scores."""
    generator = np.random.default_rng(0)
    found = []
    for pair, rankings in wmt_rankings("wmt14").items():
        shape = (len(rankings.systems), 3003)
        scores = {
            str(i): MetricScores(generator.normal(size=shape), generator.normal(size=shape[0]))
            for i in range(metrics)
        }
        found.append(Ranked(pair, rankings, scores))
    return found


def _tau_row() -> list[str]:
    judged, question = _judged(20), Judge(dataset="wmt14", statistic="tau-wmt14")
    took = statistics.median(seconds(lambda: evaluated(judged, question)) for _ in range(3))
    return ["1,000 resamples of segment tau, 20 metrics, all of wmt14", f"{took:.2f} s", "20 s"]


def _permutation_row() -> list[str]:
    """PERM-BOTH against the loop that one would write in NumPy."""
    one = _judged(2)[1]
    first, second = (scores.segments for scores in one.scores.values())
    pairs = one.rankings.pairs()
    perm_both_pairs(first, second, pairs, tau_wmt14, 64)
    ours = statistics.median(
        seconds(lambda: perm_both_pairs(first, second, pairs, tau_wmt14, 1000)) for _ in range(5)
    )
    a, b = standardised(first), standardised(second)
    generator = np.random.default_rng(0)

    def loop(trials: int) -> None:
        for _ in range(trials):
            swapped = generator.integers(0, 2, a.shape, dtype=bool)
            for scores in (np.where(swapped, b, a), np.where(swapped, a, b)):
                better = scores[pairs.better, pairs.segment]
                worse = scores[pairs.worse, pairs.segment]
                (int(np.sum(better > worse)) - int(np.sum(better < worse))) / len(better)

    theirs = 10 * seconds(lambda: loop(100))
    what = f"PERM-BOTH, 1,000 trials, {len(pairs):,} human pairs: times a NumPy loop"
    return [what, f"{theirs / ours:.0f}x", "10x"]


def _million_rows(folder: Path, score: list[str], corpus: cupel.Corpus) -> list[list[str]]:
    """A million different segments: all outputs of wmt14, as often as it takes, numbered."""
    texts = [
        (hypothesis, references[0])
        for pair in wmt_pairs("wmt14")
        for c in [wmt_corpus("wmt14", pair)]
        for outputs in c.systems.values()
        for hypothesis, references in zip(outputs, c.references, strict=True)
    ]
    million = 1_000_000
    with (folder / "hyp").open("w") as hyp, (folder / "ref").open("w") as ref:
        for number in range(million):
            hypothesis, reference = texts[number % len(texts)]
            hyp.write(f"{hypothesis} {number}\n")
            ref.write(f"{reference} {number}\n")
    took, megabytes = start.measured(score, folder)
    return [
        ["1,000,000 segments from files, BLEU: time", f"{took:.0f} s", ""],
        ["1,000,000 segments from files, BLEU: peak memory", f"{megabytes / 1000:.2f} GB", "2 GB"],
    ]


def _tables_of_peers(
    only: str, corpus: cupel.Corpus, repetitions: int
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Heading and rows of the tables that have a file of their own, as they are measured."""
    if only in "meteor":
        # In turn for several systems and for one file.
        pairs = ("de-en", "cs-en", "fr-en", "hi-en", "ru-en")
        yield meteor.HEADER, meteor.rows({pair: wmt_corpus("wmt14", pair) for pair in pairs})
    if only in "assay":
        yield assay.HEADER, assay.rows(corpus)
    if only in "campaign":
        yield campaign.HEADER, campaign.rows(repetitions)
    if only in "growth":
        yield growth.HEADER, growth.rows()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", default="", help="contests whose name contains this")
    parser.add_argument("--quick", action="store_true", help="leave the million segments out")
    arguments = parser.parse_args()
    try:
        corpus = wmt_corpus("wmt14", "cs-en")
    except CupelError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    if arguments.only == "scale":  # takes half an hour, and all cores
        scale.report(arguments.quick)
        return 0
    if arguments.only in "start":
        print(f"Measured on {start.machine()}.\n")
        table(start.HEADER, start.rows(corpus, arguments.repetitions), sys.stdout)
        print()
        table(start.FIRST_HEADER, start.first_rows(corpus, arguments.repetitions), sys.stdout)
        print()
    if arguments.only in "mbr":
        table(mbr.HEADER, mbr.rows(wmt_corpus("wmt14", "de-en"), arguments.repetitions), sys.stdout)
        print()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    chosen = [contest for contest in CONTESTS if arguments.only in contest.name]
    rows = [contest_row(contest, corpus, arguments.repetitions) for contest in chosen]
    header = ["metric", "peer", "ours/s", "peer/s", "ratio", "goal", "largest difference"]
    if rows:
        table(header, rows, sys.stdout)
    for heading, more in _tables_of_peers(arguments.only, corpus, arguments.repetitions):
        print()
        table(heading, more, sys.stdout)
    if arguments.only in "languages":
        print()
        languages.report(arguments.repetitions)
    if not arguments.only:
        print()
        table(["no peer", "ours/s"], lone_rows(corpus, min(arguments.repetitions, 3)), sys.stdout)
        print()
        rows = absolute_rows(corpus, arguments.quick)
        table(["what", "measured", "goal"], rows, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
