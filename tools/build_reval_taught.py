"""Train the ReVal model that Cupel takes by default, taught by assay-wmt13: models/cupel-reval/cupel_models/reval-2.

    CUPEL_DATA=... python tools/build_reval_taught.py FOLDER

trains into FOLDER (an interrupted training is taken up again), as `cupel train reval --train wmt13
--teacher assay-wmt13 --outputs wmt15-rankings --add sick --vectors mpnet-glove-150d-30k --unknown
letters --memory 300 --hidden 100 --epochs 6 --seed 2` does, and puts the model with its card into
the resources. What it does on wmt14 and wmt12 is looked up for the card when all is decided. The
teacher takes ten minutes or so on one core, parsing five, the training twenty.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from build_reval import held_out_tau, test_figures
from cupel.learned.reval.data.examples import SimilarityData, sick_examples
from cupel.learned.reval.model.network import Design
from cupel.learned.reval.training.run import Reading
from cupel.learned.reval.training.run_taught import taught_by, train_taught
from cupel.learned.reval.training.settings import Teaching
from cupel.registry import get_metric

TARGET = Path(__file__).parents[1] / "models/cupel-reval/cupel_models/reval-2"
TEACHER = "assay-wmt13:precision=bfloat16"
READING = Reading(vectors="mpnet-glove-150d-30k", unknown="letters")
DESIGN = Design(memory=300, hidden=100, dimension=150)
HOW = Teaching(epochs=6, seed=2, device="cpu")
LICENCE = (
    "Trained on the WMT13 rankings and on outputs of WMT13 and WMT15 (published by the workshop, no "
    "licence stated) and on SICK (CC BY-NC-SA 3.0); the teacher and the word vectors are not part of "
    "the weights."
)


def main(folder: Path) -> None:
    """Train, look the figures up, and copy weights and card."""
    data = SimilarityData()
    if not (folder / "card.json").exists():
        graded = sick_examples("train")
        taught = taught_by(get_metric(TEACHER), data, ["wmt15-rankings"], graded)
        train_taught(taught, folder, DESIGN, HOW, READING, report=print)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    card["dev"]["tau"] = round(held_out_tau(data, folder), 4)
    card["test"] = {name: test_figures(name, folder) for name in ("wmt14", "wmt12")}
    card["licence"] = LICENCE
    TARGET.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "weights.safetensors", TARGET)
    text = json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    (TARGET / "card.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
