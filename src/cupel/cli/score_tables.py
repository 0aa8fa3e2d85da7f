"""How `cupel score` prints scores: of systems with their intervals and tests, or of segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from cupel.cli import output
from cupel.cli.clusters import pair_rows, print_clusters, rank_columns
from cupel.cli.meanings import preferred_columns, sentences
from cupel.names import short_names

if TYPE_CHECKING:
    from cupel.gates import Outcome
    from cupel.meaning import Meaning
    from cupel.metric import Metric
    from cupel.questions.score import Printed
    from cupel.scores import Comparison, Scores
    from cupel.significance import Interval
    from cupel.system_ranking import Ranking


class Results:
    """System scores with their intervals and tests, computed once for all formats."""

    def __init__(
        self,
        scores: Scores,
        question: Printed,
        rankings: Mapping[str, Ranking] | None = None,
        outcomes: Sequence[Outcome] = (),
    ) -> None:
        ci_n, test, seed = question.ci_n, question.paired, question.seed
        self.scores = scores
        self.rankings = rankings or {}
        self.outcomes = outcomes
        self.meanings: Sequence[Meaning] = ()
        self.signatures: dict[str, str] = {}
        self.intervals: dict[str, dict[str, Interval]] = {}
        self.comparisons: dict[str, dict[str, Comparison]] = {}
        for metric in scores.metrics:
            extra: dict[str, object] = {}
            if question.ci:
                self.intervals[metric] = scores.intervals(metric, resamples=ci_n, seed=seed)
                extra["bs"] = ci_n
            elif metric in self.rankings:
                extra["bs"] = ci_n
            if test:
                compared = scores.paired(metric, test, samples=question.paired_n, seed=seed)
                self.comparisons[metric] = {c.system: c for c in compared}
                extra[test] = question.paired_n or {"bs": 1000, "ar": 10_000}[test]
            if extra:
                extra["seed"] = seed
            self.signatures[metric] = str(scores.signature(metric, **extra))

    def rows(self, width: int | None) -> list[dict[str, Any]]:
        rows = self.scores.rows()
        for row in rows:
            interval = self.intervals.get(row["metric"], {}).get(row["system"])
            if interval:
                row |= {"low": interval.low, "high": interval.high}
            elif self.intervals:
                row |= {"low": None, "high": None}
            if self.comparisons:
                comparison = self.comparisons.get(row["metric"], {}).get(row["system"])
                row["p_value"] = comparison.p_value if comparison else None
                row |= preferred_columns(self.meanings, row)
            if self.rankings:
                row |= rank_columns(self.rankings, row)
            for key in ("score", "low", "high"):
                if width is not None and row.get(key) is not None:
                    row[key] = round(row[key], width)
        return rows

    @property
    def beside(self) -> dict[str, Any]:
        """What JSON has beside the rows: all pairs of systems, and the gates."""
        gates = [one.row() for one in self.outcomes]
        pairs = pair_rows(self.rankings)
        meanings = [one.row() for one in self.meanings]
        parts = {"pairs": pairs, "gates": gates, "meanings": meanings}
        return {
            name: rows for name, rows in parts.items() if rows or (self.rankings and rows is pairs)
        }

    def cell(self, row: dict[str, Any], places: int, score_only: bool) -> str:
        text = f"{row['score']:.{places}f}"
        if score_only:
            return text
        interval = self.intervals.get(row["metric"], {}).get(row["system"])
        if interval:
            text += f" ± {interval.half_width:.{places}f}"
        comparison = self.comparisons.get(row["metric"], {}).get(row["system"])
        if comparison:
            text += f" (p = {comparison.p_value:.4f}){'*' if comparison.p_value < 0.05 else ' '}"
        return text


def print_systems(
    results: Results,
    form: str,
    width: int | None,
    score_only: bool,
    file: TextIO,
    details: bool = False,
) -> None:
    """One row per system, one column per metric; with `score_only` nothing but the scores."""
    if form in ("json", "tsv"):
        rows, parts = (
            results.rows(width),
            _detail_rows(results.scores, "system", width) if details else [],
        )
        if form == "tsv":
            nothing = dict.fromkeys(rows[0])
            rows += [
                nothing
                | {"system": part["system"], "metric": f"{part['metric']}.{part['name']}"}
                | {"score": part["value"]}
                for part in parts
            ]
        beside = ({"details": parts} if details else {}) | results.beside
        output.records(rows, form, file, signatures=results.signatures, **beside)
        return
    metrics = results.scores.metrics
    cells: dict[str, dict[str, str]] = {system: {} for system in results.scores.systems}
    for row in results.rows(None):
        decimals = places_of(metrics[metric_of(row["metric"], metrics)], width)
        cells[row["system"]][row["metric"]] = results.cell(row, decimals, score_only)
    if score_only and form == "text":
        one = len(cells) == 1
        for values in cells.values():
            print(*values.values(), sep="\n" if one else "\t", file=file)
        return
    names = short_names(cells)
    header = ["System", *next(iter(cells.values()))]
    lines = [[names[system], *values.values()] for system, values in cells.items()]
    output.print_table(header, lines, form, file)
    print(file=file)
    if details:
        _print_details(results.scores, form, width, file)
    if results.rankings:
        places = {label: places_of(metrics[label], width) for label in results.rankings}
        print_clusters(results.rankings, places, form, file)
    output.print_signatures(results.signatures, form, file)
    if results.comparisons and form == "text":
        baseline = names[results.scores.systems[0]]
        print(f"* differs from {baseline} at p < 0.05", file=file)
        for sentence in [*_verdicts(results), *sentences(results.meanings, names)]:
            print(sentence, file=file)


def _print_details(scores: Scores, form: str, width: int | None, file: TextIO) -> None:
    """A table per metric: one row per detail, one column per system."""
    for metric in scores.metrics:
        of_system = scores.details(metric)
        rows = [
            [name, *(_number(parts[name], width) for parts in of_system.values())]
            for name in next(iter(of_system.values()))
        ]
        if rows:
            names = short_names(of_system).values()
            output.print_table([metric, *names], rows, form, file)
            print(file=file)


def _detail_rows(scores: Scores, level: str, width: int | None) -> list[dict[str, Any]]:
    rows = scores.detail_rows(level)
    return rows if width is None else [r | {"value": round(r["value"], width)} for r in rows]


def _number(value: float, width: int | None) -> str:
    """Counts as they are, other numbers with three decimals unless a width is asked for."""
    places = width if width is not None else 0 if value.is_integer() else 3
    return f"{value:.{places}f}"


def warn_without_details(scores: Scores, asked: bool) -> None:
    """If details are asked for, a sentence on the metrics that cannot say what scores are made of."""
    from cupel.metric import Detailed

    names = [name for name, metric in scores.metrics.items() if not isinstance(metric, Detailed)]
    if asked and names:
        output.warn(
            f"No details are printed for {', '.join(names)}: not every metric says what its score "
            "is made of."
        )


def _verdicts(results: Results) -> list[str]:
    """A sentence on each system against the baseline."""
    from cupel.report import verdicts

    scores = results.scores
    higher = {label: metric.higher_is_better for label, metric in scores.metrics.items()}
    names = short_names(scores.systems)
    rows = [
        row | {"system": names[row["system"]]}
        for row in results.rows(None)
        if row["metric"] in higher
    ]
    return verdicts.sentences(verdicts.from_rows(rows, higher))


def print_segments(
    results: Results,
    form: str,
    width: int | None,
    score_only: bool,
    file: TextIO,
    details: bool = False,
) -> None:
    """One row per system and segment; details are further columns, in JSON records of their own."""
    scores = results.scores
    rows = scores.segment_rows()
    in_json = details and form == "json"
    beside = {"details": _detail_rows(scores, "segment", width)} if in_json else {}
    for metric in scores.metrics if details and not in_json else ():
        of_system = scores.details(metric, "segment")
        for row in rows:
            parts = of_system[row["system"]].items()
            row |= {f"{metric}.{name}": float(values[row["segment"] - 1]) for name, values in parts}
    columns = [column for column in rows[0] if column not in ("system", "segment")]
    if form in ("json", "tsv"):
        if width is not None:
            rows = [r | {c: round(r[c], width) for c in columns} for r in rows]
        output.records(rows, form, file, signatures=scores.signatures, **beside)
        return
    places = {c: places_of(scores.metrics[metric_of(c, scores.metrics)], width) for c in columns}
    lines = [[f"{row[c]:.{places[c]}f}" for c in columns] for row in rows]
    if score_only and form == "text":
        for line in lines:
            print(*line, sep="\t", file=file)
        return
    header = ["System", "Segment", *columns]
    names = short_names(scores.systems)
    body = [
        [names[r["system"]], str(r["segment"]), *line] for r, line in zip(rows, lines, strict=True)
    ]
    output.print_table(header, body, form, file)
    print(file=file)
    output.print_signatures(scores.signatures, form, file)


def places_of(metric: Metric, width: int | None) -> int:
    """Decimal places: as asked; else one for scores in percent, as sacreBLEU, and four for others."""
    from cupel.metric import decimals_of

    return decimals_of(metric) if width is None else width


def metric_of(column: str, metrics: Any) -> str:
    """`bleucomp.precision1` -> `bleucomp`; metrics with one number are their own column."""
    return column if column in metrics else column.rpartition(".")[0]
