"""What `assay` is taught by other models: their scores of every translation, judged or not.

Teachers may be models like the student, encoders that read both sentences together
(`cupel.learned.assay.model.joint`), or large readers (`cupel.learned.assay.model.large`), whose scores
are kept in the cache. Each teacher's scores are divided by their deviation within
segments, and weighted so that the held-out judgments are likeliest, or equally where none are held
out; the sum has the deviation SPREAD, about that of a trained model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from cupel.arrays import FloatArray, IntArray
from cupel.cache import load_arrays, save_arrays
from cupel.errors import CupelError
from cupel.learned.assay.data.examples import JUDGED, TEACHERS, Judgments
from cupel.learned.assay.data.prepare import Builder
from cupel.learned.assay.files import load_assay
from cupel.learned.assay.model.large import is_large, open_large
from cupel.learned.assay.model.releases import KIND
from cupel.learned.assay.model.scoring import raw_scores
from cupel.learned.assay.training.bradley_terry import fitted
from cupel.neural.weights import embedded, read_card

SPREAD = 1.5


@dataclass(frozen=True)
class Teachers:
    """Trained models, by folder or by the name of a release.

    encoder: that of the teachers that need one; most: translations of a segment that they score,
    the same in all trainings, or 0 for all.
    """

    names: tuple[Path, ...]
    encoder: Path | None = None
    device: str = "cpu"
    most: int = 0


def with_lessons(
    data: Judgments,
    teachers: Sequence[Path | str],
    encoder: Path | None,
    device: str,
    held_out: bool = True,
) -> Judgments:
    """The data with the teachers' scores of all items that can be taught.

    held_out: whether one line in HELD_OUT was kept from the teachers, as from the pupil.
    """
    if not len(data.taught):
        raise CupelError("There are no translations for teachers to score: name rankings.")
    items = data.taught[np.argsort(data.reference[data.taught], kind="stable")]
    each = []
    for folder in teachers:
        model, _ = load_assay(folder, encoder, device)
        place = model.mix.device.type
        with torch.autocast(place, torch.bfloat16, enabled=place == "cuda"):
            scores = raw_scores(model, data.pieces, data.hypothesis[items], data.reference[items])
        each.append(_divided(scores.astype(np.float64), data.segment[items], str(folder)))
    columns = np.stack(each, 1)
    weights = _weights(columns, items, data) if held_out else np.ones(len(teachers))
    lesson = SPREAD * _divided(columns @ weights, data.segment[items], "all teachers")
    return replace(data, taught=items, lesson=lesson.astype(np.float32))


def with_marks(data: Judgments, builder: Builder, teachers: Teachers) -> Judgments:
    """The data with the mean of the teachers' scores, each standardised, as one more campaign.

    builder: what the data was built from.
    """
    items = data.taught[np.argsort(data.reference[data.taught], kind="stable")]
    keys = _keys(data, list(builder.sentences), items)
    items, keys = _some(items, data, keys, teachers.most)
    total = np.zeros(len(items))
    for name in teachers.names:
        scores = _scores(teacher_folder(name), teachers, data, builder, items, keys)
        total += (scores - scores.mean()) / scores.std()
    none = np.zeros(0, np.int64)
    return replace(
        data,
        marked=np.concatenate([data.marked, items]),
        mark=np.concatenate([data.mark, (total / total.std()).astype(np.float32)]),
        campaign=np.concatenate([data.campaign, np.full(len(items), TEACHERS)]),
        taught=none,
        lesson=none.astype(np.float32),
    )


def teacher_folder(name: Path) -> Path:
    """The folder of a teacher, which may be a release of Cupel's: assay-2-large."""
    return name if name.is_dir() or name.parent != Path() else embedded(str(name))


def _some(
    items: IntArray, data: Judgments, keys: npt.NDArray[np.uint64], most: int
) -> tuple[IntArray, npt.NDArray[np.uint64]]:
    """At most so many items of each segment, or all, and their keys; the texts decide which."""
    segment = data.segment[items]
    order = np.lexsort([keys, segment])
    rank = np.arange(len(order)) - np.searchsorted(segment[order], segment[order])
    chosen = np.sort(order[rank < most]) if most else np.arange(len(items))
    return items[chosen], keys[chosen]


def _keys(data: Judgments, texts: Sequence[str], items: IntArray) -> npt.NDArray[np.uint64]:
    """(items,) a number for each pair of texts."""
    rows = zip(data.hypothesis[items].tolist(), data.reference[items].tolist(), strict=True)
    digests = b"".join(
        hashlib.blake2b(
            f"{texts[ours]}\n{texts[theirs]}".encode("utf-8", "surrogatepass"), digest_size=8
        ).digest()
        for ours, theirs in rows
    )
    return np.frombuffer(digests, np.uint64)


def _scores(
    folder: Path,
    teachers: Teachers,
    data: Judgments,
    builder: Builder,
    items: IntArray,
    keys: npt.NDArray[np.uint64],
) -> FloatArray:
    """(items,) what one teacher gives. keys: those of the items."""
    hypothesis, reference = data.hypothesis[items], data.reference[items]
    if is_large(card := read_card(folder, KIND)):
        texts = list(builder.sentences)

        def given(rows: IntArray) -> FloatArray:
            sides = ([texts[at] for at in side[rows].tolist()] for side in (hypothesis, reference))
            return open_large(folder, teachers.device)[0](*sides)

        return _read_once(f"{folder.name}-{str(card['sha256'])[:12]}", keys, given)
    model, _ = load_assay(folder, teachers.encoder, teachers.device)
    assert model.encoder.pieces is not None
    pieces, place = builder.build(model.encoder.pieces).pieces, model.mix.device.type
    with torch.autocast(place, torch.bfloat16, enabled=place == "cuda"):
        return raw_scores(model, pieces, hypothesis, reference).astype(np.float64)


def _read_once(
    name: str, keys: npt.NDArray[np.uint64], given: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """(keys,) scores that are kept in the cache, and of the other keys those that are given now."""
    kept = load_arrays("lessons", name) or {"keys": keys[:0], "scores": np.zeros(0)}
    new = np.flatnonzero(~np.isin(keys, kept["keys"]))
    if len(new):
        both = np.concatenate([kept["scores"], given(new)])
        every, first = np.unique(np.concatenate([kept["keys"], keys[new]]), return_index=True)
        kept = {"keys": every, "scores": both[first]}
        save_arrays("lessons", name, kept)
    scores: FloatArray = kept["scores"][np.searchsorted(kept["keys"], keys)]
    return scores


def _weights(scores: FloatArray, items: IntArray, data: Judgments) -> FloatArray:
    """(k,) what each of k teachers' scores (n, k) counts, by the judgments of held-out lines."""
    judged = data.part(True).of_kind(JUDGED)
    place = np.full(len(data.hypothesis), -1)
    place[items] = np.arange(len(items))
    better, worse = place[judged.better], place[judged.worse]
    scored = (better >= 0) & (worse >= 0)
    weights = fitted(scores[better[scored]] - scores[worse[scored]])
    return weights if weights.any() else np.ones_like(weights)


def _divided(scores: FloatArray, segment: IntArray, whose: str) -> FloatArray:
    """Scores less their mean within a segment, over the deviation of that."""
    _, of, counts = np.unique(segment, return_inverse=True, return_counts=True)
    apart = scores - (np.bincount(of, scores) / counts)[of]
    spread = float(apart.std())
    if not spread > 0.0:
        raise CupelError(f"The scores of {whose} do not tell translations of a segment apart.")
    return apart / spread
