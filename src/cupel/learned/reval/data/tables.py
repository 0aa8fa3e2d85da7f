"""ReVal's Tables 1 and 2 for any rankings: thresholds of variance, and sizes of the sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cupel.errors import CupelError
from cupel.human.tau import TAUS
from cupel.learned.reval.data.examples import SPLITS, SimilarityData
from cupel.learned.reval.data.similarity import (
    BANDS,
    PUBLISHED,
    RankedPairs,
    ranked_pairs,
    threshold,
)

APART = {"wmt13": "fr-en"}
"""A language pair whose ranks are as given, where those of the others are dense."""
NOT_ANY, NOTHING = "none", "no pairs"


def threshold_rows(dataset: str, pairs: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Table 1: the paper's variances, then Algorithm 1's on these rankings under each tau."""
    rows = [_row("paper", [f"{PUBLISHED[band]:.2f}" for band in BANDS])]
    groups = {"": pairs}
    if pairs is None and dataset in APART:
        groups[f", {APART[dataset]} only"] = [APART[dataset]]
    for label, chosen in groups.items():
        ranked = ranked_pairs(dataset, chosen)
        rows += [
            _row(f"{dataset}, tau of {tau}{label}", [_variance(ranked, b, tau) for b in BANDS])
            for tau in TAUS
        ]
        ranked_so_often = [str(int(ranked.in_band(band).sum())) for band in BANDS]
        rows.append(_row(f"{dataset}, pairs{label}", ranked_so_often))
    return rows


def _row(name: str, cells: Sequence[str]) -> dict[str, Any]:
    heads = [*(f"n={band}" for band in BANDS[:-1]), f"n>={BANDS[-1]}"]
    return {"row": name, **dict(zip(heads, cells, strict=True))}


def _variance(ranked: RankedPairs, band: int, tau: str) -> str:
    try:
        variance = threshold(ranked, band, tau).variance
    except CupelError:
        return NOTHING
    return NOT_ANY if variance is None else f"{variance:.2f}"


def set_rows(dataset: str, pairs: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Table 2: train, dev and test pairs of each set, two of them not the paper's."""
    data = SimilarityData(dataset, pairs)
    names = ("L", "LNF", "L+Sick", "XL+Sick", "XXL+Sick", "All+Sick")
    return [{"row": n, **dict(zip(SPLITS, data.make(n).sizes, strict=True))} for n in names]
