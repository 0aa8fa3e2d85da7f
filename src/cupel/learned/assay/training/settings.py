"""How `assay` is trained: every setting, as `cupel.questions.train_assay` declares it."""

from __future__ import annotations

from dataclasses import dataclass

from cupel.neural.training import TrainingSettings
from cupel.questions.train_assay import AssayLessons, AssayMachine, AssayOptimizer, AssayWeights


@dataclass(frozen=True, kw_only=True)
class Training(AssayWeights, AssayLessons, AssayOptimizer, AssayMachine, TrainingSettings):
    """AdamW's settings, and how much each kind of judgment counts.

    warmup  the part of the training in which the rates rise; then they fall to 0
    """

    warmup: float = 0.1
