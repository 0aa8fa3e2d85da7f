"""How NNRK is trained: every setting, at the paper's value."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cupel.errors import CupelError
from cupel.learned.nnrk.model.network import check_choice
from cupel.neural.training import TrainingSettings
from cupel.text.vectors import EMBEDDED

LOGISTIC, KENDALL = "logistic", "kendall"
COSTS = (LOGISTIC, KENDALL, f"{LOGISTIC}+{KENDALL}")
ENCODERS = ("average", "cnn", "lstm", "bilstm")
TUNINGS = ("fixed", "moderate", "full")
INITIALS = ("pretrained", "random")


@dataclass(frozen=True, kw_only=True)
class Training(TrainingSettings):
    """How the network learns; with two costs, by the one and then by the other."""

    epochs: int = 10_000  # at most
    patience: int = 20  # stop after so many epochs without a better one
    batch: int = 30  # examples of a step; pairs of the Kendall cost
    rate: float = 0.01  # AdaGrad's first step
    decay: float = 1e-4  # lambda of the squared weights
    near: float = 1e-2  # of (E - E0)^2 in moderate tuning of the words' vectors
    dropout: float = 0.0  # share of the numbers of x left out; see `Networks`
    cost: str = LOGISTIC  # or kendall (section 5.5), logistic+kendall
    gamma: float = 100.0  # steepness of the Kendall cost
    beta: float = 100.0  # how narrow its ties are
    # What a tie costs, where a wrong order costs 1. At 1 the slope of this term, which knows no
    # labels, is above the other's wherever |Delta| > 0.034, and holds whatever order chance began
    # with: tau on held-out lines is 10.5 at 1, 29.3 at 0.1, 30.9 at 0.01, 31.0 without.
    ties: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("cost", self.cost, COSTS)
        for name in ("gamma", "beta", "ties"):
            if not 0 <= getattr(self, name) < math.inf:
                raise CupelError(f"{name} must be 0 or more, not {getattr(self, name):g}.")
        if not 0 <= self.dropout < 1:
            raise CupelError(f"dropout must be from 0 to below 1, not {self.dropout:g}.")
        if self.patience < 1:
            raise CupelError(f"patience must be 1 or more, not {self.patience}.")


@dataclass(frozen=True)
class EncoderSettings:
    """The encoder and its words' vectors, at values from the paper's grid."""

    kind: str = "average"
    units: int = 100  # filters of the CNN, units of an LSTM
    filter: int = 3  # words that a filter sees
    pool: int = 3  # features that a maximum is over
    word_vectors: str = "full"  # or fixed, moderate: how they are tuned
    initial: str = "pretrained"  # or random
    vectors: str = EMBEDDED

    def __post_init__(self) -> None:
        check_choice("encoder", self.kind, ENCODERS)
        check_choice("tuning of word vectors", self.word_vectors, TUNINGS)
        check_choice("start of word vectors", self.initial, INITIALS)
        for name in ("units", "filter", "pool"):
            if getattr(self, name) < 1:
                raise CupelError(f"{name} must be 1 or more, not {getattr(self, name)}.")
