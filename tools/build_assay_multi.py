"""Builds `resources/assay-multi` from what its training wrote.

    python tools/build_assay_multi.py TRAINED.npz FEATURES.npz SCORES.npz

TRAINED: changes of the encoder (LoRA), the heads, and weights, means and deviations of the lexical
statistics. FEATURES: `X`, (items, statistics), and their `names`. SCORES: `idx` and `s`, the scores
of items that a model trained the same way had not seen; they give the level of scores.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from cupel.checksums import sha256_of
from cupel.metrics.assay_multi import EMBEDDED, KIND, LIMIT, TABLE
from cupel.neural.gemma_package import SHA256
from cupel.neural.weights import save_arrays

CHRF = 6.0
"""Weight of chrF++ that is added, so that no language falls below it: see docs/research/assay-multi.md."""
LANGUAGES = "ar bho bn cs de en es et fr ha hi hr is it ja ko pt ru sr uk xh zh zu".split()
UNUSED = ("head.bias", "head.scale")
"""What only training needs."""


def level(scores: np.ndarray[Any, Any]) -> dict[str, float]:
    """Centre and slope of the logistic function, and the score of a text that equals its reference."""
    return {
        "centre": round(float(scores.mean()), 4),
        "slope": round(float(1.2 / scores.std()), 4),
        "same": round(float(np.quantile(scores, 0.9995) + scores.std()), 4),
    }


def main(trained: str, features: str, unseen: str) -> None:
    """Write weights and card."""
    arrays = dict(np.load(trained, allow_pickle=False))
    table = np.load(features, allow_pickle=False)
    names = [str(name) for name in table["names"]]
    mean, deviation = (arrays[f"lexical.{k}"].astype(np.float64) for k in ("mu", "sd"))
    weights = arrays["lexical.w"].astype(np.float64)
    weights[names.index("chrf++")] += CHRF * deviation[names.index("chrf++")]
    kept = {
        name: value
        for name, value in arrays.items()
        if not name.startswith("lexical.") and name not in UNUSED
    }
    lexical = np.clip((table["X"] - mean) / deviation, -LIMIT, LIMIT) @ weights
    scores = np.load(unseen, allow_pickle=False)
    column = names.index("chrf++")
    chrf = table["X"][scores["idx"], column].astype(np.float64) - mean[column]
    card = {
        "layers": sum(name.endswith(".q.a") for name in kept),
        "encoder": SHA256,
        "frequencies": sha256_of(EMBEDDED / TABLE),
        "languages": LANGUAGES,
        "level": level(scores["s"].astype(np.float64) + CHRF * chrf),
        "lexical-level": level(lexical),
        "features": names,
        "mean": [round(v, 6) for v in mean.tolist()],
        "deviation": [round(v, 6) for v in deviation.tolist()],
        "weights": [round(v, 6) for v in weights.tolist()],
    }
    save_arrays(EMBEDDED, KIND, kept, card)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(f"usage: {Path(sys.argv[0]).name} TRAINED.npz FEATURES.npz SCORES.npz")
    main(*sys.argv[1:])
