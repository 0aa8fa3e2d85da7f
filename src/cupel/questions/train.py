"""What the trainings of learned metrics have in common: single fields, each declared once."""

from __future__ import annotations

from typing import Annotated, Any

from cupel.questions.field import Range, option
from cupel.questions.groups import SEED

Weight = Annotated[float, Range(0)]
Dropout = Annotated[float, Range(0, 0.99)]
VECTORS = "glove-6b-50d-100k"
"""The table of word vectors that comes with Cupel (`cupel.text.vectors`)."""


def folder(default: object = ...) -> Any:
    """`-o`: where a trained model goes."""
    return option(
        default,
        "Folder to write weights, card and log to. Give the folder of a training that was stopped, "
        "with the same options, to go on with it.",
        "--output",
        "-o",
        role="output",
        metavar="FOLDER",
        folder=True,
    )


def pairs() -> Any:
    """`--pair`: the language pairs of the judgments."""
    return option(
        (),
        "Language pairs to learn from, for example cs-en.",
        "--pair",
        metavar="PAIR",
        shown="all into English",
    )


def epochs(default: int) -> Any:
    """`--epochs`."""
    return option(default, "Largest number of passes over the training data.", metavar="N")


def batch(default: int | None, examples: str, shown: str = "") -> Any:
    """`--batch`; examples: what there are so many of in one step."""
    sentence = f"Number of {examples} in one step of the optimizer."
    return option(default, sentence, metavar="N", shown=shown)


def rate(
    default: float | None, shown: str = "", sentence: str = "Learning rate of the optimizer."
) -> Any:
    """`--rate`."""
    return option(default, sentence, metavar="RATE", shown=shown)


def decay(default: float | None, shown: str = "") -> Any:
    """`--decay`."""
    return option(default, "Weight decay (L2 regularisation).", metavar="RATE", shown=shown)


def dropout(default: float) -> Any:
    """`--dropout`."""
    return option(
        default,
        "Share of the numbers that are set to 0 at random during training.",
        metavar="SHARE",
    )


def seed() -> Any:
    """`--seed`: of a training."""
    return option(
        SEED,
        "Seed of the random numbers: the initial weights, the order of examples, dropout.",
        metavar="N",
    )


def device() -> Any:
    """`--device`: what trains."""
    return option(
        "auto",
        "Processor to train on: cpu, cuda, cuda:1, ..., or auto for the first GPU if there is one.",
        role="spread",
        metavar="NAME",
    )


def vectors() -> Any:
    """`--vectors`: the table of word vectors."""
    return option(
        VECTORS,
        "Table of word vectors: a name, or a GloVe, word2vec or fastText file.",
        metavar="NAME",
    )
