"""How NNRK is trained: every setting, at the paper's value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

from cupel.errors import CupelError
from cupel.learned.nnrk.model.network import check_choice
from cupel.neural.training import TrainingSettings
from cupel.questions.train_nnrk import Cost, Initial, NnrkTraining, NnrkWords, WordVectors

LOGISTIC, KENDALL = "logistic", "kendall"
COSTS, TUNINGS, INITIALS = get_args(Cost), get_args(WordVectors), get_args(Initial)
ENCODERS = ("average", "cnn", "lstm", "bilstm")


@dataclass(frozen=True, kw_only=True)
class Training(NnrkTraining, TrainingSettings):
    """How the network learns; with two costs, by the one and then by the other.

    near  the weight of (E - E0)^2 in moderate tuning of the words' vectors
    """

    near: float = 1e-2

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
class EncoderSettings(NnrkWords):
    """The encoder and its words' vectors, at values from the paper's grid."""

    kind: str = "average"

    def __post_init__(self) -> None:
        check_choice("encoder", self.kind, ENCODERS)
        check_choice("tuning of word vectors", self.word_vectors, TUNINGS)
        check_choice("start of word vectors", self.initial, INITIALS)
        for name in ("units", "filter", "pool"):
            if getattr(self, name) < 1:
                raise CupelError(f"{name} must be 1 or more, not {getattr(self, name)}.")
