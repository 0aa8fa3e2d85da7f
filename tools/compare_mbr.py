"""Compare the choices of `cupel mbr` with those of mbrs on thousands of lists, for docs/research/mbr.md.

    python tools/compare_mbr.py [--every 20] [--size 0] [-o build/mbr-peers.jsonl]

Needs `pip install mbrs fastchrf` and the datasets wmt14, mqm21, ted21 and bio21. The outputs of all
systems for a segment are its candidates and pseudo-references; with --size 64 as many variants of
them. One in --every segments is taken, beginning with --first. Each line of the output has, by metric,
the choice of mbrs and of Cupel (the first candidate with that text), and how far expected utilities differ;
lines that are there already are not computed again. Last come counts, and every choice that differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cupel
from record_mbr import METRICS, decoders

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))

from mbr_samples import Place, variants

PAIRS = {
    "wmt14": ("cs-en", "de-en", "fr-en", "hi-en", "ru-en"),
    "mqm21": ("en-de", "zh-en"),
    "ted21": ("en-de", "zh-en"),
    "bio21": ("de-en", "en-de", "en-es", "en-fr", "en-ru", "es-en", "fr-en", "ru-en", "zh-en"),
}  # fmt: skip
MOST = 16


def lists(every: int, first: int, size: int) -> Iterator[tuple[Place, list[str]]]:
    """Candidates, language pair by language pair."""
    from cupel.data import find, wmt_corpus
    from cupel.human.evalset import read_evalset

    for dataset, pairs in PAIRS.items():
        for pair in pairs:
            if dataset.startswith("wmt"):
                corpus = wmt_corpus(dataset, pair)
            else:
                corpus = read_evalset(find(dataset), pair).corpus
            for segment in range(first, len(corpus), every):
                texts = [lines[segment] for lines in corpus.systems.values()]
                if size == 0:
                    yield (dataset, pair, segment), texts[:MOST]
                elif len(set(texts)) > 2 and len(" ".join(texts).split()) > 5 * len(texts):
                    yield (dataset, pair, segment), variants(texts, size)


def compared(texts: list[str], peers: dict[str, Any]) -> dict[str, Any]:
    """By metric: choices, the difference of utilities, and what ours says of their choice."""
    import fastchrf

    row: dict[str, Any] = {"candidates": len(texts)}
    for name, decoder in peers.items():
        output = decoder.decode(texts, texts, nbest=len(texts))
        ours = cupel.mbr(texts, name)
        theirs = texts.index(output.sentence[0])
        gaps = np.abs(ours.utilities[output.idx] - output.score)
        scores = np.empty(len(texts))
        scores[output.idx] = output.score
        row[name] = {
            "mbrs": theirs,
            "cupel": texts.index(ours.text),
            "difference": float(gaps.max()),
            "lost": abs(ours.utility - float(ours.utilities[theirs])),
            "lost by mbrs": abs(float(scores[theirs] - scores[ours.index])),
        }
    (aggregate,) = fastchrf.aggregate_chrf([texts], [texts])
    own = cupel.mbr(texts, "chrf", method="aggregate").utilities
    row["aggregate"] = float(np.abs(own - np.array(aggregate)).max())
    return row


def report(rows: list[dict[str, Any]]) -> None:
    """Counts, and the choices that differ."""
    print(f"{len(rows):,} lists, {sum(row['candidates'] for row in rows):,} candidates")
    for name in METRICS:
        others = [row for row in rows if row[name]["mbrs"] != row[name]["cupel"]]
        worst = max(row[name]["difference"] for row in rows)
        print(f"{name}: {len(rows) - len(others):,} equal choices; utilities differ by {worst:.1e}")
        for row in others:
            print(" ", *row["place"], row["candidates"], json.dumps(row[name]))
    print(f"aggregate chrf: differs by {max(row['aggregate'] for row in rows):.1e}")


def main() -> None:
    """Ask, write and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/mbr-peers.jsonl"))
    options = parser.parse_args()
    rows = []
    if options.output.exists():
        rows = [json.loads(line) for line in options.output.read_text("utf-8").splitlines()]
    done = {tuple(row["place"]) for row in rows}
    peers = decoders()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with options.output.open("a", encoding="utf-8") as file:
        for place, texts in lists(options.every, options.first, options.size):
            if place not in done:
                rows.append({"place": place, **compared(texts, peers)})
                file.write(json.dumps(rows[-1]) + "\n")
                file.flush()
    report(rows)


if __name__ == "__main__":
    main()
