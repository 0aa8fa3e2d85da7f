"""The pairwise network (section 3) over normalised features, and its absolute score (section 6).

    p(t1, t2, r) = sig(v . phi(t1, t2, r) + u . [psi_1r, psi_2r] + c)
    phi = [h_12, h_1r, h_2r] = tanh(W_12 [x_1, x_2] + b_12), tanh(W_1r [x_1, x_r] + b_1r), ...

The weights of the three groups are one matrix W over [x_1, x_2, x_r] with zeros where a group does
not look. Scoring needs NumPy alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cupel.batch import FloatArray
from cupel.errors import CupelError
from cupel.questions.train_nnrk import NnrkShape

if TYPE_CHECKING:
    from cupel.learned.nnrk.model.encoder import Encoder

ARCHITECTURES = ("single-layer", "pairwise", "fully-connected")
EMPTIES = ("mean", "zero")
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Design(NnrkShape):
    """The shape of a network, at the paper's values.

    architecture  pairwise, fully-connected, or single-layer, which is logistic regression
    hidden        units in each of the three groups h_12, h_1r and h_2r
    """

    def __post_init__(self) -> None:
        check_choice("architecture", self.architecture, ARCHITECTURES)
        if self.hidden < 1:
            raise CupelError(f"hidden must be 1 or more, not {self.hidden}.")

    def units(self, size: int) -> int:
        """How many hidden units there are over sentence vectors of that size."""
        return 0 if self.architecture == "single-layer" or size == 0 else 3 * self.hidden

    def mask(self, size: int) -> Array:
        """(3D, U) of 1 where an input reaches a hidden unit; rows x_1, x_2, x_r."""
        mask = np.ones((3 * size, self.units(size)), np.float32)
        if self.architecture == "pairwise":
            h = self.hidden
            mask[2 * size :, :h] = 0  # h_12 does not see the reference
            mask[size : 2 * size, h : 2 * h] = 0  # h_1r does not see t2
            mask[:size, 2 * h :] = 0  # h_2r does not see t1
        return mask


def check_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        raise CupelError(f"There is no {what} {value!r}; there are: {', '.join(choices)}.")


@dataclass(frozen=True)
class Normalisation:
    """Min-max to [-1, 1], fitted on training data; beyond it values are not clipped.

    Apart for translations (both of a pair pooled), references and skip-arc features. A feature
    that never varied becomes 0.
    """

    x_low: Array
    x_high: Array
    reference_low: Array
    reference_high: Array
    psi_low: Array
    psi_high: Array

    @classmethod
    def fit(cls, x: Array, references: Array, psi: Array) -> Normalisation:
        """The least and the greatest value of each column."""
        bounds = []
        for name, table in (("x", x), ("references", references), ("psi", psi)):
            if not len(table):
                raise CupelError(f"There is nothing to fit the normalisation of {name} on.")
            bounds += [table.min(0).astype(np.float64), table.max(0).astype(np.float64)]
        return cls(*bounds)

    def x(self, values: Array) -> FloatArray:
        return _scaled(values, self.x_low, self.x_high)

    def references(self, values: Array) -> FloatArray:
        return _scaled(values, self.reference_low, self.reference_high)

    def psi(self, values: Array) -> FloatArray:
        return _scaled(values, self.psi_low, self.psi_high)

    def digest(self) -> str:
        """What the card of the weights that were trained with it says."""
        content = b"".join(np.ascontiguousarray(a, np.float64).tobytes() for a in _arrays(self))
        return hashlib.sha256(content).hexdigest()


def _scaled(values: Array, low: Array, high: Array) -> FloatArray:
    span = high - low
    varied = span > 0
    scale = np.divide(2.0, span, out=np.zeros_like(span), where=varied)
    scaled: FloatArray = values * scale
    scaled += np.where(varied, -low * scale - 1, 0.0)
    return scaled


def _arrays(one: Any) -> list[Array]:
    return [getattr(one, field.name) for field in fields(one)]


@dataclass(frozen=True)
class Network:
    """The weights: hidden (3D, U), hidden_bias (U,), output (U,), skip (K,), bias (1,).

    K is 2F, and 3D + 2F in the single-layer network, which has no hidden units.
    """

    hidden: Array
    hidden_bias: Array
    output: Array
    skip: Array
    bias: Array

    @property
    def direct(self) -> bool:
        """Whether x goes straight to the output: the single-layer network."""
        return bool(self.hidden.shape[1] == 0 and self.hidden.shape[0] > 0)

    def logit(self, x1: Array, x2: Array, r: Array, psi1: Array, psi2: Array) -> FloatArray:
        """(n,): the output before the sigmoid; one row may stand for all."""
        size, features = x1.shape[-1], psi1.shape[-1]
        w1, w2, wr = np.split(self.hidden, [size, 2 * size])
        units = np.tanh(x1 @ w1 + x2 @ w2 + r @ wr + self.hidden_bias)
        arcs = self.skip[-2 * features :] if features else self.skip[:0]
        z = units @ self.output + psi1 @ arcs[:features] + psi2 @ arcs[features:] + self.bias[0]
        if self.direct:
            u1, u2, ur = np.split(self.skip[: 3 * size], 3)
            z = z + x1 @ u1 + x2 @ u2 + r @ ur
        return np.asarray(z, np.float64)


def sigmoid(z: FloatArray) -> FloatArray:
    """1 / (1 + exp(-z)), without overflow."""
    e = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1 / (1 + e), e / (1 + e)), np.float64)


def antisymmetric(there: FloatArray, back: FloatArray) -> FloatArray:
    """(1 + p(a, b) - p(b, a)) / 2, rounded so that it and its counterpart add up to exactly 1."""
    half = 0.5 + np.abs(there - back) / 2
    return np.asarray(np.where(there >= back, half, 1 - half), np.float64)


@dataclass(frozen=True)
class Model:
    """A trained network, the normalisation it was trained with, and its empty translation.

    mean_x, mean_psi: the mean translation of the training pairs, normalised (section 6.1 b).
    encoder: makes the first numbers of x, where sentences are encoded on the fly.
    """

    network: Network
    normalisation: Normalisation
    mean_x: Array
    mean_psi: Array
    card: Mapping[str, Any]
    encoder: Encoder | None = None

    def __post_init__(self) -> None:
        d, f = len(self.normalisation.x_low), len(self.normalisation.psi_low)
        n = self.network
        units = n.hidden.shape[1] if n.hidden.ndim == 2 else -1
        skip = 2 * f + (3 * d if n.direct else 0)
        shapes = (n.hidden.shape[0], len(n.hidden_bias), len(n.output), len(n.skip))
        means = len(self.mean_x), len(self.mean_psi)
        if shapes != (3 * d, units, units, skip) or means != (d, f):
            raise CupelError(
                f"Weights and normalisation do not belong together: the network takes "
                f"{n.hidden.shape[0] // 3} numbers of a sentence and {len(n.skip)} skip arcs, the "
                f"normalisation has {d} and {f} features of a translation."
            )
        if (digest := self.card.get("normalisation")) not in (None, self.normalisation.digest()):
            raise CupelError(
                "Weights and normalisation do not belong together: the card names the normalisation "
                f"{str(digest)[:12]}..., {self.normalisation.digest()[:12]}... is there."
            )

    @property
    def features(self) -> tuple[str, ...]:
        """The features it was trained with, in their order."""
        return tuple(self.card["features"])

    def probability(
        self, x1: Array, x2: Array, references: Array, psi1: Array, psi2: Array
    ) -> FloatArray:
        """(n,) p(t1, t2, r) of raw features: the paper's pairwise prediction, not symmetric."""
        norm = self.normalisation
        return sigmoid(
            self.network.logit(
                norm.x(x1), norm.x(x2), norm.references(references), norm.psi(psi1), norm.psi(psi2)
            )
        )

    def preference(
        self, x1: Array, x2: Array, references: Array, psi1: Array, psi2: Array
    ) -> FloatArray:
        """(n,) (1 + p(t1, t2, r) - p(t2, t1, r)) / 2: exactly antisymmetric about 1/2."""
        there = self.probability(x1, x2, references, psi1, psi2)
        back = self.probability(x2, x1, references, psi2, psi1)
        return antisymmetric(there, back)

    def against_empty(
        self, x: Array, references: Array, psi: Array, empty: str = "mean"
    ) -> tuple[FloatArray, FloatArray]:
        """(n,) each: p(t, empty, r) and p(empty, t, r), for translations' raw features."""
        if empty not in EMPTIES:
            raise CupelError(f"There is no empty translation {empty!r}: {' or '.join(EMPTIES)}.")
        norm = self.normalisation
        scale = 1.0 if empty == "mean" else 0.0
        x0, psi0 = scale * self.mean_x[None], scale * self.mean_psi[None]
        x, r, psi = norm.x(x), norm.references(references), norm.psi(psi)
        win = sigmoid(self.network.logit(x, x0, r, psi, psi0))
        lose = sigmoid(self.network.logit(x0, x, r, psi0, psi))
        return win, lose

    def absolute(self, x: Array, references: Array, psi: Array, empty: str = "mean") -> FloatArray:
        """(n,) p(t, empty, r) - p(empty, t, r): by what margin t wins against an empty one."""
        win, lose = self.against_empty(x, references, psi, empty)
        return win - lose
