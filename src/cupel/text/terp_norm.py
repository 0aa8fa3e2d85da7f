r"""The normalisation of TER-Plus: lower-casing, and punctuation separated from words.

Its rules are those of Tercom (see `tercom`) except for the period and the comma: they are separated
from the end of a word, and only where the word has no other: "week." is two tokens, "u.s." and
"3,500." are one. In order:

1. white space is one blank; lower case
2. the entities ``&quot; &amp; &lt; &gt;`` become characters, the mark ``<skipped>`` goes
3. all ASCII punctuation but ``' , - .`` goes apart, and so does a final ``'s``
4. a final period or comma goes apart as described, and a dash behind a digit on both sides

The authors' program removes the blank before a word when it separates a period or comma from its
end. Between words there are three blanks then, but behind a mark that rule 3 has separated only one:
``"yes, no"`` becomes ``"yes , no "``. Its scores depend on it, and it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cupel.text.tokens import Tokens, split_words

_ENTITIES = (("<skipped>", ""), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_PUNCTUATION = re.compile(r"[ -&(-+/:-@[-`{-~]")
_POSSESSIVE = re.compile(r"'s(?= )")
_FINAL = re.compile(r" ([^,. \n]+)([.,]) ")
_DASH = re.compile(r"([0-9])-")
_REMOVED = re.compile(r'[.,?:;!"()]')


@dataclass(frozen=True)
class TerpNorm:
    """The analyser sentences -> `Tokens`.

    normalized      the rules above; without them words are what stands between white space
    no_punct        remove ``. , ? : ; ! " ( )``
    case_sensitive  do not lower-case
    """

    normalized: bool = True
    no_punct: bool = False
    case_sensitive: bool = False

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if not self.case_sensitive:
            sentences = [sentence.lower() for sentence in sentences]
        if not (self.normalized or self.no_punct):
            return split_words(sentences)
        # No rule looks past a line's end, so that all sentences are one text.
        text = "\n".join(f" {' '.join(sentence.split())} " for sentence in sentences)
        if self.normalized:
            text = _normalized(text)
        if self.no_punct:
            text = _REMOVED.sub("", text)
        return split_words(text.split("\n") if sentences else [])


def _normalized(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = _PUNCTUATION.sub(r" \g<0> ", text)
    text = _POSSESSIVE.sub(" 's", text)
    text = _FINAL.sub(r"\1 \2 ", text)
    return _DASH.sub(r"\1 - ", text)
