"""`cupel train nnrk`: a pairwise network of one's own."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cupel.nnrk.examples import Examples
    from cupel.nnrk.features import FeatureSet

NETWORK = "Network"
TRAINING = "Training"


def nnrk(
    out: Annotated[Path, typer.Option("--output", "-o", help="The folder for the model.")],
    train: Annotated[
        list[str] | None,
        typer.Option("--train", metavar="DATASET...", help="Judgments to learn from.  [wmt13]"),
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
            "(semicolons where one has commas itself)."
        ),
    ] = "4metrics,syntax25,wiki-gw50",
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
        float, typer.Option(help="Of sentence vectors.", rich_help_panel=TRAINING)
    ] = 0.0,
    epochs: Annotated[int, typer.Option(help="At most.", rich_help_panel=TRAINING)] = 10_000,
    patience: Annotated[
        int, typer.Option(help="Epochs without a better one.", rich_help_panel=TRAINING)
    ] = 20,
    seed: Annotated[int, typer.Option(rich_help_panel=TRAINING)] = 12345,
    networks: Annotated[
        int,
        typer.Option(
            help="Train so many, with seeds one after the other, and average them into one.",
            rich_help_panel=TRAINING,
        ),
    ] = 1,
) -> None:
    """Train NNRK on human rankings; use it as `-m nnrk:model=FOLDER`.

    Example: cupel train nnrk --train wmt13 --features 4metrics,wiki-gw50 --sample 40000 -o mine
    """
    from cupel.errors import CupelError
    from cupel.nnrk.features import feature_set
    from cupel.nnrk.model import averaged
    from cupel.nnrk.training import Settings, check_development
    from cupel.nnrk.training import train as descend

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
        epochs=epochs,
        patience=patience,
        seed=seed,
    )
    wanted = feature_set(features)
    sets = train or ["wmt13"]
    learned, development = _data(sets, dev, dev_pairs, wanted, seed)
    check_development(development)
    learned = (learned.agreed() if agreed else learned).sample(sample, seed)
    _say(f"{len(learned)} pairs to learn from, {len(development)} to stop by")

    def report(epoch: int, loss: float, tau: float) -> None:
        _say(f"epoch {epoch}: cost {loss:.4f}, development tau {tau:.4f}")

    card = {
        "features": list(wanted.names),
        "train": sets,
        "development": dev,
        "agreed": agreed,
        "licence": "Apache-2.0",
    }
    done = [
        descend(learned, development, replace(settings, seed=seed + n), dict(card), report)
        for n in range(networks)
    ]
    model = averaged([one.model for one in done]) if networks > 1 else done[0].model
    model.save(out)
    for one in done:
        print(f"{out}: epoch {one.epoch}, development tau {one.tau:.4f}")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def _data(
    sets: list[str], dev: str, dev_pairs: int, features: FeatureSet, seed: int
) -> tuple[Examples, Examples]:
    """Training and development pairs over the same arrays' layout."""
    from cupel.nnrk import examples

    parts = [examples.load(name, features, report=_say) for name in sets]
    if dev != "held-out":
        other = examples.load(dev, features, report=_say)
        return examples.joined(parts), other.sample(dev_pairs, seed)
    first, development = examples.split(parts[0], dev_pairs, seed)
    return examples.joined([first, *parts[1:]]), development
