"""`cupel reproduce`: the tables of the papers, published and computed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.papers.compute import Outcome
    from cupel.papers.published import Table
    from cupel.papers.results import Compared, Result
    from cupel.questions.reproduce import Reproduce

GREEN, YELLOW, RED, PLAIN = "\033[32m", "\033[33m", "\033[31m", "\033[0m"


def run(question: Reproduce) -> None:
    """Compute the tables and print them, or list them."""
    from cupel.papers.published import find_table, tables

    chosen = list(tables().values()) if question.all else list(map(find_table, question.tables))
    if not chosen:
        with output.output(question.file) as file:
            _list(question.format, file)
        return
    results, signatures = _computed(chosen, question.full, question.workers)
    rows = [row.row() for result in results for row in result.shown]
    if question.write is not None:
        _write_page(results, signatures, question.write)
    if question.record is not None:
        _write_record(results, question.record)
    with output.output(question.file) as file:
        if question.format != "text":
            notes = {result.table.id: list(result.footnotes().values()) for result in results}
            output.records(rows, question.format, file, signatures=signatures, notes=notes)
            return
        for number, result in enumerate(results):
            print(end="\n" if number else "", file=file)
            _print(result, file)


def _computed(chosen: list[Table], full: bool, workers: int) -> tuple[list[Result], dict[str, str]]:
    from cupel.papers.compute import compute
    from cupel.papers.results import compare

    outcomes = compute(
        chosen, full=full, workers=workers, report=lambda what: output.warn(f"Computing {what}.")
    )
    return [compare(table, outcomes) for table in chosen], _signatures(chosen, outcomes)


def _signatures(chosen: list[Table], outcomes: dict[Any, Outcome]) -> dict[str, str]:
    """By metric, of what was computed here; by table and row or column, of what a training gave."""
    signatures: dict[str, str] = {}
    for table in chosen:
        by_row: dict[str, set[str]] = {}
        for cell in table.cells:
            by_row.setdefault(cell.row, set()).add(outcomes[cell.key].signature or "")
        # A training is a row of most tables; where rows are language pairs, a column.
        columns = any(len(row - {""}) > 1 for row in by_row.values())
        for cell in table.cells:
            outcome = outcomes[cell.key]
            if outcome.signature:
                own = cell.settings.get("metric")
                trained = f"{table.id}, {cell.column if columns else cell.row}"
                name = own if own and outcome.spread is None else trained
                signatures.setdefault(name, outcome.signature)
    return signatures


def _today() -> str:
    from datetime import date

    return date.today().isoformat()


def _write_page(results: list[Result], signatures: dict[str, str], path: Path) -> None:
    from cupel import __version__
    from cupel.folders import write_text
    from cupel.papers.results import markdown

    write_text(path, markdown(results, signatures, _today(), __version__))
    output.warn(f"Wrote {path}.")


def _write_record(results: list[Result], path: Path) -> None:
    with output.output(path) as file:
        output.records([one.summary() for one in results], "json", file, date=_today())
    output.warn(f"Wrote {path}.")


def _list(form: str, file: TextIO) -> None:
    """Every table with its status as last computed."""
    from cupel.papers.published import tables
    from cupel.papers.recorded import last_computed

    last = last_computed()
    recorded = {row["table"]: row for row in last.get("rows", [])}
    rows = [
        recorded.get(table.id, _not_recorded(table)) | {"title": f"{table.label}. {table.title}"}
        for table in tables().values()
    ]
    if form != "text":
        output.records(rows, form, file, date=last.get("date", ""))
        return
    wide = max(len(row["table"]) for row in rows)
    reasons: dict[str, str] = {}
    for row in rows:
        status, _, reason = row["status"].partition(": ")
        if reason:
            reasons.setdefault(reason, chr(ord("a") + len(reasons)))
        mark = f" [{reasons[reason]}]" if reason else ""
        cells = f"{row['within']}/{row['computed']}" if row["computed"] else ""
        line = f"{row['table']:<{wide}}  {status + mark:<22}  {cells:>7}  {row['title']}"
        print(line.rstrip(), file=file)
    print(file=file)
    for reason, mark in reasons.items():
        print(f"{mark}  {reason}", file=file)
    if last:
        print(
            f"\nn/m: cells within tolerance of those computed, on {last['date']} with "
            f"Cupel {last['version']}",
            file=file,
        )


def _not_recorded(table: Table) -> dict[str, Any]:
    """A table of which nothing is recorded."""
    from cupel.papers.compute import NOT_AVAILABLE
    from cupel.papers.results import NOT_POSSIBLE, NOT_YET

    absent = dict.fromkeys(cell.absent for cell in table.cells if not cell.average)
    status = NOT_YET
    if None not in absent:
        status = f"{NOT_POSSIBLE}: {NOT_AVAILABLE}: {'; '.join(str(what) for what in absent)}"
    printed = sum(cell.published == cell.published for cell in table.cells)
    return {"table": table.id, "status": status, "within": 0, "computed": 0, "printed": printed}


def _print(result: Result, file: TextIO) -> None:
    """Three lines a row: published, ours, difference."""
    table = result.table
    within, computed, printed = result.counts()
    print(f"{table.id}  {table.label}: {table.title}", file=file)
    print(f"{result.status.partition(':')[0]}: {within} of {computed} computed cells within "
          f"{table.tolerance:g}; {printed} are printed\n", file=file)  # fmt: skip
    marks = {key: chr(ord("a") + i) for i, key in enumerate(result.footnotes())}
    lines = _lines(result, marks)
    widths = [max(len(text) for text, _ in column) for column in zip(*lines, strict=True)]
    for line in lines:
        parts = [
            colour + (text.ljust(w) if at == 0 else text.rjust(w)) + (PLAIN if colour else "")
            for at, ((text, colour), w) in enumerate(zip(line, widths, strict=True))
        ]
        shown = parts if file.isatty() else list(map(_uncoloured, parts))
        print("  ".join(shown).rstrip(), file=file)
    print(file=file)
    for key, sentence in result.footnotes().items():
        print(f"{marks[key]}  {sentence}", file=file)
    for reason in result.reasons():
        print(f"–  {reason}", file=file)


def _uncoloured(text: str) -> str:
    for code in (GREEN, YELLOW, RED, PLAIN):
        text = text.replace(code, "")
    return text


def _lines(result: Result, marks: dict[str, str]) -> list[list[tuple[str, str]]]:
    from cupel.papers.results import number, signed

    table = result.table
    own = table.marked
    lines = [
        [
            ("", ""),
            *((column + _marked(own.get(column, ()), marks), "") for column in table.columns),
        ]
    ]
    for row in table.rows:
        cells = [result.cells[row, column] for column in table.columns]
        printed = [(number(one.cell.published, table.decimals), "") for one in cells]
        lines.append([(row + _marked(own.get(row, ()), marks), ""), *printed])
        if any(one.outcome.value is not None for one in cells):
            ours = [(number(one.outcome.value, table.decimals), "") for one in cells]
            between = [
                (signed(one.difference, table.decimals), _colour(one, table)) for one in cells
            ]
            lines += [[("  ours", ""), *ours], [("  difference", ""), *between]]
    return lines


def _marked(keys: tuple[str, ...], marks: dict[str, str]) -> str:
    return f" [{','.join(marks[key] for key in keys)}]" if keys else ""


def _colour(one: Compared, table: Table) -> str:
    if one.difference is None:
        return ""
    size = abs(one.difference) / table.tolerance
    return GREEN if size <= 1 else YELLOW if size <= 3 else RED
