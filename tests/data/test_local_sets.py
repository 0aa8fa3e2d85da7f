"""Test sets from folders and files of this machine: which are found, and what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

import packs
from cupel.data import load_test_set
from cupel.data.test_sets import list_test_sets, set_pairs
from cupel.data.test_sets.citations import citation
from cupel.data.test_sets.sacrebleu_sets import sacrebleu_tables
from cupel.data.wmt_names import Side, language_pairs, output_of, side_of, xml_of
from cupel.errors import CupelError
from sacrebleu_cache import write

SOURCE, TARGET = ["eins", "zwei"], ["one", "two"]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "no-cache"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("newstest2012-src.cs", Side("newstest2012", None, True, "cs")),
        ("newstest2014-deen-ref.en.sgm", Side("newstest2014", "de-en", False, "en")),
        ("newstestB2020-deen-ref.en.txt", Side("newstest2020", "de-en", False, "en", "B")),
        ("newsdiscusstest2015-enfr-src.en.sgm", Side("newsdiscusstest2015", "en-fr", True, "en")),
        ("newsdev2019-lten-ref.en.sgm", Side("newsdev2019", "lt-en", False, "en")),
        ("newstest2014.onlineA.0.de-en.sgm", None),
        ("notes.txt", None),
    ],
)
def test_names_of_sources_and_references(name: str, side: Side | None) -> None:
    assert side_of(Path(name)) == side


def test_names_of_outputs() -> None:
    path = Path("system-outputs/newstest2012/cs-en/newstest2012.cs-en.uk-dan-moses")
    assert output_of(path) == ("newstest2012", "cs-en", "newstest2012.cs-en.uk-dan-moses")
    flat = Path("newstest2019.online-A.0.en-de.sgm")
    assert output_of(flat) == ("newstest2019", "en-de", "newstest2019.online-A.0.en-de")
    assert output_of(Path("cs-en/newstest2013.ru-en.commercial-3~")) is None
    assert output_of(Path("newstest2021.en-de.all.xml")) is None
    assert xml_of(Path("wmttest2022.liv-en.all.xml")) == "wmttest2022"
    assert xml_of(Path("newstest2021.en-de.src.xml")) is None


def test_pairs_of_sets_with_one_text_for_all() -> None:
    names = [f"newstest2012-src.{language}" for language in ("cs", "de", "en")]
    sides = {side: Path(name) for name in names if (side := side_of(Path(name)))}
    pairs = {pair: (str(one), str(other)) for pair, (one, other) in language_pairs(sides).items()}
    assert pairs == {
        "cs-en": (names[0], names[2]),
        "de-en": (names[1], names[2]),
        "en-cs": (names[2], names[0]),
        "en-de": (names[2], names[1]),
    }
    # In 2014 the two directions of a pair had different texts.
    only = Side("newstest2014", "de-en", True, "de")
    assert (
        language_pairs({only: Path("a"), Side("newstest2014", "de-en", True, "en"): Path("b")})
        == {}
    )


def test_a_packed_dataset(tmp_path: Path, data: Path) -> None:
    folder = packs.build(tmp_path / "x", "wmt12")
    write(folder / "sources" / "newstest2012-src.de", ["ein\u00a0Hund ", "zwei  Hunde", "", "vier"])
    packs.pack_up(folder, data / "wmt12.tar.gz", "wmt12")
    assert [row.name for row in list_test_sets("de-en") if row.place] == ["wmt12", "sample"]
    assert not (tmp_path / "cache").exists()
    chosen = load_test_set("wmt12", "de-en")
    assert [row[0] for row in chosen.rows(["src"])] == ["ein Hund", "zwei Hunde", "", "vier"]
    corpus = chosen.corpus({"mine": ["a", "b", "c", "d"]})
    assert corpus.sources == ["ein Hund", "zwei Hunde", "", "vier"]
    assert corpus.test_set == {"test": "wmt12", "lang": "de-en"}
    assert set_pairs("wmt12")[:2] == ["cs-en", "de-en"]


def test_documents_that_are_no_table(data: Path) -> None:
    write(data / "mine" / "sources" / "de-en.txt", SOURCE)
    write(data / "mine" / "references" / "de-en.refA.txt", TARGET)
    path = write(data / "mine" / "documents" / "de-en.docs", ["news\tone", "two"])
    with pytest.raises(CupelError) as error:
        load_test_set("mine", "de-en")
    assert str(error.value) == f"{path}, line 2: a domain and a document were expected."


def test_lists_of_texts_from_python(data: Path) -> None:
    write(data / "mine" / "sources" / "de-en.txt", SOURCE)
    write(data / "mine" / "references" / "de-en.refA.txt", TARGET)
    with pytest.raises(CupelError) as error:
        load_test_set("mine", "de-en").corpus({"short": ["one"]})
    assert str(error.value) == "The test set mine (de-en) has 2 segments, but system 'short' has 1."


def test_every_set_of_wmt_has_a_citation() -> None:
    names = [name for name in sacrebleu_tables() if name.startswith("wmt") and name[3:5] > "11"]
    assert len(names) > 30
    for name in names:
        entry = citation(name)
        assert entry.startswith("@"), name
        assert entry.count("{") == entry.count("}"), name
