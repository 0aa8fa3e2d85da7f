from __future__ import annotations

import pytest

import cupel
from cupel.errors import CupelError
from cupel.metrics.chrf import Chrf, Words


def test_worked_example() -> None:
    # "ab" against "abc", orders 1 and 2: P = 2/2, 1/1; R = 2/3, 1/2; means 1 and 7/12;
    # F2 = 5 * P * R / (4 P + R).
    recall = (2 / 3 + 1 / 2) / 2
    expected = 100 * 5 * recall / (4 + recall)
    scores = cupel.score(["ab"], ["abc"], ["chrf:char_order=2"])
    assert scores["chrf:char_order=2"] == pytest.approx(expected, abs=1e-12)


def test_words_lose_one_punctuation_mark_at_an_end() -> None:
    tokens = Words()(["(hi) don't a. . ..."])
    assert tokens.of(0) == ["(hi", ")", "don't", "a", ".", ".", "..", "."]


def test_white_space_does_not_count_unless_asked_for() -> None:
    scores = cupel.score(["a b"], ["ab"], ["chrf", "chrf:whitespace=yes"])
    assert scores["chrf"] == 100
    assert isinstance(scores["chrf:whitespace=yes"], float)
    assert scores["chrf:whitespace=yes"] < 100


def test_the_best_reference_counts() -> None:
    scores = cupel.score(["abcdef"], [["zzz", "abcdef", "abc"]], ["chrf++"])
    assert scores["chrf++"] == 100


def test_no_order_at_all_is_an_error() -> None:
    with pytest.raises(CupelError) as error:
        Chrf(char_order=0)
    assert str(error.value) == (
        "chrF needs at least one n-gram order, not char_order=0 and word_order=0."
    )
