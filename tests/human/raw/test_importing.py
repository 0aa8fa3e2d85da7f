"""Raw annotations as a folder of mt-metrics-eval: scores, texts, references, ratings, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.human.evalset import read_evalset
from cupel.human.raw.importing import Report, import_annotations, read_rated
from cupel.human.raw.rated import Rated
from cupel.human.raw.texts import human_name
from cupel.questions.human import ImportHuman, RawAnnotations

HEADER = "system doc doc_id seg_id rater source target category severity"
ROWS = """\
A | d | 1 | 10 | r1 | one | <v>eins</v> x | Style | Major
A | d | 1 | 10 | r2 | one | eins <v>x</v> | Fluency/Punctuation | Minor
A | d | 2 | 11 | r1 | two | zwei | No-error | No-error
B | d | 1 | 10 | r1 | one | ein | No-error | No-error
B | d | 1 | 10 | r2 | one | <v>ein</v> | Style | Minor
B | e | 1 | 9 | r2 | nil | <v>null</v> | Non-translation! | Major
ref | d | 1 | 10 | r1 | one | eines | No-error | No-error
ref | d | 2 | 11 | r1 | two | zwo | No-error | No-error
ref | e | 1 | 9 | r1 | nil | nichts | No-error | No-error
ref-B | d | 1 | 10 | r1 | one | einst | No-error | No-error
"""


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "mqm_ende.tsv"
    text = HEADER.replace(" ", "\t") + "\n" + ROWS.replace(" | ", "\t")
    path.write_text(text, encoding="utf-8")
    return path


def imported(raw: Path, folder: Path | None = None, **fields: Any) -> tuple[Path, Report]:
    folder = folder or raw.parent / f"set{len(list(raw.parent.iterdir()))}"
    return folder, import_annotations(ImportHuman(files=(str(raw),), folder=folder, **fields))


def read_scores(path: Path, **fields: Any) -> list[Rated]:
    pairs, _ = read_rated(RawAnnotations(files=(str(path),), **fields))
    return [scores for _, scores in pairs]


def test_scores_are_averaged_over_raters_and_segments_in_order(raw: Path) -> None:
    folder, report = imported(raw)
    campaign = read_evalset(folder, "en-de")
    scores = campaign.human["mqm"]
    assert campaign.corpus.sources == ["nil", "one", "two"]
    np.testing.assert_array_equal(scores.segment_scores["A"], [np.nan, -2.55, 0])
    np.testing.assert_array_equal(scores.segment_scores["B"], [-25, -0.5, np.nan])
    assert scores.system_scores == {"A": -1.275, "B": -12.75, "refA": 0, "refB": 0}
    assert campaign.corpus.systems["A"] == ["", "eins x", "zwei"]
    assert report.rows == [
        {"pair": "en-de", "name": "mqm", "scheme": "google", "systems": 4, "segments": 3,
         "references": "refA", "raters": 2, "judgments": 10, "translations": 8, "shared": 2}
    ]  # fmt: skip
    assert (folder / "documents/en-de.docs").read_text() == "mqm\te\nmqm\td\nmqm\td\n"


def test_a_complete_human_translation_is_a_reference(raw: Path) -> None:
    folder, _ = imported(raw)
    assert read_evalset(folder, "en-de").references == {"refA": ["nichts", "eines", "zwo"]}
    assert (folder / "system-outputs/en-de/refB.txt").read_text() == "\neinst\n\n"
    folder, _ = imported(raw, references=("A",))
    assert not (folder / "references").exists()
    with pytest.raises(CupelError, match="There is no system 'C'"):
        imported(raw, references=("C",))
    raw.write_text(raw.read_text().replace("ref-B", "ref.A"))
    with pytest.raises(CupelError, match=r"Two references are called 'refA': 'ref' and 'ref\.A'"):
        imported(raw)


@pytest.mark.parametrize(
    ("system", "name"),
    [("ref", "refA"), ("refC", "refC"), ("ref.A", "refA"), ("Human-P.0", "refP"),
     ("reference", "refA"), ("Online-A", None), ("refiner", None), ("human-like", None)],
)  # fmt: skip
def test_names_of_human_translations(system: str, name: str | None) -> None:
    assert human_name(system) == name


def test_sums_names_and_other_weights(raw: Path) -> None:
    folder, _ = imported(raw, over_raters="sum", name="mine")
    scores = read_evalset(folder, "en-de").human["mine"].segment_scores
    assert scores["A"][1] == -5.1
    folder, _ = imported(raw, scheme="unbabel")
    assert read_evalset(folder, "en-de").human["mqm"].segment_scores["A"][1] == -3


def test_z_scores_have_mean_0_and_deviation_1(raw: Path) -> None:
    [rated] = read_scores(raw, standardize=True)
    first = rated.scores["r1"]
    judged = first[np.isfinite(first)]
    assert judged.mean() == pytest.approx(0)
    assert judged.std(ddof=1) == pytest.approx(1)
    # r2 gave -0.1, -1 and -25: the mean is -8.7, the variance (8.6^2 + 7.7^2 + 16.3^2) / 2.
    assert rated.scores["r2"][0, 1] == pytest.approx(8.6 / np.sqrt(199.47))
    folder, _ = imported(raw, standardize=True)
    assert list(read_evalset(folder, "en-de").human) == ["mqm-z"]


def test_ratings_are_written_and_read_again(raw: Path) -> None:
    folder, _ = imported(raw)
    lines = (folder / "human-scores/en-de.mqm.r2.seg.rating").read_text().splitlines()
    assert len(lines) == 4 * 3
    system, rating, rater = lines[1].split("\t")
    assert (system, rater) == ("A", "r2")
    assert json.loads(rating) == {
        "errors": [{"start": 5, "end": 6, "category": "Fluency/Punctuation", "severity": "Minor",
                    "score": None, "is_source_error": False}]
    }  # fmt: skip
    [raw_scores] = read_scores(raw)
    [again] = read_scores(folder)
    assert again.places == [("", "1"), ("", "2"), ("", "3")]
    for rater in ("r1", "r2"):
        np.testing.assert_array_equal(again.scores[rater], raw_scores.scores[rater])
    second, _ = imported(raw.parent / folder.name)
    for path in folder.rglob("*.*"):
        if path.is_file():
            assert (second / path.relative_to(folder)).read_bytes() == path.read_bytes(), path


def test_ratings_of_raters_who_share_nothing_are_merged_too(raw: Path) -> None:
    folder, _ = imported(raw)
    assert not list(folder.glob("human-scores/*merged*"))
    raw.write_text("".join(line for line in raw.open() if "\tr1\tone" not in line))
    folder, _ = imported(raw, anonymous=True)
    assert len(list(folder.glob("human-scores/en-de.mqm.*.seg.rating"))) == 3


def test_texts_of_a_folder_place_the_judgments(raw: Path) -> None:
    base, _ = imported(raw)
    for path in (base / "human-scores").iterdir():
        path.unlink()
    # The line with the number 1 has another source, so the source decides.
    raw.write_text(raw.read_text().replace("\t10\t", "\t1\t").replace("A\td", "a\td"))
    folder, report = imported(raw, texts=base)
    scores = read_evalset(folder, "en-de").human["mqm"].segment_scores
    np.testing.assert_array_equal(scores["A"], [np.nan, -2.55, 0])
    assert report.notes == []
    raw.write_text(raw.read_text().replace("nil", "nought"))
    with pytest.raises(CupelError, match=r"line 7: segment 9 is not in .* no line with its number"):
        imported(raw, texts=base)
    raw.write_text(raw.read_text().replace("nought", "nil").replace("B\t", "C\t"))
    with pytest.raises(CupelError, match=r"line 5: .* has no output of system 'C'"):
        imported(raw, texts=base)


def test_texts_that_differ_and_texts_that_are_missing(raw: Path) -> None:
    raw.write_text(raw.read_text().replace("B\td\t1\t10\tr1\tone", "B\td\t1\t10\tr1\tonce"))
    with pytest.raises(
        CupelError, match=r"line 5: the source of segment 10 is 'once', but 'one' in"
    ):
        imported(raw)
    _, report = imported(raw, lenient=True)
    assert report.notes == [
        "2 rows with another source than the first of their segment, which is used"
    ]
    export = raw.with_name("x.csv")
    export.write_text("u,A,1,TGT,eng,deu,5\n")
    with pytest.raises(CupelError, match=r"line 1: there is no text of segment 1 and system 'A'"):
        imported(export)


def test_scores_that_people_gave(raw: Path) -> None:
    rows = [
        {"user_id": user, "item_i": 0, "item": [{"item_id": "1", "src": "s\nt", "ref": "u",
         "tgt": {"A": "v", "B": "w"}}],
         "annotation": [{"A": {"score": first}, "B": {"score": second}}]}
        for user, first, second in (("u", 50, 70), ("v", 90, None))
    ]  # fmt: skip
    log = raw.with_name("en-de.jsonl")
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder, report = imported(log)
    campaign = read_evalset(folder, "en-de")
    assert campaign.references == {"refA": ["u"]}
    assert campaign.corpus.sources == ["s t"]
    assert campaign.human["da"].system_scores == {"A": 70, "B": 70}
    assert report.notes == ["1 judgments without a score, left out"]
    [again] = read_scores(folder)
    assert again.scores["v"].tolist()[0] == [90]


def test_what_a_killed_run_had_finished_is_there(raw: Path, tmp_path: Path) -> None:
    folder, first = imported(raw, tmp_path / "there")
    _, again = imported(raw, folder)
    assert again.rows == first.rows
    assert again.notes == [f"{folder} has just this already, and is left as it is", *first.notes]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_nothing_is_written_over(raw: Path, tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    imported(raw, folder)
    (folder / "sources" / "en-de.txt").write_text("another\n")
    with pytest.raises(CupelError, match="there exists already; choose the name of a new folder"):
        imported(raw, folder)
    raw.write_text(raw.read_text().replace("A\t", "a/b\t"))
    with pytest.raises(CupelError, match="The system 'a/b' cannot be the name of a file"):
        imported(raw, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    raw.write_text(raw.read_text().replace("a/b\t", "a\0b\t"))
    with pytest.raises(CupelError, match=r"The system 'a.x00b' cannot be the name of a file"):
        imported(raw, tmp_path / "new")
    with pytest.raises(CupelError, match=r"The name '\.\./x' cannot be the name of a file"):
        imported(raw, tmp_path / "new", name="../x")
