"""Trains assay-multi: changes of Gemma's layers, the head, and the weights of lexical statistics.

    python tools/train_assay_multi.py DATA OUT --fold full            # writes OUT.npz
    python tools/train_assay_multi.py DATA OUT --fold F1              # and OUT.scores.npz

DATA: the folder that tools/assay_multi_data.py wrote, with data.npz and lex.npz. OUT.npz, with the lex.npz of
DATA and OUT.scores.npz of a fold, is what tools/build_assay_multi.py takes. A fold leaves campaigns out,
and prints the agreement on them: tau within segments, and Pearson's r.

Loss: softplus of the difference of scores of two translations of a segment, weighted by that of grades, and
0.1 times a regression with an offset for each group (kind, campaign and language pair). AdamW, 60 steps
of warming up, then a cosine down to a twentieth. Needs the packages of Gemma (cupel[multi]).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from assay_multi_model import Encoder, Head
from cupel.arrays import FloatArray, IntArray
from cupel.metrics.assay_multi import LIMIT
from cupel.neural.decoder_layers import Weights
from cupel.neural.gemma import BEGIN
from cupel.neural.gemma_package import open_gemma

Flags = npt.NDArray[np.bool_]

LAYERS, RANK = 12, 16
STEPS, PIECES, TEXTS = 1822, 14_000, 480
"""Steps of the shipped training; pieces of a step, and the most texts of one."""
ENCODER_RATE, HEAD_RATE, DECAY, WARM = 5e-4, 1e-3, 0.01, 60
REGRESSION = 0.1
WEIGHT = {"mqm": 1.0, "da": 0.4, "silver": 1.0, "sysmean": 0.3, "cons": 0.3, "corr": 0.3}
"""Of items by kind; into English, which has most judgments, 0.6 times that."""
INTO_ENGLISH = 0.6
REGRESSED = ("mqm", "da", "silver")
"""Kinds whose grades can be compared between segments."""
CAMPAIGNS = {"F1": ("mqm21", "bio21"), "F2": ("mqm22", "ted21")}
SILVER = {
    "F1": ("en-ja", "en-cs", "en-uk", "en-zh"),
    "F2": ("en-ru", "cs-uk", "ja-zh", "cs-de", "en-et"),
}
SHARED = {"F1": ("sysmean", "wmt21", "en-de"), "F2": ("da", "da22", "zh-en")}
"""Groups with the segments of a campaign left out: neither trained on nor reported."""
LEXICAL_STEPS, LEXICAL_RATE, SHRINK, LEXICAL_PAIRS = 250, 0.02, 2e-3, 12
MOST, SINGLES = 7, 0.25
"""Translations of a segment in a step, and the share of segments with one that a pass has."""
FEWEST_ITEMS, FEWEST_PAIRS = 200, 150
"""Of a group that is reported."""


@dataclass(frozen=True)
class Items:
    """Texts, as pieces, and items: a hypothesis, a reference and a grade."""

    hypothesis: IntArray
    reference: IntArray
    grade: FloatArray
    group: IntArray
    segment: IntArray
    key: IntArray
    ids: IntArray
    offsets: IntArray
    lengths: IntArray
    vocabulary: IntArray
    groups: tuple[tuple[str, str, str], ...]
    statistics: FloatArray
    names: tuple[str, ...]

    def weights(self) -> FloatArray:
        """(groups,)"""
        return np.array(
            [
                WEIGHT[kind] * (INTO_ENGLISH if pair.endswith("-en") else 1.0)
                for kind, _, pair in self.groups
            ]
        )

    def regressed(self) -> Flags:
        """(groups,)"""
        return np.array([kind in REGRESSED for kind, _, _ in self.groups])


def read(folder: Path) -> Items:
    """What the folder has."""
    data = np.load(folder / "data.npz", allow_pickle=False)
    lexical = np.load(folder / "lex.npz", allow_pickle=False)
    group = data["group"].astype(np.int64)
    kinds, campaigns, pairs = zip(
        *(str(name).split("|") for name in data["group_names"]), strict=True
    )
    return Items(
        data["hyp"], data["ref"], data["y"], group, data["seg"],
        group * 10**7 + data["seg"], data["ids"], np.concatenate([[0], np.cumsum(data["length"])]),
        data["length"], data["voc"], tuple(zip(kinds, campaigns, pairs, strict=True)),
        lexical["X"].astype(np.float32), tuple(str(name) for name in lexical["names"]),
    )  # fmt: skip


def split(items: Items, fold: str) -> tuple[Flags, Flags]:
    """Items that are trained on, and those that are reported."""
    if fold == "full":
        return np.ones(len(items.grade), bool), np.zeros(len(items.grade), bool)
    out = [
        campaign in CAMPAIGNS[fold] or (kind == "silver" and pair in SILVER[fold])
        for kind, campaign, pair in items.groups
    ]
    shared = np.array([group == SHARED[fold] for group in items.groups])[items.group]
    mlqe = np.array([campaign == "mlqe" for _, campaign, _ in items.groups])[items.group]
    reported = np.array(out)[items.group] | (mlqe & (items.segment % 5 == 0))
    return ~(reported | shared), reported


def segments(items: Items, rows: IntArray) -> list[IntArray]:
    """Rows of each segment of a group."""
    order = rows[np.argsort(items.key[rows], kind="stable")]
    key = items.key[order]
    return np.split(order, np.flatnonzero(key[1:] != key[:-1]) + 1) if len(order) else []


def pairs_of(
    items: Items, rows: IntArray, most: int | None, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """The better and the worse of two rows of a segment, all or so many of a segment."""
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for of in segments(items, rows):
        i, j = np.triu_indices(len(of), 1)
        if most and len(i) > most:
            drawn = rng.choice(len(i), most, replace=False)
            i, j = i[drawn], j[drawn]
        first.append(of[i])
        second.append(of[j])
    a, b = np.concatenate(first), np.concatenate(second)
    differ = items.grade[a] != items.grade[b]
    a, b = a[differ], b[differ]
    swapped = items.grade[a] < items.grade[b]
    return np.where(swapped, b, a), np.where(swapped, a, b)


@dataclass(frozen=True)
class Lexical:
    """Weights of standardised statistics, and the score of every item."""

    weights: FloatArray
    mean: FloatArray
    deviation: FloatArray
    scores: FloatArray


def fit_lexical(items: Items, rows: IntArray, rng: np.random.Generator) -> Lexical:
    """The linear model of the better of two translations of a segment."""
    mean = items.statistics[rows].mean(0)
    deviation = items.statistics[rows].std(0) + 1e-6
    x = torch.from_numpy(((items.statistics - mean) / deviation).clip(-LIMIT, LIMIT))
    better, worse = pairs_of(items, rows, LEXICAL_PAIRS, rng)
    difference = np.minimum(np.abs(items.grade[better] - items.grade[worse]), 1.5)
    weight = torch.from_numpy(difference * items.weights()[items.group[better]]).float()
    i, j = torch.from_numpy(better), torch.from_numpy(worse)
    w = torch.zeros(x.shape[1], requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=LEXICAL_RATE)
    for _ in range(LEXICAL_STEPS):
        optimizer.zero_grad()
        s = x @ w
        loss = (functional.softplus(s[j] - s[i]) * weight).sum() / weight.sum()
        (loss + SHRINK * (w**2).sum()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    fitted = w.detach()
    return Lexical(fitted.numpy(), mean, deviation, (x @ fitted).numpy())


def batches(items: Items, rows: IntArray, pieces: int, rng: np.random.Generator) -> list[IntArray]:
    """Rows of each step of one pass: whole segments of about equal length."""
    regressed = items.regressed()
    lists = [of for of in segments(items, rows) if len(of) > 1 or regressed[items.group[of[0]]]]
    single = np.array([len(of) == 1 for of in lists])
    length = np.array([items.lengths[items.reference[of[0]]] for of in lists])
    used = np.flatnonzero(~single | (rng.random(len(lists)) < SINGLES))
    order = used[np.argsort(length[used] + rng.normal(0, 6, len(used)))]
    steps: list[IntArray] = []
    current: list[IntArray] = []
    texts = longest = 0
    for place in order.tolist():
        of = lists[place]
        of = rng.choice(of, MOST, replace=False) if len(of) > MOST else of
        longest = max(longest, int(items.lengths[items.hypothesis[of]].max()), int(length[place]))
        current.append(of)
        texts += len(of) + 1
        if texts * longest > pieces or texts >= TEXTS:
            steps.append(np.concatenate(current))
            current, texts, longest = [], 0, 0
    if current:
        steps.append(np.concatenate(current))
    rng.shuffle(steps)
    return steps


class Model:
    """Encoder and head on a device; the lexical score is added, and not trained further."""

    def __init__(self, items: Items, lexical: Lexical, weights: Weights, device: str) -> None:
        self.items, self.device = items, device
        self.encoder = Encoder(weights, items.vocabulary, LAYERS, RANK).to(device)
        self.head = Head(LAYERS, len(items.groups)).to(device)
        self.lexical = torch.from_numpy(lexical.scores).to(device)
        self.grade = torch.from_numpy(items.grade).to(device)
        self.group = torch.from_numpy(items.group).to(device)
        self.key = torch.from_numpy(items.key).to(device)
        self.weight = torch.from_numpy(items.weights()).float().to(device)
        self.regressed = torch.from_numpy(items.regressed()).float().to(device)

    def named_parameters(self) -> Iterator[tuple[str, torch.nn.Parameter]]:
        """As the weights of the metric are named."""
        yield from self.encoder.named_parameters()
        yield from ((f"head.{name}", value) for name, value in self.head.named_parameters())

    def _padded(self, texts: IntArray) -> tuple[Tensor, Tensor]:
        lengths = self.items.lengths[texts]
        ids = np.zeros((len(texts), max(int(lengths.max()), 1) + 1), np.int64)
        ids[:, 0] = BEGIN
        for row, text in enumerate(texts.tolist()):
            at = self.items.offsets[text : text + 2]
            ids[row, 1 : 1 + lengths[row]] = self.items.ids[at[0] : at[1]]
        mask = np.arange(ids.shape[1]) <= lengths[:, None]
        return torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)

    def scores(self, rows: IntArray) -> Tensor:
        """Of these items; each text is read once."""
        sides = (self.items.hypothesis[rows], self.items.reference[rows])
        texts, inverse = np.unique(np.concatenate(sides), return_inverse=True)
        place = torch.from_numpy(inverse.reshape(2, -1)).to(self.device)
        ids, mask = self._padded(texts)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            states = self.head.states(self.encoder(ids, mask))
        kept = mask.clone()  # the piece that a text begins with has no match
        kept[:, 0] = False
        kept[:, 1] |= ~kept.any(1)
        parts = (*states, kept)
        longest = [int(self.items.lengths[side].max()) + 1 for side in sides]
        ours, theirs = (
            tuple(part[:, :size].index_select(0, of) for part in parts)
            for of, size in zip(place, longest, strict=True)
        )
        score: Tensor = self.head(ours, theirs)
        return score + self.lexical[torch.from_numpy(rows).to(self.device)]

    def losses(self, rows: IntArray) -> tuple[Tensor, Tensor]:
        """Of comparisons, and of the regression."""
        s, at = self.scores(rows), torch.from_numpy(rows).to(self.device)
        grade, group, key = self.grade[at], self.group[at], self.key[at]
        same = torch.triu(key[:, None] == key[None, :], 1)
        d = grade[:, None] - grade[None, :]
        weight = same * d.abs().clamp_max(1.5) * (d.abs() > 0.05) * self.weight[group][:, None]
        compared = functional.softplus(-(s[:, None] - s[None, :]) * d.sign()) * weight
        guess = self.head.scale * s + self.head.bias[group]
        far = functional.smooth_l1_loss(guess, grade, reduction="none")
        counted = self.regressed[group]
        regression = (counted * self.weight[group] * far).sum() / counted.sum().clamp_min(1.0)
        return compared.sum() / weight.sum().clamp_min(1.0), regression

    @torch.no_grad()
    def unseen(self, rows: IntArray, pieces: int) -> FloatArray:
        """Scores of items that were left out, without dropout."""
        self.head.eval()
        lengths = np.maximum(
            *(
                self.items.lengths[side[rows]]
                for side in (self.items.hypothesis, self.items.reference)
            )
        )
        order = np.argsort(-lengths, kind="stable")
        scores, first = np.zeros(len(rows)), 0
        while first < len(order):
            size = max(1, pieces // (2 * int(lengths[order[first]] + 1)))
            some = order[first : first + size]
            scores[some] = self.scores(rows[some]).cpu().numpy()
            first += size
        self.head.train()
        return scores


def train(
    model: Model, rows: IntArray, steps: int, pieces: int, rng: np.random.Generator
) -> list[float]:
    """Train in place; the loss of comparisons of each step."""
    encoder, head = list(model.encoder.parameters()), list(model.head.parameters())
    groups = [{"params": encoder, "lr": ENCODER_RATE}, {"params": head, "lr": HEAD_RATE}]
    rates = [ENCODER_RATE, HEAD_RATE]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=DECAY)
    losses: list[float] = []
    while len(losses) < steps:
        for batch in batches(model.items, rows, pieces, rng)[: steps - len(losses)]:
            step = len(losses)
            cosine = 0.05 + 0.95 * 0.5 * (1.0 + math.cos(math.pi * step / steps))
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, step / WARM) * cosine
            compared, regression = model.losses(batch)
            optimizer.zero_grad(set_to_none=True)
            (compared + REGRESSION * regression).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(encoder + head, 1.0)
            optimizer.step()
            losses.append(float(compared.detach()))
            if step < 3 or (step + 1) % 200 == 0:
                mean = np.mean(losses[-200:] if step >= 3 else losses[-1:])
                print(f"step {step + 1}: loss {mean:.4f}", file=sys.stderr, flush=True)
    return losses


def report(items: Items, rows: IntArray, columns: dict[str, FloatArray]) -> None:
    """Print tau and r of each group that was left out; columns: scores of `rows`."""
    print("group", "items", *(f"{name}:tau\t{name}:r" for name in columns), sep="\t")
    place = np.full(len(items.grade), -1)
    place[rows] = np.arange(len(rows))
    for group in np.unique(items.group[rows]):
        of = rows[items.group[rows] == group]
        better, worse = pairs_of(items, of, None, np.random.default_rng(0))
        if len(of) < FEWEST_ITEMS:
            continue
        cells = []
        for scores in columns.values():
            d = scores[place[better]] - scores[place[worse]]
            tau = f"{np.sign(d).mean():.3f}" if len(d) >= FEWEST_PAIRS else "-"
            cells += [tau, f"{np.corrcoef(scores[place[of]], items.grade[of])[0, 1]:.3f}"]
        print("|".join(items.groups[group]), len(of), *cells, sep="\t")


def options() -> argparse.Namespace:
    """Of the command line."""
    parser = argparse.ArgumentParser(description="Train assay-multi.")
    parser.add_argument("data", type=Path, help="folder with data.npz and lex.npz")
    parser.add_argument("out", help="what names of files that are written begin with")
    parser.add_argument("--fold", choices=("F1", "F2", "full"), default="full")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--pieces", type=int, default=PIECES, help="pieces of a step, about")
    parser.add_argument("--segments", type=int, help="draw so many segments, for a trial")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Train, write, and report what was left out."""
    chosen = options()
    torch.manual_seed(chosen.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    rng = np.random.default_rng(chosen.seed)
    items = read(chosen.data)
    trained, reported = split(items, chosen.fold)
    if chosen.segments:
        drawn = np.isin(items.key, rng.choice(np.unique(items.key), chosen.segments, replace=False))
        trained, reported = trained & drawn, reported & drawn
    rows, unseen = np.flatnonzero(trained), np.flatnonzero(reported)
    lexical = fit_lexical(items, rows, rng)
    model = Model(items, lexical, open_gemma(), chosen.device)
    train(model, rows, chosen.steps, chosen.pieces, rng)
    arrays: dict[str, Any] = {
        name: value.detach().half().cpu().numpy() for name, value in model.named_parameters()
    }
    arrays |= {
        "lexical.w": lexical.weights,
        "lexical.mu": lexical.mean,
        "lexical.sd": lexical.deviation,
    }
    np.savez(f"{chosen.out}.npz", **arrays)
    if len(unseen):
        scores = model.unseen(unseen, chosen.pieces)
        np.savez(f"{chosen.out}.scores.npz", idx=unseen, s=scores)
        chrf = items.statistics[unseen, items.names.index("chrf++")]
        parts = {"chrf++": chrf, "lexical": lexical.scores[unseen], "model": scores}
        report(items, unseen, parts | {"with-chrf++": scores + 6.0 * chrf})


if __name__ == "__main__":
    main()
