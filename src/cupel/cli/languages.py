"""The target language in `cupel score`: options that it chooses, and notes where metrics do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.metric import Metric

_LOOKED_AT = 200
Options = dict[str, dict[str, object]]


def with_language(
    options: Options, specs: Sequence[str], pair: str | None, tokenize: str | None
) -> Options:
    """The options of metrics, with what the target language chooses; a tokenizer that was named stays."""
    if pair is None:
        return options
    from cupel.metrics.by_language import language_options
    from cupel.text.languages import target_language

    names = {spec.partition(":")[0] for spec in specs}
    chosen = language_options(names, target_language(pair))
    if tokenize is not None:
        bleus = {name for name in chosen if "tokenize" in options.get(name, {})}
        chosen = {name: given for name, given in chosen.items() if name not in bleus}
    return {n: {**options.get(n, {}), **chosen.get(n, {})} for n in {*options, *chosen}}


def remark(corpus: Corpus, metrics: Mapping[str, Metric], pair: str | None) -> None:
    """Print notes about metrics that do not fit the text, or text in another language than said."""
    from cupel.metric import made_for

    texts = _first(corpus.references) if corpus.has_references else []
    any_text = pair is None and all(made_for(metric) is None for metric in metrics.values())
    if any_text and all(map(str.isascii, texts)):
        return  # what most people score pays for no import
    from cupel.metrics.by_language import language_notes
    from cupel.text.languages import target_language

    for sentence in language_notes(metrics, texts, target_language(pair)):
        output.warn(sentence)


def _first(references: Iterable[Sequence[str]]) -> list[str]:
    return [texts[0] for texts in islice(references, _LOOKED_AT) if texts]
