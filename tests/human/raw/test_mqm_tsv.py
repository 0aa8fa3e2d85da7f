"""MQM tables of Google: marks, columns and quotes over the years, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cupel.errors import CupelError
from cupel.human.raw.annotations import Judgment, MarkedError, Notes
from cupel.human.raw.mqm_tsv import marked_text, read_mqm_tsv

HEADER = "system doc doc_id seg_id rater source target category severity".split()


def table(tmp_path: Path, *rows: str, header: list[str] | None = None) -> Path:
    """A file of rows whose cells are divided by ` | `."""
    lines = ["\t".join(header or HEADER), *(row.replace(" | ", "\t") for row in rows)]
    path = tmp_path / "mqm_ende.tsv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def read(tmp_path: Path, *rows: str, **options: list[str]) -> list[Judgment]:
    return read_mqm_tsv(table(tmp_path, *rows, **options), Notes())


def refused(path: Path) -> str:
    with pytest.raises(CupelError) as raised:
        read_mqm_tsv(path, Notes())
    return str(raised.value).replace(f"{path}", "FILE")


def test_rows_of_a_rater_and_translation_are_one_judgment(tmp_path: Path) -> None:
    first, second = read(
        tmp_path,
        "A | d | 1 | 7 | r1 | one hat | ein <v>Hut</v> da | Accuracy/Addition | Major",
        "A | d | 1 | 7 | r2 | one hat | ein Hut da | No-error | No-error",
        "A | d | 1 | 7 | r1 | one <v>hat</v> | ein Hut da | Source error | Minor",
    )
    assert (first.rater, first.system, first.place) == ("r1", "A", ("d", "7"))
    assert (first.source, first.target) == ("one hat", "ein Hut da")
    assert first.errors == [
        MarkedError(4, 7, "Accuracy/Addition", "Major"),
        MarkedError(4, 7, "Source error", "Minor", in_source=True),
    ]
    assert second.rater == "r2"
    assert second.errors == []


@pytest.mark.parametrize(
    ("cell", "text", "place"),
    [
        ("plain", "plain", (0, 0)),
        ("<v>all</v>", "all", (0, 3)),
        ("a <v>b</v> c <v>d</v>", "a b c d", (2, 7)),
        ("a <v></v>b", "a b", (2, 2)),
        ("ｆ<v>我</v>", "ｆ我", (1, 2)),
    ],
)
def test_marks(cell: str, text: str, place: tuple[int, int]) -> None:
    marked = marked_text(cell, "here", Notes())
    assert (marked.text, marked.start, marked.end) == (text, *place)


@pytest.mark.parametrize("cell", ["a <v>b", "a b</v>", "<v>a <v>b</v></v>", "</v>a<v>"])
def test_marks_that_do_not_match(cell: str) -> None:
    with pytest.raises(CupelError, match=r"^here: <v> and </v> do not match in '.*--lenient"):
        marked_text(cell, "here", Notes())
    notes = Notes(lenient=True)
    assert "<" not in marked_text(cell, "here", notes).text
    assert sum(notes.counts.values()) >= 1


def test_an_open_mark_reaches_to_the_end() -> None:
    assert marked_text("a <v>bcd", "here", Notes(lenient=True)).end == 5


def test_newer_names_of_columns_and_columns_behind(tmp_path: Path) -> None:
    header = "system doc docSegId globalSegId rater source target category severity metadata"
    [one] = read(
        tmp_path, "A | d | 1 | 17 | r | s | t | No-error | no-error | {}", header=header.split()
    )
    assert one.place == ("d", "17")


def test_without_numbers_of_the_test_set_those_of_the_document_count(tmp_path: Path) -> None:
    header = "system doc doc_id rater source target category severity"
    [one] = read(tmp_path, "A | d | 3 | r | s | t | No-error | No-error", header=header.split())
    assert one.place == ("d", "3")


def test_fields_quoted_as_in_csv(tmp_path: Path) -> None:
    [one, other] = read(
        tmp_path,
        'A | d | 1 | 1 | r | "a ""b"" c" | "x <v>""y""</v>" | Style | Minor',
        "A | d | 2 | 2 | r | plain | text | No-error | No-error",
    )
    assert (one.source, one.target) == ('a "b" c', 'x "y"')
    assert one.errors == [MarkedError(2, 5, "Style", "Minor")]
    assert other.source == "plain"


def test_literal_quotes_stay(tmp_path: Path) -> None:
    [one, other] = read(
        tmp_path,
        'A | d | 1 | 1 | r | "a" and "b" | "x" | No-error | No-error',
        'A | d | 2 | 2 | r | "all of it" | y | No-error | No-error',
    )
    assert (one.source, other.source) == ('"a" and "b"', '"all of it"')


def test_scores_that_a_table_has_itself(tmp_path: Path) -> None:
    row = 'A | d | 1 | 1 | r | s | <v>t</v> | Style | Minor | "{""mqm"": 87.5}"'
    [one] = read(tmp_path, row, row.replace("Style", "Other"), header=[*HEADER, "misc"])
    assert one.score == 87.5
    assert len(one.errors) == 2
    path = table(tmp_path, row.replace("mqm", "x"), header=[*HEADER, "misc"])
    assert refused(path) == "FILE, line 2: the column misc has no number called 'mqm'."


def test_what_cannot_all_be_meant_is_counted(tmp_path: Path) -> None:
    notes = Notes()
    error = "A | d | 1 | 1 | r | s | <v>t</v> | Style | Minor"
    nothing = "A | d | 1 | 1 | r | s | t | No-error | No-error"
    [one] = read_mqm_tsv(table(tmp_path, error, error, nothing), notes)
    assert len(one.errors) == 2
    assert notes.sentences() == [
        "1 errors that a rater marked twice at the same place",
        "1 rows without an error beside other rows of the same rater and translation",
    ]
    notes = Notes()
    read_mqm_tsv(table(tmp_path, nothing, error), notes)
    assert notes.sentences() == ["1 rows with an error beside a row of the same rater without one"]


def test_what_is_refused(tmp_path: Path) -> None:
    row = "A | d | 1 | 1 | r | s | t | Style | Minor"
    path = table(tmp_path, row, header=[name for name in HEADER if name != "severity"] + ["x"])
    assert refused(path).startswith(
        "FILE, line 1: there is no column 'severity'; there are 'system'"
    )
    path = table(tmp_path, row, header=[name.replace("_id", "") for name in HEADER])
    assert refused(path).startswith(
        "FILE, line 1: there is no column called 'seg_id', 'globalSegId'"
    )
    assert refused(table(tmp_path, row, row + " | more")) == (
        "FILE, line 3: 9 fields were expected, as in the header, but 10 were found."
    )
    assert refused(table(tmp_path)) == "FILE has a header line and no annotations."
    assert refused(table(tmp_path, row.replace(" r ", "  "))) == "FILE, line 2: the rater is empty."
    assert refused(table(tmp_path, row, row.replace(" t ", " u "))) == (
        "FILE, line 3: the target of segment 1 is 'u', but 't' in FILE, line 2 "
        "(--lenient accepts and counts such rows)."
    )
    path.write_text("")
    assert refused(path) == "FILE is empty; a header line with the columns' names was expected."
    path.write_bytes("\t".join(HEADER).encode() + b"\nA\td\xe4\n")
    assert refused(path) == (
        "FILE, line 2, column 4: the byte 0xE4 is not UTF-8; convert the file to UTF-8."
    )
