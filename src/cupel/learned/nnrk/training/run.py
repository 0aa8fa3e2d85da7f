"""A whole training of NNRK: features of judged pairs, tensors, loop, model and card.

`cupel train nnrk` is this from the command line. The folder that comes out is what
`nnrk:weights=FOLDER` scores with. With an encoder, words reach the network as numbers
(`WordNumbers`) in the first columns of x.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cupel.arrays import IntArray
from cupel.errors import CupelError
from cupel.learned.manifest import licences
from cupel.learned.nnrk.data import examples
from cupel.learned.nnrk.data.examples import Examples
from cupel.learned.nnrk.data.json_rankings import JSON_RANKINGS, json_examples
from cupel.learned.nnrk.data.teacher import taught, with_teacher, without_teacher
from cupel.learned.nnrk.files import save_model
from cupel.learned.nnrk.model.averages import unknown_vector
from cupel.learned.nnrk.model.encoder import LONGEST, Encoder, WordNumbers
from cupel.learned.nnrk.model.features import FeatureSet, feature_set
from cupel.learned.nnrk.model.network import Array, Design, Model, Normalisation
from cupel.learned.nnrk.training import loop
from cupel.learned.nnrk.training.loop import Pairs
from cupel.learned.nnrk.training.networks import NO_VECTORS, Networks, Sentences
from cupel.learned.nnrk.training.settings import LOGISTIC, EncoderSettings, Training
from cupel.neural.checkpoints import Run
from cupel.neural.devices import find_device
from cupel.neural.training import Epoch, Report, settings_of
from cupel.neural.weights import check_untrained
from cupel.questions.train_nnrk import NnrkData, TrainNnrk
from cupel.text.vectors import open_vectors

HELD_OUT = "held-out"
LICENCE = "Apache-2.0"


@dataclass(frozen=True)
class Order(NnrkData):
    """What is to be trained, and on what: see `cupel.questions.train_nnrk`."""

    networks: int = 1
    compact: bool = False
    design: Design = field(default_factory=Design)
    encoder: EncoderSettings | None = None
    training: Training = field(default_factory=Training)

    @classmethod
    def of(cls, question: TrainNnrk) -> Order:
        """What a question asks to train."""
        encoder = None
        if question.encoder != "none":
            encoder = settings_of(EncoderSettings, question, kind=question.encoder)
        design, training = settings_of(Design, question), settings_of(Training, question)
        return settings_of(cls, question, encoder=encoder, design=design, training=training)


@dataclass(frozen=True)
class Trained:
    """A model, and of each of its networks the best tau on the development pairs and its epoch."""

    model: Model
    taus: list[float]
    epochs: list[int]
    log: list[Epoch] = field(repr=False)


def train_nnrk(
    order: Order,
    folder: Path | str,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
) -> Trained:
    """Train, and write weights, card and log; a training that was stopped goes on where it was.

    note: is given a sentence on what is being done.
    """
    check_untrained(folder)
    find_device(order.training.device)  # one that is not there is an error before any work
    fixed = order.features or "4metrics,syntax25" + ("" if order.encoder else ",wiki-gw50")
    features = feature_set(fixed)
    training, development = _data(order, _with_words(features, order.encoder), note)
    if note:
        note(f"{len(training)} pairs to learn from, {len(development)} to stop by")
    card = {
        "train": list(order.train),
        "development": order.dev,
        "agreed": order.agreed,
        "licence": LICENCE,
        "licences": licences((*order.train, *([order.teacher] if order.teacher else ()))),
    }
    if order.teacher:
        card |= {"teacher": order.teacher, "taught": order.taught}
    trained = train(
        training, development, order.training, order.design, order.encoder,
        networks=order.networks, features=features.names, card=card, folder=folder, report=report,
    )  # fmt: skip
    model = trained.model
    if order.compact and model.encoder is not None:
        model = replace(model, encoder=model.encoder.small())
    save_model(folder, model)
    Run(folder, {}).finish()
    return replace(trained, model=model)


def _with_words(features: FeatureSet, encoder: EncoderSettings | None) -> FeatureSet:
    """The features, and before the sentence vectors the numbers of words for an encoder."""
    if encoder is None:
        return features
    return replace(features, vectors=(("words", WordNumbers(encoder.vectors)), *features.vectors))


def _data(
    order: Order, features: FeatureSet, note: Callable[[str], None] | None
) -> tuple[Examples, Examples]:
    """Training and development pairs."""
    seed = order.training.seed

    if order.teacher:
        features = with_teacher(features, order.teacher)

    def load(name: str) -> Examples:
        if name == JSON_RANKINGS:
            return examples.joined(list(json_examples(features, order.pairs or None)))
        return examples.load(name, features, pairs=order.pairs or None, note=note)

    parts = [load(name) for name in order.train]
    if order.dev == HELD_OUT:
        parts[0], development = examples.split(parts[0], order.dev_pairs, seed)
    else:
        development = load(order.dev).sample(order.dev_pairs, seed)
    training = examples.joined(parts)
    if order.agreed:
        training = training.agreed()
    if not order.teacher:
        return training.sample(order.sample, seed), development
    training, scores = without_teacher(training.sample(order.sample, seed))
    count = len(training) if order.taught is None else order.taught
    return taught(training, scores, count, seed), without_teacher(development)[0]


def train(
    training: Examples,
    development: Examples,
    how: Training | None = None,
    design: Design | None = None,
    encoder: EncoderSettings | None = None,
    *,
    networks: int = 1,
    features: Sequence[str] = (),
    card: Mapping[str, Any] | None = None,
    folder: Path | str | None = None,
    report: Report | None = None,
) -> Trained:
    """Networks of successive seeds side by side, each of its best epoch, as one model.

    features, card: what the card says beside the settings. folder: where checkpoints are kept.
    """
    how, design = how or Training(), design or Design()
    if encoder and (design.architecture != "pairwise" or how.cost != LOGISTIC):
        raise CupelError(
            "Networks that encode sentences on the fly are pairwise and trained by the logistic "
            "cost: leave out --architecture and --cost, or --encoder."
        )
    check_development(development)
    # Of two equal translations one was preferred all the same: nothing to learn from that.
    training = training.pairs(training.first != training.second)
    if not len(training):
        raise CupelError("There are no preferences to learn from.")
    parts = [_used(training), _used(development)]
    words = _Words(parts, encoder)
    norm = Normalisation.fit(words.rest(parts[0].x), words.rest(parts[0].references), parts[0].psi)
    sentences, sets = _tensors(parts, words, norm, find_device(how.device))
    seeds = [how.seed + n for n in range(networks)]
    trained = Networks(sentences, design, seeds, how.dropout, encoder, words.vectors)
    settings = {**asdict(design), **how.record()}
    if encoder:
        settings["encoder"] = asdict(encoder)
    run = None
    if folder is not None:
        run = Run(folder, {**settings, "networks": networks, "data": _identity(parts)})
    state = loop.train(trained, sets[0], sets[1], how, run, report)
    taus, epochs = state.tau.tolist(), state.epoch.tolist()
    whole = {
        "features": list(features),
        "settings": settings,
        "pairs": len(training),
        "development-tau": taus if networks > 1 else taus[0],
        "epoch": epochs if networks > 1 else epochs[0],
        **({"averaged-seeds": seeds} if networks > 1 else {}),
        **(card or {}),
    }
    model = _model(trained, parts[0], norm, words.trained(trained), whole)
    return Trained(model, taus, epochs, state.log)


def check_development(development: Examples) -> None:
    """A development set needs preferences."""
    if not len(development):
        raise CupelError(
            "The development set has no preferences: every judgment in it is a tie, or it has none; "
            "choose another one."
        )


def _used(part: Examples) -> Examples:
    """The same pairs over those items and references alone that are in some pair."""
    items, places = np.unique(np.concatenate([part.first, part.second]), return_inverse=True)
    references, of_item = np.unique(part.reference[items], return_inverse=True)
    first, second = np.split(places.ravel(), 2)
    return replace(
        part,
        psi=part.psi[items],
        x=part.x[items],
        references=part.references[references],
        reference=of_item.ravel(),
        first=first,
        second=second,
    )


def _identity(parts: Sequence[Examples]) -> str:
    """A hash of all that is learned from."""
    names = ("psi", "x", "references", "reference", "first", "second", "label")
    digest = hashlib.sha256()
    for part in parts:
        for name in names:
            digest.update(np.ascontiguousarray(getattr(part, name)).tobytes())
    return digest.hexdigest()[:16]


class _Words:
    """The words of all sentences, translations before references part by part.

    rows     (n, t) the vector of each word; 0 for no word and for one without a vector
    lengths  (n,) how many words there are
    learned  rows of the table of vectors whose words have vectors 1, 2, ... here
    vectors  (v, d) where the words' vectors start
    """

    def __init__(self, parts: Sequence[Examples], encoder: EncoderSettings | None) -> None:
        self.encoder, self.columns = encoder, LONGEST if encoder else 0
        self.vectors = NO_VECTORS
        if encoder is None:
            return
        tables = [table[:, :LONGEST] for part in parts for table in (part.x, part.references)]
        numbers = np.concatenate(tables).astype(np.int64)
        if encoder.initial == "random":
            trained = np.unique(numbers[: len(parts[0].x) + len(parts[0].references)])
            numbers[~np.isin(numbers, trained)] = 1
        distinct, places = np.unique(numbers, return_inverse=True)
        # 0 stands for no word and 1 for one without a vector: both are row 0.
        rows = np.where(distinct > 1, np.cumsum(distinct > 1), 0)
        self.lengths: IntArray = (numbers > 0).sum(1)
        self.rows = rows[places.reshape(numbers.shape)][:, : max(int(self.lengths.max()), 1)]
        self.learned = distinct[distinct > 1] - 2
        matrix = open_vectors(encoder.vectors).matrix[self.learned]
        start = np.concatenate([unknown_vector(encoder.vectors)[None], matrix])
        self.vectors = start.astype(np.float32)

    def rest(self, table: Array) -> Array:
        """The columns of x that are no words."""
        return table[:, self.columns :]

    def trained(self, networks: Networks) -> Encoder | None:
        """The encoder that was trained, as its model keeps it."""
        if self.encoder is None:
            return None
        e, words = self.encoder, open_vectors(self.encoder.vectors).words
        settings = {
            "kind": e.kind,
            "size": e.units,
            "filter": e.filter,
            "pool": e.pool,
            "vectors": e.vectors if e.initial == "pretrained" else None,
        }
        learned = tuple(words[row] for row in self.learned.tolist())
        return Encoder(settings, learned, networks.encoder_arrays())


def _tensors(
    parts: Sequence[Examples], words: _Words, norm: Normalisation, device: torch.device
) -> tuple[Sentences, list[Pairs]]:
    """All sentences, translations before references part by part, and the pairs of each part."""

    def put(array: Array) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    fixed, psi, pairs = [], [], []
    at = 0
    for part in parts:
        fixed += [norm.x(words.rest(part.x)), norm.references(words.rest(part.references))]
        psi += [norm.psi(part.psi), np.zeros((len(part.references), part.psi.shape[1]))]
        reference = len(part.x) + part.reference[part.first]
        rows = at + np.stack([part.first, part.second, reference], axis=1)
        label = np.where(part.label == 1, 1, -1).astype(np.float32)
        pairs.append(Pairs(put(rows), put(label)))
        at += len(part.x) + len(part.references)
    vectors, arcs = (put(np.concatenate(table).astype(np.float32)) for table in (fixed, psi))
    if words.encoder is None:
        return Sentences(vectors, arcs), pairs
    return Sentences(vectors, arcs, put(words.rows), put(words.lengths)), pairs


def _model(
    networks: Networks,
    training: Examples,
    norm: Normalisation,
    encoder: Encoder | None,
    card: dict[str, Any],
) -> Model:
    """The networks over [what each of them encodes, fixed vectors], the mean of their outputs."""
    k, own = len(networks), networks.own
    same = np.ones(k * own)
    whole = Normalisation(
        np.append(-same, norm.x_low),
        np.append(same, norm.x_high),
        np.append(-same, norm.reference_low),
        np.append(same, norm.reference_high),
        norm.psi_low,
        norm.psi_high,
    )
    uses = np.bincount(np.concatenate([training.first, training.second]))
    items = torch.arange(len(training.x), device=networks.device)
    x = loop.encoded(networks, items).double().cpu().numpy()
    ours = np.concatenate([*x[..., :own], x[0, :, own:]], axis=1)
    share = uses / uses.sum()
    mean_psi = share @ norm.psi(training.psi)
    return Model(networks.joined(), whole, share @ ours, mean_psi, card, encoder)
