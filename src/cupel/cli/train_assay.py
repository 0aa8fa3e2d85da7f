"""`cupel train assay`: a metric of contextual vectors, from people's preferences and grades."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from cupel.cli import output
from cupel.cli.options import SEED, Seed, fillable
from cupel.errors import CupelError, MissingPart


def assay(
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", callback=fillable,
                     help="Where to put weights, card and log."),
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option("--train", metavar="DATA...", help="Rankings (wmt12, wmt13, wmt14) and grades "
                     "(da13, sick, a TSV of translation, reference, score).", show_default="wmt13"),
    ] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option("--dev", metavar="DATA...", help="What to hold out: datasets, or none.",
                     show_default="one line in twenty of the training data"),
    ] = None,
    encoder: Annotated[
        Path | None, typer.Option("--encoder", help="A folder in HuggingFace's layout.")
    ] = None,
    layers: Annotated[
        int | None, typer.Option("--layers", min=1, help="Only the encoder's first layers.")
    ] = None,
    weighting: Annotated[
        str, typer.Option("--weighting", help="Of pieces: equal, learned, deep, or table (idf).")
    ] = "learned",
    phrases: Annotated[bool, typer.Option(help="Match phrases too.")] = True,
    worst: Annotated[bool, typer.Option(help="Look at the worst match, too.")] = True,
    repeats: Annotated[bool, typer.Option(help="Count what is said once too often.")] = True,
    pooled: Annotated[bool, typer.Option(help="Features learned of sentence vectors.")] = False,
    joint: Annotated[
        bool, typer.Option("--joint", help="Encode both sentences together: a model that teaches.")
    ] = False,
    matched: Annotated[
        bool, typer.Option(help="Match what was encoded together, too (with --joint).")
    ] = True,
    start: Annotated[
        Path | None,
        typer.Option("--start", metavar="DIR", help="Go on from this trained model."),
    ] = None,
    teachers: Annotated[
        list[Path] | None,
        typer.Option("--teacher", metavar="DIR...", help="Learn from these models' scores of all "
                     "translations, too."),
    ] = None,
    taught: Annotated[
        float, typer.Option("--taught", min=0.0, help="What teachers count beside judgments.")
    ] = 1.0,
    epochs: Annotated[
        int, typer.Option("--epochs", metavar="N", min=1, help="Times through the data.")
    ] = 4,
    size: Annotated[
        int, typer.Option("--size", metavar="N", min=1, help="Segments a step.")
    ] = 16,
    encoder_rate: Annotated[
        float, typer.Option("--encoder-rate", metavar="RATE", min=0.0,
                            help="AdamW's for the encoder's layers.")
    ] = 5e-5,
    head_rate: Annotated[
        float, typer.Option("--head-rate", metavar="RATE", min=0.0,
                            help="AdamW's for all that is on top of them.")
    ] = 1e-3,
    dropout: Annotated[
        float, typer.Option("--dropout", metavar="SHARE", min=0.0, max=0.9,
                            help="Of what the encoder's layers see, in training.")
    ] = 0.15,
    corrupted: Annotated[
        float, typer.Option("--corrupted", min=0.0, help="What corrupted sentences count.")
    ] = 0.5,
    borrowed: Annotated[
        float,
        typer.Option("--borrowed", min=0.0, help="What judgments count with the best translation "
                     "for the reference."),
    ] = 0.0,
    tied: Annotated[
        float, typer.Option("--tied", min=0.0, help="What ties count, as a third outcome.")
    ] = 0.0,
    graded: Annotated[
        float, typer.Option("--graded", min=0.0, help="What grades count beside preferences.")
    ] = 0.3,
    agreed: Annotated[
        bool, typer.Option("--agreed", help="Judgments that contradict each other cancel.")
    ] = False,
    average: Annotated[
        float, typer.Option("--average", min=0.0, max=0.99999, help="Of the weights: its decay.")
    ] = 0.998,
    embeddings: Annotated[
        bool, typer.Option("--embeddings", help="Train the table of the pieces, and store it.")
    ] = False,
    stored: Annotated[
        str, typer.Option("--stored", help="Weights as int8, float16 or float32.")
    ] = "int8",
    average_of: Annotated[
        list[Path] | None,
        typer.Option("--average-of", metavar="DIR...", help="Train nothing: average the weights "
                     "of these trainings."),
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda or auto.")] = "auto",
    seed: Seed = SEED,
) -> None:  # fmt: skip
    """Train assay. A training that was stopped goes on where it was when it is started again.

    Example: cupel train assay --train wmt13 -o my-assay
    """
    if folder is None:
        raise CupelError("Where to? Name a folder for the model with -o.")
    _check_parts()
    from cupel.learned.assay.files import STORED
    from cupel.learned.assay.model.network import WEIGHTINGS, Design
    from cupel.learned.assay.training.loop import Recipe
    from cupel.learned.assay.training.run import (
        HELD_OUT,
        Order,
        average_assay,
        known_order,
        train_assay,
    )

    for what, value, known in (
        ("--weighting", weighting, WEIGHTINGS),
        ("--stored", stored, STORED),
    ):
        if value not in known:
            raise CupelError(f"{what} takes {', '.join(known)}, not {value!r}.")
    if not matched and not joint:
        raise CupelError("--no-matched leaves nothing to score with but what --joint reads.")
    order = Order(
        train=known_order(train or ["wmt13"]),
        dev=known_order(dev or [HELD_OUT]),
        encoder=encoder,
        layers=layers,
        start=start,
        teachers=tuple(teachers or ()),
        design=Design(
            phrases=phrases, worst=worst, repeats=repeats, pooled=pooled, weighting=weighting,
            joint=joint, matched=matched,
        ),
        recipe=Recipe(
            epochs=epochs, size=size, encoder_rate=encoder_rate, head_rate=head_rate,
            dropout=dropout, corrupted=corrupted, borrowed=borrowed, tied=tied, graded=graded,
            taught=taught if teachers else 0.0, agreed=agreed,
            average=average, embeddings=embeddings, seed=seed,
        ),
        stored=stored,
        device=device,
    )  # fmt: skip
    if average_of:
        last = average_assay(order, average_of, folder)
    else:
        last = train_assay(order, folder, _tell)
    if int(os.environ.get("RANK", "0")) == 0:
        print(f"{folder}: {_figures(last) or 'trained'}")


def _tell(entry: dict[str, Any]) -> None:
    output.warn(
        f"epoch {entry['epoch']}: loss {entry['loss']:.4f}, {entry['seconds']:.0f} s"
        + "".join(f", {part}" for part in [_figures(entry)] if part)
    )


def _figures(entry: Any) -> str:
    names = ("tau", "corrupted", "grades")
    return ", ".join(f"{name} {entry[name]:.4f}" for name in names if name in entry)


def _check_parts() -> None:
    from importlib.util import find_spec

    absent = [name for name in ("torch", "safetensors", "tokenizers") if find_spec(name) is None]
    if absent:
        raise MissingPart(
            f"Training assay needs {', '.join(absent)}: pip install 'cupel[contextual]'."
        )
