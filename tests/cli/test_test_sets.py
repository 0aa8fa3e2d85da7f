"""`cupel score -t`: test sets as people ask for them, and one sentence for whatever is not there."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import sacrebleu_cache
from cupel.cli import main
from sacrebleu_cache import Texts, write

SOURCE = ["Ein Hund.", "Zwei Katzen.", "Drei Vögel.", "Vier."]
TARGET = ["One dog sits.", "Two cats sit here.", "Three birds sang.", "Four of them."]
OTHER = ["A dog sits.", "Two cats sit there.", "Three birds sing.", "Four."]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of sacreBLEU with wmt17 and wmt19, a campaign `mine`, and files of translations."""
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "sacrebleu"))
    monkeypatch.chdir(tmp_path)
    cache = tmp_path / "sacrebleu" / "wmt17"
    fields = {"src": SOURCE, "ref": TARGET, "docid": ["a.1", "a.1", "b.2", "b.3"]}
    for field, lines in (fields | {"origlang": ["de", "de", "en", "de"]}).items():
        write(cache / f"wmt17.de-en.{field}", lines)
    write(tmp_path / "data" / "mine" / "sources" / "de-en.txt", SOURCE)
    for label, lines in (("A", TARGET), ("B", OTHER)):
        write(tmp_path / "data" / "mine" / "references" / f"de-en.ref{label}.txt", lines)
    write(tmp_path / "hyp.txt", OTHER)
    write(tmp_path / "short.txt", OTHER[:3])
    write(tmp_path / "ref.txt", TARGET)
    texts = Texts(SOURCE, TARGET, OTHER, OTHER)
    write(tmp_path / "set.xml", sacrebleu_cache.xml(texts, "x", domain=True))
    return tmp_path


@pytest.fixture
def cupel(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Runner:
    return Runner(monkeypatch, capsys)


class Runner:
    """Runs `cupel score` in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, command: str, status: int = 0) -> tuple[str, str]:
        self.monkeypatch.setattr("sys.argv", ["cupel", "score", *command.split()])
        with pytest.raises(SystemExit) as end:
            main()
        printed = self.capsys.readouterr()
        assert end.value.code == status, printed.err
        return printed.out, printed.err


def test_references_come_from_the_set(cupel: Runner) -> None:
    out, err = cupel("-t wmt17 -l de-en -i hyp.txt -m bleu chrf -w 4")
    by_files, _ = cupel("ref.txt -i hyp.txt -m bleu chrf -w 4")
    assert err == ""
    assert out.split("\n\n")[0] == by_files.split("\n\n")[0]
    assert out.replace("test:wmt17|lang:de-en|", "") == by_files
    assert "\nbleu|nrefs:1|test:wmt17|lang:de-en|case:mixed|" in out


def test_filters_and_intervals_in_the_signature(cupel: Runner) -> None:
    command = "-t wmt17 -l de-en -i hyp.txt --origlang de --subset ^a --ci --ci-n 50"
    out, _ = cupel(f"{command} -f json")
    assert json.loads(out)["signatures"]["bleu"].startswith(
        "nrefs:1|bs:50|seed:12345|test:wmt17|lang:de-en|origlang:de|subset:^a|case:mixed|"
    )


def test_several_sets_and_several_references(cupel: Runner, folder: Path) -> None:
    write(folder / "twice.txt", OTHER * 2)
    out, _ = cupel("-t mine,wmt17 -l de-en -i twice.txt")
    assert "bleu|nrefs:var|test:mine,wmt17|lang:de-en|" in out
    out, _ = cupel("-t mine -l de-en -i hyp.txt -b")
    assert out == "100.0\n"
    assert "|nrefs:1|test:mine/A|" in cupel("-t mine/A -l de-en -i hyp.txt")[0]


def test_echo(cupel: Runner, folder: Path) -> None:
    assert cupel("-t wmt17 -l de-en --echo src")[0].splitlines() == SOURCE
    assert cupel("-t wmt17 -l de-en --echo docid ref --subset ^b")[0] == (
        "b.2\tThree birds sang.\nb.3\tFour of them.\n"
    )
    assert cupel("-t mine -l de-en --echo ref")[0].splitlines() == TARGET
    assert cupel("-t wmt17 -l de-en --echo all -o all.tsv") == ("", "")
    assert (folder / "all.tsv").read_text("utf-8").splitlines()[
        0
    ] == "Ein Hund.\tOne dog sits.\ta.1\tde"


def test_list(cupel: Runner, folder: Path) -> None:
    out, _ = cupel("--list")
    assert out.startswith(
        "Test sets that are here:\nwmt17               : Official evaluation data. "
    )
    assert "\nmine                : a test set that was added (de-en)\n" in out
    assert "(`cupel data get wmt13`)\n" in out
    rows = list(csv.DictReader(io.StringIO(cupel("--list -f tsv")[0]), delimiter="\t"))
    by_name = {row["name"]: row for row in rows}
    assert (by_name["wmt17"]["pairs"], by_name["wmt17"]["here"]) == ("de-en", "true")
    assert by_name["wmt17"]["place"] == f"{folder}/sacrebleu/wmt17"
    assert (by_name["wmt12"]["here"], by_name["wmt12"]["command"]) == (
        "false",
        "cupel data get wmt12",
    )
    assert "mine" in cupel("--list -l de-en")[0]
    assert "mine" not in cupel("--list -l de-fr")[0]
    assert cupel("--list -t wmt17")[0] == "de-en: src, ref, docid, origlang\n"


def test_xml_as_a_path(cupel: Runner) -> None:
    out, _ = cupel("-t set.xml -i hyp.txt")
    assert "bleu|nrefs:2|test:set.xml|lang:de-en|" in out
    assert "|nrefs:1|test:set.xml:C|" in cupel("-t set.xml:C -i hyp.txt")[0]
    assert cupel("-t set.xml --echo ref:A --subset news")[0].splitlines() == TARGET
    assert cupel("--list -t set.xml -l de-en")[0].startswith("de-en: src, ref:A, ref:C, docid, ")


def test_cite(cupel: Runner) -> None:
    out, _ = cupel("-t wmt14 --cite")
    assert (
        "  title = {{Findings of the 2014 Workshop on Statistical Machine Translation}},\n" in out
    )
    assert "  url = {https://aclanthology.org/W14-3302},\n" in out
    assert cupel("--cite -t wmt19/google/ar")[0].startswith("@misc{freitag2020bleu,")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("-t nothing -l de-en", "There is no test set 'nothing'; `cupel score --list` lists those that "
         "are here."),
        ("-t wmt71 -l de-en", "There is no test set 'wmt71'; `cupel score --list` lists those that are "
         "here; did you mean 'wmt17'?"),
        ("-t wmt13 -l de-en", "The test set wmt13 is not here: run `cupel data get wmt13`."),
        ("-t wmt14/full -l de-en", "The test set wmt14/full is not here: run `sacrebleu --download "
         "wmt14/full -l de-en`, which puts it into sacreBLEU's cache ({folder}/sacrebleu), or `cupel data "
         "add` a copy of it."),
        ("-t wmt18 -l de-en", "The test set wmt18 is not here: run `sacrebleu --download wmt18 -l de-en`, "
         "which puts it into sacreBLEU's cache ({folder}/sacrebleu), or `cupel data add` a copy of it."),
        ("-t wmt17 -l de-xx", "The test set wmt17 has no language pair 'de-xx'; it has de-en."),
        ("-t wmt17 -l en-fi", "The test set wmt17 is not here in en-fi: run `sacrebleu --download wmt17 -l "
         "en-fi`, which puts it into sacreBLEU's cache ({folder}/sacrebleu), or `cupel data add` a copy of "
         "it."),
        ("-t wmt16/B -l de-xx", "The test set wmt16/B has no language pair 'de-xx'; it has en-fi."),
        ("-t mine -l en-de", "The test set mine has no language pair 'en-de'; it has de-en."),
        ("-t mine/AX -l de-en", "The test set mine/AX has no reference 'X' for de-en; it has ref:A, "
         "ref:B."),
        ("-t mine", "The test set mine needs a language pair (-l): it has de-en."),
        ("-t wmt17 -l de-en --subset xyz", "No segment of the test set wmt17 (de-en) has --subset xyz."),
        ("-t wmt17 -l de-en --subset (", "--subset '(' is not a regular expression: missing ), "
         "unterminated subpattern at position 0."),
        ("-t mine -l de-en --origlang de", "The test set mine (de-en) does not name original languages."),
        ("-t mine -l de-en --subset x", "The test set mine (de-en) names neither documents nor domains "
         "for --subset."),
        ("-t wmt17 -l de-en -i short.txt", "The test set wmt17 (de-en) has 4 segments, but short.txt has "
         "3."),
        ("ref.txt -t wmt17 -l de-en", "The references come from the test set wmt17 (-t): leave out "
         "ref.txt, or -t."),
        ("-t wmt17 -l de-en -s ref.txt", "The source text comes from the test set wmt17 (-t): leave out "
         "-s."),
        ("-t wmt17 -l de-en -nr 2", "--num-refs is for a file of references: leave it out with -t."),
        ("-t wmt17 -l de-en --echo domain", "The test set wmt17 (de-en) has no field 'domain'; it has "
         "'src', 'ref', 'docid', 'origlang'."),
        ("-t wmt17 -l de-en --echo all src", "The field 'all' stands for every field: name no other "
         "beside it."),
        ("--echo src", "--echo needs a test set (-t); `cupel score --list` lists them."),
        ("ref.txt --subset x", "--subset needs a test set (-t); `cupel score --list` lists them."),
        ("-t mine --cite", "There is no citation for the test set 'mine': see where it was published."),
        ("-t set.xml -l de-fr", "set.xml has the language pair de-en, not de-fr."),
        ("-t set.xml:B", "set.xml has no reference by 'B'; it has ref:A, ref:C."),
        ("-t gone.xml", "gone.xml does not exist."),
    ],
)  # fmt: skip
def test_one_sentence(cupel: Runner, folder: Path, command: str, sentence: str) -> None:
    inputs = "" if "-i" in command or "--echo" in command else " -i hyp.txt"
    out, err = cupel(command + inputs, status=2)
    assert (out, err) == ("", f"cupel: {sentence.format(folder=folder)}\n")


def test_a_damaged_cache(cupel: Runner, folder: Path) -> None:
    place = folder / "sacrebleu" / "wmt17"
    write(place / "wmt17.de-en.ref", TARGET[:2])
    sentence = (
        "cupel: The test set wmt17 (de-en) is damaged: its field ref has 2 segments, the source has 4 (in "
        f"{place}): remove it and get it again.\n"
    )
    assert cupel("-t wmt17 -l de-en -i hyp.txt", status=2)[1] == sentence
    (place / "wmt17.de-en.ref").write_bytes(b"\xff\n")
    assert "line 1" in cupel("-t wmt17 -l de-en -i hyp.txt", status=2)[1]
    for path in place.iterdir():
        path.unlink()
    raw = place / "raw" / "test"
    lines = sacrebleu_cache.sgm(SOURCE, "src", "wmt17")
    write(raw / "newstest2017-deen-src.de.sgm", lines[:-2])
    write(raw / "newstest2017-deen-ref.en.sgm", lines)
    assert cupel("-t wmt17 -l de-en -i hyp.txt", status=2)[1] == (
        f"cupel: {raw}/newstest2017-deen-src.de.sgm is cut off: its last document is not closed with "
        "</doc>.\n"
    )


def test_a_cut_xml(cupel: Runner, folder: Path) -> None:
    content = (folder / "set.xml").read_text("utf-8")
    (folder / "set.xml").write_text(content[: len(content) // 2], encoding="utf-8")
    assert cupel("-t set.xml -i hyp.txt", status=2)[1] == (
        "cupel: set.xml is cut off: <dataset> is not closed at its end.\n"
    )


def test_the_sample_is_a_test_set_like_others(cupel: Runner) -> None:
    """What comes with Cupel is listed, has fields and a citation."""
    listed = [line.split("\t") for line in cupel("--list -f tsv")[0].splitlines()]
    assert ["sample", "de-en en-de zh-en"] in [[row[0], row[2]] for row in listed]
    assert cupel("-t sample -l de-en --list")[0] == "de-en: src, ref:A, docid, domain\n"
    assert "2024.acl-short.45" in cupel("-t sample --cite")[0]
