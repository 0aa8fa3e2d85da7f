"""The data of the segment browser: scores, texts and alignments, packed small for one page.

All of it is one JSON object, compressed with gzip and written in base64: no character of any text
can end the element that holds it. Segment by segment, since the outputs of several systems for
one segment resemble each other, which is what compression lives on.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel.errors import CupelError
from cupel.report.runs import Run
from cupel.report.traits import is_check, metric_of

if TYPE_CHECKING:
    from cupel.alignments import Alignment
    from cupel.batch import FloatArray
    from cupel.corpus import Corpus
    from cupel.metric import Metric


def columns(run: Run) -> dict[str, FloatArray]:
    """Scores by metric as (systems, segments)."""
    count = len(system_names(run))
    return {
        metric: np.array([row[metric] for row in run.rows], np.float64).reshape(count, -1)
        for metric in run.segment_metrics
    }


def system_names(run: Run) -> list[str]:
    """The systems of a run, in its order."""
    return list(dict.fromkeys(row["system"] for row in run.rows))


def grouped(run: Run) -> Run:
    """The rows system by system, however they were interleaved."""
    place = {system: index for index, system in enumerate(system_names(run))}
    rows = sorted(run.rows, key=lambda row: place[row["system"]])
    return Run(run.kind, rows, run.signatures, run.version, run.extras, run.origin)


def check_texts(run: Run, corpus: Corpus) -> None:
    """The texts are of the same systems and segments as the scores."""
    for system in system_names(run):
        if system not in corpus.systems:
            names = ", ".join(corpus.systems)
            raise CupelError(
                f"{run.origin} has scores of system {system!r}, which is not among the texts "
                f"({names}); name them in the order of -i with --names."
            )
    count = len(run.rows) // len(system_names(run))
    if count != len(corpus):
        raise CupelError(
            f"{run.origin} has scores of {count} segments, but the texts have {len(corpus)}."
        )


def payload(
    run: Run,
    higher: Mapping[str, bool],
    corpus: Corpus | None = None,
    aligned: tuple[str, Mapping[str, Sequence[Alignment]]] | None = None,
) -> dict[str, Any]:
    """What the browser shows. aligned: a metric's name and its alignments by system."""
    systems = system_names(run)
    tables = columns(run)
    data: dict[str, Any] = {
        "systems": systems,
        "metrics": [
            {"name": metric, "higher": higher[metric], "check": is_check(metric)}
            for metric in tables
        ],
        "count": len(run.rows) // len(systems),
        "scores": [_rounded(table) for table in tables.values()],
    }
    if corpus is not None:
        data["references"] = [list(texts) for texts in corpus.references]
        data["sources"] = None if corpus.sources is None else list(corpus.sources)
        data["texts"] = [
            list(texts) for texts in zip(*(corpus.systems[s] for s in systems), strict=True)
        ]
    if aligned is not None:
        name, by_system = aligned
        kinds: dict[str, int] = {}
        data["alignments"] = {
            "metric": name,
            "segments": [
                [_packed(one, kinds) for one in segment]
                for segment in zip(*(by_system[system] for system in systems), strict=True)
            ],
        }
        data["alignments"]["kinds"] = list(kinds)
    return data


def _rounded(table: FloatArray) -> list[list[float]]:
    """Four decimals for shares, two for percentages: more is never shown."""
    places = 4 if np.abs(table).max(initial=0.0) <= 5 else 2
    return [[float(value) for value in row] for row in np.round(table, places)]


def _packed(alignment: Alignment, kinds: dict[str, int]) -> list[Any]:
    """[tokens, reference's tokens, links]; a link is [hypothesis at, reference at, length, kind],
    one for a run of single words, or has a fifth number, the length on the side of the reference.
    """
    links: list[list[int]] = []
    seen: set[tuple[int, int, int]] = set()
    for link in alignment.links:
        kind = kinds.setdefault(link.kind, len(kinds))
        ours, theirs = link.hypothesis, link.reference
        if (
            len(ours) != len(theirs)
            and ours
            and theirs
            and _neighbours(ours)
            and _neighbours(theirs)
        ):
            links.append([ours[0], theirs[0], len(ours), kind, len(theirs)])
            continue
        # Word by word; n-grams that overlap would draw the same line several times.
        for one, other in zip(ours, theirs, strict=False):
            if (one, other, kind) not in seen:
                seen.add((one, other, kind))
                _extend(links, one, other, kind)
    return [" ".join(alignment.hypothesis), " ".join(alignment.reference), links]


def _neighbours(positions: Sequence[int]) -> bool:
    return positions[-1] - positions[0] == len(positions) - 1


def _extend(links: list[list[int]], ours: int, theirs: int, kind: int) -> None:
    """One more pair of words, in the last run where it continues that."""
    if links and len(links[-1]) == 4:
        first, second, length, last = links[-1]
        if (ours, theirs, kind) == (first + length, second + length, last):
            links[-1][2] += 1
            return
    links.append([ours, theirs, 1, kind])


def packed(data: Mapping[str, Any]) -> str:
    """As base64 of gzip of JSON; the same data give the same string."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    content = gzip.compress(text.encode("utf-8", "replace"), compresslevel=9, mtime=0)
    return base64.b64encode(content).decode("ascii")


def alignments(
    metrics: Sequence[str],
    corpus: Corpus,
    systems: Sequence[str],
    made: Mapping[str, Metric] | None = None,
) -> tuple[str, dict[str, list[Alignment]]] | None:
    """The alignments of the first of these metrics that aligns words, METEOR before others.

    made: the metrics that scored, by label, since options such as --trees are not in their names.
    """
    from cupel.alignments import Aligning
    from cupel.batch import Batch

    aligning: dict[str, Any] = {}
    for label in metrics:
        metric = (made or {}).get(label) or metric_of(label)
        if isinstance(metric, Aligning):
            aligning[label] = metric
    for label, metric in sorted(aligning.items(), key=lambda item: item[1].name != "meteor"):
        prepared = metric.prepare(corpus)
        return label, {
            system: list(prepared.alignments(Batch(corpus.systems[system], corpus.references)))
            for system in systems
        }
    return None
