"""A whole training of `assay`: data, model, loop, figures, card; what `cupel train assay` does.

Under PyTorch's distributed launcher (`torchrun --nproc-per-node N -m cupel train assay ...`) each
process takes its share of the steps, and the first one writes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cupel.arrays import Float32Array
from cupel.console import warn
from cupel.errors import CupelError
from cupel.folders import write_bytes
from cupel.learned.assay.data.examples import BORROWED, CORRUPTED, JUDGED, LINES, TIED, Judgments
from cupel.learned.assay.data.graded import graded_pairs, is_campaign
from cupel.learned.assay.data.prepare import CORRUPTIONS, collect, judgments
from cupel.learned.assay.files import build, load_assay, save_assay
from cupel.learned.assay.model.network import Assay, Design
from cupel.learned.assay.model.releases import KIND, named_folder
from cupel.learned.assay.model.scoring import raw_scores
from cupel.learned.assay.training.bradley_terry import fitted
from cupel.learned.assay.training.graded import agreement, by_pair
from cupel.learned.assay.training.loop import Place, train
from cupel.learned.assay.training.settings import Training
from cupel.learned.assay.training.teachers import (
    Teachers,
    teacher_folder,
    with_lessons,
    with_marks,
)
from cupel.learned.manifest import CHOOSING, Gate, entry_of, licences
from cupel.neural.checkpoints import Run
from cupel.neural.devices import find_device
from cupel.neural.encoder import Encoder
from cupel.neural.training import Epoch, Report, settings_of
from cupel.neural.weights import check_untrained, read_card
from cupel.neural.wordpiece import TOKENIZER, encoder_checksum, find_encoder
from cupel.questions.train_assay import AssayData, TrainAssay

HELD_OUT, NONE = "held-out", "none"
LEAST_SLOPE = 0.01
"""Also a model that people contradict keeps the order of its scores."""
SAME = 12345
"""The seed of all heads; see `train_assay`."""
LICENCE = (
    "Apache-2.0. Fine-tuned from all-MiniLM-L6-v2 (Apache-2.0, sentence-transformers; after "
    "MiniLM, Wang et al. 2020), on the public judgments of the WMT campaigns."
)
OTHER_LICENCE = "That of the encoder that it was fine-tuned from, and of the judgments."


@dataclass(frozen=True, kw_only=True)
class Order(AssayData):
    """What is to be trained, and on what."""

    design: Design = field(default_factory=Design)
    training: Training = field(default_factory=Training)

    @classmethod
    def of(cls, question: TrainAssay) -> Order:
        """What a question asks to train."""
        taught = question.taught if question.teachers else 0.0
        training = settings_of(Training, question, taught=taught)
        return settings_of(cls, question, design=settings_of(Design, question), training=training)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that determines the result."""
        return {
            "train": list(self.train),
            "dev": list(self.dev),
            "pairs": list(self.pairs) if self.pairs else None,
            "encoder": encoder_checksum(find_encoder(self.encoder)),
            "layers": self.layers,
            "start": _sha256(named_folder(self.start)) if self.start else None,
            "teachers": [_sha256(teacher_folder(name)) for name in self.teachers],
            "outputs": list(self.outputs),
            "release": self.release,
            "design": self.design.record(),
            **self.training.record(),
        }


def train_assay(order: Order, folder: Path | str, report: Report | None = None) -> Epoch:
    """Train, and write weights, card and log; a training that was stopped goes on where it was.

    Returns the last epoch.
    """
    check_untrained(folder)
    gate = check_data(order)
    check_left_out(order)
    place = _place(order.training.device)
    run = Run(folder, order.settings)
    # All trainings begin with the same head, so that `average_assay` can average their weights;
    # the seed of the training is for the order of the data and for dropout.
    torch.manual_seed(SAME)
    model = build(Encoder.load(order.encoder, order.layers), order.design)
    if order.start:
        begin_with(model, order.start, order.encoder)
    data, dev = _data(order, model, gate)
    if order.design.weighting == "table":
        model.table.copy_(torch.from_numpy(inverse_frequencies(data, len(model.table))))  # type: ignore[operator, arg-type]
    kept, log = train(
        model, used(data, order.training), order.training, place, run=run,
        check=None if dev is None else lambda m: figures(m, dev),
        report=report if place.rank == 0 else None,
    )  # fmt: skip
    if place.rank == 0:
        origin = {
            name: order.settings[name] for name in ("start", "teachers") if getattr(order, name)
        }
        origin["recipe"] = order.training.record()
        _write(kept, order, folder, data, dev, log[-1].record(), origin, gate)
        run.finish()
    if place.world > 1:
        torch.distributed.destroy_process_group()
    return log[-1]


def begin_with(model: Assay, folder: Path | str, encoder: Path | None) -> None:
    """Give a new model the weights of a trained one, as far as it has them."""
    trained, _ = load_assay(named_folder(folder), encoder)
    if trained.encoder.config != model.encoder.config:
        raise CupelError(f"{folder} has other layers than the model that is to begin with them.")
    ours = model.state_dict()
    theirs = {
        name: tensor
        for name, tensor in trained.state_dict().items()
        if name in ours and ours[name].shape == tensor.shape
    }
    model.load_state_dict(theirs, strict=False)


def average_assay(
    order: Order, folders: Sequence[Path | str], folder: Path | str
) -> Mapping[str, float]:
    """Average the weights of trainings of the same design; returns the figures of the average.

    order: the data that they were trained on, for calibration and figures.
    """
    check_untrained(folder)
    gate = check_data(order)
    check_left_out(order)
    device = order.training.device
    first, card = load_assay(named_folder(folders[0]), order.encoder, device)
    total = {name: tensor.clone() for name, tensor in first.state_dict().items()}
    members = [_member(card)]
    for other in folders[1:]:
        model, its_card = load_assay(named_folder(other), order.encoder, device)
        alike = all(its_card.get(key) == card.get(key) for key in ("layers", "data", "table"))
        if model.design != first.design or not alike:
            raise CupelError(
                f"{other} cannot be averaged with {folders[0]}: designs or data differ."
            )
        members.append(_member(its_card))
        for name, tensor in model.state_dict().items():
            total[name] += tensor
    first.load_state_dict({name: tensor / len(folders) for name, tensor in total.items()})
    data, dev = _data(order, first, gate)
    held_out = {} if dev is None else figures(first, dev)
    _write(first, order, folder, data, dev, held_out, {"average of": members}, gate)
    return held_out


def _member(card: Mapping[str, Any]) -> dict[str, Any]:
    """The entry in the card of an average for one that is in it."""
    names = ("sha256", "recipe", "start", "teachers", "average of")
    return {name: card[name] for name in names if name in card}


def check_data(order: Order) -> Gate:
    """Refuse data that the manifest does not give for this training, before any work; the gate."""
    start = read_card(named_folder(order.start), KIND)["data"] if order.start else ()
    gate = Gate.of(order.release, start)
    for name in (*order.train, *order.outputs):
        gate.check(name, order.pairs or None)
    for name in order.dev if order.dev not in ((HELD_OUT,), (NONE,)) else ():
        Gate(gate.uses if gate.release else CHOOSING).check(name, order.pairs or None)
    for teacher in order.teachers:
        gate.check_model(f"The teacher {teacher}", read_card(teacher_folder(teacher), KIND)["data"])
    return gate


def _data(order: Order, model: Assay, gate: Gate) -> tuple[Judgments, Judgments | None]:
    """What is trained on, and what is held out."""
    tokenizer = model.encoder.pieces
    assert tokenizer is not None
    builder = collect(
        order.train, pairs=order.pairs or None, corruptions=CORRUPTIONS if order.training.corrupted else 0,
        outputs=bool(order.teachers), folders=order.outputs, gate=gate,
    )  # fmt: skip
    if gate.dropped:
        counts = ", ".join(f"{count:,} of {name}" for name, count in gate.dropped.items())
        warn(
            f"Translations that are not for training, or stand beside texts that are not: {counts}."
        )
    data = builder.build(tokenizer)
    if order.teachers:
        encoder = order.teacher_encoder or order.encoder
        teachers = Teachers(order.teachers, encoder, order.training.device, order.training.scored)
        if order.training.lessons:
            data = with_marks(data, builder, teachers)
        else:
            data = with_lessons(data, builder, teachers, order.dev == (HELD_OUT,))
    dev: Judgments | None = None
    if order.dev == (HELD_OUT,):
        data, dev = data.part(False), data.part(True).of_kind(JUDGED, CORRUPTED)
    elif order.dev != (NONE,):
        dev = judgments(order.dev, tokenizer, pairs=order.pairs or None, corruptions=0).of_kind(
            JUDGED
        )
    if not len(data.better) + len(data.graded) + len(data.marked):
        raise CupelError(f"There is nothing to learn from in {', '.join(order.train)}.")
    return data, dev


def _write(
    model: Assay,
    order: Order,
    folder: Path | str,
    data: Judgments,
    dev: Judgments | None,
    last: Mapping[str, Any],
    origin: Mapping[str, Any],
    gate: Gate,
) -> None:
    """Save a model with its card. last: its figures; origin: how it was made; gate: what it read."""
    encoder = {
        "name": str(order.encoder) if order.encoder else "all-MiniLM-L6-v2",
        "sha256": order.settings["encoder"],
    }
    if order.stored == "whole":
        encoder["config"] = vars(model.encoder.config)
        encoder["tokenizer"] = encoder_checksum(find_encoder(order.encoder), TOKENIZER)
    teachers = (str(name) for name in order.teachers)
    card = {
        "encoder": encoder,
        "centre": centre(model, data),
        "slope": 1.0 if dev is None else slope(model, dev),
        "data": list(order.train),
        **origin,
        "dev": {"of": list(order.dev), **last},
        **({"left out": left_out(model, order.left_out)} if order.left_out else {}),
        **({"release": True} if gate.release else {}),
        **({"not learned from": dict(gate.dropped)} if gate.dropped else {}),
        "licence": OTHER_LICENCE if order.encoder else LICENCE,
        "licences": licences((*order.train, *order.outputs, encoder["name"], *teachers)),
    }
    begun = Encoder.load(order.encoder, order.layers) if order.stored == "rank160" else None
    if order.stored == "whole" and order.encoder:
        write_bytes(Path(folder) / TOKENIZER, (order.encoder / TOKENIZER).read_bytes())
    table = order.training.embeddings
    save_assay(folder, model, card, stored=order.stored, table=table, begun=begun)


def used(data: Judgments, how: Training) -> Judgments:
    """The data without the kinds of pairs that do not count."""
    weights = {TIED: how.tied, CORRUPTED: how.corrupted, BORROWED: how.borrowed}
    return data.of_kind(JUDGED, *(kind for kind, weight in weights.items() if weight))


def figures(model: Assay, data: Judgments) -> dict[str, float]:
    """Held-out figures: tau (the mean over language pairs), and what else the data has.

    tau is (C - D) / (C + D + T), as in WMT14. corrupted: how often the original scores higher;
    grades: Pearson's correlation. campaigns: both, as means over the pairs of graded campaigns.
    """
    items = np.unique(np.concatenate([data.better, data.worse, data.graded, data.marked]))
    items = items[np.argsort(data.reference[items], kind="stable")]
    scores = np.zeros(len(data.hypothesis), np.float64)
    scores[items] = raw_scores(model, data.pieces, data.hypothesis[items], data.reference[items])
    values: dict[str, float] = {}
    judged, corrupted = data.of_kind(JUDGED), data.of_kind(CORRUPTED)
    if len(judged.better):
        sign = np.sign(scores[judged.better] - scores[judged.worse])
        campaign = data.segment[judged.better] // LINES
        values["tau"] = float(np.mean([sign[campaign == c].mean() for c in np.unique(campaign)]))
    if len(corrupted.better):
        higher = scores[corrupted.better] > scores[corrupted.worse]
        values["corrupted"] = float(higher.mean())
    if len(data.graded) > 2 and np.ptp(data.grade) and np.ptp(scores[data.graded]):
        values["grades"] = float(np.corrcoef(scores[data.graded], data.grade)[0, 1])
    agreements = agreement(scores, data).values()
    for name in ("tau", "r"):
        by_pair = [of_pair[name] for of_pair in agreements]
        if np.isfinite(by_pair).any():
            values[f"campaigns {name}"] = float(np.nanmean(by_pair))
    return {name: round(value, 5) for name, value in values.items()}


def check_left_out(order: Order) -> None:
    """Refuse what cannot be measured on, or is trained on: before the training, not after it."""
    campaigns = filter(is_campaign, order.train if order.left_out else ())
    trained = {pair for name in campaigns for pair in _pairs_of(name, order.pairs or None)}
    for dataset in order.left_out:
        if not is_campaign(dataset):
            raise CupelError(
                f"{dataset} cannot be left out: a graded campaign was expected, such as mqm21."
            )
        both = trained & _pairs_of(dataset)
        if any((entry := entry_of(*part)) is None or not entry.tenths for part in both):
            raise CupelError(f"{dataset} cannot be trained on and left out.")


def _pairs_of(dataset: str, pairs: Sequence[str] | None = None) -> set[tuple[str, str]]:
    """The campaign and each language pair of it that a name means."""
    name = dataset if Path(dataset).is_dir() else dataset.partition(":")[0]
    return {(name, of.pair) for of in graded_pairs(dataset, pairs)}


def left_out(model: Assay, datasets: Sequence[str]) -> dict[str, list[float | None]]:
    """Tau within segments and Pearson's r for each language pair of campaigns that were left out."""
    assert model.encoder.pieces is not None
    table = {}
    for dataset in datasets:
        data = judgments([dataset], model.encoder.pieces, corruptions=0)
        items = np.unique(data.marked)
        scores = np.zeros(len(data.hypothesis))
        scores[items] = raw_scores(
            model, data.pieces, data.hypothesis[items], data.reference[items]
        )
        for name, _, *values in by_pair(dataset, data, scores):
            table[name] = [round(v, 4) if np.isfinite(v) else None for v in values]
    return table


def centre(model: Assay, data: Judgments, most: int = 4000) -> float:
    """The mean score of translations that people judged: what the calibrated score calls 0.5."""
    judged = data.of_kind(JUDGED)
    items = np.unique(np.concatenate([judged.better, judged.worse, data.graded, data.marked]))
    items = items[:: max(1, len(items) // most)]
    scores = raw_scores(model, data.pieces, data.hypothesis[items], data.reference[items])
    return round(float(scores.mean()), 6)


def slope(model: Assay, data: Judgments) -> float:
    """The a that makes sigmoid(a (s1 - s2)) the likeliest probability of held-out preferences.

    Trained scores are too sure of themselves.
    """
    judged = data.of_kind(JUDGED)
    if not len(judged.better):
        return 1.0
    items, of = np.unique(np.concatenate([judged.better, judged.worse]), return_inverse=True)
    scores = raw_scores(model, data.pieces, data.hypothesis[items], data.reference[items])
    better, worse = np.split(scores[of].astype(np.float64), 2)
    likeliest = float(fitted(better[:, None] - worse[:, None])[0])
    return round(max(likeliest, LEAST_SLOPE), 4)


def inverse_frequencies(data: Judgments, vocabulary: int) -> Float32Array:
    """(vocabulary,) log((n + 1) / (references with the piece + 1)) over the n references."""
    references = np.unique(data.reference)
    taken = data.pieces.take(references)
    sentence = np.repeat(np.arange(len(taken)), taken.lengths)
    seen = np.unique(sentence * vocabulary + taken.ids)
    counts = np.bincount(seen % vocabulary, minlength=vocabulary)
    return np.log((len(references) + 1) / (counts + 1)).astype(np.float32)


def _place(device: str) -> Place:
    """Device and share of this process, from the environment variables of PyTorch's launcher."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        return Place(find_device(device))
    rank, local = int(os.environ["RANK"]), int(os.environ.get("LOCAL_RANK", "0"))
    on_gpu = device != "cpu" and torch.cuda.is_available()
    torch.distributed.init_process_group("nccl" if on_gpu else "gloo")
    return Place(find_device(f"cuda:{local}" if on_gpu else "cpu"), rank, world)


def _sha256(folder: Path) -> str:
    return str(read_card(folder, KIND)["sha256"])
