"""RED and REDp on WMT12 beside the figures of Yu et al. 2014 (Tables 3 and 4).

Their trees are the Berkeley parser's with Penn2Malt heads, ours spaCy's: the figures are near, the
order is theirs. docs/research/red.md has all rows of all years; here are one pair to the last digit that
parsers can leave alike, and the order on two.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from cupel.errors import MissingPart
from cupel.meta.campaign import evaluate
from cupel.meta.result import Evaluation
from cupel.syntax.models import find_model

PAIRS = ["cs-en", "es-en"]
SEGMENT = {"red": [0.165, 0.203], "redp": [0.212, 0.234]}
SYSTEM = {"red": [1.0, 0.951], "redp": [0.943, 0.965]}


@pytest.fixture(scope="module")
def judge(pack: Callable[[str], Path]) -> Callable[..., Evaluation]:
    pack("wmt12")
    try:
        find_model(None)
    except MissingPart as missing:
        pytest.skip(str(missing))
    if find_spec("pycocoevalcap") is None:
        pytest.skip("METEOR's paraphrases come with pycocoevalcap")

    def evaluated(*metrics: str, **options: object) -> Evaluation:
        return evaluate("wmt12", metrics, pairs=PAIRS, resamples=300, **options)  # type: ignore[arg-type]

    return evaluated


def better(evaluation: Evaluation, one: str, other: str) -> float:
    """p of "one is better than the other" on average, by paired bootstrap."""
    places = evaluation.metrics
    return float(evaluation.p_values()[places.index(one), places.index(other)])


def test_segment_level(judge: Callable[..., Evaluation]) -> None:
    found = judge("red", "redp", "meteor", "sentbleu", statistic="tau-wmt12")
    for metric, published in SEGMENT.items():
        values = [found.value(metric, pair) for pair in PAIRS]
        assert values == pytest.approx(published, abs=0.011)
    assert better(found, "red", "sentbleu") < 0.05
    assert better(found, "redp", "red") < 0.05
    assert found.value("redp") == pytest.approx(found.value("meteor"), abs=0.01)


def test_system_level(judge: Callable[..., Evaluation]) -> None:
    found = judge("red", "redp", "meteor", "bleu", level="system", statistic="spearman")
    assert found.value("red", "cs-en") == 1.0  # as published, where METEOR has 0.657
    assert found.value("red", "es-en") == pytest.approx(0.951, abs=0.0006)
    assert found.value("redp", "es-en") == pytest.approx(0.965, abs=0.0006)
    assert better(found, "red", "bleu") < 0.05
    assert better(found, "redp", "meteor") < 0.05
