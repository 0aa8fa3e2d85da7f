"""The edit matrix of TER: by bit vectors where the beam cannot matter, within the beam elsewhere.

Distances come from bit vectors (Hyyrö 2003), 64 cells of the matrix in a few instructions. They
know no beam; sacreBLEU's matrix has cells within 25 columns of the diagonal only. `beam_is_wide`
tells when the two must agree; the others are computed within the beam, cell by cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cupel.arrays import Int32Array
from cupel.kernels import inner_kernel
from cupel.kernels.diagonal import beam_span, beam_stride

BEAM_WIDTH = 25

WORD = 64
MAX_BLOCKS = 4
"""References of more than 256 words are left to the beam: it is linear in them, bits are not."""

INFINITE = np.int32(1 << 29)
ONE = np.uint64(1)
ZERO = np.uint64(0)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
TOP = np.uint64(63)
HIGHEST = ONE << TOP

PLUS, MINUS = 0, 1
"""Cells that are 1 more, 1 less, than the one before them in their row."""
DIAGONAL, RISE = 2, 3
"""Cells equal to their diagonal neighbour; cells that are 1 more than the one above."""

BOTH, HYPOTHESIS, REFERENCE = 0, 1, 2
"""Moves through the matrix: past a word of both (equal or not), or of one sentence alone."""

BitArray = npt.NDArray[np.uint64]


class Scratch(NamedTuple):
    """Room for the longest pair of the batch, allocated once.

    A word's class is the first position of that word in the reference; words of the hypothesis
    that the reference does not have share the class m, its length.
    """

    hypothesis: Int32Array  # (n,)   classes, in the order that the shifts made so far give
    shifted: Int32Array  # (n,)      the same, but for the span that a candidate moves
    reference: Int32Array  # (m,)    classes
    last: Int32Array  # (m,)         last position of a class in the reference
    alignment: Int32Array  # (m,)    position in the hypothesis, -1 before the first word
    hypothesis_errors: Int32Array  # (n+1,)  running sums
    reference_errors: Int32Array  # (m+1,)
    candidates: Int32Array  # (., 3)  length, start, target
    equal: BitArray  # ((m+1)*b,)    positions of a class in the reference, as bits
    vectors: BitArray  # ((n+1)*b, 4)  PLUS, MINUS, DIAGONAL and RISE of each row of the matrix
    final: Int32Array  # (n+1,)      last column of the matrix
    band: Int32Array  # the rows within the beam, one after the other
    row: Int32Array  # (m+1,)


@inner_kernel
def beam_is_wide(n: int, m: int, distance: int) -> bool:
    """Whether every path of cost `distance` through the matrix lies within the beam.

    Such a path strays (distance + |n - m|) / 2 from the line between the corners at most; the
    beam reaches from 25 columns before that line, rounded down, to 24 behind.
    """
    return m < BEAM_WIDTH or distance + abs(n - m) <= 2 * (BEAM_WIDTH - 2)


@inner_kernel
def bits_move(s: Scratch, m: int, i: int, j: int) -> int:
    """How cell (i, j) was reached: of equally cheap ways BOTH, then HYPOTHESIS."""
    if s.hypothesis[i - 1] == s.reference[j - 1]:
        return BOTH
    block = i * ((m + WORD - 1) // WORD) + (j - 1) // WORD
    bit = ONE << np.uint64((j - 1) % WORD)
    if not s.vectors[block, DIAGONAL] & bit:
        return BOTH
    return HYPOTHESIS if s.vectors[block, RISE] & bit else REFERENCE


@inner_kernel
def beam_move(s: Scratch, n: int, m: int, i: int, j: int) -> int:
    """The same, within the beam."""
    cost = beam_cell(s, n, m, i, j)
    if cost == beam_cell(s, n, m, i - 1, j - 1) + (s.hypothesis[i - 1] != s.reference[j - 1]):
        return BOTH
    return HYPOTHESIS if cost == beam_cell(s, n, m, i - 1, j) + 1 else REFERENCE


@inner_kernel
def next_block(
    match: np.uint64,
    plus: np.uint64,
    minus: np.uint64,
    carry_plus: np.uint64,
    carry_minus: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """64 cells of the next row: PLUS, MINUS, DIAGONAL, RISE, and the cells that fall by 1.

    The carries say whether the cell before them rises or falls.
    """
    match |= carry_minus
    diagonal = (((match & plus) + plus) ^ plus) | match | minus
    rise = minus | ~(diagonal | plus)
    fall = diagonal & plus
    rise_before = (rise << ONE) | carry_plus
    fall_before = (fall << ONE) | carry_minus
    return fall_before | ~(diagonal | rise_before), rise_before & diagonal, diagonal, rise, fall


@inner_kernel
def bits_rows(s: Scratch, n: int, m: int) -> int:
    """All rows of the matrix as bit vectors, kept for the trace and for shifted hypotheses."""
    blocks = (m + WORD - 1) // WORD
    top = ONE << np.uint64((m - 1) % WORD)
    for b in range(blocks):
        s.vectors[b, PLUS] = ALL
        s.vectors[b, MINUS] = ZERO
    s.final[0] = m
    for i in range(n):
        rise, fall = HIGHEST, ZERO
        for b in range(blocks):
            old = s.vectors[i * blocks + b]
            new = s.vectors[(i + 1) * blocks + b]
            match = s.equal[s.hypothesis[i] * blocks + b]
            new[PLUS], new[MINUS], new[DIAGONAL], rise, fall = next_block(
                match, old[PLUS], old[MINUS], rise >> TOP, fall >> TOP
            )
            new[RISE] = rise
        s.final[i + 1] = s.final[i] + bool(rise & top) - bool(fall & top)
    return int(s.final[n])


@inner_kernel
def bits_shifted(s: Scratch, n: int, m: int, low: int, high: int) -> int:
    """Distance of `shifted` to a reference of up to 64 words."""
    top = ONE << np.uint64(m - 1)
    plus = s.vectors[low, PLUS]
    minus = s.vectors[low, MINUS]
    distance = int(s.final[low])
    for i in range(low, n):
        if i == high and plus == s.vectors[i, PLUS] and minus == s.vectors[i, MINUS]:
            return distance + int(s.final[n] - s.final[i])
        plus, minus, _, rise, fall = next_block(s.equal[s.shifted[i]], plus, minus, ONE, ZERO)
        distance += bool(rise & top) - bool(fall & top)
    return distance


@inner_kernel
def bits_shifted_blocks(s: Scratch, n: int, m: int, low: int, high: int) -> int:
    """Distance of `shifted` to a longer reference. Its PLUS and MINUS stand where row 0 has no
    use for DIAGONAL and RISE.
    """
    blocks = (m + WORD - 1) // WORD
    top = ONE << np.uint64((m - 1) % WORD)
    distance = int(s.final[low])
    for b in range(blocks):
        s.vectors[b, DIAGONAL] = s.vectors[low * blocks + b, PLUS]
        s.vectors[b, RISE] = s.vectors[low * blocks + b, MINUS]
    for i in range(low, n):
        if i == high and same_row(s, i, blocks):
            return distance + int(s.final[n] - s.final[i])
        rise, fall = HIGHEST, ZERO
        for b in range(blocks):
            row = s.vectors[b]
            match = s.equal[s.shifted[i] * blocks + b]
            row[DIAGONAL], row[RISE], _, rise, fall = next_block(
                match, row[DIAGONAL], row[RISE], rise >> TOP, fall >> TOP
            )
        distance += bool(rise & top) - bool(fall & top)
    return distance


@inner_kernel
def same_row(s: Scratch, i: int, blocks: int) -> bool:
    """Whether row i of the moved hypothesis has the bit vectors of the unmoved one."""
    for b in range(blocks):
        old = s.vectors[i * blocks + b]
        if s.vectors[b, DIAGONAL] != old[PLUS] or s.vectors[b, RISE] != old[MINUS]:
            return False
    return True


@inner_kernel
def beam_rows(s: Scratch, n: int, m: int) -> int:
    """All rows of the matrix within the beam, kept for the trace and for shifted hypotheses."""
    stride = beam_stride(BEAM_WIDTH, n, m)
    for j in range(m + 1):
        s.row[j] = j
    for i in range(1, n + 1):
        low, high = beam_row(s, n, m, i, s.hypothesis[i - 1])
        for j in range(low, high):
            s.band[i * stride + j - low] = s.row[j]
    return int(s.row[m])


@inner_kernel
def beam_shifted(s: Scratch, n: int, m: int, same: int) -> int:
    """Distance of `shifted` within the beam; its first rows are the same as `hypothesis` has."""
    stride = beam_stride(BEAM_WIDTH, n, m)
    low, high = beam_span(BEAM_WIDTH, n, m, same)
    for j in range(low, high):
        s.row[j] = s.band[same * stride + j - low] if same else j
    for i in range(same + 1, n + 1):
        beam_row(s, n, m, i, s.shifted[i - 1])
    return int(s.row[m])


@inner_kernel
def beam_row(s: Scratch, n: int, m: int, i: int, word: int) -> tuple[int, int]:
    """Turn row i - 1 in `row` into row i; returns its span. Cells outside the beam are infinite."""
    before, until = beam_span(BEAM_WIDTH, n, m, i - 1)
    low, high = beam_span(BEAM_WIDTH, n, m, i)
    for j in range(until, high):
        s.row[j] = INFINITE
    corner = s.row[low - 1] if low > before else INFINITE
    left = INFINITE
    for j in range(low, high):
        above = s.row[j]
        value = min(above, left) + 1
        if j > 0:
            value = min(value, corner + (s.reference[j - 1] != word))
        corner = above
        left = value
        s.row[j] = value
    return low, high


@inner_kernel
def beam_cell(s: Scratch, n: int, m: int, i: int, j: int) -> int:
    """The distance at row i, column j; infinite outside the beam."""
    if i == 0:
        return j
    low, high = beam_span(BEAM_WIDTH, n, m, i)
    if j < low or j >= high:
        return int(INFINITE)
    return int(s.band[i * beam_stride(BEAM_WIDTH, n, m) + j - low])
