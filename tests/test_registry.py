from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cupel
from cupel.errors import CupelError, MissingPart
from cupel.metrics.bleu import Bleu
from cupel.registry import Entry, entries, get_metric

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
        ("math:no_such_function", "The module 'math' has no function 'no_such_function'."),
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
