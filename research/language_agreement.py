"""How far metrics agree with people, per target language: the table of docs/languages.md.

    python research/language_agreement.py [PAIR ...]

For each language pair of mqm21, ted21 and bio21: tau within segments (pairs of translations of one
segment, ties of people left out) and Pearson over all translations, with the options that `-l`
chooses. Of da17, which has one translation a segment, Pearson alone. Nothing is trained.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import numpy as np

from cupel.arrays import FloatArray
from cupel.corpus import Corpus
from cupel.data.find import find
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.metrics.by_language import language_options
from cupel.registry import named_metrics
from cupel.scoring import score_corpus

CAMPAIGNS = ("mqm21", "ted21", "bio21")
METRICS = ("bleu:effective_order=yes", "chrf", "chrf++", "ter", "meteor")
LEAST_PAIRS = 200


def tau_within(scores: FloatArray, people: FloatArray) -> tuple[float, int]:
    """(systems, segments) twice -> concordant minus discordant pairs, per pair that people order."""
    better = np.sign(people[:, None] - people[None])  # (systems, systems, segments)
    agree = better * np.sign(scores[:, None] - scores[None])
    counted = np.isfinite(better) & (better > 0)
    return float(agree[counted].sum() / max(counted.sum(), 1)), int(counted.sum())


def rows(campaign: str, pair: str) -> str | None:
    """A row of the table, or None where people ordered too few pairs."""
    data = read_evalset(find(campaign), pair)
    grades = next(one for one in data.human.values() if one.segment_scores)
    systems = [s for s in data.corpus.systems if s in grades.segment_scores]
    systems = [s for s in systems if s not in data.references]
    people = np.asarray(grades.matrix(systems))
    if tau_within(people, people)[1] < LEAST_PAIRS:
        return None
    metrics = named_metrics(METRICS, language_options(METRICS, pair))
    scores = score_corpus(data.corpus, metrics)
    cells = []
    for label, metric in scores.metrics.items():
        every = metric.segment_scores(scores.statistics[label])
        of = [list(data.corpus.systems).index(s) for s in systems]
        values = every[of] * (1 if metric.higher_is_better else -1)
        given = np.isfinite(people)
        r = np.corrcoef(values[given], people[given])[0, 1]
        cells.append(f"{tau_within(values, people)[0]:.3f} / {r:.3f}")
    return f"| {campaign} {pair} | {len(systems)} | " + " | ".join(cells) + " |"


def single_rows(asked: list[str]) -> Iterator[str]:
    """Rows of da17, whose translations are of different segments."""
    for path in sorted(find("da17").glob("*.jsonl")):
        if asked and path.stem not in asked:
            continue
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        corpus = Corpus(
            {"x": [line["hypothesis"] for line in lines]}, [line["reference"] for line in lines]
        )
        people = np.array([line["score"] for line in lines])
        scores = score_corpus(corpus, named_metrics(METRICS, language_options(METRICS, path.stem)))
        cells = []
        for label, metric in scores.metrics.items():
            values = metric.segment_scores(scores.statistics[label])[0]
            sign = 1 if metric.higher_is_better else -1
            cells.append(f"- / {sign * np.corrcoef(values, people)[0, 1]:.3f}")
        yield f"| da17 {path.stem} | {len(lines)} segments | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table in Markdown."""
    asked = sys.argv[1:]
    print("| campaign | systems | " + " | ".join(m.partition(":")[0] for m in METRICS) + " |")
    print("|---|---|" + "---|" * len(METRICS))
    for campaign in CAMPAIGNS:
        for pair in evalset_pairs(find(campaign)):
            if (not asked or pair in asked) and (row := rows(campaign, pair)):
                print(row, flush=True)
    for row in single_rows(asked):
        print(row, flush=True)


if __name__ == "__main__":
    main()
