"""Which metric to trust on few judgments, and how many would tell."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_campaign import build

import cupel
from commands import run
from cupel.meta.advice import Advice, advise
from cupel.meta.graded import Graded
from cupel.significance import student, widened


def advice_of(segments: int, noise: tuple[float, ...], seed: int = 1) -> Advice:
    """Metrics that see people's grades through noise, over three systems."""
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(3, segments))
    scores = {f"m{at}": human + size * generator.normal(size=human.shape)
              for at, size in enumerate(noise)}  # fmt: skip
    one = Graded("aa-bb", human, scores)

    def values(columns: np.ndarray) -> list[float]:
        drawn = human[:, columns].ravel()
        return [np.corrcoef(s[:, columns].ravel(), drawn)[0, 1] for s in scores.values()]

    drawn = [values(generator.integers(0, segments, segments)) for _ in range(300)]
    advice = advise(list(scores), np.array(values(np.arange(segments))), np.array(drawn), [one])
    assert advice is not None
    return advice


def test_a_clear_winner_is_named() -> None:
    advice = advice_of(60, (0.3, 3.0, 4.0))
    assert advice.best == "m0"
    assert advice.undecided == []
    sentence = "Trust m0 here: it agrees better with people than m1 and m2"
    assert advice.sentences() == [f"{sentence} (180 judgments in 60 segments)."]


def test_two_alike_are_too_few_to_tell() -> None:
    advice = advice_of(25, (1.0, 1.1, 6.0))
    contest = advice.contests[0]
    assert contest.verdict == "too few to tell"
    assert contest.low < 0 < contest.high
    assert advice.sentences()[0].startswith("Too few to tell which is best of ")
    assert "m2" not in advice.undecided


def test_the_number_that_would_tell_follows_its_formula() -> None:
    advice = next(
        a for a in (advice_of(25, (1.0, 1.5), seed) for seed in range(20))
        if a.contests[0].needed
    )  # fmt: skip
    contest = advice.contests[0]
    t = student(0.975, 25)
    error = (contest.high - contest.difference) / t
    needed = 75 * ((t + 0.8416) * error / contest.difference) ** 2
    assert contest.needed is not None
    assert needed <= contest.needed <= 1.11 * max(needed, 1.1 * 75)


def test_noise_agrees_with_nobody() -> None:
    advice = advice_of(10, (50.0, 60.0))
    assert not advice.agrees
    assert advice.sentences() == [
        "Too few to tell: 30 judgments in 10 segments do not show that any of these metrics agrees with "
        "people."
    ]


def test_equal_metrics_are_not_told_apart() -> None:
    values, drawn = np.array([0.5, 0.5]), np.tile(np.linspace(0.4, 0.6, 50)[:, None], 2)
    advice = advise(["a", "b"], values, drawn, [Graded("x-y", np.ones((2, 30)), {})])
    assert advice is not None
    assert advice.contests[0].verdict == "too few to tell"
    assert advice.sentences()[-1].endswith("they may be as good as each other.")


def test_few_segments_widen_intervals() -> None:
    # t with 9 degrees of freedom is 2.262.
    low, high = widened(0.3, 0.1, 0.4, 10)
    factor = 2.2622 / 1.95996 * np.sqrt(10 / 9)
    assert (low, high) == pytest.approx((0.3 - 0.2 * factor, 0.3 + 0.1 * factor), abs=1e-4)
    assert widened(0.3, 0.1, 0.4, 100) == (0.1, 0.4)


def test_meta_advises_on_small_campaigns(tmp_path: Path) -> None:
    folder = build(tmp_path / "campaign")
    # Without -m, the usual metrics; assay is for English only.
    done = run("meta", folder, "--pair", "aa-bb", "--no-cache")
    assert done.status == 0, done.err
    names = {line.split()[0] for line in done.out.splitlines()[1:4]}
    assert names == {"sentbleu", "chrf", "ter"}
    assert "45 judgments in 12 segments" in done.out
    evaluation = cupel.evaluate(str(folder), ["chrf", "ter"], pairs=["aa-bb"], use_cache=False)
    (row,) = json.loads(evaluation.to_json())["advice"]
    assert {row["best"], row["other"]} == {"chrf", "ter"}
    assert row["verdict"] in ("better", "too few to tell")
