"""From judgments of a user's own to a metric: what `cupel train assay --start assay` does.

The judgments are those of graded campaigns into English. The release reads every judged translation
once; all that is learned afterwards is a correction (`cupel.learned.assay.training.tune`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import IntArray
from cupel.errors import CupelError
from cupel.learned.assay.data.examples import LINES
from cupel.learned.assay.data.graded import GradedPair, graded_pairs, is_campaign
from cupel.learned.assay.files import open_assay, save_correction
from cupel.learned.assay.model.network import Assay
from cupel.learned.assay.model.releases import named_folder
from cupel.learned.assay.model.scoring import readings
from cupel.learned.assay.training.tune import (
    FEWEST,
    FEWEST_UNITS,
    WORD_STRENGTHS,
    Gain,
    Material,
    Tuned,
    tune,
)
from cupel.learned.manifest import Gate, licences
from cupel.neural.weights import check_untrained, read_card

LICENCE = "That of the model it stands on; the judgments are those that the training was given."


@dataclass(frozen=True)
class TuneOrder:
    """What is to be tuned: a release or a trained folder, on which campaigns."""

    start: Path | str
    train: tuple[str, ...]
    pairs: tuple[str, ...] | None = None
    encoder: Path | None = None
    device: str = "cpu"
    seed: int = 12345


@dataclass(frozen=True)
class Outcome:
    """What came of it. written: whether there is a new metric."""

    tuned: Tuned
    judgments: int
    segments: int
    documents: int

    @property
    def written(self) -> bool:
        return self.tuned.correction is not None

    @property
    def sentence(self) -> str:
        """What was corrected."""
        if self.tuned.choice.level is None:
            return "the words that translation and reference share, and capitals, count for more."
        more = "a little more" if self.tuned.choice.words == WORD_STRENGTHS[0] else "more"
        return f"long and short segments count otherwise, shared words and capitals {more}."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows: each statistic of the release and of the tuned model, and the gain."""
        rows = []
        for name, gain in (("r", self.tuned.r), ("tau", self.tuned.tau)):
            if np.isfinite(gain.before):
                low, high = gain.interval
                interval = f"{low:+.3f} to {high:+.3f}"
                rows.append(
                    [name, f"{gain.before:.3f}", f"{gain.after:.3f}", f"{gain.gain:+.3f}", interval]
                )
        return ["statistic", "release", "tuned", "gain", "95% interval"], rows


def tune_assay(order: TuneOrder, folder: Path | str) -> Outcome:
    """Learn a correction, and write it to a folder if it helps on judgments that were left out."""
    check_untrained(folder)
    base = named_folder(order.start)
    gate = Gate.of(False, read_card(base, "assay")["data"])
    campaigns = [one.part(name, gate) for name in order.train for one in _judged(name, order.pairs)]
    count = sum(len(one.grades) for one in campaigns)
    segment, document = _numbers(campaigns)
    units = len(np.unique(document))
    if count < FEWEST or units < FEWEST_UNITS:
        raise CupelError(
            f"{', '.join(order.train)}: {count} judgments in {units} segments or documents are too "
            f"few to tune a metric: {FEWEST} in {FEWEST_UNITS} are the least."
        )
    model, _ = open_assay(base, order.encoder, order.device, "float32")  # as the metric will
    material = read(model, campaigns, segment, document)
    tuned = tune(material, order.seed)
    outcome = Outcome(tuned, count, len(np.unique(segment)), units)
    if tuned.correction is not None:
        save_correction(folder, tuned.correction, base, _card(order, outcome, base, gate))
    return outcome


def _judged(name: str, pairs: Sequence[str] | None) -> list[GradedPair]:
    """A campaign's language pairs into English; an error where it is none, or has none."""
    if not is_campaign(name):
        raise CupelError(
            f"{name} is no graded campaign: a model is tuned on a folder in the layout of "
            "mt-metrics-eval, as `cupel human import` writes it, or a dataset of that kind."
        )
    for pair in pairs or ():
        if not pair.endswith("-en"):
            raise CupelError(f"assay reads English: it cannot be tuned on {pair}.")
    return graded_pairs(name, pairs)


def _numbers(campaigns: Sequence[GradedPair]) -> tuple[IntArray, IntArray]:
    """Of each judgment the number of its segment, and of its document.

    A language pair with fewer documents than cross-validation needs has its segments in their place.
    """
    segments, documents, used = [], [], 0
    for number, one in enumerate(campaigns):
        lines = np.array(one.lines) + number * LINES
        names, of = np.unique(np.array(one.documents, dtype=str), return_inverse=True)
        if len(names) < FEWEST_UNITS:
            _, of = np.unique(lines, return_inverse=True)
        segments.append(lines)
        documents.append(of + used)
        used += int(of.max(initial=-1)) + 1
    return np.concatenate(segments), np.concatenate(documents)


def read(
    model: Assay, campaigns: Sequence[GradedPair], segment: IntArray, document: IntArray
) -> Material:
    """What the model reads of all judged translations; each distinct one is read once."""
    pairs = [both for one in campaigns for both in zip(one.hypotheses, one.references, strict=True)]
    items = {both: number for number, both in enumerate(dict.fromkeys(pairs))}
    sentences = {
        text: at for at, text in enumerate(dict.fromkeys(t for both in items for t in both))
    }
    tokenizer = model.encoder.pieces
    assert tokenizer is not None
    hypothesis, reference = np.array([[sentences[text] for text in both] for both in items]).T
    table = readings(model, tokenizer(list(sentences)), hypothesis, reference)
    rows = np.array([items[both] for both in pairs])
    grades = np.concatenate([one.grades for one in campaigns])
    return Material(table[rows], grades, segment, document)


def _card(order: TuneOrder, outcome: Outcome, base: Path, gate: Gate) -> dict[str, Any]:
    tuned = outcome.tuned
    return {
        "name": "assay, tuned",
        "data": list(order.train),
        "pairs": list(order.pairs) if order.pairs else None,
        "judgments": outcome.judgments,
        "segments": outcome.segments,
        "documents": outcome.documents,
        "tuned": asdict(tuned.choice),
        "left out": {"tau": _record(tuned.tau), "r": _record(tuned.r)},
        "seed": order.seed,
        **({"release": True} if gate.release else {}),
        "licences": licences(order.train),
        "licence": f"{LICENCE} {read_card(base, 'assay').get('licence', '')}".strip(),
    }


def _record(gain: Gain) -> dict[str, float | None]:
    values = {"release": gain.before, "tuned": gain.after, "error": gain.error}
    return {name: round(v, 4) if np.isfinite(v) else None for name, v in values.items()}
