"""Text that nobody writes: it is scored, or refused with a sentence, never in between.

That the time grows no faster than the text is measured by `make bench`.
"""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from cupel import score
from cupel.errors import CupelError
from cupel.registry import entries

LIGHT = (
    "badger bleu bleu-coco bleucomp cder chrf chrf++ cider length ncd nist numbers per "
    "repeats rouge-l sentbleu tags ter truncated wer wrong-script"
).split()
TEXTS = {
    "combining marks": "e" + "\u0301" * 20_000,
    "one character": "a" * 20_000,
    "one word": "the " * 5_000,
    "full stops": "." * 20_000,
    "digits": "1" * 20_000,
    "NUL": "\0" * 20_000,
    "open tags": "<" * 10_000,
    "entities": "&" * 10_000,
    "blanks": " " * 20_000,
    "line separators": "\u2028\x85\x0b" * 10_000,
    "both directions": "\u202e\u05d0 a" * 2_000,
    "surrogate": "a \ud800 b",
}


@pytest.mark.parametrize("name", TEXTS)
def test_strange_text_gives_a_number_or_a_sentence(name):
    text = TEXTS[name]
    for metric in LIGHT:
        with contextlib.suppress(CupelError):
            result = score([text], [text[:-3] + " x"], metric, sources=["one source , 7"])
            assert np.isfinite(result.statistics[metric]).all(), metric


def test_100000_equal_lines_score_as_one():
    metrics = ["chrf", "ter", "wer", "rouge-l"]
    many = score(["the cat sat ."] * 100_000, ["a cat sat ."] * 100_000, metrics)
    one = score(["the cat sat ."], ["a cat sat ."], metrics)
    for metric in metrics:
        assert many[metric] == pytest.approx(one[metric], rel=1e-12)


@pytest.mark.parametrize("metric", ["wer", "cder", "rouge-l", "per", "ter", "chrf", "bleu"])
def test_one_line_of_20000_words(metric):
    generator = np.random.default_rng(1)
    words = [f"w{k}" for k in generator.integers(0, 5000, 20_000)]
    result = score([" ".join(words[::-1])], [" ".join(words)], metric)
    assert np.isfinite(result.statistics[metric]).all()


def test_too_long_for_a_metric_is_a_sentence_that_names_the_segment():
    with pytest.raises(CupelError) as refused:
        score({"a": ["x", "b " * 40_000]}, ["x", "c"], "badger")
    assert str(refused.value) == (
        "The metric 'badger' takes texts of up to 60,000 characters; segment 2 of system 'a' or its "
        "reference has 80,000: split it, or leave it out."
    )


def test_the_ptb_tokenizer_refuses_what_takes_quadratic_time():
    with pytest.raises(
        CupelError, match=r"ptb takes up to 5,000 characters without a blank, not 6"
    ):
        score(["a " + "\0" * 6000], ["a"], "bleu-coco")


def test_meteor_refuses_a_word_that_comes_again_and_again():
    if entries()["meteor"].unready:
        pytest.skip(str(entries()["meteor"].unready))
    with pytest.raises(CupelError, match=r"10,000,000 pairs of equal words; these have 16,0"):
        score(["the " * 4000], ["the " * 4000 + "cat"], "meteor:modules=exact")
