from __future__ import annotations

import math

import numpy as np
import pytest

import cupel
from cupel.errors import CupelError
from cupel.metrics.bleu import Bleu, closest_length


def test_worked_example() -> None:
    # 5 of 6 words; 3 of 5 pairs (the cat, on the, the mat); 1 of 4 triples (on the mat);
    # 0 of 3 quadruples, smoothed to 1 / (2 * 3); equal length, so BP = 1.
    score = cupel.score(["the cat is on the mat"], ["the cat sat on the mat"])["bleu"]
    expected = 100 * (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** (1 / 4)
    assert score == pytest.approx(expected, abs=1e-12)


def test_brevity_penalty() -> None:
    # All n-grams match; 4 words against 5: BP = exp(1 - 5/4).
    score = cupel.score(["a b c d"], ["a b c d e"])["bleu"]
    assert score == pytest.approx(100 * math.exp(1 - 5 / 4), abs=1e-12)


def test_the_closest_reference_length_is_the_shorter_of_two_equally_close() -> None:
    lengths = closest_length(np.array([5, 5, 3]), np.array([7, 3, 9, 6, 2]), np.array([0, 2, 4, 5]))
    assert lengths.tolist() == [3, 6, 2]


def test_matches_are_clipped_at_the_most_in_any_one_reference() -> None:
    corpus = cupel.Corpus.of(["the the the the"], [["the cat", "the the dog"]])
    scores = cupel.score(corpus, metrics=["bleucomp"])
    found = {row["metric"]: row["score"] for row in scores.rows()}
    assert found["bleucomp.matches1"] == 2
    assert found["bleucomp.matches2"] == 1
    assert found["bleucomp.totals1"] == 4


def test_an_empty_hypothesis_scores_zero() -> None:
    scores = cupel.score(["", "a b"], ["a b", "a b"], ["bleu", "sentbleu"])
    assert scores.segment_scores("bleu")[0] == 0
    assert scores["sentbleu"] == pytest.approx(50.0)


def test_signature_reads_like_sacrebleus() -> None:
    scores = cupel.score(["a"], ["a"], ["bleu", "bleu:smooth_method=floor,lowercase=yes"])
    assert scores.signatures["bleu"] == (
        f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:cupel-{cupel.__version__}"
    )
    assert (
        "case:lc|eff:no|tok:13a|smooth:floor[0.10]"
        in (scores.signatures["bleu:smooth_method=floor,lowercase=yes"])
    )


def test_unknown_tokenizer_names_the_nearest() -> None:
    with pytest.raises(CupelError) as error:
        Bleu(tokenize="13b")
    assert str(error.value) == (
        "Unknown tokenizer '13b': did you mean '13a'? There are 13a, intl, zh, char, none, "
        "ja-mecab, ko-mecab, spm, flores101, flores200, spBLEU-1K, ptb, script."
    )


def test_unknown_smoothing_method() -> None:
    with pytest.raises(CupelError) as error:
        Bleu(smooth_method="laplace")
    assert str(error.value) == (
        "Unknown smoothing method 'laplace' for BLEU; known are: exp, floor, add-k, none."
    )


def test_a_tokenizer_that_needs_a_model_says_where_it_must_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    with pytest.raises(CupelError, match=r"needs the model https://.*: save it as .*models"):
        cupel.score(["a"], ["a"], ["bleu:tokenize=flores200"])
