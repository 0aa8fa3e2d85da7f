"""No option of any metric takes a number that makes no sense: each is refused with a sentence."""

from __future__ import annotations

import math
import types
from typing import Annotated, Union, get_args, get_origin

import numpy as np
import pytest

from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.descriptions import type_hints
from cupel.errors import CupelError, MissingPart
from cupel.options import Range, check_numbers
from cupel.registry import entries, get_metric

ABSURD = ("-1", "1000000000", str(10**400), "nan", "inf", "-inf", "1e308", "-1e308")
BELOW_ZERO = {f"phrase_{name}" for name in ("constant", "log", "probability", "edits")}
"""Factors in a cost, which may be negative: those that come with TER-Plus are."""
SLOW = ("assay", "depref", "hwcm", "meteor", "nnrk", "red", "reval", "terp", "wrong-language")


def numeric_options():
    for name, entry in entries().items():
        hints = type_hints(entry.make)
        for option in entry.options:
            if kind_of(hints.get(option)) in (int, float):
                yield name, option


def kind_of(hint):
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    return hint


def range_of(name, option):
    hint = type_hints(entries()[name].make)[option]
    return next((part for part in get_args(hint) if isinstance(part, Range)), Range())


def is_refused(spec):
    try:
        get_metric(spec)
    except CupelError:
        return True
    return False


def test_there_are_numbers_to_try():
    assert len(set(numeric_options())) > 50


@pytest.mark.parametrize(("name", "option"), numeric_options())
def test_absurd_numbers_are_refused(name, option):
    for value in ABSURD:
        if value == "-1" and option in BELOW_ZERO:
            continue
        with pytest.raises(CupelError) as refused:
            get_metric(f"{name}:{option}={value}")
        if isinstance(refused.value, MissingPart):
            pytest.skip(str(refused.value))
        sentence = str(refused.value)
        assert sentence.endswith(".")
        assert "\n" not in sentence


@pytest.mark.parametrize(
    ("name", "option"), [pair for pair in numeric_options() if not pair[0].startswith(SLOW)]
)
def test_what_is_accepted_gives_a_number(name, option):
    span = range_of(name, option)
    texts = ["the cat sat on the mat ."], ["the cat is on a mat ."], ["die Katze sass , 3 mal"]
    for value in {0, 1, span.least, span.most} - {math.inf, -math.inf}:
        if value in (0, 1) and is_refused(f"{name}:{option}={value}"):
            continue  # the metric itself says from where
        metric = get_metric(f"{name}:{option}={value:.12g}")
        metric = metric.prepare(Corpus.of(*texts))
        statistics = metric.statistics(Batch(texts[0], [[texts[1][0]]], texts[2]))
        assert np.isfinite(metric.score(statistics.sum(0))).all()


def test_the_sentence_says_what_was_expected():
    with pytest.raises(CupelError) as refused:
        get_metric("chrf:beta=-1")
    assert str(refused.value) == "The option chrf:beta takes a number from 0 to 1,000, not -1."
    with pytest.raises(CupelError, match=r"bleu:max_ngram_order takes a number up to 100, not 101"):
        get_metric("bleu", max_ngram_order=101)
    with pytest.raises(CupelError, match=r"x:y takes a finite number, not nan\."):
        check_numbers({"y": math.nan}, {}, "x")
