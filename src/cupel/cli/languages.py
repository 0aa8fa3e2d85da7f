"""The target language: metrics and options that it chooses, and notes where metrics do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.metric import Metric

Options = dict[str, dict[str, object]]


def for_target(specs: Sequence[str], pair: str | None, quiet: bool) -> list[str]:
    """The metrics for a target language: chrf++ takes the place of assay where it is not English."""
    if pair is None:
        return list(specs)
    from cupel.metrics.by_language import for_target, replacement_notes

    for sentence in [] if quiet else replacement_notes(specs, pair):
        output.warn(sentence)
    return for_target(specs, pair)


def chosen_metrics(specs: Sequence[str], pair: str | None) -> dict[str, Metric]:
    """The metrics by their labels, as the target language makes them; a note where one is replaced."""
    from cupel.metrics.by_language import metrics_for

    return metrics_for(for_target(specs, pair, quiet=False), pair)


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


def remark_texts(texts: Sequence[str], metrics: Mapping[str, Metric], pair: str | None) -> None:
    """The same as `remark`, of texts in the target language that are no corpus."""
    from cupel.metrics.by_language import text_notes

    for sentence in text_notes(texts, metrics, pair):
        output.warn(sentence)


def remark(corpus: Corpus, metrics: Mapping[str, Metric], pair: str | None) -> None:
    """Print notes about metrics that do not fit the text, or text in another language than said."""
    from cupel.metrics.by_language import corpus_notes

    for sentence in corpus_notes(corpus, metrics, pair):
        output.warn(sentence)
