"""`cupel train nnrk`: a pairwise network of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import output
from cupel.cli.options import SEED, Seed, fillable

if TYPE_CHECKING:
    from cupel.learned.nnrk.data.examples import Examples
    from cupel.learned.nnrk.model.features import FeatureSet
    from cupel.learned.nnrk.training.basic import Settings
    from cupel.learned.nnrk.training.encoded import EncoderSettings

NETWORK = "Network"
ENCODER = "Encoder"
TRAINING = "Training"


def nnrk(
    out: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", callback=fillable,
                     help="Where to put the model."),
    ],
    train: Annotated[
        list[str] | None,
        typer.Option("--train", metavar="DATASET...", help="Judgments to learn from.",
                     show_default="wmt13"),
    ] = None,
    dev: Annotated[
        str,
        typer.Option(
            help="Judgments to stop early by: `held-out` lines of the first training set, or a "
            "dataset."
        ),
    ] = "held-out",
    features: Annotated[
        str,
        typer.Option(
            help="4metrics, bleucomp, wiki-gw50, syntax25, minilm, any metric; commas between "
            "(semicolons where one has commas itself).",
            show_default="4metrics,syntax25,wiki-gw50; with an encoder 4metrics,syntax25",
        ),
    ] = "",
    architecture: Annotated[
        str,
        typer.Option(help="pairwise, fully-connected, single-layer.", rich_help_panel=NETWORK),
    ] = "pairwise",
    cost: Annotated[
        str, typer.Option(help="logistic, kendall, logistic+kendall.", rich_help_panel=NETWORK)
    ] = "logistic",
    hidden: Annotated[
        int, typer.Option(help="Units in each of three groups.", rich_help_panel=NETWORK)
    ] = 4,
    gamma: Annotated[
        float, typer.Option(help="Steepness of the Kendall cost.", rich_help_panel=NETWORK)
    ] = 100.0,
    beta: Annotated[
        float, typer.Option(help="How narrow its ties are.", rich_help_panel=NETWORK)
    ] = 100.0,
    ties: Annotated[
        float, typer.Option(help="What a tie costs in it.", rich_help_panel=NETWORK)
    ] = 0.01,
    encoder: Annotated[
        str,
        typer.Option(
            help="Encode sentences on the fly: none, average, cnn, lstm, bilstm.",
            rich_help_panel=ENCODER,
        ),
    ] = "none",
    units: Annotated[
        int, typer.Option(help="Filters of the CNN, units of an LSTM.", rich_help_panel=ENCODER)
    ] = 100,
    filter_length: Annotated[
        int, typer.Option("--filter", help="Words a filter sees.", rich_help_panel=ENCODER)
    ] = 3,
    pool: Annotated[
        int, typer.Option(help="Features a maximum is over.", rich_help_panel=ENCODER)
    ] = 3,
    word_vectors: Annotated[
        str,
        typer.Option(help="Tuning of them: fixed, moderate, full.", rich_help_panel=ENCODER),
    ] = "full",
    initial: Annotated[
        str, typer.Option(help="Their start: pretrained, random.", rich_help_panel=ENCODER)
    ] = "pretrained",
    vectors: Annotated[
        str, typer.Option(help="Their table: a name or a file.", rich_help_panel=ENCODER)
    ] = "glove-6b-50d-100k",
    compact: Annotated[
        bool,
        typer.Option(
            "--compact",
            help="Keep vectors as bytes, in a quarter of the space.",
            rich_help_panel=ENCODER,
        ),
    ] = False,
    device: Annotated[
        str, typer.Option(help="Of the encoder: cpu, cuda, auto.", rich_help_panel=ENCODER)
    ] = "cpu",
    sample: Annotated[
        int | None,
        typer.Option(help="Learn from so many pairs drawn at random.", rich_help_panel=TRAINING),
    ] = None,
    agreed: Annotated[
        bool,
        typer.Option(
            "--agreed",
            help="Each two translations once, as most of their judges preferred.",
            rich_help_panel=TRAINING,
        ),
    ] = False,
    dev_pairs: Annotated[
        int, typer.Option(help="Pairs of the development set.", rich_help_panel=TRAINING)
    ] = 5000,
    rate: Annotated[float, typer.Option(help="AdaGrad's.", rich_help_panel=TRAINING)] = 0.01,
    batch: Annotated[int, typer.Option(help="Minibatch.", rich_help_panel=TRAINING)] = 30,
    decay: Annotated[float, typer.Option(help="Of weights.", rich_help_panel=TRAINING)] = 1e-4,
    dropout: Annotated[
        float,
        typer.Option(
            help="Of sentence vectors; with an encoder, of word vectors and units.",
            rich_help_panel=TRAINING,
        ),
    ] = 0.0,
    epochs: Annotated[int, typer.Option(help="At most.", rich_help_panel=TRAINING)] = 10_000,
    patience: Annotated[
        int, typer.Option(help="Epochs without a better one.", rich_help_panel=TRAINING)
    ] = 20,
    seed: Seed = SEED,
    networks: Annotated[
        int,
        typer.Option(
            help="Train so many, with seeds one after the other, and average them into one.",
            rich_help_panel=TRAINING,
        ),
    ] = 1,
) -> None:  # fmt: skip
    """Train NNRK on human rankings; use it as `-m nnrk:model=FOLDER`.

    Examples: cupel train nnrk --train wmt13 --features 4metrics,wiki-gw50 --sample 40000 -o mine;
    cupel train nnrk --encoder cnn --units 150 --dropout 0.5 --sample 40000 --epochs 16 -o mine
    """
    from cupel.errors import CupelError
    from cupel.learned.nnrk.model.features import feature_set
    from cupel.learned.nnrk.training.basic import Settings
    from cupel.learned.nnrk.training.encoded import EncoderSettings

    if networks < 1:
        raise CupelError(f"The number of networks must be 1 or more, not {networks}.")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CupelError(f"{out} is there already: name a new folder for the model.")
    settings = Settings(
        architecture=architecture,
        cost=cost,
        hidden=hidden,
        rate=rate,
        batch=batch,
        decay=decay,
        dropout=dropout,
        gamma=gamma,
        beta=beta,
        ties=ties,
        epochs=epochs,
        patience=patience,
        seed=seed,
    )
    own = None
    if encoder != "none":
        own = EncoderSettings(encoder, units, filter_length, pool, word_vectors, initial, vectors)
        _check_device(device)
    wanted = feature_set(features or "4metrics,syntax25" + ("" if own else ",wiki-gw50"))
    sets = train or ["wmt13"]
    learned, development = _data(sets, dev, dev_pairs, _with_words(wanted, own), seed)
    learned = (learned.agreed() if agreed else learned).sample(sample, seed)
    output.warn(f"{len(learned)} pairs to learn from, {len(development)} to stop by")
    card = {
        "features": list(wanted.names),
        "train": sets,
        "development": dev,
        "agreed": agreed,
        "licence": "Apache-2.0",
    }
    if own is None:
        _train(learned, development, settings, networks, card, out)
    else:
        _train_encoded(learned, development, settings, own, networks, card, device, compact, out)


def _check_device(device: str) -> None:
    """What an encoder needs is missed before the features are computed, not after."""
    from cupel.learned.nnrk.model.encoders import check_torch
    from cupel.neural.devices import find_device

    check_torch()
    find_device(device)


def _with_words(wanted: FeatureSet, encoder: EncoderSettings | None) -> FeatureSet:
    """The features, and before the sentence vectors the numbers of words for an encoder."""
    if encoder is None:
        return wanted
    from cupel.learned.nnrk.model.encoders import WordNumbers

    return replace(wanted, vectors=(("words", WordNumbers(encoder.vectors)), *wanted.vectors))


def _train(
    learned: Examples,
    development: Examples,
    settings: Settings,
    networks: int,
    card: dict[str, Any],
    out: Path,
) -> None:
    from cupel.learned.nnrk.model.network import averaged
    from cupel.learned.nnrk.training.basic import train

    def report(epoch: int, loss: float, tau: float) -> None:
        output.warn(f"epoch {epoch}: cost {loss:.4f}, development tau {tau:.4f}")

    done = [
        train(learned, development, replace(settings, seed=settings.seed + n), dict(card), report)
        for n in range(networks)
    ]
    model = averaged([one.model for one in done]) if networks > 1 else done[0].model
    model.save(out)
    for one in done:
        print(f"{out}: epoch {one.epoch}, development tau {one.tau:.4f}")


def _train_encoded(
    learned: Examples,
    development: Examples,
    settings: Settings,
    encoder: EncoderSettings,
    networks: int,
    card: dict[str, Any],
    device: str,
    compact: bool,
    out: Path,
) -> None:
    from cupel.learned.nnrk.training.encoded import train_encoded

    def report(epoch: int, accuracies: Sequence[float]) -> None:
        each = ", ".join(f"{accuracy:.4f}" for accuracy in accuracies)
        output.warn(f"epoch {epoch}: development accuracy {each}")

    done = train_encoded(learned, development, settings, encoder, card, networks, device, report)
    model = done.model
    if compact and model.encoder is not None:
        model = replace(model, encoder=model.encoder.small())
    model.save(out)
    for epoch, accuracy in zip(done.epochs, done.accuracies, strict=True):
        print(f"{out}: epoch {epoch}, development accuracy {accuracy:.4f}")


def _data(
    sets: list[str], dev: str, dev_pairs: int, features: FeatureSet, seed: int
) -> tuple[Examples, Examples]:
    """Training and development pairs over the same arrays' layout."""
    from cupel.learned.nnrk.data import examples

    parts = [examples.load(name, features, report=output.warn) for name in sets]
    if dev != "held-out":
        other = examples.load(dev, features, report=output.warn)
        return examples.joined(parts), other.sample(dev_pairs, seed)
    first, development = examples.split(parts[0], dev_pairs, seed)
    return examples.joined([first, *parts[1:]]), development
