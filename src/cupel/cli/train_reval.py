"""`cupel train reval`: ReVal from WMT rankings, and the sets that it can be trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cupel.cli import output
from cupel.cli.train import print_epoch, print_trained
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.learned.reval.data.examples import SimilarityData, SimilaritySet
    from cupel.learned.reval.model.network import Design
    from cupel.learned.reval.training.loop import Trained
    from cupel.learned.reval.training.run import Reading
    from cupel.questions.train_reval import TrainReval


def run(question: TrainReval) -> None:
    """Train, and print which epoch is kept; or print the sets, or write one."""
    if question.list_sets:
        _print_sets(question)
        return
    data = _data(question)
    if question.export is not None:
        from cupel.folders import write_text

        write_text(question.export, _similarity_set(question, data).tsv())
        return
    from cupel.neural.packages import TRAINING, check_packages

    check_packages("Training ReVal", TRAINING, "neural,syntax")
    from cupel.learned.reval.model.network import Design
    from cupel.learned.reval.training.run import Reading
    from cupel.neural.training import settings_of
    from cupel.text.vectors import open_vectors

    assert question.folder is not None
    dimension = int(open_vectors(question.vectors).matrix.shape[1])
    design = settings_of(Design, question, cell=question.encoder, dimension=dimension)
    reading = settings_of(Reading, question)
    names = ("epochs", "batch", "rate", "decay", "seed", "device")
    if question.teacher is None:
        trained = _train(question, data, design, _chosen(question, *names), reading)
    else:
        trained = _train_taught(question, data, design, _chosen(question, *names), reading)
    print_trained(question.folder, trained.best.figures, trained.best.epoch)


def _chosen(question: TrainReval, *names: str) -> dict[str, Any]:
    """The values of these fields, without those that are left to the kind of training."""
    values = {name: getattr(question, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _train(
    question: TrainReval,
    data: SimilarityData,
    design: Design,
    settings: dict[str, Any],
    reading: Reading,
) -> Trained:
    from cupel.learned.reval.training.run import train_reval
    from cupel.learned.reval.training.settings import Training

    assert question.folder is not None
    with output.progress_bar("parsing") as parsing, output.progress_bar("training") as progress:
        return train_reval(
            _similarity_set(question, data),
            question.folder,
            design,
            Training(**settings, vectors_rate=question.tune_vectors),
            reading,
            parsing=parsing,
            progress=progress,
            report=print_epoch,
        )


def _train_taught(
    question: TrainReval,
    data: SimilarityData,
    design: Design,
    settings: dict[str, Any],
    reading: Reading,
) -> Trained:
    from cupel.learned.reval.data.examples import sick_examples
    from cupel.learned.reval.data.taught import UNJUDGED
    from cupel.learned.reval.training.run_taught import taught_by, train_taught
    from cupel.learned.reval.training.settings import Teaching
    from cupel.neural.weights import check_untrained
    from cupel.registry import get_metric

    assert question.folder is not None
    assert question.teacher is not None
    others = [dataset for dataset in question.add if dataset != "sick"]
    if others:
        raise CupelError(
            f"With --teacher, --add takes sick alone, not {others[0]}: give outputs with --outputs."
        )
    check_untrained(question.folder)
    settings |= _chosen(question, "judged", "dropout")
    if question.dropout is not None:
        settings["words"] = question.dropout / 2
    how = Teaching(**settings)
    metric = get_metric(question.teacher)
    graded = sick_examples("train") if "sick" in question.add else None
    with output.progress_bar("teacher") as scoring:
        most = UNJUDGED if question.unjudged is None else question.unjudged
        taught = taught_by(metric, data, question.outputs, graded, most, scoring)
    with output.progress_bar("parsing") as parsing, output.progress_bar("training") as progress:
        return train_taught(
            taught,
            question.folder,
            design,
            how,
            reading,
            parsing=parsing,
            progress=progress,
            report=print_epoch,
        )


def _data(question: TrainReval) -> SimilarityData:
    from cupel.learned.reval.data.examples import SimilarityData
    from cupel.learned.reval.data.similarity import BANDS, PUBLISHED, ranked_pairs, threshold

    dataset, pairs = question.train, question.pairs or None
    variances: Mapping[int, float | None] = PUBLISHED
    if question.thresholds != "paper":
        ranked = ranked_pairs(dataset, pairs)
        variances = {band: threshold(ranked, band, question.thresholds).variance for band in BANDS}
    return SimilarityData(dataset, pairs, thresholds=variances, seed=question.split_seed)


def _similarity_set(question: TrainReval, data: SimilarityData) -> SimilaritySet:
    from cupel.learned.reval.data.examples import WITH_SICK, Recipe, SimilarityData, with_training

    name = question.set
    sick = WITH_SICK if "sick" in question.add and not name.endswith(WITH_SICK) else ""
    made = data.make(f"{name}{sick}")
    for other in question.add:
        if other == "sick":
            continue
        if other == data.dataset:
            raise CupelError(f"{other} is the dataset of --train: --add takes other datasets.")
        more = SimilarityData(other, thresholds=data.thresholds).everything(Recipe(least=2))
        made = with_training(made, more, f"{made.name}+{other}")
    return made


def _print_sets(question: TrainReval) -> None:
    import sys

    from cupel.learned.reval.data.tables import set_rows, threshold_rows

    chosen = question.train, question.pairs or None
    sizes, variances = set_rows(*chosen), threshold_rows(*chosen)
    if question.format in ("json", "tsv"):
        output.records([*_flat(sizes), *_flat(variances)], question.format, sys.stdout)
        return
    for title, rows in (("set (Table 2)", sizes), ("thresholds (Table 1)", variances)):
        header = [title, *(key for key in rows[0] if key != "row")]
        cells = [["" if v is None else str(v) for v in row.values()] for row in rows]
        output.print_table(header, cells, question.format, sys.stdout)
        print()


def _flat(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"row": row["row"], "column": column, "value": value}
        for row in rows
        for column, value in row.items()
        if column != "row"
    ]
