"""ReVal's similarity scores: worked rankings, Algorithm 1 on wmt13, splits that never leak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cupel.data.sick import read_sick, sick_pairs
from cupel.errors import CupelError
from cupel.human.rankings import Rankings
from cupel.learned.reval.data import similarity
from cupel.learned.reval.data.examples import Recipe, SimilarityData, recipe_of
from cupel.learned.reval.data.similarity import (
    BANDS,
    PUBLISHED,
    RankedPairs,
    ranked_pairs,
    threshold,
)
from cupel.learned.reval.data.tables import set_rows, threshold_rows

Pack = Callable[[str], Path]


@pytest.fixture(scope="module")
def wmt13(pack: Pack) -> SimilarityData:
    pack("wmt13")
    return SimilarityData()


def small() -> RankedPairs:
    """Systems a and b wrote the same; judge 1 ranked a, b, c as 1, 3, 2 and judge 2 b, c as 2, 5."""
    rankings = Rankings(
        pair="xx-en",
        systems=("a", "b", "c"),
        segments=np.array([0, 0, 1]),
        judges=np.zeros(3, np.int64),
        judge_ids=("judge",),
        ranked=np.array([[0, 1, 2], [1, 2, -1], [0, 1, 2]]),
        ranks=np.array([[1, 3, 2], [2, 5, -1], [4, 4, 1]]),
    )
    builder = similarity._Builder()
    systems = {"a": ["same", "x"], "b": ["same", "y"], "c": ["other", "z"]}
    builder.add(rankings, ["first", "second"], systems)
    return builder.build()


def test_equal_translations_are_one_pair_ranked_where_they_came_first() -> None:
    ranked = small()
    assert ranked.translations == ["same", "other", "x", "y", "z"]
    assert ranked.line.tolist() == [0, 0, 1, 1, 1]
    assert ranked.count.tolist() == [2, 2, 1, 1, 1]
    assert ranked.similarity.tolist() == [6 - 1.5, 6 - 3.5, 2, 2, 5]
    assert ranked.variance.tolist() == [0.25, 2.25, 0, 0, 0]
    preferred = sorted(zip(ranked.better.tolist(), ranked.worse.tolist(), strict=True))
    assert preferred == [(0, 1), (0, 1), (4, 2), (4, 3)]
    assert ranked.below(0.25).tolist() == [False, False, True, True, True]  # strictly
    assert ranked.agreement(np.ones(5, bool)).tolist() == [4, 0, 0]


def ranked_of(ranks: list[list[int]], better: list[int], worse: list[int]) -> RankedPairs:
    return RankedPairs(
        references=["r"] * len(ranks),
        translations=[f"t{i}" for i in range(len(ranks))],
        line=np.zeros(len(ranks), np.int64),
        count=np.array([len(row) for row in ranks]),
        rank_sum=np.array([sum(row) for row in ranks]),
        square_sum=np.array([sum(r * r for r in row) for row in ranks]),
        better=np.array(better),
        worse=np.array(worse),
    )


def test_algorithm_1_stops_at_the_first_variance_that_fails() -> None:
    # Variances 0, 2/9, 14/9 and 14/9; the judgment between the last two contradicts their means.
    ranks = [[1, 1, 1], [4, 5, 4], [1, 2, 4], [1, 4, 2]]
    good = ranked_of(ranks, [0, 0], [1, 2])
    assert threshold(good, 3).variance == 4.0  # never fails: the largest that ranks can have
    ranks[3] = [1, 4, 3]
    bad = ranked_of(ranks, [0, 3], [1, 2])
    found = threshold(bad, 3)
    assert (found.variance, found.tau, found.pairs, found.comparisons) == (1.55, 1.0, 2, 1)
    assert threshold(ranked_of(ranks, [1], [0]), 3).variance is None


def test_no_comparable_pairs_are_told() -> None:
    with pytest.raises(CupelError, match="ranked 5 times: no judge compared two of them"):
        threshold(ranked_of([[1, 1, 1], [2, 2, 2]], [0], [1]), 5)
    with pytest.raises(CupelError, match="no tau 'b'; there are wmt12, wmt13, wmt14"):
        threshold(small(), 3, "b")


def test_algorithm_1_on_wmt13(wmt13: SimilarityData) -> None:
    found = {
        tau: [threshold(wmt13.ranked, band, tau).variance for band in BANDS]
        for tau in ("wmt13", "wmt14", "wmt12")
    }
    assert found == {
        "wmt13": [2.65, 1.65, 1.35, 1.2, 1.6, 0.65],
        "wmt14": [1.55, 1.15, 0.95, 0.9, 0.55, 0.25],
        "wmt12": [0.65, 0.65, None, 0.85, 0.5, 0.25],
    }


def test_sets_have_their_sizes(wmt13: SimilarityData, pack: Pack) -> None:
    pack("sick")
    sizes = {name: wmt13.make(name).sizes for name in ("L", "LNF", "L+Sick", "XL+Sick")}
    assert sizes == {
        "L": (7179, 1000, 1000),
        "LNF": (11212, 1000, 1000),
        "L+Sick": (7179 + 4439, 1000 + 495, 1000),
        "XL+Sick": (15832, 1495, 1000),
    }


def test_no_line_is_on_two_sides(wmt13: SimilarityData) -> None:
    held: dict[str, set[int]] = {"train": set(), "dev": set(), "test": set()}
    for name in ("L", "LNF", "XL", "XXL", "All"):
        made = wmt13.make(name)
        for split, lines in held.items():
            lines |= set(getattr(made, split).line.tolist())
    assert not held["train"] & held["dev"]
    assert not held["train"] & held["test"]
    assert not held["dev"] & held["test"]
    texts = {split: set(getattr(wmt13.make("All"), split).references) for split in held}
    assert not texts["train"] & (texts["dev"] | texts["test"])


def test_similarities_follow_the_recipes(wmt13: SimilarityData) -> None:
    made = wmt13.make("XL")
    for part, least in ((made.train, 3), (made.dev, 4), (made.test, 4)):
        assert part.count.min() == least
        assert part.similarity.min() >= 1
        assert part.similarity.max() <= 5
        for band, variance in PUBLISHED.items():
            inside = part.count >= 8 if band == 8 else part.count == band
            assert (part.variance[inside] < variance).all()


def test_the_set_as_a_table(wmt13: SimilarityData, pack: Pack) -> None:
    pack("sick")
    made = wmt13.make("L+Sick")
    lines = made.tsv().splitlines()
    assert lines[0].split("\t")[:6] == [
        "split",
        "origin",
        "line",
        "count",
        "variance",
        "similarity",
    ]
    assert len(lines) == 1 + sum(made.sizes)
    assert {len(line.split("\t")) for line in lines} == {8}
    sick = [line.split("\t") for line in lines if line.split("\t")[1] == "sick"]
    assert (sick[0][0], sick[0][2], sick[0][5]) == ("train", "1", "4.5")
    assert sick[0][6].startswith("A group of kids")


def test_tables_beside_the_papers(pack: Pack) -> None:
    pack("wmt13")
    pack("sick")
    rows = {row["row"]: row for row in threshold_rows("wmt13")}
    assert rows["paper"]["n=7"] == "1.30"
    assert rows["wmt13, tau of wmt12"]["n=5"] == "none"
    assert rows["wmt13, tau of wmt14, fr-en only"]["n>=8"] == "1.00"
    assert set_rows("wmt13")[3] == {"row": "XL+Sick", "train": 15832, "dev": 1495, "test": 1000}


def test_what_empties_a_set_is_named(wmt13: SimilarityData) -> None:
    def changed(**values: object) -> SimilarityData:
        data = SimilarityData.__new__(SimilarityData)
        vars(data).update({**vars(wmt13), **values})
        vars(data).pop("lines", None)
        return data

    with pytest.raises(CupelError, match="no translation in wmt13 was ranked 99 or more times"):
        wmt13.make("rare", Recipe(least=99))
    nothing = changed(thresholds=dict.fromkeys(BANDS, 0.0))
    with pytest.raises(CupelError, match=r"none has a variance below the thresholds \(3: 0.0"):
        nothing.make("L")
    ranked = replace(small(), count=np.full(5, 4))
    with pytest.raises(CupelError, match="held out for development and test are all that wmt13"):
        changed(ranked=ranked).make("LNF")


def test_wrong_names_are_told(pack: Pack) -> None:
    with pytest.raises(CupelError, match="no set 'S'; there are L, LNF, XL, XXL, All"):
        recipe_of("S")
    assert recipe_of("XL+Sick") == replace(recipe_of("XL"), sick=True)
    pack("wmt12")
    with pytest.raises(CupelError, match="wmt12 has no judgments of 'ru-en'"):
        ranked_pairs("wmt12", ["ru-en"])
    with pytest.raises(CupelError, match="translate into cs and en; a model is of one language"):
        ranked_pairs("wmt12", ["cs-en", "en-cs"])


def test_sick_by_split(pack: Pack) -> None:
    pack("sick")
    assert [len(sick_pairs(split)) for split in ("train", "trial", "test")] == [4439, 495, 4906]
    first = sick_pairs("train")
    assert (first.pair_id[0], first.relatedness[0], first.entailment[0]) == (1, 4.5, "NEUTRAL")
    with pytest.raises(CupelError, match="no split 'dev'"):
        sick_pairs("dev")


def test_a_damaged_sick_file_is_told(tmp_path: Path) -> None:
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_label\tSemEval_set"
    path = tmp_path / "SICK.txt"
    path.write_text(f"{header}\n1\ta\tb\thigh\tNEUTRAL\tTRAIN\n")
    with pytest.raises(
        CupelError, match="line 2: relatedness_score is 'high' where a number was expected"
    ):
        read_sick(path)
    path.write_text(f"{header}\n1\ta\tb\n")
    with pytest.raises(CupelError, match="line 2: 6 fields were expected, as in the header, but 3"):
        read_sick(path)
    path.write_text("a\tb\n")
    with pytest.raises(CupelError, match=r"SICK.txt has no column 'pair_ID'; it has 'a', 'b'"):
        read_sick(path)
