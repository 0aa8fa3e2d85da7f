"""What `assay` is taught by other models: their scores of every translation, judged or not.

Teachers may be models like the student, encoders that read both sentences together
(`cupel.learned.assay.model.joint`), or large readers (`cupel.learned.assay.model.large`), whose scores
are kept in the cache. Each teacher's scores are divided by their deviation within
segments, and weighted so that the held-out judgments are likeliest, or equally where none are held
out; the sum has the deviation SPREAD, about that of a trained model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from cupel.arrays import FloatArray, IntArray
from cupel.cache import load_arrays, save_arrays
from cupel.errors import CupelError
from cupel.learned.assay.data.examples import JUDGED, TEACHERS, Builder, Judgments
from cupel.learned.assay.files import load_assay
from cupel.learned.assay.model.large import is_large, open_large
from cupel.learned.assay.model.releases import KIND, RELEASES, tokenizer_folder
from cupel.learned.assay.model.scoring import raw_scores
from cupel.learned.assay.training.bradley_terry import fitted
from cupel.models import model_folder, model_with
from cupel.neural.weights import read_card
from cupel.neural.wordpiece import Pieces

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
    data: Judgments, builder: Builder, teachers: Teachers, held_out: bool = True
) -> Judgments:
    """The data with the teachers' scores of all items that can be taught.

    builder: what the data was built from. held_out: whether one line in HELD_OUT was kept from the
    teachers, as from the pupil.
    """
    if not len(data.taught):
        raise CupelError("There are no translations for teachers to score: name rankings.")
    items, scores = _scored(data, builder, teachers)
    segment = data.segment[items]
    rows = zip(scores, teachers.names, strict=True)
    columns = np.stack([_divided(row, segment, str(name)) for row, name in rows], 1)
    weights = _weights(columns, items, data) if held_out else np.ones(len(scores))
    lesson = SPREAD * _divided(columns @ weights, segment, "all teachers")
    return replace(data, taught=items, lesson=lesson.astype(np.float32))


def with_marks(data: Judgments, builder: Builder, teachers: Teachers) -> Judgments:
    """The data with the mean of the teachers' scores, each standardised, as one more campaign.

    builder: what the data was built from.
    """
    items, scores = _scored(data, builder, teachers)
    total = sum(((row - row.mean()) / row.std() for row in scores), np.zeros(len(items)))
    none = np.zeros(0, np.int64)
    return replace(
        data,
        marked=np.concatenate([data.marked, items]),
        mark=np.concatenate([data.mark, (total / total.std()).astype(np.float32)]),
        campaign=np.concatenate([data.campaign, np.full(len(items), TEACHERS)]),
        taught=none,
        lesson=none.astype(np.float32),
    )


def _scored(
    data: Judgments, builder: Builder, teachers: Teachers
) -> tuple[IntArray, list[FloatArray]]:
    """Items that can be taught, by reference, and what each teacher gives them."""
    texts = list(builder.sentences)
    items = data.taught[np.argsort(data.reference[data.taught], kind="stable")]
    items, keys = _some(items, data, _keys(data, texts, items), teachers.most)
    hypothesis, reference = data.hypothesis[items], data.reference[items]
    cut: dict[Path | None, Pieces] = {}
    scores = []
    for folder in map(teacher_folder, teachers.names):
        if is_large(read_card(folder, KIND)):
            ours, theirs = ([texts[at] for at in side.tolist()] for side in (hypothesis, reference))
            scores.append(_read_once(folder, keys, ours, theirs, teachers.device))
            continue
        model, _ = load_assay(folder, teachers.encoder, teachers.device)
        assert model.encoder.pieces is not None
        tokenizer = tokenizer_folder(folder) or teachers.encoder
        if tokenizer not in cut:
            cut[tokenizer] = model.encoder.pieces(texts)
        place = model.mix.device.type
        with torch.autocast(place, torch.bfloat16, enabled=place == "cuda"):
            given = raw_scores(model, cut[tokenizer], hypothesis, reference)
        scores.append(given.astype(np.float64))
    return items, scores


def teacher_folder(name: Path) -> Path:
    """The folder of a teacher, which may be a release of Cupel's: assay-2-large, say."""
    release = RELEASES.get(str(name), str(name))
    return name if name.is_dir() or not model_with(release) else model_folder(release)


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


def _read_once(
    folder: Path,
    keys: npt.NDArray[np.uint64],
    ours: Sequence[str],
    theirs: Sequence[str],
    device: str,
) -> FloatArray:
    """(keys,) a large reader's scores of pairs of texts: those kept in the cache, the others read now."""
    name = f"{folder.name}-{str(read_card(folder, KIND)['sha256'])[:12]}"
    kept = load_arrays("lessons", name) or {"keys": keys[:0], "scores": np.zeros(0)}
    new = np.flatnonzero(~np.isin(keys, kept["keys"])).tolist()
    if new:
        reader, _ = open_large(folder, device)
        read = reader([ours[at] for at in new], [theirs[at] for at in new])
        both = np.concatenate([kept["scores"], read])
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
