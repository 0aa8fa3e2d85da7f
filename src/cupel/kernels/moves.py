"""Shifts of phrases, as TER and TERp try and make them.

`s` is the scratch space of either: it has `hypothesis`, and `shifted`, equal to it between trials.
"""

from __future__ import annotations

from typing import Any

from cupel.kernels import inner_kernel


@inner_kernel
def move_phrase(s: Any, n: int, length: int, start: int, target: int) -> tuple[int, int]:
    """Move a phrase within `shifted`; returns the span that changed.

    A target within the phrase moves it to the right by as many words as the target is, as in
    sacreBLEU's TER.
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
def keep_move(s: Any, n: int, length: int, start: int, target: int) -> None:
    """Move a phrase in both."""
    low, high = move_phrase(s, n, length, start, target)
    for i in range(low, high):
        s.hypothesis[i] = s.shifted[i]


@inner_kernel
def undo_move(s: Any, low: int, high: int) -> None:
    """Make `shifted` equal to `hypothesis` again where it was changed."""
    for i in range(low, high):
        s.shifted[i] = s.hypothesis[i]


@inner_kernel
def comes_first(
    length: int, start: int, target: int, best_length: int, best_start: int, best_target: int
) -> bool:
    """Which of two equal gains counts: the longest phrase, then the first, then the first target."""
    return length > best_length or (
        length == best_length
        and (start < best_start or (start == best_start and target < best_target))
    )
