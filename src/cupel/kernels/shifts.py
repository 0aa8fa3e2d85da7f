"""Translation edit rate's search for shifts (Snover et al. 2006), as sacreBLEU's TER runs it.

A round aligns hypothesis and reference by edit distance, lists the phrases that could move, and
makes the move that lowers the distance most; rounds end when no move does. The result is the
number of moves and the distance left.

What makes it fast, none of which changes a result:

- Distances come from bit vectors, 64 cells of the matrix in a few instructions, where the beam of
  sacreBLEU's matrix cannot matter (`cupel.kernels.ter_matrix`).
- A moved hypothesis shares the rows before the moved span with the unmoved one, and often the bit
  vectors behind it.
- Moves never change which words there are, so no distance falls below `floor`, the distance
  between the bags of words. A move counts as one edit: where `distance - floor` is at most 1,
  moving gains nothing.
- Candidates are listed before any is tried: a round that reaches the limit of candidates makes no
  move, whatever its candidates are worth.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel
from cupel.kernels.diagonal import room
from cupel.kernels.moves import comes_first, keep_move, move_phrase, undo_move
from cupel.kernels.ter_matrix import (
    BEAM_WIDTH,
    BOTH,
    HYPOTHESIS,
    MAX_BLOCKS,
    ONE,
    REFERENCE,
    WORD,
    ZERO,
    Scratch,
    beam_is_wide,
    beam_move,
    beam_rows,
    beam_shifted,
    bits_move,
    bits_rows,
    bits_shifted,
    bits_shifted_blocks,
)

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000


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


@kernel
def edit_kinds(
    ids: Int32Array,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
    vocabulary: int,
    edits: FloatArray,
) -> FloatArray:
    """(n, 4): insertions, deletions, substitutions and shifts; `edits` is their number, (n,).

    They turn the hypothesis into the first of the closest references: an insertion adds a word of
    the reference, a deletion removes one of the hypothesis.
    """
    kinds = np.zeros((len(hypothesis_index), 4), np.float64)
    scratch = _scratch(offsets, hypothesis_index, reference_index, reference_offsets)
    first = np.full(vocabulary, -1, np.int32)
    for item in range(len(hypothesis_index)):
        sentence = hypothesis_index[item]
        hypothesis = ids[offsets[sentence] : offsets[sentence + 1]]
        n, wanted = len(hypothesis), int(edits[item])
        for r in range(reference_offsets[item], reference_offsets[item + 1]):
            sentence = reference_index[r]
            reference = ids[offsets[sentence] : offsets[sentence + 1]]
            m = len(reference)
            if m == 0 and n == wanted:
                kinds[item, 1] = n
                break
            if m == 0:
                continue
            floor = _load(scratch, hypothesis, reference, first)
            if floor <= wanted and _pair_edits(scratch, n, m, floor, wanted + 1) == wanted:
                distance = _align(scratch, n, m)
                kinds[item, 0] = distance - scratch.hypothesis_errors[n]
                kinds[item, 1] = distance - scratch.reference_errors[m]
                kinds[item, 2] = distance - kinds[item, 0] - kinds[item, 1]
                kinds[item, 3] = wanted - distance
                break
    return kinds


@inner_kernel
def _scratch(
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
) -> Scratch:
    n, m, cells = room(BEAM_WIDTH, offsets, hypothesis_index, reference_index, reference_offsets)
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
        preferred = comes_first(length, start, target, best_length, best_start, best_target)
        least = best_gain if preferred and best_gain > 0 else best_gain + 1
        low, high = move_phrase(s, n, length, start, target)
        gain = distance - _shifted_distance(s, n, m, low, high, distance - least)
        if gain >= least:
            best_gain, best_length, best_start, best_target = gain, length, start, target
        undo_move(s, low, high)
        if gain == distance - floor:
            break
    if best_gain > 0:
        keep_move(s, n, best_length, best_start, best_target)
    return best_gain


@inner_kernel
def _shifted_distance(s: Scratch, n: int, m: int, low: int, high: int, most: int) -> int:
    """Distance of `shifted`, which differs from `hypothesis` in rows low to high; any number
    above `most` where it is above.

    `most` is below the distance of `hypothesis`: where that one did not need the beam, this one
    does not, and where this one does, the rows of that one are there.
    """
    if m <= MAX_BLOCKS * WORD:
        if m <= WORD:
            distance = bits_shifted(s, n, m, low, high)
        else:
            distance = bits_shifted_blocks(s, n, m, low, high)
        if distance > most or beam_is_wide(n, m, distance):
            return distance
    return beam_shifted(s, n, m, low)


@inner_kernel
def _align(s: Scratch, n: int, m: int) -> int:
    """Distance of `hypothesis`, and the alignment and errors of its edits."""
    if m <= MAX_BLOCKS * WORD:
        distance = bits_rows(s, n, m)
        if beam_is_wide(n, m, distance):
            _trace(s, n, m, False)
            return distance
    distance = beam_rows(s, n, m)
    _trace(s, n, m, True)
    return distance


@inner_kernel
def _trace(s: Scratch, n: int, m: int, beam: bool) -> None:
    """Alignment and running sums of errors, going back from the end of both sentences."""
    i, j = n, m
    while j > 0:
        s.alignment[j - 1] = i - 1
        s.reference_errors[j] = 1
        move = REFERENCE
        if i > 0:
            move = beam_move(s, n, m, i, j) if beam else bits_move(s, m, i, j)
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
