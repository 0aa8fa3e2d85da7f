"""`cupel train assay`: a metric of contextual vectors, from people's preferences and grades."""

from __future__ import annotations

import inspect
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import train_options as shared
from cupel.cli.options import SEED
from cupel.cli.output import Format, print_table
from cupel.cli.train_options import DATA, MODEL, TRAINING, option
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.learned.assay.training.run import Order


def assay(
    folder: shared.Output,
    train: Annotated[list[str] | None, option(DATA, "--train", "DATASET...",
        "Data to learn from: rankings (wmt12, wmt13, wmt14), grades (da13, sick, or a TSV file "
        "with the columns translation, reference and score) and graded campaigns (a folder in the "
        "layout of mt-metrics-eval).", show_default="wmt13")] = None,
    dev: Annotated[list[str] | None, option(DATA, "--dev", "DATASET...",
        "Data to measure the model on after each epoch: datasets, or none.",
        show_default="held-out, one line in twenty of the training data")] = None,
    left_out: Annotated[list[str] | None, option(DATA, "--left-out", "DATASET...",
        "Graded campaigns to measure the trained model on, which it does not learn from.")] = None,
    release: Annotated[bool, option(DATA, "--release", None,
        "Learn from data for reporting, too; the model's card calls it a release, and figures of it on "
        "such data mean nothing.")] = False,
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
        "Trained models whose scores of all translations are learned, too; assay-2-large is the "
        "language model of assay:size=large.")] = None,
    taught: Annotated[float, option(DATA, "--taught", "WEIGHT",
        "How much the scores of teachers count, beside judgments.", min=0.0)] = 1.0,
    lessons: Annotated[int, option(DATA, "--lessons", "N",
        "Learn the scores of teachers like grades, this many in a step, and their level too; 0 "
        "learns those of the step's segments, less their mean.", min=0)] = 0,
    scored: Annotated[int, option(DATA, "--scored", "N",
        "Let teachers score at most N translations of a segment; 0 is all.",
        min=0)] = 0,
    outputs: Annotated[list[str] | None, option(DATA, "--outputs", "FOLDER...",
        "More translations for teachers to score, in the layout of mt-metrics-eval; human scores "
        "in these folders are not read.")] = None,
    marks: Annotated[int, option(DATA, "--marks", "N",
        "Grades in a step for each graded campaign, on average.", min=1)] = 12,
    share: Annotated[float, option(DATA, "--share", "POWER",
        "Divide these among the campaigns in proportion to this power of their sizes.",
        min=0.0, max=1.0)] = 0.5,
    regressed: Annotated[float, option(DATA, "--regressed", "WEIGHT",
        "How much the squared error counts with which the score predicts a campaign's grades.",
        min=0.0)] = 0.5,
    correlated: Annotated[float, option(DATA, "--correlated", "WEIGHT",
        "How much the correlation with a campaign's grades counts.", min=0.0)] = 0.0,
    within: Annotated[float, option(DATA, "--within", "WEIGHT",
        "How much the order of two translations of one segment counts, by a campaign's grades.",
        min=0.0)] = 1.0,
    encoder: Annotated[Path | None, option(MODEL, "--encoder", "FOLDER",
        "Pretrained encoder to start from, in the layout of Hugging Face.",
        show_default="all-MiniLM-L6-v2")] = None,
    teacher_encoder: Annotated[Path | None, option(MODEL, "--teacher-encoder", "FOLDER",
        "Encoder that the teachers were trained from (with --lessons).",
        show_default="that of --encoder")] = None,
    layers: Annotated[int | None, option(MODEL, "--layers", "N",
        "Number of the encoder's layers to use, from the first on.",
        min=1, show_default="all")] = None,
    start: Annotated[Path | None, option(MODEL, "--start", "NAME",
        "Model to start from, instead of the encoder alone: assay, assay-wmt13, or a folder "
        "that was trained before.")] = None,
    tune: Annotated[bool | None, option(MODEL, "--tune/--train-all", None,
        "Tune the model of --start on some hundred judgments, in minutes on a CPU: its network stays "
        "as it is, and a correction of its score is learned, if it helps; or train all of it.",
        show_default="tune where --start names a release")] = None,
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
    level: Annotated[bool, option(MODEL, "--level", None,
        "Learn features of what both sentences are about, too.")] = False,
    joint: Annotated[bool, option(MODEL, "--joint", None,
        "Encode both sentences together: slower, and better.")] = False,
    matched: Annotated[bool, option(MODEL, None, None,
        "With --joint: match the pieces that were encoded together, too.")] = True,
    stored: Annotated[str, option(MODEL, "--stored", "TYPE",
        "How to store the weights: int8, float16, float32, whole (int8, with all of the encoder) or "
        "rank160 (what training changed of the encoder's matrices, at low rank).")] = "int8",
    average_of: Annotated[list[Path] | None, option(MODEL, "--average-of", "FOLDER...",
        "Train nothing, and average the weights of these trained models.")] = None,
    epochs: shared.Epochs = 4,
    steps: Annotated[int, option(TRAINING, "--steps", "N",
        "End an epoch after N steps; 0 is after all of the data.", min=0)] = 0,
    batch: Annotated[int, shared.batch_option("segments, each with all its judgments,")] = 16,
    rate: Annotated[float, option(TRAINING, "--rate", "RATE",
        "Learning rate of everything but the encoder.", min=0.0)] = 0.001,
    encoder_rate: Annotated[float, option(TRAINING, "--encoder-rate", "RATE",
        "Learning rate of the encoder's layers.", min=0.0)] = 5e-5,
    decay: shared.Decay = 0.01,
    dropout: shared.Dropout = 0.15,
    longest: Annotated[int, option(TRAINING, "--longest", "N",
        "Pieces of a sentence that training reads; scoring reads all.", min=1)] = 100,
    average: Annotated[float, option(TRAINING, "--average", "RATE",
        "Decay of the moving average of the weights, which is what is kept; 0 keeps the last "
        "weights.", min=0.0, max=0.99999)] = 0.998,
    compiled: Annotated[bool, option(TRAINING, "--compile", None,
        "Compile the encoder's layers with PyTorch's compiler first, which takes about a minute.",
        )] = False,
    bfloat16: Annotated[bool, option(TRAINING, "--bfloat16", None,
        "Train in bfloat16 on a CPU, too, as on a GPU: several times as fast where the processor has "
        "instructions for it.")] = False,
    clip: Annotated[float, option(TRAINING, "--clip", "LENGTH",
        "Scale the gradients of a step down to this norm where theirs is larger; 0 leaves them.",
        min=0.0)] = 0.0,
    embeddings: Annotated[bool, option(TRAINING, "--embeddings", None,
        "Train the encoder's table of pieces, too, and store it.")] = False,
    seed: shared.Seed = SEED,
    device: shared.Device = "auto",
    config: Annotated[Path | None, option(TRAINING, "--config", "FILE",
        "Run the trainings that this JSON file lists, one after the other, each into a folder of "
        "its own inside FOLDER; the options stand in the file.")] = None,
) -> None:  # fmt: skip
    """Train assay on preferences and grades; score with it as `-m assay:weights=FOLDER`.

    With `--start assay` the release is tuned on your own judgments, a graded campaign; exit status 1
    says that they do not contradict it, and that nothing was written.

    Example: cupel train assay --train wmt13 -o my-assay
    """
    from cupel.neural.packages import TRAINING as NEEDED
    from cupel.neural.packages import check_packages

    check_packages("Training assay", (*NEEDED, "tokenizers"), "contextual")
    if config is not None:
        for name, options in untrained(config, folder):
            assay(folder / name, **options)
        return
    if _is_tuning(start, tune):
        tune_release(folder, start, train, pairs, encoder, device, seed)
        return
    from cupel.learned.assay.files import STORED
    from cupel.learned.assay.model.network import WEIGHTINGS, Design
    from cupel.learned.assay.training.run import HELD_OUT, Order, distinct
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
        teachers=tuple(teachers or ()), teacher_encoder=teacher_encoder,
        outputs=tuple(outputs or ()), left_out=distinct(left_out or []),
        release=release, stored=stored,
        design=Design(
            phrases=phrases, worst=worst, repeats=repeats, pooled=pooled, weighting=weighting,
            joint=joint, matched=matched, level=level,
        ),
        training=Training(
            epochs=epochs, steps=steps, batch=batch, rate=rate, encoder_rate=encoder_rate, decay=decay,
            dropout=dropout, corrupted=corrupted, borrowed=borrowed, tied=tied, graded=graded,
            taught=taught if teachers else 0.0, agreed=agreed, average=average,
            embeddings=embeddings, seed=seed, device=device, longest=longest, lessons=lessons,
            scored=scored, clip=clip, compiled=compiled, bfloat16=bfloat16,
            marks=marks, share=share, regressed=regressed, correlated=correlated, within=within,
        ),
    )  # fmt: skip
    _trained(order, average_of, folder)


def _trained(order: Order, average_of: list[Path] | None, folder: Path) -> None:
    """Train or average, and print how good the model is."""
    from cupel.learned.assay.training.run import average_assay, train_assay

    if average_of:
        shared.print_trained(folder, average_assay(order, average_of, folder))
    else:
        last = train_assay(order, folder, shared.print_epoch)
        if int(os.environ.get("RANK", "0")) > 0:
            return
        shared.print_trained(folder, last.figures, last.epoch)
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
    print_table(["left out", "tau", "r"], cells, Format.text, sys.stdout)


def _is_tuning(start: Path | None, tune: bool | None) -> bool:
    """Whether a correction is asked for: a release is tuned, a folder trained, if nothing is said."""
    from cupel.learned.assay.model.releases import RELEASES

    if tune and start is None:
        raise CupelError("--tune needs a model to tune: name it with --start, for example assay.")
    return str(start) in RELEASES if tune is None else tune


def tune_release(
    folder: Path,
    start: Path | None,
    train: list[str] | None,
    pairs: list[str] | None,
    encoder: Path | None,
    device: str,
    seed: int,
) -> None:
    """Tune a model on campaigns; leaves with exit status 1 where that does not help."""
    from cupel.learned.assay.training.run import distinct
    from cupel.learned.assay.training.tuned import TuneOrder, tune_assay

    if not train:
        raise CupelError("Tuning needs judgments: name a campaign with --train.")
    chosen = tuple(pairs) if pairs else None
    order = TuneOrder(str(start), distinct(train), chosen, encoder, device, seed)
    outcome = tune_assay(order, folder)
    print(
        f"{outcome.judgments} judgments in {outcome.segments} segments; on those that were left out "
        "in turn:"
    )
    print_table(*outcome.table(), Format.text, sys.stdout)
    if not outcome.written:
        print(f"Your judgments do not contradict {start}: keep it.")
        raise typer.Exit(1)
    print(f"{folder}: {outcome.sentence} Score with it: -m {folder}")


def untrained(config: Path, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """The trainings of a file that the folder does not hold yet: a list that was stopped goes on."""
    from cupel.folders import write_text
    from cupel.neural.weights import CARD

    trainings, listed, kept = listed_trainings(config, folder), _entries(config), folder / LIST
    if kept.exists() and _entries(kept) != listed:
        raise CupelError(
            f"{folder} was begun with other trainings than those in {config}: choose another folder."
        )
    write_text(kept, config.read_text(encoding="utf-8"))
    return [(name, options) for name, options in trainings if not (folder / name / CARD).exists()]


LIST = "trainings.json"
PATHS = ("encoder", "teacher_encoder", "start", "teachers", "average_of")
"""Options that name folders; one that is the name of an earlier training means its folder."""


def listed_trainings(config: Path, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Name and options of each training of a file: {"trainings": [{"name": ..., OPTION: ...}]}.

    Options are called as on the command line, with _ in place of -.
    """
    options = set(inspect.signature(assay).parameters) - {"folder", "config"}
    trainings: list[tuple[str, dict[str, Any]]] = []
    for entry in _entries(config):
        name = str(entry.pop("name"))
        if unknown := sorted(set(entry) - options):
            raise CupelError(f"{config}: the training {name} has no option {unknown[0]}.")
        for option_name in set(PATHS) & set(entry):
            value, earlier = entry[option_name], {other for other, _ in trainings}
            several = value if isinstance(value, list) else [value]
            paths = [folder / item if item in earlier else Path(item) for item in several]
            entry[option_name] = paths if isinstance(value, list) else paths[0]
        trainings.append((name, entry))
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
