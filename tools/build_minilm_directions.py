"""Fit the mean and the 32 main directions of `minilm` and write them to resources/nnrk-minilm.

    python tools/build_minilm_directions.py [FOLDER]

Over the unit sentence vectors of all judged translations and references of wmt13. Needs the pack
wmt13 and the extra [contextual]; ten minutes of two cores.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from cupel.data import wmt_corpus
from cupel.human.rankings import wmt_rankings
from cupel.learned.nnrk.model.minilm import PROJECTION, unit_vectors
from cupel.neural.weights import embedded, save_arrays

DIMENSION = 32


def main(folder: Path) -> None:
    """Encode, decompose, write."""
    texts: dict[str, None] = {}
    for pair, rankings in wmt_rankings("wmt13").items():
        corpus, judged = wmt_corpus("wmt13", pair), rankings.pairs()
        for system in (judged.better, judged.worse):
            for row, segment in zip(system.tolist(), judged.segment.tolist(), strict=True):
                texts[corpus.systems[rankings.systems[row]][segment]] = None
                texts[corpus.references[segment][0]] = None
    vectors = unit_vectors(list(texts))
    mean = vectors.mean(0)
    values, directions = np.linalg.eigh(np.cov(vectors - mean, rowvar=False))
    basis = directions[:, ::-1][:, :DIMENSION]
    share = float(values[::-1][:DIMENSION].sum() / values.sum())
    card = {
        "what": "mean and 32 main directions of all-MiniLM-L6-v2 sentence vectors (unit length) of "
        "the judged translations and references of wmt13",
        "licence": "Apache-2.0",
        "share of variance": share,
    }
    arrays = {"mean": mean.astype(np.float32), "basis": basis.astype(np.float32)}
    save_arrays(folder, PROJECTION, arrays, card)
    print(f"{len(texts)} sentences, {share:.1%} of their variance")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else embedded(PROJECTION))
