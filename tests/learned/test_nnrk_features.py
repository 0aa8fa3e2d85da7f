"""NNRK's features: what it refuses, what it keeps on the disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from test_nnrk import tiny_model

import cupel
from cupel import code_digest
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.errors import CupelError, MissingPart
from cupel.learned.nnrk.data.examples import computed_features
from cupel.learned.nnrk.files import _features as named_features
from cupel.learned.nnrk.files import features_of
from cupel.learned.nnrk.model.features import FeatureSet, SkipFeature, feature_set
from cupel.neural import packages


def test_a_missing_feature_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match=r"'syntax25' needs spacy: pip install 'cupel\[syntax\]'"):
        feature_set("4metrics,syntax25".replace("4metrics", "ter"))
    named_features.cache_clear()
    model = replace(tiny_model(), card={"features": ["ter", "syntax25"]})
    with pytest.raises(MissingPart, match="trained with features that are not at hand"):
        features_of(model)


@dataclass(frozen=True)
class Broken:
    """A metric whose score of the second segment is no number."""

    value: float = float("nan")
    name = "broken"
    higher_is_better = True

    def signature(self) -> cupel.metric.Signature:
        return cupel.metric.Signature()

    def prepare(self, corpus: object) -> Broken:
        return self

    def statistics(self, batch: Batch) -> np.ndarray:
        out = np.ones((len(batch), 1))
        out[1] = self.value
        return out

    def score(self, statistics: np.ndarray) -> np.ndarray:
        return statistics[..., 0]

    segment_scores = score


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_features_that_are_no_numbers(value: float):
    features = FeatureSet(("broken",), (SkipFeature("broken", Broken(value), "score"),), ())
    with pytest.raises(CupelError, match=f"'broken' has the value {value} at segment 2"):
        features.skip_arcs(Batch(["a", "b"], [["a"], ["b"]]))


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ("", "needs features"),
        ("ter,ter", "'ter' is asked for twice"),
        ("4metrix", "There is no feature '4metrix'"),
        ("wer.components", "'wer' has no components"),
        ("vectors=nowhere.txt", "There are no vectors 'nowhere.txt'"),
    ],
)
def test_features_that_do_not_exist(names: str, sentence: str):
    with pytest.raises(CupelError, match=sentence):
        feature_set(names)


def test_kept_features_are_those_of_the_code_that_computed_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    computed = []
    values = SkipFeature.values

    def counted(self: SkipFeature, batch: Batch) -> FloatArray:
        computed.append(1)
        return values(self, batch)

    monkeypatch.setattr(SkipFeature, "values", counted)
    corpus = Corpus({"one": ["a dog runs", "a cat"]}, [["a dog ran"], ["the cat"]])
    batch = Batch(corpus.systems["one"], corpus.references)
    for code, times in (("a", 1), ("a", 1), ("b", 2)):
        monkeypatch.setattr(code_digest, "code_of", lambda metric, code=code: code)
        computed_features(feature_set("sentbleu"), corpus, batch, "here")
        assert len(computed) == times
