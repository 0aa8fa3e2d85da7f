"""The target language in `cupel score`: options that it chooses, and notes where metrics do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.metric import Metric

Options = dict[str, dict[str, object]]


def with_language(
    options: Options, specs: Sequence[str], pair: str | None, tokenize: str | None
) -> Options:
    """The options of metrics, with what the target language chooses; a tokenizer that was named stays."""
    if pair is None:
        return options
    from cupel.metrics.by_language import language_options

    chosen = language_options(specs, pair)
    if tokenize is not None:
        bleus = {name for name in chosen if "tokenize" in options.get(name, {})}
        chosen = {name: given for name, given in chosen.items() if name not in bleus}
    return {n: {**options.get(n, {}), **chosen.get(n, {})} for n in {*options, *chosen}}


def remark(corpus: Corpus, metrics: Mapping[str, Metric], pair: str | None) -> None:
    """Print notes about metrics that do not fit the text, or text in another language than said."""
    from cupel.metrics.by_language import corpus_notes

    for sentence in corpus_notes(corpus, metrics, pair):
        output.warn(sentence)
