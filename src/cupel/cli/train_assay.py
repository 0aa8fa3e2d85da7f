"""`cupel train assay`: a metric of contextual vectors, from people's preferences and grades."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cupel.cli import train_options as shared
from cupel.cli.options import SEED
from cupel.cli.train_options import DATA, MODEL, TRAINING, option
from cupel.errors import CupelError


def assay(
    folder: shared.Output,
    train: Annotated[list[str] | None, option(DATA, "--train", "DATASET...",
        "Data to learn from: rankings (wmt12, wmt13, wmt14) and grades (da13, sick, or a TSV file "
        "with the columns translation, reference and score).", show_default="wmt13")] = None,
    dev: Annotated[list[str] | None, option(DATA, "--dev", "DATASET...",
        "Data to measure the model on after each epoch: datasets, or none.",
        show_default="held-out, one line in twenty of the training data")] = None,
    pairs: shared.Pairs = None,
    corrupted: Annotated[float, option(DATA, "--corrupted", "WEIGHT",
        "How much a preference for a sentence over its corruption counts, beside a judgment.",
        min=0.0)] = 0.5,
    borrowed: Annotated[float, option(DATA, "--borrowed", "WEIGHT",
        "How much a judgment counts once more with the segment's best translation in place of the "
        "reference.", min=0.0)] = 0.0,
    tied: Annotated[float, option(DATA, "--tied", "WEIGHT",
        "How much a tie counts, as a third outcome; 0 leaves ties out.", min=0.0)] = 0.0,
    graded: Annotated[float, option(DATA, "--graded", "WEIGHT",
        "How much a grade counts, beside a preference.", min=0.0)] = 0.3,
    agreed: Annotated[bool, option(DATA, "--agreed", None,
        "Let judgments of two translations that contradict each other cancel.")] = False,
    teachers: Annotated[list[Path] | None, option(DATA, "--teacher", "FOLDER...",
        "Trained models whose scores of all translations are learned, too.")] = None,
    taught: Annotated[float, option(DATA, "--taught", "WEIGHT",
        "How much the scores of teachers count, beside judgments.", min=0.0)] = 1.0,
    encoder: Annotated[Path | None, option(MODEL, "--encoder", "FOLDER",
        "Pretrained encoder to start from, in the layout of Hugging Face.",
        show_default="all-MiniLM-L6-v2")] = None,
    layers: Annotated[int | None, option(MODEL, "--layers", "N",
        "Number of the encoder's layers to use, from the first on.",
        min=1, show_default="all")] = None,
    start: Annotated[Path | None, option(MODEL, "--start", "FOLDER",
        "Trained model to start from, instead of the encoder alone.")] = None,
    weighting: Annotated[str, option(MODEL, "--weighting", "NAME",
        "Weights of the word pieces: equal, learned, deep (learned by one more layer), or table "
        "(inverse document frequencies).")] = "learned",
    phrases: Annotated[bool, option(MODEL, None, None,
        "Match phrases beside single pieces.")] = True,
    worst: Annotated[bool, option(MODEL, None, None, "Take the worst match as a feature.")] = True,
    repeats: Annotated[bool, option(MODEL, None, None,
        "Take what the translation repeats too often as a feature.")] = True,
    pooled: Annotated[bool, option(MODEL, None, None,
        "Learn features of the two sentence vectors, too.")] = False,
    joint: Annotated[bool, option(MODEL, "--joint", None,
        "Encode both sentences together: a slow model that serves as a teacher.")] = False,
    matched: Annotated[bool, option(MODEL, None, None,
        "With --joint: match the pieces that were encoded together, too.")] = True,
    stored: Annotated[str, option(MODEL, "--stored", "TYPE",
        "Type of number to store the weights in: int8, float16 or float32.")] = "int8",
    average_of: Annotated[list[Path] | None, option(MODEL, "--average-of", "FOLDER...",
        "Train nothing, and average the weights of these trained models.")] = None,
    epochs: shared.Epochs = 4,
    batch: Annotated[int, shared.batch_option("segments, each with all its judgments,")] = 16,
    rate: Annotated[float, option(TRAINING, "--rate", "RATE",
        "Learning rate of everything but the encoder.", min=0.0)] = 0.001,
    encoder_rate: Annotated[float, option(TRAINING, "--encoder-rate", "RATE",
        "Learning rate of the encoder's layers.", min=0.0)] = 5e-5,
    decay: shared.Decay = 0.01,
    dropout: shared.Dropout = 0.15,
    average: Annotated[float, option(TRAINING, "--average", "RATE",
        "Decay of the moving average of the weights, which is what is kept; 0 keeps the last "
        "weights.", min=0.0, max=0.99999)] = 0.998,
    embeddings: Annotated[bool, option(TRAINING, "--embeddings", None,
        "Train the encoder's table of pieces, too, and store it.")] = False,
    seed: shared.Seed = SEED,
    device: shared.Device = "auto",
) -> None:  # fmt: skip
    """Train assay on preferences and grades; score with it as `-m assay:weights=FOLDER`.

    Example: cupel train assay --train wmt13 -o my-assay
    """
    from cupel.neural.packages import TRAINING as NEEDED
    from cupel.neural.packages import check_packages

    check_packages("Training assay", (*NEEDED, "tokenizers"), "contextual")
    from cupel.learned.assay.files import STORED
    from cupel.learned.assay.model.network import WEIGHTINGS, Design
    from cupel.learned.assay.training.run import (
        HELD_OUT,
        Order,
        average_assay,
        distinct,
        train_assay,
    )
    from cupel.learned.assay.training.settings import Training

    for what, value, choices in (
        ("--weighting", weighting, WEIGHTINGS),
        ("--stored", stored, STORED),
    ):
        if value not in choices:
            raise CupelError(f"{what} takes {', '.join(choices)}, not {value!r}.")
    if not matched and not joint:
        raise CupelError("--no-matched leaves nothing to score with but what --joint reads.")
    order = Order(
        train=distinct(train or ["wmt13"]), dev=distinct(dev or [HELD_OUT]),
        pairs=tuple(pairs) if pairs else None, encoder=encoder, layers=layers, start=start,
        teachers=tuple(teachers or ()), stored=stored,
        design=Design(
            phrases=phrases, worst=worst, repeats=repeats, pooled=pooled, weighting=weighting,
            joint=joint, matched=matched,
        ),
        training=Training(
            epochs=epochs, batch=batch, rate=rate, encoder_rate=encoder_rate, decay=decay,
            dropout=dropout, corrupted=corrupted, borrowed=borrowed, tied=tied, graded=graded,
            taught=taught if teachers else 0.0, agreed=agreed, average=average,
            embeddings=embeddings, seed=seed, device=device,
        ),
    )  # fmt: skip
    if average_of:
        shared.print_trained(folder, average_assay(order, average_of, folder))
        return
    last = train_assay(order, folder, shared.print_epoch)
    if int(os.environ.get("RANK", "0")) == 0:
        shared.print_trained(folder, last.figures, last.epoch)
