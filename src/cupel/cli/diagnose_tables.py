"""How `cupel diagnose` prints what it found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.diagnose.findings import Finding
    from cupel.diagnose.ngrams import Phrase
    from cupel.diagnose.run import Diagnosis

_PHRASES, _SEGMENTS = 5, 5


def print_diagnosis(diagnosis: Diagnosis, form: str, most: int, file: TextIO) -> None:
    """Sentences and tables, or flat records."""
    if form == "json":
        print(diagnosis.to_json(), file=file)
        return
    if form in ("tsv", "latex"):
        output.records(diagnosis.rows(), form, file)
        return
    for sentence in diagnosis.summary:
        print(sentence, file=file)
    several = len(diagnosis.scores.systems) > 2
    for system in diagnosis.scores.systems[1:]:
        findings = [one for one in diagnosis.findings if one.system == system]
        if several:
            print(f"\n{diagnosis.names[system]} against {_first(diagnosis)}", file=file)
        _print_findings(findings[:most], file)
        if len(findings) > most:
            more = f"{len(findings) - most:,} more buckets: --top, or -f tsv for all of them."
            print(more, file=file)
        _print_segments(diagnosis, system, file)
        phrases = [one for one in diagnosis.phrases if one.system == system]
        _print_phrases(phrases, diagnosis, file)
    print(file=file)
    output.print_signatures(diagnosis.scores.signatures, "text", file)


def _first(diagnosis: Diagnosis) -> str:
    return diagnosis.names[diagnosis.scores.systems[0]]


def _print_findings(findings: Sequence[Finding], file: TextIO) -> None:
    print(file=file)
    header = [
        "bucket", "metric", "segments", "first", "own", "difference", "95% interval", "q", "evidence",
        "",
    ]  # fmt: skip
    output.table(header, [_cells(one) for one in findings], file)


def _cells(one: Finding) -> list[str]:
    ends = "" if one.low is None or one.high is None else f"{one.low:+.2f} to {one.high:+.2f}"
    return [
        one.bucket,
        one.metric,
        f"{len(one.rows):,}",
        f"{one.first_score:.2f}",
        f"{one.score:.2f}",
        f"{one.difference:+.2f}",
        ends,
        "" if one.q_value is None else "<0.001" if one.q_value < 0.001 else f"{one.q_value:.3f}",
        f"{one.evidence:.1f}",
        "too few" if one.p_value is None else one.verdict,
    ]


def _print_segments(diagnosis: Diagnosis, system: str, file: TextIO) -> None:
    """The segments that contribute most to the difference under the first metric."""
    metric = diagnosis.changes[0].metric
    rows = [
        [
            str(row["segment"]), row["metric"], f"{row['first_score']:.2f}", f"{row['score']:.2f}",
            f"{row['contribution']:+.3f}", "" if row["share"] is None else f"{row['share']:.1%}",
        ]
        for row in diagnosis.segment_rows(_SEGMENTS)
        if (row["system"], row["metric"]) == (system, metric)
    ]  # fmt: skip
    if rows:
        print(file=file)
        header = ["segment", "metric", "first", "own", "contributes", "of the difference"]
        output.table(header, rows, file)


def _print_phrases(phrases: Sequence[Phrase], diagnosis: Diagnosis, file: TextIO) -> None:
    rows = []
    for kind in dict.fromkeys(one.kind for one in phrases):
        for sign in (-1, 1):
            chosen = [p for p in phrases if p.kind == kind and p.difference * sign > 0]
            rows += [
                [
                    one.text, one.kind, f"{one.count:,}", f"{one.first:,}", f"{one.own:,}",
                    f"{one.difference:+d}", f"{one.low:+.0f} to {one.high:+.0f}",
                    " ".join(map(str, one.segments)),
                ]
                for one in chosen[:_PHRASES]
            ]  # fmt: skip
    if not rows:
        return
    print(file=file)
    header = [
        "phrase of the reference", "kind", "there", "first", "own", "difference", "95% interval",
        "segments",
    ]  # fmt: skip
    output.table(header, rows, file)


def print_tables(corpus: Corpus, form: str, file: TextIO) -> None:
    """The tables of compare-mt."""
    from cupel.diagnose.compare_mt import compare_mt_tables

    tables = compare_mt_tables(corpus)
    if form != "text":
        output.records([row for table in tables for row in table.rows()], form, file)
        return
    for number, table in enumerate(tables):
        if number:
            print(file=file)
        print(table.title, file=file)
        print(*table.header, sep="\t", file=file)
        for line in table.lines:
            print(*map(_figure, line), sep="\t", file=file)


def _figure(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
