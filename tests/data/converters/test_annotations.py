"""Tables of MQM annotations: penalties, texts that raters changed, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cupel.data.converters.annotations import (
    UNKNOWN,
    Annotation,
    judged_pair,
    penalty,
    read_annotations,
    span_of,
    translations,
)
from cupel.data.converters.graded import JudgedPair, write_pair
from cupel.data.converters.mqm20 import unquoted
from cupel.errors import CupelError

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


def row(
    system: str,
    segment: int,
    rater: str,
    target: str,
    error: str = "no-error",
    how: str = "no-error",
) -> str:
    cells = (system, "paper.1", "1", str(segment), rater, f"Satz {segment}", target, error, how)
    return "\t".join(cells)


def read(*rows: str) -> list[Annotation]:
    return read_annotations("table.tsv", [HEADER, *rows])


@pytest.mark.parametrize(
    ("category", "severity", "cost"),
    [
        ("Accuracy/Mistranslation", "Major", 5.0),
        ("Accuracy/Mistranslation", "Critical", 5.0),
        ("Fluency/Grammar", "Minor", 1.0),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation", "Major", 5.0),
        ("Fluency/Grammar", "Neutral", 0.0),
        ("Non-translation!", "Major", 25.0),
        ("Non-translation!", "Minor", 25.0),
        ("Source error/-", "Major", 0.0),
        ("No-error", "No-error", 0.0),
    ],
)
def test_penalties(category: str, severity: str, cost: float) -> None:
    assert penalty(category, severity) == cost


def test_a_score_is_the_mean_of_the_raters_sums() -> None:
    annotations = read(
        row("A", 1, "r1", "a <v>b</v>", "Fluency/Grammar", "Minor"),
        row("A", 1, "r1", "<v>a</v> b", "Accuracy/Omission", "Major"),
        row("A", 1, "r2", "a b"),
        row("A", 1, "r3", "a  b<v></v>", "Fluency/Punctuation", "Minor"),
    )
    (of_a,) = translations(annotations).values()
    assert of_a[1].text == "a b"
    assert of_a[1].score == pytest.approx(-(6 + 0 + 0.1) / 3)


@pytest.mark.parametrize(
    ("texts", "choice"),
    [
        # Most raters, however many lines another one has.
        ({"r1": ["a bb", "a bb", "a bb"], "r2": ["a b"], "r3": ["a b"]}, "a b"),
        # Of several with as many raters, the shortest.
        ({"r1": ["the end now"], "r2": ["the end"], "r3": ["the end, sir"]}, "the end"),
        # A text without a part that is twice in a row, if there is one.
        ({"r1": ["a wellwell."], "r2": ["a wellwell."], "r3": ["a deep well."]}, "a deep well."),
        ({"r1": ["a wellwell."], "r2": ["a wellwell."], "r3": ["the wellwell."]}, "a wellwell."),
    ],
)
def test_the_text_that_most_raters_have(texts: dict[str, list[str]], choice: str) -> None:
    rows = [row("A", 1, rater, text) for rater, of_rater in texts.items() for text in of_rater]
    assert translations(read(*rows))["A"][1].text == choice


def test_people_are_references_and_no_systems(tmp_path: Path) -> None:
    annotations = read(
        row("B", 2, "r1", "zwei"),
        row("ref", 1, "r1", "one"),
        row("ref", 2, "r1", "two"),
        row("refB", 1, "r1", "first"),
        row("A", 1, "r1", "eins", "Fluency/Grammar", "Minor"),
        row("A", 2, "r1", "deux"),
        row("A", 3, "r1", "nobody translated it"),
    )
    people = {"refA": "ref", "refB": "refB"}
    judged = judged_pair("de-en", annotations, people, people.values(), "news")
    write_pair(tmp_path, judged, "mqm")
    files = {
        path.relative_to(tmp_path).as_posix(): path.read_text("utf-8")
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert files == {
        "sources/de-en.txt": "Satz 1\nSatz 2\n",
        "references/de-en.refA.txt": "one\ntwo\n",
        "references/de-en.refB.txt": "first\n\n",
        "system-outputs/de-en/A.txt": "eins\ndeux\n",
        "system-outputs/de-en/B.txt": "\nzwei\n",
        "documents/de-en.docs": "news\tpaper.1\nnews\tpaper.1\n",
        "human-scores/de-en.mqm.seg.score": "A\t-1.0\nA\t-0.0\nB\tNone\nB\t-0.0\n",
    }


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "table.tsv is empty; a header line with the columns' names was expected."),
        (
            [HEADER.replace("seg_id", "number")],
            "table.tsv has no column 'seg_id'; it has 'system', 'doc', 'doc_id', 'number', 'rater', "
            "'source', 'target', 'category', 'severity'.",
        ),
        (
            [HEADER, row("A", 1, "r", "x"), "A\tb"],
            "table.tsv, line 3: 9 fields were expected, as in the header, but 2 were found.",
        ),
        (
            [HEADER, row("A", 1, "r", "x").replace("\t1\tr\t", "\tone\tr\t")],
            "table.tsv, line 2: the segment is 'one' where a number was expected.",
        ),
    ],
)
def test_tables_that_are_refused(lines: list[str], sentence: str) -> None:
    with pytest.raises(CupelError) as refusal:
        read_annotations("table.tsv", lines)
    assert str(refusal.value) == sentence


def test_a_person_who_translated_nothing_is_missed() -> None:
    with pytest.raises(CupelError, match=r"^There are no translations by 'ref' in de-en\.$"):
        judged_pair("de-en", read(row("A", 1, "r", "x")), {"refA": "ref"}, ("ref",), "news")


def test_columns_of_unequal_lengths_are_not_written(tmp_path: Path) -> None:
    judged = JudgedPair("xx-en", ["a", "b"], {"refA": ["a"]}, {}, {}, [("news", "1")] * 2)
    with pytest.raises(CupelError) as refusal:
        write_pair(tmp_path, judged, "mqm")
    assert str(refusal.value) == (
        "refA of xx-en: 2 lines expected, as in the sources of xx-en, 1 found."
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('"He said ""no"" to it."', 'He said "no" to it.'),
        ('"""No,"" he said."', '"No," he said.'),
        ('"""No."""', '"No."'),
        ('""No,"" he said. ""Never.""', '"No," he said. "Never."'),
        ('"No."', '"No."'),
        ('"No," he said.', '"No," he said.'),
        ("none", "none"),
        ('"', '"'),
        ("", ""),
    ],
)
def test_quotes_of_a_spreadsheet(text: str, plain: str) -> None:
    assert unquoted(text) == plain


def test_each_rater_has_the_places_of_errors() -> None:
    """In the text that is taken: what was marked in another one, or in an unknown place, is left out."""
    annotations = [
        *read(
            row("ref", 1, "r1", "one"),
            row("A", 1, "r1", "ein <v> kleiner </v>Satz", "Fluency/Grammar", "Minor"),
            row("A", 1, "r1", "ein kleiner <v>Satz</v>", "Accuracy/Mistranslation", "Critical"),
            row("A", 1, "r1", "ein kleiner Satz", "Accuracy/Omission", "Major"),
            row("A", 1, "r2", "ein kleiner Satz"),
            row("A", 1, "r3", "ein kleiner <v>Satz.</v>", "Fluency/Grammar", "Minor"),
        ),
        replace(read(row("A", 1, "r4", "ein kleiner Satz"))[0], span=UNKNOWN),
    ]
    judged = judged_pair("de-en", annotations, {"refA": "ref"}, ("ref",), "news", spans=True)
    assert [(one["rater"], one["score"]) for one in judged.ratings] == [("r1", -11.0), ("r2", -0.0)]
    assert judged.ratings[0]["errors"] == [
        {"start": 4, "end": 11, "severity": "minor"},
        {"start": 12, "end": 16, "severity": "major"},
        {"start": "missing", "end": "missing", "severity": "major"},
    ]
    assert judged.outputs == {"A": ["ein kleiner Satz"]}


@pytest.mark.parametrize(
    ("target", "span"),
    [
        ("a b", None),
        ("<v>a</v> b", (0, 1)),
        (" a  <v>b</v>", (2, 3)),
        ("a<v>  b </v>c", (2, 3)),
        ("a <v></v>b", (2, 2)),
        ("a <v> </v>b", (2, 2)),
    ],
)
def test_where_an_error_is(target: str, span: tuple[int, int] | None) -> None:
    assert span_of(target) == span
