"""What spaCy says of each word: part of speech, dependency relation, entity kind, lemma.

Labels belong to characters of a text, so that words split by other rules get those of the spaCy
word in which they begin. Results are kept in the cache, by all texts together and by model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module, metadata
from typing import Any

import numpy as np

from cupel import cache
from cupel.arrays import IntArray
from cupel.console import Progress
from cupel.errors import MissingPart
from cupel.syntax.models import DEFAULT, Model, find_model
from cupel.syntax.spacy_trees import with_numpys_blas
from cupel.text.tokens import offsets_of

LABELS = ("POS", "DEP", "ENT_TYPE", "LEMMA")
_FORM = 1
_BATCH = 256


@dataclass(frozen=True)
class WordLabels:
    """The labels of the words of n texts.

    offsets  (n+1,)    those of text i are rows offsets[i] to offsets[i+1]
    starts   (total,)  the character at which each word begins
    labels   name of `LABELS` -> (total,) places in `types`
    types    name -> the labels; no entity is an empty string
    """

    offsets: IntArray
    starts: IntArray
    labels: dict[str, IntArray]
    types: dict[str, list[str]]

    def at(self, segments: IntArray, starts: IntArray) -> IntArray:
        """The rows of the words that cover these characters of these texts; -1 for none."""
        span = int(max(self.starts.max(initial=0), starts.max(initial=0))) + 1
        text = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        rows = np.searchsorted(text * span + self.starts, segments * span + starts, side="right")
        rows = rows.astype(np.int64) - 1
        inside = (rows >= 0) & (rows >= self.offsets[segments])
        return np.where(inside, rows, -1)

    def take(self, texts: IntArray) -> WordLabels:
        """The labels of some of the texts."""
        rows = np.concatenate(
            [np.zeros(0, np.int64), *(np.arange(*self.offsets[t : t + 2]) for t in texts.tolist())]
        )
        return WordLabels(
            offsets_of(np.diff(self.offsets)[texts], len(texts)),
            self.starts[rows],
            {name: places[rows] for name, places in self.labels.items()},
            self.types,
        )


def model_for(language: str) -> str:
    """The name of an installed model for a language; a `MissingPart` where there is none."""
    if language == "en":
        find_model()
        return DEFAULT[0]
    names = sorted(
        name.replace("-", "_")
        for name in {d.metadata["Name"] or "" for d in metadata.distributions()}
        if name.lower().startswith((f"{language}_", f"{language}-"))
    )
    for name in names:
        try:
            find_model(name)
        except MissingPart:
            continue
        return name
    raise MissingPart(
        f"no spaCy model for {language!r} is installed (python -m spacy download NAME)"
    )


def word_labels(
    texts: Sequence[str], model: str | None = None, progress: Progress | None = None
) -> WordLabels:
    """The labels of all texts by a spaCy model, by its package or folder; None: the English one."""
    chosen = find_model(model)
    digest = blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=16)
    name = cache.key("word-labels", _FORM, chosen, chosen.spacy, len(texts), digest.hexdigest())
    kept = cache.kept_json("word-labels", name, lambda: _computed(chosen, texts, progress))
    lengths, starts, labels, types = kept
    return WordLabels(
        offsets_of(lengths, len(lengths)),
        np.array(starts, np.int64),
        {key: np.array(values, np.int64) for key, values in labels.items()},
        types,
    )


def _computed(model: Model, texts: Sequence[str], progress: Progress | None) -> list[Any]:
    pipeline = with_numpys_blas(import_module("spacy").load(model.folder))
    pipeline.max_length = 1 << 40
    lengths: list[int] = []
    starts: list[int] = []
    rows = []
    for done, doc in enumerate(pipeline.pipe(texts, batch_size=_BATCH), start=1):
        lengths.append(len(doc))
        starts += [token.idx for token in doc]
        rows.append(doc.to_array(list(LABELS)).reshape(len(doc), len(LABELS)))
        if progress is not None and (done % _BATCH == 0 or done == len(texts)):
            progress(done, len(texts))
    flat = np.concatenate([np.zeros((0, len(LABELS)), np.uint64), *rows])
    labels, types = {}, {}
    for column, label in enumerate(LABELS):
        codes, places = np.unique(flat[:, column], return_inverse=True)
        labels[label] = places.tolist()
        types[label] = [pipeline.vocab.strings[int(code)] if code else "" for code in codes]
    return [lengths, starts, labels, types]
