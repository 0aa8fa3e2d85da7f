"""NNRK with sentences encoded on the fly: trained on the command line, saved, and scoring."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import Done, run
from cupel.batch import Batch
from cupel.errors import CupelError, MissingPart
from cupel.learned.nnrk.data import examples
from cupel.learned.nnrk.data.examples import Examples
from cupel.learned.nnrk.files import load_model, save_model
from cupel.learned.nnrk.model.averages import unknown_vector
from cupel.learned.nnrk.model.encoder import LONGEST, Encoder, WordNumbers, unpacked
from cupel.learned.nnrk.model.features import FeatureSet
from cupel.metric import Preferring
from cupel.metrics.nnrk import Nnrk
from cupel.neural import packages
from cupel.registry import get_metric

WORDS = "the cat dog house tree river sat ran saw slept old green small over under".split()
LINES = 60


def texts() -> tuple[list[str], list[str], list[str]]:
    """References, good translations and bad ones; a few words have no vector."""
    rng = np.random.default_rng(0)
    references = [" ".join(rng.choice(WORDS, rng.integers(2, 9))) for _ in range(LINES)]
    good = [f"{line} please" if i % 2 else f"{line} qqzzx" for i, line in enumerate(references)]
    bad = [f"awful {' '.join(line.split()[::-1][:5])}" for line in references]
    return references, good, bad


def toy(dataset: str, features: FeatureSet, **_: object) -> Examples:
    """What `examples.load` makes of the judgment that every good translation is better."""
    references, good, bad = texts()
    batch = Batch(good + bad, [[line] for line in references * 2])
    vectors = features.sentence_vectors(batch).astype(np.float32)
    label = np.arange(LINES) % 3 != 0
    ours, theirs = np.arange(LINES), np.arange(LINES, 2 * LINES)
    return Examples(
        features.skip_arcs(batch),
        vectors[batch.hypothesis_index],
        vectors[batch.reference_index[:LINES]],
        np.tile(np.arange(LINES), 2),
        np.where(label, ours, theirs),
        np.where(label, theirs, ours),
        label.astype(np.int64),
        np.arange(LINES),
        np.zeros(LINES, np.int64),
        ("xx-en",),
        {"xx-en": np.arange(2 * LINES).reshape(2, LINES)},
    )


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Judgments of our own; holds what the command gave to PyTorch."""
    pytest.importorskip("torch")
    from cupel.learned.nnrk.training import loop

    seen: dict[str, Any] = {}
    whole = loop.train

    def spied(networks: Any, training: Any, development: Any, *more: Any) -> Any:
        seen.update(networks=networks, development=development)
        return whole(networks, training, development, *more)

    monkeypatch.setattr(loop, "train", spied)
    monkeypatch.setattr(examples, "load", toy)
    return seen


def command(folder: Path, *more: str) -> Done:
    always = "-o", folder, "--features", "ter,chrf", "--epochs", "2"
    return run("train", "nnrk", *always, "--rate", "0.1", *more)


def dev_batches() -> tuple[Batch, Batch]:
    references, good, bad = texts()
    lines = range(0, LINES, 20)
    first = [good[i] if i % 3 else bad[i] for i in lines]
    second = [bad[i] if i % 3 else good[i] for i in lines]
    shown = [[references[i]] for i in lines]
    return Batch(first, shown), Batch(second, shown)


@pytest.mark.parametrize(
    "options",
    [
        "--encoder average --word-vectors fixed",
        "--encoder average --word-vectors moderate",
        "--encoder average",
        "--encoder average --features ter,wiki-gw50 --networks 2",
        "--encoder cnn --units 6 --filter 4 --pool 2 --dropout 0.25",
        "--encoder lstm --units 5",
        "--encoder bilstm --units 5 --initial random --networks 2 --batch 10 --hidden 3",
    ],
)
def test_trained_on_the_command_line_and_the_same_from_the_disk(
    options: str, trained: dict[str, Any], tmp_path: Path
):
    from cupel.learned.nnrk.training.loop import predictions

    done = command(tmp_path / "m", *options.split())
    assert done.status == 0, done.err
    assert "development: tau" in done.out
    card = json.loads((tmp_path / "m" / "card.json").read_text())
    assert card["encoder"]["kind"] == options.split()[1]
    metric = get_metric(f"nnrk:weights={tmp_path / 'm'}")
    assert isinstance(metric, Nnrk)
    p = predictions(trained["networks"], trained["development"])
    mean = np.log(p / (1 - p)).mean(0)
    first, second = dev_batches()
    found = metric.probabilities(first, second)
    assert np.allclose(found, 1 / (1 + np.exp(-mean)), atol=1e-5)
    assert (metric.prefer(first, second) + metric.prefer(second, first) == 1).all()
    scores = metric.segment_scores(metric.statistics(first))
    assert np.isfinite(scores).all()
    assert f"weights:{card['sha256'][:12]}" in str(metric.signature())


def test_a_model_of_fixed_features_and_both_costs(trained: dict[str, Any], tmp_path: Path):
    more = ["--features", "ter,wiki-gw50", "--cost", "logistic+kendall", "--ties", "0.1"]
    done = command(tmp_path / "m", *more, "--gamma", "50", "--beta", "20", "--dev-pairs", "3")
    assert done.status == 0, done.err
    model = load_model(tmp_path / "m")
    assert model.encoder is None
    settings = model.card["settings"]
    assert [settings[name] for name in ("gamma", "beta", "ties")] == [50, 20, 0.1]
    metric = get_metric(f"nnrk:weights={tmp_path / 'm'},empty=zero")
    first, second = dev_batches()
    assert isinstance(metric, Preferring)
    assert (np.abs(metric.prefer(first, second) - 0.5) <= 0.5).all()
    assert np.isfinite(metric.statistics(first)).all()
    assert trained["networks"].encoding is None


def test_the_empty_translation_is_the_mean_of_what_was_encoded(
    trained: dict[str, Any], tmp_path: Path
):
    command(tmp_path / "m", "--encoder", "lstm", "--units", "4", "--networks", "2")
    model = load_model(tmp_path / "m")
    assert model.encoder is not None
    _, good, bad = texts()
    used = [i for i in range(LINES) if i % 20]
    x = model.encoder([good[i] for i in used] + [bad[i] for i in used])
    assert x.shape == (2 * len(used), 8)
    assert np.allclose(model.mean_x, x.mean(0), atol=1e-6)


def test_words_that_were_not_seen_in_training(trained: dict[str, Any], tmp_path: Path):
    for initial in ("pretrained", "random"):
        folder = tmp_path / initial
        command(folder, "--encoder", "average", "--initial", initial, "--word-vectors", "fixed")
        encoder = load_model(folder).encoder
        assert encoder is not None
        assert "parliament" not in encoder.words
        one, known, other, nothing = encoder(["parliament", "cat", "qqzzx", ""])
        assert (nothing == 0).all()
        assert (known != other).any()
        assert np.allclose(other, encoder.arrays["table"][0, 0], atol=1e-6)
        expected = WordNumbers().table if initial == "pretrained" else None
        assert encoder.settings["vectors"] == expected
        assert (one == other).all() == (initial == "random")
    from cupel.text.vectors import open_vectors

    vectors = open_vectors()
    pretrained = load_model(tmp_path / "pretrained").encoder
    assert pretrained is not None
    rows = vectors.rows(["parliament", "cat"])
    assert np.allclose(pretrained(["parliament", "cat"]), vectors.matrix[rows], atol=1e-6)
    assert np.allclose(pretrained(["qqzzx"]), unknown_vector(vectors.name), atol=1e-6)


def test_words_of_the_development_set_alone_are_unknown_to_a_random_start(
    trained: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    references, good, bad = texts()
    bad[20] = "parliament"  # a held-out line
    monkeypatch.setitem(globals(), "texts", lambda: (references, good, bad))
    for initial in ("pretrained", "random"):
        command(tmp_path / initial, "--encoder", "average", "--initial", initial)
        encoder = load_model(tmp_path / initial).encoder
        assert encoder is not None
        assert ("parliament" in encoder.words) == (initial == "pretrained")


def test_a_small_encoder_says_about_the_same(trained: dict[str, Any], tmp_path: Path):
    command(tmp_path / "m", "--encoder", "cnn", "--units", "6", "--networks", "2")
    model = load_model(tmp_path / "m")
    assert model.encoder is not None
    small = replace(model, encoder=model.encoder.small())
    save_model(tmp_path / "small", small)
    ours, sizes = [], []
    for name in ("m", "small"):
        metric = get_metric(f"nnrk:weights={tmp_path / name}")
        ours.append(metric.segment_scores(metric.statistics(dev_batches()[0])))
        encoder = load_model(tmp_path / name).encoder
        assert encoder is not None
        sizes.append(sum(array.nbytes for array in encoder.arrays.values()))
    assert np.allclose(ours[0], ours[1], atol=2e-3)
    assert sizes[1] < 0.5 * sizes[0]


def test_word_numbers():
    table = WordNumbers()(["The cat", "", "qqzzx cat " + "cat " * LONGEST])
    assert table.shape == (3, LONGEST)
    cat = table[0, 1]
    assert cat > 1
    assert table[0, 2:].sum() == table[1].sum() == 0
    assert table[2, 0] == 1  # without a vector
    assert (table[2, 1:] == cat).all()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--encoder gru", "it should be one of 'average', 'cnn', 'lstm', 'bilstm', 'none'"),
        ("--encoder cnn --word-vectors some", "it should be one of 'fixed', 'moderate', 'full'"),
        ("--encoder cnn --initial zero", "it should be one of 'pretrained', 'random'"),
        ("--encoder cnn --units 0", "it should be at least 1"),
        ("--encoder cnn --cost kendall", "are pairwise and trained by the logistic cost"),
        ("--cost kendall --ties -1", "it should be at least 0"),
    ],
)
def test_what_it_refuses(options: str, sentence: str, trained: dict[str, Any], tmp_path: Path):
    done = command(tmp_path / "m", *options.split())
    assert done.status == 2
    assert sentence in done.err


def test_without_torch(trained: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    command(tmp_path / "lstm", "--encoder", "lstm", "--units", "4")
    command(tmp_path / "average", "--encoder", "average", "--networks", "2")
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match=r"needs torch: pip install 'cupel\[neural\]'"):
        get_metric(f"nnrk:weights={tmp_path / 'lstm'}")
    monkeypatch.setitem(sys.modules, "torch", None)  # an average is made without
    metric = get_metric(f"nnrk:weights={tmp_path / 'average'}")
    assert np.isfinite(metric.statistics(dev_batches()[0])).all()


def test_words_and_vectors_that_do_not_belong_together():
    encoder = Encoder({}, ("a", "b"), {"table": np.zeros((1, 4, 2), np.float32)})
    with pytest.raises(CupelError, match="3 word vectors for 2 words"):
        unpacked({}, encoder.packed())


def test_a_gpu_that_is_not_there_is_missed_before_any_feature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(examples, "load", lambda *_, **__: pytest.fail("features were computed"))
    done = run("train", "nnrk", "--encoder", "average", "--device", "cuda:99", "-o", tmp_path / "m")
    assert done.status == 2
    assert "'cuda:99' is not there" in done.err
