"""Options of `cupel score` that have sacreBLEU's names, and what they mean to the metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cupel.errors import CupelError


def _option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, rich_help_panel="As in sacreBLEU", **more)


Lowercase = Annotated[bool, _option("--lowercase", "-lc", help="BLEU's: ignore case.")]
Tokenize = Annotated[
    str | None,
    _option("--tokenize", "-tok", metavar="NAME", help="BLEU's.", show_default="13a, or by -l"),
]
LanguagePair = Annotated[
    str | None,
    _option("--language-pair", "-l", metavar="PAIR", help="For the tokenizer of zh, ja, ko."),
]
SmoothMethod = Annotated[
    str, _option("--smooth-method", metavar="NAME", help="BLEU's: exp, floor, add-k, none.")
]
SmoothValue = Annotated[
    float | None,
    _option(
        "--smooth-value",
        "-sv",
        metavar="VALUE",
        help="BLEU's, of floor and add-k.",
        show_default="floor 0.1, add-k 1",
    ),
]
NumRefs = Annotated[
    int,
    _option("--num-refs", "-nr", metavar="N", min=1, help="Tab-separated references in REF."),
]
Encoding = Annotated[str, _option("--encoding", "-e", metavar="NAME", help="Of text files.")]
CharOrder = Annotated[
    int,
    _option("--chrf-char-order", "-cc", metavar="N", help="Longest n-grams of characters."),
]
WordOrder = Annotated[
    int, _option("--chrf-word-order", "-cw", metavar="N", help="Longest n-grams of words.")
]
Beta = Annotated[int, _option("--chrf-beta", metavar="N", help="The weight of recall.")]
Whitespace = Annotated[bool, _option("--chrf-whitespace", help="Count spaces too.")]
ChrfLowercase = Annotated[bool, _option("--chrf-lowercase", help="Ignore case.")]
EpsSmoothing = Annotated[bool, _option("--chrf-eps-smoothing", help="Smooth as NLTK does.")]
CaseSensitive = Annotated[bool, _option("--ter-case-sensitive", help="Heed case.")]
AsianSupport = Annotated[bool, _option("--ter-asian-support", help="Split Asian characters.")]
NoPunct = Annotated[bool, _option("--ter-no-punct", help="Remove punctuation.")]
Normalized = Annotated[bool, _option("--ter-normalized", help="Normalize and tokenize.")]

PairedBs = Annotated[bool, typer.Option("--paired-bs", "-pbs", hidden=True)]
PairedAr = Annotated[bool, typer.Option("--paired-ar", "-par", hidden=True)]
PairedJobs = Annotated[int, typer.Option("--paired-jobs", "-j", hidden=True)]
Force = Annotated[bool, typer.Option("--force", hidden=True)]
NoColor = Annotated[bool, typer.Option("--no-color", "-nc", hidden=True)]
TestSet = Annotated[str | None, typer.Option("--test-set", "-t", hidden=True)]

_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}


def refuse_other_meanings(source: str | None, test_set: str | None) -> None:
    """Say so where an option means something else here, or cannot be had."""
    if test_set is not None:
        raise CupelError(
            "Cupel does not download test sets (-t): give the reference files, for instance those "
            "that `sacrebleu -t SET -l PAIR --echo ref` prints."
        )
    if source in ("exp", "floor", "add-k", "none") and not Path(source).exists():
        raise CupelError(
            f"-s names the source file here: for sacreBLEU's smoothing write --smooth-method {source}."
        )


def tokenizer(name: str | None, language_pair: str | None) -> str:
    """As named; else by the target language, as sacreBLEU chooses it."""
    return name or _TOKENIZERS.get((language_pair or "").rpartition("-")[2], "13a")


def metric_options(
    bleu: dict[str, object],
    chrf: dict[str, object],
    ter: dict[str, object],
    *,
    word_order: int,
    segments: bool,
) -> dict[str, dict[str, object]]:
    """The options of each metric that takes some of sacreBLEU's, by its name."""
    return {
        # sacreBLEU, too, scores segments with effective order.
        "bleu": {**bleu, "effective_order": segments},
        "sentbleu": bleu,
        "bleucomp": {key: bleu[key] for key in ("lowercase", "tokenize")},
        "chrf": {**chrf, "word_order": word_order},
        "chrf++": chrf,
        "ter": ter,
    }
