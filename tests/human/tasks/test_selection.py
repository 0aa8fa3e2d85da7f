"""Which segments are worth judging: each way against its definition, written as a slow loop."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from cupel.errors import CupelError
from cupel.human.tasks import selection
from cupel.human.tasks.selection import Evidence, order, utility, whole_documents

RNG = np.random.default_rng(5)
SCORES = RNG.normal(size=(3, 4, 30)) * np.array([1.0, 20.0, 0.3])[:, None, None]
TEXTS = [[" ".join(RNG.choice(list("abcdef"), 5)) for _ in range(4)] for _ in range(30)]
SOURCES = [f"the {'rare' if at == 3 else 'same'} word" for at in range(30)]
EVIDENCE = Evidence(SCORES, TEXTS, SOURCES)
Z = np.stack([(one - one.mean()) / one.std() for one in SCORES])
PAIRS = list(combinations(range(4), 2))


def test_disagreement_and_variance() -> None:
    for at in (0, 7, 29):
        spread = [np.var([z[a, at] - z[b, at] for z in Z]) for a, b in PAIRS]
        assert selection.disagreement(EVIDENCE)[at] == pytest.approx(np.sqrt(np.mean(spread)))
        assert selection.variance(EVIDENCE)[at] == pytest.approx(np.std(Z[:, :, at].mean(0)))
    single = Evidence(SCORES[:, :1], TEXTS, SOURCES)
    of_one = (SCORES[:, :1] - SCORES[:, :1].mean((1, 2), keepdims=True)) / SCORES[:, :1].std(
        (1, 2), keepdims=True
    )
    assert selection.disagreement(single)[3] == pytest.approx(np.std(of_one[:, 0, 3]))


def test_close_systems_count_more() -> None:
    """A pair that is far apart over all, t = 40, counts a hundredth of one with t = 0."""
    e = Z.mean(0)
    expected = 0.0
    for a, b in PAIRS:
        d = e[a] - e[b]
        t = d.mean() / (d.std() / np.sqrt(30))
        expected += abs(d[11]) / (1 + (t / 4) ** 2)
    assert selection.close(EVIDENCE)[11] == pytest.approx(expected)


def test_consistency_is_kendalls_tau_with_the_whole() -> None:
    e = Z.mean(0)
    for at in range(30):
        tau = kendalltau(e[:, at], e.mean(1)).statistic
        assert selection.consistency(EVIDENCE)[at] == pytest.approx(1 + tau)


def test_typical_is_pearsons_r_with_the_whole() -> None:
    e = Z.mean(0)
    values = selection.typical(EVIDENCE)
    for at in range(30):
        assert values[at] == pytest.approx(1 + np.corrcoef(e[:, at], e.mean(1))[0, 1])
    alike = selection.Evidence(np.ones((2, 3, 4)), [["a"] * 3] * 4, ["b"] * 4)
    assert selection.typical(alike) == pytest.approx(np.ones(4))


def test_diversity_and_content() -> None:
    bags = [Counter(text.split()) for text in TEXTS[4]]
    overlap = np.mean([2 * (bags[a] & bags[b]).total() / 10 for a, b in PAIRS])
    assert selection.diversity(EVIDENCE)[4] == pytest.approx(1 - overlap)
    content = selection.content(EVIDENCE)
    assert content.argmax() == 3
    assert content[3] == pytest.approx((np.log(1) + np.log(30) + np.log(1)) / 3)
    chinese = Evidence(
        SCORES[:, :, :2], [["你好"] * 4, ["你好", "再见", "再见", "你"]], ["你好", "好"]
    )
    assert selection.diversity(chinese)[0] == 0.0
    assert selection.diversity(chinese)[1] > 0.5


def test_several_methods_are_multiplied_by_rank() -> None:
    both = utility(EVIDENCE, ["disagreement", "content"])
    ranks = np.argsort(np.argsort(selection.disagreement(EVIDENCE))) + 1
    assert both[3] == pytest.approx(ranks[3] / 30 * 1.0)  # the first by content
    assert both[0] == pytest.approx(ranks[0] / 30 * 15 / 30)  # 29 share the ranks 1 to 29
    assert utility(EVIDENCE, ["random"]).tolist() == [1.0] * 30
    for methods, sentence in (
        (["best"], "There is no way 'best' to select; there are random, disagreement"),
        (["random", "close"], "cannot be combined"),
    ):
        with pytest.raises(CupelError, match=sentence):
            utility(EVIDENCE, methods)


def test_draws_are_in_proportion_and_by_seed() -> None:
    values = np.array([3.0, 1.0, 0.0 + 1e-9])
    firsts = [int(order(values, seed, draw=True)[0]) for seed in range(2000)]
    assert 0.72 < np.mean(np.array(firsts) == 0) < 0.78
    assert order(values, 1, draw=False).tolist() == [0, 1, 2]
    same = order(np.ones(50), 9, draw=True)
    assert same.tolist() == order(np.ones(50), 9, draw=True).tolist()
    assert same.tolist() != order(np.ones(50), 10, draw=True).tolist()
    assert sorted(same.tolist()) == list(range(50))


def test_whole_documents() -> None:
    documents = list("aaabbbbccd")
    ranked = np.array([7, 8, 3, 4, 5, 6, 0, 1, 2, 9])
    assert whole_documents(ranked, documents, 3).tolist() == [7, 8, 9]  # b and a do not fit
    assert sorted(whole_documents(ranked, documents, 6).tolist()) == [3, 4, 5, 6, 7, 8]
    with pytest.raises(CupelError, match="the shortest has 2"):
        whole_documents(np.arange(4), list("aabb"), 1)
