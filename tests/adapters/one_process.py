"""One of four processes of tests/adapters/test_distributed.py: RANK, a folder, metrics as JSON.

All of them, the first two and the first alone are groups: a job of 4, of 2 and of 1 processes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch.distributed as dist

import cupel

PROCESSES = 4


def share(rank: int, processes: int) -> tuple[list[str], list[list[str]]]:
    """Uneven shares in batches out of order; the last of four has nothing."""
    corpus = cupel.data.sample()
    texts = [t for system in corpus.systems.values() for t in system]
    references = [list(r) for _ in corpus.systems for r in corpus.references]
    last = max(processes - 1, 1) if processes == PROCESSES else processes
    chosen = [i for i in reversed(range(len(texts))) if i * i % last == rank]
    return [texts[i] for i in chosen], [references[i] for i in chosen]


def scores(rank: int, size: int, group: Any, metrics: list[str]) -> dict[str, dict[str, float]]:
    accumulator = cupel.Accumulator(metrics)
    hypotheses, references = share(rank, size)
    for start in range(0, len(hypotheses), 13):
        batch = slice(start, start + 13)
        accumulator.update(hypotheses[batch], references[batch])
    before = accumulator.segments
    whole = cupel.adapters.all_reduce(accumulator, group)
    assert (accumulator.segments, whole.segments) == (before, 160)
    return {"all_reduce": whole.compute()} | _torchmetrics(rank, size, group, metrics)


def _torchmetrics(
    rank: int, size: int, group: Any, metrics: list[str]
) -> dict[str, dict[str, float]]:
    try:
        import torchmetrics  # noqa: F401
    except ModuleNotFoundError:
        return {}
    hypotheses, references = share(rank, size)
    result = {}
    for metric in metrics:
        one = cupel.adapters.TorchMetric(metric, process_group=group)
        for start in range(0, len(hypotheses), 13):
            one.update(hypotheses[start : start + 13], references[start : start + 13])
        one.update([], [])
        result[metric] = float(one.compute())
    return {"torchmetrics": result}


def main(rank: int, folder: Path, metrics: list[str]) -> None:
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=PROCESSES
    )
    groups = {size: dist.new_group(list(range(size))) for size in (1, 2, PROCESSES)}
    results = {
        str(size): scores(rank, size, group, metrics)
        for size, group in groups.items()
        if rank < size
    }
    sentence = ""
    try:
        cupel.adapters.all_reduce(cupel.Accumulator("bleu" if rank else ["ter", "chrf"]))
    except cupel.CupelError as error:
        sentence = str(error)
    text = json.dumps({"results": results, "sentence": sentence})
    (folder / f"{rank}.json").write_text(text)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
