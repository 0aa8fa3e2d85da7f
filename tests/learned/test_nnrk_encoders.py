"""Encoders of sentences on the fly, and networks that are trained with them."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cupel.learned.nnrk.model.composition import (  # noqa: E402
    Encoding,
    average,
    convolution,
    lstm,
)
from cupel.learned.nnrk.model.network import Design  # noqa: E402
from cupel.learned.nnrk.training import loop  # noqa: E402
from cupel.learned.nnrk.training.loop import Pairs  # noqa: E402
from cupel.learned.nnrk.training.networks import TABLE, Networks, Sentences  # noqa: E402
from cupel.learned.nnrk.training.settings import (  # noqa: E402
    ENCODERS,
    TUNINGS,
    EncoderSettings,
    Training,
)
from cupel.questions.train_nnrk import WordVectors  # noqa: E402


def words(k: int = 1, n: int = 3, t: int = 5, d: int = 2, seed: int = 0) -> tuple:
    rng = np.random.default_rng(seed)
    lengths = torch.tensor([5, 2, 3][:n])
    mask = (torch.arange(t) < lengths[:, None]).double()
    return torch.tensor(rng.normal(size=(k, n, t, d))), mask, lengths.tolist()


def test_average_is_over_the_words_that_are_there():
    x, mask, lengths = words()
    expected = [x[0, i, :n].mean(0) for i, n in enumerate(lengths)]
    assert torch.allclose(average(x, mask)[0], torch.stack(expected))


def hard_sigmoid(z: float) -> float:
    return min(1.0, max(0.0, 0.2 * z + 0.5))


def test_lstm_is_equations_9_to_13():
    x, mask, lengths = words(d=2)
    rng = np.random.default_rng(1)
    size = 3
    v, u, b = rng.normal(size=(2, 12)), rng.normal(size=(3, 12)), rng.normal(size=9)
    found = lstm(x, mask, *(torch.tensor(a)[None] for a in (v, u, b)))[0].numpy()
    for row, length in enumerate(lengths):
        h, c = np.zeros(size), np.zeros(size)
        for t in range(length):
            z = x[0, row, t].numpy() @ v + h @ u + np.append(b, np.zeros(3))
            gates = [hard_sigmoid(value) for value in z[:9]]
            i, f, o = np.split(np.array(gates), 3)
            c = i * np.tanh(z[9:]) + f * c
            h = o * np.tanh(c)
        assert np.allclose(found[row], h)


def test_wide_convolution_reaches_the_words_at_the_border():
    x, mask, lengths = words(d=2)
    rng = np.random.default_rng(2)
    filters, bias = rng.normal(size=(6, 4)), rng.normal(size=4)
    found = convolution(x, mask, torch.tensor(filters)[None], torch.tensor(bias)[None], 3, 2)[0]
    for row, length in enumerate(lengths):
        own = x[0, row, :length].numpy()
        padded = np.concatenate([np.zeros((2, 2)), own, np.zeros((2, 2))])
        maps = np.tanh(
            [padded[t : t + 3].ravel() @ filters + bias for t in range(length + 2)]
        )  # T + L - 1 places
        windows = [maps[at : at + 2].max(0) for at in range(0, len(maps), 2)]
        assert np.allclose(found[row].numpy(), np.mean(windows, axis=0))


def test_both_directions_of_a_bidirectional_lstm():
    x, mask, lengths = words(d=2)
    encoding = Encoding("bilstm", 3)
    rng = np.random.default_rng(3)
    weights = {
        name: torch.tensor(rng.normal(size=(1, *shape)))
        for name, shape in encoding.shapes(2).items()
    }
    found = encoding(weights, x, mask)
    assert found.shape == (1, 3, encoding.output(2))
    # Backwards is forwards over the reversed words.
    row, length = 1, lengths[1]
    turned = x[:, row : row + 1, :length].flip(2)
    back = [weights[f"back-{part}"] for part in ("input", "state", "bias")]
    assert torch.allclose(found[0, row, 3:], lstm(turned, torch.ones(1, length).double(), *back))


@pytest.mark.parametrize("kind", ENCODERS)
def test_sentences_may_differ_between_networks(kind: str):
    """A mask for each network does what the same mask does for all."""
    x, mask, _ = words(k=2)
    encoding = Encoding(kind, 3)
    rng = np.random.default_rng(4)
    weights = {
        name: torch.tensor(rng.normal(size=(2, *shape)))
        for name, shape in encoding.shapes(2).items()
    }
    turned = torch.tensor([1, 2, 0])
    both = torch.stack([mask, mask[turned]])
    found = encoding(weights, torch.stack([x[0], x[1][turned]]), both)
    alone = encoding(weights, x, mask)
    assert torch.allclose(found, torch.stack([alone[0], alone[1][turned]]))


def toy(count: int = 300, seed: int = 0) -> tuple[Sentences, Pairs]:
    """Sentences of good (1) and bad (2) words among others; the better one has more good words."""
    rng = np.random.default_rng(seed)
    table = rng.integers(3, 8, (2 * count + 1, 6))
    better = np.zeros(2 * count + 1, bool)
    better[: 2 * count : 2] = True
    table[:, 0] = np.where(better, 1, 2)
    nothing = torch.zeros(len(table), 0)
    lengths = torch.full((len(table),), 6)
    sentences = Sentences(nothing, nothing, torch.from_numpy(table), lengths)
    first, second = np.arange(0, 2 * count, 2), np.arange(1, 2 * count, 2)
    label = rng.integers(0, 2, count)
    a, b = np.where(label == 1, first, second), np.where(label == 1, second, first)
    rows = np.stack([a, b, np.full(count, 2 * count)], 1)
    return sentences, Pairs(torch.from_numpy(rows), torch.from_numpy(2.0 * label - 1).float())


def networks(
    sentences: Sentences, settings: EncoderSettings, seeds: list[int], dropout: float = 0.0
) -> Networks:
    vectors = np.random.default_rng(1).normal(size=(8, 4)).astype(np.float32)
    return Networks(sentences, Design(), seeds, dropout, settings, vectors)


@pytest.mark.parametrize("dropout", [0.0, 0.25])
@pytest.mark.parametrize("kind", ENCODERS)
def test_every_encoder_learns_what_a_good_word_is(kind: str, dropout: float):
    sentences, pairs = toy()
    model = networks(sentences, EncoderSettings(6, kind=kind), [1, 2], dropout)
    train, dev = pairs.take(torch.arange(200)), pairs.take(torch.arange(200, 300))
    state = loop.train(model, train, dev, Training(rate=0.1, epochs=12, patience=5))
    assert state.tau.min() > 0.8
    p = loop.predictions(model, dev)
    right = (p > 0.5) == (dev.label.numpy() == 1)
    assert np.allclose(2 * right.mean(1) - 1, state.tau)


@pytest.mark.parametrize("kind", ["average", "bilstm"])
@pytest.mark.parametrize("tuning", TUNINGS)
def test_networks_side_by_side_are_those_trained_alone(kind: str, tuning: WordVectors):
    sentences, pairs = toy(60)
    settings = EncoderSettings(6, kind=kind, word_vectors=tuning)

    def trained(seeds: list[int]) -> Networks:
        model = networks(sentences, settings, seeds)
        loop.train(model, pairs, pairs, Training(epochs=2))
        return model

    together = trained([1, 2, 3])
    for k, seed in enumerate((1, 2, 3)):
        alone = trained([seed])
        for name, weight in alone.weights.items():
            assert torch.allclose(weight[0], together.weights[name][k], atol=1e-6), name


def test_word_vectors_move_as_far_as_their_tuning_lets_them():
    sentences, pairs = toy(60)
    moved = []
    for tuning in TUNINGS:  # fixed, moderate, full
        model = networks(sentences, EncoderSettings(word_vectors=tuning), [3])
        start = model.weights[TABLE].detach().clone()
        loop.train(model, pairs, pairs, Training(epochs=2))
        moved.append(float((model.weights[TABLE].detach() - start).abs().max()))
    assert moved[0] == 0
    assert 0 < moved[1] < moved[2]
