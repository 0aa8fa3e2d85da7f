"""`cupel train assay`: a metric of contextual vectors, from people's preferences and grades."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from cupel.cli.options import SEED
from cupel.cli.train_options import (
    DATA,
    MODEL,
    TRAINING,
    Decay,
    Device,
    Dropout,
    Epochs,
    Output,
    Pairs,
    Seed,
    batch_option,
    print_epoch,
    print_trained,
)
from cupel.errors import CupelError


def assay(
    folder: Output,
    train: Annotated[
        list[str] | None,
        typer.Option(
            "--train", metavar="DATASET...", rich_help_panel=DATA, show_default="wmt13",
            help="Data to learn from: rankings (wmt12, wmt13, wmt14) and grades (da13, sick, or a "
            "TSV file with the columns translation, reference and score).",
        ),
    ] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(
            "--dev", metavar="DATASET...", rich_help_panel=DATA,
            help="Data to measure the model on after each epoch: datasets, or none.",
            show_default="held-out, one line in twenty of the training data",
        ),
    ] = None,
    pairs: Pairs = None,
    corrupted: Annotated[
        float,
        typer.Option(
            "--corrupted", metavar="WEIGHT", min=0.0, rich_help_panel=DATA,
            help="How much a preference for a sentence over its corruption counts, beside a "
            "judgment.",
        ),
    ] = 0.5,
    borrowed: Annotated[
        float,
        typer.Option(
            "--borrowed", metavar="WEIGHT", min=0.0, rich_help_panel=DATA,
            help="How much a judgment counts once more with the segment's best translation in place "
            "of the reference.",
        ),
    ] = 0.0,
    tied: Annotated[
        float,
        typer.Option(
            "--tied", metavar="WEIGHT", min=0.0, rich_help_panel=DATA,
            help="How much a tie counts, as a third outcome; 0 leaves ties out.",
        ),
    ] = 0.0,
    graded: Annotated[
        float,
        typer.Option(
            "--graded", metavar="WEIGHT", min=0.0, rich_help_panel=DATA,
            help="How much a grade counts, beside a preference.",
        ),
    ] = 0.3,
    agreed: Annotated[
        bool,
        typer.Option(
            "--agreed", rich_help_panel=DATA,
            help="Let judgments of two translations that contradict each other cancel.",
        ),
    ] = False,
    teachers: Annotated[
        list[Path] | None,
        typer.Option(
            "--teacher", metavar="FOLDER...", rich_help_panel=DATA,
            help="Trained models whose scores of all translations are learned, too.",
        ),
    ] = None,
    taught: Annotated[
        float,
        typer.Option(
            "--taught", metavar="WEIGHT", min=0.0, rich_help_panel=DATA,
            help="How much the scores of teachers count, beside judgments.",
        ),
    ] = 1.0,
    encoder: Annotated[
        Path | None,
        typer.Option(
            "--encoder", metavar="FOLDER", rich_help_panel=MODEL, show_default="all-MiniLM-L6-v2",
            help="Pretrained encoder to start from, in the layout of Hugging Face.",
        ),
    ] = None,
    layers: Annotated[
        int | None,
        typer.Option(
            "--layers", metavar="N", min=1, rich_help_panel=MODEL, show_default="all",
            help="Number of the encoder's layers to use, from the first on.",
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--start", metavar="FOLDER", rich_help_panel=MODEL,
            help="Trained model to start from, instead of the encoder alone.",
        ),
    ] = None,
    weighting: Annotated[
        str,
        typer.Option(
            "--weighting", metavar="NAME", rich_help_panel=MODEL,
            help="Weights of the word pieces: equal, learned, deep (learned by one more layer), or "
            "table (inverse document frequencies).",
        ),
    ] = "learned",
    phrases: Annotated[
        bool, typer.Option(help="Match phrases beside single pieces.", rich_help_panel=MODEL)
    ] = True,
    worst: Annotated[
        bool, typer.Option(help="Take the worst match as a feature.", rich_help_panel=MODEL)
    ] = True,
    repeats: Annotated[
        bool,
        typer.Option(
            help="Take what the translation repeats too often as a feature.", rich_help_panel=MODEL
        ),
    ] = True,
    pooled: Annotated[
        bool,
        typer.Option(
            help="Learn features of the two sentence vectors, too.", rich_help_panel=MODEL
        ),
    ] = False,
    joint: Annotated[
        bool,
        typer.Option(
            "--joint", rich_help_panel=MODEL,
            help="Encode both sentences together: a slow model that serves as a teacher.",
        ),
    ] = False,
    matched: Annotated[
        bool,
        typer.Option(
            help="With --joint: match the pieces that were encoded together, too.",
            rich_help_panel=MODEL,
        ),
    ] = True,
    stored: Annotated[
        str,
        typer.Option(
            "--stored", metavar="TYPE", rich_help_panel=MODEL,
            help="Type of number to store the weights in: int8, float16 or float32.",
        ),
    ] = "int8",
    average_of: Annotated[
        list[Path] | None,
        typer.Option(
            "--average-of", metavar="FOLDER...", rich_help_panel=MODEL,
            help="Train nothing, and average the weights of these trained models.",
        ),
    ] = None,
    epochs: Epochs = 4,
    batch: Annotated[int, batch_option("segments, each with all its judgments,")] = 16,
    rate: Annotated[
        float,
        typer.Option(
            "--rate", metavar="RATE", min=0.0, rich_help_panel=TRAINING,
            help="Learning rate of everything but the encoder.",
        ),
    ] = 1e-3,
    encoder_rate: Annotated[
        float,
        typer.Option(
            "--encoder-rate", metavar="RATE", min=0.0, rich_help_panel=TRAINING,
            help="Learning rate of the encoder's layers.",
        ),
    ] = 5e-5,
    decay: Decay = 0.01,
    dropout: Dropout = 0.15,
    average: Annotated[
        float,
        typer.Option(
            "--average", metavar="RATE", min=0.0, max=0.99999, rich_help_panel=TRAINING,
            help="Decay of the moving average of the weights, which is what is kept; 0 keeps the "
            "last weights.",
        ),
    ] = 0.998,
    embeddings: Annotated[
        bool,
        typer.Option(
            "--embeddings", rich_help_panel=TRAINING,
            help="Train the encoder's table of pieces, too, and store it.",
        ),
    ] = False,
    seed: Seed = SEED,
    device: Device = "auto",
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
        print_trained(folder, average_assay(order, average_of, folder))
        return
    last = train_assay(order, folder, print_epoch)
    if int(os.environ.get("RANK", "0")) == 0:
        print_trained(folder, last.figures, last.epoch)
