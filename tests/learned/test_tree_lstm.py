from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from counting import calls  # noqa: E402
from cupel.errors import CupelError  # noqa: E402
from cupel.learned.reval.model.encoder import Encoder, TreeLstm  # noqa: E402
from cupel.learned.reval.model.forest import Forest  # noqa: E402
from cupel.learned.reval.model.network import Design, ReVal, similarities  # noqa: E402
from slow_tree_lstm import root_state  # noqa: E402


def random_heads(rng: np.random.Generator, words: int) -> list[int]:
    """A tree of so many words in random order: each word hangs under one placed before it."""
    order = rng.permutation(words)
    heads = [-1] * words
    for place in range(1, words):
        heads[order[place]] = int(order[rng.integers(0, place)])
    return heads


def random_forest(lengths: list[int], vocabulary: int = 30, seed: int = 3) -> Forest:
    rng = np.random.default_rng(seed)
    heads = [head for words in lengths for head in random_heads(rng, words)]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    words = rng.integers(0, vocabulary, int(offsets[-1]))
    return Forest(words, np.array(heads, np.int64), offsets)


def slow_states(module: TreeLstm, forest: Forest, vectors: Tensor) -> Tensor:
    states = []
    for row in range(len(forest)):
        span = slice(int(forest.offsets[row]), int(forest.offsets[row + 1]))
        words = torch.from_numpy(forest.words[span])
        states.append(root_state(module, vectors[words], forest.heads[span].tolist()))
    return torch.stack(states)


@pytest.mark.parametrize("output_gate", [False, True])
def test_outputs_and_gradients_equal_the_per_node_form(output_gate: bool) -> None:
    torch.manual_seed(1)
    forest = random_forest([7, 1, 0, 12, 25, 3, 40, 0, 2])
    module = TreeLstm(6, 9, output_gate).double()
    vectors = torch.randn(30, 6, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(len(forest), 9, dtype=torch.float64)
    learned = [*module.parameters(), vectors]

    levels = forest.levels(np.arange(len(forest)))
    fast = module(vectors[torch.from_numpy(levels.words)], levels)
    fast_gradients = torch.autograd.grad((fast * weights).sum(), learned)
    slow = slow_states(module, forest, vectors)
    slow_gradients = torch.autograd.grad((slow * weights).sum(), learned)

    torch.testing.assert_close(fast, slow, rtol=0, atol=1e-13)
    for ours, theirs in zip(fast_gradients, slow_gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    assert fast[2].abs().sum() == 0  # the empty tree


def test_trees_do_not_depend_on_the_others_of_the_batch() -> None:
    torch.manual_seed(2)
    forest = random_forest([5, 9, 0, 30, 4])
    module = TreeLstm(4, 5).double()
    vectors = torch.randn(30, 4, dtype=torch.float64)

    def states(rows: list[int]) -> Tensor:
        levels = forest.levels(np.array(rows))
        return module(vectors[torch.from_numpy(levels.words)], levels)

    together = states([3, 0, 2, 1, 4])
    for place, row in enumerate([3, 0, 2, 1, 4]):
        torch.testing.assert_close(together[place], states([row])[0], rtol=0, atol=1e-14)


def test_a_chain_is_an_lstm() -> None:
    """With the output gate, PyTorch's own LSTM with the same weights gives the same last state."""
    torch.manual_seed(3)
    forest = random_forest([6, 11, 1])
    encoder = Encoder("bilstm", 4, 5, output_gate=True).double()
    vectors = torch.randn(30, 4, dtype=torch.float64)
    fast = encoder(
        encoder.views(forest), np.arange(3), lambda words: vectors[torch.from_numpy(words)]
    )
    peer = torch.nn.LSTM(4, 5, bidirectional=True).double()
    m = 5
    with torch.no_grad():
        for direction, suffix in zip(encoder.directions, ("", "_reverse"), strict=True):
            assert isinstance(direction, TreeLstm)
            f, i, u, o = direction.of_word.weight.split(m)
            bf, bi, bu, bo = direction.of_word.bias.split(m)
            hi, hu, ho = direction.of_children.weight.split(m)
            ci, cu, co = direction.of_children.bias.split(m)
            hf, cf = direction.of_child.weight, direction.of_child.bias
            for name, parts in {
                "weight_ih": (i, f, u, o),
                "bias_ih": (bi, bf, bu, bo),
                "weight_hh": (hi, hf, hu, ho),
                "bias_hh": (ci, cf, cu, co),
            }.items():
                getattr(peer, f"{name}_l0{suffix}").copy_(torch.cat(parts))
    for row in range(3):
        span = slice(int(forest.offsets[row]), int(forest.offsets[row + 1]))
        _, (last, _) = peer(vectors[torch.from_numpy(forest.words[span])])
        torch.testing.assert_close(fast[row], last.flatten(), rtol=0, atol=1e-13)


@pytest.mark.parametrize(("memory", "count"), [(150, 203_400), (300, 541_800)])
@pytest.mark.parametrize("cell", ["tree-lstm", "lstm"])
def test_compositional_parameters_are_the_papers(memory: int, count: int, cell: str) -> None:
    model = ReVal(Design(cell=cell, memory=memory, dimension=300))
    assert model.compositional_parameters == count


def test_output_gate_adds_a_gate() -> None:
    model = ReVal(Design(memory=150, dimension=300, output_gate=True))
    assert model.compositional_parameters == 203_400 // 3 * 4


def test_chunks_do_not_change_similarities() -> None:
    torch.manual_seed(4)
    forest = random_forest([5, 9, 0, 30, 4, 17, 8])
    model = ReVal(Design(memory=7, hidden=4, dimension=6)).double()
    vectors = torch.randn(30, 6, dtype=torch.float64)
    left, right = np.array([0, 1, 2, 3, 0]), np.array([4, 5, 2, 6, 0])
    whole = similarities(model, forest, left, right, vectors)
    np.testing.assert_allclose(similarities(model, forest, left, right, vectors, 2), whole, 1e-6)
    with torch.inference_mode():
        log_p = model(model.encoder.views(forest), left, right, vectors)
        direct = (log_p.exp() * torch.arange(1, 6)).sum(1).numpy()
    np.testing.assert_allclose(whole, direct, 1e-6)
    assert ((whole > 1) & (whole < 5)).all()


def test_levels_take_a_20th_of_the_calls_that_nodes_take() -> None:
    torch.manual_seed(5)
    forest = random_forest([22] * 50)
    module = TreeLstm(50, 150)
    vectors = torch.randn(30, 50)
    levels = forest.levels(np.arange(50))

    def fast() -> None:
        module(vectors[torch.from_numpy(levels.words)], levels).sum().backward()

    def slow() -> None:
        slow_states(module, forest, vectors).sum().backward()

    fast()
    assert calls(slow) > 20 * calls(fast)


def test_unknown_cell_is_refused() -> None:
    with pytest.raises(CupelError, match="no cell 'gru'; there are tree-lstm, lstm, bilstm"):
        Design(cell="gru")
