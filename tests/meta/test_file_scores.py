"""Scores that others computed, in any form: judged as our own are where they are ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cupel.data.find import find
from cupel.errors import CupelError
from cupel.human.evalset import read_evalset
from cupel.meta.campaign import evaluate
from cupel.meta.result import Evaluation
from cupel.meta.task_results import evaluate_tasks
from cupel.meta.tasks import TaskSet
from cupel.questions.judge import Judge
from cupel.scoring import score

PAIR = "de-en"


def judged(*metrics: str, **options: object) -> Evaluation:
    return evaluate("sample", metrics, pairs=[PAIR], resamples=5, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def scores() -> dict[str, np.ndarray]:
    """system -> (segments,): rouge-l, whose system score is a mean, of the embedded campaign."""
    corpus = read_evalset(find("sample"), PAIR).corpus
    own = score(corpus, metrics=["rouge-l"])
    return {system: own.segment_scores("rouge-l", system) for system in own.systems}


def json_lines(
    path: Path, scores: dict[str, np.ndarray], sign: float = 1.0, start: int = 1
) -> Path:
    rows = [
        {"system": system, "segment": number, "rouge": sign * float(value)}
        for system, row in reversed(scores.items())
        for number, value in enumerate(row, start=start)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("level", ["segment", "system"])
def test_our_own_scores_give_our_own_values(
    scores: dict[str, np.ndarray], tmp_path: Path, level: str
) -> None:
    own = judged("rouge-l", level=level)
    given = [json_lines(tmp_path / "a.jsonl", scores), f"errors={tmp_path}/b.jsonl:rouge"]
    json_lines(tmp_path / "b.jsonl", scores, sign=-1, start=0)
    np.savez(tmp_path / "c.npz", **scores)  # type: ignore[arg-type]
    both = judged(level=level, score_files=[*given, tmp_path / "c.npz"], lower=["errors"])
    assert both.metrics == ("rouge", "errors", "c")
    for name in both.metrics:
        assert both.value(name) == pytest.approx(own.value("rouge-l"), abs=1e-12)


def test_documents_are_means_of_their_segments(
    scores: dict[str, np.ndarray], tmp_path: Path
) -> None:
    path = json_lines(tmp_path / "a.jsonl", scores)
    graded = judged(level="document", score_files=[path]).graded[0]
    campaign = read_evalset(find("sample"), PAIR)
    first = next(iter(campaign.groups["document"].values()))
    assert graded.scores["rouge"][0, 0] == pytest.approx(scores[graded.systems[0]][first].mean())


def test_files_of_several_systems_are_joined(scores: dict[str, np.ndarray], tmp_path: Path) -> None:
    for system, row in scores.items():
        (tmp_path / f"{system}.txt").write_text("".join(f"{float(value)!r}\n" for value in row))
    files = [f"judge={tmp_path}/{system}.txt" for system in scores]
    own = judged("rouge-l")
    assert judged(score_files=files).value("judge") == pytest.approx(own.value("rouge-l"))


def task(pair: str) -> Judge:
    return Judge(dataset="", pairs=(pair,))


def test_tasks_of_one_language_pair(scores: dict[str, np.ndarray], tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", scores)
    tasks = TaskSet("one", (task(PAIR), replace(task(PAIR), level="system")))
    result = evaluate_tasks("sample", "rouge-l", tasks=tasks, score_files=[path], permutations=0)
    for ranking in result.rankings:
        assert ranking.value("rouge") == pytest.approx(ranking.value("rouge-l"), abs=1e-12)
    two = TaskSet("two", (task(PAIR), task("zh-en")))
    with pytest.raises(CupelError, match="the scores of one language pair, but de-en, zh-en are"):
        evaluate_tasks("sample", tasks=two, score_files=[path])


def test_what_does_not_fit_is_one_sentence(scores: dict[str, np.ndarray], tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", scores)

    def failure(*files: object, **options: object) -> str:
        with pytest.raises(CupelError) as error:
            evaluate("sample", score_files=files, **{"resamples": 0, **options})  # type: ignore[arg-type]
        return str(error.value).replace(str(tmp_path), "DIR")

    assert failure(path, pairs=[PAIR, "zh-en"]).startswith(
        f"DIR/a.jsonl has the scores of one language pair, but {PAIR}, zh-en are judged: choose one"
    )
    assert failure(path, pairs=[PAIR], lower=["ruge"]) == (
        "Lower is better for 'ruge', but the scores of others are those of rouge; "
        "did you mean 'rouge'?"
    )
    assert failure(path, path, pairs=[PAIR]).startswith("System ")
    assert failure(f"rouge-l={path}", metrics=["rouge-l"], pairs=[PAIR]) == (
        "The metric 'rouge-l' is asked for twice."
    )
    np.save(tmp_path / "x.npy", np.array(list(scores.values())))
    assert failure(tmp_path / "x.npy", pairs=[PAIR]).startswith(
        "DIR/x.npy does not name its systems: give an .npz file"
    )
    short = dict(list(scores.items())[1:])
    path = json_lines(tmp_path / "short.jsonl", short)
    assert "short.jsonl has no scores of system" in failure(path, pairs=[PAIR])


def test_translations_without_systems(pack: Callable[[str], Path], tmp_path: Path) -> None:
    """da13 lists translations: a number a line is enough."""
    pack("da13")
    from cupel.corpus import Corpus
    from cupel.human.da13 import da13, da13_pairs

    pair = da13_pairs()[0]
    assessed = da13(pair)
    own = score(Corpus({"all": assessed.hypotheses}, assessed.references), metrics=["rouge-l"])
    numbers = own.segment_scores("rouge-l", "all")
    (tmp_path / "judge.txt").write_text("".join(f"{float(n)!r}\n" for n in numbers))
    given = evaluate("da13", pairs=[pair], score_files=[tmp_path / "judge.txt"], resamples=0)
    computed = evaluate("da13", ["rouge-l"], pairs=[pair], resamples=0)
    assert given.value("judge") == pytest.approx(computed.value("rouge-l"))


def test_rankings(pack: Callable[[str], Path], tmp_path: Path) -> None:
    pack("wmt14")
    from cupel.data import wmt_corpus

    own = score(wmt_corpus("wmt14", "hi-en"), metrics=["rouge-l"])
    rows = {system: own.segment_scores("rouge-l", system) for system in own.systems}
    path = json_lines(tmp_path / "judge.jsonl", rows)
    given = evaluate("wmt14", pairs=["hi-en"], score_files=[path], resamples=0)
    computed = evaluate("wmt14", ["rouge-l"], pairs=["hi-en"], resamples=0)
    assert given.value("rouge") == pytest.approx(computed.value("rouge-l"))
