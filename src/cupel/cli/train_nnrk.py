"""`cupel train nnrk`: a pairwise network on human rankings."""

from __future__ import annotations

from typing import Annotated

from cupel.cli import output
from cupel.cli import train_options as shared
from cupel.cli.options import SEED
from cupel.cli.train_options import DATA, MODEL, TRAINING, option

ENCODER = "Encoder"


def nnrk(
    folder: shared.Output,
    train: Annotated[list[str] | None, option(DATA, "--train", "DATASET...",
        "Datasets with rankings to learn from.", show_default="wmt13")] = None,
    dev: Annotated[str, option(DATA, "--dev", "DATASET",
        "Dataset whose rankings decide when to stop, or held-out for one line in twenty of the "
        "first training set.")] = "held-out",
    pairs: shared.Pairs = None,
    features: Annotated[str | None, option(DATA, "--features", "NAMES",
        "Inputs of the network, separated by commas (by semicolons where one of them has a "
        "comma): 4metrics, bleucomp, wiki-gw50, syntax25, or any metric.",
        show_default="4metrics,syntax25,wiki-gw50; with an encoder 4metrics,syntax25")] = None,
    sample: Annotated[int | None, option(DATA, "--sample", "N",
        "Number of pairs to learn from, drawn at random.", min=1, show_default="all")] = None,
    agreed: Annotated[bool, option(DATA, "--agreed", None,
        "Take every two translations once, as most of their judges preferred, instead of every "
        "judgment.")] = False,
    teacher: Annotated[str | None, option(DATA, "--teacher", "METRIC",
        "Metric whose preferences between translations are learned from, beside those of "
        "judges.", show_default="none")] = None,
    taught: Annotated[int | None, option(DATA, "--taught", "N",
        "Number of pairs that the teacher compares.", min=1,
        show_default="as many as judges compared")] = None,
    dev_pairs: Annotated[int, option(DATA, "--dev-pairs", "N",
        "Largest number of pairs in the development set.", min=1)] = 5000,
    architecture: Annotated[str, option(MODEL, "--architecture", "NAME",
        "Which inputs the hidden units see: pairwise, fully-connected, or single-layer for "
        "logistic regression without hidden units.")] = "pairwise",
    hidden: Annotated[int, option(MODEL, "--hidden", "N",
        "Number of hidden units in each of the three groups.", min=1)] = 4,
    networks: Annotated[int, option(MODEL, "--networks", "N",
        "Number of networks to train side by side, with consecutive seeds, and to average into "
        "one.", min=1)] = 1,
    cost: Annotated[str, option(TRAINING, "--cost", "NAME",
        "Cost function: logistic, kendall, or logistic+kendall for one after the "
        "other.")] = "logistic",
    gamma: Annotated[float, option(TRAINING, "--gamma", "NUMBER",
        "Steepness of the Kendall cost.")] = 100.0,
    beta: Annotated[float, option(TRAINING, "--beta", "NUMBER",
        "How close two predictions must be to count as a tie in the Kendall cost; higher is "
        "closer.")] = 100.0,
    ties: Annotated[float, option(TRAINING, "--ties", "NUMBER",
        "Cost of a tie in the Kendall cost, where a wrong order costs 1.")] = 0.01,
    encoder: Annotated[str | None, option(ENCODER, "--encoder", "NAME",
        "Encoder that is trained with the network and makes sentence vectors of word vectors: "
        "average, cnn, lstm, bilstm, or none.", show_default="none")] = None,
    units: Annotated[int, option(ENCODER, "--units", "N",
        "Number of filters of a CNN, or of units of an LSTM.")] = 100,
    filter_length: Annotated[int, option(ENCODER, "--filter", "N",
        "Number of words that a filter of the CNN sees.")] = 3,
    pool: Annotated[int, option(ENCODER, "--pool", "N",
        "Number of neighbouring features of the CNN that one maximum is taken over.")] = 3,
    word_vectors: Annotated[str, option(ENCODER, "--word-vectors", "NAME",
        "How word vectors are tuned: fixed, moderate (held near their start), or full.")] = "full",
    initial: Annotated[str, option(ENCODER, "--initial", "NAME",
        "Start of the word vectors: pretrained or random.")] = "pretrained",
    vectors: Annotated[str, option(ENCODER, "--vectors", "NAME",
        "Table of word vectors: a name, or a GloVe, word2vec or fastText "
        "file.")] = "glove-6b-50d-100k",
    compact: Annotated[bool, option(ENCODER, "--compact", None,
        "Store the encoder in a quarter of the space, its vectors as bytes.")] = False,
    epochs: shared.Epochs = 10_000,
    patience: Annotated[int, option(TRAINING, "--patience", "N",
        "Stop after this many epochs without a better one.", min=1)] = 20,
    batch: Annotated[int, shared.batch_option("pairs, counting both orders,")] = 30,
    rate: shared.Rate = 0.01,
    decay: shared.Decay = 1e-4,
    dropout: shared.Dropout = 0.0,
    seed: shared.Seed = SEED,
    device: shared.Device = "auto",
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
        features=features, sample=sample, agreed=agreed, teacher=teacher, taught=taught,
        dev_pairs=dev_pairs, networks=networks,
        compact=compact, design=Design(architecture, hidden), encoder=own,
        training=Training(
            epochs=epochs, patience=patience, batch=batch, rate=rate, decay=decay, dropout=dropout,
            cost=cost, gamma=gamma, beta=beta, ties=ties, seed=seed, device=device,
        ),
    )  # fmt: skip
    trained = train_nnrk(order, folder, shared.print_epoch, output.warn)
    for epoch, tau in zip(trained.epochs, trained.taus, strict=True):
        shared.print_trained(folder, {"tau": tau}, epoch)
