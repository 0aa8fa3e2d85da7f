"""All evidence in one table: rankings, grades, and the errors that raters marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cupel.errors import CupelError
from cupel.learned.assay.data.prepare import collect
from cupel.learned.evidence import SCHEMA, counts, evidence
from cupel.learned.manifest import tenth_of

RATINGS: list[tuple[str, int, str, int, list[Any]]] = [
    ("A", 1, "r1", 60, [(0, 2, "minor"), ("missing", "missing", "major")]),
    ("A", 1, "r2", 80, []),
    ("B", 1, "r1", 20, [(4, 99, "major")]),
    ("A", 2, "r2", 90, []),
    ("B", 2, "r2", 10, []),
    ("C", 1, "r1", 50, []),
]


def written(folder: Path, documents: tuple[str, str]) -> Path:
    scores = {"A": (70.0, 90.0), "B": (20.0, 10.0), "C": (None, None)}
    spans = [
        {"system": system, "segment": number, "rater": rater, "score": score,
         "errors": [dict(zip(("start_i", "end_i", "severity"), error, strict=True)) for error in errors]}
        for system, number, rater, score, errors in RATINGS
    ]  # fmt: skip
    files = {
        "sources/en-xx.txt": ["The cat sits.", "It rains."],
        "references/en-xx.refA.txt": ["Die Katze sitzt.", "Es regnet."],
        "documents/en-xx.docs": [f"news\t{name}" for name in documents],
        **{f"system-outputs/en-xx/{name}.txt": ["Die Katz", "Regen"] for name in scores},
        "human-scores/en-xx.esa.seg.score": [
            f"{name}\t{score}" for name, column in scores.items() for score in column
        ],
        "spans/en-xx.jsonl": list(map(json.dumps, spans)),
    }
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder


def test_a_campaign_with_errors(tmp_path: Path) -> None:
    """Ends of spans are included in the file and not in the table; who was not scored is left out."""
    table = evidence([str(written(tmp_path / "campaign", ("one", "two")))])
    assert dict(table.schema) == SCHEMA
    assert table["use"].to_list() == ["train", "train"]
    first, second = table["translations"].to_list()
    assert [(one["system"], one["score"]) for one in first] == [("A", 70.0), ("B", 20.0)]
    spans = [
        (s["start"], s["end"], s["severity"])
        for one in first
        for r in one["ratings"]
        for s in r["spans"]
    ]
    assert spans == [(0, 3, "minor"), (0, 0, "major"), (4, 8, "major")]
    assert first[0]["ratings"][0]["spans"][1]["category"] == "missing"
    grades = [one["grade"] for one in (*first, *second)]
    assert sum(grades) == pytest.approx(0.0)
    assert sum(grade**2 for grade in grades) == pytest.approx(4.0)
    # Raters with few ratings are at the level of all: means 70, 20, 90 and 10 in the same order.
    assert grades == pytest.approx(
        [(score - 47.5) / 33.4477 for score in (70, 20, 90, 10)], abs=1e-4
    )
    (row,) = counts(table).to_dicts()
    assert (row["segments"], row["documents"], row["translations"]) == (2, 2, 4)
    assert (row["judgments"], row["ratings"]) == (4, 5)
    assert (row["minor"], row["major"], row["missing"]) == (1, 2, 1)


def test_uses_are_apart(tmp_path: Path) -> None:
    """Of a dataset of the manifest: by document, each use with grades of its own."""
    names = {tenth_of(f"doc{number}", "en-cs"): f"doc{number}" for number in range(99)}
    folder = written(tmp_path / "esa24", (names[0], names[5]))
    for path in folder.rglob("en-xx*"):
        path.rename(path.with_name(path.name.replace("en-xx", "en-cs")))
    table = evidence([str(folder)])
    assert table["use"].to_list() == ["report", "train"]
    grades = [[one["grade"] for one in row] for row in table["translations"].to_list()]
    assert [pytest.approx(row) for row in grades] == [[1.0, -1.0]] * 2


def test_rankings(pack: Any) -> None:
    pack("wmt15-rankings")
    table = evidence(["wmt15-rankings"]).filter(pl.col("pair") == "cs-en")
    (row,) = counts(table).to_dicts()
    assert (row["segments"], row["translations"], row["judgments"]) == (1389, 8921, 24473)
    first = table.to_dicts()[0]
    assert all(one["grade"] is None for one in first["translations"])
    assert all(one["better"] != one["worse"] for one in first["preferences"])


def test_direct_assessment_keeps_whole_references(pack: Any) -> None:
    """A reference is a sentence, in the table and in what assay is trained on."""
    pack("da13")
    references = {row[0] for row in evidence(["da13"])["references"].to_list()}
    into_english = set(collect(["da13"], corruptions=0).sentences)
    assert len(references & into_english) > 500


def test_what_cannot_be_read(tmp_path: Path) -> None:
    folder = written(tmp_path / "campaign", ("one", "two"))
    (folder / "human-scores/en-xx.esa.seg.score").unlink()
    with pytest.raises(CupelError, match=r"has no human-scores/en-xx\.NAME\.seg\.score"):
        evidence([str(folder)])
