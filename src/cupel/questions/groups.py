"""Groups of fields that questions share, and single fields that many of them have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from cupel.questions.field import Count, Natural, Range, option

SEED = 12345
"""The default seed of `cupel.significance`, repeated here because importing it loads NumPy."""
MOST_RESAMPLES = 1_000_000
"""Beyond that, resampling takes minutes and gigabytes, and no digit that is printed changes."""
Resamples = Annotated[int, Range(2, MOST_RESAMPLES)]
Format = Literal["text", "json", "tsv", "latex"]
Places = Annotated[int, Range(0, 20)]


def references(**more: Any) -> Any:
    """The positional references."""
    return option(
        (),
        "Reference files: text with one segment per line (also .gz), .sgm, .xml, or "
        "FILE:COLUMN for a column of .tsv, .csv, .jsonl or .parquet.",
        role="input",
        metavar="REF",
        argument=True,
        **more,
    )


def systems(shown: str = "standard input") -> Any:
    """`-i`: the systems."""
    return option(
        (),
        "Files with the translations, one per system.",
        "--input",
        "-i",
        role="input",
        metavar="HYP",
        shown=shown,
    )


def source() -> Any:
    """`-s`: the source text."""
    return option(None, "File with the source text.", "--source", "-s", role="input", metavar="SRC")


def system_names() -> Any:
    """`--names`: of the systems."""
    return option(
        (),
        "Names of the systems in the results, in the order of -i.",
        metavar="NAME",
        shown="from the file names",
    )


def trees() -> Any:
    """`--trees`: in place of parsing."""
    return option(
        None,
        "Use these dependency trees instead of parsing, in metrics that read trees.",
        role="input",
        metavar="FILE.conllu",
    )


def language_pair() -> Any:
    """`-l`: a language pair, in every command."""
    return option(
        None,
        "Language pair, such as en-ja: chooses the words and stems of metrics for the target "
        "language, and with -t the texts.",
        "--language-pair",
        "-l",
        metavar="PAIR",
    )


def pair(shown: str) -> Any:
    """`--pair`: the language pair of what is read, where files do not say it."""
    return option(None, "Language pair, such as en-de.", metavar="PAIR", shown=shown)


def seed() -> Any:
    """`--seed`: of all random choices."""
    return option(SEED, "Seed of all random choices.", metavar="N")


def workers() -> Any:
    """`--workers`: processes."""
    return option(1, "Number of processes that share the work.", role="spread", metavar="N")


def engine(sentence: str = "") -> Any:
    """`--engine`; sentence: what else to know of ray."""
    return option(
        "local",
        "Where to work: in processes of this machine, or on a Ray cluster." + sentence,
        role="spread",
    )


def address() -> Any:
    """`--address`: of the cluster."""
    return option(
        None,
        "Address of the Ray cluster, or auto for the one that runs on this machine.",
        role="spread",
        metavar="HOST:PORT",
        shown="a cluster on this machine for this run",
    )


def pairs() -> Any:
    """`--pair`: the language pairs of human judgments."""
    return option(
        (), "Language pairs, such as de-en.", "--pair", metavar="PAIR", shown="all into English"
    )


def use_cache(results: str) -> Any:
    """`--cache`: whether computed scores or features are kept."""
    return option(
        True,
        f"Keep computed {results} in the cache for later runs.",
        "--cache",
        "--no-cache",
        role="spread",
    )


def places(default: int | None, shown: str = "") -> Any:
    """`--width`: how numbers are printed."""
    return option(
        default,
        "Number of decimal places.",
        "--width",
        "-w",
        role="output",
        metavar="N",
        shown=shown,
    )


def output_format() -> Any:
    """`-f`: the format of results."""
    return option("text", "Format in which results are printed.", "--format", "-f", role="output")


def output_file() -> Any:
    """`-o`: where results go."""
    return option(
        None,
        "Write the results to this file.",
        "--output",
        "-o",
        role="output",
        metavar="FILE",
        shown="standard output",
    )


@dataclass(frozen=True, kw_only=True)
class Texts:
    """The texts to score: references, systems, and how the files are read."""

    references: tuple[str, ...] = references(
        shown="those of the test set given by -t; none where no metric needs them"
    )
    systems: tuple[str, ...] = systems()
    source: str | None = source()
    names: tuple[str, ...] = system_names()
    num_refs: Count = option(
        1,
        "Number of tab-separated references per line of REF.",
        "--num-refs",
        "-nr",
        metavar="N",
    )
    encoding: str = option("utf-8", "Encoding of text files.", "--encoding", "-e", metavar="NAME")


@dataclass(frozen=True, kw_only=True)
class ExternalScores:
    """Scores that another program computed."""

    scores: tuple[str, ...] = option(
        (),
        "Scores of segments that another program computed, as further metrics: .jsonl, .json "
        "(COMET), .tsv, .csv, .parquet, .seg.score, .npy or .npz. Without -m and -i no texts are "
        "read.",
        role="input",
        metavar="[NAME=]FILE[:COLUMN]",
    )
    lower: tuple[str, ...] = option(
        (),
        "Metrics of --scores of which lower is better.",
        metavar="NAME",
        shown="those of MetricX",
    )


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is printed of an answer, and where."""

    panel: ClassVar[str] = "Output"

    format: Format = output_format()
    file: Path | None = output_file()
    width: Places | None = option(
        None,
        "Number of decimal places.",
        "--width",
        "-w",
        metavar="N",
        shown="1 for scores in percent, else 4",
    )
    quiet: bool = option(
        False,
        "Print results only, no notes on standard error.",
        "--quiet",
        "-q",
        role="output",
    )


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How the work is spread over processes and machines."""

    panel: ClassVar[str] = "Large inputs"

    workers: Count | None = option(
        None,
        "Number of processes that share the work.",
        "--workers",
        "--paired-jobs",
        "-j",
        role="spread",
        metavar="N",
        shown="1; with --engine ray one for each CPU or GPU of the cluster",
    )
    stream: bool = option(
        False,
        "Read the files block by block, in memory that does not grow with them. Files of more "
        "than 16 MB are read so in any case, where that is possible.",
        role="spread",
    )
    part: str | None = option(
        None,
        "Score part K of N of the segments and write it to the file given by -o; `cupel merge` "
        "makes one result of all parts.",
        role="spread",
        metavar="K/N",
    )
    engine: Literal["local", "ray"] = engine(
        " With ray, REF and -i are patterns such as 'part-*.parquet:COLUMN', or with one pattern alone "
        "a table with the columns reference and translation."
    )
    address: str | None = address()
    keep: Path | None = option(
        None,
        "Folder in which --engine ray keeps finished blocks: the same command continues "
        "there after a crash. With -sl and without -o, the scores of segments are written there, "
        "as Parquet.",
        role="output",
        metavar="FOLDER",
        folder=True,
    )


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """Intervals and tests by resampling of segments."""

    panel: ClassVar[str] = "Significance"

    ci: bool = option(
        False,
        "Add 95% confidence intervals by bootstrap resampling.",
        "--ci",
        "--confidence",
        "-ci",
    )
    ci_n: Resamples = option(
        1000,
        "Number of bootstrap resamples for --ci.",
        "--ci-n",
        "--confidence-n",
        "-cin",
        metavar="N",
    )
    paired: Literal["bs", "ar"] | None = option(
        None,
        "Test whether each system differs from the first, by paired bootstrap (bs) or "
        "approximate randomization (ar).",
        constants={"--paired-bs": "bs", "-pbs": "bs", "--paired-ar": "ar", "-par": "ar"},
    )
    paired_n: Resamples | None = option(
        None,
        "Number of resamples (bs) or trials (ar) of the paired test.",
        "--paired-n",
        "--paired-bs-n",
        "--paired-ar-n",
        "-pbsn",
        "-parn",
        metavar="N",
        shown="bs 1000, ar 10000",
    )
    seed: Natural = seed()
