"""The page as a file: whole, closed to the network, and with its main tables as plain HTML."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import report_corpora as corpora

import cupel
from cupel.alignments import Alignment, Link
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.registry import get_metric
from cupel.report import page, segments
from cupel.report.runs import Run

VOID = {"meta", "br", "img", "input", "link", "hr"}


class Reader(HTMLParser):
    """Every element with its attributes; fails on one that is closed wrongly."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def html() -> str:
    return page.html_report(corpora.scores(), resamples=100)


def test_it_is_well_formed_and_has_its_sections(html: str) -> None:
    reader = read(html)
    sections = [attributes["id"] for tag, attributes in reader.elements if tag == "section"]
    assert sections == [
        "verdict", "systems", "distributions", "correlations", "segments", "signatures",
    ]  # fmt: skip
    targets = {a["href"] for tag, a in reader.elements if tag == "a" and a.get("href")}
    ids = [attributes["id"] for _, attributes in reader.elements if attributes.get("id")]
    assert targets <= {f"#{name}" for name in ids}
    assert len(ids) == len(set(ids))


def test_nothing_is_loaded_and_only_its_own_style_and_script_may_run(html: str) -> None:
    reader = read(html)
    (policy,) = [
        a["content"] or "" for tag, a in reader.elements
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]  # fmt: skip
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        content = re.search(rf"<{kind}>(.*?)</{kind}>", html, re.S)
        assert content is not None
        digest = hashlib.sha256(content[1].encode()).digest()
        assert f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    outside = {a.get("src") or a.get("href") or "" for _, a in reader.elements}
    assert not {target for target in outside if target and not target.startswith("#")}
    assert all("style" not in attributes for _, attributes in reader.elements)
    handlers = {k for _, attributes in reader.elements for k in attributes if k.startswith("on")}
    assert handlers == set()


def test_no_text_of_the_corpus_becomes_markup(html: str) -> None:
    """Two scripts: the data, which no browser runs, and our own; no <b> at all."""
    reader = read(html)
    scripts = [attributes for tag, attributes in reader.elements if tag == "script"]
    assert [attributes.get("type") for attributes in scripts] == ["application/octet-stream", None]
    assert "b" not in {tag for tag, _ in reader.elements}
    assert corpora.SCRIPT not in html


def test_the_main_tables_need_no_script(html: str) -> None:
    said = " ".join(text for tag, text in read(html).texts if tag not in ("script", "style"))
    assert "new is better than old <b>one</b>" in said
    bleu = corpora.scores().system_score("bleu", "new")
    assert f"{bleu:.1f}" in said
    assert corpora.ARABIC in said  # among the segments of <noscript>
    assert "tok:13a" in said


def test_the_data_of_the_browser(html: str) -> None:
    found = re.search(r'id="segment-data">([A-Za-z0-9+/=]*)</script>', html)
    assert found is not None
    data = json.loads(gzip.decompress(base64.b64decode(found[1])))
    assert data["systems"] == ["old <b>one</b>", "new"]
    assert [metric["higher"] for metric in data["metrics"]] == [True, True, False, True]
    assert data["references"] == corpora.REFERENCES
    assert data["texts"][2][1] == corpora.ARABIC
    own = corpora.scores().segment_scores("ter", "new")
    assert data["scores"][2][1] == pytest.approx(own, abs=0.005)
    # BLEU of a segment is that of `cupel score -sl`: by effective order.
    assert data["scores"][0][1][4] == 100.0
    tokens, reference, links = data["alignments"]["segments"][0][0]
    assert data["alignments"]["kinds"] == ["exact", "stem"]
    assert tokens.split()[:3] == ["the", "dogs", "sat"]
    assert reference.split()[0] in ("the", "a")
    assert links[0][2:] == [1, 0]


def test_alignments_are_packed_word_by_word_and_phrase_by_phrase() -> None:
    links = [
        Link((0,), (0,), "exact", 1.0), Link((1,), (1,), "exact", 1.0),  # a run of two
        Link((2, 3), (2,), "paraphrase", 1.0),  # a phrase
        Link((0, 4), (0, 5), "exact", 1.0),  # not neighbours: words; one is there already
    ]  # fmt: skip
    kinds: dict[str, int] = {}
    found = segments._packed(Alignment(tuple("abcde"), tuple("abxyzf"), 0, links, 1.0), kinds)
    assert found == ["a b c d e", "a b x y z f", [[0, 0, 2, 0], [2, 2, 2, 1, 1], [4, 5, 1, 0]]]
    assert kinds == {"exact": 0, "paraphrase": 1}


def test_the_same_run_gives_the_same_page(html: str) -> None:
    assert page.html_report(corpora.scores(), resamples=100) == html


def test_a_run_without_texts_or_intervals_says_how_to_get_them() -> None:
    rows = [{"system": "a", "metric": "ter", "score": 50.0}]
    said = page.report([Run("score", rows)])
    assert "--ci" in said
    assert "ter ↓" in said
    rows = [{"system": "a", "segment": n, "bleu": float(n)} for n in (1, 2, 3)]
    assert "This run has no texts" in page.report([Run("segments", rows)])


def test_texts_must_be_those_of_the_scores() -> None:
    rows = [{"system": "a", "segment": 1, "bleu": 1.0}]
    run = Run("segments", rows, origin="run.json")
    with pytest.raises(CupelError, match=r"run\.json has scores of system 'a', which is not among"):
        segments.check_texts(run, Corpus({"b": ["x"]}, [["x"]]))
    with pytest.raises(CupelError, match=r"scores of 1 segments, but the texts have 2\."):
        segments.check_texts(run, Corpus({"a": ["x", "y"]}, [["x"], ["y"]]))


META = {
    "dataset": "wmt14", "pair": "avg", "level": "system", "statistic": "pearson",
    "metric": "bleu", "value": 0.9, "low": 0.8, "high": 0.95, "n": 10,
}  # fmt: skip
MUTT = {
    "suite": "mutt", "corruption": "neg_subj", "kind": "meaning-altering", "references": 5,
    "metric": "bleu", "accuracy": 0.875, "low": 0.8, "high": 0.95, "ties": 0, "trials": 100,
}  # fmt: skip


def test_metrics_against_people_and_unit_tests() -> None:
    points = [
        {"pair": "cs-en", "item": f"s{n}", "human": float(n), "bleu": 2.0 * n} for n in range(4)
    ]
    failures = [
        {"suite": "mutt", "corruption": "neg_subj", "references": 5, "metric": "bleu", "trial": 1,
         "original": "A <i>man</i>", "corrupted": "No man", "original_score": 1.0,
         "corrupted_score": 2.0},
    ]  # fmt: skip
    html = page.report(
        [
            Run("meta", [META, META | {"pair": "cs-en"}], extras={"points": points}),
            Run("mutt", [MUTT, MUTT | {"references": "var"}], extras={"failures": failures}),
            Run("mutt", [MUTT | {"accuracy": 0.5}]),
        ]
    )
    reader = read(html)
    ids = [attributes["id"] for _, attributes in reader.elements if attributes.get("id")]
    assert {"people", "mutt", "mutt-2"} <= set(ids)
    assert "87.5%" in html
    assert "cs-en s3: human score 3, bleu 6" in html
    assert "A &lt;i&gt;man&lt;/i&gt;" in html
    assert "all references" in html


def test_an_agreement_that_is_undefined_is_a_dash() -> None:
    """A metric that ties everything has no correlation; the others are shown all the same."""
    undefined = META | {"metric": "constant", "value": None, "low": None, "high": None}
    points = [{"pair": "cs-en", "item": "s", "human": None, "bleu": 1.0}]
    html = page.report([Run("meta", [undefined, META], extras={"points": points})])
    assert html.index(">bleu<") < html.index(">constant<")
    assert '<bdi dir="auto">–</bdi>' in html
    assert "±" not in page.report([Run("meta", [undefined])])


def test_alignments_are_those_of_the_metrics_that_scored(tmp_path: Path) -> None:
    """With the trees that they were given: the page does not parse anew."""
    pytest.importorskip("spacy")
    trees = tmp_path / "own.conllu"
    flat = [("a", 0), ("b", 1), ("c", 1)]
    rows = [f"{n}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_" for n, (word, head) in enumerate(flat, 1)]
    trees.write_text("\n".join(rows) + "\n\n")
    corpus = Corpus({"x": ["a b c"]}, [["a b c"]])
    metric = get_metric(f"red:trees={trees},tokenize=none")
    name, found = segments.alignments(["red"], corpus, ["x"], {"red": metric}) or ("", {})
    kinds = {(link.kind, link.reference) for link in found["x"][0].links}
    assert name == "red"
    assert {("chain-2", (0, 2)), ("floating-2", (1, 2))} <= kinds


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (Run("meta", [META], extras={"points": [{"pair": 1}]}, origin="r"), '"points" is not as'),
        (Run("mutt", [MUTT], extras={"failures": "x"}, origin="r"), '"failures" is not as'),
        (
            Run("meta", [META], extras={"points": [{"pair": [], "item": "a", "human": 1.0}]}),
            '"points" is not as',
        ),
        (
            Run("meta", [META], extras={"points": [{"pair": "a", "item": "a", "human": "1"}]}),
            '"points" is not as',
        ),
    ],
)
def test_what_stands_beside_the_rows_is_looked_at_too(run: Run, sentence: str) -> None:
    with pytest.raises(CupelError, match=sentence):
        page.report([run])


def test_three_systems_are_shown_in_clusters() -> None:
    generator = np.random.default_rng(0)
    rows = {name: generator.normal(gain, 1, 50) for name, gain in (("a", 0), ("b", 9), ("c", 0))}
    text = page.html_report(cupel.score(scores={"x": rows}), resamples=100)
    assert "The best system by x is b (at the level 0.05)." in text
    assert "This run has no texts" in text
    cells = re.findall(r'<th scope="row">(?:<[^>]*>)*(\w)\W.*?</tr>', text)
    assert cells.count("b") >= 2
