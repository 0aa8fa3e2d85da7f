"""The consistency analysis on made-up pairs; the paper's figures are in tests/papers."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.mutt.consistency import consistency
from cupel.mutt.templates import Match
from cupel.report.unit_tests import consistency_charts


def found(count: int) -> list[Match]:
    return [
        Match(
            "neg_verb", "a man sits" + " down" * n, "a man is not" + " down" * n, 3.0 + n / 10, ""
        )
        for n in range(count)
    ]


def test_correlations_and_spread() -> None:
    analysis = consistency(found(5), ["wer", "chrf"], "neg_verb")
    matrix = analysis.correlations()
    assert matrix.shape == (3, 3)
    assert np.allclose(np.diag(matrix), 1)
    # Longer pairs have a smaller share of errors; WER is negated, so all three rise together.
    assert (matrix > 0.8).all()
    assert analysis.spread()["gold"] == pytest.approx((3.2, np.sqrt(0.02)))
    row = analysis.rows()[0]
    assert (row["first"], row["second"], row["n"]) == ("gold", "wer", 5)


def test_the_histogram_is_an_svg_with_every_pair() -> None:
    charts = dict(consistency_charts(consistency(found(5), ["chrf"], "neg_verb")))
    assert list(charts) == ["neg_verb-gold", "neg_verb-chrf"]
    drawn = charts["neg_verb-gold"]
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert "5 pairs" in drawn


def test_too_few_pairs() -> None:
    with pytest.raises(CupelError, match="'neg_verb' has 2 pairs with human scores"):
        consistency(found(2), ["chrf"], "neg_verb")
