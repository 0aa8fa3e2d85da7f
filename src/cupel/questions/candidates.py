"""What `cupel mbr` and `cupel rerank` both ask: where the candidates are, and how a choice is printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions.field import Count, option
from cupel.questions.groups import Format, language_pair, output_file, output_format

ListFormat = Literal["auto", "json", "hf", "moses", "fairseq", "lines"]
Combination = Literal["ranks", "mean"]


@dataclass(frozen=True, kw_only=True)
class CandidateLists:
    """The candidates of each segment, and how the file is read."""

    panel: ClassVar[str] = "Input"

    candidates: str = option(
        ...,
        "Candidates of each segment: JSON lines with a list under 'candidates', an n-best list of "
        "Moses, the output of fairseq-generate, lists saved from Hugging Face, or plain lines with "
        "-n; - is standard input.",
        role="input",
        metavar="CANDIDATES",
        argument=True,
    )
    language_pair: str | None = language_pair()
    per_segment: Count | None = option(
        None,
        "The file has plain lines, N of them for each segment.",
        "--number",
        "-n",
        metavar="N",
    )
    input_format: ListFormat = option(
        "auto", "Format of the candidates.", shown="seen from the file"
    )


@dataclass(frozen=True, kw_only=True)
class Combining:
    """How several metrics become one number."""

    panel: ClassVar[str] = "Several metrics"

    combine: Combination = option(
        "ranks",
        "How several metrics become one number: the mean of a candidate's ranks (lower is "
        "better), or the weighted mean of its scores.",
    )
    metric_weights: tuple[str, ...] = option(
        (),
        "What each metric counts, or a file with these: a JSON object, or lines of a name and a "
        "number.",
        metavar="NAME=NUMBER",
        shown="1 each",
    )


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What is printed of the candidates that are chosen, and where."""

    panel: ClassVar[str] = "Output"

    format: Format = output_format()
    json_lines: bool = option(
        False,
        "Print one JSON object per segment and line, which needs no memory for many segments.",
        role="output",
    )
    everything: bool = option(False, "Print all candidates, best first.", "--all")
    file: Path | None = output_file()

    @property
    def form(self) -> str:
        """The format of results: one of -f, or jsonl."""
        return "jsonl" if self.json_lines else self.format

    def rules(self) -> None:
        """Results have one format."""
        if self.json_lines and self.format != "text":
            raise CupelError("--json-lines is a format by itself: leave out -f.")
