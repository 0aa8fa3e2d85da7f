"""A metric of another package, in one file, is treated by all commands as those of Cupel are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cupel
from commands import run
from cupel.learned.nnrk.model.features import feature_set
from cupel.meta.scorer import Scorer
from cupel.metrics.by_language import language_options, metrics_for
from cupel.mutt.named import mutt_metrics
from cupel.registry import entries

ONE_FILE = '''
"""Letters: how many letters of the translation are in the reference."""

from dataclasses import dataclass
from typing import Annotated
import numpy as np
from cupel.metric import Metric, Signature, ratio

@dataclass(frozen=True)
class Letters(Metric):
    """Share of letters of the translation that its reference has.

    Measures: letters, from 0 to 1, higher is better.
    """

    tokenize: Annotated[str, "Tokenizer."] = "none"
    tens: Annotated[bool, "Count in tens."] = False
    name = "letters"
    higher_is_better = True
    decimals = 3
    counts = True
    tokenises = True
    languages = "any"

    def signature(self):
        return Signature.of(tok=self.tokenize, tens=self.tens)

    def for_segments(self):
        return Letters(self.tokenize, True)

    def statistics(self, batch):
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references):
            best = max(sum(letter in text for letter in hypothesis) for text in references)
            rows.append([best, len(hypothesis)])
        return np.array(rows, float)

    def score(self, statistics):
        return ratio(statistics[..., 0], statistics[..., 1]) * (10 if self.tens else 1)

    def ratios(self, statistics):
        return np.stack([self.score(statistics), statistics[..., 1] / 10], axis=-1)

@dataclass(frozen=True)
class Vowels(Letters):
    """The same for vowels, of English alone."""

    name = "vowels"
    languages = "English"
    costly = True
'''


@pytest.fixture(autouse=True)
def letters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The file as pip would have installed it, with its entry points."""
    (tmp_path / "letters_metric.py").write_text(ONE_FILE)
    info = tmp_path / "letters-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: letters\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[cupel.metrics]\nletters = letters_metric:Letters\nvowels = letters_metric:Vowels\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    entries.cache_clear()
    yield
    entries.cache_clear()
    sys.modules.pop("letters_metric", None)


def printed(*words: object) -> str:
    done = run(*words)
    assert done.status == 0
    return done.out


def test_score_and_printing(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("ab\ncd\n")
    (tmp_path / "hyp.txt").write_text("ax\ncd\n")
    scored = "score", tmp_path / "ref.txt", "-i", tmp_path / "hyp.txt", "-m", "Letters"
    assert "0.750" in printed(*scored)  # with its own number of decimals
    (row,) = json.loads(printed(*scored, "-f", "json"))["rows"]
    assert (row["metric"], row["score"]) == ("letters", 0.75)
    assert "letters" in printed(*scored, "-l", "en-zh")


def test_list_and_description() -> None:
    assert "vowels" in printed("metrics")
    text = printed("metrics", "Letters")
    assert "letters, from 0 to 1, higher is better." in text
    assert "tens (default no): Count in tens." in text


def test_language() -> None:
    assert language_options(["letters", "vowels"], "en-zh") == {"letters": {"tokenize": "zh"}}
    assert "tok:zh" in str(metrics_for(["letters"], "en-zh")["letters"].signature())


def test_all_metrics_of_meta_and_mutt() -> None:
    assert "letters" in Scorer(["all"]).labels
    assert "vowels" not in Scorer(["all"]).labels
    assert {"letters", "vowels"} <= set(mutt_metrics("all"))


def test_choosing() -> None:
    chosen = cupel.mbr([["ab", "abc", "xyz"]], metric="letters")
    assert chosen[0].text == "ab"
    assert chosen[0].utility == pytest.approx(20 / 3)  # in tens, as it is for single segments


def test_network() -> None:
    assert feature_set("letters.components").names == ("letters.components",)
