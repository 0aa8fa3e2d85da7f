"""Options of `cupel score` that have the names of sacreBLEU, and the metric options they set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cupel.errors import CupelError


def _option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, rich_help_panel="As in sacreBLEU", **more)


Lowercase = Annotated[bool, _option("--lowercase", "-lc", help="Ignore case in BLEU.")]
Tokenize = Annotated[
    str | None,
    _option(
        "--tokenize",
        "-tok",
        metavar="NAME",
        help="Tokenizer for BLEU: 13a, intl, char, zh, ja-mecab, ko-mecab, flores200, none, ...",
        show_default="13a, or the one for the target language given by -l",
    ),
]
LanguagePair = Annotated[
    str | None,
    _option(
        "--language-pair",
        "-l",
        metavar="PAIR",
        help="Language pair, such as en-ja: chooses the words and stems of metrics for the target "
        "language, and with -t the texts.",
    ),
]
SmoothMethod = Annotated[
    str,
    _option(
        "--smooth-method", metavar="NAME", help="Smoothing for BLEU: exp, floor, add-k or none."
    ),
]
SmoothValue = Annotated[
    float | None,
    _option(
        "--smooth-value",
        "-sv",
        metavar="VALUE",
        help="Value for --smooth-method floor or add-k.",
        show_default="0.1 for floor, 1 for add-k",
    ),
]
NumRefs = Annotated[
    int,
    _option(
        "--num-refs",
        "-nr",
        metavar="N",
        min=1,
        help="Number of tab-separated references per line of REF.",
    ),
]
Encoding = Annotated[
    str, _option("--encoding", "-e", metavar="NAME", help="Encoding of text files.")
]
CharOrder = Annotated[
    int,
    _option("--chrf-char-order", "-cc", metavar="N", help="Longest character n-grams of chrF."),
]
WordOrder = Annotated[
    int,
    _option(
        "--chrf-word-order",
        "-cw",
        metavar="N",
        help="Longest word n-grams of chrF; 2 makes it chrF++.",
    ),
]
Beta = Annotated[int, _option("--chrf-beta", metavar="N", help="Weight of recall in chrF.")]
Whitespace = Annotated[
    bool, _option("--chrf-whitespace", help="Count spaces as characters in chrF.")
]
ChrfLowercase = Annotated[bool, _option("--chrf-lowercase", help="Ignore case in chrF.")]
EpsSmoothing = Annotated[
    bool,
    _option(
        "--chrf-eps-smoothing", help="Smooth chrF with a small constant, as NLTK and Moses do."
    ),
]
CaseSensitive = Annotated[bool, _option("--ter-case-sensitive", help="Respect case in TER.")]
AsianSupport = Annotated[
    bool, _option("--ter-asian-support", help="Split East Asian characters for TER.")
]
NoPunct = Annotated[bool, _option("--ter-no-punct", help="Remove punctuation for TER.")]
Normalized = Annotated[
    bool, _option("--ter-normalized", help="Split off punctuation and decode entities for TER.")
]

PairedBs = Annotated[bool, typer.Option("--paired-bs", "-pbs", hidden=True)]
PairedAr = Annotated[bool, typer.Option("--paired-ar", "-par", hidden=True)]
PairedJobs = Annotated[int, typer.Option("--paired-jobs", "-j", hidden=True)]
Force = Annotated[bool, typer.Option("--force", hidden=True)]
NoColor = Annotated[bool, typer.Option("--no-color", "-nc", hidden=True)]


def refuse_other_meanings(source: str | None) -> None:
    """Raise an error where an option of sacreBLEU has another meaning here."""
    if source in ("exp", "floor", "add-k", "none") and not Path(source).exists():
        raise CupelError(
            f"-s names the source file here: for sacreBLEU's smoothing write --smooth-method {source}."
        )


def segment_options(segments: bool) -> dict[str, dict[str, object]]:
    """Metric -> options that differ between segments and systems: effective order, as in sacreBLEU."""
    return {"bleu": {"effective_order": segments}}


def metric_options(
    bleu: dict[str, object],
    chrf: dict[str, object],
    ter: dict[str, object],
    *,
    word_order: int,
    segments: bool,
) -> dict[str, dict[str, object]]:
    """Metric -> its options, for the metrics that take options of sacreBLEU."""
    return {
        "bleu": {**bleu, **segment_options(segments)["bleu"]},
        "sentbleu": bleu,
        "bleucomp": {key: bleu[key] for key in ("lowercase", "tokenize")},
        "chrf": {**chrf, "word_order": word_order},
        "chrf++": chrf,
        "ter": ter,
    }
