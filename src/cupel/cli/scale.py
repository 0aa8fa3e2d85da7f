"""`cupel score` for large inputs: block by block, or one part of many. Options and what they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import languages, output, test_sets
from cupel.cli.printing import Printing
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.data.test_sets import TestSet
    from cupel.engines.inputs import Inputs
    from cupel.metric import Metric

STREAM_BYTES = 16_000_000
"""That of `cupel.engines.stream`, repeated here because importing it loads NumPy."""
LOOKED_AT = 200
"""Segments whose language is looked at."""


def large_option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002
    """An option in the panel for large inputs."""
    return typer.Option(*names, help=help, rich_help_panel="Large inputs", **more)


Stream = Annotated[
    bool,
    large_option(
        "--stream",
        help="Read the files block by block, in memory that does not grow with them. Files of more "
        "than 16 MB are read so in any case, where that is possible.",
    ),
]
PartOf = Annotated[
    str | None,
    large_option(
        "--part",
        metavar="K/N",
        help="Score part K of N of the segments and write it to the file given by -o; `cupel merge` "
        "makes one result of all parts.",
    ),
]


@dataclass(frozen=True)
class Texts:
    """Where the texts are, as the command line names them."""

    references: Sequence[str]
    systems: Sequence[str]
    source: str | None
    names: Sequence[str] | None
    num_refs: int
    encoding: str

    @property
    def size(self) -> float:
        """Bytes of the files; 0 where one is not there, or no file."""
        from cupel.reading.names import parse_name

        given = (*self.references, *self.systems, *([self.source] if self.source else []))
        try:
            return sum(Path(file).stat().st_size for file in {parse_name(g).file for g in given})
        except OSError:
            return 0

    def inputs(self) -> Inputs:
        """The files, to be read block by block."""
        from cupel.engines.inputs import Inputs

        return Inputs.of(
            self.references,
            self.systems,
            self.source,
            names=self.names,
            num_refs=self.num_refs,
            encoding=self.encoding,
        )

    def corpus(self, test_set: TestSet | None) -> Corpus:
        """All texts, with references from the files or from a test set."""
        return test_sets.read_texts(
            test_set,
            self.references,
            self.systems,
            self.source,
            names=self.names,
            num_refs=self.num_refs,
            encoding=self.encoding,
        )


@dataclass(frozen=True)
class Scale:
    """What is asked for.

    whole  what needs all texts at once: option -> whether it is asked for
    """

    stream: bool
    part: str | None
    workers: int
    whole: Mapping[str, object]

    @property
    def asked(self) -> bool:
        """Whether block by block is the only way."""
        return self.stream or self.part is not None

    def scored(
        self,
        texts: Texts,
        metrics: Mapping[str, Metric],
        options: Mapping[str, Mapping[str, object]],
        printing: Printing,
    ) -> bool:
        """Score and print the texts block by block; False where they are to be read as a whole."""
        printing.check(part=self.part is not None)
        if not self.asked and texts.size < STREAM_BYTES:
            return False
        inputs = texts.inputs()
        reason = self._reason(inputs, metrics, printing)
        if reason is not None:
            if self.asked:
                option = "--part" if self.part else "--stream"
                raise CupelError(f"{option} is not possible here: {reason}.")
            return False
        if not printing.quiet:
            _remark(inputs, metrics, printing.pair)
        if self.part is not None:
            self._write_part(self.part, inputs, metrics, options, printing)
        else:
            self._score(inputs, metrics, printing)
        return True

    def _reason(
        self, inputs: Inputs, metrics: Mapping[str, Metric], printing: Printing
    ) -> str | None:
        from cupel.engines.stream import why_not_streamed

        for option, asked in self.whole.items():
            if asked:
                return f"{option} needs all texts at once"
        if printing.details and printing.segments:
            return "--details of segments needs all texts at once"
        return why_not_streamed(inputs, metrics, details=printing.details)

    def _score(self, inputs: Inputs, metrics: Mapping[str, Metric], printing: Printing) -> None:
        from cupel.engines.stream import score_files

        stream = segment_stream(list(inputs.systems), metrics, printing)
        with stream as segments:
            with output.progress_bar("scoring") as progress:
                scores = score_files(
                    inputs,
                    metrics,
                    workers=self.workers,
                    with_scores=printing.segments,
                    watch=segments.add if segments else None,
                    progress=progress,
                )
            if segments:
                segments.finish(scores)
        printing.print_streamed(scores)

    def _write_part(
        self,
        part: str,
        inputs: Inputs,
        metrics: Mapping[str, Metric],
        options: Mapping[str, Mapping[str, object]],
        printing: Printing,
    ) -> None:
        from cupel.engines.parts import parse_part, write_part

        number, count = parse_part(part)
        if printing.ci or printing.test:
            raise CupelError("Intervals and tests are of all parts: ask `cupel merge` for them.")
        if printing.out is None:
            raise CupelError("A part is written to a file: name it with -o.")
        with output.progress_bar("scoring") as progress:
            written = write_part(
                Path(printing.out),
                number,
                count,
                inputs,
                metrics,
                options,
                workers=self.workers,
                with_scores=printing.segments,
                progress=progress,
            )
        if not printing.quiet:
            output.warn(
                f"Wrote {printing.out}: {written.stop - written.start} of "
                f"{written.plan.segments} segments."
            )


def _remark(inputs: Inputs, metrics: Mapping[str, Metric], pair: str | None) -> None:
    """Notes about metrics that do not fit the first references, which a file gives twice and a pipe once."""
    from cupel.engines.inputs import Reader
    from cupel.reading.names import parse_name

    files = [Path(parse_name(name).file) for name in inputs.references]
    if not files or not all(file.is_file() for file in files):
        return
    with Reader(replace(inputs, systems={}, source=None)) as reader:
        block = reader.read(0, LOOKED_AT)
    if block is not None:
        texts = [texts[0] for texts in block.references if texts]
        languages.remark_texts(texts, metrics, pair)


def options_on_all_texts(
    test_set: object,
    others: object,
    prefer: bool,
    flags: bool,
    clusters: bool,
    report: object,
    gated: bool,
) -> dict[str, object]:
    """Options that need all texts at once -> whether each is asked for."""
    return {
        "a test set (-t)": test_set,
        "--scores": others,
        "--prefer": prefer,
        "--flagged": flags,
        "--clusters": clusters,
        "--report": report,
        "a gate": gated,
    }


def segment_stream(systems: list[str], metrics: Mapping[str, Metric], printing: Printing) -> Any:
    """Where segment scores go while blocks come in; None inside where they are not asked for."""
    from cupel.cli.segment_stream import SegmentStream

    if not printing.segments:
        return nullcontext()
    p = printing
    return SegmentStream(systems, metrics, p.form, p.width, p.score_only, p.out)
