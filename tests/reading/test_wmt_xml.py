"""The XML of WMT by fields; on real files of 2021 it gives what sacreBLEU's reader gives (oracles)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cupel.errors import CupelError
from cupel.reading.wmt_xml import read_wmt_xml

WHOLE = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021">
  <doc origlang="de" id="first" domain="news">
    <src lang="de"><p><seg id="2">Zwei  &amp; drei</seg><seg id="1">Eins</seg></p></src>
    <ref lang="en" translator="A"><p><seg id="1">One</seg><seg id="2">Two &amp; three</seg></p></ref>
    <hyp lang="en" system="Online-A"><p><seg id="1">One.</seg><seg id="2"></seg></p></hyp>
  </doc>
  <doc origlang="en" id="suite" testsuite="gender">
    <src lang="de"><p><seg id="1">Nicht dabei</seg></p></src>
  </doc>
  <doc origlang="en" id="second" domain="social">
    <src lang="de"><p><seg id="1">Vier</seg><seg id="2">ohne Referenz</seg></p></src>
    <ref lang="en" translator="B"><p><seg id="1">Four</seg></p></ref>
  </doc>
</dataset>
"""


def written(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "set.xml"
    path.write_text(content, encoding="utf-8")
    return path


def test_fields(tmp_path: Path) -> None:
    content = read_wmt_xml(written(tmp_path, WHOLE))
    assert (content.pair, content.references) == ("de-en", ["ref:A", "ref:B"])
    assert content.fields == {
        "src": ["Eins", "Zwei & drei", "Vier"],
        "ref:A": ["One", "Two & three", ""],
        "ref:B": ["", "", "Four"],
        "docid": ["first", "first", "second"],
        "origlang": ["de", "de", "en"],
        "Online-A": ["One.", "", ""],
        "domain": ["news", "news", "social"],
    }


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("</doc>\n</dataset>\n", "", " is cut off: <dataset> is not closed at its end."),
        ("</doc>\n</dataset>", "</dataset>", ": the last <doc> is not closed."),
        ('<src lang="de"><p><seg id="1">Vier', '<src lang="fr"><p><seg id="1">Vier',
         " mixes languages in one source: de, fr."),
        ('id="2">Zwei', 'id="b">Zwei',
         ", line 4: a segment's id is 'b', but it must be a number."),
        ("<dataset id", '<!ENTITY big "x"><dataset id',
         ", line 2: entity declarations (<!ENTITY) are refused; write the characters themselves."),
        ("</p></hyp>", "</p></hyp><seg id='1'>x</seg>",
         ", line 6: a segment is outside of any <src>, <ref> or <hyp>."),
        ("<dataset", "<refset", " is cut off: <refset> is not closed at its end."),
    ],
)  # fmt: skip
def test_bad_files_are_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in WHOLE
    path = written(tmp_path, WHOLE.replace(old, new, 1))
    with pytest.raises(CupelError) as error:
        read_wmt_xml(path)
    assert str(error.value) == f"{path}{sentence}"


def test_a_file_without_references_or_elements(tmp_path: Path) -> None:
    for content, sentence in (
        ("plain text", " is no XML: it has no elements."),
        ("<dataset></dataset>", " holds no <src>."),
    ):
        path = written(tmp_path, content)
        with pytest.raises(CupelError) as error:
            read_wmt_xml(path)
        assert str(error.value) == f"{path}{sentence}"


def test_an_entity_bomb_is_not_expanded(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    path = written(tmp_path, WHOLE.replace("<dataset", f"{bomb}<dataset", 1))
    with pytest.raises(CupelError, match="entity declarations"):
        read_wmt_xml(path)
