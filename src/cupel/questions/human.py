"""What did people judge, and how far do they agree?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from cupel.questions.field import Natural, Range, option
from cupel.questions.groups import Format, Places, output_file, output_format, pair, places, seed
from cupel.questions.question import Question

InputFormat = Literal["auto", "mqm", "ratings", "appraise", "esa", "da", "pearmut", "cupel"]
Repeated = Literal["error", "first", "last", "mean"]
Combined = Literal["mean", "sum"]
Kept = Literal["good", "all"]


@dataclass(frozen=True, kw_only=True)
class RawAnnotations:
    """Files of raw annotations, and how they are read and scored."""

    files: tuple[str, ...] = option(
        ...,
        "Annotations: MQM tables as Google publishes them (.tsv), ratings of mt-metrics-eval "
        "(.jsonl, .seg.rating, or a folder that has them), exports of Appraise (.csv), logs of "
        "Pearmut (.jsonl), files that pages of `cupel annotate` saved (.json).",
        role="input",
        metavar="FILE",
        argument=True,
    )
    input_format: InputFormat = option("auto", "Format of the files.", metavar="NAME")
    pair: str | None = pair(shown="from the files or their names")
    scheme: str | None = option(
        None,
        "Weights of errors: google, unbabel, mqm-2, mqm-2015, or a .tsv or .toml file.",
        metavar="NAME",
        shown="google, or the raters' own scores where there are any",
    )
    standardize: bool = option(
        False, "Standardize the scores of each rater: mean 0, deviation 1.", "--z"
    )
    repeated: Repeated | None = option(
        None,
        "When a rater judges a translation again: an error, the first, the last, or the mean.",
        shown="error; mean for Appraise, last for Pearmut and cupel",
    )
    lenient: bool = option(
        False,
        "Accept and count what is otherwise an error: <v> without </v>, severities without a "
        "weight, texts of one segment that differ.",
    )


@dataclass(frozen=True, kw_only=True)
class ImportHuman(RawAnnotations, Question):
    """Write raw annotations as a folder that `cupel meta` and mt-metrics-eval read.

    Example: cupel human import mqm_ted_zhen.tsv -o ted --lenient
    """

    command: ClassVar[str] = "human import"
    first: ClassVar[tuple[str, ...]] = ("folder",)
    answered_by: ClassVar[str] = "cupel.human.raw.importing:import_annotations"

    folder: Path = option(
        ...,
        "New folder to write, in the layout of mt-metrics-eval.",
        "--output",
        "-o",
        role="output",
        metavar="FOLDER",
        folder=True,
    )
    over_raters: Combined = option("mean", "Combine the scores of raters by their mean or sum.")
    name: str | None = option(
        None,
        "Name of the human scores in the folder.",
        metavar="NAME",
        shown="mqm, esa or da, with -z for standardized scores",
    )
    texts: Path | None = option(
        None,
        "Take the texts from this folder in the layout of mt-metrics-eval.",
        role="input",
        metavar="FOLDER",
        shown="those in the annotations",
    )
    batches: tuple[str, ...] = option(
        (), "Batches of Appraise (JSON) that have the texts.", role="input", metavar="FILE"
    )
    references: tuple[str, ...] = option(
        (),
        "Systems that are human translations.",
        metavar="SYSTEM",
        shown="those called ref, refA, Human-A and the like",
    )
    anonymous: bool = option(False, "Call the raters rater1, rater2 and so on.")
    key: tuple[str, ...] = option(
        (),
        "Key of the tasks, which `cupel annotate` wrote (.key.json).",
        role="input",
        metavar="FILE",
        shown="those beside the files or in the current folder",
    )
    keep: Kept = option(
        "good", "Annotators of pages who count: those whom quality control keeps, or all."
    )


@dataclass(frozen=True, kw_only=True)
class HumanAgreement(RawAnnotations, Question):
    """Print how far the raters agree, and how well one predicts the others: the ceiling for metrics.

    Example: cupel human agreement ratings.jsonl -f tsv
    """

    command: ClassVar[str] = "human agreement"

    resamples: Annotated[int, Range(1)] = option(
        200, "Number of resamples for the intervals.", metavar="N"
    )
    seed: Natural = seed()
    format: Format = output_format()
    width: Places = places(3)
    file: Path | None = output_file()
