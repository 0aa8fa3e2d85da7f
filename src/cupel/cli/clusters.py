"""`cupel score --clusters`: the systems ranked, in groups that cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.system_ranking import Ranking

MOST_COLUMNS = 12
"""The p-values of so many systems are printed; those of more are in JSON."""


def rank_columns(rankings: Mapping[str, Ranking], row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row of system and metric gets: rank_low, rank_high, cluster, maybe_best."""
    names = ("rank_low", "rank_high", "cluster", "maybe_best")
    for one in rankings[row["metric"]].systems if row["metric"] in rankings else ():
        if one.system == row["system"]:
            values = (one.low, one.high, one.cluster, one.maybe_best)
            return dict(zip(names, values, strict=True))
    return dict.fromkeys(names)


def pair_rows(rankings: Mapping[str, Ranking]) -> list[dict[str, Any]]:
    """Flat records of all pairs: metric, better, worse, difference, p_value (corrected)."""
    return [
        {
            "metric": label,
            "better": one.system,
            "worse": other.system,
            "difference": one.score - other.score,
            "p_value": float(ranking.p_values[row, row + step]),
        }
        for label, ranking in rankings.items()
        for row, one in enumerate(ranking.systems)
        for step, other in enumerate(ranking.systems[row + 1 :], start=1)
    ]


def print_clusters(
    rankings: Mapping[str, Ranking], places: Mapping[str, int], form: str, file: TextIO
) -> None:
    """A table per metric, the best system first and a line between clusters (#)."""
    from cupel.names import short_names

    for label, whole in rankings.items():
        ranking = whole.renamed(short_names(one.system for one in whole.systems))
        systems = ranking.systems
        numbers = range(len(systems)) if len(systems) <= MOST_COLUMNS else ()
        header = [f"{'':3} System", "#", label, "Rank", *(f"p: {n + 1}" for n in numbers)]
        rows = [
            [
                f"{row + 1:3} {one.system}",
                str(one.cluster),
                f"{one.score:.{places[label]}f}",
                str(one.low) if one.low == one.high else f"{one.low}-{one.high}",
                *("" if n == row else _p(ranking.p_values[row, n]) for n in numbers),
            ]
            for row, one in enumerate(systems)
        ]
        starts = [
            row
            for row, one in enumerate(systems)
            if row and one.cluster != systems[row - 1].cluster
        ]
        output.print_table(header, rows, form, file, starts)
        print(f"{'% ' * (form == 'latex')}{ranking.sentence}", file=file)
        print(file=file)


def _p(value: float) -> str:
    return "<.001" if value < 0.001 else f"{value:.3f}"
