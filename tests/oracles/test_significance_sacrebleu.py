"""Intervals and p-values against sacreBLEU's: same draws, same formulas, same numbers.

sacreBLEU sums resampled statistics in single precision, hence the tolerance.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest, Result

import cupel
from cupel.corpus import Corpus


@pytest.fixture(scope="module")
def close_systems(newstest: Any) -> Corpus:
    """Three systems close enough to each other that p-values are not all the smallest there is."""
    corpus = newstest("wmt14", "cs-en")
    first, second = list(corpus.systems.values())[2:5:2]
    mixed = [a if i % 3 else b for i, (a, b) in enumerate(zip(first, second, strict=True))]
    systems = {"first": first[:600], "second": second[:600], "mixed": mixed[:600]}
    return Corpus(systems, corpus.references[:600])


@pytest.mark.parametrize(("spec", "theirs"), [("bleu", BLEU(force=True)), ("chrf", CHRF())])
@pytest.mark.parametrize(("test", "samples"), [("bs", 400), ("ar", 1000)])
def test_paired_tests(
    close_systems: Corpus, spec: str, theirs: Any, test: str, samples: int
) -> None:
    streams = [[r[0] for r in close_systems.references]]
    named = list(close_systems.systems.items())
    _, results = PairedTest(named, {"M": theirs}, streams, test, samples)()
    (expected,) = [cast("list[Result]", v) for name, v in results.items() if name != "System"]
    scores = cupel.score(close_systems, metrics=[spec])
    ours = scores.paired(spec, test, samples=samples)
    assert [c.p_value for c in ours] == pytest.approx(
        [result.p_value for result in expected[1:]], abs=1.5 / samples
    )
    assert any(0.01 < c.p_value < 0.9 for c in ours)
    if test == "bs":
        intervals = scores.intervals(spec, resamples=samples)
        for result, interval in zip(expected, intervals.values(), strict=True):
            assert interval.mean == pytest.approx(result.mean, abs=1e-4)
            assert interval.half_width == pytest.approx(result.ci, abs=1e-4)


def test_bootstrap_interval(close_systems: Corpus) -> None:
    streams = [[r[0] for r in close_systems.references]]
    theirs = BLEU(force=True).corpus_score(
        close_systems.systems["first"], streams, n_bootstrap=1000
    )
    interval = cupel.score(close_systems, metrics=["bleu"]).intervals("bleu")["first"]
    assert interval.mean == pytest.approx(theirs._mean, abs=1e-4)
    assert interval.half_width == pytest.approx(theirs._ci, abs=1e-4)
    assert interval.low < theirs.score < interval.high
    assert np.isclose(interval.high - interval.low, 2 * interval.half_width)
