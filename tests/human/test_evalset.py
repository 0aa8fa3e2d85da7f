"""A folder in the layout of mt-metrics-eval, read whole, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.human.evalset_scores import metric_and_references


@pytest.fixture
def folder(tmp_path):
    """en-de: two references (one also a system), two systems, MQM of some, BLEU of all."""
    files = {
        "sources/en-de.txt": "one\ntwo\nthree\n",
        "references/en-de.refA.txt": "eins\nzwei\ndrei\n",
        "references/en-de.refB.txt": "ein\nzwo\ndrei\n",
        "system-outputs/en-de/refB.txt": "ein\nzwo\ndrei\n",
        "system-outputs/en-de/x.y.txt": "eins\n[No translation supplied]\ndrei\n",
        "human-scores/en-de.mqm.seg.score": "x.y\t-1\nx.y\tNone\nx.y\t-0.5\nrefB 0\nrefB 0\nrefB 0\n",
        "human-scores/en-de.mqm.sys.score": "x.y -0.75\nrefB 0\n",
        "documents/en-de.docs": "social a\nnews b\nnews c\n",
        "human-scores/en-de.mqm.doc.score": "x.y -1\nx.y None\nx.y -0.5\n",
        "human-scores/en-de.mqm.domain.score": "news x.y -0.5\nsocial x.y -1\n",
        "human-scores/en-de.wmt-z.sys.score": "x.y 0.25\n",
        "metric-scores/en-de/BLEU-refA.seg.score": "x.y 1\nx.y 2\nx.y 3\n",
        "metric-scores/en-de/BLEU-refA.sys.score": "x.y 17\n",
    }
    for name, text in files.items():
        path = tmp_path / "wmt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "wmt"


def sentence(folder, *arguments) -> str:
    with pytest.raises(CupelError) as told:
        read_evalset(folder, *arguments)
    return str(told.value).replace(str(folder), "wmt")


def test_all_of_it(folder):
    assert evalset_pairs(folder) == ["en-de"]
    found = read_evalset(folder, "en-de")
    assert found.corpus.sources == ["one", "two", "three"]
    assert found.corpus.references == [("eins",), ("zwei",), ("drei",)]
    assert dict(found.corpus.systems) == {
        "refB": ["ein", "zwo", "drei"],
        "x.y": ["eins", "", "drei"],
    }
    assert sorted(found.references) == ["refA", "refB"]
    assert list(found.human) == ["mqm", "wmt-z"]
    mqm = found.human["mqm"]
    assert np.array_equal(mqm.segment_scores["x.y"], [-1, np.nan, -0.5], equal_nan=True)
    assert mqm.system_scores == {"x.y": -0.75, "refB": 0.0}
    assert found.human["wmt-z"].system_scores == {"x.y": 0.25}
    assert np.array_equal(mqm.document_scores["x.y"], [-1, np.nan, -0.5], equal_nan=True)
    assert mqm.domain_scores["x.y"].tolist() == [-0.5, -1]  # by name: news, social
    assert (found.documents, found.domains) == (("a", "b", "c"), ("social", "news", "news"))
    assert found.used == ("refA",)
    assert found.human_translations == ["refB"]
    assert found.in_domain("segment", "news").tolist() == [1, 2]
    assert found.in_domain("document", "social").tolist() == [0]
    assert found.table(found.human["mqm"], "domain", ["x.y"]).tolist() == [[-0.5, -1]]
    assert found.table(found.human["mqm"], "system", ["refB", "x.y"]).tolist() == [[0], [-0.75]]
    assert found.metrics["BLEU-refA"].segment_scores["x.y"].tolist() == [1, 2, 3]


def test_a_reference_that_is_used_is_no_system(folder):
    found = read_evalset(folder, "en-de", ["refB", "refA"])
    assert found.corpus.references[0] == ("ein", "eins")
    assert list(found.corpus.systems) == ["x.y"]


def test_a_name_with_a_blank_where_tabs_divide_the_fields(folder):
    (folder / "system-outputs/en-de/MT one.txt").write_text("eins\nzwei\ndrei\n")
    (folder / "human-scores/en-de.mqm.seg.score").write_text(
        "MT one\t-1\nMT one\t0\nMT one\tNone\n"
    )
    scores = read_evalset(folder, "en-de").human["mqm"].segment_scores
    assert np.array_equal(scores["MT one"], [-1, 0, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("name", "base", "references"),
    [
        ("COMET-refA", "COMET", {"refA"}),
        ("COMET-22-refA.post-edit", "COMET-22", {"refA", "post-edit"}),
        ("chrf-post-edit", "chrf", {"post-edit"}),
        ("COMETKiwi-src", "COMETKiwi", set()),
        ("BLEU-all", "BLEU", {"refA", "post-edit"}),
        ("COMET-22", "COMET-22", set()),
    ],
)
def test_the_names_of_metrics(name, base, references):
    assert metric_and_references(name, ["refA", "post-edit"]) == (base, references)


def test_json_lines(folder):
    (folder / "sources/en-de.txt").unlink()
    lines = [json.dumps({"source": text}) for text in ("one", "two", "three")]
    (folder / "sources/en-de.jsonl").write_text("\n".join(lines) + "\n")
    assert read_evalset(folder, "en-de").corpus.sources == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "human-scores/en-de.mqm.seg.score",
            "x.y 1\nx.y nan\nx.y 2\n",
            "wmt/human-scores/en-de.mqm.seg.score, line 2: "
            "the score is nan; every score must be a finite number.",
        ),
        (
            "metric-scores/en-de/BLEU-refA.seg.score",
            "x.y 1\nx.y None\nx.y 2\n",
            "wmt/metric-scores/en-de/BLEU-refA.seg.score, line 2: "
            "the score is 'None' where a number was expected.",
        ),
        (
            "human-scores/en-de.mqm.seg.score",
            "x.y 1\nx.y 2\n",
            "wmt/human-scores/en-de.mqm.seg.score, line 2: the scores of system 'x.y' end here "
            "after 2, but there are 3 segments.",
        ),
        (
            "human-scores/en-de.mqm.sys.score",
            "x.y 1\nx.y 2\n",
            "wmt/human-scores/en-de.mqm.sys.score, line 2: "
            "there is a second score of system 'x.y'.",
        ),
        (
            "human-scores/en-de.mqm.seg.score",
            "x.y 1\n" * 4,
            "wmt/human-scores/en-de.mqm.seg.score, line 4: "
            "there are more than 3 scores of system 'x.y'.",
        ),
        (
            "human-scores/en-de.mqm.sys.score",
            "x.z 1\n",
            "wmt/human-scores/en-de.mqm.sys.score, line 1: "
            "there is no output of system 'x.z'; did you mean 'x.y'?",
        ),
        (
            "human-scores/en-de.mqm.sys.score",
            "news x.y 1\n",
            "wmt/human-scores/en-de.mqm.sys.score, line 1: "
            "a system and a score were expected, but 'news', 'x.y', '1' was found.",
        ),
        (
            "human-scores/en-de.mqm.doc.score",
            "x.y 1\nx.y 2\n",
            "wmt/human-scores/en-de.mqm.doc.score, line 2: "
            "the scores of system 'x.y' end here after 2, but there are 3 documents.",
        ),
        (
            "human-scores/en-de.mqm.domain.score",
            "sport x.y 1\n",
            "wmt/human-scores/en-de.mqm.domain.score, line 1: "
            "no segment is of the domain 'sport'; the domains are news, social.",
        ),
        (
            "metric-scores/en-de/BLEU-refA.domain.score",
            "news x.y 1\n",
            "wmt/metric-scores/en-de/BLEU-refA.domain.score has no score of system 'x.y' for the "
            "domain 'social'.",
        ),
        (
            "metric-scores/en-de/BLEU-refA.domain.score",
            "news x.y 1\nnews x.y 2\n",
            "wmt/metric-scores/en-de/BLEU-refA.domain.score, line 2: there is a second score of "
            "system 'x.y' for the domain 'news'; the first is in line 1.",
        ),
        (
            "metric-scores/en-de/BLEU-refA.sys.score",
            "x.y inf\n",
            "wmt/metric-scores/en-de/BLEU-refA.sys.score, line 1: "
            "the score is inf; every score must be a finite number.",
        ),
        (
            "references/en-de.refA.jsonl",
            "",
            "wmt/references/en-de.refA.jsonl and wmt/references/en-de.refA.txt have one name, "
            "'refA': remove one of them.",
        ),
        (
            "references/en-de.src.txt",
            "",
            "wmt/references/en-de.src.txt: a reference cannot be called 'src', which means something "
            "else in the names of score files; rename it to refA, for example.",
        ),
        (
            "documents/en-de.docs",
            "news a\nnews b\n",
            "wmt/documents/en-de.docs has 2 lines, but there are 3 segments.",
        ),
        (
            "documents/en-de.docs",
            "news a\nnews b\nnews a\n",
            "wmt/documents/en-de.docs, line 3: the document 'a' begins a second time; the segments of "
            "a document must follow each other.",
        ),
        (
            "references/en-de.refA.txt",
            "eins\n",
            "wmt/sources/en-de.txt has 3 segments, but wmt/references/en-de.refA.txt has 1.",
        ),
        (
            "system-outputs/en-de/x.y.txt",
            "eins\n",
            "wmt/references/en-de.refA.txt has 3 segments, "
            "but wmt/system-outputs/en-de/x.y.txt has 1.",
        ),
    ],
)
def test_a_bad_file(folder, name, text, told):
    (folder / name).write_text(text)
    assert sentence(folder, "en-de") == told


def test_what_is_not_there(folder, tmp_path):
    assert sentence(folder, "en-fr") == "wmt has no language pair 'en-fr'; it has en-de."
    assert sentence(folder, "en-de", ["refC"]) == (
        "wmt has no reference 'refC' for en-de; it has refA, refB."
    )
    assert sentence(tmp_path, "en-de") == (
        "wmt has no sources/PAIR.txt: it is no folder of mt-metrics-eval."
    )
