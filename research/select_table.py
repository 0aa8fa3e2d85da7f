"""Measure ways to select segments: how much is known after 50, 100, 200 and 400 judged segments.

    python research/select_table.py -o docs/research/select.json

Needs the datasets mqm21, ted21, bio21 and wmt14, and for the rows of subset2evaluate that package
(`pip install --no-deps subset2evaluate`; its methods that need other models are not run). The truth is
what all judged segments of a campaign say. In each of REPLICATES, the methods choose from a random 80%
of them, so that methods without chance are measured more than once. What is known:

    systems   share of the pairs of systems that the selected segments put in the same order
    metrics   the same for pairs of the eight metrics of METRICS, by Pearson's r (tau of wmt14) with people
    regret    how much worse, by all judgments, the metric is that seems best on the selected segments

The default method is chosen by leaving one campaign out: of the three others, the method whose gain over
random is largest where it is smallest, by the mean of systems and metrics over all budgets; reported on the
fourth. Taking the largest mean gain instead overfits: see docs/research/select.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cupel.corpus import Corpus
from cupel.data.find import find
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.human.rankings import Rankings, ranked_corpus, wmt_rankings
from cupel.human.tasks.selection import UTILITIES, Evidence, order, utility
from cupel.meta.scorer import Scorer
from cupel.meta.selecting import DEFAULT_METRICS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
METRICS = (*DEFAULT_METRICS, "chrf++", "rouge-l", "cder", "per", "wer")
GRADED = ("ted21", "mqm21", "bio21")
BUDGETS = (50, 100, 200, 400)
REPLICATES = 20
MEASURES = ("systems", "metrics", "regret")
PEER = "subset2evaluate "
THIRD = ("disagreement", "variance", "close", "diversity")
"""What is combined with `typical` and `content`."""
ADVISED = (
    "disagreement+typical+content, drawn",
    "disagreement+typical+content, top",
    "typical+content, top",
    "consistency+content, drawn",
)
"""The methods that are compared with each of theirs; the first is the default."""


@dataclass(frozen=True)
class Part:
    """A language pair of a campaign: scores of metrics, and what people say of any of its segments.

    verdict(segments) -> scores of systems, values of metrics.
    """

    campaign: str
    pair: str
    evidence: Evidence
    verdict: Callable[[Ints], tuple[Floats, Floats]]

    def known(self, segments: Ints, truth: tuple[Floats, Floats]) -> tuple[float, float, float]:
        """The three measures."""
        systems, metrics = self.verdict(segments)
        regret = truth[1].max() - truth[1][int(metrics.argmax())]
        return _same_order(truth[0], systems), _same_order(truth[1], metrics), float(regret)


def _same_order(truth: Floats, values: Floats) -> float:
    first, second = np.triu_indices(len(truth), 1)
    right, ours = truth[first] - truth[second], values[first] - values[second]
    agree = np.where(ours == 0, 0.5, np.sign(right) == np.sign(ours))
    return float(agree[right != 0].mean())


def graded_part(campaign: str, pair: str) -> Part | None:
    """A pair whose segments have scores; None where there are fewer than three systems."""
    data = read_evalset(find(campaign), pair)
    systems = list(data.corpus.systems)
    if len(systems) < 3:
        return None
    people = data.table(data.human["mqm"], "segment", systems)
    judged = np.flatnonzero(np.isfinite(people).mean(0) >= 0.5)
    people = people[:, judged]
    evidence, scores = _evidence(data.corpus, judged)

    def verdict(segments: Ints) -> tuple[Floats, Floats]:
        given = people[:, segments]
        there = np.isfinite(given)
        means = np.where(there, given, 0).sum(1) / np.maximum(there.sum(1), 1)
        x = scores[:, :, segments][:, there]
        y = given[there] - given[there].mean()
        x = x - x.mean(1, keepdims=True)
        spread = np.sqrt((x * x).sum(1) * (y * y).sum())
        r = np.divide((x * y).sum(1), spread, out=np.zeros(len(x)), where=spread > 0)
        return means, np.asarray(r)

    return Part(campaign, pair, evidence, verdict)


def ranked_part(campaign: str, rankings: Rankings) -> Part:
    """A pair whose segments have rankings: expected wins of systems, tau of metrics."""
    corpus = ranked_corpus(campaign, rankings)
    judged = np.unique(rankings.segments)
    place = {int(segment): at for at, segment in enumerate(judged)}
    pairs = rankings.pairs()
    at = np.array([place[int(segment)] for segment in pairs.segment])
    count = len(rankings.systems)
    wins = np.zeros((len(judged), count, count))
    np.add.at(wins, (at, pairs.better, pairs.worse), 1)
    evidence, scores = _evidence(corpus, judged)
    agreeing = np.zeros((len(scores), len(judged)))
    for metric, table in enumerate(scores):
        signs = np.sign(table[pairs.better, at] - table[pairs.worse, at])
        np.add.at(agreeing[metric], at, np.where(signs > 0, 1, -1))
    compared = np.bincount(at, minlength=len(judged))

    def verdict(segments: Ints) -> tuple[Floats, Floats]:
        total = wins[segments].sum(0)
        won, lost = total.sum(1), total.sum(0)
        share = np.divide(won, won + lost, out=np.full(count, 0.5), where=won + lost > 0)
        return share, agreeing[:, segments].sum(1) / max(int(compared[segments].sum()), 1)

    return Part(campaign, rankings.pair, evidence, verdict)


def _evidence(corpus: Corpus, judged: Ints) -> tuple[Evidence, Floats]:
    """What the methods see (the default metrics only), and the scores of all metrics."""
    tables = Scorer(METRICS)(corpus)
    scores = np.stack([tables[name].segments for name in METRICS])[:, :, judged]
    texts = [[outputs[at] for outputs in corpus.systems.values()] for at in judged]
    sources = corpus.sources or [""] * len(corpus)
    seen = scores[: len(DEFAULT_METRICS)]
    return Evidence(seen, texts, [sources[at] for at in judged]), scores


def parts() -> Iterator[Part]:
    """All language pairs with three systems or more."""
    for campaign in GRADED:
        for pair in evalset_pairs(find(campaign)):
            if (part := graded_part(campaign, pair)) is not None:
                yield part
    for pair, rankings in wmt_rankings("wmt14").items():
        if pair.endswith("-en"):
            yield ranked_part("wmt14", rankings)


def our_methods() -> list[tuple[str, tuple[str, ...], bool]]:
    """(name, methods, draw): each alone, each two and some three together, drawn or the best of them."""
    singles = [(name,) for name in UTILITIES]
    threes = [(name, "typical", "content") for name in THIRD]
    sets: list[tuple[str, ...]] = [*singles, *combinations(UTILITIES, 2), *threes]
    methods: list[tuple[str, tuple[str, ...], bool]] = [("random", ("random",), True)]
    for names in sets:
        methods += [
            ("+".join(names) + (", drawn" if draw else ", top"), names, draw)
            for draw in (True, False)
        ]
    return methods


def their_utilities(part: Part) -> dict[str, Floats]:
    """subset2evaluate's methods that need no model; {} where the package is not installed."""
    try:
        from subset2evaluate import methods  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return {}
    mean = part.evidence.standardized.mean(0)
    names = [f"s{number}" for number in range(len(mean))]
    data = [
        {
            "i": at,
            "src": part.evidence.sources[at],
            "tgt": dict(zip(names, part.evidence.translations[at], strict=True)),
            "scores": {name: {"metric": mean[row, at]} for row, name in enumerate(names)},
        }
        for at in range(len(part.evidence))
    ]
    calls: dict[str, dict[str, Any]] = {
        "metric_avg": {"metric": "metric"},
        "metric_var": {"metric": "metric"},
        "metric_cons": {"metric": "metric"},
        "diversity": {"metric": "unigram"},
        "diversity, BLEU": {"metric": "bleu"},
    }
    return {
        f"{PEER}{name}": np.array(methods.METHODS[name.split(",")[0]](data, **options), float)
        for name, options in calls.items()
    }


def measure(part: Part) -> dict[str, dict[int, list[tuple[float, float, float]]]]:
    """method -> budget -> the three measures in each replicate."""
    count = len(part.evidence)
    truth = part.verdict(np.arange(count))
    ours = [(name, utility(part.evidence, names), draw) for name, names, draw in our_methods()]
    theirs = [(name, values, False) for name, values in their_utilities(part).items()]
    results: dict[str, dict[int, list[tuple[float, float, float]]]] = {}
    for replicate in range(REPLICATES):
        pool = np.random.default_rng([replicate, 7]).permutation(count)[: int(0.8 * count)]
        for name, values, draw in [*ours, *theirs]:
            ranked = pool[order(values[pool], replicate, draw=draw)]
            for budget in BUDGETS:
                if budget < len(pool):
                    known = part.known(ranked[:budget], truth)
                    results.setdefault(name, {}).setdefault(budget, []).append(known)
    return results


Measured = tuple[Part, dict[str, dict[int, list[tuple[float, float, float]]]]]


def averaged(results: Sequence[Measured]) -> list[dict[str, Any]]:
    """Flat rows: campaign, method, budget and the measures, as means over its language pairs."""
    rows = []
    for campaign in (*GRADED, "wmt14"):
        own = [values for part, values in results if part.campaign == campaign]
        for method in own[0]:
            for budget in BUDGETS:
                there = [v[method][budget] for v in own if budget in v.get(method, {})]
                if there:
                    means = np.mean([np.mean(one, axis=0) for one in there], axis=0)
                    row = dict(zip(MEASURES, map(float, means), strict=True))
                    rows.append(
                        {
                            "campaign": campaign,
                            "pairs": len(there),
                            "method": method,
                            "budget": budget,
                            **row,
                        }
                    )
    return rows


def paired(results: Sequence[Measured]) -> list[dict[str, Any]]:
    """Flat rows: each of the ADVISED methods less each of theirs, in each cell of the table.

    The unit is the language pair, whose replicates are averaged first: gain is the mean over campaigns of the
    means over pairs, as in the table; error its standard error.
    """
    theirs = [name for name in results[0][1] if name.startswith(PEER)]
    return [
        {"method": ours, "against": other, "budget": budget, "measure": measure}
        | _difference(results, ours, other, budget, at)
        for ours in ADVISED
        for other in theirs
        for budget in BUDGETS
        for at, measure in enumerate(MEASURES[:2])
    ]


def _difference(
    results: Sequence[Measured], ours: str, other: str, budget: int, at: int
) -> dict[str, float]:
    """Mean and standard error of the gain over language pairs; a campaign counts as one."""
    means, variances = [], []
    for campaign in (*GRADED, "wmt14"):
        gains = [
            float(
                np.mean(
                    [a[at] - b[at] for a, b in zip(v[ours][budget], v[other][budget], strict=True)]
                )
            )
            for part, v in results
            if part.campaign == campaign and budget in v[ours]
        ]
        if gains:
            means.append(np.mean(gains))
            variances.append(np.var(gains, ddof=1) / len(gains))
    return {"gain": float(np.mean(means)), "error": float(np.sqrt(np.sum(variances)) / len(means))}


def overall(rows: Sequence[dict[str, Any]], method: str, campaigns: Sequence[str]) -> float:
    """The mean of systems and metrics over campaigns and budgets: what methods are chosen by."""
    values = [
        (row["systems"] + row["metrics"]) / 2
        for row in rows
        if row["method"] == method and row["campaign"] in campaigns
    ]
    return float(np.mean(values))


def worst_gain(rows: Sequence[dict[str, Any]], method: str, campaigns: Sequence[str]) -> float:
    """The gain over random in the campaign where it is smallest."""
    return min(overall(rows, method, [c]) - overall(rows, "random", [c]) for c in campaigns)


def left_out(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each campaign the method that the others choose, and what it gives here; last, all four."""
    # Only methods that draw: those that take the top depend on few segments, and do not carry over.
    ours = [name for name, _, draw in our_methods() if draw]
    campaigns = (*GRADED, "wmt14")
    answers = []
    for campaign in (*campaigns, ""):
        others = [one for one in campaigns if one != campaign]
        best = max(ours, key=lambda name: worst_gain(rows, name, others))
        here = [campaign] if campaign else others
        answers.append(
            {
                "left out": campaign or None,
                "chosen": best,
                "worst gain on the others": worst_gain(rows, best, others),
                "here": overall(rows, best, here),
                "random here": overall(rows, "random", here),
            }
        )
    return answers


def main() -> None:
    """Write all rows, and print what leaving one campaign out chooses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    path = parser.parse_args().output
    results: list[Measured] = []
    for part in parts():
        results.append((part, measure(part)))
        print(part.campaign, part.pair, len(part.evidence), flush=True)
    rows = averaged(results)
    chosen = left_out(rows)
    document = {"left out": chosen, "against others": paired(results), "rows": rows}
    path.write_text(json.dumps(document, indent=1) + "\n")
    for answer in chosen:
        print(answer)


if __name__ == "__main__":
    main()
