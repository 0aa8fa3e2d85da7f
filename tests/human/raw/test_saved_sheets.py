"""What annotators save, as it comes: whole, half, cut, edited, twice, of other tasks; who is kept and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.human.evalset import read_evalset
from cupel.human.raw.annotations import Notes
from cupel.human.raw.importing import Report, import_annotations, read_rated
from cupel.human.raw.sheets import checksum, read_sheets
from cupel.human.tasks.key import key_text
from cupel.human.tasks.rehearsal import filled_sheet
from cupel.human.tasks.sheets import make_sheets
from cupel.human.tasks.task import Task, write_tasks
from cupel.questions.annotate import Annotate
from cupel.questions.human import ImportHuman, RawAnnotations

TASKS = [
    Task(n, f"source {n}", {"A": f"a b c {n}", "B": f"u v w x {n}"}, f"reference {n}", "en-de", f"d{n % 4}")
    for n in range(1, 41)
]  # fmt: skip
SCORES = {
    (system, n): -float((n * (3 if system == "A" else 5)) % 11) for n in range(1, 41) for system in "AB"
}  # fmt: skip
NAMES = ("anna", "ben")


def annotate(**fields: Any) -> Annotate:
    return Annotate(tasks=Path("tasks.jsonl"), **fields)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def sheets(folder: Path, protocol: str = "esa", seed: int = 1, **plan: Any) -> dict[str, Path]:
    """The key, and the files of anna and ben as they would save them."""
    given = {
        "checks": 0.2,
        "repeats": 0.2,
        "shared": 1.0,
        "seed": seed,
        "annotators": NAMES,
        **plan,
    }
    made = make_sheets(TASKS, annotate(protocol=protocol, **given))
    (folder / "tasks.key.json").write_text(key_text(made, "tasks"), encoding="utf-8")
    paths = {}
    for part in made.parts:
        paths[part] = folder / f"tasks-{part}.json"
        text, left = filled_sheet(made, part, "tasks", SCORES)
        assert left == 0
        paths[part].write_text(text, encoding="utf-8")
    return paths


def imported(paths: list[Path], folder: Path, name: str = "campaign", **fields: Any) -> Report:
    files = tuple(map(str, paths))
    return import_annotations(ImportHuman(files=files, folder=folder / name, **fields))


def edited(path: Path, change: Callable[[dict[str, Any]], None], sign: bool = False) -> None:
    """A judgment changed by hand, in the way of the page or not."""
    document = json.loads(path.read_text("utf-8"))
    for record in document["judgments"]:
        change(record)
        if sign:
            record["sum"] = checksum(record)
    path.write_text(json.dumps(document), encoding="utf-8")


def screens(folder: Path) -> dict[str, dict[str, Any]]:
    parts = json.loads((folder / "tasks.key.json").read_text("utf-8"))["parts"]
    return {name: one for part in parts.values() for name, one in part["screens"].items()}


@pytest.mark.parametrize("protocol", ["da", "esa", "mqm", "ranking"])
def test_a_campaign_of_each_protocol(folder: Path, protocol: str) -> None:
    paths = sheets(folder, protocol)
    report = imported(list(paths.values()), folder)
    assert report.notes == []
    (row,) = report.rows
    assert (row["pair"], row["name"], row["raters"]) == ("en-de", protocol, 2)
    assert (row["judgments"], row["translations"], row["shared"]) == (160, 80, 80)
    assert [(one["annotator"], one["kept"], one["r"]) for one in report.quality] == [
        ("anna", True, pytest.approx(1.0)), ("ben", True, pytest.approx(1.0)),
    ]  # fmt: skip
    for one in report.quality:
        assert one["passed"] == one["checks"] > 0
        assert (one["alpha"], one["seconds"]) == (pytest.approx(1.0), 10.0)
    campaign = read_evalset(folder / "campaign", "en-de")
    assert len(set(campaign.documents)) == 4
    matrix = campaign.table(campaign.human[protocol], "segment", ["A", "B"])
    lines = {source: at for at, source in enumerate(campaign.corpus.sources or [])}
    for (system, n), score in SCORES.items():
        given = matrix["AB".index(system), lines[f"source {n}"]]
        other = SCORES["BA"["AB".index(system)], n]
        expected = {"da": 100 + 4 * score, "esa": 100 + 4 * score, "mqm": score}.get(
            protocol, (np.sign(score - other) + 1) / 2
        )
        assert given == expected
    ratings = (folder / f"campaign/human-scores/en-de.{protocol}.anna.seg.rating").read_text(
        "utf-8"
    )
    assert '"seconds": 10.0' in ratings
    again, _ = read_rated(RawAnnotations(files=(str(folder / "campaign"),)))
    assert again[0][0].raters == ["anna", "ben"]


def test_half_finished_and_cut_short(folder: Path) -> None:
    paths = sheets(folder)
    text = paths["anna"].read_text("utf-8")
    lines = text.split("\n")
    total = len(lines) - 3
    paths["anna"].write_text("\n".join(lines[:31])[:-40], encoding="utf-8")  # in the 30th judgment
    report = imported([paths["anna"]], folder)
    assert report.notes == [
        f"1 line of the damaged file {paths['anna']} that cannot be read, left out",
        f"1 file that ends too early, read as far as it goes: {paths['anna']}",
        f"{total - 29} of {total} tasks that anna has not judged yet",
    ]
    assert report.quality[0]["done"] == 29
    paths["ben"].write_text('{"cupel":"annotations","ver', encoding="utf-8")
    with pytest.raises(CupelError, match="its first line, which names its tasks, cannot be read"):
        read_sheets([paths["ben"]], Notes())


def test_edited_by_hand(folder: Path) -> None:
    path = sheets(folder)["anna"]
    records = json.loads(path.read_text("utf-8"))["judgments"]
    names = [record["item"] for record in records]
    changes: dict[str, dict[str, Any]] = {
        names[0]: {"score": 1},  # possible
        names[1]: {"score": 101},
        names[2]: {"score": True},
        names[3]: {"errors": [{"start": 0, "end": 999, "severity": "minor"}]},
        names[4]: {"errors": [{"start": 0, "end": 1, "severity": "awful"}]},
        names[5]: {"errors": "none"},
        names[6]: {"ms": -1},
        names[7]: {"item": "nowhere"},
        names[8]: {"ranks": [1]},
    }
    edited(path, lambda record: record.update(changes.get(record["item"], {})))
    notes = Notes()
    (sheet,) = read_sheets([path], notes)
    assert notes.counts == {
        f"judgment in {path} that was changed after it was saved, used as it is": 2,
        f"judgment in {path} with impossible values, left out": 6,
        f"judgment in {path} of a task that the key does not have, left out": 1,
    }
    assert sheet.answers[names[0]].score == 1.0
    assert len(sheet.answers) == len(names) - 7


def test_other_tasks_no_key_and_other_files(folder: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    strange = sheets(other, seed=2)["ben"].rename(other / "strange.json")
    paths = sheets(folder)
    key = [folder / "tasks.key.json"]
    report = imported([paths["anna"], strange], folder, key=tuple(map(str, key)))
    assert report.notes == [f"1 file of other tasks than those of the key, left out: {strange}"]
    with pytest.raises(CupelError, match="None of the files belongs to tasks whose key is there"):
        imported([strange], folder, "no", key=tuple(map(str, key)))
    assert not (folder / "no").exists()
    (folder / "tasks.key.json").rename(folder / "tasks.json")
    with pytest.raises(CupelError, match=r"the key of its tasks, tasks\.key\.json, is neither"):
        imported([paths["anna"]], folder, "no")
    (folder / "mqm_ende.tsv").write_text("system\tdoc\n")
    with pytest.raises(CupelError, match=r"mqm_ende\.tsv was not saved by a page"):
        imported([paths["anna"], folder / "mqm_ende.tsv"], folder, "no")


def test_keys_and_tasks_among_the_files(folder: Path) -> None:
    paths = sheets(folder)
    (folder / "tasks.key.json").rename(folder / "else.key.json")
    elsewhere = folder / "in" / "anna.json"
    elsewhere.parent.mkdir()
    paths["anna"].rename(elsewhere)
    report = imported([elsewhere, folder / "else.key.json"], folder)  # what *.json may name
    assert report.rows[0]["judgments"] == 80
    with pytest.raises(CupelError, match="The key of tasks alone has no judgments"):
        imported([folder / "else.key.json"], folder, "no")
    write_tasks(folder / "tasks.jsonl", TASKS)
    with pytest.raises(CupelError, match="has tasks, not judgments; `cupel annotate` makes pages"):
        imported([folder / "tasks.jsonl"], folder, "no")


def test_two_people_of_one_name_are_noticed(folder: Path) -> None:
    paths = sheets(folder, shared=0.25)
    document = json.loads(paths["ben"].read_text("utf-8"))
    document["annotator"] = "anna"
    paths["ben"].write_text(json.dumps(document), encoding="utf-8")
    notes = Notes()
    (sheet,) = read_sheets(list(paths.values()), notes)
    what = "page by another annotator called anna, taken for the same person"
    assert notes.sentences() == [f"1 {what}: {paths['ben']}"]
    assert sheet.total == len(sheet.answers)


def test_twice_the_same_annotator(folder: Path) -> None:
    path = sheets(folder)["anna"]
    later = folder / "later.json"
    later.write_text(path.read_text("utf-8"), encoding="utf-8")
    items = [record["item"] for record in json.loads(path.read_text("utf-8"))["judgments"]]

    def change(record: dict[str, Any]) -> None:
        if record["item"] == items[0]:
            record.update(score=7, at="2027-01-01T00:00:00.000Z")
        if record["item"] == items[1]:
            record.update(score=7, at="2020-01-01T00:00:00.000Z")

    edited(later, change, sign=True)
    notes = Notes()
    (sheet,) = read_sheets([path, later], notes)
    start = f"judgment by anna in {later} that an earlier file has too"
    assert notes.counts == {
        f"{start}, another; the later one is used": 2,
        f"{start}, the same": len(items) - 2,
    }
    assert sheet.answers[items[0]].score == 7.0
    assert sheet.answers[items[1]].score != 7.0
    assert sheet.total == len(items)


def test_who_does_not_look_is_left_out_and_not_lost(folder: Path) -> None:
    paths = sheets(folder)
    known = screens(folder)
    edited(
        paths["ben"],
        lambda record: record.update(score=90 if known[record["item"]]["kind"] == "check" else 20),
        sign=True,
    )
    report = imported(list(paths.values()), folder)
    anna, ben = report.quality
    assert anna["kept"]
    assert (ben["kept"], ben["passed"]) == (False, 0)
    assert ben["reason"] == f"passes 0 of {ben['checks']} attention checks"
    assert report.rows[0]["raters"] == 1
    campaign = folder / "campaign"
    ratings = (campaign / "left-out/en-de.esa.ben.seg.rating").read_text("utf-8")
    assert ratings.count('"score": 20.0') == 80
    assert not (campaign / "human-scores/en-de.esa.ben.seg.rating").exists()
    table = (campaign / "annotators.tsv").read_text("utf-8").splitlines()
    assert table[2].startswith("ben\t")
    assert table[2].endswith("attention checks")
    kept = imported(list(paths.values()), folder, "all", keep="all")
    assert kept.rows[0]["raters"] == 2
    assert kept.quality[1]["reason"].startswith("kept although: passes 0")
    with pytest.raises(CupelError, match=r"leaves out every annotator \(ben passes 0 of"):
        imported([paths["ben"]], folder, "none")


def test_who_contradicts_everybody_is_left_out(folder: Path) -> None:
    paths = sheets(folder, annotators=("anna", "ben", "cem"))
    known = screens(folder)

    def turned(record: dict[str, Any]) -> None:
        check = known[record["item"]]["kind"] == "check"
        record["score"] = 0 if check else 101 - max(1, record["score"])

    edited(paths["ben"], turned, sign=True)
    report = imported(list(paths.values()), folder)
    assert [one["kept"] for one in report.quality] == [True, False, True]
    assert report.quality[1]["reason"] == "agrees with none of 2 others: r is -1.00 at most"
    # Of two who disagree, neither can be told to be right.
    two = imported([paths["anna"], paths["ben"]], folder, "two")
    assert [one["kept"] for one in two.quality] == [True, True]
    assert [one["r"] for one in two.quality] == [pytest.approx(-1.0, abs=0.01)] * 2


def test_who_contradicts_oneself_is_left_out(folder: Path) -> None:
    paths = sheets(folder, checks=0.05, repeats=0.5)
    known = screens(folder)

    def turned(record: dict[str, Any]) -> None:
        if known[record["item"]]["kind"] == "repeat":
            record["score"] = 101 - max(1, record["score"])

    edited(paths["ben"], turned, sign=True)
    report = imported(list(paths.values()), folder)
    assert [one["kept"] for one in report.quality] == [True, False]
    assert report.quality[1]["reason"].startswith("contradicts earlier judgments: alpha -")


def test_names_are_hidden_if_asked(folder: Path) -> None:
    paths = sheets(folder)
    imported(list(paths.values()), folder, anonymous=True)
    text = "".join(p.read_text("utf-8") for p in (folder / "campaign").rglob("*") if p.is_file())
    assert "anna" not in text
    assert (folder / "campaign/human-scores/en-de.esa.rater2.seg.rating").exists()
