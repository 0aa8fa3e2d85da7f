"""Splitting text into numbered words, in one pass over its code points.

White space separates words, and so does punctuation by the rules of a tokenizer: those of mteval's
`13a` and of chrF++ are here, because they decide from letters next to each other alone. Equal words
get equal numbers, in order of first appearance: a hash table finds them, and compares them
letter by letter, so that numbers are exact.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import BoolArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel

BLANK, COMMA, DASH, PERIOD = 32, 44, 45, 46

# Which rules apply to what stands between white space.
NO_RULES = 0
RULES_13A = 1
RULES_CHRF = 2  # one punctuation mark at the end goes apart, or else one at the start


@inner_kernel
def _is_digit(code: int) -> bool:
    return 48 <= code <= 57


@inner_kernel
def _is_stop(code: int) -> bool:
    return code in (COMMA, PERIOD)


@inner_kernel
def _is_apart(code: int) -> bool:
    """Punctuation that is always a word of its own: rule 1 of 13a."""
    return (
        33 <= code <= 38
        or 40 <= code <= 43
        or code == 47
        or 58 <= code <= 64
        or 91 <= code <= 96
        or 123 <= code <= 126
    )


@inner_kernel
def _is_punctuation(code: int) -> bool:
    return _is_apart(code) or code == 39 or COMMA <= code <= PERIOD


@inner_kernel
def _rule_2(given: Int32Array, length: int, out: Int32Array) -> int:
    """A period or comma goes apart unless a digit stands before it. Returns the new length."""
    at = 0
    end = 0
    while at < length:
        out[end] = given[at]
        if at + 1 < length and not _is_digit(given[at]) and _is_stop(given[at + 1]):
            out[end + 1] = BLANK
            out[end + 2] = given[at + 1]
            out[end + 3] = BLANK
            end += 4
            at += 2
        else:
            end += 1
            at += 1
    return end


@inner_kernel
def _rule_3(given: Int32Array, length: int, out: Int32Array) -> int:
    """A period or comma goes apart unless a digit stands behind it."""
    at = 0
    end = 0
    while at < length:
        if at + 1 < length and _is_stop(given[at]) and not _is_digit(given[at + 1]):
            out[end] = BLANK
            out[end + 1] = given[at]
            out[end + 2] = BLANK
            out[end + 3] = given[at + 1]
            end += 4
            at += 2
        else:
            out[end] = given[at]
            end += 1
            at += 1
    return end


@inner_kernel
def _rule_4(given: Int32Array, length: int, out: Int32Array) -> int:
    """A dash goes apart behind a digit."""
    end = 0
    for at in range(length):
        out[end] = given[at]
        end += 1
        if given[at] == DASH and at and _is_digit(given[at - 1]):
            out[end - 1] = BLANK
            out[end] = DASH
            out[end + 1] = BLANK
            end += 2
    return end


@inner_kernel
def _hash(codes: Int32Array, start: int, end: int) -> np.uint64:
    value = np.uint64(14695981039346656037)
    for i in range(start, end):
        value = (value ^ np.uint64(codes[i])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(29))


@inner_kernel
def _find(
    codes: Int32Array,
    start: int,
    end: int,
    slots: Int32Array,
    types: Int32Array,
    starts: IntArray,
) -> int:
    """The slot of the word codes[start:end], or the free slot (-1 in it) where it belongs."""
    mask = np.uint64(len(slots) - 1)
    slot = np.int64(_hash(codes, start, end) & mask)
    while slots[slot] >= 0:
        number = slots[slot]
        if starts[number + 1] - starts[number] == end - start:
            same = True
            for i in range(end - start):
                if types[starts[number] + i] != codes[start + i]:
                    same = False
                    break
            if same:
                break
        slot = (slot + 1) & np.int64(mask)
    return int(slot)


@inner_kernel
def _grown(slots: Int32Array, types: Int32Array, starts: IntArray, count: int) -> Int32Array:
    """A table of twice the size with the same words."""
    larger = np.full(2 * len(slots), -1, np.int32)
    for number in range(count):
        mask = np.uint64(len(larger) - 1)
        slot = np.int64(_hash(types, starts[number], starts[number + 1]) & mask)
        while larger[slot] >= 0:
            slot = (slot + 1) & np.int64(mask)
        larger[slot] = number
    return larger


@kernel
def numbered_words(
    codes: Int32Array, offsets: IntArray, blanks: BoolArray, rules: int
) -> tuple[Int32Array, IntArray, Int32Array, IntArray]:
    """Split sentences (code points, with the place where each starts) into words.

    blanks: which code points are white space; those beyond its end are not. Returns the number of
    each word, where each sentence starts among them, and the distinct words: their code points
    one after the other, and where each starts.
    """
    sentences = len(offsets) - 1
    total = len(codes)
    ids = np.empty(total, np.int32)  # no word is empty, so there are at most so many
    ends = np.zeros(sentences + 1, np.int64)
    types = np.empty(total, np.int32)
    starts = np.zeros(total + 1, np.int64)
    slots = np.full(1 << 14, -1, np.int32)
    count = 0
    words = 0

    longest = 0
    for s in range(sentences):
        longest = max(longest, offsets[s + 1] - offsets[s])
    # Each rule makes at most four code points of two.
    padded = np.empty(longest + 2, np.int32)
    first = np.empty(2 * (longest + 2), np.int32)
    second = np.empty(4 * (longest + 2), np.int32)
    third = np.empty(12 * (longest + 2), np.int32)

    for s in range(sentences):
        at = offsets[s]
        stop = offsets[s + 1]
        while at < stop:
            code = codes[at]
            if code < len(blanks) and blanks[code]:
                at += 1
                continue
            end = at + 1
            special = int(COMMA <= code <= PERIOD)
            if not (rules == RULES_13A and _is_apart(code)):
                while end < stop:
                    code = codes[end]
                    if code < len(blanks) and blanks[code]:
                        break
                    if rules == RULES_13A and _is_apart(code):
                        break
                    special += int(COMMA <= code <= PERIOD)
                    end += 1
            # The word codes[low:high]; in two words, where `cut` lies inside.
            text = codes
            low = at
            high = end
            cut = high
            simple = True
            if rules == RULES_CHRF and end - at > 1:
                if _is_punctuation(codes[end - 1]):
                    cut = end - 1
                elif _is_punctuation(codes[at]):
                    cut = at + 1
            elif rules == RULES_13A and special == 1 and end - at > 1 and _is_stop(codes[end - 1]):
                cut = end - 1  # the usual case: a final period or comma always goes apart
            elif rules == RULES_13A and special:
                padded[0] = BLANK
                for i in range(end - at):
                    padded[i + 1] = codes[at + i]
                padded[end - at + 1] = BLANK
                high = _rule_2(padded, end - at + 2, first)
                high = _rule_3(first, high, second)
                high = _rule_4(second, high, third)
                text = third
                low = 0
                simple = False
            at = end
            cursor = low
            while cursor < high:
                if simple:
                    word_end = cut if cursor < cut else high
                else:
                    if text[cursor] == BLANK:
                        cursor += 1
                        continue
                    word_end = cursor + 1
                    while word_end < high and text[word_end] != BLANK:
                        word_end += 1
                slot = _find(text, cursor, word_end, slots, types, starts)
                if slots[slot] < 0:
                    slots[slot] = count
                    for i in range(word_end - cursor):
                        types[starts[count] + i] = text[cursor + i]
                    starts[count + 1] = starts[count] + word_end - cursor
                    count += 1
                    ids[words] = count - 1
                    if 2 * count > len(slots):
                        slots = _grown(slots, types, starts, count)
                else:
                    ids[words] = slots[slot]
                words += 1
                cursor = word_end
        ends[s + 1] = words
    return ids[:words].copy(), ends, types[: starts[count]].copy(), starts[: count + 1].copy()
