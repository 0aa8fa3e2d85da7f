"""A metric that asks for a GPU and computes on any machine. Imported by name on a cluster."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, mean_score, mean_statistics


@dataclass(frozen=True)
class GpuLength(Metric):
    """Lengths of translations. Leaves a file: the number of its process, and the GPU it was given."""

    folder: str
    device: str = "cuda"

    name = "gpu-length"
    higher_is_better = True

    def signature(self) -> Signature:
        return Signature.of(device=self.device)

    def statistics(self, batch: Batch) -> FloatArray:
        given = os.environ.get("CUDA_VISIBLE_DEVICES", "none")
        folder = Path(self.folder)
        (folder / f"{os.getpid()}-{given}").touch()
        end = time.monotonic() + 120
        while len(list(folder.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.05)  # until the other model works as well
        return mean_statistics(np.array([len(text) for text in batch.hypotheses], np.float64))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)
