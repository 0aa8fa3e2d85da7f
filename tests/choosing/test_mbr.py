"""`cupel.mbr`: weights, methods, ties, several metrics, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cupel
from counting import calls
from cupel.choosing.methods import best_first
from cupel.errors import CupelError

TEXTS = ["the cat sat on the mat", "the cat is on the mat", "a dog barked", "the cat sat on a mat"]


def many(count: int) -> list[str]:
    generator = np.random.default_rng(0)
    words = np.array(
        "the a cat dog sat sits on under mat rug today yesterday very . quickly".split()
    )
    noise = [" ".join(generator.choice(words, 12)) for _ in range(count // 2)]
    base = np.array("the cat sat on the mat today and the dog barked quickly .".split())
    near = []
    for _ in range(count - len(noise)):
        own = base.copy()
        own[generator.integers(len(own), size=3)] = generator.choice(words, 3)
        near.append(" ".join(own))
    return noise + near


def test_the_worked_example() -> None:
    choice = cupel.mbr(TEXTS, "ter", matrix=True)
    # Edits over words of the reference: rows are candidates, columns pseudo-references.
    expected = [[0, 1 / 6, 2, 1 / 6], [1 / 6, 0, 2, 2 / 6], [1, 1, 0, 1], [1 / 6, 2 / 6, 2, 0]]
    assert choice.matrices["ter"] == pytest.approx(100 * np.array(expected))
    assert choice.utilities == pytest.approx(100 * np.array(expected).mean(axis=1))
    assert (choice.index, choice.text) == (0, TEXTS[0])
    assert choice.order.tolist() == [0, 1, 3, 2]
    assert TEXTS[choice] == TEXTS[0]


def test_weights_and_logprobs_and_duplicates_are_one_thing() -> None:
    weighted = cupel.mbr(TEXTS, weights=[1, 1, 6, 1])
    assert weighted.index == 2
    logs = cupel.mbr(TEXTS, logprobs=np.log([1, 1, 6, 1]) - 3)
    drawn = cupel.mbr(TEXTS + [TEXTS[2]] * 5)
    for other in (logs, drawn):
        assert other.utilities[:4] == pytest.approx(weighted.utilities)
    assert drawn.order[:6].tolist() == [2, 4, 5, 6, 7, 8]
    far = cupel.mbr(TEXTS, references=["a dog barked loudly"])
    assert far.index == 2
    assert far.utility == far.utilities[2] > 60
    minus = cupel.mbr(TEXTS, logprobs=[-math.inf, 0.0, -math.inf, -math.inf])
    assert minus.index == 1


def test_ties_go_to_the_earlier_candidate() -> None:
    assert cupel.mbr(["b a", "a b", "b a"]).order.tolist() == [0, 2, 1]
    assert cupel.mbr(["x", "x"]).index == 0
    values = np.array([0.3, 0.1 + 0.2, 0.5, np.nan, 0.2])
    assert best_first(values, 1.0).tolist() == [2, 0, 1, 4, 3]
    assert best_first(values, -1.0).tolist() == [4, 0, 1, 2, 3]


@pytest.mark.parametrize("metric", ["chrf", "ter", "w2v-avg"])
def test_shortcuts_find_nearly_the_best(metric: str) -> None:
    texts = many(80)
    exact = cupel.mbr(texts, metric)
    sign = -1 if metric == "ter" else 1
    spread = np.std(exact.utilities)
    for method in ("coarse", "prune", "low-rank"):
        found = cupel.mbr(texts, metric, method=method)
        loss = sign * (exact.utility - exact.utilities[found.index])
        assert 0 <= loss < spread, method
        assert sorted(found.order.tolist()) == list(range(80))
    pruned = cupel.mbr(texts, metric, method="prune")
    kept = ~np.isnan(pruned.utilities)
    assert 1 <= kept.sum() < 80
    assert pruned.utilities[kept] == pytest.approx(exact.utilities[kept])
    coarse = cupel.mbr(texts, metric, method="coarse", keep=5)
    assert (~np.isnan(coarse.utilities)).sum() == 5
    assert coarse.utility == pytest.approx(exact.utilities[coarse.index])


def test_a_matrix_of_low_rank_is_found_again() -> None:
    from cupel.choosing.low_rank import completed

    generator = np.random.default_rng(3)
    whole = generator.normal(size=(60, 3)) @ generator.normal(size=(3, 50)) + 40
    cells = generator.choice(3000, 1200, replace=False)
    rows, columns = np.divmod(cells, 50)
    found = completed(rows, columns, whole[rows, columns], (60, 50), 3, generator)
    assert np.abs(found - whole).mean() < 0.15
    assert np.array_equal(found[rows, columns], whole[rows, columns])


def test_several_metrics() -> None:
    ranks = cupel.mbr(TEXTS, ["chrf", "ter"])
    # By chrF the order is 0 3 1 2; by TER 0 comes first, 1 and 3 share ranks 2 and 3.
    assert ranks.utilities.tolist() == [1.0, 2.75, 4.0, 2.25]
    assert ranks.index == 0
    mean = cupel.mbr(TEXTS, ["chrf", "ter"], combine="mean", metric_weights={"chrf": 3})
    by = mean.by_metric
    assert mean.utilities == pytest.approx((3 * by["chrf"] - by["ter"]) / 4)
    only = cupel.mbr(TEXTS, ["chrf", "ter"], metric_weights={"chrf": 0})
    assert only.utilities.tolist() == [1.0, 2.5, 4.0, 2.5]


def test_lists_of_lists_and_arrays() -> None:
    found = cupel.mbr([TEXTS, np.array(["a b", "a c"])], "chrf", weights=[[1, 1, 1, 1], [0, 1]])
    assert [choice.index for choice in found] == [0, 1]


def test_metrics_that_compare_with_a_source_or_nothing_are_refused() -> None:
    for metric, sentence in (
        ("length", "'length' compares with no reference, so it is no utility: use cupel rerank"),
        ("nist", "'nist' learns from a whole corpus"),
    ):
        with pytest.raises(CupelError, match=sentence):
            cupel.mbr(TEXTS, metric)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"candidates": []}, None),
        ({"candidates": [[]]}, "Segment 1 has no candidates: give at least one"),
        ({"candidates": [TEXTS], "weights": []}, "1 lists of candidates, and 0 of what goes with"),
        ({"candidates": TEXTS, "references": []}, "The list has no pseudo-references"),
        ({"candidates": TEXTS, "weights": [1, math.nan, 1, 1]}, "number 2 of the weights is nan"),
        ({"candidates": TEXTS, "weights": [1, -1, 1, 1]}, "number 2 of the weights is below 0: -1.0"),
        ({"candidates": TEXTS, "weights": [0] * 4}, "the weights add up to 0"),
        ({"candidates": TEXTS, "weights": [1]}, "4 pseudo-references have 1 weights"),
        ({"candidates": TEXTS, "logprobs": [-math.inf] * 4}, "all log-probabilities are -inf"),
        ({"candidates": TEXTS, "logprobs": [0] * 4, "weights": [1] * 4}, "either weights or logprobs"),
        ({"candidates": ["a", 3]}, "number 2 of the candidates is no text, but int"),
        ({"candidates": TEXTS, "method": "fast"}, "Unknown method 'fast'; known are: exact, aggre"),
        ({"candidates": TEXTS, "method": "aggregate", "metric": "ter"}, "'ter' cannot make one ref"),
        ({"candidates": TEXTS, "method": "coarse", "keep": 0}, "keep must be 1 or more, not 0"),
        ({"candidates": TEXTS, "method": "prune", "metric": ["ter", "chrf"]}, "takes one metric"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(arguments: dict[str, Any], sentence: str | None) -> None:
    if sentence is None:
        assert cupel.mbr(**arguments) == []
        return
    with pytest.raises(CupelError, match=sentence):
        cupel.mbr(**arguments)


def test_one_candidate_is_chosen() -> None:
    assert cupel.mbr(["alone"], "bleu", method="prune").index == 0
    assert cupel.mbr(["alone"], "chrf").utility == 100.0


def test_a_hundred_thousand_candidates() -> None:
    """All pairs are refused in one sentence; the aggregate takes them."""
    texts = [f"candidate number {n} of a very long list" for n in range(100_000)]
    with pytest.raises(CupelError, match=r"10,000,000,000 pairs .* choose --method aggregate"):
        cupel.mbr(texts, "chrf")
    assert cupel.mbr(texts, "bleu", method="aggregate").utility > 50


def test_a_call_costs_little_beyond_the_work() -> None:
    """A hundred candidates instead of sixteen: what a call does is in the kernels."""
    few, more = many(16), many(100)
    cupel.mbr(few, "chrf")
    assert calls(lambda: cupel.mbr(more, "chrf")) < 5000
