"""How is a pairwise network trained on human rankings?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cupel.questions import train as shared
from cupel.questions.field import Count, Natural, option
from cupel.questions.question import Question
from cupel.questions.train import Dropout, Weight

Architecture = Literal["pairwise", "fully-connected", "single-layer"]
Cost = Literal["logistic", "kendall", "logistic+kendall"]
Kind = Literal["average", "cnn", "lstm", "bilstm", "none"]
WordVectors = Literal["fixed", "moderate", "full"]
Initial = Literal["pretrained", "random"]


@dataclass(frozen=True)
class NnrkData:
    """What the network learns from."""

    panel: ClassVar[str] = "Data"

    train: tuple[str, ...] = option(
        ("wmt13",), "Datasets with rankings to learn from.", metavar="DATASET"
    )
    dev: str = option(
        "held-out",
        "Dataset whose rankings decide when to stop, or held-out for one line in twenty of the "
        "first training set.",
        metavar="DATASET",
    )
    pairs: tuple[str, ...] = shared.pairs()
    features: str | None = option(
        None,
        "Inputs of the network, separated by commas (by semicolons where one of them has a "
        "comma): 4metrics, bleucomp, wiki-gw50, syntax25, or any metric.",
        metavar="NAMES",
        shown="4metrics,syntax25,wiki-gw50; with an encoder 4metrics,syntax25",
    )
    sample: Count | None = option(
        None, "Number of pairs to learn from, drawn at random.", metavar="N", shown="all"
    )
    agreed: bool = option(
        False,
        "Take every two translations once, as most of their judges preferred, instead of every "
        "judgment.",
    )
    teacher: str | None = option(
        None,
        "Metric whose preferences between translations are learned from, beside those of judges.",
        metavar="METRIC",
        shown="none",
    )
    taught: Count | None = option(
        None,
        "Number of pairs that the teacher compares.",
        metavar="N",
        shown="as many as judges compared",
    )
    dev_pairs: Count = option(5000, "Largest number of pairs in the development set.", metavar="N")


@dataclass(frozen=True)
class NnrkShape:
    """The shape of the network, at the paper's values."""

    panel: ClassVar[str] = "Model"

    architecture: Architecture = option(
        "pairwise",
        "Which inputs the hidden units see: pairwise, fully-connected, or single-layer for "
        "logistic regression without hidden units.",
        metavar="NAME",
    )
    hidden: Count = option(4, "Number of hidden units in each of the three groups.", metavar="N")


@dataclass(frozen=True)
class NnrkWords:
    """An encoder's words and units, at values from the paper's grid."""

    panel: ClassVar[str] = "Encoder"

    units: Count = option(100, "Number of filters of a CNN, or of units of an LSTM.", metavar="N")
    filter: Count = option(3, "Number of words that a filter of the CNN sees.", metavar="N")
    pool: Count = option(
        3,
        "Number of neighbouring features of the CNN that one maximum is taken over.",
        metavar="N",
    )
    word_vectors: WordVectors = option(
        "full",
        "How word vectors are tuned: fixed, moderate (held near their start), or full.",
        metavar="NAME",
    )
    initial: Initial = option(
        "pretrained", "Start of the word vectors: pretrained or random.", metavar="NAME"
    )
    vectors: str = shared.vectors()


@dataclass(frozen=True, kw_only=True)
class NnrkTraining:
    """How the network learns, at the paper's values; with two costs, by one and then the other."""

    panel: ClassVar[str] = "Training"

    cost: Cost = option(
        "logistic",
        "Cost function: logistic, kendall (section 5.5), or logistic+kendall for one after the other.",
        metavar="NAME",
    )
    gamma: Weight = option(100.0, "Steepness of the Kendall cost.", metavar="NUMBER")
    beta: Weight = option(
        100.0,
        "How close two predictions must be to count as a tie in the Kendall cost; higher is closer.",
        metavar="NUMBER",
    )
    # At 1 the slope of this term, which knows no labels, is above the other's wherever
    # |Delta| > 0.034, and holds whatever order chance began with: tau on held-out lines is 10.5 at
    # 1, 29.3 at 0.1, 30.9 at 0.01, 31.0 without.
    ties: Weight = option(
        0.01, "Cost of a tie in the Kendall cost, where a wrong order costs 1.", metavar="NUMBER"
    )
    epochs: Count = shared.epochs(10_000)
    patience: Count = option(20, "Stop after this many epochs without a better one.", metavar="N")
    batch: Count = shared.batch(30, "pairs, counting both orders,")
    rate: Weight = shared.rate(0.01)
    decay: Weight = shared.decay(1e-4)
    dropout: Dropout = shared.dropout(0.0)
    seed: Natural = shared.seed()
    device: str = shared.device()


@dataclass(frozen=True, kw_only=True)
class TrainNnrk(NnrkData, NnrkShape, NnrkWords, NnrkTraining, Question):
    """Train NNRK on human rankings; score with it as `-m nnrk:weights=FOLDER`.

    Example: cupel train nnrk --train wmt13 --features 4metrics,wiki-gw50 --sample 40000 -o mine
    """

    command: ClassVar[str] = "train nnrk"
    first: ClassVar[tuple[str, ...]] = (
        "folder",
        "train",
        "dev",
        "pairs",
        "features",
        "sample",
        "encoder",
        "epochs",
        "seed",
        "device",
    )

    folder: Path = shared.folder()
    encoder: Kind = option(
        "none",
        "Encoder that is trained with the network and makes sentence vectors of word vectors: "
        "average, cnn, lstm, bilstm, or none.",
        metavar="NAME",
    )
    networks: Count = option(
        1,
        "Number of networks to train side by side, with consecutive seeds, and to average into one.",
        metavar="N",
    )
    compact: bool = option(
        False, "Store the encoder in a quarter of the space, its vectors as bytes."
    )
