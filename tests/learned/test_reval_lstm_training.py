"""ReVal's head and cost against the paper's words, and its training loop: best epoch, resuming."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from test_tree_lstm import random_forest  # noqa: E402

from cupel.errors import CupelError  # noqa: E402
from cupel.learned.reval.model.network import (  # noqa: E402
    Design,
    ReVal,
    SimilarityHead,
    divergence,
    expected,
    similarities,
    targets,
)
from cupel.learned.reval.training import loop as reval_training  # noqa: E402
from cupel.learned.reval.training.loop import Pairs, Prepared, pearson, train  # noqa: E402
from cupel.learned.reval.training.settings import Training  # noqa: E402

SMALL = Design(memory=8, hidden=5, dimension=6)


def prepared(pairs: int = 60) -> Prepared:
    rng = np.random.default_rng(1)
    forest = random_forest(rng.integers(1, 12, 40).tolist())
    vectors = rng.normal(size=(30, 6)).astype(np.float32)

    def some(count: int) -> Pairs:
        left, right = rng.integers(0, 40, (2, count))
        # Something to learn: the likeness of the trees' lengths.
        gap = np.abs(forest.lengths[left] - forest.lengths[right])
        return Pairs(left, right, np.clip(5 - gap / 2.5, 1, 5))

    return Prepared(forest, vectors, some(pairs), some(30))


def test_targets_are_the_papers_example() -> None:
    wanted = targets(torch.tensor([2.7, 1.0, 5.0, 3.0], dtype=torch.float64))
    expected_rows = np.array(
        [[0, 0.3, 0.7, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 1, 0, 0]]
    )
    np.testing.assert_allclose(wanted.numpy(), expected_rows, atol=1e-12)


def test_head_is_equation_2() -> None:
    torch.manual_seed(0)
    head = SimilarityHead(4, 3).double()
    a, b = torch.randn(2, 5, 4, dtype=torch.float64)
    hidden = torch.sigmoid(
        (a * b) @ head.of_product.weight.T
        + (a - b).abs() @ head.of_distance.weight.T
        + head.of_product.bias
    )
    p = torch.softmax(hidden @ head.classes.weight.T + head.classes.bias, dim=1)
    torch.testing.assert_close(head(a, b).exp(), p)
    torch.testing.assert_close(expected(head(a, b)), p @ torch.arange(1.0, 6.0).double())


def test_cost_is_equation_3() -> None:
    torch.manual_seed(0)
    p = torch.softmax(torch.randn(2, 5, dtype=torch.float64), dim=1)
    y = torch.tensor([2.7, 4.0], dtype=torch.float64)
    by_hand = (0.3 * np.log(0.3 / p[0, 1]) + 0.7 * np.log(0.7 / p[0, 2]) + np.log(1 / p[1, 3])) / 2
    assert float(divergence(p.log(), y)) == pytest.approx(float(by_hand), rel=1e-12)


def test_a_step_is_adagrad_on_the_cost_with_l2() -> None:
    """One batch: w - lr * g / |g| with g the gradient of equation 3, L2 included."""
    data = prepared(pairs=10)
    how = Training(batch=10, epochs=1, seed=3, decay=0.01)
    trained = train(data, SMALL, how)
    torch.manual_seed(3)
    model = ReVal(SMALL)
    order = np.random.default_rng([3, 0]).permutation(10)
    log_p = model(
        [data.forest], data.train.references[order], data.train.translations[order],
        torch.from_numpy(data.vectors),
    )  # fmt: skip
    y = torch.from_numpy(data.train.similarity[order].astype(np.float32))
    norm = sum((parameter**2).sum() for parameter in model.parameters())
    (divergence(log_p, y) + 0.01 / 2 * norm).backward()
    for ours, before in zip(trained.model.parameters(), model.parameters(), strict=True):
        assert before.grad is not None
        step = 0.05 * before.grad / (before.grad.abs() + 1e-10)
        torch.testing.assert_close(ours.detach(), (before - step).detach(), atol=2e-5, rtol=0)


def test_training_learns_and_keeps_the_best_epoch() -> None:
    data = prepared(pairs=400)
    trained = train(data, SMALL, Training(epochs=12, seed=2))
    log = trained.log
    assert log[-1].loss < 0.7 * log[0].loss
    best = trained.best.figures["pearson"]
    assert best == max(epoch.figures["pearson"] for epoch in log) > 0.6
    predicted = similarities(
        trained.model, data.forest, data.dev.references, data.dev.translations,
        torch.from_numpy(data.vectors),
    )  # fmt: skip
    assert pearson(predicted, data.dev.similarity) == pytest.approx(best)


@pytest.mark.parametrize("vectors_rate", [0.0, 0.05])
def test_a_killed_run_resumes_to_the_same_result(
    tmp_path: Path, vectors_rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = prepared()
    how = Training(epochs=5, seed=7, vectors_rate=vectors_rate)
    unbroken = train(data, SMALL, how)

    class Killed(Exception):
        pass

    def die_in_the_middle(done: int, total: int) -> None:
        if done == total // 5 * 3 + 1:  # within the fourth epoch
            raise Killed

    with pytest.raises(Killed):
        train(data, SMALL, how, folder=tmp_path, progress=die_in_the_middle)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 3
    passes: list[int] = []
    real = reval_training._epoch

    def counted(*given: Any) -> float:
        passes.append(given[4])
        return real(*given)

    monkeypatch.setattr(reval_training, "_epoch", counted)
    resumed = train(data, SMALL, how, folder=tmp_path)
    assert passes == [3, 4]
    assert resumed.tensors.keys() == unbroken.tensors.keys()
    for name, tensor in unbroken.tensors.items():
        assert torch.equal(resumed.tensors[name], tensor), name
    for ours, theirs in zip(resumed.log, unbroken.log, strict=True):
        assert replace(ours, seconds=0.0) == replace(theirs, seconds=0.0)
    logged = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [entry["epoch"] for entry in logged] == [1, 2, 3, 4, 5]


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    data = prepared()
    train(data, SMALL, Training(epochs=1), folder=tmp_path)
    with pytest.raises(CupelError, match=r"other settings \(decay, epochs\)"):
        train(data, SMALL, Training(epochs=2, decay=0.1), folder=tmp_path)
    with pytest.raises(CupelError, match=r"other settings \(data\)"):
        train(data, SMALL, Training(epochs=1), folder=tmp_path, data="others")


def test_tuned_vectors_move_only_where_words_occur() -> None:
    data = prepared(pairs=5)
    used = np.unique(
        np.concatenate([
            data.forest.words[data.forest.offsets[row] : data.forest.offsets[row + 1]]
            for row in (*data.train.references, *data.train.translations)
        ])
    )  # fmt: skip
    trained = train(data, SMALL, Training(epochs=1, vectors_rate=0.1))
    moved = (trained.tensors["vectors"].numpy() != data.vectors).any(axis=1)
    assert set(np.flatnonzero(moved)) == set(used.tolist())


@pytest.mark.parametrize("design", [
    Design(cell="lstm", memory=8, hidden=5, dimension=6),
    Design(cell="bilstm", memory=8, hidden=5, dimension=6, output_gate=True),
    Design(memory=8, hidden=5, dimension=6, projection=7),
])  # fmt: skip
def test_other_cells_train(design: Design) -> None:
    trained = train(prepared(), design, Training(epochs=3))
    assert trained.log[-1].loss < trained.log[0].loss


def test_bad_data_is_refused() -> None:
    data = prepared()
    with pytest.raises(CupelError, match="vectors have 6 dimensions, the model expects 50"):
        train(data, Design(), Training())
    none = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    with pytest.raises(CupelError, match="the train part is empty"):
        Prepared(data.forest, data.vectors, none, data.dev)
    with pytest.raises(CupelError, match="in the dev part is not between 1 and 5"):
        Prepared(
            data.forest, data.vectors, data.train,
            Pairs(data.dev.references, data.dev.translations, data.dev.similarity + 3),
        )  # fmt: skip
    with pytest.raises(CupelError, match="batch must be 1 or more"):
        Training(batch=0)
