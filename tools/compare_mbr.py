"""Compare the choices of `cupel mbr` with those of mbrs on thousands of lists, for docs/research/mbr.md.

    python tools/compare_mbr.py [--every 20] [--most 16 | --size 64] [-o build/mbr-peers.jsonl]

Needs `pip install mbrs fastchrf` and the datasets wmt14, mqm21, ted21 and bio21. The outputs of all
systems for a segment are its candidates and pseudo-references; with --size 64 as many variants of
them. One in --every segments is taken, beginning with --first. Each line of the output has, by metric,
the choice of mbrs and of Cupel (the first candidate with that text), how far expected utilities differ, and
the number of candidates as good as the chosen one; lines that are there already are not computed
again. Last come counts, and every choice that differs. mbrs takes a second and more for a list; with
--own-pairs it gets the scores of single pairs from Cupel, and does no more than average and choose.
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

from mbr_samples import Place, corpus_of, variants

PAIRS = {
    "wmt14": ("cs-en", "de-en", "fr-en", "hi-en", "ru-en"),
    "mqm21": ("en-de", "zh-en"),
    "ted21": ("en-de", "zh-en"),
    "bio21": ("de-en", "en-de", "en-es", "en-fr", "en-ru", "es-en", "fr-en", "ru-en", "zh-en"),
}  # fmt: skip
TIE = 1e-9
SAMPLE = 400
"""Lists that --record writes."""


def lists(
    datasets: list[str], every: int, first: int, most: int, size: int
) -> Iterator[tuple[Place, list[str]]]:
    """Candidates, language pair by language pair."""
    for dataset in datasets:
        for pair in PAIRS[dataset]:
            corpus = corpus_of(dataset, pair)
            for segment in range(first, len(corpus), every):
                texts = [lines[segment] for lines in corpus.systems.values()]
                if size == 0:
                    yield (dataset, pair, segment), texts[:most]
                elif len(set(texts)) > 2 and min(len(text.split()) for text in texts) > 3:
                    yield (dataset, pair, segment), variants(texts, size)


def compared(texts: list[str], peers: dict[str, Any], own_pairs: bool) -> dict[str, Any]:
    """By metric: choices, the difference of utilities, and what ours says of their choice."""
    import fastchrf
    import torch
    from mbrs.functional import expectation

    row: dict[str, Any] = {"candidates": len(texts)}
    for name, decoder in peers.items():
        ours = cupel.mbr(texts, name, matrix=own_pairs)
        if own_pairs:
            scores = expectation(torch.Tensor(ours.matrices[name].tolist()))
        else:
            scores = decoder.metric.expected_scores(texts, texts)
        theirs = texts.index(decoder.select(texts, scores, nbest=1).sentence[0])
        own = texts.index(ours.text)
        losses = np.abs(ours.utilities - ours.utility)
        row[name] = {
            "mbrs": theirs,
            "cupel": own,
            "difference": float(np.abs(ours.utilities - scores.numpy()).max()),
            "lost": float(losses[theirs]),
            "lost by mbrs": abs(float(scores[theirs] - scores[own])),
            "ties": len({text for text, loss in zip(texts, losses, strict=True) if loss < TIE}) - 1,
        }
    (aggregate,) = fastchrf.aggregate_chrf([texts], [texts])
    bag = cupel.mbr(texts, "chrf", method="aggregate").utilities
    row["aggregate"] = float(np.abs(bag - np.array(aggregate)).max())
    return row


def report(rows: list[dict[str, Any]]) -> None:
    """Counts, and the choices that differ."""
    print(f"{len(rows):,} lists, {sum(row['candidates'] for row in rows):,} candidates")
    for name in METRICS:
        cells = [{"place": row["place"], **row[name]} for row in rows]
        alone = [cell for cell in cells if not cell["ties"]]
        equal = sum(cell["mbrs"] == cell["cupel"] for cell in alone)
        print(
            f"{name}: {equal:,} equal choices of {len(alone):,} without ties; utilities differ by"
        )
        print(
            f"  {max(cell['difference'] for cell in cells):.1e}; in the other lists the choices are"
        )
        tied = [cell for cell in cells if cell["ties"]]
        same = sum(cell["mbrs"] == cell["cupel"] for cell in tied)
        print(f"  {same:,} times the same, {len(tied) - same:,} times another of the equals:")
        for cell in cells:
            if cell["mbrs"] != cell["cupel"]:
                print("   ", json.dumps(cell))
    print(f"aggregate chrf: differs by {max(row['aggregate'] for row in rows):.1e}")


def record(rows: list[dict[str, Any]], most: int, path: Path) -> None:
    """Write what mbrs chose in some of the lists, for tests/oracles/test_mbr_peers.py."""
    chosen = rows[:: max(1, len(rows) // SAMPLE)]
    lines = [
        json.dumps([*row["place"], *(row[name]["mbrs"] for name in METRICS)]) for row in chosen
    ]
    text = ",\n  ".join(lines)
    path.write_text(f'{{\n "most": {most},\n "lists": [\n  {text}\n ]\n}}\n', "utf-8")


def main() -> None:
    """Ask, write and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", choices=PAIRS, default=list(PAIRS))
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most", type=int, default=16)
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--own-pairs", action="store_true")
    parser.add_argument("--record", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/mbr-peers.jsonl"))
    options = parser.parse_args()
    rows = []
    if options.output.exists():
        rows = [json.loads(line) for line in options.output.read_text("utf-8").splitlines()]
    done = {tuple(row["place"]) for row in rows}
    peers = decoders()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with options.output.open("a", encoding="utf-8") as file:
        for place, texts in lists(
            options.data, options.every, options.first, options.most, options.size
        ):
            if place not in done:
                rows.append({"place": place, **compared(texts, peers, options.own_pairs)})
                file.write(json.dumps(rows[-1]) + "\n")
                file.flush()
    report(rows)
    if options.record:
        record(rows, options.most, options.record)


if __name__ == "__main__":
    main()
