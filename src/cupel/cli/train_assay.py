"""`cupel train assay`: a metric of contextual vectors, from people's preferences and grades."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cupel.cli.output import print_table
from cupel.cli.train import print_epoch, print_trained
from cupel.errors import CupelError
from cupel.questions.field import fields_of
from cupel.questions.train_assay import TrainAssay

if TYPE_CHECKING:
    from cupel.learned.assay.training.run import Order


def run(question: TrainAssay) -> int:
    """Train or tune, and print how good the model is; 1 where tuning does not help."""
    from cupel.neural.packages import TRAINING, check_packages

    check_packages("Training assay", (*TRAINING, "tokenizers"), "contextual")
    if question.trainings is not None:
        for training in untrained(question.trainings, question.folder):
            training.rules()
            run(training)
        return 0
    if _is_tuning(question):
        return _tune(question)
    from cupel.learned.assay.training.run import Order

    _train(Order.of(question), question)
    return 0


def _train(order: Order, question: TrainAssay) -> None:
    """Train or average, and print how good the model is."""
    from cupel.learned.assay.training.run import average_assay, train_assay

    folder = question.folder
    if question.average_of:
        print_trained(folder, average_assay(order, question.average_of, folder))
    else:
        last = train_assay(order, folder, print_epoch)
        if int(os.environ.get("RANK", "0")) > 0:
            return
        print_trained(folder, last.figures, last.epoch)
    if order.left_out:
        print_left_out(folder)


def print_left_out(folder: Path) -> None:
    """Tau and r on what was left out, and their means."""
    from cupel.learned.assay.model.releases import KIND
    from cupel.neural.weights import read_card

    rows: dict[str, list[float | None]] = dict(read_card(folder, KIND)["left out"])
    columns = [
        [value for value in column if value is not None]
        for column in zip(*rows.values(), strict=True)
    ]
    rows["mean"] = [sum(column) / len(column) if column else None for column in columns]
    cells = [[name, *("" if v is None else f"{v:.3f}" for v in of)] for name, of in rows.items()]
    print_table(["left out", "tau", "r"], cells, "text", sys.stdout)


def _is_tuning(question: TrainAssay) -> bool:
    """Whether a correction is asked for: a release is tuned, a folder trained, if nothing is said."""
    from cupel.learned.assay.model.releases import RELEASES

    return str(question.start) in RELEASES if question.tune is None else question.tune


def _tune(question: TrainAssay) -> int:
    """Tune a model on campaigns; 1 where that does not help."""
    from cupel.learned.assay.training.tuned import TuneOrder, tune_assay
    from cupel.neural.training import settings_of

    order = settings_of(
        TuneOrder, question, start=str(question.start), pairs=question.pairs or None
    )
    outcome = tune_assay(order, question.folder)
    print(
        f"{outcome.judgments} judgments in {outcome.segments} segments; on those that were left out "
        "in turn:"
    )
    print_table(*outcome.table(), "text", sys.stdout)
    if not outcome.written:
        print(f"Your judgments do not contradict {question.start}: keep it.")
        return 1
    print(f"{question.folder}: {outcome.sentence} Score with it: -m {question.folder}")
    return 0


def untrained(config: Path, folder: Path) -> list[TrainAssay]:
    """The trainings of a file that the folder does not hold yet: a list that was stopped goes on."""
    from cupel.folders import write_text
    from cupel.neural.weights import CARD

    trainings, listed, kept = listed_trainings(config, folder), _entries(config), folder / LIST
    if kept.exists() and _entries(kept) != listed:
        raise CupelError(
            f"{folder} was begun with other trainings than those in {config}: choose another folder."
        )
    write_text(kept, config.read_text(encoding="utf-8"))
    return [training for training in trainings if not (training.folder / CARD).exists()]


LIST = "trainings.json"
PATHS = ("encoder", "teacher_encoder", "start", "teachers", "average_of")
"""Options that name folders; one that is the name of an earlier training means its folder."""


def listed_trainings(config: Path, folder: Path) -> list[TrainAssay]:
    """Each training of a file, into a folder of its name: {"trainings": [{"name": ..., OPTION: ...}]}.

    Options are called as on the command line, with _ in place of -.
    """
    options = {field.name for field in fields_of(TrainAssay)} - {"folder", "trainings"}
    trainings: list[TrainAssay] = []
    for entry in _entries(config):
        name = str(entry.pop("name"))
        if unknown := sorted(set(entry) - options):
            raise CupelError(f"{config}: the training {name} has no option {unknown[0]}.")
        earlier = {training.folder.name: training.folder for training in trainings}
        for option in set(PATHS) & set(entry):
            value = entry[option]
            entry[option] = (
                [earlier.get(item, item) for item in value]
                if isinstance(value, list)
                else earlier.get(value, value)
            )
        trainings.append(TrainAssay.of({**entry, "folder": folder / name}))
    return trainings


def _entries(config: Path) -> list[dict[str, Any]]:
    """What a file lists, each with its name."""
    from cupel.reading.lines import read_text

    try:
        entries = [dict(entry) for entry in json.loads(read_text(config))["trainings"]]
    except (ValueError, KeyError, TypeError) as error:
        raise CupelError(
            f"{config} lists no trainings that can be read: JSON was expected, an object with a list "
            'under "trainings".'
        ) from error
    for number, entry in enumerate(entries, start=1):
        if "name" not in entry:
            raise CupelError(f"{config}: training {number} has no name.")
    return entries
