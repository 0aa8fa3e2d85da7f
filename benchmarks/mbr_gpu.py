"""All pairs of a list by assay-wmt13 on a GPU: seconds to encode, seconds for the matrix, memory.

    python benchmarks/mbr_gpu.py --device cuda --n 1024 [--candidates FILE] [-o FILE]

Two lists: *variants* of the outputs for one segment of wmt14 de-en, as long as these, and *outputs*,
the real outputs of all systems for as many segments as it takes, of all lengths. With --candidates they
come from a file of JSON, {"variants": [...], "outputs": [...]}, which --write makes. Prints JSON. Needs
PyTorch, NumPy, tokenizers, safetensors and the encoder; the list from a file needs nothing else.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

CORNER = 128
"""Candidates of which all pairs are also computed on the CPU."""


def real_lists(count: int) -> dict[str, list[str]]:
    """Both lists, from wmt14 de-en."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))
    from mbr_samples import variants

    from cupel.data import wmt_corpus

    systems = list(wmt_corpus("wmt14", "de-en").systems.values())
    outputs: dict[str, None] = {}
    segment = 0
    while len(outputs) < count:
        outputs.update(dict.fromkeys(lines[segment] for lines in systems))
        segment += 7
    return {
        "variants": variants([lines[5] for lines in systems], count),
        "outputs": list(outputs)[:count],
    }


def utility(texts: list[str], device: str, weights: str | None, encoder: str | None) -> Any:
    """assay-wmt13 over a list that is its own pseudo-references; nothing is encoded yet."""
    from cupel.choosing.segment import Candidates, Distinct
    from cupel.choosing.vector_utility import AssayUtility
    from cupel.metrics.assay import Assay

    preset = "2" if weights else "wmt13"
    metric = Assay(preset=preset, weights=weights, encoder=encoder, device=device)
    return AssayUtility(metric, Distinct.of(Candidates(texts)))


def measured(texts: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Seconds and memory of one list; the matrix three times, the first time named too."""
    import torch

    cuda = options.device.startswith("cuda")
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    own = utility(texts, options.device, options.weights, options.encoder)
    own.cells = options.cells or own.cells
    rows = np.arange(len(texts))
    start = time.perf_counter()
    pieces = np.diff(own.encoded.offsets)
    if cuda:
        torch.cuda.synchronize()
    encoding = time.perf_counter() - start
    times = []
    for _ in range(options.repetitions):
        start = time.perf_counter()
        matrix = own.matrix(rows, 0, len(rows))
        times.append(time.perf_counter() - start)
    few = texts[:CORNER]
    alone = utility(few, "cpu", options.weights, options.encoder)
    corner = alone.matrix(np.arange(len(few)), 0, len(few))
    difference = float(np.abs(matrix[: len(few), : len(few)] - corner).max())
    return {
        "candidates": len(texts),
        "pieces": {"mean": round(float(pieces.mean()), 1), "most": int(pieces.max())},
        "encode_s": round(encoding, 4),
        "matrix_first_s": round(times[0], 4),
        "matrix_s": round(min(times), 4),
        "peak_gb": round(torch.cuda.max_memory_allocated() / 1e9, 2) if cuda else None,
        "difference_to_cpu": difference,
        "choice": int(np.argmax(matrix.mean(axis=1))),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--candidates", type=Path)
    parser.add_argument("--weights")
    parser.add_argument("--encoder")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--cells", type=int, help="Pairs of word pieces that are matched at once.")
    parser.add_argument("--write", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.candidates:
        lists = json.loads(options.candidates.read_text("utf-8"))
    else:
        lists = real_lists(options.n)
    if options.write:
        options.write.write_text(json.dumps(lists, ensure_ascii=False, indent=0), "utf-8")
        return
    import torch

    measured(lists["variants"][:64], options)  # so that kernels are loaded and memory is there
    cuda = options.device.startswith("cuda")
    result = {
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if cuda else "cpu",
        "threads": torch.get_num_threads(),
        **{name: measured(texts[: options.n], options) for name, texts in lists.items()},
    }
    text = json.dumps(result, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
