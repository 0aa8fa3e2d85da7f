"""CIDEr against pycocoevalcap's, on newstest and on the mutt trials with 5 to 20 references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cupel

pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")


def largest_difference(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    from pycocoevalcap.cider.cider import Cider

    scores = cupel.score(list(hypotheses), list(references), ["cider"])
    expected, segments = Cider().compute_score(
        {i: list(texts) for i, texts in enumerate(references)},
        {i: [text] for i, text in enumerate(hypotheses)},
    )
    difference = np.abs(scores.segment_scores("cider") - segments).max()
    return float(max(difference, abs(scores.system_score("cider") - expected)))


@pytest.mark.parametrize(("dataset", "pair"), [("wmt14", "fr-en"), ("wmt12", "es-en")])
def test_newstest(newstest: Any, dataset: str, pair: str) -> None:
    corpus = newstest(dataset, pair)
    for hypotheses in list(corpus.systems.values())[:2]:
        assert largest_difference(hypotheses, corpus.references) < 1e-12


@pytest.mark.parametrize("count", [5, 10, 20])
def test_mutt_trials(pack: Callable[[str], Path], count: int) -> None:
    pack("mutt")
    from cupel.data import mutt_corruptions, mutt_trials

    for corruption in mutt_corruptions():
        trials = mutt_trials(corruption, count)
        assert largest_difference(trials.originals, trials.references) < 1e-12
        assert largest_difference(trials.corrupted, trials.references) < 1e-12


SENTENCE = st.lists(st.sampled_from("a b c d the . , x1".split()), max_size=9).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=3)), min_size=1, max_size=6)
    .filter(lambda segments: any(r.split() for _, rs in segments for r in rs))
)  # fmt: skip
def test_small_vocabularies(segments: list[tuple[str, list[str]]]) -> None:
    assert largest_difference([h for h, _ in segments], [r for _, r in segments]) < 1e-12
