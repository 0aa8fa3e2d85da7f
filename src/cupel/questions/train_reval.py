"""How is ReVal trained, and on which sets?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions import train as shared
from cupel.questions.field import Count, Natural, option
from cupel.questions.groups import SEED, Format, output_format
from cupel.questions.question import Question
from cupel.questions.train import Dropout, Weight

Cell = Literal["tree-lstm", "lstm", "bilstm"]
Unknown = Literal["zero", "hash", "letters"]
Heads = Literal["native", "penn2malt"]
Thresholds = Literal["paper", "wmt12", "wmt13", "wmt14"]


@dataclass(frozen=True)
class RevalData:
    """What the model learns from."""

    panel: ClassVar[str] = "Data"

    train: str = option(
        "wmt13",
        "Dataset whose rankings are learned from, for example wmt12 or wmt13.",
        metavar="DATASET",
    )
    set: str = option(
        "L",
        "Which of its pairs to take (Table 2 of the paper): L, LNF, XL, XXL or All; --list-sets "
        "prints their sizes.",
        metavar="NAME",
    )
    add: tuple[str, ...] = option(
        (), "More data to train on: sick, or other datasets with rankings.", metavar="DATASET"
    )
    pairs: tuple[str, ...] = shared.pairs()
    thresholds: Thresholds = option(
        "paper",
        "Variance of the ranks above which a pair is left out: paper (Table 1), or wmt12, wmt13 or "
        "wmt14 to compute it by Algorithm 1 with the tau of that year.",
        metavar="NAME",
    )
    split_seed: Natural = option(
        SEED, "Seed that draws the lines held out for development and test.", metavar="N"
    )


@dataclass(frozen=True)
class RevalReading:
    """How text becomes what the model reads; all of it is kept in the card."""

    panel: ClassVar[str] = "Text"

    vectors: str = shared.vectors()
    unknown: Unknown = option(
        "hash",
        "Vectors of words that the table lacks: zero, hash (random but fixed for each word) or "
        "letters (made of the word's letters).",
        metavar="NAME",
    )
    heads: Heads = option("native", "Head rules of the trees: native or penn2malt.", metavar="NAME")
    parser: str | None = option(
        None, "spaCy model that parses the sentences.", metavar="NAME", shown="en_core_web_sm"
    )
    trees: str | None = option(
        None,
        "Trees of all sentences, used instead of a parser.",
        role="input",
        metavar="FILE.conllu",
    )


@dataclass(frozen=True, kw_only=True)
class RevalShape:
    """The shape of the model."""

    panel: ClassVar[str] = "Model"

    memory: Count = option(150, "Size of the encoder's state at each word.", metavar="N")
    hidden: Count = option(
        50,
        "Number of hidden units of the network that compares two sentences.",
        metavar="N",
    )
    output_gate: bool = option(
        False, "Give the encoder the output gate of equation 1, which the authors' code lacks."
    )
    projection: Natural = option(
        0,
        "Size to which a learned layer projects word vectors first; with 0 there is no such layer.",
        metavar="N",
    )


@dataclass(frozen=True, kw_only=True)
class RevalTraining:
    """How the model learns."""

    panel: ClassVar[str] = "Training"

    tune_vectors: Weight = option(
        0.0,
        "Learning rate of the word vectors; 0 leaves them as they are.",
        metavar="RATE",
    )
    epochs: Count = shared.epochs(10)
    batch: Count | None = shared.batch(None, "pairs", "25, with a teacher 180")
    rate: Weight | None = shared.rate(None, "0.05, with a teacher 0.002")
    decay: Weight | None = shared.decay(None, "0.0001, with a teacher 0")
    seed: Natural = shared.seed()
    device: str = shared.device()


@dataclass(frozen=True, kw_only=True)
class RevalTeaching:
    """How the model learns from the scores of another metric."""

    panel: ClassVar[str] = "Teacher"

    teacher: str | None = option(
        None,
        "Metric whose scores are learned: it scores outputs of the dataset, judged or not, and of "
        "--outputs. --set and --thresholds then mean nothing.",
        metavar="METRIC",
    )
    outputs: tuple[str, ...] = option(
        (),
        "Datasets whose outputs the teacher scores too, for example wmt15-rankings; their "
        "judgments are not read.",
        metavar="DATASET",
    )
    unjudged: Natural | None = option(
        None,
        "With a teacher: outputs of each line that it scores besides those that people judged, at "
        "most.",
        metavar="N",
        shown="6",
    )
    judged: Weight | None = option(
        None,
        "With a teacher: weight of people's preferences beside its own.",
        metavar="WEIGHT",
        shown="0.5",
    )
    dropout: Dropout | None = option(
        None,
        "With a teacher: share of the numbers that are set to 0 at random during training; of whole "
        "words half as many.",
        metavar="SHARE",
        shown="0.1",
    )


@dataclass(frozen=True, kw_only=True)
class TrainReval(RevalData, RevalReading, RevalShape, RevalTraining, RevalTeaching, Question):
    """Train ReVal, a Tree-LSTM metric, on rankings; score with it as `-m reval:weights=FOLDER`.

    Example: cupel train reval --train wmt13 --add sick -o my-reval
    """

    command: ClassVar[str] = "train reval"
    first: ClassVar[tuple[str, ...]] = (
        "folder",
        "train",
        "set",
        "add",
        "pairs",
        "list_sets",
        "export",
        "epochs",
        "seed",
        "device",
    )

    folder: Path | None = shared.folder(None)
    encoder: Cell = option(
        "tree-lstm", "Encoder of the sentences: tree-lstm, lstm or bilstm.", metavar="NAME"
    )
    list_sets: bool = option(
        False, "Print the sizes and thresholds of all sets, and train nothing.", role="output"
    )
    export: Path | None = option(
        None,
        "Write the training set as a TSV file, and train nothing.",
        role="output",
        metavar="FILE",
    )
    format: Format = output_format()

    def rules(self) -> None:
        if self.list_sets:
            return
        if self.folder is None and self.export is None:
            raise CupelError("Name a folder for the model with -o, or a file with --export.")
        if self.teacher is None:
            alone = ("outputs", "judged", "dropout", "unjudged")
            name = next((name for name in alone if getattr(self, name)), None)
            reason = "needs --teacher"
        else:
            name = "export" if self.export else "tune_vectors" if self.tune_vectors else None
            reason = "does not go with --teacher"
        if name is not None:
            raise CupelError(f"--{name.replace('_', '-')} {reason}.")
