"""NNRK: its features, and the metric that ships."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.learned.nnrk.model.features import components_of, feature_set, split_names
from cupel.metric import Preferring
from cupel.registry import get_metric

# Features


def test_names_of_features():
    assert split_names("4metrics, wiki-gw50") == ["4metrics", "wiki-gw50"]
    assert split_names("ter;meteor:modules=exact,stem") == ["ter", "meteor:modules=exact,stem"]
    found = feature_set("bleucomp,chrf.statistics,wiki-gw50")
    assert found.names == ("bleucomp.components", "chrf.statistics", "wiki-gw50")
    batch = Batch(["the cat sat", "a dog"], [["the cat sat down"], ["the dog"]])
    assert found.skip_arcs(batch).shape == (2, 16 + 18)
    assert found.sentence_vectors(batch).shape == (4, 50)


def test_components_are_parts_of_the_score():
    batch = Batch(["the cat sat on the mat"], [["a cat sat on a mat"]])
    for name in ("chrf", "meteor:modules=exact,stem,synonym"):
        metric = get_metric(name)
        statistics = metric.statistics(batch)
        parts = components_of(metric)(statistics)
        assert parts[0, 0] == pytest.approx(metric.segment_scores(statistics)[0])
    metric = get_metric("chrf")
    chrf = components_of(metric)(metric.statistics(batch))
    assert chrf.shape == (1, 13)
    assert chrf[0, 1] == pytest.approx(100 * 11 / 17)  # 11 of the 17 letters are in the reference


def test_unknown_words_have_a_vector_of_their_own():
    from cupel.learned.nnrk.model.averages import Average, unknown_vector
    from cupel.text.vectors import EMBEDDED

    one, both, other, nothing = Average()(["cat", "cat qqzzxxy", "qqzzxxy xxqqyyz", ""])
    unknown = unknown_vector(EMBEDDED)
    assert np.allclose(other, unknown)
    assert np.allclose(both, (one + unknown) / 2)
    assert (nothing == 0).all()
    zero = Average(unknown=False)(["cat", "cat qqzzxxy"])
    assert np.allclose(zero[0], 2 * zero[1])
    assert len({Average(unknown=known).signature() for known in (True, False)}) == 2


def test_an_unknown_word_is_no_common_word():
    from cupel.learned.nnrk.model.averages import unknown_vector
    from cupel.text.vectors import EMBEDDED, open_vectors

    unknown, words = unknown_vector(EMBEDDED), open_vectors().matrix[:5000]
    lengths = np.linalg.norm(words, axis=1)
    assert 0.5 < np.linalg.norm(unknown) / np.median(lengths) < 2
    cosines = words @ unknown / (lengths * np.linalg.norm(unknown))
    assert np.abs(cosines).max() < 0.7


# The metric


def corpus() -> cupel.Corpus:
    from cupel.data import sample

    return sample()


def test_the_shipped_metric_scores_and_prefers():
    metric = get_metric("nnrk").prepare(corpus())
    assert isinstance(metric, Preferring)
    references = [
        ["The parliament will vote on the new law tomorrow."],
        ["He said that the prices had risen again."],
    ]
    good = Batch(["Parliament will vote on the new law tomorrow.", "He said prices had risen again."],
                 references)  # fmt: skip
    bad = Batch(["Tomorrow parliament law vote new.", "the cost again climbed he"], references)
    p = metric.prefer(good, bad)
    assert (p > 0.5).all()
    assert (p + metric.prefer(bad, good) == 1).all()
    ours = metric.segment_scores(metric.statistics(good))
    theirs = metric.segment_scores(metric.statistics(bad))
    assert (ours > theirs).all()
    assert (np.abs(ours) <= 1).all()


def test_a_word_left_untranslated_is_worse_than_a_wrong_one():
    metric = get_metric("nnrk").prepare(corpus())
    references = [["He said that the prices had risen again."]]
    wrong, left = (
        metric.segment_scores(metric.statistics(Batch([text], references)))[0]
        for text in (
            "He said that the houses had risen again.",
            "He said that the Verbraucherpreise had risen again.",
        )
    )
    assert wrong > left


def test_a_reference_twice_changes_nothing():
    metric = get_metric("nnrk").prepare(corpus())
    texts = ["the cat sat on the mat", "a dog barks"]
    once = Batch(texts, [["a cat sat on a mat"], ["the dog barked"]])
    twice = Batch(texts, [["a cat sat on a mat"] * 2, ["the dog barked"] * 2])
    assert np.allclose(metric.statistics(once), metric.statistics(twice), atol=1e-12)
    more = Batch(texts, [["nothing of that", "a cat sat on a mat"], ["the dog barked"]])
    assert (metric.statistics(more)[:, 0] >= metric.statistics(once)[:, 0] - 1e-12).all()


def test_system_scores_by_mean_and_by_sign():
    scores = cupel.score(corpus(), metrics=["nnrk", "nnrk:aggregate=sign"])
    for system in scores.systems:
        each = scores.segment_scores("nnrk", system)
        assert scores.system_score("nnrk", system) == pytest.approx(each.mean())
        assert scores.system_score("nnrk:aggregate=sign", system) == pytest.approx(
            (each > 0).mean()
        )
    assert "weights:" in scores.signatures["nnrk"]


def test_one_prediction_alone():
    whole, win, loss = (
        get_metric(f"nnrk:prediction={name}").prepare(corpus())
        for name in ("difference", "win", "loss")
    )
    batch = Batch(["the cat sat on the mat"], [["a cat sat on a mat"]])
    value = [m.statistics(batch)[0, 0] for m in (whole, win, loss)]
    assert value[0] == pytest.approx(value[1] + value[2])


def test_empty_translations_are_scored():
    metric = get_metric("nnrk").prepare(corpus())
    batch = Batch(["", "a dog barks"], [["the dog barked"], [""]])
    assert np.isfinite(metric.statistics(batch)).all()


def test_comparing_by_different_references():
    metric = get_metric("nnrk").prepare(corpus())
    assert isinstance(metric, Preferring)
    with pytest.raises(CupelError, match="same references"):
        metric.prefer(Batch(["a"], [["a"]]), Batch(["a"], [["b"]]))


def test_torch_and_spacy_stay_out_of_it():
    code = (
        "import sys; from cupel.registry import get_metric; from cupel.batch import Batch;"
        "from cupel.corpus import Corpus;"
        "m = get_metric('nnrk').prepare(Corpus.of(['a b'], ['a b']));"
        "m.statistics(Batch(['a b'], [['a b']]));"
        "print([n for n in ('torch', 'spacy', 'safetensors', 'tokenizers') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_preferences_on_the_command_line(tmp_path: Path):
    lines = {"ref": "a cat sat\nthe dog barks\n", "one": "a cat sat\nthe dog bark\n",
             "two": "cat a sit\nbarks\n"}  # fmt: skip
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "cupel", "score", "ref", "-i", "one", "two", "--prefer"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *more], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    done = run("-m", "nnrk", "-f", "json")
    rows = json.loads(done.stdout)["rows"]
    assert [row["segment"] for row in rows] == [1, 2]
    assert all(0.5 < row["nnrk"] < 1 for row in rows)
    done = run("-m", "bleu")
    assert done.returncode == 2
    assert "does not compare two translations directly" in done.stderr


SENTENCES = (
    "The parliament will vote on the new law tomorrow.",
    "He said that the prices of food had risen again.",
    "Three people were injured when the bus left the road.",
)


def test_syntax25_tells_sentences_from_scrambles():
    pytest.importorskip("spacy")
    from cupel.learned.nnrk.model.syntax25 import Syntax, forest_of, open_network
    from cupel.syntax.parser import Parser
    from cupel.text.vectors import open_vectors

    rng = np.random.default_rng(0)
    scrambled = [" ".join(rng.permutation(text.split())) for text in SENTENCES]
    network, _ = open_network()
    forest = forest_of(Parser()([*SENTENCES, *scrambled]), network, open_vectors())
    scores = network.scores(forest, open_vectors().matrix)
    assert (scores[:3] > scores[3:]).all()
    vectors = Syntax()(["", *SENTENCES])
    assert vectors.shape == (4, 25)
    assert (vectors[0] == 0).all()
    assert (np.abs(vectors) <= 1).all()
