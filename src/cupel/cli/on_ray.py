"""`cupel score --engine ray`: options, and what they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import output
from cupel.cli.options import fillable
from cupel.cli.scale import large_option, segment_stream
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.cli.printing import Printing
    from cupel.cli.scale import Scale, Texts
    from cupel.metric import Metric


class EngineName(StrEnum):
    """The values of `--engine`."""

    local = "local"
    ray = "ray"


Engine = Annotated[
    EngineName,
    large_option(
        "--engine",
        help="Where to score: in processes of this machine, or on a Ray cluster. With ray, REF and "
        "-i are patterns such as 'part-*.parquet:COLUMN', or with one pattern alone a table with the "
        "columns reference and translation.",
    ),
]
Address = Annotated[
    str | None,
    large_option(
        "--address",
        metavar="HOST:PORT",
        help="Address of the Ray cluster, or auto for the one that runs on this machine.",
        show_default="a cluster on this machine for this run",
    ),
]
Keep = Annotated[
    Path | None,
    large_option(
        "--keep",
        metavar="FOLDER",
        callback=fillable,
        help="Folder in which --engine ray keeps finished blocks: the same command continues "
        "there after a crash. With -sl and without -o, the scores of segments are written there, as "
        "Parquet.",
    ),
]


@dataclass(frozen=True)
class OnRay:
    """What is asked for. workers: None where the option is not given. local: the other engine."""

    engine: EngineName
    address: str | None
    keep: Path | None
    workers: int | None
    local: Scale

    @classmethod
    def of(cls, context: typer.Context, local: Scale) -> OnRay:
        """The values of the options."""
        given = context.params
        source = context.get_parameter_source("workers")
        default = source is None or source.name == "DEFAULT"
        return cls(
            EngineName(given["engine"]),
            given["address"],
            Path(given["keep"]) if given["keep"] is not None else None,
            None if default else local.workers,
            local,
        )

    def scored(
        self,
        texts: Texts,
        metrics: Mapping[str, Metric],
        options: Mapping[str, Mapping[str, object]],
        printing: Printing,
    ) -> bool:
        """Score and print block by block, here or on a cluster; False where all texts are needed."""
        if self.engine is not EngineName.ray:
            for option, value in (("--address", self.address), ("--keep", self.keep)):
                if value is not None:
                    raise CupelError(f"{option} is for --engine ray: add that, or leave it out.")
            return self.local.scored(texts, metrics, options, printing)
        self._check(texts, printing)
        from cupel.engines.ray_cluster import check_ray

        check_ray()
        from cupel.engines.ray_plan import columns_of
        from cupel.engines.ray_score import Settings, score_on_ray
        from cupel.metric import SOURCES, needs_of

        given = None if list(texts.systems) == ["-"] else texts.systems
        needs_source = any(SOURCES in needs_of(metric) for metric in metrics.values())
        columns = columns_of(
            texts.references, given, texts.source, texts.names, needs_source=needs_source
        )
        settings = Settings(self.address, self.workers, self.keep)
        apart = printing.segments and self.keep is not None and printing.out is None
        if apart:
            printing = replace(printing, segments=False)
        with segment_stream(list(columns.systems), metrics, printing) as segments:
            with output.progress_bar("scoring") as progress:
                scores = score_on_ray(
                    columns,
                    metrics,
                    settings,
                    with_scores=apart or printing.segments,
                    watch=segments.add if segments else None,
                    progress=progress,
                )
            if segments:
                segments.finish(scores)
        printing.print_streamed(scores)
        return True

    def _check(self, texts: Texts, printing: Printing) -> None:
        unfit = {**self.local.whole, "--stream": self.local.stream, "--part": self.local.part}
        for option, value in unfit.items():
            if value:
                raise CupelError(f"--engine ray does not go with {option}: leave one of them out.")
        if printing.details and printing.segments:
            raise CupelError("--details of segments needs all texts at once: leave it out.")
        if texts.encoding.lower().replace("-", "") != "utf8":
            raise CupelError("--engine ray reads UTF-8 only: convert the files.")
        if texts.num_refs != 1:
            raise CupelError("--engine ray reads one reference per line: leave out --num-refs.")
