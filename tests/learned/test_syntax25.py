"""The recursive network behind syntax25: by its definition, and its training."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cupel.learned.nnrk.model.syntax25 import Forest, Recursive  # noqa: E402
from cupel.learned.nnrk.training.syntax25 import corrupted, torch_scores, train  # noqa: E402


def forest() -> Forest:
    """Two trees: 0 <- 1 -> 2 -> 3, and 4 <- 5."""
    return Forest(
        heads=np.array([1, -1, 1, 2, 5, -1]),
        relations=np.array([0, 0, 3, 1, 2, 0]),
        tags=np.array([0, 1, 1, 2, 0, 1]),
        words=np.array([0, -1, 2, 1, 1, 0]),
        offsets=np.array([0, 4, 6]),
    )


def network(seed: int = 0) -> tuple[Recursive, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {"tag": (3, 4), "word": (5, 4), "bias": (4,), "relation": (4, 4, 4), "score": (4,)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return Recursive(arrays, ("a", "b", "c"), ("r", "s")), rng.normal(size=(3, 5))


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
    assert np.allclose(torch_scores(tensors, trees, table), scores, atol=1e-5)


def test_a_forest_in_another_order():
    net, vectors = network()
    turned = forest().take([1, 0])
    assert np.allclose(net.scores(turned, vectors), net.scores(forest(), vectors)[::-1])


def test_corrupted_trees_are_still_trees():
    rng = np.random.default_rng(0)
    trees = forest().take([0] * 50)
    spoilt = corrupted(trees, rng)
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
    rivals = Forest(gold.heads, gold.relations, np.roll(gold.tags, 1), gold.words, gold.offsets)
    vectors = rng.normal(size=(3, 5)).astype(np.float32)
    net = train(gold, [rivals], vectors, "abc", "rs", epochs=40, rate=0.02)
    assert (net.scores(gold, vectors) > net.scores(rivals, vectors) + 0.9).all()
    assert math.isclose(np.abs(net.roots(gold, vectors)).max(), 1, abs_tol=1)
