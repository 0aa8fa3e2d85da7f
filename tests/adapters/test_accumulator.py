"""However the segments are split over batches and processes, the scores are the same."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cupel
from cupel.adapters.accumulator import Accumulator
from cupel.errors import CupelError
from cupel.metric import learns_from_corpus
from cupel.totals import exact_sums, total

WHOLE_NUMBERS = ["bleu", "chrf", "chrf++", "ter", "wer", "per", "cder"]
FRACTIONS = ["sentbleu", "rouge-l", "meteor:modules=exact,stem", "badger", "terp:paraphrases=no"]
LEARNING = ["nist", "cider", "coco:metric=cider"]


def segments() -> list[tuple[str, list[str]]]:
    corpus = cupel.data.sample()
    return [
        (hypothesis, list(references))
        for texts in corpus.systems.values()
        for hypothesis, references in zip(texts, corpus.references, strict=True)
    ]


def accumulated(
    metrics: list[str], parts: Sequence[Sequence[tuple[str, list[str]]]]
) -> Accumulator:
    accumulator = Accumulator(metrics)
    for part in parts:
        accumulator.update([h for h, _ in part], [r for _, r in part])
    return accumulator


def random_parts(seed: int) -> list[list[tuple[str, list[str]]]]:
    """The segments in another order, in batches of any size; some are empty."""
    generator = np.random.default_rng(seed)
    items = segments()
    order = generator.permutation(len(items))
    cuts = [0, *sorted(generator.integers(0, len(items), 6)), len(items)]
    return [[items[i] for i in order[a:b]] for a, b in pairwise(cuts)]


def test_any_split_gives_the_same_bits() -> None:
    metrics = [*WHOLE_NUMBERS, *FRACTIONS, *LEARNING]
    alone = accumulated(metrics, [segments()]).compute()
    for seed in range(3):
        parts = random_parts(seed)
        assert accumulated(metrics, parts).compute() == alone
        first, *others = [accumulated(metrics, [part]) for part in parts]
        first.merge(*others)
        assert first.segments == len(segments())
        assert first.compute() == alone
    scores = cupel.score([h for h, _ in segments()], [r for _, r in segments()], metrics)
    for metric in WHOLE_NUMBERS:
        assert alone[metric] == scores[metric], metric
    for metric in FRACTIONS + LEARNING:
        assert alone[metric] == pytest.approx(scores[metric], rel=1e-14), metric


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.randoms())
def test_sums_do_not_depend_on_the_order(values: list[float], random) -> None:
    column = np.array(values)[:, None]
    shuffled = list(values)
    random.shuffle(shuffled)
    cut = random.randrange(len(values) + 1)
    halves = [np.array(part).reshape(-1, 1) for part in (shuffled[:cut], shuffled[cut:])]
    apart = exact_sums(halves[0]) + exact_sums(halves[1])
    assert (total(apart) == total(exact_sums(column))).all()
    assert total(apart)[0] == pytest.approx(math.fsum(values), rel=1e-15, abs=1e-15)


def test_metrics_that_learn() -> None:
    learning = [
        name
        for name in ("bleu", "nist", "cider", "length", "meteor:modules=exact", "ter", "red")
        if learns_from_corpus(cupel.get_metric(name))
    ]
    assert learning == ["nist", "cider", "length"]
    assert learns_from_corpus(cupel.get_metric("coco:metric=cider"))
    assert not learns_from_corpus(cupel.get_metric("coco:metric=rouge-l"))


def overlap(hypothesis: str, references: list[str]) -> float:
    return float(hypothesis in references)


def test_functions_sources_and_reset() -> None:
    accumulator = Accumulator([overlap, "copied", "length"])
    accumulator.update(["a b c d e", "b"], ["a b c d e", "c"], ["a b c d e", "x"])
    accumulator.update([], [])
    assert accumulator.segments == 2
    result = accumulator.compute()
    assert result["overlap"] == 0.5
    sources = ["a b c d e", "x"]
    whole = cupel.score(["a b c d e", "b"], metrics=["copied", "length"], sources=sources)
    assert (result["copied"], result["length"]) == (whole["copied"], whole["length"])
    accumulator.reset()
    with pytest.raises(CupelError, match=r"^There is nothing to score: call update with a batch"):
        accumulator.compute()


def test_what_cannot_be_added() -> None:
    accumulator = Accumulator(["bleu", "nist"])
    accumulator.update(["a"], ["a"])
    for texts, sentence in (
        ((["a", "b"], ["a"]), "The references have 1 segment, but system 'system' has 2."),
        ((["a"],), "The metric 'nist' needs references, and there are none here."),
        (({"x": ["a"], "y": ["b"]}, ["a"]), "An Accumulator is for one system"),
        (([], ["a"]), "The references have 1 segment"),
    ):
        with pytest.raises(CupelError) as error:
            accumulator.update(*texts)
        assert str(error.value).startswith(sentence)
    assert accumulator.segments == 1
    with pytest.raises(CupelError, match="merged when their metrics are the same: bleu, nist here"):
        accumulator.merge(Accumulator("bleu:lowercase=yes"))


def test_the_first_score_needs_no_heavy_package() -> None:
    """Import and first BLEU took 0.1 to 0.5 s on two busy cores; torch alone takes longer."""
    code = (
        "import sys, cupel; a = cupel.Accumulator('bleu'); a.update(['a b c d'], ['a b c d']);"
        "cupel.adapters.compute_metrics; print(a.compute()['bleu'] > 99,"
        "*(m for m in ('torch', 'polars', 'scipy', 'transformers') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_it_can_be_sent() -> None:
    accumulator = accumulated(["chrf", "nist"], [segments()])
    copied = pickle.loads(pickle.dumps(accumulator))
    assert copied.compute() == accumulator.compute()
    assert repr(copied) == "Accumulator(['chrf', 'nist'], segments=160)"
