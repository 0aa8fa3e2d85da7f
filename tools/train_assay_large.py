"""Trains the reader of `assay:size=large`: changes of the first layers of Qwen2.5-Coder 1.5B, and a head.

    python tools/train_assay_large.py OUT --config models/cupel-assay/cupel_models/assay-2/training.json
    python tools/train_assay_large.py OUT --train da15 --layers 1 --steps 2 --device cpu     # a trial

OUT: the folder of weights and card that is written, with log.tsv, the costs of each step. (The card of the release
also has `share` and `scale`, by which the metric takes the mean with the small model.) The config has the
settings of the release under "large reader"; options that are given go before it. What --left-out names is not
trained on; tau within segments and Pearson's r on it are printed, without and with sources.

The costs are those of `cupel train assay`: preferences (`Objective`) and graded campaigns (`graded_cost`) of each
step. AdamW; rates rise over the first 6% of the steps and then fall to 0; gradients of the changes are clipped; the
moving average of the weights is what is kept. A training that was stopped begins again: the 559 steps
of the release take seven minutes on an H200. Needs PyTorch and the model qwen2.5-coder-1.5b (`cupel models get`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from assay_large_model import Place, Reader
from assay_large_texts import Texts, by_length, read_texts
from cupel.arrays import FloatArray, IntArray
from cupel.checksums import sha256_of
from cupel.errors import CupelError
from cupel.folders import write_text
from cupel.learned.assay.data.examples import Step, weights_of
from cupel.learned.assay.data.graded import GradedBatch
from cupel.learned.assay.model.releases import KIND
from cupel.learned.assay.training import loop
from cupel.learned.assay.training.graded import by_pair, graded_cost
from cupel.learned.assay.training.loop import Objective, mixed_steps
from cupel.learned.assay.training.run import used
from cupel.learned.assay.training.settings import Training
from cupel.learned.manifest import Gate, licences
from cupel.models import model
from cupel.neural.byte_pairs import BytePairs
from cupel.neural.devices import find_device, moved
from cupel.neural.gguf import Gguf
from cupel.neural.qwen import QWEN, open_qwen
from cupel.neural.weights import check_untrained, save_weights

LAYERS, RANK, STEPS = 22, 32, 559
CHANGE_RATE, HEAD_RATE, OBJECTIVE_RATE = 2e-4, 1e-3, 1e-2
HEAD_DECAY, BETAS = 0.01, (0.9, 0.98)
WARMUP, CLIP, AVERAGE = 0.06, 1.0, 0.995
WITH_SOURCE = 0.65
"""The share of segments that are read with their source."""
MOST_ITEMS = 160
"""Of the preferences of a step; which ones stay is drawn."""
SCORED = {"cuda": 49_152, "cpu": 2_048}
"""Pieces that are scored at once."""
LENGTHS = {"cuda": 3, "cpu": 1}
"""Into so many parts by length what a step reads is taken, so that less is padding."""
ENTRY = "large reader"
"""Of the config file."""
Log = list[tuple[float, float]]


@dataclass
class Trainee:
    """A reader and what it takes to read items."""

    reader: Reader
    vocabulary: IntArray
    place: Place

    @classmethod
    def begin(
        cls, file: Gguf, texts: Sequence[Texts], layers: int, rank: int, place: Place
    ) -> Trainee:
        """Untrained, for the pieces of these texts."""
        every = [part for some in texts for part in (some.data.pieces.ids, some.prompt.pieces)]
        vocabulary = np.unique(np.concatenate(every)).astype(np.int64)
        return cls(Reader(file, vocabulary, layers, rank, place), vocabulary, place)

    def scores(self, texts: Texts, items: IntArray, source: IntArray) -> Tensor:
        """(items,) with these sources, short ones apart from long."""
        order = np.argsort(texts.lengths(items, source), kind="stable")
        parts = np.array_split(order, min(LENGTHS[self.place.device.type], len(order)))
        scores = torch.cat([self.read(texts, items[part], source[part]) for part in parts])
        return scores[moved(torch.from_numpy(order.argsort()), scores.device)]

    def read(self, texts: Texts, items: IntArray, source: IntArray) -> Tensor:
        """(items,) with these sources, at once."""
        rows = texts.rows(items, source)
        last = np.array([len(row) - 1 for row in rows])
        ids = np.zeros((len(rows), -(-(int(last.max()) + 1) // 8) * 8), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = np.searchsorted(self.vocabulary, row)
        there = [moved(torch.from_numpy(array), self.place.device) for array in (ids, last)]
        score: Tensor = self.reader(*there)
        return score

    @torch.no_grad()
    def all_scores(self, texts: Texts, items: IntArray, source: IntArray) -> FloatArray:
        """(items,) batch by batch."""
        scores = np.zeros(len(items))
        for rows in by_length(texts.lengths(items, source), SCORED[self.place.device.type]):
            scores[rows] = self.read(texts, items[rows], source[rows]).double().cpu().numpy()
        return scores


def train(trainee: Trainee, texts: Texts, how: Training, total: int) -> Log:
    """Train in place, and keep the moving average; the costs of preferences and grades of each step."""
    reader, device = trainee.reader, trainee.place.device
    data = used(texts.data, how)
    texts = replace(texts, data=data)
    objective = Objective(int(data.campaign.max(initial=0))).to(device)
    optimizer = optimizer_of(reader, objective)
    kept = [*reader.changes(), *reader.head()]
    average = [parameter.detach().clone() for parameter in kept]
    rng, log = np.random.default_rng([how.seed, 7]), []
    for number, (step, batch) in enumerate(endless_steps(texts, how, device)):
        if number == total:
            break
        for group in optimizer.param_groups:
            group["lr"] = group["highest"] * rate(number, total)
        optimizer.zero_grad(set_to_none=True)
        costs = torch.stack([
            _preferences(trainee, texts, objective, step, how, rng),
            _grades(trainee, texts, objective, batch, how, rng),
        ])  # fmt: skip
        torch.nn.utils.clip_grad_norm_(reader.changes(), CLIP)
        optimizer.step()
        decay = min(AVERAGE, (number + 2) / (number + 11))
        torch._foreach_lerp_(average, [parameter.detach() for parameter in kept], 1.0 - decay)
        log.append(costs)
        if number < 3 or (number + 1) % 20 == 0:
            recent = [round(cost, 4) for cost in torch.stack(log[-100:]).mean(0).tolist()]
            print(f"step {number + 1}: costs {recent}", file=sys.stderr, flush=True)
    with torch.no_grad():
        for parameter, value in zip(kept, average, strict=True):
            parameter.copy_(value)
    return [(first, second) for first, second in torch.stack(log).tolist()]


def _preferences(
    trainee: Trainee,
    texts: Texts,
    objective: Objective,
    step: Step | None,
    how: Training,
    rng: np.random.Generator,
) -> Tensor:
    """Add the gradients of preferences; their cost."""
    if step is None:
        return torch.zeros((), device=trainee.place.device)
    step = fewer_items(step, MOST_ITEMS, rng)
    source = texts.some_sources(step.numbers, WITH_SOURCE, rng)
    scores = trainee.scores(texts, step.numbers, source)
    tensors = {name: moved(torch.from_numpy(a), scores.device) for name, a in vars(step).items()}
    cost: Tensor = objective(scores, tensors, how)
    cost.backward()
    return cost.detach()


def _grades(
    trainee: Trainee,
    texts: Texts,
    objective: Objective,
    batch: GradedBatch | None,
    how: Training,
    rng: np.random.Generator,
) -> Tensor:
    """Add the gradients of graded campaigns; their cost."""
    if batch is None:
        return torch.zeros((), device=trainee.place.device)
    items = texts.data.marked[batch.marks]
    scores = trainee.scores(texts, items, texts.some_sources(items, WITH_SOURCE, rng))
    cost = graded_cost(scores, objective.lines, texts.data, batch, how)
    cost.backward()
    return cost.detach()


def endless_steps(
    texts: Texts, how: Training, device: torch.device
) -> Iterator[tuple[Step | None, GradedBatch | None]]:
    """The data in random order, again and again."""
    data = texts.data
    weight = weights_of(data, how.corrupted, how.tied, how.agreed, how.borrowed)
    epoch = 0
    while True:
        yield from mixed_steps(data, weight, how, loop.Place(device), epoch)
        epoch += 1


def fewer_items(step: Step, most: int, rng: np.random.Generator) -> Step:
    """A step with at most so many of its items, drawn, and the judgments that are of these alone."""
    if len(step.numbers) <= most:
        return step
    chosen = np.sort(rng.permutation(len(step.numbers))[:most])
    place = np.full(len(step.numbers), -1)
    place[chosen] = np.arange(most)
    pairs = (place[step.better] >= 0) & (place[step.worse] >= 0)
    graded = place[step.graded] >= 0
    return replace(
        step,
        numbers=step.numbers[chosen],
        items=step.items[chosen],
        better=place[step.better[pairs]],
        worse=place[step.worse[pairs]],
        weight=step.weight[pairs],
        kind=step.kind[pairs],
        graded=place[step.graded[graded]],
        grade=step.grade[graded],
    )


def rate(step: int, total: int) -> float:
    """From 0 to 1 in the warm-up, then down to 0."""
    rising = max(1, int(total * WARMUP))
    return (step + 1) / rising if step < rising else (total - step) / max(1, total - rising)


def optimizer_of(reader: Reader, objective: Objective) -> torch.optim.AdamW:
    """Three groups of parameters, with their highest rates."""
    groups = [
        {"params": list(own), "lr": highest, "highest": highest, "weight_decay": decay}
        for own, highest, decay in (
            (reader.changes(), CHANGE_RATE, 0.0),
            (reader.head(), HEAD_RATE, HEAD_DECAY),
            (objective.parameters(), OBJECTIVE_RATE, 0.0),
        )
    ]
    return torch.optim.AdamW(groups, betas=BETAS, fused=True)


def figures(trainee: Trainee, dataset: str, texts: Texts) -> list[tuple[str, int, list[float]]]:
    """Of each language pair that was left out: items; tau and r without sources, then with them."""
    data = texts.data
    items = np.unique(data.marked)
    tables = []
    for source in (np.full(len(items), -1), texts.source[items]):
        scores = np.zeros(len(data.hypothesis))
        scores[items] = trainee.all_scores(texts, items, source)
        tables.append(by_pair(dataset, data, scores))
    return [
        (without[0], without[1], [*without[2:], *with_them[2:]])
        for without, with_them in zip(*tables, strict=True)
    ]


def report(rows: Sequence[tuple[str, int, list[float]]]) -> None:
    """Print what was left out, and the means."""
    print("left out", "items", "tau", "r", "tau with sources", "r with sources", sep="\t")
    means = ("mean", sum(items for _, items, _ in rows), np.mean([v for *_, v in rows], 0).tolist())
    for name, items, values in (*rows, means):
        print(name, items, *(f"{value:.3f}" for value in values), sep="\t")


def stored(reader: Reader) -> dict[str, Tensor]:
    """The weights as they are shipped: changes as int8 with a scale for each of the `rank` directions.

    B is stored by its columns, which are the rows of what is written.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in reader.named_parameters():
        value = parameter.detach().float().cpu()
        if not name.startswith("layers."):
            tensors[name] = value.half()
            continue
        rows = value.T if name.endswith(".b") else value
        scale = (rows.abs().amax(1) / 127.0).clamp_min(1e-12)
        tensors[name] = torch.round(rows / scale[:, None]).to(torch.int8)
        tensors[f"{name}.scale"] = scale
    return tensors


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Of the command line, and of the config file."""
    parser = argparse.ArgumentParser(description="Train the reader of assay:size=large.")
    parser.add_argument("out", type=Path, help="folder to write")
    parser.add_argument("--config", type=Path, help=f'JSON file with options under "{ENTRY}"')
    parser.add_argument("--train", nargs="+", metavar="DATASET", help="as of cupel train assay")
    parser.add_argument("--left-out", nargs="+", metavar="DATASET", default=[], dest="left_out")
    parser.add_argument("--gguf", type=Path, help="file of Qwen, in place of its packages")
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.add_argument("--rank", type=int, default=RANK)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--batch", type=int, default=12, help="segments with preferences of a step")
    parser.add_argument("--marks", type=int, default=12, help="grades of a step for each campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--recompute", action="store_true", help="take less of a GPU's memory, and more time"
    )
    parser.add_argument("--compile", action="store_true", help="compile the layers first")
    config = parser.parse_args(arguments).config
    if config is not None:
        parser.set_defaults(**configured(config, {action.dest for action in parser._actions}))
    chosen = parser.parse_args(arguments)
    if not chosen.train:
        parser.error("--train or --config is needed.")
    return chosen


def configured(config: Path, names: set[str]) -> Mapping[str, Any]:
    """The options that a file has for this reader."""
    try:
        entry = json.loads(config.read_text("utf-8")).get(ENTRY)
    except (OSError, ValueError, AttributeError) as error:
        raise CupelError(f"{config} is not a JSON file that can be read: {error}.") from error
    if entry is None:
        raise CupelError(f'{config} has no entry "{ENTRY}".')
    own: dict[str, Any] = entry["options"]
    if unknown := sorted(set(own) - names):
        raise CupelError(f"{config}: {ENTRY} has no option {unknown[0]}.")
    return own


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, train, write, and report what was left out."""
    chosen = options(arguments)
    check_untrained(chosen.out)
    gate = Gate()
    for name in chosen.train:
        gate.check(name)
    torch.manual_seed(chosen.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    device = find_device(chosen.device)
    place = Place(device, torch.bfloat16 if device.type == "cuda" else torch.float32)
    file = Gguf(chosen.gguf) if chosen.gguf else open_qwen()
    tokenizer = BytePairs(file.settings)
    whole = read_texts(chosen.train, tokenizer, gate=gate)
    texts = replace(whole, data=whole.data.part(held_out=False))
    left_out = {name: read_texts([name], tokenizer, 0) for name in chosen.left_out}
    trainee = Trainee.begin(file, [texts, *left_out.values()], chosen.layers, chosen.rank, place)
    trainee.reader.recompute = chosen.recompute
    if chosen.compile:
        for layer in trainee.reader.layers:
            layer.compile(dynamic=True)
    how = Training(
        batch=chosen.batch, marks=chosen.marks, seed=chosen.seed, average=AVERAGE, warmup=WARMUP
    )
    log = train(trainee, texts, how, chosen.steps)
    lines = [f"{n}\t{a:.5f}\t{b:.5f}\n" for n, (a, b) in enumerate(log, 1)]
    write_text(chosen.out / "log.tsv", "".join(["step\tpreferences\tgrades\n", *lines]))
    rows = [row for name, some in left_out.items() for row in figures(trainee, name, some)]
    card = {
        "layers": chosen.layers,
        "stored": f"rank {chosen.rank}, int8",
        "data": list(chosen.train),
        "not learned from": dict(gate.dropped),
        "licences": licences((*chosen.train, "Qwen2.5-Coder-1.5B-Instruct")),
        "encoder": {
            "name": "Qwen2.5-Coder-1.5B-Instruct",
            "sha256": sha256_of(chosen.gguf) if chosen.gguf else model(QWEN).files[0].sha256,
        },
        "steps": len(log),
        "seed": chosen.seed,
        "left out": {
            name: [round(v, 4) if np.isfinite(v) else None for v in values]
            for name, _, values in rows
        },
    }
    save_weights(chosen.out, KIND, stored(trainee.reader), card)
    if rows:
        report(rows)


if __name__ == "__main__":
    try:
        main()
    except CupelError as error:
        sys.exit(str(error))
