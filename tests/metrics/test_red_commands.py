"""`cupel score --trees` and `cupel align` with RED, run as a program would run them."""

from __future__ import annotations

import json
import math

import pytest
from test_red import ANT, REFERENCE

from commands import run
from cupel.errors import MissingPart
from cupel.syntax import Parser
from cupel.syntax.conllu import format_sentence
from cupel.syntax.models import find_model

RED = "red:tokenize=none"
WHOLE = (6 / 6.5 + (6 + math.exp(-1)) / 7.5 + (2 + math.exp(-0.5)) / 5.5) / 3
"""RED of the first segment, see test_red.py; the two others score 0."""


@pytest.fixture
def files(tmp_path):
    reference, hypothesis = tmp_path / "ref.txt", tmp_path / "hyp.txt"
    reference.write_text(f"{REFERENCE}\n\n{REFERENCE}\n")
    hypothesis.write_text("I saw an ant with magnifier\nx\n\n")
    trees = tmp_path / "ref.conllu"
    trees.write_text(format_sentence(ANT))
    return reference, hypothesis, trees


def failure(*arguments):
    done = run("score", *arguments)
    assert done.status == 2
    return done.err.splitlines()[-1].removeprefix("cupel: ")


def test_score_with_trees(files):
    reference, hypothesis, trees = files
    result = run(
        "score", reference, "-i", hypothesis, "-m", RED, "bleu", "--trees", trees, "-f", "json"
    )
    told = json.loads(result.out)
    row = next(row for row in told["rows"] if row["metric"] == RED)
    assert row["score"] == pytest.approx(WHOLE / 3, abs=1e-12)
    assert "|trees:" in told["signatures"][RED]


def test_align_tells_what_each_dep_ngram_gave(files):
    reference, hypothesis, trees = files
    result = run("align", reference, "-i", hypothesis, "-m", RED, "--trees", trees, "--segment", 1)
    lines = result.out.splitlines()
    assert lines[:3] == [
        "hyp.txt, segment 1: 0.7487  length 6  S1 6  count1 7  S2 6.368  count2 9  S3 2.607  count3 5",
        "hypothesis   i saw an ant with magnifier",
        "reference 1  i saw an ant with a magnifier",
    ]
    links = [line.rsplit(maxsplit=2) for line in lines[5:-3]]
    both = [(words.split("  ")[0], kind, weight) for words, kind, weight in links]
    assert [link for link in both if link[1] != "chain-1"] == [
        ("saw i", "chain-2", "1"),
        ("ant an", "chain-2", "1"),
        ("saw ant", "chain-2", "1"),
        ("saw with", "chain-2", "1"),
        ("with magnifier", "chain-2", "0.367879"),
        ("i saw", "fixed-2", "1"),
        ("an ant", "fixed-2", "1"),
        ("saw ant an", "chain-3", "1"),
        ("saw with magnifier", "chain-3", "0.606531"),  # exp(-0.5), the paper's figure 3
        ("saw an ant", "fixed-3", "1"),
    ]
    assert lines[-1] == "unmatched in the reference: a"


def test_trees_for_no_metric(files):
    reference, hypothesis, trees = files
    assert failure(reference, "-i", hypothesis, "-m", "bleu", "--trees", trees).startswith(
        "None of these metrics reads trees (--trees); those that do are: depref, "
    )


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("\t2\t_\t_\t_\n2", "\t9\t_\t_\t_\n2", "line 1: the head of 'I' is word 9, but the sentence has 7."),
        ("saw\t_\t_\t_\t_\t0", "saw\t_\t_\t_\t_\t4", "line 2: the heads run in a circle: saw -> ant -> saw."),
        ("I\t", "We\t", f"line 1: the words differ from those of the sentence {REFERENCE!r}: 'We' where it has 'I'."),
    ],
)  # fmt: skip
def test_bad_trees_are_told_with_their_line(files, old, new, sentence):
    reference, hypothesis, trees = files
    text = trees.read_text()
    assert old in text
    trees.write_text(text.replace(old, new, 1))
    assert failure(reference, "-i", hypothesis, "-m", RED, "--trees", trees) == (
        f"{trees}, {sentence}"
    )


def test_a_missing_tree_and_a_missing_file(files):
    reference, hypothesis, trees = files
    reference.write_text(f"{REFERENCE}\nAnd more\n\n")
    assert failure(reference, "-i", hypothesis, "-m", RED, "--trees", trees) == (
        f"{trees}, line 1: no tree follows for the sentence 'And more'."
    )
    assert failure(reference, "-i", hypothesis, "-m", RED, "--trees", "none.conllu") == (
        "none.conllu does not exist."
    )


def test_two_roots_are_joined(files):
    reference, hypothesis, trees = files
    text = trees.read_text()
    trees.write_text(text.replace("ant\t_\t_\t_\t_\t2", "ant\t_\t_\t_\t_\t0"))
    result = run("score", reference, "-i", hypothesis, "-m", RED, "--trees", trees, "-b", "-w", 6)
    assert result.out.strip() == f"{WHOLE / 3:.6f}"


def test_trees_that_cupel_parsed_score_as_if_parsed_here(tmp_path):
    try:
        find_model()
    except MissingPart as missing:
        pytest.skip(str(missing))
    texts = ["Mr. Smith doesn't like it.", "The U.S.-based firm said it's gone."]
    reference, hypothesis, trees = (tmp_path / name for name in ("r.txt", "h.txt", "r.conllu"))
    reference.write_text("\n".join(texts) + "\n")
    hypothesis.write_text("Smith does not like it .\nThe firm from the U.S. is gone, it's said.\n")
    parsed = Parser()(texts)
    trees.write_text("".join(format_sentence(parsed[row]) for row in range(len(parsed))))
    own = run("score", reference, "-i", hypothesis, "-m", "red", "-b", "-w", 9)
    given = run("score", reference, "-i", hypothesis, "-m", "red", "--trees", trees, "-b", "-w", 9)
    assert own.out == given.out
    assert 0 < float(own.out) < 1
