"""What `import cupel` offers: one list of names, lazily loaded, and results that carry what is asked next."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.corpus import Corpus
from cupel.data import sample
from cupel.errors import CupelError

ROOT = Path(__file__).parent.parent
HOME = Path(cupel.__file__)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = set(cupel.__all__) - {"__version__"}


def for_type_checkers() -> set[str]:
    """The names that a type checker sees: the imports under TYPE_CHECKING, each as itself."""
    tree = ast.parse(HOME.read_text("utf-8"))
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    names = [name for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names]
    assert all(name.name == name.asname for name in names)
    return {name.name for name in names}


def documented() -> set[str]:
    """The names in the table of docs/python.md."""
    page = (ROOT / "docs" / "python.md").read_text("utf-8").partition("## What is stable")[2]
    cells = re.findall(r"^\| (`[^|]*) \|", page, re.M)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_three_lists_of_names_agree() -> None:
    assert for_type_checkers() == NAMES == documented()
    assert set(dir(cupel)) >= NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_is_what_its_home_has(name: str) -> None:
    thing = getattr(cupel, name)
    assert getattr(thing, "__name__", "").rpartition(".")[2] == name
    assert (thing.__doc__ or "").strip()


def test_unknown_names_and_the_cost_of_the_import() -> None:
    with pytest.raises(AttributeError, match="module 'cupel' has no attribute 'scoree'"):
        _ = cupel.scoree  # type: ignore[attr-defined]
    code = "import sys, cupel; print(*(m for m in sys.modules if m in ('numpy', 'polars')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_rooms_do_not_hide_the_functions() -> None:
    """A room that is imported becomes an attribute: none may have a function's name."""
    rooms = {path.name.removesuffix(".py") for path in HOME.parent.iterdir()}
    assert rooms & NAMES <= {"adapters", "data", "mutt"}


def test_the_pages_import_from_the_front_door_alone() -> None:
    for page in PAGES:
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.S | re.M):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cupel"):
                    assert node.module == "cupel", page.name
                    assert {name.name for name in node.names} <= NAMES, page.name
                if isinstance(node, ast.Import):
                    assert not any(name.name.startswith("cupel.") for name in node.names), page.name


def overlap(hypothesis: str, references: list[str]) -> float:
    return float(hypothesis in references)


def test_a_function_is_a_metric() -> None:
    scores = cupel.score(["a", "b"], ["a", ["c", "b"]], metrics=[overlap, "bleu"])
    assert scores["overlap"] == 1.0
    assert cupel.score(["a"], ["b"], metrics=overlap)["overlap"] == 0.0
    assert "function:overlap" in scores.signatures["overlap"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (3, "A metric, its name or a function was expected, not 3."),
        (
            type(cupel.get_metric("bleu")),
            "Bleu is a class of metrics: give an object, Bleu().",
        ),
    ],
)
def test_what_is_no_metric(given: object, sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        cupel.score(["a"], ["a"], metrics=[given])  # type: ignore[list-item]
    assert str(error.value) == sentence


def test_a_function_that_cannot_go_to_other_processes() -> None:
    texts = [f"a {n}" for n in range(2000)]
    with pytest.raises(CupelError, match="A metric cannot be sent to other processes"):
        cupel.score(texts, texts, metrics=lambda hypothesis, references: 1.0, workers=2)


def test_the_list_of_metrics() -> None:
    entries = {entry.name: entry for entry in cupel.list_metrics()}
    assert list(entries) == sorted(entries)
    assert entries["bleu"].options["tokenize"].default == "13a"
    assert entries["bleu"].unready is None


def test_tokens() -> None:
    tokenizer = cupel.Tokenizer("13a", lowercase=True)
    assert tokenizer.tokens("A cat, 3.5 of it.") == ["a", "cat", ",", "3.5", "of", "it", "."]
    assert tokenizer.tokens("") == []
    with pytest.raises(CupelError, match=r"use tokens\(text\)"):
        tokenizer("A cat.")


def test_align_texts() -> None:
    first, second = cupel.align(
        ["The cats sat", "x"], ["A cat sat", ["y", "x"]], "meteor:modules=exact,stem"
    )
    assert [(first.hypothesis_words(link), link.kind) for link in first.links] == [
        ("cats", "stem"),
        ("sat", "exact"),
    ]
    assert second.reference_number == 1
    with pytest.raises(CupelError, match="The metric 'bleu' does not align words"):
        cupel.align(["a"], ["a"], "bleu")


# Details.


def test_details_by_hand() -> None:
    scores = cupel.score(["the cat sat"], ["the cat sat down"], ["bleu", "ter", "wer", "badger"])
    bleu = scores.details("bleu")["system"]
    assert (bleu["precision1"], bleu["matches2"], bleu["totals3"]) == (100.0, 2.0, 1.0)
    assert bleu["brevity-penalty"] == pytest.approx(np.exp(1 - 4 / 3))
    assert (bleu["hypothesis-length"], bleu["reference-length"]) == (3.0, 4.0)
    ter = {"edits": 1.0, "reference-length": 4.0, "insertions": 1.0}
    ter |= {"deletions": 0.0, "substitutions": 0.0, "shifts": 0.0}
    assert scores.details("ter")["system"] == ter
    assert scores.details("wer")["system"] == {"edits": 1.0, "reference-length": 4.0}
    assert scores.details("badger") == {"system": {}}


@pytest.mark.parametrize(
    ("hypothesis", "reference", "kinds"),
    [
        ("a b c d", "a b c d", (0, 0, 0, 0)),
        ("c d a b", "a b c d", (0, 0, 0, 1)),
        ("a x c", "a b c d", (1, 0, 1, 0)),
        ("a b b c", "a b c", (0, 1, 0, 0)),
        ("", "a b", (2, 0, 0, 0)),
        ("a b", "", (0, 2, 0, 0)),
    ],
)
def test_edits_by_kind(hypothesis: str, reference: str, kinds: tuple[int, ...]) -> None:
    parts = cupel.score([hypothesis], [reference], "ter").details("ter")["system"]
    names = ("insertions", "deletions", "substitutions", "shifts")
    assert tuple(parts[name] for name in names) == kinds


DETAILED = ["bleu", "chrf++", "ter", "nist", "wer", "rouge-l", "cider"]


@pytest.mark.parametrize("metric", [*DETAILED, "meteor:modules=exact,stem,synonym"])
def test_details_of_segments_and_rows(metric: str) -> None:
    scores = cupel.score(sample(), metrics=metric)
    systems, segments = scores.details(metric), scores.details(metric, "segment")
    assert list(systems) == list(segments) == scores.systems
    for system, parts in segments.items():
        assert list(parts) == list(systems[system]) != []
        assert {values.shape for values in parts.values()} == {(40,)}
        for name in {"edits", "matches1", "chunks"} & set(parts):
            assert parts[name].sum() == systems[system][name]
    rows = scores.detail_rows()
    assert {(r["system"], r["name"]): r["value"] for r in rows} == {
        (system, name): value for system, parts in systems.items() for name, value in parts.items()
    }
    assert len(scores.detail_rows("segment")) == 40 * len(rows)


def test_details_make_the_score() -> None:
    """The formulas of the metrics, from what `details` gives."""
    scores = cupel.score(sample(), metrics=DETAILED)
    for system in scores.systems:
        part = {metric: scores.details(metric)[system] for metric in DETAILED}
        score = {metric: scores.system_score(metric, system) for metric in DETAILED}
        precisions = [part["bleu"][f"precision{n}"] for n in range(1, 5)]
        geometric = np.exp(np.log(precisions).mean())
        assert score["bleu"] == pytest.approx(part["bleu"]["brevity-penalty"] * geometric)
        information = sum(part["nist"][f"information{n}"] for n in range(1, 6))
        assert score["nist"] == pytest.approx(part["nist"]["brevity-penalty"] * information)
        for metric in ("ter", "wer"):
            rate = part[metric]["edits"] / part[metric]["reference-length"]
            assert score[metric] == pytest.approx(100 * rate)
        assert score["cider"] == pytest.approx(np.mean(list(part["cider"].values())))
        orders = [f"char{n}" for n in range(1, 7)] + ["word1", "word2"]
        p, r = (
            np.mean([part["chrf++"][f"{order}-{name}"] for order in orders])
            for name in ("precision", "recall")
        )
        assert score["chrf++"] == pytest.approx(5 * p * r / (4 * p + r))


def test_details_are_sacrebleus(newstest: Callable[[str, str], Corpus]) -> None:
    """BLEUScore and TERScore of sacreBLEU, to the last bit, on a whole newstest."""
    from sacrebleu.metrics import BLEU, TER

    corpus = newstest("wmt14", "hi-en")
    scores = cupel.score(corpus, metrics=["bleu", "ter"])
    references = [[texts[0] for texts in corpus.references]]
    for system in scores.systems[:3]:
        texts = list(corpus.systems[system])
        parts, theirs = scores.details("bleu")[system], BLEU().corpus_score(texts, references)
        orders = range(1, 5)
        assert [parts[f"precision{n}"] for n in orders] == theirs.precisions
        assert [parts[f"matches{n}"] for n in orders] == theirs.counts
        assert [parts[f"totals{n}"] for n in orders] == theirs.totals
        assert parts["brevity-penalty"] == theirs.bp
        assert parts["length-ratio"] == theirs.ratio
        lengths = parts["hypothesis-length"], parts["reference-length"]
        assert lengths == (theirs.sys_len, theirs.ref_len)
    system = scores.systems[0]
    edits = TER().corpus_score(list(corpus.systems[system]), references)
    assert scores.details("ter")[system]["edits"] == edits.num_edits
    assert scores.details("ter")[system]["reference-length"] == edits.ref_length
    for row, each in enumerate(scores.details("ter", "segment").values()):
        kinds = [each[name] for name in ("insertions", "deletions", "substitutions", "shifts")]
        assert (np.array(kinds) >= 0).all()
        assert (np.sum(kinds, axis=0) == each["edits"]).all()
        # What is inserted less what is deleted is by how much the reference is longer.
        words = [len(text.split()) for text in corpus.systems[scores.systems[row]]]
        longer = each["reference-length"] - np.array(words)
        assert (each["insertions"] - each["deletions"] == longer).all()


def test_details_of_a_command() -> None:
    texts = "src/cupel/resources/sample/sample.jsonl"
    command = ["score", f"{texts}:references", "-i", f"{texts}:rough", "-m", "ter", "badger"]

    def run(*options: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "cupel", *command, "--details", *options],
            cwd=ROOT, capture_output=True, encoding="utf-8", check=True,
        )  # fmt: skip
        return done.stdout, done.stderr

    out, err = run()
    assert re.search(r"^shifts +34$", out, re.M)
    assert err == (
        "cupel: No details are printed for badger: not every metric says what its score is made "
        "of.\n"
    )
    document = json.loads(run("-f", "json")[0])
    assert {"system": "rough", "metric": "ter", "name": "shifts", "value": 34.0} in document[
        "details"
    ]
    assert len(document["rows"]) == 2
    assert "rough\tter.shifts\t34.0\n" in run("-f", "tsv")[0]
    header = run("-f", "tsv", "-sl")[0].split("\n")[0].split("\t")
    assert header[2:5] == ["ter", "badger", "ter.edits"]


# Results.


class Plain(HTMLParser):
    """Complains about anything but a table with intervals in it, and keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"table", "caption", "tr", "th", "td", "svg", "title", "path", "circle"}
        assert tag in {"svg", "path", "circle"} or [name for name, _ in attrs] in ([], ["style"])

    def handle_data(self, data: str) -> None:
        if self.lasttag != "title":
            self.text.append(data)


def shown(result: object) -> list[str]:
    parser = Plain()
    parser.feed(result._repr_html_())  # type: ignore[attr-defined]
    return parser.text


def test_tables_for_notebooks() -> None:
    name = "<script>alert(1)</script> & 'so'"
    text = shown(cupel.score({name: ["a b"], "b": ["c"]}, ["a b"], ["wer", "bleucomp"]))
    assert name in text
    assert "0.0 ± 0.0" in text
    assert "bleucomp.precision1" in text
    tests = cupel.unit_tests("wer", "sample", corruptions=["passive"])
    assert shown(tests)[0].startswith("sample, 3 references: accuracy in %")
    assert shown(tests)[1:] == ["metric", "passive~", "avg", "wer", "22.9*", "22.9"]


def test_unit_tests_are_those_of_the_command() -> None:
    tests = cupel.unit_tests(["wer", overlap], ["sample"], corruptions=["neg_verb"], references=[2])
    assert tests.frame().columns == list(tests.rows()[0])
    assert [row["metric"] for row in tests.rows()] == ["wer", "overlap"]
    assert {row["references"] for row in tests.rows()} == {2}
    assert json.loads(tests.to_json())["rows"] == tests.rows()


def test_an_evaluation_carries_everything(pack: Callable[[str], Path]) -> None:
    pack("wmt12")
    result = cupel.evaluate(
        "wmt12", ["wer", overlap], pairs=["cs-en"], compare="bootstrap", resamples=20
    )
    assert result.dataset == "wmt12"
    assert set(result.signatures) == {"wer", "overlap"}
    assert result.frame().rows(named=True) == result.rows()
    document = json.loads(result.to_json())
    assert set(document) == {"version", "signatures", "points", "comparisons", "rows"}
    assert document["comparisons"] == result.comparison_rows()
    assert shown(result)[0].startswith("wmt12: tau-wmt12, segment level")
    assert result.corrected().shape == (2, 2)
    with pytest.raises(CupelError, match="The option --level cannot be 'word'"):
        cupel.evaluate("wmt12", "wer", level="word")


def test_the_judges(pack: Callable[[str], Path]) -> None:
    """Kappa and clusters as in tests/human; wmt13's ranks as the findings of WMT13 print them."""
    pack("wmt13")
    result = cupel.judges("wmt13", pairs=["fr-en", "cs-en"])
    french, czech = result.pairs
    assert czech.between is None
    assert french.between is not None
    assert french.between.kappa == pytest.approx(0.282, abs=5e-4)
    ranges = [(s.best, s.worst) for s in french.systems]
    assert ranges[:6] == [(1, 1), (2, 3), (2, 3), (4, 5), (4, 5), (6, 6)]
    rows = result.rows()
    assert [row["statistic"] for row in rows[:3]] == [
        "kappa-between",
        "kappa-within",
        "expected-wins",
    ]
    assert len(rows) == 2 + len(french.systems) + len(czech.systems)
    assert result.frame().columns == list(rows[0])
    assert json.loads(result.to_json())["rows"] == rows
    assert "2-3" in shown(result)


def test_the_judges_by_the_command(pack: Callable[[str], Path]) -> None:
    pack("wmt12")

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cupel", "meta", "wmt12", "--judges", *options]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)

    printed = run("--pair", "cs-en").stdout
    assert re.search(r"^cs-en +45 +0\.317 +2677 +0\.472 +230$", printed, re.M)
    assert re.search(r"^cu-bojar +0\.532 +3-4 +3$", printed, re.M)
    lines = run("--pair", "cs-en", "-f", "tsv", "--human", "expected-wins").stdout.splitlines()
    assert lines[0].split("\t")[2:5] == ["statistic", "system", "value"]
    assert lines[3].split("\t")[2:4] == ["expected-wins", "onlineB"]
    refused = run("-m", "bleu")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "cupel: --judges is about the judges alone: leave out -m and --scores.\n"
    )


def test_trainings_are_checked_as_by_the_command(tmp_path: Path) -> None:
    for settings, sentence in (
        ({"metric": "bleu"}, "There is no training of 'bleu'; there is of assay, nnrk, reval."),
        (
            {"metric": "nnrk", "epoch": 3},
            "`cupel train nnrk` has the unknown entry 'epoch': did you mean epochs",
        ),
        ({"metric": "assay", "epochs": 0}, "The option --epochs cannot be 0"),
        ({"metric": "nnrk", "train": ["wmt99"]}, "wmt99"),
    ):
        with pytest.raises(CupelError) as error:
            cupel.train(output=tmp_path / "model", **settings)
        assert sentence in str(error.value)
    assert not (tmp_path / "model").exists()
