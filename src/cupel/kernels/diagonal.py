"""The beam around the diagonal of an edit matrix, as TER and TERp search within it.

Row i is i words of a hypothesis of n words, column j is j words of a reference of m words. Cells
further than `beam` columns from the diagonal are left out.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import IntArray
from cupel.kernels import inner_kernel


@inner_kernel
def beam_width(beam: int, n: int, m: int) -> int:
    """Half the width of the beam; wider where a row is far from the next."""
    ratio = m / n if n else 1.0
    return int(np.ceil(ratio / 2 + beam)) if ratio / 2 > beam else beam


@inner_kernel
def beam_span(beam: int, n: int, m: int, i: int) -> tuple[int, int]:
    """First column of row i within the beam, and one past the last. Row 0 is there as a whole."""
    if i == 0:
        return 0, m + 1
    middle = int(np.floor(i * (m / n)))
    width = beam_width(beam, n, m)
    return max(0, middle - width), m + 1 if i == n else min(m + 1, middle + width)


@inner_kernel
def beam_stride(beam: int, n: int, m: int) -> int:
    """Room for a row of the beam: 2 more than its width, for the last one, which goes to the end."""
    return min(2 * beam_width(beam, n, m) + 2, m + 1)


@inner_kernel
def room(
    beam: int,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
) -> tuple[int, int, int]:
    """The longest hypothesis, the longest reference, and the cells of the largest matrix."""
    n = 0
    m = 0
    cells = 0
    for item in range(len(hypothesis_index)):
        h = hypothesis_index[item]
        rows = offsets[h + 1] - offsets[h]
        n = max(n, rows)
        for k in range(reference_offsets[item], reference_offsets[item + 1]):
            columns = offsets[reference_index[k] + 1] - offsets[reference_index[k]]
            m = max(m, columns)
            cells = max(cells, (rows + 1) * beam_stride(beam, rows, columns))
    return n, m, cells
