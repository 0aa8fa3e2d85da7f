"""From tasks to sheets and their key: nothing is lost, nobody sees who wrote what, seeds decide all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.human.tasks.key import find_keys, key_text, read_key
from cupel.human.tasks.sheets import CHECK, JUDGE, REPEAT, damage, make_sheets
from cupel.human.tasks.task import Before, Task, read_tasks, write_tasks
from cupel.questions.annotate import Annotate

TASKS = [
    Task(
        n,
        f"source {n}",
        {"A": f"one two three four {n}", "B": f"eins zwei drei vier {n // 2}", "C": f"one two three four {n}"},
        pair="en-de",
        document=f"d{n // 5}",
        before=(Before("earlier", {"A": "früher", "B": "eher", "C": "vorher"}),),
    )
    for n in range(1, 41)
]  # fmt: skip


def annotate(**fields: Any) -> Annotate:
    return Annotate(tasks=Path("tasks.jsonl"), **fields)


def test_tasks_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    tasks = [TASKS[0], Task(2, "x\u2028y", {"A": "", "B": "z", "C": "<b>"}, pair="en-de")]
    write_tasks(path, tasks)
    assert read_tasks(path) == tasks
    assert set(json.loads(path.read_text("utf-8").split("\n")[1])) == {
        "segment", "pair", "source", "translations",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty; tasks as `cupel select` writes them were expected"),
        ("\n\n", "is empty"),
        ('{"segment": 1', "line 1, column 14: this is not JSON"),
        ("[1]", "a list was found where an object was expected"),
        ('{"src": "a", "tgt": "b"}', "line 1: this is no task of `cupel select`"),
        ('{"segment": 0, "source": "a", "translations": {"A": "b"}}', "a number from 1"),
        ('{"segment": 1, "source": null, "translations": {"A": "b"}}', "'source' is null"),
        ('{"segment": 1, "source": "a", "translations": {}}', "no object from systems to texts"),
        ('{"segment": 1, "source": "a", "translations": {"A": 3}}', "'A' is a number"),
        ('{"segment": 1, "source": "a", "translations": {"A": "b"}}\n' * 2, "segment 1 twice"),
        (
            '{"segment": 1, "source": "a", "translations": {"A": "b"}}\n'
            '{"segment": 2, "source": "a", "translations": {"B": "b"}}',
            "segment 2 has translations of 'B', but segment 1 of 'A'",
        ),
    ],
)
def test_broken_tasks(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CupelError, match=sentence):
        read_tasks(path)


def test_every_translation_is_judged_once_and_equal_ones_together() -> None:
    (screens,) = make_sheets(TASKS, annotate(checks=0.1, repeats=0.1)).parts.values()
    judged = [s for s in screens if s.kind == JUDGE]
    assert len(judged) == 80  # A and C are the same everywhere
    seen = {
        (s.segment, system): s.options[0].text for s in judged for system in s.options[0].systems
    }
    assert seen == {(t.segment, n): text for t in TASKS for n, text in t.translations.items()}
    kinds = [s.kind for s in screens]
    assert (kinds.count(CHECK), kinds.count(REPEAT)) == (8, 8)
    assert len({s.id for s in screens}) == 96
    places = {s.id: at for at, s in enumerate(screens)}
    originals = {s.id: s for s in judged}
    for screen in screens:
        if screen.kind == REPEAT:
            assert screen.options[0].text == originals[screen.of].options[0].text
            assert places[screen.id] > places[screen.of]
        if screen.kind == CHECK:
            assert screen.options[0].systems == ()
            assert screen.options[0].text != originals[screen.of].options[0].text
    by_system = [s.context[0][1] for s in judged]
    assert set(by_system) == {"früher", "eher"}


def test_documents_stay_together_and_in_order() -> None:
    (screens,) = make_sheets(TASKS, annotate(checks=0, repeats=0)).parts.values()
    runs: list[list[int]] = []
    for screen in screens:
        if not runs or screen.segment <= runs[-1][-1] or screen.segment // 5 != runs[-1][-1] // 5:
            runs.append([])
        runs[-1].append(screen.segment)
    assert sorted(map(tuple, runs)) == sorted(
        tuple(t.segment for t in TASKS if t.document == d)
        for d in dict.fromkeys(t.document for t in TASKS)
        for _ in range(2)
    )


def test_annotators_share_a_part_and_divide_the_rest() -> None:
    plan = annotate(annotators=("anna", "ben", "cem"), shared=0.25, checks=0, repeats=0)
    parts = make_sheets(TASKS, plan).parts
    sets = [{screen.segment for screen in screens} for screens in parts.values()]
    common = set.intersection(*sets)
    assert 10 <= len(common) <= 14  # whole documents
    assert set.union(*sets) == set(range(1, 41))
    for first in sets:
        for second in sets:
            assert first is second or first & second == common
    with pytest.raises(CupelError, match="40 tasks are too few for 60 annotators"):
        make_sheets(TASKS, annotate(annotators=[""] * 60, shared=0))
    with pytest.raises(CupelError, match="named twice"):
        make_sheets(TASKS, annotate(annotators=("anna", "anna")))


def test_ranking_shows_different_translations_and_damages_one() -> None:
    tasks = [*TASKS, Task(99, "s", {"A": "x", "B": "x", "C": "x"}, pair="en-de")]
    (screens,) = make_sheets(
        tasks, annotate(protocol="ranking", checks=0.1, repeats=0.1)
    ).parts.values()
    assert 99 not in {s.segment for s in screens}  # all say the same
    for screen in screens:
        damaged = [option for option in screen.options if not option.systems]
        assert len(damaged) == (screen.kind == CHECK)
        assert sum(len(option.systems) for option in screen.options) == 3
        if damaged:
            assert screen.of in {option.id for option in screen.options}
    with pytest.raises(CupelError, match="at least two systems"):
        make_sheets([Task(1, "a", {"A": "b"})], annotate(protocol="ranking"))


def test_the_same_seed_gives_the_same_sheets() -> None:
    one, same, other = (make_sheets(TASKS, annotate(seed=seed)) for seed in (1, 1, 2))
    assert one == same
    assert one.id != other.id
    assert not {s.id for s in one.parts["1"]} & {s.id for s in other.parts["1"]}


@pytest.mark.parametrize(
    ("text", "other"),
    [("a b c d e f", "u v w x y z"), ("今天天气很好", "再见朋友们"), ("a", "b"), ("a", "a"),
     ("", "x"), ("a b c d", ""), ("a a a a", "a a")],
)  # fmt: skip
def test_damage_changes_about_half(text: str, other: str) -> None:
    for seed in range(20):
        damaged = damage(text, other, np.random.default_rng(seed))
        assert damaged.strip()
        if text != "a a a a":
            assert damaged != text
        if text == "a b c d e f":
            kept = [word for word in damaged.split() if word in text.split()]
            assert len(damaged.split()) == 6
            assert len(kept) == 3


def test_the_key_has_what_the_sheets_have(tmp_path: Path) -> None:
    sheets = make_sheets(TASKS, annotate(annotators=("anna", "ben")))
    path = tmp_path / "tasks.key.json"
    path.write_text(key_text(sheets, "tasks"), encoding="utf-8")
    key = read_key(path)
    assert (key.id, key.pair, key.systems) == (sheets.id, "en-de", ["A", "B", "C"])
    for part, screens in sheets.parts.items():
        for screen in screens:
            known = key.screens[part][screen.id]
            assert (known.kind, known.of, known.options) == (screen.kind, screen.of, screen.options)
    (tmp_path / "other.key.json").write_text("{}")  # of something else: passed over
    assert list(find_keys([tmp_path / "x.json"])) == [sheets.id]
    for text, sentence in (
        ("{}", "is no key of tasks"),
        (path.read_text("utf-8").replace('"version": 1', '"version": 9'), "another version"),
        (path.read_text("utf-8").replace('"parts"', '"pieces"'), "is damaged"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CupelError, match=sentence):
            find_keys([], [path])
