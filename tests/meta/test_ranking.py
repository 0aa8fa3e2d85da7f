from __future__ import annotations

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.meta.permutation import Stopping
from cupel.meta.ranking import (
    Ranking,
    average_ranking,
    average_ranks,
    average_values,
    cluster_ranks,
    rank_metrics,
)
from cupel.meta.statistic import Statistic


def test_clusters_open_where_a_metric_is_beaten() -> None:
    p = np.zeros((5, 5))
    p[np.triu_indices(5, 1)] = [0.5, 0.2, 0.01, 0.01, 0.06, 0.3, 0.01, 0.04, 0.05, 0.9]
    # the fourth is beaten by the first; the fifth only by those of the cluster before
    assert cluster_ranks(p) == [1, 1, 1, 2, 2]
    assert cluster_ranks(p, 0.001) == [1] * 5
    assert cluster_ranks(np.zeros((0, 0))) == []


def metrics(seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(7, 60))
    noise = {"best": 0.3, "good": 0.9, "poor": 5.0}
    scores = {name: human + generator.normal(0, s, human.shape) for name, s in noise.items()}
    return human, {"twin": scores["best"].copy(), **scores, "flat": np.full_like(human, 2.0)}


def test_a_ranking() -> None:
    human, scores = metrics()
    ranking = rank_metrics(Statistic("pearson"), human, scores, trials=100)
    assert ranking.names == ("best", "twin", "good", "poor")  # equal values by name
    assert ranking.ranks == (1, 1, 2, 3)
    assert ranking.undefined == ("flat",)
    assert ranking.value("flat") is ranking.rank("flat") is None
    assert ranking.value("best") == ranking.value("twin") == ranking.values[0]
    assert ranking.p_values[0, 1] == 1.0
    assert (ranking.draws_of("poor", "best") == ranking.draws["best", "poor"][:, ::-1]).all()
    zero = rank_metrics(Statistic("pearson"), human, scores, trials=0, undefined_as_zero=True)
    assert (zero.names[-1], zero.values[-1]) == ("flat", 0.0)
    assert not zero.p_values.any()


def test_tasks_are_averaged_on_one_scale() -> None:
    rankings = []
    for number, statistic in enumerate((Statistic("pearson"), Statistic("acc-eq", "item"))):
        human, scores = metrics(number)
        if number:
            del scores["poor"]
        stopping, swap = Stopping(block=20 + number), "pairs" if number else "both"
        rankings.append(
            rank_metrics(statistic, human, scores, trials=60, stopping=stopping, swap=swap)
        )
    values = average_values(rankings, [0.25, 0.75])
    assert set(values) == {"best", "good", "twin"}
    pearson, accuracy = (ranking.value("good") for ranking in rankings)
    assert pearson is not None
    assert accuracy is not None
    assert values["good"] == pytest.approx(0.25 * (pearson + 1) / 2 + 0.75 * accuracy)
    average = average_ranking(rankings, [0.25, 0.75])
    assert average.bounds == (0.0, 1.0)
    assert average.rank("good") == 2
    assert dict(zip(average.names, average.values, strict=True)) == values
    assert average_ranks(rankings)["good"] == np.mean([r.rank("good") for r in rankings])
    untested = rank_metrics(Statistic("pearson"), *metrics(), trials=0)
    assert not average_ranking([untested, untested]).p_values.any()


def test_weights_fit_the_tasks() -> None:
    empty = Ranking((), (), (), np.zeros((0, 0)), {})
    with pytest.raises(CupelError, match="3 weights were given for 1 tasks"):
        average_ranking([empty], [1, 2, 3])
    with pytest.raises(CupelError, match="no tasks to average"):
        average_ranks([])
