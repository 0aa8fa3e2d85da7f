"""Published numbers and ours side by side: records, verdicts on cells and tables, footnotes, pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cupel.papers.compute import NOT_AVAILABLE, Key, Outcome
from cupel.papers.published import Cell, Table, causes, misprinted

REPRODUCED, APPROXIMATED, NOT_POSSIBLE = "reproduced", "approximated", "not possible here"
UNPUBLISHED, NOT_YET = "not published", "not computed yet"


@dataclass(frozen=True)
class Compared:
    """One cell: what the paper printed and what came out here. notes: keys of footnotes."""

    cell: Cell
    outcome: Outcome
    status: str
    notes: tuple[str, ...] = ()

    @property
    def difference(self) -> float | None:
        """Ours minus published; none for an average that is not over the same cells."""
        printed = math.isfinite(self.cell.published)
        if self.outcome.value is None or self.outcome.partial or not printed:
            return None
        return self.outcome.value - self.cell.published

    def row(self) -> dict[str, Any]:
        """The flat record of `cupel reproduce -f json|tsv`."""
        published = self.cell.published
        return {
            "table": self.cell.table,
            "row": self.cell.row,
            "column": self.cell.column,
            "published": published if math.isfinite(published) else None,
            "ours": self.outcome.value,
            "difference": self.difference,
            "status": self.status
            + (f": {self.outcome.reason}" if self.status == NOT_POSSIBLE else ""),
        }


@dataclass(frozen=True)
class Result:
    """A whole table, compared."""

    table: Table
    cells: Mapping[tuple[str, str], Compared]

    @property
    def shown(self) -> list[Compared]:
        """The cells of which there is a number, printed or ours."""
        return [
            one
            for one in self.cells.values()
            if math.isfinite(one.cell.published) or one.outcome.value is not None
        ]

    def counts(self) -> tuple[int, int, int]:
        """Printed cells within tolerance, computed, and in all."""
        printed = [one for one in self.cells.values() if math.isfinite(one.cell.published)]
        return (
            sum(one.status == REPRODUCED for one in printed),
            sum(one.outcome.value is not None for one in printed),
            len(printed),
        )

    @property
    def status(self) -> str:
        """Of the table: reproduced where every computed cell is; with what is missing otherwise."""
        within, computed, printed = self.counts()
        if not printed:
            return UNPUBLISHED
        if computed == 0:
            return f"{NOT_YET if self.pending else NOT_POSSIBLE}: {'; '.join(self.reasons())}"
        return REPRODUCED if within == computed and not self.pending else APPROXIMATED

    def summary(self) -> dict[str, Any]:
        """What the list of tables shows."""
        within, computed, printed = self.counts()
        return {
            "table": self.table.id,
            "status": self.status,
            "within": within,
            "computed": computed,
            "printed": printed,
        }

    @property
    def pending(self) -> bool:
        """Whether a printed number has no number of ours though it could be computed."""
        return any(
            one.status == NOT_POSSIBLE and not one.outcome.reason.startswith(NOT_AVAILABLE)
            for one in self.cells.values()
            if math.isfinite(one.cell.published)
        )

    def reasons(self) -> list[str]:
        """Why printed cells are not possible, each once."""
        return list(
            dict.fromkeys(
                one.outcome.reason
                for one in self.cells.values()
                if one.status == NOT_POSSIBLE and math.isfinite(one.cell.published)
            )
        )

    def footnotes(self) -> dict[str, str]:
        """Sentences by key, in the order in which they are first met."""
        keys = [*self.table.causes]
        for one in self.cells.values():
            keys += one.notes
        sentences = causes()[0]
        return {key: sentences[key] for key in dict.fromkeys(keys)}


def compare(table: Table, outcomes: Mapping[Key, Outcome]) -> Result:
    """Each cell of a table with its outcome."""
    return Result(
        table,
        {
            (cell.row, cell.column): _compared(table, cell, outcomes[cell.key])
            for cell in table.cells
        },
    )


def _compared(table: Table, cell: Cell, outcome: Outcome) -> Compared:
    notes = [*table.marked.get(cell.row, ()), *table.marked.get(cell.column, ())]
    if outcome.spread is not None:
        notes.append("spread")
    if outcome.partial:
        notes.append("partial-average")
    if misprinted(table, cell):
        notes.append("printed-average")
    if outcome.value is None:
        status = NOT_POSSIBLE
    elif not math.isfinite(cell.published):
        status = UNPUBLISHED
    elif abs(outcome.value - cell.published) <= _tolerance(table) and not outcome.partial:
        status = REPRODUCED
    else:
        status = APPROXIMATED
    return Compared(cell, outcome, status, tuple(dict.fromkeys(notes)))


def _tolerance(table: Table) -> float:
    # Half a unit of the last printed decimal is the paper's own rounding.
    return table.tolerance + 0.5 * 10.0**-table.decimals + 1e-9


def number(value: float | None, decimals: int) -> str:
    """As the papers print: a real minus sign, a dash for nothing."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def signed(value: float | None, decimals: int) -> str:
    """A difference; zero has no sign."""
    if value is None:
        return ""
    text = f"{value:+.{decimals}f}".replace("-", "\N{MINUS SIGN}")
    return text[1:] if float(f"{value:.{decimals}f}") == 0 else text


def markdown(
    results: Sequence[Result], signatures: Mapping[str, str], when: str, version: str
) -> str:
    """The page docs/research/results.md."""
    parts = [
        "# The papers' tables, and ours\n",
        f"Written by `cupel reproduce --all --write`, Cupel {version}, {when}. Of each cell the "
        "published number stands above, ours below with the difference; bold is within the "
        "table's tolerance. What cannot be computed here has a dash and, below the table, the "
        "reason.\n",
        "| table | status | within tolerance | what |\n|---|---|---|---|",
    ]
    for result in results:
        within, computed, printed = result.counts()
        status = result.status.partition(":")[0]
        parts.append(
            f"| [{result.table.id}](#{result.table.id}) | {status} | {within} of {computed} "
            f"computed, {printed} printed | {_plain(result.table.label)}: "
            f"{_plain(result.table.title)} |"
        )
    parts.append("")
    paper = ""
    for result in results:
        if result.table.paper != paper:
            paper = result.table.paper
            parts.append(f"## {_plain(paper)}\n")
        parts.append(_section(result))
    parts.append("## Signatures\n\n| metric | signature |\n|---|---|")
    parts += [f"| `{m}` | `{_plain(text)}` |" for m, text in sorted(signatures.items())]
    return "\n".join(parts) + "\n"


def _plain(text: str) -> str:
    return text.replace("|", "\\|")


def _section(result: Result) -> str:
    table = result.table
    lines = [
        f"### {table.id}\n",
        f"{table.label}. {table.title}. Tolerance {table.tolerance:g}.\n",
        "| |" + "".join(f" {_plain(column)} |" for column in table.columns),
        "|---|" + "---:|" * len(table.columns),
    ]
    for row in table.rows:
        cells = [result.cells[row, column] for column in table.columns]
        published = [f" {number(one.cell.published, table.decimals)} |" for one in cells]
        lines.append(f"| {_plain(row)} |" + "".join(published))
        if any(one.outcome.value is not None for one in cells):
            lines.append("| ours |" + "".join(_ours(one, table) for one in cells))
    lines.append("")
    lines += [f"* {sentence}" for sentence in result.footnotes().values()]
    lines += [f"* –: {reason}." for reason in result.reasons()]
    return "\n".join(lines) + "\n"


def _ours(one: Compared, table: Table) -> str:
    value = number(one.outcome.value, table.decimals)
    if one.outcome.spread is not None:
        value += f" ± {number(one.outcome.spread, table.decimals)}"
    mark = "**" if one.status == REPRODUCED else ""
    between = signed(one.difference, table.decimals)
    return f" {mark}{value}{mark}{' (' + between + ')' if between else ''} |"
