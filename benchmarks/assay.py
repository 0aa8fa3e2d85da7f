"""`assay` against BERTScore-style matching over the encoder of `assay-wmt13` through `transformers`.

    python benchmarks/assay.py [--threads 2] [--segments 500]

The peer does what BERTScore does: every distinct sentence is encoded once, in batches of 64 sorted
by length, and matched greedily. Both sides start from text, and are timed in turn, so that they
meet the same machine; the best of the repetitions counts, since others may use it too.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

import cupel
from cupel.cli.output import table

HEADER = ["assay, distinct sentences", "ours/s", "peer/s", "ratio", "goal"]
GOALS = {
    "assay-wmt13:precision=float32": "150 on 2 cores",
    "assay-wmt13:precision=bfloat16": "300 on 2 cores",
    "assay:precision=float32": "100 on 2 cores",
    "assay:precision=bfloat16": "200 on 2 cores",
}


def peer() -> Callable[[Sequence[str], Sequence[str]], np.ndarray]:
    """Greedy F over the last layer of MiniLM, through `transformers`."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from cupel.neural.wordpiece import find_encoder

    folder = find_encoder()
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    model.eval()

    @torch.inference_mode()
    def score(hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
        distinct = sorted({*hypotheses, *references}, key=lambda text: -len(text.split()))
        vectors = {}
        for start in range(0, len(distinct), 64):
            texts = distinct[start : start + 64]
            batch = tokenizer(texts, padding=True, truncation=True, max_length=512,
                              return_tensors="pt")  # fmt: skip
            states = torch.nn.functional.normalize(model(**batch).last_hidden_state, dim=-1)
            for text, state, mask in zip(texts, states, batch["attention_mask"], strict=True):
                vectors[text] = state[1 : int(mask.sum()) - 1]
        found = []
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            cosines = vectors[hypothesis] @ vectors[reference].T
            if not cosines.numel():
                found.append(0.0)
                continue
            precision, recall = cosines.amax(1).mean(), cosines.amax(0).mean()
            found.append(float(2 * precision * recall / (precision + recall)))
        return np.array(found)

    return score


def rows(corpus: cupel.Corpus, segments: int = 400, repetitions: int = 3) -> list[list[str]]:
    """Two systems that share their references, by both releases in each precision."""
    try:
        theirs = peer()
    except ImportError:
        return [["skipped: no transformers", "", "", "", ""]]
    systems = {name: texts[:segments] for name, texts in list(corpus.systems.items())[:2]}
    references = [texts[0] for texts in corpus.references[:segments]]
    flat = [text for texts in systems.values() for text in texts]
    distinct = len({*flat, *references})
    warm = {name: texts[:20] for name, texts in systems.items()}
    theirs(flat[:20], references[:20])
    best: dict[str, float] = {}
    for repetition in range(repetitions):
        for name in GOALS:
            metric = f"{name},device=cpu"
            if not repetition:
                cupel.score(warm, references[:20], [metric])
            start = time.perf_counter()
            cupel.score(systems, references, [metric])
            took = time.perf_counter() - start
            best[name] = min(best.get(name, took), took)
        start = time.perf_counter()
        theirs(flat, references * len(systems))
        took = time.perf_counter() - start
        best["peer"] = min(best.get("peer", took), took)
    return [
        [
            name,
            f"{distinct / best[name]:,.0f}",
            f"{distinct / best['peer']:,.0f}",
            f"{best['peer'] / best[name]:.1f}x",
            goal,
        ]
        for name, goal in GOALS.items()
    ]


def main() -> int:
    import torch

    from cupel.data import wmt_corpus

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--segments", type=int, default=400)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    table(HEADER, rows(wmt_corpus("wmt14", "cs-en"), arguments.segments), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
