"""ReVal's training loop on prepared arrays (Gupta et al. 2015, sections 3 to 5).

AdaGrad on mini batches of 25, 10 epochs, L2 on all parameters; of all epochs the one whose
predictions correlate best (Pearson) with the development data is kept. The order of the examples is
drawn from the seed and the epoch's number, so that a run resumed after any epoch goes on exactly as
an unbroken one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cupel.arrays import Float32Array, IntArray
from cupel.errors import CupelError
from cupel.learned.reval.model.forest import Forest
from cupel.learned.reval.model.head import divergence
from cupel.learned.reval.model.network import Floats, ReVal, Settings, similarities
from cupel.neural.checkpoints import Run, optimizer_state, restore_optimizer

Progress = Callable[[int, int], object]
"""Called with the number of batches done and their total."""
TUNED = "vectors"
"""The name of tuned word vectors among a model's tensors."""


@dataclass(frozen=True)
class Training:
    """How to train; the values are the paper's.

    vectors_rate  AdaGrad's learning rate of the word vectors; 0 leaves them as they are
    """

    learning_rate: float = 0.05
    batch: int = 25
    l2: float = 1e-4
    epochs: int = 10
    seed: int = 12345
    vectors_rate: float = 0.0

    def __post_init__(self) -> None:
        if self.batch < 1 or self.epochs < 1:
            raise CupelError("Batches and epochs of a training must be 1 or more.")


@dataclass(frozen=True, eq=False)
class Pairs:
    """n examples: rows of trees on both sides, and the similarity, from 1 to 5."""

    references: IntArray
    translations: IntArray
    similarity: Floats

    def __len__(self) -> int:
        return len(self.references)


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that a training reads: trees, the vectors of their words, train and dev pairs."""

    forest: Forest
    vectors: Float32Array
    train: Pairs
    dev: Pairs

    def __post_init__(self) -> None:
        for name in ("train", "dev"):
            pairs: Pairs = getattr(self, name)
            if not len(pairs):
                raise CupelError(f"There are no pairs to train on: the {name} part is empty.")
            if pairs.similarity.min() < 1 or pairs.similarity.max() > 5:
                raise CupelError(f"A similarity in the {name} part is not between 1 and 5.")


@dataclass(frozen=True)
class Trained:
    """The best epoch's model, its tensors (tuned vectors included), and the log of all epochs."""

    model: ReVal
    tensors: Mapping[str, Tensor]
    log: list[dict[str, Any]]

    @property
    def best(self) -> dict[str, Any]:
        """The log's entry of the epoch that was kept."""
        return max(self.log, key=lambda entry: float(entry["dev_pearson"]))


def train(
    prepared: Prepared,
    settings: Settings,
    training: Training,
    *,
    folder: Path | str | None = None,
    device: torch.device | str = "cpu",
    data: str = "",
    progress: Progress | None = None,
    told: Callable[[dict[str, Any]], object] | None = None,
) -> Trained:
    """Train a model; with a folder, after each epoch a checkpoint that a second call resumes.

    data: names the data, so that a checkpoint of other data is refused. told: is given each
    epoch's entry of the log.
    """
    if prepared.vectors.shape[1] != settings.dimension:
        raise CupelError(
            f"The vectors have {prepared.vectors.shape[1]} dimensions, the model expects "
            f"{settings.dimension}."
        )
    torch.manual_seed(training.seed)
    model = ReVal(settings).to(device)
    vectors = torch.from_numpy(prepared.vectors).to(device)
    groups: list[dict[str, Any]] = [
        {"params": list(model.parameters()), "lr": training.learning_rate,
         "weight_decay": training.l2},
    ]  # fmt: skip
    if training.vectors_rate:
        vectors = vectors.clone().requires_grad_()
        groups.append({"params": [vectors], "lr": training.vectors_rate, "weight_decay": 0.0})
    optimizer = torch.optim.Adagrad(groups)
    run = _run(folder, settings, training, data)
    state = _State(model, vectors, optimizer)
    log: list[dict[str, Any]] = state.resume(run)
    views = model.encoder.views(prepared.forest)
    while len(log) < training.epochs:
        begun = time.perf_counter()
        # Said outright, because PyTorch warns where nobody says whether to check sparse gradients.
        with torch.sparse.check_sparse_tensor_invariants(False):  # type: ignore[no-untyped-call]
            loss = _epoch(state, views, prepared.train, training, len(log), progress)
        predicted = similarities(
            model, prepared.forest, prepared.dev.references, prepared.dev.translations,
            vectors.detach(),
        )  # fmt: skip
        log.append(
            {
                "epoch": len(log) + 1,
                "loss": loss,
                "dev_pearson": pearson(predicted, prepared.dev.similarity),
                "dev_mse": float(np.mean((predicted - prepared.dev.similarity) ** 2)),
                "seconds": round(time.perf_counter() - begun, 3),
            }
        )
        state.keep_if_best(log)
        if run is not None:
            run.save(state.tensors(), log)
        if told is not None:
            told(log[-1])
    model.load_state_dict({name: t for name, t in state.best.items() if name != TUNED})
    return Trained(model, state.best, log)


class _State:
    """What changes while training, and what a checkpoint therefore holds."""

    def __init__(self, model: ReVal, vectors: Tensor, optimizer: torch.optim.Optimizer) -> None:
        self.model, self.vectors, self.optimizer = model, vectors, optimizer
        self.best: dict[str, Tensor] = {}

    def now(self) -> dict[str, Tensor]:
        tensors = {name: t.detach().clone() for name, t in self.model.state_dict().items()}
        if self.vectors.requires_grad:
            tensors[TUNED] = self.vectors.detach().clone()
        return tensors

    def keep_if_best(self, log: list[dict[str, Any]]) -> None:
        """The first of equally good epochs stays."""
        if log[-1]["dev_pearson"] > max((e["dev_pearson"] for e in log[:-1]), default=-2.0):
            self.best = self.now()

    def tensors(self) -> dict[str, Tensor]:
        return {
            **{f"now.{name}": tensor for name, tensor in self.now().items()},
            **{f"best.{name}": tensor for name, tensor in self.best.items()},
            **optimizer_state(self.optimizer),
        }

    def resume(self, run: Run | None) -> list[dict[str, Any]]:
        """Take up the last checkpoint, where there is one; returns its log."""
        found = run.resume() if run is not None else None
        if found is None:
            return []
        tensors, log = found
        parts: dict[str, dict[str, Tensor]] = {"now": {}, "best": {}}
        for key, tensor in tensors.items():
            part, _, name = key.partition(".")
            if part in parts:
                parts[part][name] = tensor.to(self.vectors.device)
        with torch.no_grad():
            if TUNED in parts["now"]:
                self.vectors.copy_(parts["now"].pop(TUNED))
        self.model.load_state_dict(parts["now"])
        self.best = parts["best"]
        restore_optimizer(self.optimizer, tensors)
        return log


def _run(
    folder: Path | str | None, settings: Settings, training: Training, data: str
) -> Run | None:
    if folder is None:
        return None
    return Run(folder, {**settings.record(), **asdict(training), "data": data})


def _epoch(
    state: _State,
    views: list[Forest],
    pairs: Pairs,
    training: Training,
    number: int,
    progress: Progress | None,
) -> float:
    """One pass over the examples in an order of its own; the mean cost."""
    order = np.random.default_rng([training.seed, number]).permutation(len(pairs))
    device = state.vectors.device
    wanted = torch.from_numpy(pairs.similarity.astype(np.float32)).to(device)
    batches = -(-len(order) // training.batch)
    total = torch.zeros((), device=device)
    for batch in range(batches):
        rows = order[batch * training.batch : (batch + 1) * training.batch]
        predicted = state.model(
            views, pairs.references[rows], pairs.translations[rows], state.vectors
        )
        cost = divergence(predicted, wanted[torch.from_numpy(rows).to(device)])
        state.optimizer.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        state.optimizer.step()
        total += cost.detach() * len(rows)
        if progress is not None:
            progress(number * batches + batch + 1, training.epochs * batches)
    return float(total) / len(order)


def pearson(first: Floats, second: Floats) -> float:
    """Pearson's correlation; 0 where one side does not vary."""
    a, b = (np.asarray(x, np.float64) - np.mean(x, dtype=np.float64) for x in (first, second))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else 0.0
