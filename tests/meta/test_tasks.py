"""Task files, WMT's own among them, and the weighted average of their tasks."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from small_campaign import build

from cupel.cli import main
from cupel.errors import CupelError
from cupel.meta.ranking import Ranking
from cupel.meta.task_results import TaskEvaluation, evaluate_tasks
from cupel.meta.tasks import TaskSet, read_tasks, task_name
from cupel.questions.judge import Judge

FILE = """
name = "ours"
compare = "perm-both"
permutations = 40
[[tasks]]
pairs = ["aa-bb", "cc-dd"]
level = "system"
statistic = "accuracy"
weight = 2
[[tasks]]
pair = ["aa-bb", "cc-dd"]
statistic = ["pearson", "acc-eq"]
weight = 0.5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build(build(tmp_path / "campaign"), "cc-dd")


@pytest.fixture
def result(folder: Path, tmp_path: Path) -> TaskEvaluation:
    path = tmp_path / "tasks.toml"
    path.write_text(FILE)
    return evaluate_tasks(str(folder), ["chrf", "wer"], tasks=path, stored="all")


def test_the_average_is_weighted(result: TaskEvaluation) -> None:
    assert [task_name(task) for task in result.tasks] == [
        "aa-bb,cc-dd system accuracy", "aa-bb segment pearson", "aa-bb segment acc-eq",
        "cc-dd segment pearson", "cc-dd segment acc-eq",
    ]  # fmt: skip
    assert result.weights == (0.5, 0.125, 0.125, 0.125, 0.125)

    def scaled(ranking: Ranking) -> float:
        low, high = ranking.bounds
        value = ranking.value("chrf")
        assert value is not None
        return (value - low) / (high - low)

    mean = sum(w * scaled(r) for w, r in zip(result.weights, result.rankings, strict=True))
    assert result.average.value("chrf") == pytest.approx(mean)
    assert result.evaluations[0].graded[0].blocks == (4, 4)
    ranks = [ranking.rank("wer") or 0 for ranking in result.rankings]
    mean_rank = sum(w * rank for w, rank in zip(result.weights, ranks, strict=True))
    assert result.mean_ranks["wer"] == pytest.approx(mean_rank)


def test_tables_and_rows(result: TaskEvaluation) -> None:
    header, rows = result.table()
    assert header == ["metric", "avg", "#", "mean rank", *(f"task{n}" for n in range(1, 6))]
    assert {row[0] for row in rows} == {"chrf", "wer", "COMET", "QE[noref]"}
    assert Counter(row["task"] for row in result.rows())["avg"] == 4
    document = json.loads(result.to_json())
    assert len(document["comparisons"]) == 6
    assert document["tasks"][0]["weight"] == 0.5
    assert result.frame().columns[-3:] == ["value", "rank", "mean_rank"]


def test_a_metric_that_one_task_lacks(folder: Path) -> None:
    path = folder / "metric-scores/cc-dd/QE-src.seg.score"
    path.unlink()
    tasks = TaskSet("two", tuple(Judge(dataset="", pairs=(p,)) for p in ("aa-bb", "cc-dd")))
    result = evaluate_tasks(str(folder), "chrf", tasks=tasks, stored="all")
    assert set(result.average.names) == {"chrf", "COMET"}
    assert result.left_out == [
        "QE[noref] is left out of the average: it has no value in 1 of 2 tasks."
    ]
    for path in folder.glob("metric-scores/cc-dd/COMET-refA.seg.score"):
        lines = [line.split("\t")[0] + "\t1\n" for line in path.read_text().splitlines()]
        path.write_text("".join(lines))
    result = evaluate_tasks(str(folder), "chrf", tasks=tasks, stored="COMET")
    assert result.left_out == [
        "COMET is left out of the average: it has no value in 1 of 2 tasks (first in task 2: constant "
        "scores)."
    ]


def test_json_and_no_tests(folder: Path, tmp_path: Path, result: TaskEvaluation) -> None:
    path = tmp_path / "tasks.json"
    tasks = [{"pair": "aa-bb", "statistic": "pearson", "domain": ["", "*"]}]
    path.write_text(json.dumps({"weights": ["domain"], "by": "rank", "tasks": tasks}))
    untested = evaluate_tasks(str(folder), tasks=path, stored="all", permutations=0)
    assert [task.domain for task in untested.tasks] == ["", "chat", "news"]
    assert not untested.average.draws
    assert untested.order == list(untested.mean_ranks)
    assert len(result.tasks) == 5


def test_wmt22_has_201_tasks() -> None:
    """On its own three language pairs with four domains each; weights as in its notebook."""
    domains = ["conversation", "ecommerce", "news", "social"]
    tasks = read_tasks("wmt22").with_domains(dict.fromkeys(("en-de", "en-ru", "zh-en"), domains))
    assert len(tasks.tasks) == 201
    shares = dict(zip(tasks.tasks, tasks.shares(), strict=True))
    assert sum(shares.values()) == pytest.approx(1)
    assert {",".join(task.pairs) for task in shares} == {
        "en-de,en-ru,zh-en", "en-de", "en-ru", "zh-en"
    }  # fmt: skip
    for task, share in shares.items():
        if task.statistic == "accuracy":
            assert share == pytest.approx(1 / 4)
        elif task.level == "system":
            humans = 1 if task.pairs == ("en-ru",) else 2
            assert share == pytest.approx(1 / 4 / 5 / 2 / humans / 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "FILE has no list of tasks: write each under [[tasks]]."),
        ("tasks = [", "FILE is not TOML: Invalid value (at end of document)."),
        ("[[tasks]]\nstatistic = 'pearson'", "FILE, task 1: give either `pair` or `pairs`."),
        ("[[tasks]]\npair = 'aa-bb'\nlevle = 'system'",
         "FILE, task 1: a task has no 'levle'; did you mean 'level'?"),
        ("[[tasks]]\npair = 'aa-bb'\nweight = '2'",
         "FILE, task 1: the weight is '2'; it must be a number."),
        ("[[tasks]]\npair = 'aa-bb'\nweight = 0", "FILE, task 1: the weight is 0; it must be above 0."),
        ("[[tasks]]\npair = 'xx-yy'", "Task 1 of bad (xx-yy segment pearson) needs xx-yy, but FOLDER "
         "has aa-bb, cc-dd."),
        ("weights = ['size']\n[[tasks]]\npair = 'aa-bb'",
         "FILE: there is no field 'size' to divide the weights by."),
        ("[[tasks]]\npair = 'aa-bb'\ncompare = 'coin'", "FILE, task 1: 'compare' cannot be 'coin': it "
         "should be one of 'bootstrap', 'williams', 'perm-both', 'perm-sys', 'perm-input', "
         "'perm-pair-diff'."),
        ("[[tasks]]\npair = 'aa-bb'\ncompare = 'williams'", "Task 1: there is no test 'williams'; "
         "there are: perm-both, perm-sys, perm-input, perm-pair-diff."),
        ("[[tasks]]\npairs = ['aa-bb', 'cc-dd']",
         "Task 1: only accuracy can be computed over several language pairs."),
        ("by = 'luck'\n[[tasks]]\npair = 'aa-bb'", "FILE: `by` is 'luck'; it may be value or rank."),
    ],
)  # fmt: skip
def test_bad_task_files(folder: Path, tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(CupelError) as error:
        evaluate_tasks(str(folder), tasks=path, stored="all")
    message = str(error.value).replace(str(path), "FILE").replace(str(folder), "FOLDER")
    assert message == sentence


def test_the_command(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "tasks.toml"
    path.write_text(FILE)
    command = ["cupel", "meta", str(folder), "--stored", "all", "-m", "wer", "--task", str(path)]

    def printed(*options: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", [*command, *options])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capsys.readouterr()

    code, text, _ = printed()
    assert code == 0
    assert "task1  aa-bb,cc-dd system accuracy, weight 0.500" in text
    code, table, _ = printed("-f", "tsv", "--permutations", "0")
    assert table.splitlines()[0].split("\t")[-3:] == ["value", "rank", "mean_rank"]
    code, _, error = printed("--level", "system")
    sentence = "The tasks of --task say this themselves: leave out --level."
    assert (code, error) == (2, f"cupel: {sentence}\n")


def test_a_year_whose_pairs_are_missing(folder: Path) -> None:
    with pytest.raises(CupelError, match=r"^Task 1 of WMT23 metrics task .* needs en-de, but "):
        evaluate_tasks(str(folder), tasks="wmt23", stored="all")
    with pytest.raises(CupelError, match=r"^There is no task 'wmt99': name one of wmt22, wmt23"):
        evaluate_tasks(str(folder), tasks="wmt99", stored="all")
