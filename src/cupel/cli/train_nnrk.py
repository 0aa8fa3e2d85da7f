"""`cupel train nnrk`: a pairwise network on human rankings."""

from __future__ import annotations

from typing import Annotated

import typer

from cupel.cli import output
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
    Rate,
    Seed,
    batch_option,
    print_epoch,
    print_trained,
)

ENCODER = "Encoder"


def nnrk(
    folder: Output,
    train: Annotated[
        list[str] | None,
        typer.Option(
            "--train", metavar="DATASET...", help="Datasets with rankings to learn from.",
            show_default="wmt13", rich_help_panel=DATA,
        ),
    ] = None,
    dev: Annotated[
        str,
        typer.Option(
            "--dev", metavar="DATASET", rich_help_panel=DATA,
            help="Dataset whose rankings decide when to stop, or held-out for one line in twenty of "
            "the first training set.",
        ),
    ] = "held-out",
    pairs: Pairs = None,
    features: Annotated[
        str | None,
        typer.Option(
            "--features", metavar="NAMES", rich_help_panel=DATA,
            help="Inputs of the network, separated by commas (by semicolons where one of them has a "
            "comma): 4metrics, bleucomp, wiki-gw50, syntax25, minilm, or any metric.",
            show_default="4metrics,syntax25,wiki-gw50; with an encoder 4metrics,syntax25",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", metavar="N", min=1, rich_help_panel=DATA,
            help="Number of pairs to learn from, drawn at random.", show_default="all",
        ),
    ] = None,
    agreed: Annotated[
        bool,
        typer.Option(
            "--agreed", rich_help_panel=DATA,
            help="Take every two translations once, as most of their judges preferred, instead of "
            "every judgment.",
        ),
    ] = False,
    dev_pairs: Annotated[
        int,
        typer.Option(
            "--dev-pairs", metavar="N", min=1, rich_help_panel=DATA,
            help="Largest number of pairs in the development set.",
        ),
    ] = 5000,
    architecture: Annotated[
        str,
        typer.Option(
            "--architecture", metavar="NAME", rich_help_panel=MODEL,
            help="Which inputs the hidden units see: pairwise, fully-connected, or single-layer for "
            "logistic regression without hidden units.",
        ),
    ] = "pairwise",
    hidden: Annotated[
        int,
        typer.Option(
            "--hidden", metavar="N", min=1, rich_help_panel=MODEL,
            help="Number of hidden units in each of the three groups.",
        ),
    ] = 4,
    networks: Annotated[
        int,
        typer.Option(
            "--networks", metavar="N", min=1, rich_help_panel=MODEL,
            help="Number of networks to train side by side, with consecutive seeds, and to average "
            "into one.",
        ),
    ] = 1,
    cost: Annotated[
        str,
        typer.Option(
            "--cost", metavar="NAME", rich_help_panel=TRAINING,
            help="Cost function: logistic, kendall, or logistic+kendall for one after the other.",
        ),
    ] = "logistic",
    gamma: Annotated[
        float,
        typer.Option(
            "--gamma", metavar="NUMBER", rich_help_panel=TRAINING,
            help="Steepness of the Kendall cost.",
        ),
    ] = 100.0,
    beta: Annotated[
        float,
        typer.Option(
            "--beta", metavar="NUMBER", rich_help_panel=TRAINING,
            help="How close two predictions must be to count as a tie in the Kendall cost; higher is "
            "closer.",
        ),
    ] = 100.0,
    ties: Annotated[
        float,
        typer.Option(
            "--ties", metavar="NUMBER", rich_help_panel=TRAINING,
            help="Cost of a tie in the Kendall cost, where a wrong order costs 1.",
        ),
    ] = 0.01,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder", metavar="NAME", rich_help_panel=ENCODER, show_default="none",
            help="Encoder that is trained with the network and makes sentence vectors of word "
            "vectors: average, cnn, lstm, bilstm, or none.",
        ),
    ] = None,
    units: Annotated[
        int,
        typer.Option(
            "--units", metavar="N", rich_help_panel=ENCODER,
            help="Number of filters of a CNN, or of units of an LSTM.",
        ),
    ] = 100,
    filter_length: Annotated[
        int,
        typer.Option(
            "--filter", metavar="N", rich_help_panel=ENCODER,
            help="Number of words that a filter of the CNN sees.",
        ),
    ] = 3,
    pool: Annotated[
        int,
        typer.Option(
            "--pool", metavar="N", rich_help_panel=ENCODER,
            help="Number of neighbouring features of the CNN that one maximum is taken over.",
        ),
    ] = 3,
    word_vectors: Annotated[
        str,
        typer.Option(
            "--word-vectors", metavar="NAME", rich_help_panel=ENCODER,
            help="How word vectors are tuned: fixed, moderate (held near their start), or full.",
        ),
    ] = "full",
    initial: Annotated[
        str,
        typer.Option(
            "--initial", metavar="NAME", rich_help_panel=ENCODER,
            help="Start of the word vectors: pretrained or random.",
        ),
    ] = "pretrained",
    vectors: Annotated[
        str,
        typer.Option(
            "--vectors", metavar="NAME", rich_help_panel=ENCODER,
            help="Table of word vectors: a name, or a GloVe, word2vec or fastText file.",
        ),
    ] = "glove-6b-50d-100k",
    compact: Annotated[
        bool,
        typer.Option(
            "--compact", rich_help_panel=ENCODER,
            help="Store the encoder in a quarter of the space, its vectors as bytes.",
        ),
    ] = False,
    epochs: Epochs = 10_000,
    patience: Annotated[
        int,
        typer.Option(
            "--patience", metavar="N", min=1, rich_help_panel=TRAINING,
            help="Stop after this many epochs without a better one.",
        ),
    ] = 20,
    batch: Annotated[int, batch_option("pairs, counting both orders,")] = 30,
    rate: Rate = 0.01,
    decay: Decay = 1e-4,
    dropout: Dropout = 0.0,
    seed: Seed = SEED,
    device: Device = "auto",
) -> None:  # fmt: skip
    """Train NNRK on human rankings; score with it as `-m nnrk:weights=FOLDER`.

    Examples: cupel train nnrk --train wmt13 --features 4metrics,wiki-gw50 --sample 40000 -o mine;
    cupel train nnrk --encoder cnn --units 150 --dropout 0.5 --sample 40000 --epochs 16 -o mine
    """
    from cupel.neural.packages import TRAINING as NEEDED
    from cupel.neural.packages import check_packages

    check_packages("Training NNRK", NEEDED, "neural")
    from cupel.learned.nnrk.model.network import Design
    from cupel.learned.nnrk.training.run import Order, train_nnrk
    from cupel.learned.nnrk.training.settings import EncoderSettings, Training

    own = None
    if encoder and encoder != "none":
        own = EncoderSettings(encoder, units, filter_length, pool, word_vectors, initial, vectors)
    order = Order(
        train=tuple(train or ["wmt13"]), dev=dev, pairs=tuple(pairs) if pairs else None,
        features=features, sample=sample, agreed=agreed, dev_pairs=dev_pairs, networks=networks,
        compact=compact, design=Design(architecture, hidden), encoder=own,
        training=Training(
            epochs=epochs, patience=patience, batch=batch, rate=rate, decay=decay, dropout=dropout,
            cost=cost, gamma=gamma, beta=beta, ties=ties, seed=seed, device=device,
        ),
    )  # fmt: skip
    trained = train_nnrk(order, folder, print_epoch, output.warn)
    for epoch, tau in zip(trained.epochs, trained.taus, strict=True):
        print_trained(folder, {"tau": tau}, epoch)
