"""NIST against mteval-v13a.pl: its scores, made by tools/mteval_scores.py, to the last digit."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cupel

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from mteval_scores import FOLDER, cases


@pytest.mark.parametrize(
    "case",
    ["wmt14-cs-en", "wmt14-hi-en", "wmt12-en-de", "three-references-cased", "mutt-5", "mutt-20"],
)
def test_every_segment_and_system(pack: Callable[[str], Path], case: str) -> None:
    for name in ("wmt12", "wmt14", "mutt"):
        pack(name)
    corpus, options = cases()[case]
    spec = "nist:lowercase=no" if "-c" in options else "nist"
    scores = cupel.score(corpus, metrics=[spec])
    lines = gzip.decompress((FOLDER / f"{case}.tsv.gz").read_bytes()).decode().splitlines()
    assert len(lines) == len(corpus.systems)
    for line in lines:
        system, total, *segments = line.split("\t")
        assert abs(scores.system_score(spec, system) - float(total)) < 1e-9
        expected = np.array(segments, np.float64)
        assert np.abs(scores.segment_scores(spec, system) - expected).max() < 1e-9
