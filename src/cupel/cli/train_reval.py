"""`cupel train reval`: ReVal from WMT rankings, and the sets that it can be trained on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import output
from cupel.cli import train_options as shared
from cupel.cli.options import SEED, writable
from cupel.cli.output import Format
from cupel.cli.train_options import DATA, MODEL, TRAINING, option
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.learned.reval.data.examples import SimilarityData, SimilaritySet
    from cupel.learned.reval.model.network import Design
    from cupel.learned.reval.training.loop import Trained
    from cupel.learned.reval.training.run import Reading

_PAPER = "paper"


def reval(
    folder: Annotated[Path | None, shared.OUTPUT] = None,
    train: Annotated[str, option(DATA, "--train", "DATASET",
        "Dataset whose rankings are learned from, for example wmt12 or wmt13.")] = "wmt13",
    name: Annotated[str, option(DATA, "--set", "NAME",
        "Which of its pairs to take (Table 2 of the paper): L, LNF, XL, XXL or All; --list-sets "
        "prints their sizes.")] = "L",
    add: Annotated[list[str] | None, option(DATA, "--add", "DATASET...",
        "More data to train on: sick, or other datasets with rankings.")] = None,
    teacher: Annotated[str | None, option(DATA, "--teacher", "METRIC",
        "Metric whose scores are learned: it scores outputs of the dataset, judged or not, and of "
        "--outputs. --set and --thresholds then mean nothing.")] = None,
    outputs: Annotated[list[str] | None, option(DATA, "--outputs", "DATASET...",
        "Datasets whose outputs the teacher scores too, for example wmt15-rankings; their "
        "judgments are not read.")] = None,
    unjudged: Annotated[int | None, option(DATA, "--unjudged", "N",
        "With a teacher: outputs of each line that it scores besides those that people judged, at "
        "most.", min=0, show_default="6")] = None,
    pairs: shared.Pairs = None,
    thresholds: Annotated[str, option(DATA, "--thresholds", "NAME",
        "Variance of the ranks above which a pair is left out: paper (Table 1), or wmt12, wmt13 or "
        "wmt14 to compute it by Algorithm 1 with the tau of that year.")] = _PAPER,
    split_seed: Annotated[int, option(DATA, "--split-seed", "N",
        "Seed that draws the lines held out for development and test.", min=0)] = SEED,
    heads: Annotated[str, option(DATA, "--heads", "NAME",
        "Head rules of the trees: native or penn2malt.")] = "native",
    parser: Annotated[str | None, option(DATA, "--parser", "NAME",
        "spaCy model that parses the sentences.", show_default="en_core_web_sm")] = None,
    trees: Annotated[str | None, option(DATA, "--trees", "FILE.conllu",
        "Trees of all sentences, used instead of a parser.")] = None,
    encoder: Annotated[str, option(MODEL, "--encoder", "NAME",
        "Encoder of the sentences: tree-lstm, lstm or bilstm.")] = "tree-lstm",
    memory: Annotated[int, option(MODEL, "--memory", "N",
        "Size of the encoder's state at each word.", min=1)] = 150,
    hidden: Annotated[int, option(MODEL, "--hidden", "N",
        "Number of hidden units of the network that compares two sentences.", min=1)] = 50,
    output_gate: Annotated[bool, option(MODEL, "--output-gate", None,
        "Give the encoder the output gate of equation 1, which the authors' code lacks.")] = False,
    projection: Annotated[int, option(MODEL, "--projection", "N",
        "Size that a learned layer projects word vectors to; 0 is no such layer.", min=0)] = 0,
    vectors: Annotated[str, option(MODEL, "--vectors", "NAME",
        "Table of word vectors: a name, or a GloVe, word2vec or fastText "
        "file.")] = "glove-6b-50d-100k",
    unknown: Annotated[str, option(MODEL, "--unknown", "NAME",
        "Vectors of words that the table lacks: zero, hash (random but fixed for each word) or "
        "letters (made of the word's letters).")] = "hash",
    tune_vectors: Annotated[float, option(TRAINING, "--tune-vectors", "RATE",
        "Learning rate of the word vectors; 0 leaves them as they are.", min=0.0)] = 0.0,
    epochs: shared.Epochs = 10,
    batch: Annotated[int | None, option(TRAINING, "--batch", "N",
        "Number of pairs in one step of the optimizer.", min=1,
        show_default="25, with a teacher 180")] = None,
    rate: Annotated[float | None, option(TRAINING, "--rate", "RATE",
        "Learning rate of the optimizer.", min=0.0, show_default="0.05, with a teacher 0.002")] = None,
    decay: Annotated[float | None, option(TRAINING, "--decay", "RATE",
        "Weight decay (L2 regularisation).", min=0.0,
        show_default="0.0001, with a teacher 0")] = None,
    judged: Annotated[float | None, option(TRAINING, "--judged", "WEIGHT",
        "With a teacher: weight of people's preferences beside its own.", min=0.0,
        show_default="0.5")] = None,
    dropout: Annotated[float | None, option(TRAINING, "--dropout", "SHARE",
        "With a teacher: share of the numbers that are set to 0 at random during training; of whole "
        "words half as many.", min=0.0, max=0.99, show_default="0.1")] = None,
    seed: shared.Seed = SEED,
    device: shared.Device = "auto",
    list_sets: Annotated[bool, option(None, "--list-sets", None,
        "Print the sizes and thresholds of all sets, and train nothing.")] = False,
    export: Annotated[Path | None, option(None, "--export", "FILE",
        "Write the training set as a TSV file, and train nothing.", callback=writable)] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", help="Format in which --list-sets prints.")
    ] = Format.text,
) -> None:  # fmt: skip
    """Train ReVal, a Tree-LSTM metric, on rankings; score with it as `-m reval:weights=FOLDER`.

    Example: cupel train reval --train wmt13 --add sick -o my-reval
    """
    if list_sets:
        _print_sets(train, pairs, form)
        return
    if folder is None and export is None:
        raise CupelError("Where to? Name a folder for the model with -o, or a file with --export.")
    settings: dict[str, Any] = {"epochs": epochs, "batch": batch, "rate": rate, "decay": decay}
    if teacher is None:
        _refuse({"--outputs": outputs, "--judged": judged, "--dropout": dropout,
                 "--unjudged": unjudged}, "needs --teacher")  # fmt: skip
    else:
        _refuse({"--export": export, "--tune-vectors": tune_vectors}, "does not go with --teacher")
        settings |= {"judged": judged, "dropout": dropout}
        settings["words"] = None if dropout is None else dropout / 2
    similar = _data(train, pairs, thresholds, split_seed)
    if export is not None:
        from cupel.folders import write_text

        write_text(export, _made(similar, name, add or []).tsv())
        return
    assert folder is not None
    from cupel.neural.packages import TRAINING as NEEDED
    from cupel.neural.packages import check_packages

    check_packages("Training ReVal", NEEDED, "neural,syntax")
    from cupel.learned.reval.model.network import Design
    from cupel.learned.reval.training.run import Reading
    from cupel.text.vectors import open_vectors

    dimension = int(open_vectors(vectors).matrix.shape[1])
    design = Design(encoder, memory, hidden, dimension, output_gate, projection)
    reading = Reading(vectors, unknown, heads, parser, trees)
    given = {key: value for key, value in settings.items() if value is not None}
    given |= {"seed": seed, "device": device}
    if teacher is None:
        made = _made(similar, name, add or [])
        trained = _train(made, folder, design, {**given, "vectors_rate": tune_vectors}, reading)
    else:
        learned = teacher, similar, outputs or [], add or [], unjudged
        trained = _train_taught(learned, folder, design, given, reading)
    shared.print_trained(folder, trained.best.figures, trained.best.epoch)


def _refuse(options: Mapping[str, Any], why: str) -> None:
    for option_, value in options.items():
        if value:
            raise CupelError(f"{option_} {why}.")


def _train(
    data: SimilaritySet, folder: Path, design: Design, settings: Mapping[str, Any], reading: Reading
) -> Trained:
    from cupel.learned.reval.training.run import train_reval
    from cupel.learned.reval.training.settings import Training

    with output.progress_bar("parsing") as parsing, output.progress_bar("training") as progress:
        return train_reval(
            data, folder, design, Training(**settings), reading,
            parsing=parsing, progress=progress, report=shared.print_epoch,
        )  # fmt: skip


def _train_taught(
    learned: tuple[str, SimilarityData, list[str], list[str], int | None],
    folder: Path,
    design: Design,
    settings: Mapping[str, Any],
    reading: Reading,
) -> Trained:
    from cupel.learned.reval.data.examples import sick_examples
    from cupel.learned.reval.data.taught import UNJUDGED
    from cupel.learned.reval.training.run_taught import taught_by, train_taught
    from cupel.learned.reval.training.settings import Teaching
    from cupel.neural.weights import check_untrained
    from cupel.registry import get_metric

    teacher, data, outputs, add, unjudged = learned
    others = [one for one in add if one != "sick"]
    if others:
        raise CupelError(
            f"With --teacher, --add takes sick alone, not {others[0]}: give outputs with --outputs."
        )
    check_untrained(folder)
    how = Teaching(**settings)
    metric = get_metric(teacher)
    graded = sick_examples("train") if "sick" in add else None
    with output.progress_bar("teacher") as scoring:
        most = UNJUDGED if unjudged is None else unjudged
        taught = taught_by(metric, data, outputs, graded, most, scoring)
    with output.progress_bar("parsing") as parsing, output.progress_bar("training") as progress:
        return train_taught(
            taught, folder, design, how, reading,
            parsing=parsing, progress=progress, report=shared.print_epoch,
        )  # fmt: skip


def _data(dataset: str, pairs: list[str] | None, thresholds: str, seed: int) -> SimilarityData:
    from cupel.learned.reval.data.examples import SimilarityData
    from cupel.learned.reval.data.similarity import BANDS, PUBLISHED, ranked_pairs, threshold

    if thresholds == _PAPER:
        return SimilarityData(dataset, pairs, thresholds=PUBLISHED, seed=seed)
    ranked = ranked_pairs(dataset, pairs)
    variances = {band: threshold(ranked, band, thresholds).variance for band in BANDS}
    return SimilarityData(dataset, pairs, thresholds=variances, seed=seed)


def _made(data: SimilarityData, name: str, add: list[str]) -> SimilaritySet:
    from cupel.learned.reval.data.examples import WITH_SICK, Recipe, SimilarityData, with_training

    sick = WITH_SICK if "sick" in add and not name.endswith(WITH_SICK) else ""
    made = data.make(f"{name}{sick}")
    for other in add:
        if other == "sick":
            continue
        if other == data.dataset:
            raise CupelError(f"{other} is the dataset of --train: --add takes other datasets.")
        more = SimilarityData(other, thresholds=data.thresholds).everything(Recipe(least=2))
        made = with_training(made, more, f"{made.name}+{other}")
    return made


def _print_sets(dataset: str, pairs: list[str] | None, form: Format) -> None:
    import sys

    from cupel.learned.reval.data.tables import set_rows, threshold_rows

    sizes, variances = set_rows(dataset, pairs), threshold_rows(dataset, pairs)
    if form in (Format.json, Format.tsv):
        output.records([*_flat(sizes), *_flat(variances)], form, sys.stdout)
        return
    for title, rows in (("set (Table 2)", sizes), ("thresholds (Table 1)", variances)):
        header = [title, *(key for key in rows[0] if key != "row")]
        cells = [["" if v is None else str(v) for v in row.values()] for row in rows]
        output.print_table(header, cells, form, sys.stdout)
        print()


def _flat(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"row": row["row"], "column": column, "value": value}
        for row in rows
        for column, value in row.items()
        if column != "row"
    ]
