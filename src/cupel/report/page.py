"""One self-contained HTML page from runs: style, script, charts and data inside, no network.

A content security policy allows the style and the script of the page by their hashes, nothing else.
Tables and charts are plain HTML and SVG, there without JavaScript; the script adds sorting and the
segment browser.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel import __version__
from cupel.records import json_document, question_record
from cupel.report import campaign, judged, naming, scored, segments, verdicts
from cupel.report.html import Section, paragraph
from cupel.report.runs import PREFERRED, Run, other_versions
from cupel.report.svg import escape
from cupel.report.traits import higher_is_better
from cupel.report.verdicts import Uncertainty
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.metric import Metric
    from cupel.scores import Scores


_SECTIONS = {"meta": judged.meta, "mutt": judged.mutt, "tasks": campaign.task_section}


def report(
    runs: Sequence[Run],
    corpus: Corpus | None = None,
    *,
    uncertainty: Uncertainty | None = None,
    metrics: Mapping[str, Metric] | None = None,
    title: str = "",
    align: bool = True,
) -> str:
    """The page of one or several runs. corpus: the texts of a run over segments.

    uncertainty: intervals and differences beyond those of the rows. metrics: those that scored, by
    label; without them the registry is used.
    """
    higher = {label: metric.higher_is_better for label, metric in (metrics or {}).items()}
    names = naming.page_names(runs, corpus)
    runs = [naming.renamed_run(run, names) for run in runs]
    corpus = naming.renamed_corpus(corpus, names)
    uncertainty = naming.renamed_uncertainty(uncertainty, names)
    sections: list[Section] = []
    data = ""
    for run in runs:
        if run.kind == "score":
            sections += _scored(run, uncertainty, higher)
        elif run.kind == "segments":
            grouped = segments.grouped(run)
            directions = _directions(grouped.segment_metrics, higher)
            browser, data = scored.browser(grouped, directions, corpus, align, metrics)
            sections += [scored.distributions(grouped), browser]
            tables = segments.columns(grouped)
            flat = np.stack([table.ravel() for table in tables.values()])
            sections[-1:-1] = _kept(scored.correlations(grouped, list(tables), flat))
        else:
            # Two runs of one kind may be on one page: their sections need different names.
            count = sum(
                s.name.startswith({"meta": "people"}.get(run.kind, run.kind)) for s in sections
            )
            build = _SECTIONS[run.kind]
            sections.append(build(run, f"-{count + 1}" if count else ""))
    sections.append(_signatures(runs))
    result = _result([row for run in runs if run.kind != "segments" for row in run.rows])
    return _page(title or _title(runs), sections, data, other_versions(runs), result)


def _result(rows: Sequence[Mapping[str, Any]]) -> str:
    """The question and its numbers, for `cupel again`; nothing where a function was called."""
    if question_record() is None:
        return ""
    document = json_document(rows).replace("</", "<\\/")
    return f'<script type="application/json" id="result">{document}</script>'


def html_report(
    scores: Scores,
    *,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
    align: bool = True,
    title: str = "",
    pair: str | None = None,
    domain: str | None = None,
) -> str:
    """The page of scores just computed: with intervals, paired tests and all segments.

    resamples, seed: of the intervals and tests. align: whether segments show the alignments of
    metrics that align. title: of the page. pair, domain: language pair and domain of the texts, for
    what differences mean to people.
    """
    rows = scores.rows()
    uncertainty = verdicts.uncertainty(scores, resamples=resamples, seed=seed)
    p_values = {(one.system, one.metric): one.p_value for one in uncertainty.differences}
    meant = verdicts.preferred(scores, pair, domain)
    for row in rows:
        interval = uncertainty.intervals.get((row["metric"], row["system"]))
        row["low"] = interval.low if interval else None
        row["high"] = interval.high if interval else None
        row["p_value"] = p_values.get((row["system"], row["metric"]))
        row |= meant.get((row["system"], row["metric"]), dict.fromkeys(PREFERRED))
    segment_rows = _for_segments(scores).segment_rows()
    runs = [
        Run("score", rows, scores.signatures),
        Run("segments", segment_rows, scores.signatures),
    ]
    return report(
        runs,
        scores.corpus if scores.corpus.has_texts else None,
        uncertainty=uncertainty,
        metrics=scores.metrics,
        align=align,
        title=title,
    )


def _for_segments(scores: Scores) -> Scores:
    """The same statistics, with BLEU by effective order, as `cupel score -sl` scores segments."""
    metrics = {
        label: replace(metric, effective_order=True)  # type: ignore[type-var]
        if hasattr(metric, "effective_order")
        else metric
        for label, metric in scores.metrics.items()
    }
    return replace(scores, metrics=metrics)


def _scored(run: Run, uncertainty: Uncertainty | None, higher: Mapping[str, bool]) -> list[Section]:
    metrics = list(dict.fromkeys(row["metric"] for row in run.rows))
    names = list(dict.fromkeys(row["system"] for row in run.rows))
    directions = _directions(metrics, higher)
    differences = (
        uncertainty.differences if uncertainty else verdicts.from_rows(run.rows, directions)
    )
    by_cell = {(row["metric"], row["system"]): row["score"] for row in run.rows}
    matrix = np.array([[by_cell[metric, name] for name in names] for metric in metrics])
    return [
        *_kept(scored.verdict(differences, run.rows)),
        scored.systems(run, differences, directions),
        *_kept(
            scored.contest(uncertainty.wins, names, uncertainty.rankings) if uncertainty else None
        ),
        *_kept(None if uncertainty else scored.correlations(run, metrics, matrix)),
    ]


def _kept(section: Section | None) -> list[Section]:
    return [] if section is None else [section]


def _directions(metrics: Sequence[str], higher: Mapping[str, bool]) -> dict[str, bool]:
    """Which of the metrics are better when higher, also for those that `higher` lacks."""
    return {m: higher[m] if m in higher else higher_is_better(m) for m in metrics}


def _title(runs: Sequence[Run]) -> str:
    run = runs[0]
    if run.kind in ("score", "segments"):
        names = list(dict.fromkeys(row["system"] for row in run.rows))
        return " and ".join(names) if len(names) <= 2 else f"{len(names)} systems compared"
    metrics = len(dict.fromkeys(row["metric"] for row in run.rows))
    against = "unit tests" if run.kind == "mutt" else "people"
    return f"{metrics} metric{'s' * (metrics != 1)} against {against}"


def _signatures(runs: Sequence[Run]) -> Section:
    signatures: dict[str, str] = {}
    for run in runs:
        for metric, signature in run.signatures.items():
            signatures.setdefault(metric, signature)
    items = "".join(
        f"<dt>{escape(metric)}</dt><dd><code>{escape(signature)}</code></dd>"
        for metric, signature in signatures.items()
    )
    remark = paragraph("Same signature and same text: the same score.", "remark")
    return Section("signatures", "Signatures", f'{remark}<dl class="signatures">{items}</dl>')


def asset(name: str) -> str:
    """A style sheet or script of the pages."""
    return (files("cupel.report") / "assets" / name).read_text("utf-8")


GENERATOR = f'<meta name="generator" content="Cupel {__version__}">'


def source_hash(content: str) -> str:
    """How a content security policy names a style or script that a page may have."""
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def policy_of(style: str, script: str) -> str:
    """The content security policy of a file that has one style and one script, and loads nothing."""
    return (
        f"default-src 'none'; style-src {source_hash(style)}; script-src {source_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def opening(title: str, style: str, policy: str, more: str) -> str:
    """What every page begins with, to the start of its body. more: further elements of the head."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n{more}\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )


def _page(
    title: str,
    sections: Sequence[Section],
    data: str,
    warnings: Sequence[str],
    result: str = "",
) -> str:
    style, script = asset("report.css"), asset("marks.js") + asset("report.js")
    holder = (
        f'<script type="application/octet-stream" id="segment-data">{data}</script>' if data else ""
    )
    links = "".join(f'<li><a href="#{s.name}">{escape(s.title)}</a></li>' for s in sections)
    remarks = "".join(paragraph(sentence, "warning") for sentence in warnings)
    return (
        f"{opening(f'{title} – Cupel', style, policy_of(style, script), GENERATOR)}"
        '<a class="skip" href="#main">Skip to the results</a>\n'
        f'<header><h1><bdi dir="auto">{escape(title)}</bdi></h1>'
        f'<p class="meta">Cupel {__version__}, {date.today().isoformat()}</p>{remarks}</header>\n'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n'
        f'<main id="main">\n{chr(10).join(map(str, sections))}\n</main>\n'
        f"<footer>Made with Cupel {__version__}. This file holds everything it shows; nothing is "
        f"loaded from elsewhere.</footer>\n{holder}{result}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def segments_run(scores: Scores) -> tuple[Run, dict[str, bool]]:
    """The segment scores of a browser of segments, and which metrics are better when higher."""
    rows = _for_segments(scores).segment_rows()
    higher = {label: metric.higher_is_better for label, metric in scores.metrics.items()}
    run = segments.grouped(Run("segments", rows, scores.signatures))
    return run, _directions(run.segment_metrics, higher)


def assembled(title: str, sections: Sequence[Section], run: Run, data: str) -> str:
    """A whole page of these sections and of the signatures of a run. data: of its segments."""
    return _page(title, [*sections, _signatures([run])], data, ())
