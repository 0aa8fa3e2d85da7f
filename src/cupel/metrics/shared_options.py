"""Options that several metrics have, described once: `tokenize: option.Tokenize = "13a"`."""

from __future__ import annotations

from typing import Annotated

from cupel.options import Range

Tokenize = Annotated[
    str,
    "Tokenizer of translations and references: 13a, intl, char, zh, ja-mecab, ko-mecab, spm, "
    "flores101, flores200, spBLEU-1K, ptb (which drops punctuation), script (words, and single "
    "characters of scripts without spaces), or none to split at spaces.",
]
Lowercase = Annotated[bool, "Lowercase the text before comparing it."]
MaxOrder = Annotated[int, "Length of the longest n-grams, in words.", Range(most=100)]
SmoothMethod = Annotated[
    str, "Smoothing of n-gram orders without a match: exp, floor, add-k or none."
]
SmoothValue = Annotated[
    float | None,
    "Value that floor or add-k adds (default: 0.1 for floor, 1 for add-k).",
    Range(0, 1000),
]
EffectiveOrder = Annotated[
    bool,
    "Leave out n-gram orders for which the translation is too short; sacreBLEU does so for segment "
    "scores, and so does `cupel score -sl`.",
]
NoPunct = Annotated[bool, "Remove punctuation."]
CaseSensitive = Annotated[bool, "Respect case instead of lowercasing the text."]

Trees = Annotated[
    str | None,
    "CoNLL-U file with the trees of the references, used instead of a parser (default: parse).",
]
BothTrees = Annotated[
    str | None,
    "CoNLL-U file with the trees of references and translations, used instead of a parser "
    "(default: parse).",
]
SpacyModel = Annotated[
    str | None, "spaCy model that parses: a package or a folder (default: en_core_web_sm)."
]
Heads = Annotated[
    str, "Which word heads a phrase: native keeps the parser's choice, penn2malt applies its rules."
]
TreeTokenize = Annotated[
    str, "Tokenizer for the parser and the translations: spacy, or one such as 13a, ptb or none."
]
Normalize = Annotated[
    bool,
    "Treat all styles of quotes and dashes as equal, and decode character entities such as &quot; "
    "in translations.",
]

Language = Annotated[str, "Language of stems and paraphrases: en, cs, de, es, fr or ru."]
AnyLanguage = Annotated[
    str,
    "Language of the translations: en, cs, de, es, fr or ru as METEOR 1.5 has them; any other code "
    "compares words and, where Snowball has a stemmer, stems.",
]
Modules = Annotated[
    str | None,
    "Matchers in the order in which they are tried, such as exact,stem,synonym (default: all that "
    "the language has).",
]
Paraphrases = Annotated[
    str | None, "Paraphrase table paraphrase-xx.gz (default: the one of METEOR in pycocoevalcap)."
]
Distance = Annotated[
    str, "How word distances of chains are compared: relative, cosine or absolute."
]
RecallWeight = Annotated[float, "Weight of recall in F, from 0 to 1."]
LongestNgrams = Annotated[int, "Number of words of the longest dep-ngrams.", Range(most=10)]
Multiple = Annotated[str, "With several references: best takes the best score, mean averages them."]
Device = Annotated[
    str, "Device of the network: cpu, cuda, cuda:1 and so on; auto uses a GPU if there is one."
]
