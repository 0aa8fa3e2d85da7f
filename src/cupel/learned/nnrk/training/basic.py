"""Training of the basic network (section 3.3 and 4.4): AdaGrad, and early stopping on tau.

Each pair is seen in both orders. After every epoch Kendall's tau of the development pairs is taken
(wmt12's formula, ties count as errors); the latest of the best epochs is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel.batch import FloatArray
from cupel.errors import CupelError
from cupel.learned.nnrk.data.examples import Examples
from cupel.learned.nnrk.model.network import (
    ARCHITECTURES,
    Array,
    Model,
    Network,
    Normalisation,
    antisymmetric,
    sigmoid,
)

if TYPE_CHECKING:
    from cupel.kernels.pairwise import Inputs

COSTS = ("logistic", "kendall", "logistic+kendall")


@dataclass(frozen=True)
class Settings:
    """Every knob, at the paper's values."""

    architecture: str = "pairwise"  # or single-layer (logistic regression), fully-connected
    cost: str = "logistic"  # or kendall (section 5.5), logistic+kendall
    hidden: int = 4  # units in each of the three groups
    rate: float = 0.01  # AdaGrad's first step
    batch: int = 30  # examples in a minibatch
    decay: float = 1e-4  # lambda of the squared weights
    dropout: float = 0.0  # share of the numbers of x left out, others in every epoch
    gamma: float = 100.0  # steepness of the Kendall cost
    beta: float = 100.0  # how narrowly it understands ties
    # How much a tie costs, where a wrong order costs 1. At 1 the slope of this term, which knows no
    # labels, is above the other's wherever |Delta| > 0.034, and holds whatever order chance began
    # with: tau on held-out lines is 10.5 at 1, 29.3 at 0.1, 30.9 at 0.01, 31.0 without.
    ties: float = 0.01
    epochs: int = 10_000  # at most
    patience: int = 20  # stop after so many epochs without a better one
    seed: int = 12345

    def __post_init__(self) -> None:
        for what, value, known in (
            ("architecture", self.architecture, ARCHITECTURES),
            ("cost", self.cost, COSTS),
        ):
            if value not in known:
                raise CupelError(f"There is no {what} {value!r}; there are: {', '.join(known)}.")
        for name in ("gamma", "beta", "ties"):
            if not 0 <= getattr(self, name) < np.inf:
                raise CupelError(f"{name} must be 0 or more, not {getattr(self, name):g}.")
        if not 0 <= self.dropout < 1:
            raise CupelError(f"dropout must be from 0 to below 1, not {self.dropout:g}.")
        for name in ("hidden", "batch", "epochs", "patience"):
            if getattr(self, name) < 1:
                raise CupelError(f"{name} must be 1 or more, not {getattr(self, name)}.")


@dataclass(frozen=True)
class Trained:
    """A model, tau on the development pairs at its epoch, and how it went."""

    model: Model
    tau: float
    epoch: int
    taus: list[float] = field(repr=False)


Report = Callable[[int, float, float], None]
"""Called after each epoch with its number, the mean cost and tau."""


def pairwise_tau(predictions: FloatArray, label: Array) -> float:
    """(C - D - T) / (C + D + T) where p > 1/2 means that the first is the better one."""
    if not len(label):
        raise CupelError("There are no preferences to measure tau on.")
    sign = np.sign(predictions - 0.5) * np.where(label == 1, 1, -1)
    return float(np.where(sign > 0, 1.0, -1.0).mean())


def check_development(development: Examples) -> None:
    """A development set needs preferences."""
    if not len(development):
        raise CupelError(
            "The development set has no preferences: every judgment in it is a tie, or it has none; "
            "choose another one."
        )


def train(
    training: Examples,
    development: Examples,
    settings: Settings,
    card: dict[str, Any],
    report: Report | None = None,
) -> Trained:
    """The network of the best epoch. card: what to say of the model beside its settings."""
    check_development(development)
    # Of two equal translations one was preferred all the same: nothing to learn from that.
    training = training.pairs(training.first != training.second)
    if not len(training):
        raise CupelError("There are no preferences to learn from.")
    norm = _normalisation(training)
    ours, theirs = _normalised(training, norm), _normalised(development, norm)
    rng = np.random.default_rng(settings.seed)
    network = _start(settings, ours.x.shape[1], ours.psi.shape[1], rng)
    taus: list[float] = []
    best, tau, epoch = network, -np.inf, 0
    for cost in settings.cost.split("+"):
        if taus:
            # The first cost's best is what the second has to beat, by the second's measure.
            network = best
            tau = pairwise_tau(decisions(network, theirs, cost), theirs.label)
        best, tau, epoch = _descend(
            network, ours, theirs, settings, cost, rng, taus, (best, tau, epoch), report
        )
    uses = np.bincount(np.concatenate([training.first, training.second]), minlength=len(ours.x))
    weights = uses / uses.sum()
    mean_x, mean_psi = weights @ ours.x, weights @ ours.psi
    about = {
        "features": card.pop("features"),
        "settings": {f: getattr(settings, f) for f in settings.__dataclass_fields__},
        "pairs": len(training),
        "development-tau": tau,
        "epoch": epoch,
        **card,
    }
    return Trained(Model(best, norm, mean_x, mean_psi, about), tau, epoch, taus)


def _normalisation(training: Examples) -> Normalisation:
    used = np.unique(np.concatenate([training.first, training.second]))
    references = np.unique(training.reference[used])
    return Normalisation.fit(training.x[used], training.references[references], training.psi[used])


def _normalised(examples: Examples, norm: Normalisation) -> Examples:
    return replace(
        examples,
        x=norm.x(examples.x).astype(np.float32),
        references=norm.references(examples.references).astype(np.float32),
        psi=norm.psi(examples.psi).astype(np.float32),
    )


def _start(settings: Settings, size: int, features: int, rng: np.random.Generator) -> Network:
    """Glorot's uniform start: weights within sqrt(6 / (inputs + outputs)), biases 0."""

    def uniform(fan_in: int, fan_out: int, shape: tuple[int, ...]) -> Array:
        bound = np.sqrt(6 / max(fan_in + fan_out, 1))
        return rng.uniform(-bound, bound, shape).astype(np.float32)

    single = settings.architecture == "single-layer" or size == 0
    units = 0 if single else 3 * settings.hidden
    arcs = 2 * features + (3 * size if single else 0)
    looked_at = 2 * size if settings.architecture == "pairwise" else 3 * size
    group = settings.hidden if settings.architecture == "pairwise" else units
    hidden = uniform(looked_at, group, (3 * size, units)) * mask_of(settings, size, units)
    into = units + arcs
    return Network(
        hidden,
        np.zeros(units, np.float32),
        uniform(into, 1, (units,)),
        uniform(into, 1, (arcs,)),
        np.zeros(1, np.float32),
    )


def mask_of(settings: Settings, size: int, units: int) -> Array:
    """(3D, U) of 1 where an input reaches a hidden unit: groups h_12, h_1r, h_2r in this order."""
    mask = np.ones((3 * size, units), np.float32)
    if settings.architecture == "pairwise" and units:
        h = settings.hidden
        mask[2 * size :, :h] = 0  # h_12 does not see the reference
        mask[size : 2 * size, h : 2 * h] = 0  # h_1r does not see t2
        mask[:size, 2 * h :] = 0  # h_2r does not see t1
    return mask


def _descend(
    network: Network,
    training: Examples,
    development: Examples,
    settings: Settings,
    cost: str,
    rng: np.random.Generator,
    taus: list[float],
    best: tuple[Network, float, int],
    report: Report | None,
) -> tuple[Network, float, int]:
    from cupel.kernels.pairwise import KENDALL, LOGISTIC, Inputs, Parameters, train_epoch

    arrays = [np.array(getattr(network, name), np.float32) for name in Parameters._fields]
    parameters = Parameters(*arrays)
    totals = Parameters(*(np.zeros_like(array) for array in arrays))
    mask = mask_of(settings, training.x.shape[1], network.hidden.shape[1])
    inputs = Inputs(
        training.x,
        training.references,
        training.psi.astype(np.float32),
        training.reference,
        training.first,
        training.second,
        training.label,
        network.direct,
    )
    count = len(training) if cost == "kendall" else 2 * len(training)
    since = 0
    while len(taus) < settings.epochs and since < settings.patience:
        loss = train_epoch(
            parameters,
            totals,
            mask,
            _dropped(inputs, settings.dropout, rng),
            rng.permutation(count),
            settings.batch,
            settings.rate,
            settings.decay,
            KENDALL if cost == "kendall" else LOGISTIC,
            settings.gamma,
            settings.beta,
            settings.ties,
        )
        now = Network(*(array.copy() for array in parameters))
        tau = pairwise_tau(decisions(now, development, cost), development.label)
        taus.append(tau)
        since = 0 if tau > best[1] else since + 1
        if tau >= best[1]:
            best = (now, tau, len(taus))
        if report:
            report(len(taus), loss, tau)
    return best


def _dropped(inputs: Inputs, share: float, rng: np.random.Generator) -> Inputs:
    """The inputs with that share of the sentence vectors' numbers at 0, the others scaled up."""
    if share == 0:
        return inputs

    def some(table: Array) -> Array:
        kept = rng.random(table.shape, np.float32) >= share
        return table * kept / np.float32(1 - share)

    return inputs._replace(x=some(inputs.x), references=some(inputs.references))


def decisions(network: Network, pairs: Examples, cost: str) -> FloatArray:
    """(p,) above 1/2 where the network prefers the first.

    That is p(t1, t2, r), but after the Kendall cost the preference of both orders: that cost knows
    their difference only, and leaves the level of p to chance.
    """
    there = predictions(network, pairs)
    if cost == "logistic":
        return there
    back = predictions(network, replace(pairs, first=pairs.second, second=pairs.first))
    return antisymmetric(there, back)


def predictions(network: Network, pairs: Examples) -> FloatArray:
    """(p,) p(t1, t2, r) of pairs whose features are normalised already."""
    a, b = pairs.first, pairs.second
    r = pairs.references[pairs.reference[a]]
    return sigmoid(network.logit(pairs.x[a], pairs.x[b], r, pairs.psi[a], pairs.psi[b]))
