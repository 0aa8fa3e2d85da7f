"""Training of the pairwise network in minibatches: forward, backward and AdaGrad, compiled.

One row of inputs is [x_t1, x_t2, x_r] for the hidden units and [psi_1r, psi_2r] (or all of both,
in the single-layer network) for the output:

    s = sig(v . tanh(X W + b) + S . u + c)

Which input reaches which hidden unit is a mask over W: the pairwise network is the fully connected
one with a third of its weights held at zero.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from cupel.arrays import Float32Array, IntArray

LOGISTIC, KENDALL = 0, 1
EPSILON = np.float32(1e-8)


class Parameters(NamedTuple):
    """The weights: hidden W (3D, U) and b (U,), output v (U,), u (K,) and c (1,)."""

    hidden: Float32Array
    hidden_bias: Float32Array
    output: Float32Array
    skip: Float32Array
    bias: Float32Array


class Inputs(NamedTuple):
    """Normalised features of items and references, and who is compared with whom.

    direct: whether x goes straight to the output too (the single-layer network).
    """

    x: Float32Array
    references: Float32Array
    psi: Float32Array
    reference: IntArray
    first: IntArray
    second: IntArray
    label: IntArray
    direct: bool


@njit(nogil=True)
def _fill(inputs: Inputs, pair: int, swapped: int, wide: Float32Array, arcs: Float32Array) -> None:
    """The inputs of one pair, its translations in this order or the other, as a row."""
    first, second = inputs.first[pair], inputs.second[pair]
    if swapped:
        first, second = second, first
    reference = inputs.reference[first]
    size, features = inputs.x.shape[1], inputs.psi.shape[1]
    for j in range(size):
        wide[j] = inputs.x[first, j]
        wide[size + j] = inputs.x[second, j]
        wide[2 * size + j] = inputs.references[reference, j]
    at = 0
    if inputs.direct:
        arcs[: 3 * size] = wide[: 3 * size]
        at = 3 * size
    for j in range(features):
        arcs[at + j] = inputs.psi[first, j]
        arcs[at + features + j] = inputs.psi[second, j]


@njit(nogil=True)
def _sigmoid(z: float) -> float:
    if z >= 0:
        return 1.0 / (1.0 + math.exp(-z))
    e = math.exp(z)
    return e / (1.0 + e)


@njit(nogil=True)
def _step(weight: Float32Array, total: Float32Array, gradient: Float32Array, rate: float) -> None:
    """AdaGrad: w -= rate * g / (sqrt(sum of g^2) + epsilon)."""
    total += gradient * gradient
    weight -= np.float32(rate) * gradient / (np.sqrt(total) + EPSILON)


@njit(nogil=True)
def _forward(p: Parameters, wide: Float32Array, arcs: Float32Array) -> tuple:  # type: ignore[type-arg]
    """(rows, U) hidden units and (rows,) outputs before the sigmoid."""
    if p.hidden.shape[1] == 0:
        return np.zeros((len(wide), 0), np.float32), np.dot(arcs, p.skip) + p.bias[0]
    units = np.tanh(np.dot(wide, p.hidden) + p.hidden_bias)
    return units, np.dot(units, p.output) + np.dot(arcs, p.skip) + p.bias[0]


@njit(nogil=True)
def train_epoch(
    p: Parameters,
    totals: Parameters,
    mask: Float32Array,
    inputs: Inputs,
    order: IntArray,
    batch: int,
    rate: float,
    decay: float,
    cost: int,
    gamma: float,
    beta: float,
    ties: float,
) -> float:
    """One pass over the examples; changes the weights and AdaGrad's totals; the mean cost.

    order: of the logistic cost 2 * pair + (1 where the two are exchanged); of the Kendall cost,
    which has both orders in every term, pairs. The cost of a minibatch is the mean over its
    examples, plus decay * (sum of squared weights) without the biases. The Kendall cost of one is
    y sig(-gamma D) + (1 - y) sig(gamma D) + ties exp(-beta D^2 / 2), D = p(t1, t2) - p(t2, t1).
    """
    wide_size, arcs_size = 3 * inputs.x.shape[1], len(p.skip)
    orders = 2 if cost == KENDALL else 1
    all_wide = np.zeros((batch * orders, wide_size), np.float32)
    all_arcs = np.zeros((batch * orders, arcs_size), np.float32)
    whole = 0.0
    for start in range(0, len(order), batch):
        count = min(batch, len(order) - start)
        wide, arcs = all_wide[: count * orders], all_arcs[: count * orders]
        for k in range(count):
            code = order[start + k]
            if cost == KENDALL:
                _fill(inputs, code, 0, wide[2 * k], arcs[2 * k])
                _fill(inputs, code, 1, wide[2 * k + 1], arcs[2 * k + 1])
            else:
                _fill(inputs, code >> 1, code & 1, wide[k], arcs[k])
        units, z = _forward(p, wide, arcs)
        slopes = np.empty(count * orders, np.float32)
        for k in range(count):
            code = order[start + k]
            if cost == KENDALL:
                s, t = _sigmoid(z[2 * k]), _sigmoid(z[2 * k + 1])
                delta = s - t
                y = inputs.label[code]
                right = _sigmoid(gamma * delta)
                tie = ties * math.exp(-beta * delta * delta / 2)
                whole += (1.0 - right if y == 1 else right) + tie
                slope = gamma * right * (1.0 - right) * (-1.0 if y == 1 else 1.0)
                slope -= beta * delta * tie
                slopes[2 * k] = slope * s * (1.0 - s) / count
                slopes[2 * k + 1] = -slope * t * (1.0 - t) / count
            else:
                y = inputs.label[code >> 1] ^ (code & 1)
                s = _sigmoid(z[k])
                whole -= math.log(max(s if y == 1 else 1.0 - s, 1e-12))
                slopes[k] = (s - y) / count
        shrink = np.float32(2 * decay)
        bias_gradient = np.zeros(1, np.float32)
        bias_gradient[0] = slopes.sum()
        skip_gradient = np.dot(arcs.T, slopes) + shrink * p.skip
        if p.hidden.shape[1] > 0:
            below = slopes.reshape(-1, 1) * p.output * (np.float32(1) - units * units)
            output_gradient = np.dot(units.T, slopes) + shrink * p.output
            hidden_gradient = np.dot(wide.T, below) * mask + shrink * p.hidden
            _step(p.hidden, totals.hidden, hidden_gradient, rate)
            _step(p.hidden_bias, totals.hidden_bias, below.sum(axis=0), rate)
            _step(p.output, totals.output, output_gradient, rate)
        _step(p.skip, totals.skip, skip_gradient, rate)
        _step(p.bias, totals.bias, bias_gradient, rate)
    return whole / max(len(order), 1)
