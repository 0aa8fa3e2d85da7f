"""Translation edit rate's search for shifts (Snover et al. 2006), as sacreBLEU's TER runs it.

A round aligns hypothesis and reference by edit distance, lists the phrases that could move, and
makes the move that lowers the distance most; rounds end when no move does. The result is the
number of moves and the distance left.

What makes it fast, none of which changes a result:

- Distances come from bit vectors (Hyyrö 2003), 64 cells of the matrix in a few instructions. They
  know no beam; sacreBLEU's has cells within 25 columns of the diagonal only. `_beam_is_wide` tells
  when the two must agree; the others are computed within the beam, cell by cell.
- A moved hypothesis shares the rows before the moved span with the unmoved one, and often the bit
  vectors behind it.
- Moves never change which words there are, so no distance falls below `floor`, the distance
  between the bags of words. A move counts as one edit: where `distance - floor` is at most 1,
  moving gains nothing.
- Candidates are listed before any is tried: a round that reaches the limit of candidates makes no
  move, whatever its candidates are worth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cupel.batch import FloatArray, IntArray
from cupel.kernels import inner_kernel, kernel
from cupel.text.tokens import Int32Array

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
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


@kernel
def ter_edits(
    ids: Int32Array,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
    vocabulary: int,
) -> FloatArray:
    """(n, 2): the fewest edits over an item's references, and the mean of their lengths."""
    items = len(hypothesis_index)
    result = np.zeros((items, 2), np.float64)
    scratch = _scratch(offsets, hypothesis_index, reference_index, reference_offsets)
    first = np.full(vocabulary, -1, np.int32)
    for item in range(items):
        sentence = hypothesis_index[item]
        hypothesis = ids[offsets[sentence] : offsets[sentence + 1]]
        best = 1 << 60
        length = 0
        for r in range(reference_offsets[item], reference_offsets[item + 1]):
            sentence = reference_index[r]
            reference = ids[offsets[sentence] : offsets[sentence + 1]]
            length += len(reference)
            if len(reference) == 0:
                best = min(best, len(hypothesis))
            else:
                floor = _load(scratch, hypothesis, reference, first)
                if floor < best:
                    n, m = len(hypothesis), len(reference)
                    best = min(best, _pair_edits(scratch, n, m, floor, best))
        result[item, 0] = best
        result[item, 1] = length / (reference_offsets[item + 1] - reference_offsets[item])
    return result


@inner_kernel
def _scratch(
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
) -> Scratch:
    n = 0
    m = 0
    cells = 0
    for item in range(len(hypothesis_index)):
        h = hypothesis_index[item]
        rows = offsets[h + 1] - offsets[h]
        n = max(n, rows)
        for r in range(reference_offsets[item], reference_offsets[item + 1]):
            columns = offsets[reference_index[r] + 1] - offsets[reference_index[r]]
            m = max(m, columns)
            cells = max(cells, (rows + 1) * _beam_stride(rows, columns))
    blocks = min((m + WORD - 1) // WORD, MAX_BLOCKS)
    return Scratch(
        hypothesis=np.empty(n, np.int32),
        shifted=np.empty(n, np.int32),
        reference=np.empty(m, np.int32),
        last=np.empty(m, np.int32),
        alignment=np.empty(m, np.int32),
        hypothesis_errors=np.empty(n + 1, np.int32),
        reference_errors=np.empty(m + 1, np.int32),
        candidates=np.empty((MAX_CANDIDATES + MAX_SHIFT_SIZE + 1, 3), np.int32),
        equal=np.empty((min(m, MAX_BLOCKS * WORD) + 1) * blocks, np.uint64),
        vectors=np.empty(((n + 1) * blocks, 4), np.uint64),
        final=np.empty(n + 1, np.int32),
        band=np.empty(cells, np.int32),
        row=np.empty(m + 1, np.int32),
    )


@inner_kernel
def _load(s: Scratch, hypothesis: Int32Array, reference: Int32Array, first: Int32Array) -> int:
    """Put a pair into the scratch, as classes; returns the distance between the bags of words.

    `first` is -1 for every word, before and after.
    """
    n, m = len(hypothesis), len(reference)
    counts = s.row
    for j in range(m):
        if first[reference[j]] < 0:
            first[reference[j]] = j
            counts[j] = 0
        c = first[reference[j]]
        s.reference[j] = c
        s.last[c] = j
        counts[c] += 1
    matched = 0
    for i in range(n):
        c = first[hypothesis[i]]
        if c < 0:
            c = m
        elif counts[c] > 0:
            counts[c] -= 1
            matched += 1
        s.hypothesis[i] = c
        s.shifted[i] = c
    for j in range(m):
        first[reference[j]] = -1
    blocks = (m + WORD - 1) // WORD
    if blocks <= MAX_BLOCKS:
        for k in range((m + 1) * blocks):
            s.equal[k] = ZERO
        for j in range(m):
            s.equal[s.reference[j] * blocks + j // WORD] |= ONE << np.uint64(j % WORD)
    return max(n, m) - matched


@inner_kernel
def _pair_edits(s: Scratch, n: int, m: int, floor: int, enough: int) -> int:
    """Shifts made, and the edit distance then left; stops early where it cannot be < `enough`."""
    shifts = 0
    checked = 0
    while True:
        distance = _align(s, n, m)
        if distance - floor <= 1 or shifts + floor >= enough:
            return shifts + distance
        found, count = _list_candidates(s, n, m, checked)
        checked += count
        if checked >= MAX_CANDIDATES:
            return shifts + distance
        gain = _make_best_shift(s, n, m, found, distance, floor)
        if gain == 0:
            return shifts + distance
        shifts += 1
        if distance - gain == floor:
            return shifts + floor


@inner_kernel
def _list_candidates(s: Scratch, n: int, m: int, checked: int) -> tuple[int, int]:
    """Fill `candidates`; returns how many are there, and how many count against the limit.

    A candidate is a phrase of up to 10 words that also stands in the reference, at most 50 words
    away, where some word is wrong both here and there. Its targets are behind the words that the
    reference's phrase, and the word before it, are aligned to. Targets that move nothing are
    counted only.
    """
    found = 0
    count = 0
    for i in range(n):
        c = s.hypothesis[i]
        if c == m or s.hypothesis_errors[min(i + MAX_SHIFT_SIZE, n)] == s.hypothesis_errors[i]:
            continue
        for j in range(max(c, i - MAX_SHIFT_DISTANCE), min(s.last[c], i + MAX_SHIFT_DISTANCE) + 1):
            if s.reference[j] != c:
                continue
            longest = min(MAX_SHIFT_SIZE, n - i, m - j)
            length = 0
            while length < longest and s.hypothesis[i + length] == s.reference[j + length]:
                length += 1
                if s.hypothesis_errors[i + length] == s.hypothesis_errors[i]:
                    continue
                if s.reference_errors[j + length] == s.reference_errors[j]:
                    continue
                if i <= s.alignment[j] < i + length:
                    break  # and so it is for all longer ones
                previous = -1
                for position in range(j - 1, j + length):
                    target = s.alignment[position] + 1 if position >= 0 else 0
                    if target == previous:
                        continue
                    previous = target
                    count += 1
                    if target != i:
                        s.candidates[found, 0] = length
                        s.candidates[found, 1] = i
                        s.candidates[found, 2] = target
                        found += 1
                if checked + count >= MAX_CANDIDATES:
                    return found, count
    return found, count


@inner_kernel
def _make_best_shift(s: Scratch, n: int, m: int, found: int, distance: int, floor: int) -> int:
    """Make the shift that lowers the distance most; returns by how much (0: none is made).

    Equal gains: the longest phrase, then the first, then the first target.
    """
    best_gain = 0
    best_length = 0
    best_start = 0
    best_target = 0
    for number in range(found):
        length = s.candidates[number, 0]
        start = s.candidates[number, 1]
        target = s.candidates[number, 2]
        preferred = length > best_length or (
            length == best_length
            and (start < best_start or (start == best_start and target < best_target))
        )
        least = best_gain if preferred and best_gain > 0 else best_gain + 1
        low, high = _shift(s, n, length, start, target)
        gain = distance - _shifted_distance(s, n, m, low, high, distance - least)
        if gain >= least:
            best_gain, best_length, best_start, best_target = gain, length, start, target
        for i in range(low, high):
            s.shifted[i] = s.hypothesis[i]
        if gain == distance - floor:
            break
    if best_gain > 0:
        low, high = _shift(s, n, best_length, best_start, best_target)
        for i in range(low, high):
            s.hypothesis[i] = s.shifted[i]
    return best_gain


@inner_kernel
def _shift(s: Scratch, n: int, length: int, start: int, target: int) -> tuple[int, int]:
    """Move a phrase within `shifted`; returns the span that changed.

    A target within the phrase moves it to the right by as many words as the target is.
    """
    if target < start:
        low, middle, high = target, start, start + length
    else:
        high = target if target > start + length else min(n, target + length)
        low, middle = start, start + length
    to = low
    for i in range(middle, high):
        s.shifted[to] = s.hypothesis[i]
        to += 1
    for i in range(low, middle):
        s.shifted[to] = s.hypothesis[i]
        to += 1
    return low, high


@inner_kernel
def _shifted_distance(s: Scratch, n: int, m: int, low: int, high: int, most: int) -> int:
    """Distance of `shifted`, which differs from `hypothesis` in rows low to high; any number
    above `most` where it is above.

    `most` is below the distance of `hypothesis`: where that one did not need the beam, this one
    does not, and where this one does, the rows of that one are there.
    """
    if m <= MAX_BLOCKS * WORD:
        if m <= WORD:
            distance = _bits_shifted(s, n, m, low, high)
        else:
            distance = _bits_shifted_blocks(s, n, m, low, high)
        if distance > most or _beam_is_wide(n, m, distance):
            return distance
    return _beam_shifted(s, n, m, low)


@inner_kernel
def _align(s: Scratch, n: int, m: int) -> int:
    """Distance of `hypothesis`, and the alignment and errors of its edits."""
    if m <= MAX_BLOCKS * WORD:
        distance = _bits_rows(s, n, m)
        if _beam_is_wide(n, m, distance):
            _trace(s, n, m, False)
            return distance
    distance = _beam_rows(s, n, m)
    _trace(s, n, m, True)
    return distance


@inner_kernel
def _beam_is_wide(n: int, m: int, distance: int) -> bool:
    """Whether every path of cost `distance` through the matrix lies within the beam.

    Such a path strays (distance + |n - m|) / 2 from the line between the corners at most; the
    beam reaches from 25 columns before that line, rounded down, to 24 behind.
    """
    return m < BEAM_WIDTH or distance + abs(n - m) <= 2 * (BEAM_WIDTH - 2)


@inner_kernel
def _trace(s: Scratch, n: int, m: int, beam: bool) -> None:
    """Alignment and running sums of errors, going back from the end of both sentences."""
    i, j = n, m
    while j > 0:
        s.alignment[j - 1] = i - 1
        s.reference_errors[j] = 1
        move = REFERENCE
        if i > 0:
            move = _beam_move(s, n, m, i, j) if beam else _bits_move(s, m, i, j)
            if move != REFERENCE:
                s.hypothesis_errors[i] = 1
                if s.hypothesis[i - 1] == s.reference[j - 1] and move == BOTH:
                    s.hypothesis_errors[i] = 0
                    s.reference_errors[j] = 0
                i -= 1
        if move != HYPOTHESIS:
            j -= 1
    while i > 0:
        s.hypothesis_errors[i] = 1
        i -= 1
    s.hypothesis_errors[0] = 0
    for i in range(n):
        s.hypothesis_errors[i + 1] += s.hypothesis_errors[i]
    s.reference_errors[0] = 0
    for j in range(m):
        s.reference_errors[j + 1] += s.reference_errors[j]


@inner_kernel
def _bits_move(s: Scratch, m: int, i: int, j: int) -> int:
    """How cell (i, j) was reached: of equally cheap ways BOTH, then HYPOTHESIS."""
    if s.hypothesis[i - 1] == s.reference[j - 1]:
        return BOTH
    block = i * ((m + WORD - 1) // WORD) + (j - 1) // WORD
    bit = ONE << np.uint64((j - 1) % WORD)
    if not s.vectors[block, DIAGONAL] & bit:
        return BOTH
    return HYPOTHESIS if s.vectors[block, RISE] & bit else REFERENCE


@inner_kernel
def _beam_move(s: Scratch, n: int, m: int, i: int, j: int) -> int:
    """The same, within the beam."""
    cost = _beam_cell(s, n, m, i, j)
    if cost == _beam_cell(s, n, m, i - 1, j - 1) + (s.hypothesis[i - 1] != s.reference[j - 1]):
        return BOTH
    return HYPOTHESIS if cost == _beam_cell(s, n, m, i - 1, j) + 1 else REFERENCE


@inner_kernel
def _next_block(
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
def _bits_rows(s: Scratch, n: int, m: int) -> int:
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
            new[PLUS], new[MINUS], new[DIAGONAL], rise, fall = _next_block(
                match, old[PLUS], old[MINUS], rise >> TOP, fall >> TOP
            )
            new[RISE] = rise
        s.final[i + 1] = s.final[i] + bool(rise & top) - bool(fall & top)
    return int(s.final[n])


@inner_kernel
def _bits_shifted(s: Scratch, n: int, m: int, low: int, high: int) -> int:
    """Distance of `shifted` to a reference of up to 64 words."""
    top = ONE << np.uint64(m - 1)
    plus = s.vectors[low, PLUS]
    minus = s.vectors[low, MINUS]
    distance = int(s.final[low])
    for i in range(low, n):
        if i == high and plus == s.vectors[i, PLUS] and minus == s.vectors[i, MINUS]:
            return distance + int(s.final[n] - s.final[i])
        plus, minus, _, rise, fall = _next_block(s.equal[s.shifted[i]], plus, minus, ONE, ZERO)
        distance += bool(rise & top) - bool(fall & top)
    return distance


@inner_kernel
def _bits_shifted_blocks(s: Scratch, n: int, m: int, low: int, high: int) -> int:
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
        if i == high and _same_row(s, i, blocks):
            return distance + int(s.final[n] - s.final[i])
        rise, fall = HIGHEST, ZERO
        for b in range(blocks):
            row = s.vectors[b]
            match = s.equal[s.shifted[i] * blocks + b]
            row[DIAGONAL], row[RISE], _, rise, fall = _next_block(
                match, row[DIAGONAL], row[RISE], rise >> TOP, fall >> TOP
            )
        distance += bool(rise & top) - bool(fall & top)
    return distance


@inner_kernel
def _same_row(s: Scratch, i: int, blocks: int) -> bool:
    for b in range(blocks):
        old = s.vectors[i * blocks + b]
        if s.vectors[b, DIAGONAL] != old[PLUS] or s.vectors[b, RISE] != old[MINUS]:
            return False
    return True


@inner_kernel
def _beam_width(n: int, m: int) -> int:
    """Half the width of the beam; wider where a row is more than 50 columns from the next."""
    ratio = m / n if n else 1.0
    return int(np.ceil(ratio / 2 + BEAM_WIDTH)) if ratio / 2 > BEAM_WIDTH else BEAM_WIDTH


@inner_kernel
def _beam_span(n: int, m: int, i: int) -> tuple[int, int]:
    """First column of row i within the beam, and one past the last. Row 0 is there as a whole."""
    if i == 0:
        return 0, m + 1
    middle = int(np.floor(i * (m / n)))
    width = _beam_width(n, m)
    return max(0, middle - width), m + 1 if i == n else min(m + 1, middle + width)


@inner_kernel
def _beam_rows(s: Scratch, n: int, m: int) -> int:
    """All rows of the matrix within the beam, kept for the trace and for shifted hypotheses."""
    stride = _beam_stride(n, m)
    for j in range(m + 1):
        s.row[j] = j
    for i in range(1, n + 1):
        low, high = _beam_row(s, n, m, i, s.hypothesis[i - 1])
        for j in range(low, high):
            s.band[i * stride + j - low] = s.row[j]
    return int(s.row[m])


@inner_kernel
def _beam_shifted(s: Scratch, n: int, m: int, same: int) -> int:
    """Distance of `shifted` within the beam; its first rows are the same as `hypothesis` has."""
    stride = _beam_stride(n, m)
    low, high = _beam_span(n, m, same)
    for j in range(low, high):
        s.row[j] = s.band[same * stride + j - low] if same else j
    for i in range(same + 1, n + 1):
        _beam_row(s, n, m, i, s.shifted[i - 1])
    return int(s.row[m])


@inner_kernel
def _beam_row(s: Scratch, n: int, m: int, i: int, word: int) -> tuple[int, int]:
    """Turn row i - 1 in `row` into row i; returns its span. Cells outside the beam are infinite."""
    before, until = _beam_span(n, m, i - 1)
    low, high = _beam_span(n, m, i)
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
def _beam_cell(s: Scratch, n: int, m: int, i: int, j: int) -> int:
    if i == 0:
        return j
    low, high = _beam_span(n, m, i)
    if j < low or j >= high:
        return int(INFINITE)
    return int(s.band[i * _beam_stride(n, m) + j - low])


@inner_kernel
def _beam_stride(n: int, m: int) -> int:
    """Room for a row of the beam: 2 more than its width, for the last one, which goes to the end."""
    return min(2 * _beam_width(n, m) + 2, m + 1)
