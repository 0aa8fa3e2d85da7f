"""Compare `--method low-rank` with probabilistic MBR of mbrs, for docs/research/mbr.md.

    python research/compare_low_rank.py [--lists 30]

Needs `pip install mbrs` and the dataset wmt14. Lists of variants of the outputs for segments of wmt14
de-en: 256 for chrF and BLEU, 64 for TER. Both score one in eight pairs and fill in the rest with a matrix
of rank 8. The decoder is that of mbrs with its defaults; it looks the scores of single pairs up in the
matrix that Cupel computed, so that nothing but the completion is compared. Loss: how much lower the exact
expected utility of the chosen candidate is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import cupel
from cupel.arrays import FloatArray

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))

from mbr_samples import variants

SIZES = {"chrf": 256, "bleu": 256, "ter": 64}
EVERY = 71


def lists(count: int) -> list[list[str]]:
    """The outputs for so many segments of five words or more, on which systems do not all agree."""
    from cupel.data import wmt_corpus

    systems = list(wmt_corpus("wmt14", "de-en").systems.values())
    outputs = ([lines[segment] for lines in systems] for segment in range(3, 3003, EVERY))
    return [texts for texts in outputs if len(set(texts)) > 3 and len(texts[0].split()) > 4][:count]


def probabilistic(matrix: FloatArray, higher: bool, seed: int) -> int:
    """The candidate that mbrs chooses from one in eight cells of the matrix."""
    from mbrs.decoders.probabilistic_mbr import DecoderProbabilisticMBR
    from mbrs.metrics.base import Metric

    class Cells(Metric):  # type: ignore[misc]
        """Texts are numbers of candidates."""

        HIGHER_IS_BETTER = higher

        def score(self, hypothesis: str, reference: str, source: Any = None) -> float:
            """The cell of the two."""
            return float(matrix[int(hypothesis), int(reference)])

    config = DecoderProbabilisticMBR.Config(seed=seed)
    names = [str(number) for number in range(len(matrix))]
    return int(DecoderProbabilisticMBR(config, Cells(Cells.Config())).decode(names, names).idx[0])


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=int, default=30)
    options = parser.parse_args()
    for metric, size in SIZES.items():
        losses: dict[str, list[float]] = {"mbrs": [], "cupel": []}
        for seed, outputs in enumerate(lists(options.lists)):
            texts = variants(outputs, size)
            exact = cupel.mbr(texts, metric, matrix=True)
            matrix = exact.matrices[metric]
            chosen = {
                "mbrs": probabilistic(matrix, metric != "ter", seed),
                "cupel": cupel.mbr(texts, metric, method="low-rank", seed=seed).index,
            }
            for name, index in chosen.items():
                losses[name].append(abs(float(exact.utility - exact.utilities[index])))
        for name, values in losses.items():
            same = float(np.mean(np.array(values) < 1e-9))
            print(f"{metric} {size} {name}: same choice {same:.0%}, loss {np.mean(values):.2f}")


if __name__ == "__main__":
    main()
