"""How ReVal is trained: every setting, at the paper's value (section 5)."""

from __future__ import annotations

from dataclasses import dataclass

from cupel.neural.training import TrainingSettings


@dataclass(frozen=True, kw_only=True)
class Training(TrainingSettings):
    """AdaGrad's settings."""

    epochs: int = 10
    batch: int = 25  # pairs of a step
    rate: float = 0.05
    decay: float = 1e-4
    vectors_rate: float = 0.0  # learning rate of the word vectors; 0 leaves them as they are
