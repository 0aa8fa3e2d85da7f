from __future__ import annotations

import math

import pytest

import cupel
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metrics.nist import BETA, Nist


def test_worked_example() -> None:
    # References "a b a c" and "a d": 6 words; a 3 times, b, c, d once; "a b", "b a", "a c", "a d".
    # The hypothesis "a b" matches a: log2(6/3), b: log2(6/1), "a b": log2(3/1).
    # Its length is 2 of 4: BP = exp(-beta log(1/2)^2).
    scores = cupel.score(["a b", "x"], ["a b a c", "a d"], ["nist"])
    gained = (math.log2(2) + math.log2(6)) / 2 + math.log2(3) / 1
    penalty = math.exp(-BETA * math.log(1 / 2) ** 2)
    assert scores.segment_scores("nist")[0] == pytest.approx(gained * penalty, abs=1e-12)
    assert scores.segment_scores("nist")[1] == 0


def test_the_penalty_is_one_half_at_two_thirds_of_the_length() -> None:
    assert math.exp(-BETA * math.log(2 / 3) ** 2) == pytest.approx(0.5)


def test_a_context_that_reads_0_counts_as_none() -> None:
    # mteval-v13a.pl: information of "0 x" is log2(words / count), as if "0" were no context.
    scores = cupel.score(["0 x"], ["0 x y z"], ["nist"])
    gained = (2 * math.log2(4)) / 2 + math.log2(4) / 1
    penalty = math.exp(-BETA * math.log(1 / 2) ** 2)
    assert scores["nist"] == pytest.approx(gained * penalty, abs=1e-12)


def test_only_ascii_letters_are_lowered() -> None:
    scores = cupel.score(["É A"], ["é a"], ["nist"])
    # "a" matches, "É" does not: information of "a" is log2(2/1), over two words.
    assert scores["nist"] == pytest.approx(0.5)


def test_unprepared_it_refuses() -> None:
    with pytest.raises(CupelError) as error:
        Nist().statistics(Batch(["a"], [["a"]]))
    assert str(error.value) == "NIST has to be prepared on a corpus before it can score."


def test_empty_segments_do_not_break_it() -> None:
    scores = cupel.score(["", "a"], ["", "a"], ["nist"])
    assert scores.segment_scores("nist").tolist() == [0.0, 0.0]  # log2(1/1): nothing to learn
