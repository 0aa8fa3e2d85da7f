"""`cupel score --engine ray`: the files of patterns, scored on a cluster; the same numbers as here.

The process that calls this plans, learns what metrics learn from all references, and adds blocks
up in their order; everything else happens on the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.console import Progress
from cupel.corpus import NO_REFERENCES, Corpus
from cupel.engines.ray_cluster import cluster
from cupel.engines.ray_run import Request, planned, scored_blocks
from cupel.engines.stream import EXACT_BYTES, LearnsFromBlocks, Watch
from cupel.errors import CupelError
from cupel.metric import Metric, learns_from_corpus
from cupel.scores import Scores
from cupel.scoring import check_needs
from cupel.totals import Totals

if TYPE_CHECKING:
    from cupel.blocks import Block
    from cupel.engines.ray_plan import Columns, Plan


@dataclass(frozen=True)
class Settings:
    """How to run. address: of a cluster, or None for one on this machine.

    workers  actors that score; one per CPU or GPU of the cluster, if None
    keep     folder for finished blocks, where a stopped run is continued
    block    segments per block, if not chosen by the number of segments
    """

    address: str | None = None
    workers: int | None = None
    keep: Path | None = None
    block: int | None = None


def score_on_ray(
    columns: Columns,
    metrics: Mapping[str, Metric],
    settings: Settings,
    *,
    with_scores: bool = False,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score the systems of some columns. metrics: by label, not prepared yet.

    with_scores: whether blocks have the scores of their segments, for `watch`, or without it for
    the folder of finished blocks.
    """
    with cluster(settings.address, settings.workers) as ray:
        plan = planned(ray, columns, settings.block)
        exact = sum(file.size for file in plan.files.values()) < EXACT_BYTES
        request = Request(
            columns,
            _prepared(plan, metrics),
            {label: str(metric.signature()) for label, metric in metrics.items()},
            settings.keep.absolute() if settings.keep else None,
            all_rows=exact,
            with_scores=with_scores,
            send_scores=watch is not None,
        )
        totals = Totals("rows" if exact else "units")
        blocks = scored_blocks(ray, plan, request, workers=settings.workers, progress=progress)
        for block in blocks:
            totals.add(block)
            if watch:
                watch(block)
    return Scores(request.metrics, totals)


def _prepared(plan: Plan, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """The metrics, prepared; those that learn from references read all of them, in this process."""
    first = next(_blocks(plan))
    references = first.references if any(first.references) else NO_REFERENCES
    sample = Corpus(first.systems, references, first.sources)
    check_needs(sample, metrics)
    prepared: dict[str, Metric] = {}
    for label, metric in metrics.items():
        if not learns_from_corpus(metric):
            prepared[label] = metric.prepare(sample)
        elif isinstance(metric, LearnsFromBlocks):
            prepared[label] = metric.prepare_blocks(block.references for block in _blocks(plan))
        else:
            raise CupelError(
                f"--engine ray is not possible here: the metric {label!r} learns from all texts at "
                "once."
            )
    return prepared


def _blocks(plan: Plan) -> Iterator[Block]:
    """All texts, read by this process."""
    for job in plan.jobs():
        for _, first, table in job.read(plan.columns):
            yield plan.columns.block(first, table)
