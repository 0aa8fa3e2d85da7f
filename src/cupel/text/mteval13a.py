r"""The tokenizer `13a` of mteval-v13a.pl and sacreBLEU, over whole batches.

Its rules, in order, after XML entities are resolved and a blank is put at either end:

1. a blank around each of ``{|}~ [\]^_` !"#$%& ()*+ :;<=>?@ /``
2. a period or comma goes apart unless a digit stands before it
3. a period or comma goes apart unless a digit stands behind it
4. a dash goes apart behind a digit

No rule looks past white space or past a mark that rule 1 has put apart: what stands there is "not
a digit", whatever it is. So `cupel.kernels.words` applies rules 2 to 4 to what lies between, as
the substitutions would: from left to right, never using a character twice. Line breaks inside a
segment, the mark ``<skipped>`` and entities are resolved here, in the few segments that have them.
"""

from __future__ import annotations

from collections.abc import Sequence

from cupel.text.code_points import mteval
from cupel.text.tokens import Tokens, split_words

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def tokenize(sentences: Sequence[str]) -> Tokens:
    """The 13a tokens of each sentence."""
    from cupel.kernels.words import RULES_13A

    return split_words([_resolved(sentence) for sentence in sentences], RULES_13A, mteval())


def _resolved(sentence: str) -> str:
    if "\n" in sentence or "<skipped>" in sentence:
        sentence = sentence.rstrip().replace("<skipped>", "")
        sentence = sentence.replace("-\n", "").replace("\n", " ")
    if "&" in sentence:
        for entity, character in _ENTITIES:
            sentence = sentence.replace(entity, character)
    return sentence
