"""Files put together: joined, named, counted, and refused in one sentence."""

import gzip
import io
import json
import os
import pickle
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.errors import CupelError
from cupel.reading import read_corpus


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """Tests run in an empty folder, so that names are as short as a user's."""
    monkeypatch.chdir(tmp_path)


def put(name, *lines):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return name


def sgm(name, kind, *documents):
    """Documents as (docid, sysid, {segment id: text})."""
    lines = [f"<{kind} setid='t'>"]
    for docid, sysid, segments in documents:
        lines.append(f'<doc docid="{docid}" sysid="{sysid}">')
        lines += [f'<seg id="{key}">{text}</seg>' for key, text in segments.items()]
        lines.append("</doc>")
    return put(name, *lines, f"</{kind}>")


def sentence(*args, **keywords):
    with pytest.raises(CupelError) as caught:
        read_corpus(*args, **keywords)
    return str(caught.value)


def names(*hypotheses, **keywords):
    put("r.txt", "x")
    return list(read_corpus(["r.txt"], hypotheses, **keywords).systems)


def test_plain_files():
    corpus = read_corpus(
        [put("r1.txt", "a", "b"), put("r2.txt", "c", "d")],
        [put("one.txt", "1", "2"), put("two.txt", "3", "")],
        put("s.txt", "s", "t"),
    )
    assert corpus.references == [("a", "c"), ("b", "d")]
    assert corpus.systems == {"one.txt": ["1", "2"], "two.txt": ["3", ""]}
    assert corpus.sources == ["s", "t"]
    assert corpus.origins == {
        "references": "r1.txt",
        "sources": "s.txt",
        "one.txt": "one.txt",
        "two.txt": "two.txt",
    }


def test_files_of_every_kind_together():
    sgm("r.sgm", "refset", ("d", "A", {1: "a1", 2: "a2"}), ("d", "B", {2: "b2"}))
    put("r.jsonl", '{"r": ["j1", "k1"], "h": "1"}', '{"r": [], "h": "2"}')
    put("h.tsv", "id\thyp", "1\tx", "2\ty")
    corpus = read_corpus(["r.sgm", "r.jsonl:r", put("r", "p", "q")], ["h.tsv:hyp", "r.jsonl:h"])
    assert corpus.references == [("a1", "j1", "k1", "p"), ("a2", "b2", "q")]
    assert corpus.systems == {"h.tsv:hyp": ["x", "y"], "r.jsonl:h": ["1", "2"]}
    assert corpus.number_of_references is None


def test_sgm_is_joined_by_document_and_segment():
    sgm("r.sgm", "refset", ("d", "ref", {1: "a", 2: "b"}), ("e", "ref", {1: "c"}))
    sgm("h.sgm", "tstset", ("e", "X", {1: "C"}), ("d", "X", {2: "B", 1: "A"}))
    sgm("s.sgm", "srcset", ("e", "x", {1: "s3"}), ("d", "y", {1: "s1", 2: "s2"}))
    corpus = read_corpus(["r.sgm", "h.sgm"], ["h.sgm"], "s.sgm")
    assert corpus.systems == {"X": ["A", "B", "C"]}
    assert corpus.references == [("a", "A"), ("b", "B"), ("c", "C")]
    assert corpus.sources == ["s1", "s2", "s3"]


def test_sgm_lines_up_with_plain_text_by_position():
    sgm("r.sgm", "refset", ("d", "ref", {1: "a", 2: "b"}))
    sgm("h.sgm", "tstset", ("d", "X", {2: "B", 1: "A"}))
    corpus = read_corpus([put("r.txt", "p", "q"), "r.sgm"], ["h.sgm", put("h.txt", "1", "2")])
    assert corpus.systems == {"X": ["A", "B"], "h.txt": ["1", "2"]}
    assert corpus.references == [("p", "a"), ("q", "b")]


def test_one_xml_file_holds_it_all():
    put(
        "wmt.xml",
        '<dataset><doc id="d"><src><seg id="1">s</seg></src>',
        '<ref translator="A"><seg id="1">a</seg></ref><ref translator="B"><seg id="1">b</seg></ref>',
        '<hyp system="X"><seg id="1">x</seg></hyp><hyp system="Y"><seg id="1">y</seg></hyp>',
        "</doc></dataset>",
    )
    corpus = read_corpus(["wmt.xml"], ["wmt.xml"], "wmt.xml")
    assert corpus.systems == {"X": ["x"], "Y": ["y"]}
    assert corpus.references == [("a", "b")]
    assert corpus.sources == ["s"]
    assert read_corpus(["wmt.xml:B"], ["wmt.xml:Y"]).references == [("b",)]


def test_tab_separated_references():
    put("r.tsv", "a\tb", "c\t")
    corpus = read_corpus(["r.tsv"], [put("h", "1", "2")], num_refs=2)
    assert corpus.references == [("a", "b"), ("c", "")]


def test_standard_input_is_a_system(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb\n")))
    corpus = read_corpus([put("r", "x", "y")], ["-"])
    assert corpus.systems == {"standard input": ["a", "b"]}


def test_a_file_whose_name_has_a_colon_comes_first():
    put("a.tsv", "b", "table")
    assert names(put("x:y.txt", "1")) == ["x:y.txt"]
    assert names(put("a.tsv:b", "1")) == ["a.tsv:b"]


def test_paths_and_pipes():
    os.mkfifo("pipe")
    thread = threading.Thread(target=Path("pipe").write_text, args=("1\n2\n",))
    thread.start()
    put("r", "a", "b")
    corpus = read_corpus([Path("r")], [Path("pipe")], Path("r"))
    thread.join()
    assert corpus.systems == {"pipe": ["1", "2"]}
    assert corpus.origins == {"references": "r", "sources": "r", "pipe": "pipe"}


def test_a_corpus_can_be_pickled():
    put("r", "a")
    corpus = read_corpus(["r"], ["r"])
    assert pickle.loads(pickle.dumps(corpus)) == corpus


def test_another_encoding():
    Path("r").write_bytes("é\n".encode("latin-1"))
    assert read_corpus(["r"], ["r"], encoding="latin-1").references == [("é",)]


def test_systems_are_named_by_the_shortest_form_that_tells_them_apart():
    put("t.tsv", "a\tb", "1\t2")
    put("u.tsv", "a", "1")
    assert names(put("out/a.txt", "1"), put("out/b.txt", "1")) == ["a.txt", "b.txt"]
    assert names("out/a.txt", put("alt/a.txt", "1")) == ["out/a.txt", "alt/a.txt"]
    assert names("t.tsv:a", "t.tsv:b") == ["a", "b"]
    assert names("t.tsv:a", "u.tsv") == ["t.tsv:a", "u.tsv"]
    assert names("t.tsv:a", "u.tsv:a") == ["t.tsv:a", "u.tsv:a"]
    assert names("out/a.txt", "out/b.txt", names=["A", "B"]) == ["A", "B"]


def test_sgm_systems_are_named_by_sysid_where_that_tells_them_apart():
    for name, sysid in [("1.sgm", "X"), ("2.sgm", "Y"), ("3.sgm", "X"), ("o/1.sgm", "X")]:
        sgm(name, "tstset", ("d", sysid, {1: "t"}))
    assert names("1.sgm", "2.sgm") == ["X", "Y"]
    assert names("1.sgm", "3.sgm") == ["1.sgm:X", "3.sgm:X"]
    assert names("1.sgm", "o/1.sgm") == ["1.sgm:X", "o/1.sgm:X"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (["a"], "r.txt has 2 segments, but h.txt has 1."),
        (["a", "b", "c"], "r.txt has 2 segments, but h.txt has 3."),
        ([], "h.txt is empty; one segment per line was expected."),
    ],
)
def test_lengths_of_hypotheses(content, expected):
    put("r.txt", "x", "y")
    assert sentence(["r.txt"], [put("h.txt", *content)]) == expected


def test_the_hypotheses_may_be_as_many_as_the_references_of_a_segment():
    """One line against three is a wrong length, never a wrong orientation."""
    put("r.txt", "x", "y", "z")
    assert sentence(["r.txt"], [put("h", "1")]) == "r.txt has 3 segments, but h has 1."
    put("r2.txt", "x\ty", "x\ty", "x\ty")
    expected = "r2.txt has 3 segments, but h has 2."
    assert sentence(["r2.txt"], [put("h", "1", "2")], num_refs=2) == expected


def test_lengths_of_references_and_sources():
    put("r1", "a", "b")
    put("r2", "a")
    put("h", "a", "b")
    assert sentence(["r1", "r2"], ["h"]) == "r1 has 2 segments, but r2 has 1."
    assert sentence(["r2", "r1"], ["h"]) == "r2 has 1 segment, but r1 has 2."
    assert sentence(["r1"], ["h"], "r2") == "r2 has 1 segment, but r1 has 2."


def test_lengths_name_the_system_in_the_file():
    put("r", "a", "b")
    sgm("h.sgm", "tstset", ("d", "X", {1: "a", 2: "b"}), ("d", "Y", {1: "a"}))
    assert sentence(["r"], ["h.sgm"]) == "r has 2 segments, but h.sgm (system 'Y') has 1."


def test_segments_that_one_side_lacks():
    sgm("r.sgm", "refset", ("d", "ref", {1: "a", 2: "b"}))
    sgm("less.sgm", "tstset", ("d", "X", {1: "a"}))
    sgm("more.sgm", "tstset", ("d", "X", {1: "a", 2: "b"}), ("e", "X", {"7": "c"}))
    sgm("ref2.sgm", "refset", ("d", "ref", {2: "a"}))
    assert sentence(["r.sgm"], ["less.sgm"]) == (
        "less.sgm (system 'X') has no segment '2' of document 'd', which r.sgm has."
    )
    assert sentence(["r.sgm"], ["more.sgm"]) == (
        "r.sgm has no segment '7' of document 'e', which more.sgm (system 'X') has."
    )
    assert sentence(["r.sgm", "ref2.sgm"], ["more.sgm"]) == (
        "ref2.sgm has no segment '1' of document 'd', which r.sgm has."
    )


@pytest.mark.parametrize(("line", "found"), [("a", "1 was found"), ("a\tb\tc", "3 were found")])
def test_tabs_too_few_or_too_many(line, found):
    put("r", "a\tb", line)
    assert sentence(["r"], [put("h", "1", "2")], num_refs=2) == (
        f"r, line 2: 2 references separated by tabs were expected, but {found}."
    )


def test_requests_that_make_no_sense():
    put("r", "a")
    put("h", "a")
    put("t.tsv", "a", "1")
    assert sentence([], []) == "There is no file with translations; give at least one."
    assert sentence(["r"], []) == "There is no file with translations; give at least one."
    assert sentence("r", ["h"]) == (
        "References and hypotheses are lists of file names, not one name."
    )
    assert sentence(["r", "r"], ["h"], num_refs=2) == (
        "2 references per line need a single reference file, but 2 are given."
    )
    assert sentence(["r"], ["h"], num_refs=0) == (
        "The number of references per line must be 1 or more, not 0."
    )
    assert sentence(["-"], ["-"]) == (
        "Standard input (-) can be read only once, but it is named 2 times."
    )
    assert sentence(["r"], ["h", "h"]) == (
        "Two systems are called 'h'; give each a different name (--names)."
    )
    assert sentence(["r"], ["h", "t.tsv"], names=["x", "x"]) == (
        "Two systems are called 'x'; give each a different name (--names)."
    )
    assert sentence(["r"], ["h"], names=["x", "y"]) == "2 system names are given for 1 system."
    assert (
        sentence(["r"], ["h:x"]) == "h:x does not exist, and h is plain text, which has no columns."
    )
    assert sentence(["r"], ["nowhere/h:x"]) == "nowhere/h:x does not exist."


def test_empty_files():
    put("full", "a")
    put("empty")
    Path("empty.gz").write_bytes(gzip.compress(b""))
    told = "is empty; one segment per line was expected."
    assert sentence(["empty"], ["full"]) == f"empty {told}"
    assert sentence(["full"], ["empty.gz"]) == f"empty.gz {told}"
    assert sentence(["full"], ["full"], "empty") == f"empty {told}"
    assert sentence(["empty"], ["full"], num_refs=2) == f"empty {told}"


def test_empty_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    put("r", "a")
    assert sentence(["r"], ["-"]) == "standard input is empty; one segment per line was expected."


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\t\ufeff"))


@given(st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=6))
def test_any_corpus_comes_back_whatever_it_is_written_in(rows):
    hypotheses = [hypothesis for hypothesis, _ in rows]
    references = [tuple(texts) for _, texts in rows]
    with tempfile.TemporaryDirectory() as folder:
        table, plain = Path(folder) / "t.jsonl", Path(folder) / "h.gz"
        lines = (json.dumps({"h": one, "r": many}) + "\n" for one, many in rows)
        table.write_text("".join(lines), encoding="utf-8")
        plain.write_bytes(gzip.compress("".join(f"{one}\n" for one in hypotheses).encode()))
        corpus = read_corpus([f"{table}:r"], [f"{table}:h", str(plain)])
    assert corpus.references == references
    assert corpus.systems == {"t.jsonl:h": hypotheses, "h.gz": hypotheses}
