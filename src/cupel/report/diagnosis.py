"""The page of a diagnosis: sentences, sortable buckets with bars and intervals, and their segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cupel.diagnose.findings import Finding
from cupel.diagnose.run import Diagnosis
from cupel.report import page, segments
from cupel.report.html import Cell, Section, paragraph, signed, table
from cupel.report.svg import element, escape

_WIDTH, _HEIGHT = 120.0, 16.0
_PHRASES = 40
_COLOURS = {
    "better": "var(--good,#14663f)",
    "worse": "var(--bad,#a3261c)",
    "": "var(--muted,#5b6270)",
}
_HEADER = (
    "Bucket", "Measure", "Difference", "95% interval", "q", "Evidence", "Segments", "First", "Own",
)  # fmt: skip


def diagnosis_page(diagnosis: Diagnosis, title: str = "") -> str:
    """The page as one HTML file. Links of buckets choose the segments in the browser below."""
    names = diagnosis.names
    first, *others = diagnosis.scores.systems
    corpus = diagnosis.scores.corpus if diagnosis.scores.corpus.has_texts else None
    run, directions = page.segments_run(diagnosis.scores)
    numbers = _bucket_numbers(diagnosis.findings)
    data = segments.payload(run, directions, corpus)
    data["systems"] = [names[system] for system in data["systems"]]
    data["buckets"] = _packed_buckets(diagnosis.findings)
    sections = [_summary(diagnosis), _systems(diagnosis)]
    sections += [
        _buckets(diagnosis, system, at, numbers) for at, system in enumerate(others, start=1)
    ]
    sections += [s for s in (_phrases(diagnosis), _errors(diagnosis)) if s is not None]
    sections.append(_browser(corpus is not None))
    heading = title or f"{', '.join(names[o] for o in others)} against {names[first]}"
    return page.assembled(heading, sections, run, segments.packed(data))


def _summary(diagnosis: Diagnosis) -> Section:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in diagnosis.summary)
    notes = "".join(paragraph(note, "warning") for note in diagnosis.notes)
    return Section("summary", "In short", f'<ul class="summary">{items}</ul>{notes}')


def _systems(diagnosis: Diagnosis) -> Section:
    rows: list[list[Cell | str]] = []
    for one in diagnosis.changes:
        better = (one.difference > 0) == one.higher_is_better
        verdict = ("better" if better else "worse") if one.p_value < 0.05 else "even"
        rows.append(
            [
                diagnosis.names[one.system],
                one.metric,
                _number(one.first_score),
                _number(one.score),
                Cell(signed(one.difference, 2), verdict, one.difference),
                f"{signed(one.low, 2)} to {signed(one.high, 2)}",
                _count(one.differ),
                _count(one.better),
                _count(one.worse),
            ]
        )
    header = [
        "System", "Metric", "First", "Own", "Difference", "95% interval", "Segments that differ",
        "Better", "Worse",
    ]  # fmt: skip
    first = diagnosis.names[diagnosis.scores.systems[0]]
    caption = f"All systems against {first}, over {len(diagnosis.scores.corpus):,} segments."
    return Section("systems", "Systems", table(header, rows, caption, sortable=True))


def _bucket_numbers(findings: Sequence[Finding]) -> dict[str, int]:
    return {name: at for at, name in enumerate(dict.fromkeys(f.bucket for f in findings))}


def _packed_buckets(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Each bucket once, its segments as steps from one to the next."""
    rows = {finding.bucket: finding.rows for finding in reversed(findings)}
    return [
        {"name": name, "steps": np.diff(rows[name], prepend=-1).tolist()}
        for name in _bucket_numbers(findings)
    ]


def _buckets(diagnosis: Diagnosis, system: str, at: int, numbers: Mapping[str, int]) -> Section:
    findings = [finding for finding in diagnosis.findings if finding.system == system]
    scales = _scales(findings)
    body = "".join(_row(one, numbers[one.bucket], at, scales[one.metric]) for one in findings)
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADER)
    first, own = diagnosis.names[diagnosis.scores.systems[0]], diagnosis.names[system]
    caption = (
        f"{own} against {first}. Evidence: by how many standard errors the difference is larger in "
        "the bucket than elsewhere. q: the share of false claims among those up to this one. In "
        "colour: q below 0.05. The link of a bucket shows its segments."
    )
    content = (
        f'<div class="scroll buckets" role="region" tabindex="0" aria-label="{escape(own)}">'
        f'<table class="sortable"><caption><span>{escape(caption)}</span></caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
    title = "Buckets" if len(diagnosis.scores.systems) == 2 else f"Buckets of {own}"
    return Section(f"buckets-{at}", title, content)


def _scales(findings: Sequence[Finding]) -> dict[str, float]:
    """The largest difference of each measure, which fills half a bar; a few wild ones are cut."""
    sizes: dict[str, list[float]] = {}
    for one in findings:
        sizes.setdefault(one.metric, []).append(abs(one.difference))
    return {metric: float(np.quantile(values, 0.95)) or 1.0 for metric, values in sizes.items()}


def _row(one: Finding, number: int, system: int, scale: float) -> str:
    q = "" if one.q_value is None else "<0.001" if one.q_value < 0.001 else f"{one.q_value:.3f}"
    cells = [
        _cell("", one.metric),
        _cell(one.verdict or "even", signed(one.difference, 2), one.difference),
        _bar(one, scale),
        _cell("", q or "too few", 2.0 if one.q_value is None else one.q_value),
        _cell("", f"{one.evidence:.1f}", one.evidence),
        _cell("", f"{len(one.rows):,}", float(len(one.rows))),
        _cell("", f"{one.first_score:.2f}", one.first_score),
        _cell("", f"{one.score:.2f}", one.score),
    ]
    link = (
        f'<a href="#segments" data-bucket="{number}" data-system="{system}">'
        f'<bdi dir="auto">{escape(one.bucket)}</bdi></a>'
    )
    return f'<tr><th scope="row">{link}</th>{"".join(cells)}</tr>'


def _cell(kind: str, text: str, value: float | None = None) -> str:
    mark = f' class="{kind}"' if kind else ""
    sorts = "" if value is None else f' data-value="{value!r}"'
    return f"<td{mark}{sorts}>{escape(text)}</td>"


def _bar(one: Finding, scale: float) -> str:
    """The difference as a bar from the middle, and its interval as a line."""

    def x(value: float) -> float:
        return _WIDTH / 2 * (1 + float(np.clip(value / scale, -1, 1)))

    middle, colour = _WIDTH / 2, _COLOURS[one.verdict]
    low, high = sorted((middle, x(one.difference)))
    parts = [
        element("rect", x=low, y=3.0, width=max(high - low, 0.5), height=10.0, fill=colour,
                fill_opacity="0.45"),
        element("path", d=f"M{middle:.1f} 0V{_HEIGHT:.0f}", stroke="var(--grid,#d9dde3)"),
    ]  # fmt: skip
    label = f"{one.difference:+.2f}"
    if one.low is not None and one.high is not None:
        label += f", from {one.low:+.2f} to {one.high:+.2f}"
        line = f"M{x(one.low):.1f} 8H{x(one.high):.1f}"
        parts.append(element("path", d=line, stroke="var(--ink,#1d2129)", stroke_width="1.5"))
    picture = element(
        "svg", element("title", escape(label)) + "".join(parts), role="img", width=_WIDTH,
        height=_HEIGHT, viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}",
    )  # fmt: skip
    return f'<td data-value="{one.difference!r}">{picture}</td>'


def _phrases(diagnosis: Diagnosis) -> Section | None:
    rows: list[list[Cell | str]] = [
        [
            one.text,
            one.kind,
            diagnosis.names[one.system],
            _count(one.count),
            _count(one.first),
            _count(one.own),
            Cell(
                f"{one.difference:+d}",
                "better" if one.difference > 0 else "worse",
                float(one.difference),
            ),
            f"{one.low:+.0f} to {one.high:+.0f}",
            ", ".join(map(str, one.segments)),
        ]
        for one in sorted(diagnosis.phrases, key=lambda p: -abs(p.difference))[:_PHRASES]
    ]
    if not rows:
        return None
    header = [
        "Phrase", "Kind", "System", "In the references", "First gets", "Own gets", "Difference",
        "95% interval", "Segments",
    ]  # fmt: skip
    caption = "What one system gets and the other does not."
    return Section("phrases", "Words and phrases", table(header, rows, caption, sortable=True))


def _errors(diagnosis: Diagnosis) -> Section | None:
    rows: list[list[Cell | str]] = [
        [
            f"{row['kind']}: {row['part_of_speech']}",
            diagnosis.names[row["system"]],
            _count(row["first_count"]),
            _count(row["count"]),
            Cell(signed(row["difference"], 2), row["verdict"] or "even", row["difference"]),
        ]
        for row in diagnosis.error_rows()[:_PHRASES]
    ]
    if not rows:
        return None
    caption = "Errors by kind and part of speech; the difference is per 100 words of that part."
    header = ["Error", "System", "First", "Own", "Difference"]
    return Section("errors", "Errors", table(header, rows, caption, sortable=True))


def _browser(texts: bool) -> Section:
    remark = (
        "Choose a bucket, here or in the tables above. Words that only the translation has are "
        "underlined; words of the reference that it lacks are struck through."
        if texts
        else "There are no texts, only scores."
    )
    fallback = "<noscript>With JavaScript, segments can be browsed here.</noscript>"
    content = paragraph(remark, "remark") + f'<div id="browser">{fallback}</div>'
    return Section("segments", "Segments", content)


def _number(value: float) -> Cell:
    return Cell(f"{value:.2f}", value=value)


def _count(value: int) -> Cell:
    return Cell(f"{value:,}", value=float(value))
