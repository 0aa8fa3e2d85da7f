"""What a difference means: the formula, the fit that was shipped, and where there is no evidence."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import cupel
from cupel.cli.meanings import sentences
from cupel.meaning import Meaning, agreement, evidence, meanings, shares_of
from cupel.scores import Scores

TOOLS = Path(__file__).parent.parent / "tools"
WORDS = "the a of market people government said in was new years that with on house city".split()


def scores_of(
    segments: int = 80, words: int = 16, metric: str = "chrf", second: float = 0.9
) -> Scores:
    """Two systems that get some words right; the second has that share of them."""
    generator = np.random.default_rng(5)
    references = [" ".join(generator.choice(WORDS, words)) for _ in range(segments)]

    def translated(share: float) -> list[str]:
        return [
            " ".join(w if generator.random() < share else "xx" for w in text.split())
            for text in references
        ]

    systems = {"wmt.old": translated(0.86), "wmt.new": translated(second)}
    return cupel.score(systems, references, metrics=[metric])


def one(value: float) -> np.ndarray:
    return np.array([value])


@pytest.mark.parametrize(
    ("d", "n", "slope", "spread", "lapse", "half"),
    [(0.5, 1000, 1.2, 0.8, 0.05, 60), (3, 50, 0.6, 1.0, 0.1, 100), (0, 10, 1, 1, 0.1, 50)],
)
def test_the_formula_is_an_integral(
    d: float, n: int, slope: float, spread: float, lapse: float, half: float
) -> None:
    z = slope * d * n / (n + half)
    sure = quad(lambda u: norm.pdf(u) / (1 + np.exp(-z * np.exp(spread * u))), -9, 9)[0]
    expected = lapse + (1 - 2 * lapse) * sure
    values = agreement(*(one(v) for v in (d, n, slope, spread, lapse, half)))
    assert values[0] == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "chrf++", "ter", "meteor", "assay"])
def test_shares_grow_with_difference_and_segments(metric: str) -> None:
    learned = evidence()[metric]
    largest = learned["largest"]["into"]
    by_difference = [shares_of(learned, largest * f, 1000, "de-en")[0] for f in (0.02, 0.1, 0.5, 1)]
    assert by_difference == sorted(by_difference)
    assert 0.5 < by_difference[0] < 0.75 < by_difference[-1] < 0.99
    by_size = [shares_of(learned, largest / 10, n, "de-en")[0] for n in (50, 200, 3000)]
    assert by_size == sorted(by_size)
    # what lies beyond the largest difference seen is taken for that
    beyond, at_it = (shares_of(learned, d, 1000, "de-en") for d in (largest * 9, largest))
    assert beyond == pytest.approx(at_it)


def test_what_people_prefer() -> None:
    scores = scores_of()
    (known,) = meanings(scores, "chrf", pair="de-en", domain="news")
    assert (known.better, known.worse, known.reason) == ("wmt.new", "wmt.old", "")
    assert known.share is not None
    assert known.low is not None
    assert known.high is not None
    assert 0.5 < known.low <= known.share <= known.high < 1
    assert known.pairs > 500
    assert known.campaigns >= 5
    assert known.preferred() == (known.share, known.low, known.high)
    (line,) = sentences([known], {"wmt.new": "new", "wmt.old": "old"})
    assert line == (
        f"With such a difference people prefer new to old in {known.share:.0%} of cases by chrf "
        f"({known.low:.0%} to {known.high:.0%})."
    )
    # The other way round it is the first that people prefer.
    (worse,) = meanings(scores_of(second=0.8), "chrf", pair="de-en")
    share, low, high = worse.preferred() or (1, 1, 1)
    assert worse.better == "wmt.old"
    assert low <= share <= high < 0.5
    # Error rates are turned.
    assert meanings(scores_of(metric="ter"), "ter")[0].better == "wmt.new"


@pytest.mark.parametrize(
    ("scores", "metric", "options", "reason"),
    [
        (scores_of(metric="ncd"), "ncd", {}, "no campaign has been scored with ncd"),
        (scores_of(metric="bleu:tokenize=intl"), "bleu:tokenize=intl", {},
         "only bleu with its default options has been compared with people"),
        (scores_of(), "chrf", {"domain": "poetry"},
         "people judged news, talks and biomedical texts, not poetry"),
        (scores_of(5), "chrf", {}, "the smallest test sets seen have 50 segments"),
        (scores_of(), "chrf", {"pair": "en-ja"}, "people judged no translations into 'ja'"),
        (scores_of(metric="w2v-avg"), "w2v-avg", {"pair": "en-de"},
         "w2v-avg was compared with people for translations into English only"),
        (scores_of(words=4), "chrf", {}, "the segments are too short: 20 characters"),
        (scores_of(words=150), "chrf", {}, "the segments are too long"),
        (scores_of(second=1.0), "chrf", {},
         "the better system is far better than those that people compared"),
    ],
)  # fmt: skip
def test_no_evidence(scores: Scores, metric: str, options: dict[str, str], reason: str) -> None:
    (unknown,) = meanings(scores, metric, **options)
    assert unknown.reason.startswith(reason)
    assert unknown.share is None
    assert unknown.preferred() is None


def test_equal_systems_and_two_references() -> None:
    scores = scores_of()
    texts = scores.corpus.systems["wmt.old"]
    same = cupel.score({"a": texts, "b": texts}, list(scores.corpus.references), metrics=["chrf"])
    assert meanings(same, "chrf")[0].reason == "the systems have the same score"
    twice = [[*references, "other"] for references in scores.corpus.references]
    both = cupel.score(dict(scores.corpus.systems), twice, metrics=["chrf"])
    assert meanings(both, "chrf")[0].reason == "the campaigns had one reference for each segment"


def test_reasons_are_said_once() -> None:
    unknown = Meaning("ncd", "b", "a", "b", 1.0, 60, reason="nobody asked")
    lines = sentences([unknown, replace(unknown, metric="red"), unknown], {"a": "a", "b": "b"})
    assert lines == ["No evidence of what people prefer by ncd and red: nobody asked."]


def test_a_fit_finds_what_the_data_were_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.delitem(sys.modules, "fit_meaning", raising=False)
    import fit_meaning

    generator = np.random.default_rng(7)
    names = tuple(f"c{c}.{pair}" for c in range(8) for pair in ("de-en", "en-de"))
    group = np.repeat(np.arange(16), 300)
    d = generator.exponential(2, len(group))
    n = generator.choice([50.0, 400.0, 2000.0], len(group))
    slope = np.where(group % 2 == 0, 1.5, 0.75)
    ones = np.ones(len(group))
    shares = agreement(d, n, slope, 0.7 * ones, 0.06 * ones, 90 * ones)
    y = (generator.random(len(group)) < shares).astype(float)
    rows = fit_meaning.Rows(d, n, y, ones, group, d, ones, names, (90.0,) * 16)
    fitted = fit_meaning.fit(rows)
    assert np.abs(fitted.shares(rows) - shares).mean() < 0.02
    said = fit_meaning.left_out(rows, "chrf")
    best = float(np.mean((shares - y) ** 2))
    assert fit_meaning.brier(said, "share") == pytest.approx(best, abs=0.003)
    assert fit_meaning.brier(said, "share") < fit_meaning.brier(said, "base") - 0.01
