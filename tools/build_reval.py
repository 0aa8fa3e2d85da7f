"""Train the preset `single` of ReVal: models/cupel-reval/cupel_models/reval.

    CUPEL_DATA=... python tools/build_reval.py FOLDER [SEED ...]

trains one model a seed into FOLDER/SEED (an interrupted one is taken up again), and prints for each
how far it agrees with the judgments of the WMT13 lines held out for development and test, which no
training has seen. The best is kept with that figure in its card; what it does on wmt14 and wmt12 is
then looked up for the card, and plays no part in the choice. A model takes a minute or two of one
core, once the sentences are parsed. Sums of floats in another order (another machine, another
PyTorch) lead to another model within the spread of the seeds.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np

from cupel.batch import Batch
from cupel.human.tau import tau_wmt14
from cupel.learned.reval.data.examples import SimilarityData
from cupel.learned.reval.model.network import Design
from cupel.learned.reval.training.run import Reading, train_reval
from cupel.learned.reval.training.settings import Training
from cupel.meta.campaign import evaluate
from cupel.metrics.reval import ReVal

TARGET = Path(__file__).parents[1] / "models/cupel-reval/cupel_models/reval"
SET = "L+Sick"
DESIGN = Design(memory=150, hidden=50)
READING = Reading(unknown="letters")
SEEDS = (1, 2, 3)
LICENCE = (
    "Trained on the WMT13 rankings (published by the workshop, no licence stated) and on SICK (CC "
    "BY-NC-SA 3.0); word vectors of GloVe 6B (PDDL 1.0) are not part of the weights."
)


def held_out_tau(data: SimilarityData, model: Path | str) -> float:
    """Tau of the judgments on held-out lines: (C - D) / (C + D + T)."""
    ranked = data.ranked
    rows = np.flatnonzero(np.isin(ranked.line, np.concatenate(data.lines)))
    batch = Batch(
        [ranked.translations[row] for row in rows], [[ranked.references[row]] for row in rows]
    )
    scores = np.full(len(ranked), np.nan)
    scores[rows] = ReVal(weights=str(model)).statistics(batch)[:, 0]
    better, worse = scores[ranked.better], scores[ranked.worse]
    counts = [(better > worse).sum(), (better < worse).sum(), (better == worse).sum()]
    return float(tau_wmt14(np.array(counts, np.float64)))


def test_figures(dataset: str, model: Path | str) -> dict[str, float]:
    """Averages over the language pairs into English."""
    wanted = (("system", "pearson"), ("system", "spearman"), ("segment", f"tau-{dataset}"))
    figures = {}
    for level, statistic in wanted:
        metric = ReVal(weights=str(model))
        found = evaluate(dataset, [metric], level=level, statistic=statistic, resamples=2)
        figures[statistic] = round(found.value(metric.name), 4)
    return figures


def main(folder: Path, seeds: list[int]) -> None:
    """Train, compare on development lines, keep the best."""
    data = SimilarityData()
    made = data.make(SET)
    found: dict[int, float] = {}
    for seed in seeds:
        model = folder / str(seed)
        if not (model / "card.json").exists():
            how = Training(seed=seed, device="cpu")
            train_reval(made, model, DESIGN, how, READING, report=print)
        found[seed] = held_out_tau(data, model)
        print(f"seed {seed}: tau {found[seed]:.4f} on the judgments of held-out lines")
    best = max(found, key=found.__getitem__)
    card = json.loads((folder / str(best) / "card.json").read_text(encoding="utf-8"))
    card["dev"]["tau"] = round(found[best], 4)
    card["test"] = {name: test_figures(name, folder / str(best)) for name in ("wmt14", "wmt12")}
    card["chosen"] = "the seed with the best tau on the judgments of WMT13 lines held out"
    card["licence"] = LICENCE
    TARGET.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / str(best) / "weights.safetensors", TARGET)
    text = json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    (TARGET / "card.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]] or list(SEEDS))
