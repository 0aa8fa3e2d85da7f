"""What judgments of one's own are worth: the tables of docs/research/own-judgments.md.

    python research/own_judgments.py FOLDER
    python research/own_judgments.py FOLDER --start assay --only-across

Needs the datasets bio21, mqm21 and ted21. FOLDER keeps what a model read of each language pair, which takes
some minutes a pair on a CPU and is computed once. Models that were trained on a campaign are not judged on it,
but for `assay`, which has seen bio21 and is shown to tell what tuning does to a model that knows the domain.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.learned.assay.data.graded import GradedPair, graded_pairs
from cupel.learned.assay.files import load_assay
from cupel.learned.assay.model.correction import WORDS
from cupel.learned.assay.model.releases import named_folder
from cupel.learned.assay.training.tune import Gain, Material, r_gain, student, tau_gain, tune
from cupel.learned.assay.training.tuned import read
from cupel.metrics.assay import calibrated
from cupel.neural.weights import read_card

BIO = ("de-en", "es-en", "fr-en", "it-en", "pt-en", "ru-en", "zh-en")
SIZES = (50, 100, 200, 400, 1000)
OF_A_SEGMENT = 4
"""Translations of one segment that a draw has at most, as of a team that compares four systems."""
SHAPES = ((10, 10), (25, 4), (50, 2), (100, 1))
"""Segments and systems of a hundred judgments."""
RESAMPLES = 400


@dataclass(frozen=True)
class Read:
    """What a model read of a language pair, and how it prints scores."""

    material: Material
    start: str

    def printed(self, raw: FloatArray) -> FloatArray:
        card = read_card(named_folder(self.start), "assay")
        return calibrated(raw, card, float(card["slope"]))

    @property
    def release(self) -> FloatArray:
        return self.printed(self.material.readings[None, :, 0])


def some_segments(one: GradedPair, most: int) -> GradedPair:
    """Whole segments, drawn at random, until there are `most` translations."""
    by_line: dict[int, list[int]] = {}
    for item, line in enumerate(one.lines):
        by_line.setdefault(line, []).append(item)
    chosen: list[int] = []
    for line in np.random.default_rng(1).permutation(sorted(by_line)).tolist():
        if len(chosen) >= most:
            break
        chosen += by_line[line]
    chosen.sort()
    texts, references = one.hypotheses, one.references
    return GradedPair(
        one.pair,
        [texts[item] for item in chosen],
        [references[item] for item in chosen],
        [one.lines[item] for item in chosen],
        one.grades[chosen],
    )


def read_pair(folder: Path, dataset: str, pair: str, start: str, most: int) -> Read:
    """What a model read, from the folder if it is there."""
    path = folder / f"{dataset}.{pair}.{start}.npz"
    if not path.exists():
        one = some_segments(graded_pairs(dataset, [pair])[0], most)
        lines = np.array(one.lines)
        material = read(load_assay(named_folder(start))[0], [one], lines, lines)
        np.savez(path, readings=material.readings, grades=one.grades, segment=lines)
    with np.load(path) as arrays:
        segment = arrays["segment"]
        return Read(Material(arrays["readings"], arrays["grades"], segment, segment), start)


def drawn(material: Material, count: int, generator: np.random.Generator) -> IntArray:
    """Judgments of random segments, at most OF_A_SEGMENT of each."""
    chosen: list[int] = []
    for segment in generator.permutation(np.unique(material.segment)):
        if len(chosen) >= count:
            break
        own = generator.permutation(np.flatnonzero(material.segment == segment))
        chosen += own[: min(OF_A_SEGMENT, count - len(chosen))].tolist()
    return np.array(chosen)


def gains(target: Read, rows: IntArray, after: FloatArray) -> tuple[Gain, Gain]:
    """Of r and of tau on some translations; after: (draws, n) raw scores of all."""
    part = target.material.take(rows)
    printed = target.release[:, rows], target.printed(after)[:, rows]
    return r_gain(part, *printed), tau_gain(part, *printed)


def across_pairs(read_pairs: dict[str, Read], size: int, draws: int) -> dict[str, list[FloatArray]]:
    """left-out pair -> (n,) raw scores of it after each draw of judgments of another pair."""
    scores: dict[str, list[FloatArray]] = {}
    for place, (pair, target) in enumerate(read_pairs.items()):
        others = [
            one for name, one in read_pairs.items()
            if name != pair and len(one.material) >= size
        ]  # fmt: skip
        for draw in range(draws):
            source = others[draw % len(others)].material
            rows = drawn(source, size, np.random.default_rng(1000 * draw + place))
            correction = tune(source.take(rows)).correction
            readings = target.material.readings
            scores.setdefault(pair, []).append(
                readings[:, 0] if correction is None else correction(readings)
            )
    return scores


def half(gain: Gain) -> float:
    """Half of a gain's 95% interval."""
    return student(0.975, gain.units) * gain.error if gain.units > 1 else float("nan")


def print_across(read_pairs: dict[str, Read], draws: int) -> None:
    """The learning curve over left-out pairs, and each pair at 400 judgments."""
    print(
        "| judgments | r | tau | r by draw: worst | tau: worst | beyond interval | kept as it was |"
    )
    print("|---|---|---|---|---|---|---|")
    for size in SIZES:
        scores = across_pairs(read_pairs, size, draws)
        rows = {pair: np.arange(len(one.material)) for pair, one in read_pairs.items()}
        by_pair = {p: gains(read_pairs[p], rows[p], np.array(scores[p])) for p in scores}
        single = {
            p: [gains(read_pairs[p], rows[p], one[None]) for one in scores[p]] for p in scores
        }
        flat = [gain for of_pair in single.values() for both in of_pair for gain in both]
        beyond = sum(gain.gain < -half(gain) for gain in flat if gain.error > 0)
        same = sum(
            bool((one == read_pairs[p].material.readings[:, 0]).all())
            for p in scores
            for one in scores[p]
        )
        means = [np.nanmean([both[k].gain for both in by_pair.values()]) for k in (0, 1)]
        worst = [np.nanmin([both[k].gain for of in single.values() for both in of]) for k in (0, 1)]
        print(
            f"| {size:,} | {means[0]:+.4f} | {means[1]:+.4f} | {worst[0]:+.3f} | {worst[1]:+.3f} | "
            f"{beyond} of {len(flat)} | {same} of {draws * len(scores)} |",
            flush=True,
        )
        if size == 400:
            table = [
                f"| {p} | {r.before:.3f} | {r.gain:+.3f} ± {half(r):.3f} | "
                + (f"{t.before:.3f} | {t.gain:+.4f} ± {half(t):.4f} |" if t.units else "| |")
                for p, (r, t) in by_pair.items()
            ]
    print("\n| left out | r | gain at 400 | tau | gain at 400 |\n|---|---|---|---|---|")
    print("\n".join(table))


def print_old_to_new(new: Read, other: Read, draws: int) -> None:
    """assay-wmt13 with judgments of mqm21: on its other segments, and on ted21."""
    print("\n| judgments | mqm21 r | mqm21 tau | ted21 r | ted21 tau | beyond interval | kept |")
    print("|---|---|---|---|---|---|---|")
    everything = np.arange(len(other.material))
    for size in SIZES:
        by_draw: list[list[float]] = []
        same = beyond = 0
        for draw in range(draws):
            rows = drawn(new.material, size, np.random.default_rng(draw))
            correction = tune(new.material.take(rows)).correction
            same += correction is None
            left = np.flatnonzero(~np.isin(new.material.segment, new.material.segment[rows]))
            both: list[Gain] = []
            for target, part in ((new, left), (other, everything)):
                raw = target.material.readings
                after = raw[:, 0] if correction is None else correction(raw)
                both += gains(target, part, after[None])
            beyond += sum(gain.gain < -half(gain) for gain in both if gain.error > 0)
            by_draw.append([gain.gain for gain in both])
        means = " | ".join(f"{value:+.4f}" for value in np.mean(by_draw, axis=0))
        print(f"| {size:,} | {means} | {beyond} of {4 * draws} | {same} of {draws} |", flush=True)


def print_intervals(read_pairs: dict[str, Read], trials: int) -> None:
    """How often intervals of 100 judgments cover the value of all segments of their pair."""
    print("\n| segments x systems | percentile | widened | a metric named best | wrongly |")
    print("|---|---|---|---|---|")
    for segments, systems in SHAPES:
        counts = np.zeros(5)
        for pair, one in read_pairs.items():
            if len(one.material) / len(np.unique(one.material.segment)) >= 2:
                counts += _covered(one.material, segments, systems, trials, len(pair))
        trials_made = counts[2] / 3  # three metrics each
        shares = [*(counts[:2] / counts[2]), *(counts[3:] / trials_made)]
        print(
            f"| {segments} x {systems} | " + " | ".join(f"{share:.1%}" for share in shares) + " |"
        )


def _covered(material: Material, segments: int, systems: int, trials: int, seed: int) -> FloatArray:
    """Counts: covered, covered when widened, intervals, contests decided, decided wrongly."""
    from cupel.meta.advice import LEVEL
    from cupel.significance import corrected, interval, spread, widened

    metrics = material.readings[:, [0, WORDS[0], WORDS[1]]]
    truth = [np.corrcoef(column, material.grades)[0, 1] for column in metrics.T]
    groups = [np.flatnonzero(material.segment == s) for s in np.unique(material.segment)]
    generator, counts = np.random.default_rng(seed), np.zeros(5)
    for _ in range(trials):
        chosen = generator.choice(len(groups), segments, replace=False)
        parts = [generator.permutation(groups[place])[:systems] for place in chosen]
        rows, of = np.concatenate(parts), np.repeat(np.arange(segments), list(map(len, parts)))
        counted = generator.multinomial(segments, np.full(segments, 1 / segments), RESAMPLES)[:, of]
        weights = np.concatenate([np.ones((1, len(rows))), counted.astype(np.float64)])
        drawn_values = np.stack(
            [_pearson(column[rows], material.grades[rows], weights) for column in metrics.T], 1
        )
        values, replicates = drawn_values[0], drawn_values[1:]
        for value, sample, right in zip(values, replicates.T, truth, strict=True):
            bounds = interval(sample)
            wide = widened(float(value), bounds.low, bounds.high, segments)
            counts[:3] += [bounds.low <= right <= bounds.high, wide[0] <= right <= wide[1], 1]
        best = int(np.argmax(values))
        others = [at for at in range(len(values)) if at != best]
        errors = [spread(replicates[:, best] - replicates[:, at], segments) for at in others]
        t = np.array(
            [(values[best] - values[at]) / e for at, e in zip(others, errors, strict=True)]
        )
        p = corrected(np.array([2 * _tail(one, segments) for one in t]))
        decided = bool((p < LEVEL).all())
        counts[3:] += [decided, decided and best != int(np.argmax(truth))]
    return counts


def _tail(t: float, units: int) -> float:
    from scipy.special import stdtr

    return float(stdtr(units - 1, -abs(t)))


def _pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    n = weights.sum(1)
    mean_x, mean_y = weights @ x / n, weights @ y / n
    covariance = weights @ (x * y) / n - mean_x * mean_y
    spread = (weights @ (x * x) / n - mean_x**2) * (weights @ (y * y) / n - mean_y**2)
    r: FloatArray = covariance / np.sqrt(spread)
    return r


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Where to keep what models read.")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--pairs", nargs="*", default=list(BIO), help="Language pairs of bio21.")
    parser.add_argument("--start", default="assay-wmt13", help="Model to tune on bio21.")
    parser.add_argument("--only-across", action="store_true", help="Leave out mqm21 and intervals.")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    most = 1100 if given.start == "assay" else 1500
    bio = {p: read_pair(given.folder, "bio21", p, given.start, most) for p in given.pairs}
    print(f"bio21, one pair left out, judgments of another, {given.start}\n")
    print_across(bio, given.draws)
    if given.only_across:
        return
    new = read_pair(given.folder, "mqm21", "zh-en", "assay-wmt13", 2500)
    other = read_pair(given.folder, "ted21", "zh-en", "assay-wmt13", 2500)
    print("\nassay-wmt13, judgments of mqm21 zh-en")
    print_old_to_new(new, other, given.draws)
    print("\n100 judgments: intervals of Pearson's r")
    print_intervals(bio, 60)


if __name__ == "__main__":
    main()
