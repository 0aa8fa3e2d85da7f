"""ROUGE-L equals pycocoevalcap's to the last bit: real translations, five references, any text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.data import mutt_corruptions, mutt_trials
from cupel.metrics.rouge_l import RougeL
from cupel.text import ptb

rouge = pytest.importorskip("pycocoevalcap.rouge.rouge")


def assert_equal(hypotheses, references, **options):
    oracle = rouge.Rouge()
    expected = [oracle.calc_score([h], r) for h, r in zip(hypotheses, references, strict=True)]
    metric = RougeL(**options)
    found = metric.statistics(Batch(hypotheses, references))
    np.testing.assert_array_equal(metric.segment_scores(found), expected)
    assert metric.score(found.sum(0)) == pytest.approx(np.mean(expected), abs=1e-12)


@pytest.mark.parametrize("name", ["wmt12", "wmt14"])
def test_translations(newstest, name):
    corpus = newstest(name, "cs-en")
    for outputs in corpus.systems.values():
        assert_equal(outputs[::10], corpus.references[::10])


@pytest.mark.parametrize("corruption", mutt_corruptions())
def test_five_references(pack, corruption):
    pack("mutt")
    trials = mutt_trials(corruption, 5)
    assert_equal(trials.originals + trials.corrupted, trials.references * 2)


def test_tokenised_captions(pack):
    pack("mutt")
    trials = mutt_trials("passive", 5)
    found = RougeL(tokenize="ptb").statistics(Batch(trials.corrupted, trials.references))
    oracle = rouge.Rouge()
    expected = [
        oracle.calc_score(ptb.tokenize([hypothesis]), ptb.tokenize(references))
        for hypothesis, references in zip(trials.corrupted, trials.references, strict=True)
    ]
    np.testing.assert_array_equal(found[:, 0], expected)


TEXTS = st.text(max_size=30) | st.text(" ab\t\u00a0", max_size=30)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=4)), min_size=1, max_size=6))
def test_any_text(items):
    assert_equal([hypothesis for hypothesis, _ in items], [refs for _, refs in items])
