"""Statistics, tests and rankings against google-research/mt-metrics-eval, draw for draw.

Against its recorded answers in every run, and against a clone that MT_METRICS_EVAL names.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from mtme_oracle import Oracle, load
from mtme_statistics import RECORD, Question, ours, questions

PACKS = ("mqm21", "ted21", "bio21")


@pytest.fixture(scope="module")
def packs(own_folders: None) -> None:
    from cupel.errors import MissingPart
    from cupel.learned.assay.data.graded import pack_folder

    try:
        for name in PACKS:
            pack_folder(name)
    except MissingPart as error:
        pytest.skip(str(error))


def grouped_questions() -> dict[str, list[Question]]:
    groups = defaultdict(list)
    for asked in questions():
        groups[f"{asked.kind} {asked.statistic.name} {asked.swap}"].append(asked)
    return groups


GROUPS = grouped_questions()


def close(asked: Question, answer: list[float], machine: bool) -> Any:
    """1e-12; sums in single precision round as the machine's BLAS does, so p-values may move."""
    loose = asked.statistic.name == "spa" and not machine
    return pytest.approx(answer, rel=0, abs=2e-3 if loose else 1e-12)


@pytest.mark.parametrize("group", GROUPS)
def test_recorded_answers(group: str, packs: None) -> None:
    recorded = json.loads(RECORD.read_text("utf-8"))["answers"]
    for asked in GROUPS[group]:
        assert ours(asked) == close(asked, recorded[asked.name], machine=False), asked.name


def test_every_question_has_one_answer() -> None:
    recorded = json.loads(RECORD.read_text("utf-8"))
    names = [asked.name for asked in questions()]
    assert len(names) == len(set(names)) == len(recorded["answers"])
    assert set(names) == set(recorded["answers"])
    assert len(recorded["commit"]) == 40


@pytest.fixture(scope="module")
def oracle(packs: None) -> Oracle:
    clone = os.environ.get("MT_METRICS_EVAL")
    if not clone:
        pytest.skip("MT_METRICS_EVAL names no clone of google-research/mt-metrics-eval")
    return Oracle(load(Path(clone)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # SciPy's, of constant scores
@pytest.mark.parametrize("group", GROUPS)
def test_the_clone_itself(group: str, oracle: Oracle) -> None:
    for asked in GROUPS[group]:
        assert ours(asked) == close(asked, oracle.answer(asked), machine=True), asked.name
