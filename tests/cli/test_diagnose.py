"""`cupel diagnose`, run as a program would run it."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import commands
from commands import Done
from cupel.reading import read_lines

WORDS = "the a river bridge old new stone water runs falls under over near far quickly".split()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 lines; the second system loses half of those with a number."""
    folder = tmp_path_factory.mktemp("texts")
    chance = Random(4)
    references = [
        " ".join(chance.choices(WORDS, k=12)) + (f" {row} ." if row % 2 else " .")
        for row in range(60)
    ]
    old = [line.replace("old", "ancient") for line in references]
    new = [line[: len(line) // 2] if row % 2 else line for row, line in enumerate(old)]
    for name, lines in (("ref", references), ("old", old), ("new", new), ("third", references)):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
        (folder / f"{name}5.txt").write_text("".join(f"{line}\n" for line in lines[:5]))
    (folder / "meta.tsv").write_text("domain\n" + "news\ntalks\n" * 30)
    (folder / "scores.jsonl").write_text(
        "".join(
            json.dumps({"system": name, "segment": row + 1, "judge": (row % 2) * lost}) + "\n"
            for name, lost in (("old", 0), ("new", -5))
            for row in range(60)
        )
    )
    return folder


def run(folder: Path, *arguments: object) -> Done:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return commands.run("diagnose", *arguments)


def document(result: Done) -> dict:
    assert result.status == 0, result.err
    return json.loads(result.out)


TWO = ("ref.txt", "-i", "old.txt", "new.txt", "--parser", "none")


def test_json_has_flat_rows_with_the_strongest_evidence_first(files: Path) -> None:
    whole = document(run(files, *TWO, "--columns", "meta.tsv", "-f", "json"))
    rows = whole["rows"]
    top = {row["bucket"] for row in rows[:3]}
    assert top & {"contains: number", "domain: talks"}
    claims = [row for row in rows if row["verdict"]]
    assert claims == rows[: len(claims)]
    assert all(row["q_value"] < 0.05 for row in claims)
    assert [row["evidence"] for row in claims] == sorted(
        (row["evidence"] for row in claims), reverse=True
    )
    number = next(row for row in rows if row["bucket"] == "contains: number")
    assert (number["segments"], number["metric"], number["verdict"]) == (30, "chrf++", "worse")
    assert number["low"] < number["difference"] < number["high"] < 0
    assert number["share"] == pytest.approx(1)
    assert len({tuple(row) for row in rows}) == 1
    (system,) = whole["systems"]
    assert system["differ"] == system["better"] + system["worse"] == 30
    assert system["worse"] >= 29  # one line may have lost nothing but wrong words
    assert sum(row["share"] for row in whole["segments"]) <= 1
    assert any("of the loss" in sentence for sentence in whole["summary"])
    assert {row["kind"] for row in whole["phrases"]} >= {"word", "2-gram"}


def test_tsv_and_text_and_several_systems_and_metrics(files: Path) -> None:
    three = (*TWO[:4], "third.txt", *TWO[4:], "-m", "bleu", "ter")
    lines = run(files, *three, "-f", "tsv").out.splitlines()
    header = lines[0].split("\t")
    assert header[:3] == ["bucket", "feature", "level"]
    systems = {line.split("\t")[header.index("system")] for line in lines[1:]}
    metrics = {line.split("\t")[header.index("metric")] for line in lines[1:]}
    assert systems == {"new.txt", "third.txt"}
    assert {"bleu", "ter"} <= metrics
    text = run(files, *three, "--top", 2).out
    assert "new is worse than old by" in text
    assert "third is better than old by" in text
    assert "third against old" in text


def test_scores_of_others_alone(files: Path) -> None:
    given = ("--scores", "scores.jsonl:judge", "--columns", "meta.tsv")
    whole = document(run(files, *given, "-f", "json"))
    assert {row["level"] for row in whole["rows"]} == {"segments"}
    assert whole["rows"][0]["bucket"] == "domain: talks"
    assert whole["rows"][0]["difference"] == -5
    assert whole["rows"][0]["verdict"] == "worse"
    texts = document(run(files, *TWO[:4], *given[:2], "--names", "old", "new", "--parser", "none",
                         "-f", "json"))  # fmt: skip
    assert {row["metric"] for row in texts["rows"] if row["level"] == "segments"} == {"judge"}
    assert {"words", "errors"} < {row["level"] for row in texts["rows"]}


def test_a_test_set_of_five_lines(files: Path) -> None:
    result = run(files, "ref5.txt", "-i", "old5.txt", "new5.txt", "--parser", "none", "-f", "json")
    whole = document(result)
    assert whole["rows"]
    assert {row["q_value"] for row in whole["rows"]} == {None}
    assert {row["verdict"] for row in whole["rows"]} == {""}
    assert "too few to claim" in whole["summary"][0]
    assert "With 5 segments nothing can be claimed" in result.err


def test_a_language_without_parser_is_said_so(files: Path) -> None:
    result = run(files, *TWO[:4], "-l", "en-xx", "-f", "json")
    assert "no spaCy model for 'xx' is installed" in result.err
    assert not any(row["feature"] == "part of speech" for row in document(result)["rows"])


@pytest.mark.skipif(not find_spec("spacy"), reason="spaCy is not installed")
def test_labels_of_the_parser_are_buckets(files: Path) -> None:
    rows = document(run(files, *TWO[:4], "-f", "json"))["rows"]
    features = {row["feature"] for row in rows}
    assert {"part of speech", "dependency relation"} <= features
    nouns = next(row for row in rows if row["bucket"] == "part of speech: NOUN (nouns)")
    lines = read_lines(files / "ref.txt")
    least = sum(line.split().count(word) for line in lines for word in ("river", "bridge"))
    assert nouns["words"] >= least
    assert nouns["recall"] < nouns["first_recall"]


def test_frequencies_and_training_data_from_files(files: Path) -> None:
    (files / "counts.tsv.txt").write_text("the\t900\nriver\t3\nold\t1\n")
    (files / "train.txt").write_text("the old river runs near the old bridge\n")
    given = ("--frequency", "counts.tsv.txt", "--training", "train.txt")
    rows = {row["bucket"]: row for row in document(run(files, *TWO, *given, "-f", "json"))["rows"]}
    lines = " ".join(read_lines(files / "ref.txt")).split()
    count = rows["frequency in counts.tsv.txt: 2 to 4 times"]["words"]
    assert count == lines.count("river")
    assert rows["training data: seen words"]["words"] == sum(
        lines.count(word) for word in "the old river runs near bridge".split()
    )


def test_the_tables_of_compare_mt(files: Path) -> None:
    text = run(files, *TWO[:4], "--compare-mt").out
    assert "BLEU by length of the reference" in text
    rows = document(run(files, *TWO[:4], "--compare-mt", "-f", "json"))["rows"]
    counts = [
        r["value"] for r in rows if r["table"] == "sentence BLEU" and r["column"] == "old.txt"
    ]
    assert sum(counts) == 60


@pytest.mark.skipif(find_spec("wordfreq") is not None, reason="wordfreq is installed")
def test_wordfreq_says_how_to_install_it(files: Path) -> None:
    assert "pip install wordfreq" in run(files, *TWO, "--frequency", "wordfreq").err


def test_wordfreq_gives_zipf_buckets(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table in the place of the package, where that is not installed."""
    if not find_spec("wordfreq"):
        made = type(sys)("wordfreq")
        made.zipf_frequency = lambda word, language: 6.5 if word == "the" else 0.0  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "wordfreq", made)
    rows = document(run(files, *TWO, "--frequency", "wordfreq", "-f", "json"))["rows"]
    buckets = {row["bucket"]: row["words"] for row in rows if row["level"] == "words"}
    assert buckets["frequency in the language: Zipf 6 or more"] >= sum(
        line.split().count("the") for line in read_lines(files / "ref.txt")
    )
