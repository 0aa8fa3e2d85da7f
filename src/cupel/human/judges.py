"""The judges of a ranking campaign: how far they agree, and which systems they tell apart.

What the findings of WMT print about their own judgments: kappa between judges and within a judge
(`cupel.human.agreement`), and the systems with the ranges of their ranks and their clusters
(`cupel.human.clusters`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cupel.console import Progress
from cupel.human.agreement import Agreement, inter_annotator, intra_annotator
from cupel.human.clusters import RankedSystem, rank_clusters
from cupel.human.rankings import chosen_pairs, wmt_rankings
from cupel.human.system_scores import OFFICIAL, YEARS_OWN
from cupel.names import short_names
from cupel.records import Row, html_table, json_document, polars_frame
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class JudgedPair:
    """One language pair.

    judges   how many there are; 0 where the rankings do not say who judged
    between  agreement of different judges, None without judges
    within   agreement of judges with themselves, None without judges
    systems  best first
    """

    pair: str
    judges: int
    between: Agreement | None
    within: Agreement | None
    systems: list[RankedSystem]


@dataclass(frozen=True)
class Judges:
    """What `cupel.judges` returns. method: how rankings became scores of systems."""

    dataset: str
    method: str
    pairs: list[JudgedPair]

    def rows(self) -> list[Row]:
        """Flat records: dataset, pair, statistic, system, value, best, worst, cluster, n.

        Two for the judges, `kappa-between` and `kappa-within` with n pairs of judgments, then one
        for every system with its range of ranks and its cluster.
        """
        return [
            {"dataset": self.dataset, "pair": one.pair, **row}
            for one in self.pairs
            for row in (*_kappas(one), *(self._placed(system) for system in one.systems))
        ]

    def _placed(self, s: RankedSystem) -> Row:
        place = {"best": s.best, "worst": s.worst, "cluster": s.cluster}
        return {"statistic": self.method, "system": s.system, "value": s.score, **place, "n": None}

    def frame(self) -> pl.DataFrame:
        """A Polars frame of `rows`."""
        return polars_frame(self.rows())

    def to_json(self) -> str:
        """What `cupel meta --judges -f json` prints."""
        return json_document(self.rows())

    def tables(self, width: int = 3) -> list[tuple[list[str], list[list[str]]]]:
        """Header and rows for people: the judges of all language pairs, then each pair's systems.

        width: decimals.
        """
        agreement = [
            [one.pair, str(one.judges or "")]
            + [
                text
                for kappa in (one.between, one.within)
                for text in (
                    (f"{kappa.kappa:.{width}f}", str(kappa.comparable)) if kappa else ("", "")
                )
            ]
            for one in self.pairs
        ]
        header = ["pair", "judges", "kappa between", "n", "kappa within", "n"]
        tables = [(header, agreement)]
        for one in self.pairs:
            names = short_names(s.system for s in one.systems)
            rows = [
                [names[s.system], f"{s.score:.{width}f}", _range(s), str(s.cluster)]
                for s in one.systems
            ]
            tables.append(([one.pair, self.method, "ranks", "cluster"], rows))
        return tables

    def _repr_html_(self) -> str:
        """The tables that a notebook shows."""
        return "".join(html_table(*table, self.dataset) for table in self.tables())


def judges(
    dataset: str,
    *,
    pairs: Sequence[str] | None = None,
    human: str | None = None,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
    progress: Progress | None = None,
) -> Judges:
    """How far the judges of a campaign agree, and which systems they tell apart.

    dataset: wmt12, wmt13 or wmt14. pairs: language pairs; if not given, all into English. human:
    how rankings become scores of systems (`SYSTEM_SCORES`); if not given, as the campaign did.
    resamples: of the judgments, for ranges of ranks. seed: of the draws. progress: called with the
    number of language pairs that are done, and of all.
    """
    method = human or YEARS_OWN.get(dataset, "expected-wins")
    if method == OFFICIAL:
        method = "trueskill"  # what the official scores of wmt14 are
    rankings = wmt_rankings(dataset)
    chosen = chosen_pairs(pairs, list(rankings), dataset)
    judged: list[JudgedPair] = []
    for pair in chosen:
        given = rankings[pair]
        between = within = None
        if given.judge_ids:
            between = inter_annotator(given, as_released=True)
            within = intra_annotator(given, as_released=True)
        systems = rank_clusters(given, method, resamples=resamples, seed=seed)
        judged.append(JudgedPair(pair, len(given.judge_ids), between, within, systems))
        if progress:
            progress(len(judged), len(chosen))
    return Judges(dataset, method, judged)


def _kappas(one: JudgedPair) -> list[Row]:
    nowhere = {"best": None, "worst": None, "cluster": None}
    return [
        {"statistic": name, "system": None, "value": kappa.kappa, **nowhere, "n": kappa.comparable}
        for name, kappa in (("kappa-between", one.between), ("kappa-within", one.within))
        if kappa
    ]


def _range(system: RankedSystem) -> str:
    """`3`, or `3-5`."""
    same = system.best == system.worst
    return str(system.best) if same else f"{system.best}-{system.worst}"
