"""A campaign folder of real texts, questions about it, and mt-metrics-eval's answers.

The folder is called wmt22 and has three of its language pairs, so that WMT's standard references,
outliers and primary submissions apply; its texts and judgments are those of mqm21, ted21 and bio21,
its stored scores Cupel's. There are gaps, ties, a metric that is constant on many segments, a human
translation among the systems, an outlier, documents and domains.

    MT_METRICS_EVAL=CLONE python tests/oracles/mtme_campaign.py

writes the answers of a clone of google-research/mt-metrics-eval to recorded_campaign.json.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mtme_oracle import load

from cupel.data import find
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.meta.campaign import evaluate

PACKS = {"en-de": "mqm21", "zh-en": "ted21", "en-ru": "bio21"}
SEGMENTS = 48
OUTLIER = "M2M100_1.2B-B4"  # WMT22's own, for en-de
RECORD = Path(__file__).with_name("recorded_campaign.json")
STATISTICS: dict[str, tuple[str, dict[str, Any]]] = {
    "pearson": ("pearsonr", {}),
    "spearman": ("spearmanr", {}),
    "tau-b": ("kendalltau", {}),
    "tau-c": ("kendalltau", {"variant": "c"}),
    "acc-eq": ("KendallWithTiesOpt", {"sample_rate": 1.0}),
    "tau-eq": ("KendallWithTiesOpt", {"sample_rate": 1.0, "variant": "23"}),
}
TASK_WEIGHTS = [0.4, 0.3, 0.2, 0.1]
TASK_FILE = """
[[tasks]]
pairs = ["en-de", "en-ru", "zh-en"]
level = "system"
statistic = "accuracy"
compare = "perm-both"
permutations = 150
weight = 4
[[tasks]]
pair = "en-ru"
statistic = "pearson"
compare = "perm-both"
permutations = 150
weight = 3
[[tasks]]
pair = "zh-en"
statistic = "pearson"
compare = "perm-both"
permutations = 70
weight = 2
[[tasks]]
pair = "en-ru"
statistic = "acc-eq"
average = "item"
compare = "perm-pair-diff"
permutations = 30
weight = 1
"""
"""The same four tasks as a file of Cupel's."""
SEED = 1
LEVELS = {"segment": "seg", "document": "doc", "domain": "domain", "system": "sys"}


@dataclass(frozen=True)
class Question:
    """One run of either program; permutations 0: without a test."""

    pair: str
    statistic: str
    level: str = "segment"
    average: str = "none"
    domain: str | None = None
    gold: str = "mqm"
    human: bool = False
    outliers: bool = False
    reference: str | None = None
    primary: bool = False
    permutations: int = 0
    test: str = "perm-both"

    @property
    def name(self) -> str:
        """Its key in the record."""
        return " ".join(str(value) for value in vars(self).values())


def questions() -> list[Question]:
    """Every level, statistic and average, gaps, references, systems, tests."""
    asked = [
        Question(pair, statistic, average=average, gold=gold)
        for pair, gold in (("en-de", "mqm"), ("zh-en", "sparse"))
        for statistic in STATISTICS
        for average in ("none", "item", "sys")
    ]
    asked += [
        Question("en-de", statistic, level, human=human, outliers=outliers)
        for statistic in ("pearson", "tau-b")
        for level in ("system", "document", "domain")
        for human, outliers in ((False, False), (True, False), (True, True))
    ]
    asked += [Question("zh-en", "pearson", level, domain="social") for level in LEVELS]
    asked += [
        Question("en-de", "pearson", reference="refC", human=True),
        Question("en-de", "pearson", primary=True),
        Question("zh-en", "spa", "system"),
        Question("en-ru", "spa", "system", gold="dense"),
        Question("zh-en", "accuracy", "system"),
        Question("en-de,en-ru,zh-en", "accuracy", "system"),
    ]
    asked += [
        Question("en-ru", "pearson", permutations=300),
        Question("en-ru", "pearson", average="item", permutations=20, gold="sparse"),
        Question("en-ru", "tau-b", average="sys", permutations=60, gold="sparse"),
        Question("en-ru", "spearman", "system", permutations=200),
        Question("en-ru", "acc-eq", average="item", permutations=30, test="perm-pair-diff"),
        Question("en-ru", "spa", "system", permutations=20),
        Question("en-de,en-ru,zh-en", "accuracy", "system", permutations=200),
    ]
    return asked


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def build(folder: Path) -> Path:
    """The campaign folder; a dataset that is not here is an error (MissingPart)."""
    for pair, pack in PACKS.items():
        _texts(folder, find(pack), pair)
    evaluate(
        str(folder), ["bleu", "chrf", "ter", "wer"], pairs=list(PACKS), resamples=0,
        write_scores=folder,
    )  # fmt: skip
    for pair in PACKS:
        _stored(folder / "metric-scores" / pair)
        for gold in ("mqm", "sparse", "dense"):
            _means(folder, pair, gold)
    return folder


def _texts(folder: Path, home: Path, pair: str) -> None:
    """The judged segments that come first, with all texts, documents of eight, two domains."""
    source = read_evalset(home, pair)
    scores = source.human["mqm"]
    judged = np.flatnonzero(~np.isnan(scores.matrix(list(source.corpus.systems))).any(axis=0))
    kept = judged[:SEGMENTS]
    texts = {name: [lines[at] for at in kept] for name, lines in source.corpus.systems.items()}
    grades = {name: scores.segment_scores[name][kept] for name in texts}
    references = {name: [lines[at] for at in kept] for name, lines in source.references.items()}
    if pair == "en-de":
        texts[OUTLIER], grades[OUTLIER] = texts.pop("UEdin")[::-1], grades.pop("UEdin") - 20
        texts["refC"], grades["refC"] = references["refC"], grades["Online-W"] * 0.5
    texts["unjudged"] = next(iter(texts.values()))
    assert source.corpus.sources is not None
    write(folder / f"sources/{pair}.txt", [source.corpus.sources[at] for at in kept])
    for name, lines in references.items():
        write(folder / f"references/{pair}.{name}.txt", lines)
    for name, lines in texts.items():
        write(folder / f"system-outputs/{pair}/{name}.txt", lines)
    half = len(kept) // 16 * 8
    write(
        folder / f"documents/{pair}.docs",
        [f"{'news' if at < half else 'social'} doc{at // 8}" for at in range(len(kept))],
    )
    generator = np.random.default_rng(len(pair + home.name))
    holes = {name: generator.random(len(kept)) < 0.35 for name in grades}
    for gold in ("mqm", "sparse", "dense"):
        cells = {
            name: ["None" if gold == "sparse" and hole else repr(float(g)) for g, hole in
                   zip(grades[name], holes[name], strict=True)]
            for name in grades
        }  # fmt: skip
        lines = [f"{name}\t{cell}" for name, column in cells.items() for cell in column]
        lines += ["unjudged\tNone"] * len(kept)
        write(folder / f"human-scores/{pair}.{gold}.seg.score", lines)


def _stored(home: Path) -> None:
    """More metrics from those of Cupel: with ties, constant on most segments, without reference."""
    names = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER", "wer": "WER"}
    for path in sorted(home.glob("*-refA.*.score")):
        metric, rest = path.name.split("-", 1)
        path.rename(home / f"{names[metric]}-{rest}")
    for path in sorted(home.glob("chrF-refA.*.score")):
        lines = [line.rsplit("\t", 1) for line in path.read_text().splitlines()]
        rest = path.name.removeprefix("chrF-refA")
        write(home / f"tied-refA{rest}", [f"{a}\t{round(float(s) / 8) * 8.0}" for a, s in lines])
        write(home / f"few-src{rest}", [f"{a}\t{float(float(s) > 85)}" for a, s in lines])
        write(home / f"QE-src{rest}", [f"{a}\t{(float(s) * 7919) % 13}" for a, s in lines])


def _means(folder: Path, pair: str, gold: str) -> None:
    """Files of documents, domains and systems, from the segments."""
    campaign = read_evalset(folder, pair, stored=[])
    systems = [name for name in campaign.human[gold].segment_scores if name != "unjudged"]
    shown = campaign.human[gold].segment_scores
    for level in ("document", "domain", "system"):
        lines = []
        for system in systems:
            for item, segments in campaign.groups[level].items():
                row = shown[system][segments]
                row = row[~np.isnan(row)]
                prefix = f"{item}\t" if level == "domain" else ""
                lines.append(f"{prefix}{system}\t{repr(float(row.mean())) if len(row) else None}")
        write(folder / f"human-scores/{pair}.{gold}.{LEVELS[level]}.score", lines)


def clone() -> Path | None:
    """The clone of mt-metrics-eval that MT_METRICS_EVAL names, if any."""
    path = os.environ.get("MT_METRICS_EVAL")
    return Path(path) if path else None


class Oracle:
    """mt-metrics-eval on the folder. Its systems are in our order, as sets have none."""

    def __init__(self, folder: Path, path: Path) -> None:
        self.mtme = load(path)
        from mt_metrics_eval import meta_info  # type: ignore[import-not-found]

        self.folder = folder
        self.sets: dict[str, Any] = {}
        original = self.mtme.data.EvalSet

        class Ordered(original):  # type: ignore[misc, valid-type]
            def Correlation(  # noqa: N802
                self, gold_scores: Any, metric_scores: Any, sys_names: Any = None
            ) -> Any:
                gold, metric = [], []
                names = [n for n in sorted(self.sys_names) if n in sys_names]
                for name in names:
                    gold.extend(gold_scores[name])
                    metric.extend(metric_scores[name])
                return mtme.stats.Correlation(len(names), gold, metric)

        mtme = self.mtme
        for pair in evalset_pairs(folder):
            info = meta_info.DATA["wmt22"][pair]
            self.sets[pair] = Ordered(
                folder.name, pair, True, info=info, path=str(folder.parent), strict=False
            )

    def answer(self, asked: Question, seed: int) -> dict[str, Any]:
        """metric -> [value, rank], and p-values in order of the metrics."""
        import scipy.stats

        data, stats = self.mtme.data, self.mtme.stats
        psd = stats.PermutationSigDiffParams(100, 0.02, 0.5)
        np.random.seed(seed)  # noqa: NPY002 it is what the oracle draws from
        if asked.statistic == "accuracy":
            pairs = asked.pair.split(",")
            result = data.CompareMetricsWithGlobalAccuracy(
                [self.sets[pair] for pair in pairs], [{"refA"}] * len(pairs), [set()] * len(pairs),
                asked.human, asked.outliers, asked.gold, asked.primary, asked.domain,
                asked.permutations, psd,
            )  # fmt: skip
            return self._plain(result)
        level = "seg" if asked.statistic == "spa" else LEVELS[asked.level]
        corrs = data.GetCorrelations(
            self.sets[asked.pair], level, {asked.reference or "refA"}, set(), asked.human,
            asked.outliers, asked.gold, asked.primary, asked.domain, metric_format="spreadsheet",
        )  # fmt: skip
        if asked.statistic == "spa":
            return self._plain(
                data.CompareMetricsWithPairwiseConfidenceError(corrs, asked.permutations, psd)
            )
        name, options = STATISTICS[asked.statistic]
        function = getattr(scipy.stats, name, None) or getattr(stats, name)
        return self._plain(
            data.CompareMetrics(
                corrs,
                function,
                asked.average,
                asked.permutations,
                psd,
                perm_test="pairs" if asked.test == "perm-pair-diff" else "scores",
                **options,
            )
        )

    def _plain(self, result: Any) -> dict[str, Any]:
        corrs, matrix, _, _ = result
        metrics = {m: [float(value), int(rank)] for m, (value, rank) in corrs.items()}
        return {"metrics": metrics, "p": [[float(p) for p in row] for row in matrix]}

    def tasks(self, seed: int) -> dict[str, Any]:
        """Four tasks with weights: the average with its p-values, and the mean ranks."""
        tasks, results = self.mtme.tasks, self.mtme.tasks.TaskSetResults([])
        common: dict[str, Any] = {"test_set": "wmt22", "primary": False, "human": False}
        held = {("wmt22", pair): evalset for pair, evalset in self.sets.items()}
        for options in (
            {"lang": "en-de,en-ru,zh-en", "level": "sys", "corr_fcn": "accuracy", "k": 150},
            {"lang": "en-ru", "level": "seg", "corr_fcn": "pearson", "k": 150},
            {"lang": "zh-en", "level": "seg", "corr_fcn": "pearson", "k": 70},
            {"lang": "en-ru", "level": "seg", "corr_fcn": "KendallWithTiesOpt", "k": 30,
             "avg_by": "item", "perm_test": "pairs", "corr_fcn_args": {"sample_rate": 1.0}},
        ):  # fmt: skip
            np.random.seed(seed)  # noqa: NPY002
            results.Append(tasks.Task(**common, **options).Run(held))
        corrs, matrix = results.AverageCorrMatrix(TASK_WEIGHTS)
        plain = self._plain((corrs, matrix, None, None))
        return {**plain, "mean_ranks": results.AverageRanks(TASK_WEIGHTS)}

    def wmt22(self) -> dict[str, float]:
        """The mean ranks of the tasks of WMT22 without tests, weighted as its notebook does."""
        tasks = self.mtme.tasks
        common: dict[str, Any] = {"test_set": "wmt22", "primary": False, "k": 0}
        listed = [
            {"lang": "en-de,en-ru,zh-en", "level": "sys", "corr_fcn": "accuracy", "human": False}
        ]
        for pair in ("en-de", "en-ru", "zh-en"):
            for domain in (None, "news", "social"):
                for level, average in (
                    ("sys", "none"),
                    ("seg", "none"),
                    ("seg", "sys"),
                    ("seg", "item"),
                ):
                    for human in (False,) if pair == "en-ru" else (True, False):
                        listed += [
                            {"lang": pair, "domain": domain, "level": level, "avg_by": average,
                             "human": human, "corr_fcn": name}
                            for name in ("pearson", "kendall")
                        ]  # fmt: skip
        held = {("wmt22", pair): evalset for pair, evalset in self.sets.items()}
        results = tasks.TaskSetResults([tasks.Task(**common, **one).Run(held) for one in listed])
        weights = results.AssignWeights(["lang", "domain", "level", "human", "avg_by", "corr_fcn"])
        ranks: dict[str, float] = results.AverageRanks(weights)
        return ranks


def record(folder: Path, path: Path) -> None:
    """Write what the oracle answers."""
    oracle = Oracle(build(folder / "wmt22"), path)
    answers = {asked.name: oracle.answer(asked, SEED) for asked in questions()}
    answers["tasks"] = oracle.tasks(SEED)
    answers["wmt22"] = oracle.wmt22()
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as temporary:
        named = clone()
        assert named is not None, "MT_METRICS_EVAL must name a clone of mt-metrics-eval"
        record(Path(temporary), named)
