"""What spaCy parses, as `Trees`: one segment, one tree.

Sentence splitting is off: only the first word is marked as the beginning of a sentence. If several
roots are left nevertheless, the later ones join under the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from cupel.arrays import IntArray
from cupel.console import Progress
from cupel.syntax.models import Model, load
from cupel.syntax.tree import JOINED, ROOT
from cupel.syntax.trees import Trees
from cupel.text.tokens import Tokens, intern, offsets_of

_BATCH = 256
_NEAR = 8


def parse(
    model: Model,
    texts: Sequence[str],
    words: Sequence[Sequence[str]] | None = None,
    progress: Progress | None = None,
) -> Trees:
    """The tree of each text, over the model's own words or over the `words` given for it."""
    pipeline = with_numpys_blas(load(model))
    if words is None:
        docs: Iterable[Any] = map(pipeline.make_doc, texts)
    else:
        make = import_module("spacy.tokens").Doc
        docs = (
            make(pipeline.vocab, words=list(split), spaces=_spaces(split, text))
            for split, text in zip(words, texts, strict=True)
        )
    parsed = pipeline.pipe(map(_unsplit, docs), batch_size=_BATCH)
    return _flattened(parsed, len(texts), progress)


def split_words(model: Model, texts: Sequence[str]) -> Trees:
    """The words of the model's tokenizer alone: trees without arcs."""
    words = intern([[token.text for token in doc] for doc in map(load(model).make_doc, texts)])
    none = np.zeros(len(words.ids), np.int32)
    return Trees(words, none + ROOT, none, none, ["_"], ["_"])


def with_numpys_blas(pipeline: Any) -> Any:
    """Multiply matrices by NumPy's BLAS instead of BLIS, which Thinc brings along.

    Parsing then takes two thirds of the time, and the trees are the same. Models that run on
    anything else (PyTorch, a GPU, Apple's Accelerate) are left alone.
    """
    plain = import_module("thinc.api").NumpyOps
    for _, component in pipeline.pipeline:
        for node in component.model.walk() if getattr(component, "model", None) else ():
            if type(node.ops) is plain and node.ops.use_blis:
                node.ops = plain(use_blis=False)
    return pipeline


def _unsplit(doc: Any) -> Any:
    """Mark each word but the first as one that starts no sentence.

    As one array, for speed: `token.is_sent_start = False` costs 2 % of the parsing.
    """
    starts = np.full(len(doc), -1, np.int64)
    starts[:1] = 1
    return doc.from_array(["SENT_START"], starts.view(np.uint64))


def _spaces(words: Sequence[str], text: str) -> list[bool]:
    """Whether a blank follows each word in the text; spaCy's models look at that."""
    spaces, place = [], 0
    for word in words:
        # A tokenizer may have written a word otherwise: find the next one near by.
        start = text.find(word, place, place + len(word) + _NEAR)
        place = place if start < 0 else start + len(word)
        spaces.append(start < 0 or text[place : place + 1].isspace())
    return spaces


def _flattened(docs: Iterator[Any], count: int, progress: Progress | None) -> Trees:
    """The parses of `count` docs as flat arrays."""
    arrays, strings = [np.zeros((0, 5), np.uint64)], None
    for done, doc in enumerate(docs, start=1):
        arrays.append(doc.to_array(["ORTH", "HEAD", "DEP", "TAG", "POS"]))
        strings = doc.vocab.strings
        if progress is not None and (done % _BATCH == 0 or done == count):
            progress(done, count)
    lengths = [len(array) for array in arrays[1:]]
    flat = np.concatenate(arrays)
    tags = np.where(flat[:, 3] != 0, flat[:, 3], flat[:, 4])
    words, word_types = _named(flat[:, 0], strings)
    relations, relation_types = _named(flat[:, 2], strings)
    tag_ids, tag_types = _named(tags, strings)
    offsets = offsets_of(lengths, len(lengths))
    positions = np.arange(len(flat)) - np.repeat(offsets[:-1], lengths)
    steps = flat[:, 1].astype(np.int64)
    heads = np.where(steps == 0, ROOT, positions + steps).astype(np.int32)
    _join_roots(heads, relations, relation_types, positions, offsets)
    return Trees(
        Tokens(words, offsets, word_types), heads, relations, tag_ids, relation_types, tag_types
    )


def _named(codes: Any, strings: Any) -> tuple[Any, list[str]]:
    """spaCy's hashes as ids from 0, and the string of each; no string is written `_`."""
    distinct, ids = np.unique(codes, return_inverse=True)
    return ids.astype(np.int32), [strings[int(code)] or "_" for code in distinct]


def _join_roots(
    heads: Any, relations: Any, relation_types: list[str], positions: Any, offsets: IntArray
) -> None:
    roots = np.flatnonzero(heads == ROOT)
    sentence = np.searchsorted(offsets, roots, side="right") - 1
    _, first, which = np.unique(sentence, return_index=True, return_inverse=True)
    later = np.ones(len(roots), np.bool_)
    later[first] = False
    if later.any():
        if JOINED not in relation_types:
            relation_types.append(JOINED)
        heads[roots[later]] = positions[roots[first[which[later]]]]
        relations[roots[later]] = relation_types.index(JOINED)
