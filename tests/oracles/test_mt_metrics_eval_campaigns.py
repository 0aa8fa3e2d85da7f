"""Campaign folders from end to end against mt-metrics-eval: every value, p-value and rank.

What it answered is recorded; where MT_METRICS_EVAL names a clone, it is asked again.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mtme_campaign import RECORD, SEED, TASK_FILE, Oracle, Question, build, clone, questions
from mtme_oracle import load

from cupel.errors import MissingPart
from cupel.meta.campaign import evaluate
from cupel.meta.ranking import Ranking
from cupel.meta.task_results import evaluate_tasks
from cupel.meta.tasks import TaskSet, read_tasks
from cupel.questions.judge import Judge

RECORDED: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return build(tmp_path_factory.mktemp("campaign") / "wmt22")
    except MissingPart as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def oracle(folder: Path) -> Oracle:
    path = clone()
    if path is None:
        pytest.skip("MT_METRICS_EVAL names no clone of google-research/mt-metrics-eval")
    return Oracle(folder, path)


def plain(ranking: Ranking) -> dict[str, Any]:
    columns = zip(ranking.names, ranking.values, ranking.ranks, strict=True)
    return {"metrics": {n: [v, r] for n, v, r in columns}, "p": ranking.p_values.tolist()}


def ours(folder: Path, asked: Question) -> dict[str, Any]:
    if "," in asked.pair:
        task = Judge.of(
            {
                "dataset": "",
                "pairs": asked.pair.split(","),
                "level": asked.level,
                "human": asked.gold,
            }
            | {"statistic": asked.statistic, "compare": asked.test}
            | {"permutations": asked.permutations}
        )
        tasks = TaskSet("one", (task,))
        result = evaluate_tasks(str(folder), tasks=tasks, stored="all", like_mtme=True, seed=SEED)
        return plain(result.rankings[0])
    evaluation = evaluate(
        str(folder),
        pairs=[asked.pair],
        stored="all",
        level=asked.level,
        statistic=asked.statistic,
        average=asked.average,
        domain=asked.domain,
        human=asked.gold,
        include_human=asked.human,
        include_outliers=asked.outliers,
        reference=asked.reference or (),
        primary=asked.primary,
        compare=asked.test if asked.permutations else None,
        permutations=asked.permutations,
        resamples=0,
        like_mtme=True,
        seed=SEED,
    )
    if asked.permutations:
        return plain(evaluation.rankings[asked.pair])
    values = {a.metric: [a.value, 0] for a in evaluation.agreements if a.pair == asked.pair}
    return {"metrics": values, "p": []}


def check(expected: dict[str, Any], actual: dict[str, Any], tested: bool, exact: bool) -> None:
    """Values to 1e-12; of tests also the order, ranks and p-values.

    Recorded soft accuracies depend on how the machine of the record rounds in single precision.
    """
    close = 1e-12 if exact else 0.005
    assert set(actual["metrics"]) == set(expected["metrics"])
    for metric, (value, _) in expected["metrics"].items():
        assert actual["metrics"][metric][0] == pytest.approx(value, abs=close), metric
    if tested:
        upper = np.triu_indices(len(expected["p"]), 1)
        difference = np.abs(np.array(expected["p"]) - np.array(actual["p"]))[upper]
        assert difference.max() <= (1e-12 if exact else 0.1)
    if tested and exact:
        assert list(actual["metrics"]) == list(expected["metrics"])
        ranks = [rank for _, rank in expected["metrics"].values()]
        assert [rank for _, rank in actual["metrics"].values()] == ranks


@pytest.mark.parametrize("asked", questions(), ids=lambda asked: asked.name.replace(" ", "-"))
def test_as_recorded(folder: Path, asked: Question) -> None:
    exact = asked.statistic != "spa"
    check(RECORDED[asked.name], ours(folder, asked), bool(asked.permutations), exact)


def test_tasks_as_recorded(folder: Path, tmp_path: Path) -> None:
    check_tasks(RECORDED["tasks"], folder, tmp_path)


def check_tasks(expected: dict[str, Any], folder: Path, place: Path) -> None:
    (place / "tasks.toml").write_text(TASK_FILE)
    result = evaluate_tasks(
        str(folder), tasks=place / "tasks.toml", stored="all", like_mtme=True, seed=SEED
    )
    check(expected, plain(result.average), tested=True, exact=True)
    assert list(result.mean_ranks) == list(expected["mean_ranks"])
    assert result.mean_ranks == pytest.approx(expected["mean_ranks"], abs=1e-12)


def wmt22_ranks(folder: Path) -> dict[str, float]:
    """All tasks of WMT22, of stored metrics that are no primary submissions too."""
    tasks = read_tasks("wmt22")
    every = replace(tasks, tasks=tuple(replace(task, primary=False) for task in tasks.tasks))
    result = evaluate_tasks(str(folder), tasks=every, stored="all", permutations=0, like_mtme=True)
    assert len(result.tasks) == 1 + (2 * 2 + 1) * 3 * 4 * 2
    assert result.by == "rank"
    return dict(result.mean_ranks)


def test_wmt22_as_recorded(folder: Path) -> None:
    assert wmt22_ranks(folder) == pytest.approx(RECORDED["wmt22"], abs=1e-12)


def test_wmt22_as_the_oracle_answers(folder: Path, oracle: Oracle) -> None:
    assert wmt22_ranks(folder) == pytest.approx(oracle.wmt22(), abs=1e-12)


@pytest.mark.parametrize("asked", questions(), ids=lambda asked: asked.name.replace(" ", "-"))
def test_as_the_oracle_answers(folder: Path, oracle: Oracle, asked: Question) -> None:
    check(oracle.answer(asked, SEED), ours(folder, asked), bool(asked.permutations), exact=True)


def test_tasks_as_the_oracle_answers(folder: Path, oracle: Oracle, tmp_path: Path) -> None:
    check_tasks(oracle.tasks(SEED), folder, tmp_path)


@pytest.mark.parametrize(("year", "name"), [("WMT23", "wmt23"), ("WMT24", "wmt24")])
def test_included_tasks_are_those_of_the_oracle(year: str, name: str) -> None:
    path = clone()
    if path is None:
        pytest.skip("MT_METRICS_EVAL names no clone of google-research/mt-metrics-eval")
    theirs, weights = getattr(load(path).tasks, year)()
    names = {"KendallWithTiesOpt": "acc-eq", "pce": "spa"}
    levels = {"sys": "system", "seg": "segment"}
    tests = {"scores": "perm-both", "pairs": "perm-pair-diff"}
    expected = {
        (
            task.lang,
            levels[task.level],
            names.get(task.corr_fcn, task.corr_fcn),
            task.human,
            task.avg_by,
            tests[task.perm_test],
            task.primary,
            round(weight, 12),
        )
        for task, weight in zip(theirs, weights, strict=True)
    }
    tasks = read_tasks(name)
    actual = {
        (
            ",".join(task.pairs),
            task.level,
            task.statistic,
            task.include_human,
            task.average or "none",
            task.compare,
            task.primary,
            round(share, 12),
        )
        for task, share in zip(tasks.tasks, tasks.shares(), strict=True)
    }
    assert actual == expected
    assert len(actual) == len(theirs)
