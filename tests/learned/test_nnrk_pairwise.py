"""Networks that encode sentences on the fly, and the recursive network behind syntax25."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cupel.learned.nnrk.model import recursive  # noqa: E402
from cupel.learned.nnrk.model.pairwise import Pairwise, Sentences, Variant  # noqa: E402
from cupel.learned.nnrk.model.sentence_encoders import (  # noqa: E402
    KINDS,
    Encoding,
    average,
    convolution,
    lstm,
)
from cupel.learned.nnrk.training import pairwise as pairwise_train  # noqa: E402


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


def toy(count: int = 300, seed: int = 0) -> tuple[Sentences, pairwise_train.Pairs]:
    """Sentences of good (1) and bad (2) words among others; the better one has more good words."""
    rng = np.random.default_rng(seed)
    table = rng.integers(3, 8, (2 * count + 1, 6))
    better = np.zeros(2 * count + 1, bool)
    better[: 2 * count : 2] = True
    table[:, 0] = np.where(better, 1, 2)
    sentences = Sentences(
        torch.from_numpy(table), torch.full((len(table),), 6), torch.zeros(len(table), 0)
    )
    first, second = np.arange(0, 2 * count, 2), np.arange(1, 2 * count, 2)
    label = rng.integers(0, 2, count)
    a, b = np.where(label == 1, first, second), np.where(label == 1, second, first)
    nothing = torch.zeros(count, 0)
    return sentences, pairwise_train.Pairs(
        torch.from_numpy(a),
        torch.from_numpy(b),
        torch.full((count,), 2 * count),
        nothing,
        nothing,
        torch.from_numpy(label),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_encoder_learns_what_a_good_word_is(kind: str):
    sentences, pairs = toy()
    vectors = np.random.default_rng(1).normal(size=(8, 4)).astype(np.float32)
    model = Pairwise(Encoding(kind, 6), [Variant(1), Variant(2, dropout=0.25)], vectors, 0, 0)
    schedule = pairwise_train.Schedule(rate=0.1, epochs=12)
    train, dev = pairs.take(torch.arange(200)), pairs.take(torch.arange(200, 300))
    progress = pairwise_train.train(model, sentences, train, dev, schedule)
    assert progress.accuracy.min() > 0.9
    p = pairwise_train.predictions(model, sentences, dev)
    assert np.allclose(((p > 0.5) == (dev.label.numpy() == 1)).mean(1), progress.accuracy)


def test_networks_side_by_side_are_those_trained_alone():
    sentences, pairs = toy(60)
    vectors = np.random.default_rng(1).normal(size=(8, 4)).astype(np.float32)
    variants = [Variant(1, tuning="fixed"), Variant(2, tuning="moderate"), Variant(3)]
    schedule = pairwise_train.Schedule(epochs=2)

    def trained(chosen: list[Variant]) -> Pairwise:
        model = Pairwise(Encoding("average"), chosen, vectors, 0, 0)
        pairwise_train.train(model, sentences, pairs, pairs, schedule)
        return model

    together = trained(variants)
    for k, variant in enumerate(variants):
        alone = trained([variant])
        assert torch.allclose(alone.table[0], together.table[k], atol=1e-6)
        assert torch.allclose(alone.weights["hidden"][0], together.weights["hidden"][k], atol=1e-6)
    moved = (together.table - together.start).abs().amax((1, 2)).tolist()
    assert moved[0] == 0
    assert 0 < moved[1] < moved[2]


def forest() -> recursive.Forest:
    """Two trees: 0 <- 1 -> 2 -> 3, and 4 <- 5."""
    return recursive.Forest(
        heads=np.array([1, -1, 1, 2, 5, -1]),
        relations=np.array([0, 0, 3, 1, 2, 0]),
        tags=np.array([0, 1, 1, 2, 0, 1]),
        words=np.array([0, -1, 2, 1, 1, 0]),
        offsets=np.array([0, 4, 6]),
    )


def network(seed: int = 0) -> tuple[recursive.Recursive, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {"tag": (3, 4), "word": (5, 4), "bias": (4,), "relation": (4, 4, 4), "score": (4,)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return recursive.Recursive(arrays, ("a", "b", "c"), ("r", "s")), rng.normal(size=(3, 5))


def test_recursive_states_from_the_definition():
    net, vectors = network()
    trees = forest()
    a = net.arrays

    def h(word: int) -> np.ndarray:
        z = a["tag"][trees.tags[word]] + a["bias"]
        if trees.words[word] >= 0:
            z = z + vectors[trees.words[word]] @ a["word"]
        for child in np.flatnonzero(trees.heads == word):
            z = z + h(int(child)) @ a["relation"][trees.relations[child]]
        return np.tanh(z)

    expected = np.array([h(word) for word in range(6)])
    assert np.allclose(net.states(trees, vectors), expected)
    assert np.allclose(net.roots(trees, vectors), expected[[1, 5]])
    each = expected @ a["score"]
    scores = [each[1] + each[:4].mean(), each[5] + each[4:].mean()]
    assert np.allclose(net.scores(trees, vectors), scores)
    tensors = {name: torch.tensor(array).float() for name, array in a.items()}
    table = torch.tensor(vectors).float()
    assert np.allclose(recursive.torch_scores(tensors, trees, table), scores, atol=1e-5)


def test_a_forest_in_another_order():
    net, vectors = network()
    turned = forest().take([1, 0])
    assert np.allclose(net.scores(turned, vectors), net.scores(forest(), vectors)[::-1])


def test_corrupted_trees_are_still_trees():
    rng = np.random.default_rng(0)
    trees = forest().take([0] * 50)
    spoilt = recursive.corrupted(trees, rng)
    assert sum(map(len, spoilt.levels())) == len(spoilt.heads)  # everything is below a root
    same = [
        np.array_equal(getattr(spoilt.take([i]), field), getattr(trees.take([i]), field))
        for i in range(50)
        for field in ("heads", "relations", "tags", "words")
    ]
    assert 50 < sum(same) < 200


def test_gold_trees_end_above_their_rivals():
    rng = np.random.default_rng(0)
    gold = forest().take([0] * 40)
    rivals = recursive.Forest(
        gold.heads, gold.relations, np.roll(gold.tags, 1), gold.words, gold.offsets
    )
    vectors = rng.normal(size=(3, 5)).astype(np.float32)
    net = recursive.train(gold, [rivals], vectors, "abc", "rs", epochs=40, rate=0.02)
    assert (net.scores(gold, vectors) > net.scores(rivals, vectors) + 0.9).all()
    assert math.isclose(np.abs(net.roots(gold, vectors)).max(), 1, abs_tol=1)
