"""Each translation aligned with its reference by METEOR's aligner, and the errors that are left.

Words are matched by form, stem and synonym (where the language has these; no paraphrases, which
would hide what was left out). A match counts as METEOR weights it: the same word 1, a synonym 0.8,
another form of the word 0.6; and the same word in other capitals 0.8, which METEOR does not see.

Every word that is not matched as it is has one kind of error: of the reference missing,
substituted (there is another word in its place), inflected, case, synonym or reordered; of the
translation added, repeated or copied from the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.diagnose.words import Words
from cupel.text.tokens import Tokens, offsets_of

KINDS = (
    "missing", "substituted", "inflected", "case", "synonym", "reordered",
    "added", "repeated", "copied",
)  # fmt: skip
_MISSING, _SUBSTITUTED, _INFLECTED, _CASE, _SYNONYM, _REORDERED = range(6)
_ADDED, _REPEATED, _COPIED = range(6, 9)
OF_REFERENCE = 6
"""So many kinds are counted on words of the reference, the others on those of the translation."""
RIGHT = -1
"""The kind of a word that is as it should be."""

_CREDIT = np.array([1.0, 0.6, 0.8])
_OTHER_CASE = 0.8
_LONG = 4
"""Letters of a word that counts as copied from the source: shorter ones are alike by chance."""
_LATIN_AND_LIKE = "\u2e80"
"""Signs from here on are words by themselves."""
_STEMS = ("en", "de", "es", "fr", "ru")


@dataclass(frozen=True)
class Aligned:
    """One system's words against the reference's.

    credit          (reference words,) how far each is matched, from 0 to 1
    kinds           (reference words,) the kind of error, or RIGHT
    own_credit      (translation's words,)
    own_kinds       (translation's words,)
    partner         (translation's words,) the place of the reference word it is matched with, or -1
    """

    credit: FloatArray
    kinds: Int32Array
    own_credit: FloatArray
    own_kinds: Int32Array
    partner: IntArray


def align(
    reference: Words,
    translation: Words,
    language: str = "en",
    source: Words | None = None,
) -> Aligned:
    """Align all texts of a system. language: of both; source: to see what was copied from it."""
    partner, stage = _matches(reference, translation, language)
    credit, own_credit = np.zeros(len(reference.ids)), np.zeros(len(translation.ids))
    kinds = np.full(len(reference.ids), _MISSING, np.int32)
    own_kinds = np.full(len(translation.ids), _ADDED, np.int32)
    ours = np.flatnonzero(partner >= 0)
    theirs = partner[ours]
    value, kind = _CREDIT[stage[ours]], np.array([RIGHT, _INFLECTED, _SYNONYM])[stage[ours]]
    other_case = (stage[ours] == 0) & ~_same_form(reference, translation, theirs, ours)
    value[other_case], kind[other_case] = _OTHER_CASE, _CASE
    credit[theirs] = own_credit[ours] = value
    kinds[theirs], own_kinds[ours] = kind, RIGHT
    _mark_reordered(kinds, reference, theirs, ours)
    _mark_substituted(kinds, own_kinds, reference, translation, partner)
    _mark_added(own_kinds, translation, reference, source)
    return Aligned(credit, kinds, own_credit, own_kinds, partner)


def _same_form(
    reference: Words, translation: Words, theirs: IntArray, ours: IntArray
) -> npt.NDArray[np.bool_]:
    types = dict.fromkeys((*reference.types, *translation.types))
    numbers = {form: place for place, form in enumerate(types)}
    one = np.fromiter((numbers[form] for form in reference.types), np.int64, len(reference.types))
    two = np.fromiter((numbers[f] for f in translation.types), np.int64, len(translation.types))
    if not len(ours):
        return np.zeros(0, bool)
    same: npt.NDArray[np.bool_] = one[reference.ids[theirs]] == two[translation.ids[ours]]
    return same


def _matches(reference: Words, translation: Words, language: str) -> tuple[IntArray, IntArray]:
    """For each word of the translation its partner in the reference (or -1) and the matcher."""
    from cupel.kernels.alignment import align as align_pairs
    from cupel.text.meteor_lexicon import MeteorAnalysis

    count = len(reference)
    tokens = _joined(reference.lowered(), translation.lowered())
    stems = language in _STEMS
    analyser = MeteorAnalysis(language if stems else "en", stems, language == "en", None)
    analysis = analyser.of_tokens(tokens, "diagnose")
    modules = np.array([0, *([1] if stems else []), *([2] if language == "en" else [])], np.int32)
    rows = np.arange(count, dtype=np.int64)
    none = np.zeros(0, np.int32)
    _, matches, offsets = align_pairs(
        analysis.sentences, analysis.words, none, modules, 40, rows + count, rows, True
    )
    pair = np.repeat(rows, np.diff(offsets))
    partner = np.full(len(translation.ids), -1, np.int64)
    stage = np.zeros(len(translation.ids), np.int64)
    ours = translation.offsets[pair] + matches[:, 2]
    partner[ours] = reference.offsets[pair] + matches[:, 0]
    stage[ours] = modules[matches[:, 4]]
    return partner, stage


def _joined(one: Tokens, two: Tokens) -> Tokens:
    """The sentences of both, over one list of types."""
    types = list(dict.fromkeys((*one.types, *two.types)))
    numbers = {word: place for place, word in enumerate(types)}
    ids = [
        np.fromiter((numbers[w] for w in t.types), np.int32, len(t.types))[t.ids]
        if len(t.types)
        else np.zeros(0, np.int32)
        for t in (one, two)
    ]
    lengths = np.concatenate([one.lengths, two.lengths])
    return Tokens(np.concatenate(ids), offsets_of(lengths, len(lengths)), types)


def _mark_reordered(kinds: Int32Array, reference: Words, theirs: IntArray, ours: IntArray) -> None:
    """A word that is right, but whose partner stands before that of the matched word before it."""
    order = np.argsort(theirs, kind="stable")
    theirs, ours = theirs[order], ours[order]
    segment = np.searchsorted(reference.offsets, theirs, side="right")
    back = np.flatnonzero((np.diff(ours) < 0) & (np.diff(segment) == 0)) + 1
    moved = theirs[back]
    kinds[moved[kinds[moved] == RIGHT]] = _REORDERED


def _mark_substituted(
    kinds: Int32Array,
    own_kinds: Int32Array,
    reference: Words,
    translation: Words,
    partner: IntArray,
) -> None:
    """A missing and an added word behind the same matched word are one substitution.

    The added word then is no error of its own.
    """
    of_reference = np.full(len(reference.ids), -1, np.int64)
    ours = np.flatnonzero(partner >= 0)
    of_reference[partner[ours]] = ours
    missing, their_gap = _gaps(of_reference, reference)
    before = of_reference[their_gap]
    starts = -1 - reference.segments[missing]
    theirs = np.where(their_gap >= 0, before, starts)
    added, our_gap = _gaps(partner, translation)
    mine = np.where(our_gap >= 0, our_gap, -1 - translation.segments[added])
    gone, here = _paired(theirs, mine)
    kinds[missing[gone]] = _SUBSTITUTED
    own_kinds[added[here]] = RIGHT


def _gaps(matched: IntArray, words: Words) -> tuple[IntArray, IntArray]:
    """The unmatched words, and the last matched one before each in its text, or -1."""
    places = np.arange(len(matched))
    last = np.maximum.accumulate(np.where(matched >= 0, places, -1)) if len(places) else places
    unmatched = np.flatnonzero(matched < 0)
    first = words.offsets[words.segments[unmatched]]
    return unmatched, np.where(last[unmatched] >= first, last[unmatched], -1)


def _paired(one: IntArray, two: IntArray) -> tuple[IntArray, IntArray]:
    """Places in both of equal keys, the n-th of a key with the n-th."""
    first, second = _numbered(one), _numbered(two)
    shared, gone, here = np.intersect1d(first, second, return_indices=True)
    del shared
    return gone, here


def _numbered(keys: IntArray) -> IntArray:
    """Keys that say as well how many equal ones stand before: distinct for equal keys."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.ones(len(keys), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    start = np.maximum.accumulate(np.where(new, np.arange(len(keys)), 0)) if len(keys) else keys
    rank = np.empty(len(keys), np.int64)
    rank[order] = np.arange(len(keys)) - start
    return keys * (1 << 20) + rank


def _mark_added(
    own_kinds: Int32Array, translation: Words, reference: Words, source: Words | None
) -> None:
    """Of the added words those that repeat the translation, or that stand in the source."""
    forms = [form.lower() for form in translation.types]
    sources = _sets(source) if source is not None else None
    references = _sets(reference)
    seen: dict[int, int] = {}
    segment = -1
    segments = translation.segments
    for place, which in enumerate(translation.ids.tolist()):
        if segments[place] != segment:
            segment, seen = int(segments[place]), {}
        form = forms[which]
        times = seen[which] = seen.get(which, 0) + 1
        if own_kinds[place] != _ADDED:
            continue
        letters = form.isalpha() and (len(form) >= _LONG or form > _LATIN_AND_LIKE)
        if sources is not None and letters and form in sources[segment]:
            if form not in references[segment]:
                own_kinds[place] = _COPIED
        elif times > 1 and form.isalnum():
            own_kinds[place] = _REPEATED


def _sets(words: Words) -> Sequence[frozenset[str]]:
    forms = [form.lower() for form in words.types]
    return [
        frozenset(forms[i] for i in words.ids[a:b].tolist())
        for a, b in zip(words.offsets[:-1], words.offsets[1:], strict=True)
    ]


def error_counts(aligned: Aligned, reference: Words, translation: Words) -> FloatArray:
    """(segments, kinds): how many errors of each kind each segment has."""
    counts = np.zeros((len(reference), len(KINDS)))
    for words, kinds in ((reference, aligned.kinds), (translation, aligned.own_kinds)):
        wrong = kinds != RIGHT
        np.add.at(counts, (words.segments[wrong], kinds[wrong]), 1.0)
    return counts
