"""`cupel train nnrk`: a pairwise network on human rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupel.cli import output
from cupel.cli.train import print_epoch, print_trained

if TYPE_CHECKING:
    from cupel.questions.train_nnrk import TrainNnrk


def run(question: TrainNnrk) -> None:
    """Train, and print how good each network is."""
    from cupel.neural.packages import TRAINING, check_packages

    check_packages("Training NNRK", TRAINING, "neural")
    from cupel.learned.nnrk.training.run import Order, train_nnrk

    trained = train_nnrk(Order.of(question), question.folder, print_epoch, output.warn)
    for epoch, tau in zip(trained.epochs, trained.taus, strict=True):
        print_trained(question.folder, {"tau": tau}, epoch)
