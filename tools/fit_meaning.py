"""Fit how often people prefer the better system, by metric, and test it on campaigns left out.

    python tools/fit_meaning.py FOLDER                    # collect scores into FOLDER, fit, write
    python tools/fit_meaning.py FOLDER --only-fit         # of scores that were collected before
    python tools/fit_meaning.py FOLDER --metrics assay    # of these metrics; the others stay as they are
    python tools/fit_meaning.py FOLDER --metrics assay --scored-by assay:weights=LEFT_OUT    # see docs/research/meaning.md

Writes src/cupel/resources/meaning/meaning.json and the tables of docs/research/meaning.md. Needs
the datasets wmt12, wmt13, wmt14, wmt15-rankings, mqm21, ted21 and bio21. The formula is in
`cupel.meaning`; the fit is by penalised likelihood:

* a pair of systems weighs 2 / S in a group of S systems, since S (S - 1) / 2 pairs tell no more than
  S - 1 independent ones; all test sets drawn for a pair share its weight;
* log b of a language pair differs from that of its direction by a normal deviate of 0.4;
* priors: l about 0.1 (logit of 2 l: -1.4 with deviation 0.5), as in mt-thresholds, log m about log 100 (deviation 1), w about 1 (deviation of its logarithm 0.5).

Draws: the fit to groups (campaign and language pair) drawn with replacement.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

import meaning_material as material
from cupel.arrays import FloatArray, IntArray
from cupel.meaning import NODES, WEIGHTS, agreement, direction
from cupel.registry import named_metrics

WORDS = ("bleu", "sentbleu", "ter", "nist", "wer", "per", "cder", "rouge-l", "cider", "badger")
"""Metrics of words, which need another tokenizer for Chinese: en-zh is left out."""
CHARACTERS = ("chrf", "chrf++")
ENGLISH = ("meteor", "w2v-avg", "assay")
METRICS = ("bleu", *CHARACTERS, *WORDS[1:], *ENGLISH)
SAMPLED = {"assay": {"mqm21": 200, "ted21": 200, "bio21": 60, "wmt14": 50}}
"""Segments of each group that a slow metric scores; it skips other campaigns."""
LARGE = {"wmt12": 1000, "wmt13": 1000}
"""Segments of each group of the large campaigns, which have hundreds of systems."""
THRESHOLDS = {"bleu": (0.8833333, 0.9663927), "chrf": (0.93, 1.1142732)}
"""mt-thresholds (Kocmi et al. 2024; kocmitom/MT-Thresholds): accuracy = a / (1 + exp(-b d))."""
DRAWS = 100
TEST_SETS = 2
"""Of each size that are drawn for a pair of systems, so many enter the fit."""
DEVIATION = 0.4
SEED = 12345
HOME = Path(__file__).parent.parent


@dataclass(frozen=True)
class Rows:
    """One row for each pair of systems and test set; d is above 0, y is 1 where people agree."""

    d: FloatArray
    n: FloatArray
    y: FloatArray
    weight: FloatArray
    group: IntArray
    top: FloatArray
    whole: FloatArray
    names: tuple[str, ...]
    lengths: tuple[float, ...]

    def of(self, groups: Sequence[int]) -> Rows:
        """The rows of these groups, as often as each is named."""
        rows = np.concatenate([np.flatnonzero(self.group == g) for g in groups])
        columns = ("d", "n", "y", "weight", "group", "top", "whole")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})


def read(folder: Path, metric: str) -> Rows:
    """What was collected of a metric."""
    parts: list[FloatArray] = []
    names: list[str] = []
    lengths: list[float] = []
    for path in sorted(folder.glob(f"*.{metric}.npz")):
        name = path.name.removesuffix(f".{metric}.npz")
        stored = np.load(path)
        table, human, higher = stored["table"], stored["human"], float(stored["higher"])
        if (metric in WORDS and name.endswith("-zh")) or not len(table):
            continue
        a, b = table[:, 0].astype(int), table[:, 1].astype(int)
        ours, theirs = higher * table[:, 3], higher * table[:, 4]
        d, people = ours - theirs, human[a] - human[b]
        pair = a * len(human) + b
        kept = (d != 0) & (people != 0) & _first(pair * 10_000 + table[:, 2].astype(int), TEST_SETS)
        _, inverse, counts = np.unique(pair, return_inverse=True, return_counts=True)
        largest = np.zeros(len(counts))
        np.maximum.at(largest, inverse, table[:, 2])
        systems = len(np.unique([a, b]))
        columns = [
            np.abs(d), table[:, 2], np.sign(d) == np.sign(people), 2 / systems / counts[inverse],
            np.full(len(d), len(names)), np.maximum(ours, theirs), table[:, 2] == largest[inverse],
        ]  # fmt: skip
        parts.append(np.stack([np.asarray(c, np.float64)[kept] for c in columns]))
        names.append(name)
        lengths.append(float(stored["length"]))
    d, n, y, weight, group, top, whole = np.concatenate(parts, axis=1)
    return Rows(d, n, y, weight, group.astype(int), top, whole, tuple(names), tuple(lengths))


def _first(keys: IntArray, count: int) -> Any:
    """(rows,): whether a row is among the first of its key. keys: equal ones follow each other."""
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    lengths = np.diff(np.append(starts, len(keys)))
    return np.arange(len(keys)) - np.repeat(starts, lengths) < count


def pair_of(group: str) -> str:
    """`wmt14.de-en` -> `de-en`."""
    return group.rpartition(".")[2]


@dataclass(frozen=True)
class Fit:
    """columns: into, from (log b), lapse (l), half (log m), spread (log w), and language pairs."""

    columns: tuple[str, ...]
    values: FloatArray

    def shares(self, rows: Rows) -> FloatArray:
        """(rows,): how often people agree, by this fit."""
        at = dict(zip(self.columns, self.values.tolist(), strict=True))
        of_group = np.array([at[direction(p)] + at.get(p, 0.0) for p in map(pair_of, rows.names)])
        one = np.ones(len(rows.d))
        return agreement(
            rows.d, rows.n, np.exp(of_group[rows.group]), np.exp(at["spread"]) * one,
            at["lapse"] * one, np.exp(at["half"]) * one,
        )  # fmt: skip


def fit(rows: Rows, near: Fit | None = None) -> Fit:
    """The most likely values, with the priors above. near: where the search starts."""
    pairs = sorted({pair_of(rows.names[g]) for g in np.unique(rows.group)})
    columns = ("into", "from", "lapse", "half", "spread", *pairs)
    centre = -np.log(np.median(rows.d))
    where = np.array([columns.index(direction(pair_of(name))) for name in rows.names])[rows.group]
    own = np.array(
        [columns.index(p) if (p := pair_of(name)) in columns else 0 for name in rows.names]
    )
    own = own[rows.group]

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        lapse = 0.5 / (1 + np.exp(-theta[2]))
        half = np.exp(theta[3])
        shrink = rows.n / (rows.n + half)
        spread = np.exp(theta[4])
        slope = np.exp(np.clip(theta[where] + theta[own], -20, 20))
        z = (slope * rows.d * shrink)[:, None] * np.exp(spread * NODES)
        sures = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
        sure, rising = sures @ WEIGHTS, sures * (1 - sures) * z * WEIGHTS
        p = np.clip(lapse + (1 - 2 * lapse) * sure, 1e-9, 1 - 1e-9)
        slope_p = rows.weight * ((1 - rows.y) / (1 - p) - rows.y / p)
        by_z = slope_p * (1 - 2 * lapse) * rising.sum(axis=1)
        gradient = np.bincount(where, by_z, len(theta)) + np.bincount(own, by_z, len(theta))
        gradient[2] = (slope_p * (1 - 2 * sure)).sum() * lapse * (1 - 2 * lapse)
        gradient[3] = -(by_z * (1 - shrink)).sum()
        gradient[4] = (slope_p * (1 - 2 * lapse) * (rising @ NODES)).sum() * spread
        value = -(rows.weight * np.where(rows.y > 0, np.log(p), np.log(1 - p))).sum()
        widths = np.array([1.5, 1.5, 0.5, 1.0, 0.5, *np.full(len(pairs), DEVIATION)])
        off = (theta - first) / widths
        return float(value + 0.5 * (off**2).sum()), gradient + off / widths

    first = np.array([centre, centre, -1.4, np.log(100.0), 0.0, *np.zeros(len(pairs))])
    start = first.copy()
    if near is not None:
        at = dict(zip(near.columns, near.values.tolist(), strict=True))
        start = np.array([at.get(name, 0.0) for name in columns])
        start[2] = -np.log(0.5 / start[2] - 1)
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60, "ftol": 1e-7})
    values = best.x.copy()
    values[2] = 0.5 / (1 + np.exp(-values[2]))
    return Fit(columns, values)


def left_out(rows: Rows, metric: str) -> list[dict[str, Any]]:
    """Each campaign predicted from all others, on whole test sets; one record a pair of systems."""
    records = []
    campaign_of = np.array([name.partition(".")[0] for name in rows.names])
    for campaign in dict.fromkeys(campaign_of.tolist()):
        inside = np.flatnonzero(campaign_of == campaign).tolist()
        outside = np.flatnonzero(campaign_of != campaign).tolist()
        training, test = rows.of(outside), rows.of(inside)
        shares = fit(training).shares(test)
        whole = training.whole > 0
        base = np.average(training.y[whole], weights=training.weight[whole])
        a, b = THRESHOLDS.get(metric, (np.nan, np.nan))
        theirs = a / (1 + np.exp(-b * test.d))
        records += [
            {
                "campaign": campaign, "y": test.y[at], "share": shares[at], "base": base,
                "thresholds": theirs[at],
            }
            for at in np.flatnonzero(test.whole > 0)
        ]  # fmt: skip
    return records


def learned(rows: Rows, metric: str, draws: int) -> dict[str, Any]:
    """What meaning.json says about a metric."""
    whole = fit(rows)
    generator = np.random.default_rng(SEED)
    groups = np.unique(rows.group)
    drawn = []
    for _ in range(draws):
        one = fit(rows.of(generator.choice(groups, len(groups)).tolist()), whole)
        at = dict(zip(one.columns, one.values.tolist(), strict=True))
        drawn.append(
            [round(at.get(name, 0.0), 2 if name != "lapse" else 3) for name in whole.columns]
        )
    used = [rows.names[g] for g in groups]
    into = np.array([pair_of(name).endswith("-en") for name in rows.names])[rows.group]
    sides = {"into": into, "from": ~into, "any": np.ones(len(into), bool)}
    sides = {side: rows_ for side, rows_ in sides.items() if rows_.any()}
    if "from" not in sides:
        del sides["any"]
    scorer = named_metrics([metric], {})[metric]
    return {
        "signature": str(scorer.signature()),
        "columns": list(whole.columns),
        "fit": [round(v, 3) for v in whole.values.tolist()],
        "draws": drawn,
        "evidence": {side: _counted(rows, chosen, into) for side, chosen in sides.items()},
        "targets": sorted({pair_of(name).partition("-")[2] for name in used}),
        "languages": sorted({pair_of(name) for name in used}),
        "length": [round(min(rows.lengths)), round(max(rows.lengths))],
        "largest": {s: round(float(np.quantile(rows.d[c], 0.98)), 4) for s, c in sides.items()},
        "best": {
            side: {
                "score": round(float(rows.top[chosen & (rows.whole > 0)].max()), 4),
                "margin": round(float(np.std(rows.top[chosen & (rows.whole > 0)])) / 4, 4),
            }
            for side, chosen in sides.items()
        },
    }


def _counted(rows: Rows, chosen: Any, into: Any) -> dict[str, int]:
    whole = chosen & (rows.whole > 0)
    names = {rows.names[g].partition(".")[0] for g in np.unique(rows.group[whole])}
    return {"pairs": int(whole.sum()), "campaigns": len(names)}


def brier(records: Sequence[dict[str, Any]], key: str) -> float:
    """The mean squared error of what was said."""
    return float(np.mean([(r[key] - r["y"]) ** 2 for r in records]))


def write_tables(by_metric: dict[str, list[dict[str, Any]]]) -> str:
    """The tables of docs/research/meaning.md."""
    lines = [
        "| metric | pairs | people agree | Brier | base rate | mt-thresholds |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for metric, records in by_metric.items():
        agree = np.mean([r["y"] for r in records])
        other = f"{brier(records, 'thresholds'):.4f}" if metric in THRESHOLDS else ""
        lines.append(
            f"| {metric} | {len(records)} | {agree:.1%} | {brier(records, 'share'):.4f} | "
            f"{brier(records, 'base'):.4f} | {other} |"
        )
    tested = {record["campaign"] for records in by_metric.values() for record in records}
    campaigns = [campaign for campaign in material.CAMPAIGNS if campaign in tested]
    lines += ["", f"| metric | {' | '.join(campaigns)} |", "|---|" + "--:|" * len(campaigns)]
    for metric, records in by_metric.items():
        cells = []
        for campaign in campaigns:
            own = [r for r in records if r["campaign"] == campaign]
            text = f"{brier(own, 'share'):.3f} / {brier(own, 'base'):.3f}" if own else ""
            cells.append(text)
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    edges = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    spans = [f"{a:.0%} to {b:.0%}" for a, b in pairwise(edges)]
    lines += ["", f"| metric | {' | '.join(spans)} |", "|---|" + "--:|" * len(spans)]
    for metric, records in by_metric.items():
        cells = []
        for a, b in pairwise(edges):
            own = [r for r in records if a <= r["share"] < b]
            said, seen = (np.mean([r[k] for r in own]) if own else np.nan for k in ("share", "y"))
            cells.append(f"{said:.0%} → {seen:.0%} ({len(own)})" if own else "")
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def collect(folder: Path, metrics: Sequence[str], scored_by: str | None = None) -> None:
    """Score every group with every metric that applies to it, or with another one in its place."""
    for group in material.groups():
        for metric in metrics:
            if metric in ENGLISH and not group.pair.endswith("-en"):
                continue
            sizes = SAMPLED.get(metric, LARGE)
            if sizes is LARGE or group.campaign in sizes:
                most = sizes.get(group.campaign)
                material.collect(group, metric, folder, most, scored_by or metric)


def main() -> None:
    """Collect, fit, test, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only-fit", action="store_true")
    parser.add_argument("--metrics", nargs="+", default=list(METRICS))
    parser.add_argument(
        "--scored-by", help="a metric that scores in the place of those of --metrics"
    )
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--tables", type=Path, help="where the tables go (default: print them)")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if not asked.only_fit:
        collect(asked.folder, asked.metrics, asked.scored_by)
    results = {m: read(asked.folder, m) for m in asked.metrics}
    by_metric = {metric: left_out(rows, metric) for metric, rows in results.items()}
    tables = write_tables(by_metric)
    if asked.tables:
        asked.tables.write_text(tables, encoding="utf-8")
    else:
        print(tables)
    if asked.draws:
        facts = {m: learned(rows, m, asked.draws) for m, rows in results.items()}
        path = HOME / "src" / "cupel" / "resources" / "meaning" / "meaning.json"
        path.parent.mkdir(exist_ok=True)
        if path.exists():  # other metrics stay as they are
            kept = json.loads(path.read_text("utf-8"))["metrics"]
            facts = {m: facts.get(m, kept.get(m)) for m in {**kept, **facts}}
        body = ",\n".join(
            f'"{m}": {json.dumps(f, separators=(",", ":"))}' for m, f in facts.items()
        )
        path.write_text(f'{{"metrics": {{\n{body}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
