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


@dataclass(frozen=True, kw_only=True)
class Teaching(TrainingSettings):
    """How a model learns from a teacher's scores: Adam, whose rate falls to 0 in a straight line.

    batch       pairs of a step, about: whole groups, each of translations of one line
    group       translations of one line in a group, about
    preference  weight of the teacher's preferences within a group
    judged      weight of people's preferences
    graded      weight of graded pairs (SICK), of which a step takes `graded_batch`
    dropout     share of the numbers of word vectors and of sentence vectors that are left out, and
    words       of whole words
    average     what a step keeps of the running mean of weights; this mean is the result
    """

    epochs: int = 10
    batch: int = 180
    rate: float = 0.002
    decay: float = 0.0
    group: int = 30
    preference: float = 1.0
    judged: float = 0.5
    graded: float = 0.5
    graded_batch: int = 8
    dropout: float = 0.1
    words: float = 0.05
    average: float = 0.998
