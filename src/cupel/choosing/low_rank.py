"""A matrix from some of its cells: the nearest of low rank, by alternating least squares.

Trabelsi et al. 2024, Efficient Minimum Bayes Risk Decoding using Low-Rank Matrix Completion
Algorithms: the matrix of all utilities is close to one of low rank, so that an eighth of its cells
says nearly as much as all. The mean of the cells is taken off first, which the paper does not.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, IntArray

STEPS = 10
PENALTY = 1.0
"""Of cells with deviation 1; 0.1, as in mbrs, follows the noise of so few cells (docs/research/mbr.md)."""


def completed(
    rows: IntArray,
    columns: IntArray,
    values: FloatArray,
    shape: tuple[int, int],
    rank: int,
    generator: np.random.Generator,
) -> FloatArray:
    """The whole matrix; cells that were given keep their values.

    rows, columns, values: (n,) the given cells.
    """
    mean, spread = float(values.mean()), float(values.std()) or 1.0
    cells = (values - mean) / spread
    right = generator.normal(scale=0.1, size=(shape[1], rank))
    left = np.zeros((shape[0], rank))
    for _ in range(STEPS):
        left = _solved(rows, columns, cells, right, shape[0])
        right = _solved(columns, rows, cells, left, shape[1])
    matrix: FloatArray = left @ right.T * spread + mean
    matrix[rows, columns] = values
    return matrix


def _solved(
    rows: IntArray, columns: IntArray, cells: FloatArray, other: FloatArray, count: int
) -> FloatArray:
    """(count, rank): ridge regression of each row's cells on the factors of their columns."""
    rank = other.shape[1]
    factors = other[columns]
    products = np.zeros((count, rank, rank))
    targets = np.zeros((count, rank))
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(count + 1))
    for row in range(count):
        own = order[starts[row] : starts[row + 1]]
        block = factors[own]
        products[row] = block.T @ block
        targets[row] = cells[own] @ block
    products += PENALTY * np.eye(rank)
    solution: FloatArray = np.linalg.solve(products, targets[..., None])[..., 0].astype(np.float64)
    return solution
