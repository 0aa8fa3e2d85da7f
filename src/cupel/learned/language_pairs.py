"""Which language pairs of a dataset a metric learns from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cupel.errors import CupelError


def chosen_pairs(
    dataset: str, available: Iterable[str], pairs: Iterable[str] | None
) -> Sequence[str]:
    """The pairs that were asked for, which the dataset must have; by default all into English."""
    names = list(available)
    if pairs is None:
        return [pair for pair in names if pair.endswith("-en")]
    chosen = list(pairs)
    for pair in chosen:
        if pair not in names:
            raise CupelError(f"{dataset} has no judgments of {pair!r}; it has {', '.join(names)}.")
    return chosen
