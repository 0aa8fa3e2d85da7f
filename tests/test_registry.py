from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cupel
from cupel.errors import CupelError, MissingPart
from cupel.metrics.bleu import Bleu
from cupel.registry import Entry, entries, entry_of, get_metric, named_metrics

OTHER_PACKAGE = '''
from dataclasses import dataclass
import numpy as np
from cupel.metric import Metric, Signature, ratio

@dataclass(frozen=True)
class Length(Metric):
    """Words per segment: a metric of another package."""

    power: int = 1
    name = "wordy"
    higher_is_better = True

    def signature(self):
        return Signature.of(power=self.power)

    def statistics(self, batch):
        lengths = np.array([len(text.split()) ** self.power for text in batch.hypotheses], float)
        return np.stack([lengths, np.ones(len(batch))], axis=1)

    def score(self, statistics):
        return ratio(statistics[..., 0], statistics[..., 1])
'''


@pytest.fixture
def third_party(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A package `other` as pip would have installed it, with three entry points."""
    (tmp_path / "other.py").write_text(OTHER_PACKAGE)
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[cupel.metrics]\n"
        "wordy = other:Length\n"
        "broken = no_such_module_anywhere:Metric\n"
        "bleu = other:Length\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    entries.cache_clear()
    yield
    entries.cache_clear()
    sys.modules.pop("other", None)


def test_options_behind_the_name_are_converted_to_their_types() -> None:
    metric = get_metric("bleu:lowercase=yes,max_ngram_order=2,smooth-method=floor,smooth_value=0.5")
    assert metric == Bleu(
        lowercase=True, max_ngram_order=2, smooth_method="floor", smooth_value=0.5
    )


def test_keyword_options_are_defaults_that_the_specification_overrides() -> None:
    metric = get_metric("bleu:tokenize=intl", tokenize="char", lowercase=True)
    assert metric == Bleu(tokenize="intl", lowercase=True)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("blue", "Unknown metric 'blue': did you mean 'bleu'"),
        ("qqqqqqqq", "Unknown metric 'qqqqqqqq': `cupel metrics` lists all."),
        ("bleu:tok=13a", "The metric 'bleu' has no option 'tok'; it has: tokenize, lowercase, "
         "smooth_method, smooth_value, max_ngram_order, effective_order."),
        ("bleu:lowercase=perhaps", "The option bleu:lowercase takes yes or no, not 'perhaps'."),
        ("bleu:max_ngram_order=x", "The option bleu:max_ngram_order takes a whole number, not 'x'."),
        ("bleu:smooth_value=x", "The option bleu:smooth_value takes a number, not 'x'."),
        ("bleu:13a", "The options of 'bleu' are written key=value; found '13a'."),
        ("chrf++:word_order=1", "The metric 'chrf++' has no option 'word_order'; it has: "
         "char_order, beta, lowercase, whitespace, eps_smoothing."),
        ("no_such_module:f", "Unknown metric 'no_such_module': `cupel metrics` lists all. "
         "(And there is no module of that name.)"),
        ("cupel:no_such_function", f"The module 'cupel' ({cupel.__file__}) has no function "
         "'no_such_function'."),
        ("os:system", "'os:system' is of Python's standard library, which has no metrics: give a "
         "function f(hypothesis, references) of your own, from a module with a name of its own."),
        ("cupel.registry:import_module", "'cupel.registry:import_module' is of Python's standard library"),
        ("bleu,chrf++", "Several metrics are named with blanks between them: bleu chrf++."),
        ("COMET", "COMET is a metric with a program of its own, whose scores Cupel takes from a file: "
         "run `comet-score -s src.txt -t hyp.txt -r ref.txt --to_json comet.json`, then add "
         "`--scores comet=comet.json` (see docs/external.md)."),
        ("wmt22-comet-da", "wmt22-comet-da is a metric with a program of its own"),
        ("MetricX", "MetricX is a metric with a program of its own"),
        ("bertscore", "bertscore is a metric with a program of its own"),
        ("BLEURT-20", "BLEURT-20 is a metric with a program of its own"),
    ],
)  # fmt: skip
def test_sentences_about_bad_specifications(spec: str, sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        get_metric(spec)
    assert str(error.value).startswith(sentence)


def test_a_metric_whose_extra_is_missing_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = Entry("heavy", Bleu, "", modules=("no_such_module_anywhere",), extra="neural")
    monkeypatch.setitem(entries(), "heavy", entry)
    with pytest.raises(MissingPart) as error:
        get_metric("heavy")
    assert str(error.value) == (
        "The metric 'heavy' needs no_such_module_anywhere: pip install 'cupel[neural]'."
    )


def test_a_metric_whose_resource_is_missing_is_listed_but_may_work_with_other_options() -> None:
    entry = Entry("hungry", Bleu, "", check=lambda: "The metric 'hungry' needs a table.")
    assert entry.unready == "The metric 'hungry' needs a table."
    assert entry.missing is None


@pytest.mark.parametrize(
    ("written", "name"),
    [("BLEU", "bleu"), ("chrF++", "chrf++"), ("chrF", "chrf"), ("W2V-avg:content=yes", "w2v-avg"),
     ("Assay-WMT13", "assay-wmt13"), ("WORDY", "wordy")],
)  # fmt: skip
@pytest.mark.usefixtures("third_party")
def test_names_in_capital_letters(written: str, name: str) -> None:
    entry = entry_of(written.partition(":")[0])
    assert entry is not None
    assert entry.name == name
    (label,) = named_metrics([written])
    assert label == written.replace(written.partition(":")[0], name)


def test_only_the_module_of_a_metric_is_imported() -> None:
    code = (
        "import sys; from cupel.registry import entry_of; entry_of('chrF++'); entry_of('assay-wmt13');"
        "print([m for m in sys.modules if m.startswith('cupel.metrics.')])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "cupel.metrics.assay" in process.stdout
    assert "cupel.metrics.ter" not in process.stdout


def test_a_file_in_the_current_folder_does_not_stand_in_for_a_package(tmp_path: Path) -> None:
    (tmp_path / "spacy.py").write_text("raise SystemExit('this is not spaCy')")
    (tmp_path / "mine.py").write_text(
        "import spacy\nimport beside\ndef f(hypothesis, references): return beside.ONE\n"
    )
    (tmp_path / "beside.py").write_text("ONE = 1.0")
    code = "import cupel; print(cupel.score(['a'], ['b'], 'mine:f')['mine:f'])"
    process = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (process.returncode, process.stdout) == (0, "1.0\n"), process.stderr


@pytest.mark.usefixtures("third_party")
def test_metrics_of_other_packages() -> None:
    assert entries()["wordy"].summary == "Words per segment: a metric of another package."
    assert cupel.score(["a b", "c"], ["x", "y"], ["wordy"])["wordy"] == 1.5
    squared = "wordy:power=2"
    assert cupel.score(["a b", "c"], ["x", "y"], [squared])[squared] == 2.5
    assert isinstance(get_metric("bleu"), Bleu)  # ours cannot be shadowed
    with pytest.raises(MissingPart) as error:
        get_metric("broken")
    assert str(error.value) == (
        "The metric 'broken' of the package 'other' could not be loaded: "
        "ModuleNotFoundError: No module named 'no_such_module_anywhere'."
    )


def test_any_function_of_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_7.py").write_text(
        "def overlap(hypothesis, references):\n"
        "    words = set(hypothesis.split())\n"
        "    return max(len(words & set(r.split())) / len(words) for r in references)\n"
        "def broken(hypothesis, references):\n"
        "    raise ValueError('no')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    scores = cupel.score(["a b", "c d"], [["a x", "a b"], "c"], ["mine_7:overlap"])
    assert scores.segment_scores("mine_7:overlap").tolist() == [1.0, 0.5]
    assert scores["mine_7:overlap"] == 0.75
    assert "function:mine_7.overlap" in scores.signatures["mine_7:overlap"]
