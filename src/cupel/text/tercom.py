"""The tokenizer of Tercom, the first TER program, as sacreBLEU's TER applies it.

sacreBLEU tokenises a reference twice, and the second pass of `normalized` may find more to do
(`..1` becomes `. .1`, then `. . 1`). Its scores depend on that, so ours do it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cupel.arrays import IntArray
from cupel.batch import Batch
from cupel.text.tokens import Tokens, split_words


@dataclass(frozen=True)
class Tercom:
    """The analyser sentences -> `Tokens`; the options are sacreBLEU's.

    With `normalized` there are twice as many rows as sentences: after those tokenised once, as
    hypotheses are, come those tokenised twice, as references are.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if not (self.normalized or self.no_punct):
            if not self.case_sensitive:
                sentences = [sentence.lower() for sentence in sentences]
            return split_words(sentences)
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        tokenize = TercomTokenizer(
            self.normalized, self.no_punct, self.asian_support, self.case_sensitive
        )
        lines = [tokenize(sentence.rstrip()) for sentence in sentences]
        if self.normalized:
            lines += [tokenize(line) for line in lines]
        return split_words(lines)

    def reference_rows(self, batch: Batch) -> IntArray:
        """Where the batch's references stand in the tokens."""
        return batch.reference_index + (len(batch.sentences) if self.normalized else 0)
