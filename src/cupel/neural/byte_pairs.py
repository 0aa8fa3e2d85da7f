"""Byte pairs: the tokenizer of Qwen and others, with the vocabulary and merges of a GGUF file.

A text is normalised (NFC) and cut into words, single digits, punctuation and spaces, a space going
with the word behind it; the bytes of each are then joined in the order of the merges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cupel.neural.wordpiece import Pieces

QWEN_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""What a text is cut into before bytes are joined (`tokenizer.ggml.pre` is "qwen2")."""


class BytePairs:
    """Cuts sentences as the vocabulary of `settings`, those of a GGUF file, says."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

        numbers = {text: number for number, text in enumerate(settings["tokenizer.ggml.tokens"])}
        merges = [tuple(pair.split(" ", 1)) for pair in settings["tokenizer.ggml.merges"]]
        tokenizer = Tokenizer(models.BPE(numbers, merges))
        tokenizer.normalizer = normalizers.NFC()
        words = pre_tokenizers.Split(Regex(QWEN_WORDS), "isolated")
        single = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([words, single])
        self._tokenizer = tokenizer

    def __call__(self, sentences: Sequence[str]) -> Pieces:
        encodings = self._tokenizer.encode_batch_fast(list(sentences))
        offsets = np.zeros(len(encodings) + 1, np.int64)
        np.cumsum([len(encoding) for encoding in encodings], out=offsets[1:])
        ids = [np.array(encoding.ids, np.int32) for encoding in encodings]
        return Pieces(np.concatenate([*ids, np.zeros(0, np.int32)]), offsets)
