"""Training of networks that encode sentences on the fly (sections 5.6 and 5.7).

Words reach this as numbers (`WordNumbers`) in the first columns of x; what is trained in PyTorch
becomes a model like any other, whose sentence vectors are the encoder's and the fixed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError
from cupel.learned.nnrk.data.examples import Examples
from cupel.learned.nnrk.model.encoders import (
    ENCODERS,
    INITIALS,
    LONGEST,
    TUNINGS,
    Encoder,
    check_torch,
)
from cupel.learned.nnrk.model.network import Array, Model, Network, Normalisation
from cupel.learned.nnrk.model.sentence_vectors import unknown_vector
from cupel.learned.nnrk.training.basic import Settings, check_development
from cupel.text.vectors import EMBEDDED, open_vectors

if TYPE_CHECKING:
    from cupel.learned.nnrk.model.pairwise import Pairwise, Sentences
    from cupel.learned.nnrk.training.pairwise import Pairs


@dataclass(frozen=True)
class EncoderSettings:
    """The encoder and its words' vectors, at values from the paper's grid."""

    kind: str = "average"
    units: int = 100  # filters of the CNN, units of an LSTM
    filter: int = 3  # words that a filter sees
    pool: int = 3  # features that a maximum is over
    word_vectors: str = "full"  # or fixed, moderate: how they are tuned
    initial: str = "pretrained"  # or random
    vectors: str = EMBEDDED

    def __post_init__(self) -> None:
        for what, value, known in (
            ("encoder", self.kind, ENCODERS),
            ("tuning of word vectors", self.word_vectors, TUNINGS),
            ("start of word vectors", self.initial, INITIALS),
        ):
            if value not in known:
                raise CupelError(f"There is no {what} {value!r}; there are: {', '.join(known)}.")
        for name in ("units", "filter", "pool"):
            if getattr(self, name) < 1:
                raise CupelError(f"{name} must be 1 or more, not {getattr(self, name)}.")


@dataclass(frozen=True)
class Encoded:
    """A model of one or more networks, and of each its accuracy on the development pairs."""

    model: Model
    accuracies: list[float]
    epochs: list[int]


Report = Callable[[int, Sequence[float]], None]
"""Called after each epoch with its number and the development accuracy of each network."""


def train_encoded(
    training: Examples,
    development: Examples,
    settings: Settings,
    encoder: EncoderSettings,
    card: dict[str, Any],
    networks: int = 1,
    device: str = "cpu",
    report: Report | None = None,
) -> Encoded:
    """Networks of successive seeds side by side, each of its best epoch, as one model."""
    if settings.architecture != "pairwise" or settings.cost != "logistic":
        raise CupelError(
            "Networks that encode sentences on the fly are pairwise and trained by the logistic "
            "cost: leave out --architecture and --cost, or --encoder."
        )
    check_torch()
    check_development(development)
    training = training.pairs(training.first != training.second)
    if not len(training):
        raise CupelError("There are no preferences to learn from.")
    import torch

    from cupel.learned.nnrk.model.pairwise import Pairwise, Variant
    from cupel.learned.nnrk.model.sentence_encoders import Encoding
    from cupel.learned.nnrk.training.pairwise import Schedule, train
    from cupel.neural.devices import find_device

    place = find_device(device)
    parts = [_used(training), _used(development)]
    norm = _normalisation(parts[0])
    numbers = np.concatenate([np.concatenate([p.x, p.references])[:, :LONGEST] for p in parts])
    if encoder.initial == "random":
        trained = np.unique(numbers[: len(parts[0].x) + len(parts[0].references)])
        numbers[~np.isin(numbers, trained)] = 1
    seen, words = np.unique(numbers.astype(np.int64), return_inverse=True)
    # 0 stands for no word and 1 for one without a vector: both are row 0.
    rows = np.where(seen > 1, np.cumsum(seen > 1), 0)[words.reshape(numbers.shape)]
    learned = seen[seen > 1] - 2
    sentences, sets = _tensors(parts, rows, (numbers > 0).sum(1), norm, place)
    vectors = open_vectors(encoder.vectors)
    start = np.concatenate([unknown_vector(encoder.vectors)[None], vectors.matrix[learned]])
    variants = [
        Variant(settings.seed + n, settings.dropout, encoder.word_vectors,
                encoder.initial == "pretrained")
        for n in range(networks)
    ]  # fmt: skip
    torch.manual_seed(settings.seed)
    model = Pairwise(
        Encoding(encoder.kind, encoder.units, encoder.filter, encoder.pool),
        variants,
        start.astype(np.float32),
        parts[0].x.shape[1] - LONGEST,
        parts[0].psi.shape[1],
        settings.hidden,
        place,
    )
    schedule = Schedule(
        rate=settings.rate,
        batch=max(settings.batch // 2, 1),
        decay=settings.decay,
        epochs=settings.epochs,
        patience=settings.patience,
        seed=settings.seed,
    )

    def tell(epoch: int, accuracies: FloatArray) -> None:
        if report:
            report(epoch, accuracies.tolist())

    progress = train(model, sentences, sets[0], sets[1], schedule, tell)
    about = {
        "features": card.pop("features"),
        "settings": asdict(settings) | {"encoder": asdict(encoder)},
        "pairs": len(training),
        "development-accuracy": progress.accuracy.tolist(),
        "epoch": progress.epoch.tolist(),
        **card,
    }
    kept = _encoder(model, encoder, [vectors.words[row] for row in learned.tolist()])
    whole = _model(model, sentences, parts[0], norm, kept, about)
    return Encoded(whole, progress.accuracy.tolist(), progress.epoch.tolist())


def _used(examples: Examples) -> Examples:
    """The same pairs over those items and references alone that are in some pair."""
    items, places = np.unique(
        np.concatenate([examples.first, examples.second]), return_inverse=True
    )
    references, of_item = np.unique(examples.reference[items], return_inverse=True)
    first, second = np.split(places.ravel(), 2)
    return replace(
        examples,
        psi=examples.psi[items],
        x=examples.x[items],
        references=examples.references[references],
        reference=of_item.ravel(),
        first=first,
        second=second,
    )


def _normalisation(training: Examples) -> Normalisation:
    """Min-max of what is fixed: all but the words."""
    return Normalisation.fit(
        training.x[:, LONGEST:], training.references[:, LONGEST:], training.psi
    )


def _tensors(
    parts: Sequence[Examples], rows: IntArray, lengths: IntArray, norm: Normalisation, place: Any
) -> tuple[Sentences, list[Pairs]]:
    """All sentences, translations before references part by part, and the pairs of each part."""
    import torch

    from cupel.learned.nnrk.model.pairwise import Sentences
    from cupel.learned.nnrk.training.pairwise import Pairs

    def put(array: Array) -> Any:
        return torch.from_numpy(np.ascontiguousarray(array)).to(place)

    fixed = []
    pairs = []
    at = 0
    for part in parts:
        fixed += [norm.x(part.x[:, LONGEST:]), norm.references(part.references[:, LONGEST:])]
        psi = norm.psi(part.psi).astype(np.float32)
        pairs.append(
            Pairs(
                put(at + part.first),
                put(at + part.second),
                put(at + len(part.x) + part.reference[part.first]),
                put(psi[part.first]),
                put(psi[part.second]),
                put(part.label),
            )
        )
        at += len(part.x) + len(part.references)
    width = max(int(lengths.max()), 1)
    return (
        Sentences(
            put(rows[:, :width]), put(lengths), put(np.concatenate(fixed).astype(np.float32))
        ),
        pairs,
    )


def _encoder(model: Pairwise, settings: EncoderSettings, words: Sequence[str]) -> Encoder:
    arrays = {
        name: model.weights[name].detach().cpu().numpy()
        for name in model.encoding.shapes(model.table.shape[2])
    }
    arrays["table"] = model.table.detach().cpu().numpy()
    about = {
        "kind": settings.kind,
        "size": settings.units,
        "filter": settings.filter,
        "pool": settings.pool,
        "vectors": settings.vectors if settings.initial == "pretrained" else None,
    }
    return Encoder(about, tuple(words), arrays)


def _model(
    trained: Pairwise,
    sentences: Sentences,
    training: Examples,
    norm: Normalisation,
    encoder: Encoder,
    card: dict[str, Any],
) -> Model:
    """The head over [what each of the K encodes, fixed vectors], the mean of the K outputs."""
    import torch

    from cupel.learned.nnrk.training.pairwise import encoded

    k, f = len(trained.variants), sentences.fixed.shape[1]
    own = trained.size - f
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
    items = torch.arange(len(training.x), device=sentences.words.device)
    x = encoded(trained, sentences, items).double().cpu().numpy()
    ours = np.concatenate([*x[..., :own], x[0, :, own:]], axis=1)
    share = uses / uses.sum()
    mean_psi = share @ norm.psi(training.psi)
    return Model(head(trained, f), whole, share @ ours, mean_psi, card, encoder)


def head(trained: Pairwise, fixed: int) -> Network:
    """The K networks behind the encoders as one, whose output before the sigmoid is their mean."""
    k, h = len(trained.variants), trained.hidden
    own = trained.size - fixed
    size = k * own + fixed
    w = {name: tensor.detach().cpu().numpy() for name, tensor in trained.weights.items()}
    hidden = np.zeros((3 * size, k * 3 * h), np.float32)
    for n in range(k):
        # Where the vector of network n is in that of all.
        places = np.append(n * own + np.arange(own), k * own + np.arange(fixed))
        for group, seen in enumerate(((0, 1), (0, 2), (1, 2))):
            rows = np.concatenate([side * size + places for side in seen])
            columns = (3 * n + group) * h + np.arange(h)
            hidden[np.ix_(rows, columns)] = w["hidden"][n, group]
    return Network(
        hidden,
        w["hidden-bias"].reshape(-1),
        (w["output"][:, : 3 * h] / k).reshape(-1),
        w["output"][:, 3 * h :].mean(0),
        w["output-bias"].mean(0, keepdims=True),
    )
