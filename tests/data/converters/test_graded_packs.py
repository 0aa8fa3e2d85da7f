"""Converters without the public files: packs in the public form again, and files that are refused."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import snapshots
from cupel.data import DATASETS
from cupel.data.converters import bio_mqm, graded, mlqe, mqm22
from cupel.errors import CupelError
from cupel.reading import read_lines

MENLI = "experiments/datasets"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def lines(items: list[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_lines(path)]


def rankings(pack: Path, sources: Path) -> None:
    """A task file for each language pair, and all results in one."""
    results = ElementTree.Element("WMT15-results")
    long = {"cs": "ces", "de": "deu", "fi": "fin", "fr": "fre", "ru": "rus"}
    for path in sorted(pack.glob("*.jsonl")):
        languages = {"source-language": long[path.stem[:2]], "target-language": "eng"}
        tasks = ElementTree.Element("hits")
        for one in records(path):
            segment = ElementTree.SubElement(ElementTree.SubElement(tasks, "hit", languages), "seg")
            ElementTree.SubElement(segment, "source", id=str(one["seg"])).text = str(one["source"])
            ElementTree.SubElement(segment, "reference").text = str(one["reference"])
            hit = ElementTree.SubElement(results, "HIT", languages)
            task = ElementTree.SubElement(hit, "ranking-task", id=str(one["seg"]))
            ElementTree.SubElement(task, "ranking-result")  # skipped by the judge
            result = ElementTree.SubElement(task, "ranking-result")
            for system, text, rank in one["items"]:
                ElementTree.SubElement(segment, "translation", system=system).text = text
                ElementTree.SubElement(result, "translation", system=system, rank=str(rank))
        name = f"wmt15data/full-batches/WMT15.batch01.{path.stem}.xml"
        write(sources / "cfedermann/Appraise" / name, ElementTree.tostring(tasks, "unicode"))
    other = {"source-language": "eng", "target-language": "deu"}
    ElementTree.SubElement(results, "HIT", other)
    archive = sources / "mjpost/wmt15/data/wmt15.xml.gz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(gzip.compress(ElementTree.tostring(results, "utf-8"), 1))


def assessed_2015(pack: Path, sources: Path) -> None:
    fields = {"source": "source", "reference": "reference", "mt-system": "hypothesis"}
    folder = sources / "cyr19/MENLI" / MENLI / "DAseg-wmt-newstest2015"
    for path in pack.glob("*.jsonl"):
        for kind, field in {**fields, "human": "score"}.items():
            column = [str(one[field]) for one in records(path)]
            write(folder / f"newstest2015.{kind}.{path.stem}", lines(column))


def assessed_2017(pack: Path, sources: Path) -> None:
    """Line i of all texts is translation i, by one system or by two."""
    folder = sources / "cyr19/MENLI" / MENLI / "WMT17"
    table = ["LP DATA SYSTEM SID HUMAN"]
    for path in sorted(pack.glob("*.jsonl")):
        source, target = path.stem.split("-")
        rows = records(path)
        stem = f"newstest2017-{source}{target}"
        write(folder / f"sources/{stem}-src.{source}", lines([str(r["source"]) for r in rows]))
        write(
            folder / f"references/{stem}-ref.{target}", lines([str(r["reference"]) for r in rows])
        )
        outputs = folder / f"system-outputs/newstest2017/{path.stem}"
        write(
            outputs / f"newstest2017.A.1.{path.stem}", lines([str(r["hypothesis"]) for r in rows])
        )
        for number, one in enumerate(rows, start=1):
            system = ("A.1", "gone.2+A.1", "A.1+gone.2")[number % 3]
            table.append(f"{path.stem} newstest2017 {system} {number} {one['score']}")
            table.append(f"{path.stem} newstest2017 gone.2 {number} 0.5")
    write(folder / "DA-seglevel.csv", lines(table))


def news_2021(pack: Path, sources: Path) -> None:
    texts = sources / "wmt-conference/wmt21-news-systems/txt"
    for pair in ("zh-en", "en-de"):
        source, target = pair.split("-")
        stem = f"newstest2021.{pair}"
        write(
            texts / f"sources/{stem}.src.{source}", lines(read_lines(pack / f"sources/{pair}.txt"))
        )
        for path in pack.glob(f"references/{pair}.ref*.txt"):
            name = path.name.removeprefix(f"{pair}.ref").removesuffix(".txt")
            write(texts / f"references/{stem}.ref.{name}.{target}", lines(read_lines(path)))
        # A reference of some documents only is left out.
        write(texts / f"references/{stem}.ref.B.{target}", "one line\n")
        for path in (pack / f"system-outputs/{pair}").iterdir():
            name = f"system-outputs/{stem}.hyp.{path.stem}.{target}"
            write(texts / name, lines(read_lines(path)))
        write(texts / f"system-outputs/{stem}.hyp.unjudged.{target}", "x\n")
        short = pair.replace("-", "")
        table = ["system mqm_avg_score seg_id"]
        count: dict[str, int] = {}
        for row in read_lines(pack / f"human-scores/{pair}.mqm.seg.score"):
            system, score = row.split("\t")
            count[system] = count.get(system, 0) + 1
            table.append(f"{system.upper()}\t{score} {count[system]}")
        table += ["ref-A\t-1.5 1", "unjudged\tNone 1"]
        name = f"newstest2021/{short}/mqm_newstest2021_{short}.avg_seg_scores.tsv"
        write(sources / "google/wmt-mqm-human-evaluation" / name, lines(table))


FORMS: Mapping[str, Callable[[Path, Path], None]] = {
    "wmt15-rankings": rankings,
    "da15": assessed_2015,
    "da17": assessed_2017,
    "mqm21": news_2021,
}


def build(name: str, sources: Path, target: Path) -> Path:
    target.mkdir(exist_ok=True)
    DATASETS[name].convert(
        {one.name: sources / one.name for one in DATASETS[name].repositories}, target
    )
    return target


@pytest.mark.parametrize("name", FORMS)
def test_a_pack_is_built_again(name: str, tmp_path: Path, pack: Callable[[str], Path]) -> None:
    FORMS[name](pack(name), tmp_path / "sources")
    built = build(name, tmp_path / "sources", tmp_path / "built")
    assert snapshots.differences(built, pack(name)) == []


def refusal(name: str, tmp_path: Path) -> str:
    """The sentence, with paths inside the sources."""
    with pytest.raises(CupelError) as refused:
        build(name, tmp_path, tmp_path / "built")
    return str(refused.value).replace(f"{tmp_path}/", "")


def test_rankings_that_are_refused(tmp_path: Path) -> None:
    task = tmp_path / "cfedermann/Appraise/wmt15data/full-batches/x.cs-en.xml"
    write(task, "<hits><hit>")
    assert refusal("wmt15-rankings", tmp_path).startswith(
        "cfedermann/Appraise/wmt15data/full-batches/x.cs-en.xml is not XML: "
    )
    languages = 'source-language="ces" target-language="eng"'
    write(task, f"<hits><hit {languages}><seg/></hit></hits>")
    assert refusal("wmt15-rankings", tmp_path).endswith("x.cs-en.xml: a segment has no source.")
    write(task, f'<hits><hit {languages}><seg><source id="7">s</source></seg></hit></hits>')
    ranks = tmp_path / "mjpost/wmt15/data/wmt15.xml.gz"
    ranks.parent.mkdir(parents=True)
    items = '<translation system="a" rank="1"/><translation system="b" rank="2"/>'
    result = f'<ranking-task id="7"><ranking-result>{items}</ranking-result></ranking-task>'
    ranks.write_bytes(gzip.compress(f"<r><HIT {languages}>{result}</HIT></r>".encode()))
    assert refusal("wmt15-rankings", tmp_path) == (
        "mjpost/wmt15/data/wmt15.xml.gz, segment 7 of cs-en: no text or no rank of 'a'."
    )


def test_assessments_that_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "cyr19/MENLI" / MENLI
    for kind in ("source", "reference", "mt-system", "human"):
        write(folder / f"DAseg-wmt-newstest2015/newstest2015.{kind}.cs-en", "0.5\n")
    human = "DAseg-wmt-newstest2015/newstest2015.human.cs-en"
    write(folder / human, "0.5\n1\n")
    assert refusal("da15", tmp_path).startswith(f"cyr19/MENLI/{MENLI}/{human}: 1 lines expected, ")
    write(folder / human, "good\n")
    assert refusal("da15", tmp_path) == (
        f"cyr19/MENLI/{MENLI}/{human}, line 1: the score is 'good' where a number was expected."
    )
    table = f"cyr19/MENLI/{MENLI}/WMT17/DA-seglevel.csv"
    write(tmp_path / table, "LP DATA SYSTEM SID HUMAN\ncs-en newstest2017 A.1 one 0.5\n")
    assert refusal("da17", tmp_path) == (
        f"{table}, line 2: the line is 'one' where a number was expected."
    )
    write(tmp_path / table, "LP DATA SYSTEM SID HUMAN\ncs-en newstest2017\n")
    assert refusal("da17", tmp_path) == (
        f"{table}, line 2: 5 fields were expected, as in the header, but 2 were found."
    )


def test_a_line_that_no_text_has_is_refused(tmp_path: Path) -> None:
    folder = f"cyr19/MENLI/{MENLI}/WMT17"
    write(tmp_path / folder / "sources/newstest2017-csen-src.cs", "one\n")
    write(tmp_path / folder / "references/newstest2017-csen-ref.en", "one\n")
    write(tmp_path / folder / "system-outputs/newstest2017/cs-en/newstest2017.A.1.cs-en", "one\n")
    write(tmp_path / folder / "DA-seglevel.csv", "LP X Y Z HUMAN\ncs-en newstest2017 A.1 2 0.5\n")
    assert refusal("da17", tmp_path) == (
        f"{folder}/DA-seglevel.csv, line 2: there is no line 2 in newstest2017.A.1.cs-en."
    )


@pytest.mark.parametrize("row", ["A\t-1.0", "A\tgood 1", "A\t-1.0 3", "A\t-1.0 0", "A\t-1 -1"])
def test_scores_that_are_refused(tmp_path: Path, row: str) -> None:
    texts = tmp_path / "wmt-conference/wmt21-news-systems/txt"
    write(texts / "sources/newstest2021.zh-en.src.zh", "one\ntwo\n")
    write(texts / "system-outputs/newstest2021.zh-en.hyp.A.en", "one\ntwo\n")
    table = (
        "google/wmt-mqm-human-evaluation/newstest2021/zhen/mqm_newstest2021_zhen.avg_seg_scores.tsv"
    )
    write(tmp_path / table, f"system mqm_avg_score seg_id\n{row}\n")
    assert refusal("mqm21", tmp_path) == (
        f"{table}, line 2: a system, a score and a segment of 2 were expected."
    )


def judged(target: str, *errors: tuple[str, str, str], source: str = "Satz") -> dict[str, object]:
    names = ("error_category", "error_subcategory", "severity")
    marked = [dict(zip(names, error, strict=True)) for error in errors]
    texts = {"source": source, "target": target, "DOC_ID": "doc7"}
    return {**texts, "target_errors": marked, "source_errors": []}


def test_bio_segments_are_joined_by_their_source(tmp_path: Path) -> None:
    files = {
        "de2en/reference": [judged("one", source="eins"), judged("", source="zwei")],
        "de2en/reference_r1": [judged("un", source="eins"), judged("two", source="zwei")],
        "de2en/A": [
            judged("two", ("Accuracy", "Omission", "Major"), source=" zwei"),
            judged("two", ("Fluency", "Punctuation", "Minor"), source="zwei "),
            judged("drei", source="nobody translated it"),
        ],
        "de2en/B": [
            judged(" ", source="eins"),
            judged("2", ("Other", "", "Neutral"), source="zwei"),
        ],
        "en2eu/reference": [judged("bat")],
    }
    root = tmp_path / "amazon-science/bio-mqm-dataset" / "data/v2/target/main_phase/round_two"
    for name, content in files.items():
        write(root / f"{name}.json", json.dumps(content))
    built = build("bio21", tmp_path, tmp_path / "built")
    texts = {
        path.relative_to(built).as_posix(): path.read_text("utf-8")
        for path in built.rglob("*.*")
        if path.is_file() and path.name != "README.md"
    }
    assert texts == {
        "sources/de-en.txt": "eins\nzwei\n",
        "references/de-en.refA.txt": "one\ntwo\n",
        "system-outputs/de-en/A.txt": "\ntwo\n",
        "system-outputs/de-en/B.txt": "\n2\n",
        "documents/de-en.docs": "bio21\tdoc7\nbio21\tdoc7\n",
        "human-scores/de-en.mqm.seg.score": "A\tNone\nA\t-2.55\nB\tNone\nB\t-0.0\n",
    }


def test_segments_of_a_document_follow_each_other() -> None:
    names = ["doc1", "doc1", "doc2", "doc1", "doc2", "doc2", "doc1"]
    assert list(bio_mqm._documents(names)) == [
        "doc1", "doc1", "doc2", "doc1.2", "doc2.2", "doc2.2", "doc1.3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[", "x.json, line 1, column 2: this is not JSON"),
        ("{}", ""),
        ('[{"source": "a"}]', "x.json: a list of translations with source, target, errors "),
        ("[3]", "x.json: a list of translations with source, target, errors "),
        ("3", "x.json: a list of translations with source, target, errors "),
    ],
)
def test_bio_files_that_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "x.json"
    write(path, content)
    if not sentence:
        assert bio_mqm.read_judged(path) == []
        return
    with pytest.raises(CupelError) as refused:
        bio_mqm.read_judged(path)
    assert str(refused.value).startswith(f"{tmp_path}/{sentence}")


def packed(path: Path, files: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"folder/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It isn 't well @-@ known , he &quot; said &quot; .", 'It isn \'t well-known, he "said".'),
        ("( a &amp; b ) costs $ 5 %", "(a & b) costs $5%"),
        ("Peter 's « word »", "Peter's «word»"),
        ("we do n't &#91; now &#93;", "we don't [now]"),
    ],
)
def test_detokenized(text: str, plain: str) -> None:
    assert mlqe.detokenized(text) == plain
    assert mlqe.detokenized("你 好 ，世 界", chinese=True) == "你好，世界"


def test_post_edits_are_joined_by_their_source(tmp_path: Path) -> None:
    data = tmp_path / "sheffieldnlp/mlqe-pe/data"
    header = "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\n"
    for pair in ("et-en", "ne-en", "ro-en", "ru-en", "si-en", "en-de", "en-zh"):
        for part in ("train", "dev"):
            table = f'0\tTere, "{part}"!\tHello\t[1]\t1\t[1]\t0.25\n1\tmuu\tx\t[1]\t1\t[1]\t-1\n'
            packed(
                data / f"direct-assessments/{part}/{pair}-{part}.tar.gz",
                {"notes.pdf": "", f"{part}.{pair}.df.tsv": header + table},
            )
            packed(
                data / f"post-editing/{part}/{pair}-{part}.tar.gz",
                {
                    f"{part}.src": f"Tere , &quot; {part} &quot; !\n",
                    f"{part}.pe": f"Hi , {part} !\n",
                },
            )
    built = build("mlqe", tmp_path, tmp_path / "built")
    assert (built / "sources/et-en.txt").read_text() == 'Tere, "train"!\nTere, "dev"!\n'
    assert (built / "references/et-en.post-edit.txt").read_text() == "Hi, train!\nHi, dev!\n"
    assert (built / "references/en-zh.post-edit.txt").read_text() == "Hi,train!\nHi,dev!\n"
    assert (built / "human-scores/et-en.da.seg.score").read_text() == "MT\t0.25\nMT\t0.25\n"

    edited = "sheffieldnlp/mlqe-pe/data/post-editing/train/et-en-train.tar.gz"
    packed(tmp_path / edited, {"train.src": "a\nb\n", "train.pe": "a\n"})
    assert refusal("mlqe", tmp_path) == (
        f"{edited}:train.pe: 2 lines expected, as in {edited}:train.src, 1 found."
    )
    packed(tmp_path / edited, {"train.src": "a\nb\n"})
    assert refusal("mlqe", tmp_path) == (
        f"{edited} has no file train.pe, which the dataset is made from."
    )
    (tmp_path / edited).write_bytes(b"no archive")
    assert refusal("mlqe", tmp_path).startswith(f"{edited} is damaged or incomplete (")
    packed(tmp_path / edited, {"train.src": "a\n", "train.pe": "a\n"})
    assessed = "sheffieldnlp/mlqe-pe/data/direct-assessments/train/et-en-train.tar.gz"
    packed(tmp_path / assessed, {"x.tsv": "original\ttranslation\n"})
    assert refusal("mlqe", tmp_path) == (
        f"{assessed}:x.tsv has no column 'z_mean'; it has 'original', 'translation'."
    )
    packed(tmp_path / assessed, {"x.tsv": f"{header}1\ta\tb\n"})
    assert refusal("mlqe", tmp_path) == (
        f"{assessed}:x.tsv, line 2: 7 fields were expected, as in the header, but 3 were found."
    )


def test_documents_in_another_order(tmp_path: Path) -> None:
    """Two documents begin alike: the longer one that fits is there."""
    documents = [
        mqm22.Document("short", "news", ["Hello.", "Yes."]),
        mqm22.Document("other", "social", ["No."]),
        mqm22.Document("long", "news", ["Hello.", "Yes.", "Fine."]),
    ]
    source = tmp_path / "source.txt"
    write(source, "No.\nHello.\nYes.\nFine.\nHello.\nYes.\n")
    assert mqm22.placed(documents, source) == [
        ("social", "other"),
        *[("news", "long")] * 3,
        *[("news", "short")] * 2,
    ]
    write(source, "No.\nHello.\nYes.\nHello.\nNo.\n")
    with pytest.raises(CupelError, match=r"source\.txt, line 4: no document begins with this line"):
        mqm22.placed(documents, source)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        (
            "documents/zh-en.docs",
            "news\n",
            ", line 1: a domain and a document were expected, but 'news' was found.",
        ),
        (
            "human-scores/zh-en.mqm.seg.score",
            "A\t\n",
            ", line 1: '' is not a score.",
        ),
        (
            "human-scores/zh-en.mqm.seg.score",
            "A\tNone\nB\t-1\n",
            " has scores of B, of which there is no output.",
        ),
    ],
)
def test_files_of_2022_that_are_refused(
    tmp_path: Path, name: str, content: str, sentence: str
) -> None:
    folder = "florethsong/mtme-zh-mwe/raw_wmt22"
    for path, text in {
        "sources/zh-en.txt": "one\n",
        "system-outputs/zh-en/A.txt": "one\n",
        "documents/zh-en.docs": "news\tdoc\n",
        "human-scores/zh-en.mqm.seg.score": "A\t-1\n",
        name: content,
    }.items():
        write(tmp_path / folder / path, text)
    assert refusal("mqm22", tmp_path) == f"{folder}/{name}{sentence}"


def esa(
    system: str, segment: int, *ratings: tuple[float, str, list[tuple[object, object]]]
) -> dict:
    """A row of the table of annotations: the raters' scores, names, and the places of errors."""
    human = [
        {
            "score": score,
            "annotator": rater,
            "errors": [{"start_i": a, "end_i": b, "severity": "minor"} for a, b in places],
        }
        for score, rater, places in ratings
    ]
    text = {2: ("A  dog.", "Ein Hund."), 9: ("A cat.", "Eine Katze.")}[segment]
    return {
        "system": system,
        "segment_id": segment,
        "domain": "news",
        "doc_id": f"en-de_#_news_#_doc_#_{segment}",
        "source": text[0],
        "reference": text[1],
        "annotations": json.dumps({"human": human}),
    }


def test_error_spans_move_with_the_characters(tmp_path: Path) -> None:
    """Single spaces, segments counted again, raters' means, and nothing of an empty translation."""
    table = pl.DataFrame([
        esa("B", 9, (50.0, "r1", [(0, 99)])),
        esa("refA", 2, (90.0, "r1", [])),
        esa("A", 2, (80.0, "r1", [(5, 8), ("missing", "missing")]), (71.0, "r2", [])),
        esa("A", 9, (0.0, "r1", [(0, 0)])),
    ])  # fmt: skip
    folder = tmp_path / "alvations/warmth/data/wmt-general"
    folder.mkdir(parents=True)
    table.write_parquet(folder / "wmt24humeval-en-de.parquet")
    texts = tmp_path / "wmt-conference/wmt24-news-systems/txt/system-outputs/en-de"
    write(texts / "A.txt", "\nEin  Hund .\n" + 7 * "\n")
    write(texts / "B.txt", "\nHund\n" + 6 * "\n" + "Katze\n")
    built = build("esa24", tmp_path, tmp_path / "built")
    assert read_lines(built / "sources/en-de.txt") == ["A dog.", "A cat."]
    assert read_lines(built / "system-outputs/en-de/A.txt") == ["Ein Hund .", ""]
    assert read_lines(built / "documents/en-de.docs") == ["news\ten-de_#_news_#_doc"] * 2
    assert read_lines(built / "human-scores/en-de.esa.seg.score") == [
        "A\t75.5", "A\tNone", "B\tNone", "B\t50.0",
    ]  # fmt: skip
    spans: list[Any] = records(built / "spans/en-de.jsonl")
    assert [(one["system"], one["segment"], one["rater"]) for one in spans] == [
        ("A", 1, "r1"), ("A", 1, "r2"), ("B", 2, "r1"),
    ]  # fmt: skip
    assert [[(e["start_i"], e["end_i"]) for e in one["errors"]] for one in spans] == [
        [(4, 7), ("missing", "missing")], [], [(0, 5)],
    ]  # fmt: skip
    write(texts / "B.txt", "\nHund\n")
    assert refusal("esa24", tmp_path).endswith("en-de/B.txt: 9 lines expected, 2 found.")


@pytest.mark.parametrize(("text", "places"), [("", [0]), (" a  b ", [0, 0, 1, 1, 2, 3, 3])])
def test_where_characters_go(text: str, places: list[int]) -> None:
    assert graded.moved(text) == places


def texts_of(built: Path) -> dict[str, str]:
    return {
        path.relative_to(built).as_posix(): path.read_text("utf-8")
        for path in built.rglob("*.*")
        if path.is_file() and path.suffix in (".txt", ".score", ".docs")
    }


def test_quality_estimation_of_2024(tmp_path: Path) -> None:
    folder = tmp_path / "WMT-QE-Task/wmt-qe-2024-data/train_dev/Task_3/en_hi_train_dev"
    for part, end in (("train", "1"), ("dev", "2")):
        for kind in ("src", "mt", "pe"):
            write(folder / part / f"{part}.{kind}", f"{kind}{end}\n")
        write(folder / part / f"{part}.da_scores", f"-0.{end}\n")
    assert texts_of(build("qe24", tmp_path, tmp_path / "built")) == {
        "sources/en-hi.txt": "src1\nsrc2\n",
        "references/en-hi.post-edit.txt": "pe1\npe2\n",
        "system-outputs/en-hi/MT.txt": "mt1\nmt2\n",
        "documents/en-hi.docs": "general\ttrain\ngeneral\tdev\n",
        "human-scores/en-hi.da.seg.score": "MT\t-0.1\nMT\t-0.2\n",
    }
    write(folder / "dev/dev.mt", "")
    assert refusal("qe24", tmp_path) == (
        "en_hi_train_dev/dev.mt: 1 lines expected, as in en_hi_train_dev/dev.src, 0 found."
    )


def test_marked_errors_of_2023(tmp_path: Path) -> None:
    """Ends of en-ru are taken back by three; what is uncertain is left out; two raters have a mean."""
    rows = [
        ("ref.A", "d1", "1", "rater1", "One.", "Один.", "-1", "-1", "no-error"),
        ("ref.A", "d1", "2", "rater1", "Two.", "Два.", "-1", "-1", "no-error"),
        ("A", "d1", "2", "rater1", "Two.", "Вот  два.", "0 5", "6 11", "major minor"),
        ("A", "d1", "2", "rater2", "Two.", "Вот  два.", "-1", "-1", "no-error"),
        ("A", "d1", "1", "rater1", "One.", '"Один ""и"" всё."', "1", "8", "minor"),
        ("B", "d1", "1", "rater1", "One.", '"Один ""и"" всё."', "-1", "-1", "no-error"),
        ("B", "d2", "1", "rater1", "Nobody translated it.", "Нет.", "-1", "-1", "no-error"),
        ("B", "d1", "2", "3", "lost a column", "Два.", "-1", "-1", "no-error"),
    ]
    folder = tmp_path / "WMT-QE-Task/wmt-qe-2023-data/task_2/train"
    header = "mt_system\tdoc_id\tseg_id\tannotator_id\tsource\ttarget\tstart_ids\tend_ids\terrors"
    write(folder / "2021_en-ru_processed.tsv", lines([header, *map("\t".join, rows)]))
    write(
        folder / "2021_en-de_processed.tsv",
        lines(["\t".join(rows[0]), "\t".join(("hyp.C", *rows[0][1:]))]),
    )
    built = build("qe23", tmp_path, tmp_path / "built")
    found = texts_of(built)
    assert found["sources/en-ru.txt"] == "One.\nTwo.\n"
    assert found["references/en-ru.refA.txt"] == "Один.\nДва.\n"
    assert found["system-outputs/en-ru/A.txt"] == "\nВот два.\n"
    assert found["system-outputs/en-ru/B.txt"] == 'Один "и" всё.\n\n'
    assert found["human-scores/en-ru.mqm.seg.score"] == "A\tNone\nA\t-3.0\nB\t0.0\nB\tNone\n"
    assert found["system-outputs/en-de/C.txt"] == "Один.\n"
    spans: list[Any] = records(built / "spans/en-ru.jsonl")
    assert [(one["system"], one["segment"], one["rater"]) for one in spans] == [
        ("A", 2, "rater1"), ("A", 2, "rater2"), ("B", 1, "rater1"),
    ]  # fmt: skip
    assert [(e["start"], e["end"], e["severity"]) for e in spans[0]["errors"]] == [
        (0, 3, "major"), (4, 7, "minor"),
    ]  # fmt: skip
    write(folder / "2021_en-de_processed.tsv", "A\td\n")
    assert refusal("qe23", tmp_path).endswith("line 1: 9 columns expected, 2 found.")


def test_documents_of_flores_are_counted_by_name(tmp_path: Path) -> None:
    """doc_10 is before doc_9: it is document 1."""
    root = tmp_path / "wmt-conference/wmt21-news-systems"

    def document(name: str, *numbers: int) -> str:
        def side(tag: str, text: str) -> str:
            segments = (f'<seg id="{n}">{text} {name} {n}</seg>' for n in numbers)
            return f"<{tag}><p>{''.join(segments)}</p></{tag.split()[0]}>"

        sides = side("src", "s"), side("ref", "r"), side('hyp system="A"', "a")
        return f'<doc id="{name}">{"".join(sides)}</doc>'

    both = document("doc_9", 1) + document("doc_10", 1, 2)
    for pair in ("bn-hi", "hi-bn", "xh-zu", "zu-xh"):
        write(root / f"xml/florestest2021.{pair}.all.xml", f"<dataset>{both}</dataset>")
        table = root / f"humaneval/facebook-wikipedia-2021/ad-seg-scores-{pair}.csv"
        rows = ("0-1-7.2_2 9 0.5 1", "4-1-8.2_2 9 1.5 1", "0-2-9.1_1 9 -1 1")
        write(table, lines(["SYS SID RAW.SCR Z.SCR N", *(f"A.3 {pair}-{row}" for row in rows)]))
    found = texts_of(build("flores21", tmp_path, tmp_path / "built"))
    assert found["sources/bn-hi.txt"] == "s doc_9 1\ns doc_10 1\ns doc_10 2\n"
    assert found["system-outputs/bn-hi/A.txt"] == "a doc_9 1\na doc_10 1\na doc_10 2\n"
    assert found["human-scores/bn-hi.da.seg.score"] == "A\t-1.0\nA\tNone\nA\t1.0\n"
    write(table, "SYS\nA.3 zu-xh-0-3-7.1_1 9 0.5 1\n")
    assert refusal("flores21", tmp_path).endswith(
        "line 2: there is no segment zu-xh-0-3-7.1_1 of A."
    )
