"""`cupel train reval`: ReVal from WMT rankings, and the sets that it can be trained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import output
from cupel.cli.options import SEED, Pairs, Seed, fillable, writable
from cupel.cli.output import Format
from cupel.errors import CupelError, MissingPart

if TYPE_CHECKING:
    from cupel.learned.reval.data.sets import SimilarityData, SimilaritySet

_PAPER = "paper"


def reval(
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", callback=fillable,
                     help="Where to put weights and card."),
    ] = None,
    train: Annotated[
        str, typer.Option("--train", metavar="DATASET", help="The rankings: wmt12, wmt13.")
    ] = "wmt13",
    name: Annotated[
        str, typer.Option("--set", metavar="NAME", help="L, LNF, XL, XXL or All.")
    ] = "L",
    add: Annotated[
        list[str] | None,
        typer.Option("--add", metavar="DATASET...", help="More to train on: sick, wmt12, ..."),
    ] = None,
    pairs: Pairs = None,
    thresholds: Annotated[
        str, typer.Option("--thresholds", metavar="NAME", help="Variances: paper (Table 1), or "
                          "Algorithm 1's by the tau of wmt12, wmt13 or wmt14.")
    ] = _PAPER,
    cell: Annotated[
        str, typer.Option("--cell", metavar="NAME", help="tree-lstm, lstm or bilstm.")
    ] = "tree-lstm",
    memory: Annotated[
        int, typer.Option("--memory", metavar="N", min=1, help="Size of a node's state.")
    ] = 150,
    hidden: Annotated[
        int, typer.Option("--hidden", metavar="N", min=1, help="Size of the head's layer.")
    ] = 50,
    output_gate: Annotated[
        bool, typer.Option("--output-gate", help="With the output gate of equation 1.")
    ] = False,
    projection: Annotated[
        int, typer.Option("--projection", metavar="N", min=0,
                          help="Project word vectors to this size first.")
    ] = 0,
    vectors: Annotated[
        str, typer.Option("--vectors", metavar="NAME", help="Word vectors: a name or a file.")
    ] = "glove-6b-50d-100k",
    unknown: Annotated[
        str, typer.Option("--unknown", metavar="NAME",
                          help="Words without a vector: zero, hash or letters.")
    ] = "hash",
    tune_vectors: Annotated[
        float, typer.Option("--tune-vectors", metavar="RATE", min=0.0,
                            help="Learning rate of word vectors.")
    ] = 0.0,
    heads: Annotated[
        str, typer.Option("--heads", metavar="NAME", help="native or penn2malt.")
    ] = "native",
    parser: Annotated[
        str | None, typer.Option("--parser", metavar="NAME", help="A spaCy model.",
                                 show_default="en_core_web_sm")
    ] = None,
    trees: Annotated[
        str | None, typer.Option("--trees", metavar="FILE.conllu",
                                 help="Trees of all sentences, instead of a parser.")
    ] = None,
    epochs: Annotated[
        int, typer.Option("--epochs", metavar="N", min=1, help="Times through the set.")
    ] = 10,
    batch: Annotated[
        int, typer.Option("--batch", metavar="N", min=1, help="Pairs a step.")
    ] = 25,
    learning_rate: Annotated[
        float, typer.Option("--learning-rate", metavar="RATE", min=0.0, help="AdaGrad's.")
    ] = 0.05,
    l2: Annotated[
        float, typer.Option("--l2", metavar="WEIGHT", min=0.0, help="Of the regularisation.")
    ] = 1e-4,
    seed: Seed = SEED,
    split_seed: Annotated[
        int, typer.Option("--split-seed", metavar="N", min=0,
                          help="Draws the lines of dev and test.")
    ] = SEED,
    device: Annotated[
        str, typer.Option("--device", metavar="NAME", help="cpu, cuda or auto.")
    ] = "cpu",
    list_sets: Annotated[
        bool, typer.Option("--list-sets", help="Print sizes and thresholds, and train nothing.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", callback=writable,
                     help="Write the set as TSV, and train nothing."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="How --list-sets prints.")] = (
        Format.text
    ),
) -> None:  # fmt: skip
    """Train ReVal, a Tree-LSTM metric, on rankings turned into similarity scores.

    Example: cupel train reval --train wmt13 --add sick -o my-reval
    """
    if list_sets:
        _print_sets(train, pairs, form)
        return
    if folder is None and export is None:
        raise CupelError("Where to? Name a folder for the model with -o, or a file with --export.")
    data = _made(_data(train, pairs, thresholds, split_seed), name, add or [])
    if export is not None:
        from cupel.folders import write_text

        write_text(export, data.tsv())
        return
    assert folder is not None
    _check_installed()
    from cupel.learned.reval.model.network import Settings
    from cupel.learned.reval.training.loop import Training
    from cupel.learned.reval.training.run import Reading, train_reval
    from cupel.text.vectors import open_vectors

    reading = Reading(vectors, unknown, heads, parser, trees)
    dimension = int(open_vectors(vectors).matrix.shape[1])
    settings = Settings(cell, memory, hidden, dimension, output_gate, projection)
    training = Training(learning_rate, batch, l2, epochs, seed, tune_vectors)
    with (
        output.progress_bar("parsing") as parsing,
        output.progress_bar("training") as progress,
    ):
        trained = train_reval(
            data, folder, settings, training, reading,
            device=device, parsing=parsing, progress=progress, told=_tell,
        )  # fmt: skip
    best = trained.best
    print(f"{folder}: epoch {best['epoch']} is kept, Pearson {best['dev_pearson']:.4f} on dev")


def _check_installed() -> None:
    from importlib.util import find_spec

    absent = [name for name in ("torch", "safetensors") if find_spec(name) is None]
    if absent:
        raise MissingPart(
            f"Training ReVal needs {' and '.join(absent)}: pip install 'cupel[neural,syntax]'."
        )


def _tell(entry: dict[str, Any]) -> None:
    output.warn(
        f"epoch {entry['epoch']}: cost {entry['loss']:.4f}, Pearson on dev "
        f"{entry['dev_pearson']:.4f}, {entry['seconds']:.1f} s"
    )


def _data(dataset: str, pairs: list[str] | None, thresholds: str, seed: int) -> SimilarityData:
    from cupel.learned.reval.data.sets import SimilarityData
    from cupel.learned.reval.data.similarity import BANDS, PUBLISHED, ranked_pairs, threshold

    if thresholds == _PAPER:
        return SimilarityData(dataset, pairs, thresholds=PUBLISHED, seed=seed)
    ranked = ranked_pairs(dataset, pairs)
    found = {band: threshold(ranked, band, thresholds).variance for band in BANDS}
    return SimilarityData(dataset, pairs, thresholds=found, seed=seed)


def _made(data: SimilarityData, name: str, add: list[str]) -> SimilaritySet:
    from cupel.learned.reval.data.sets import WITH_SICK, Recipe, SimilarityData, with_training

    sick = WITH_SICK if "sick" in add and not name.endswith(WITH_SICK) else ""
    made = data.make(f"{name}{sick}")
    for other in add:
        if other == "sick":
            continue
        if other == data.dataset:
            raise CupelError(f"{other} is what is trained on; --add takes something else.")
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
