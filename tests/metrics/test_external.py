"""Scores of others: the same numbers as SciPy's, and as our own where the scores are ours."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import cupel
from cupel import significance
from cupel.batch import Batch
from cupel.errors import CupelError

SYSTEMS = {
    "a.txt": ["the cat sat", "it rains a lot", "we go home now", "no"],
    "b.txt": ["a cat sat", "it is raining", "we go home now", "yes"],
}
REFERENCES = ["the cat sat", "it rains a lot", "we went home", "no"]
SCORES = {"a.txt": [0.9, 0.8, 0.7, 0.4], "b.txt": [0.5, 0.3, 0.7, 0.1]}


@pytest.mark.parametrize("n", [2, 5, 12])
@pytest.mark.parametrize("discrete", [True, False])
def test_p_values_equal_scipys_on_all_exchanges(n: int, discrete: bool) -> None:
    generator = np.random.default_rng(n)
    first, second = generator.random((2, n))
    if discrete:
        first, second = np.round(4 * first), np.round(4 * second)
    scores = cupel.score(scores={"judge": {"a": first, "b": second}})
    ours = scores.paired("judge", "ar")[0]
    theirs = stats.permutation_test(
        (second, first),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert ours.p_value == theirs.pvalue
    assert ours.difference == pytest.approx(theirs.statistic)


def test_few_differing_segments_do_not_make_a_small_p_value() -> None:
    """Of 40 segments four differ: 2 of 16 exchanges are as extreme, whatever the trials."""
    first = np.full(40, 50.0)
    second = first + ([0.0] * 36 + [10.0] * 4)
    scores = cupel.score(scores={"judge": {"a": first, "b": second}})
    assert scores.paired("judge", "ar")[0].p_value == pytest.approx(1 / 8, abs=0.01)


def test_bootstrap_equals_scipys_draw_by_draw_and_all_draws() -> None:
    values = np.array([0.2, 0.9, 0.4, 0.7])
    scores = cupel.score(scores={"x": {"a": values, "b": values[::-1]}})
    metric, statistics = scores.metrics["x"], scores.statistics["x"]
    ours = significance.bootstrap_scores(metric, statistics, 400, seed=7)[0]
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=400, rng=np.random.default_rng(7), method="percentile"
    )
    assert ours == pytest.approx(theirs.bootstrap_distribution, abs=1e-12)
    every = np.sort([np.mean(values[list(drawn)]) for drawn in product(range(4), repeat=4)])
    interval = scores.intervals("x", resamples=40_000, level=0.9)["a"]
    assert interval.low == pytest.approx(every[int(0.05 * 256)])
    assert interval.high == pytest.approx(every[255 - int(0.05 * 256)])


def test_our_own_scores_give_our_own_numbers() -> None:
    own = cupel.score(SYSTEMS, REFERENCES, ["rouge-l"])
    rows = {system: own.segment_scores("rouge-l", system) for system in own.systems}
    given = cupel.score(SYSTEMS, REFERENCES, ["rouge-l"], scores={"given": rows})
    assert given["given"] == own["rouge-l"]
    assert given.intervals("given") == own.intervals("rouge-l")
    for test in ("ar", "bs"):
        (one,), (other,) = given.paired("given", test), own.paired("rouge-l", test)
        assert (one.difference, one.p_value) == (other.difference, other.p_value)
    clusters = given.clusters()
    assert clusters["given"].systems == clusters["rouge-l"].systems


def test_files_are_matched_by_names_and_ids(tmp_path: Path) -> None:
    """A path, a name without ending, ids in another order: all mean the same system and segment."""
    rows = [
        {"system": "run/b.txt", "id": f"doc-{n}", "qe": s} for n, s in enumerate(SCORES["b.txt"])
    ]
    rows += [{"system": "a", "id": f"doc-{n}", "qe": s} for n, s in enumerate(SCORES["a.txt"])][
        ::-1
    ]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores = cupel.score(SYSTEMS, scores=[f"{path}:qe"])
    for system, expected in SCORES.items():
        assert scores.segment_scores("qe", system).tolist() == expected
    assert scores.signatures["qe"].startswith("scores:qe|sha256:")
    assert scores.metrics["qe"].higher_is_better


def test_one_file_for_each_system_is_told_by_its_texts(tmp_path: Path) -> None:
    files = []
    for name, system in (("one", "b.txt"), ("two", "a.txt")):
        rows = zip(SYSTEMS[system], SCORES[system], strict=True)
        lines = [json.dumps({"hypothesis": text, "prediction": s}) + "\n" for text, s in rows]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
        files.append(f"metricx={tmp_path / name}.jsonl")
    scores = cupel.score(SYSTEMS, scores=files)
    assert scores.segment_scores("metricx", "b.txt").tolist() == SCORES["b.txt"]
    assert not scores.metrics["metricx"].higher_is_better
    assert scores.signatures["metricx"].count("+") == 1


def test_numbers_count_from_0_or_from_1_and_files_of_wmt(tmp_path: Path) -> None:
    wmt = "".join(
        f"{metric}\tde-en\tnewstest\t{system}\t{n}\t{score}\n"
        for metric in ("x", "y")
        for system, row in SCORES.items()
        for n, score in enumerate(row, start=1)
    )
    (tmp_path / "z.seg.score").write_text(wmt)
    zero = "".join(
        f"{system}\t{n}\t{score}\n" for system, row in SCORES.items() for n, score in enumerate(row)
    )
    (tmp_path / "zero.tsv").write_text(f"sys\tseg_id\tq\n{zero}")
    scores = cupel.score(scores=[f"{tmp_path}/z.seg.score:y", f"{tmp_path}/zero.tsv"])
    for system, row in SCORES.items():
        assert scores.system_score("y", system) == pytest.approx(np.mean(row))
        assert scores.segment_scores("q", system).tolist() == row
    with pytest.raises(CupelError, match=r"has scores of 'x', 'y'; choose one with .*:METRIC"):
        cupel.score(scores=[f"{tmp_path}/z.seg.score"])


def test_rows_without_names_are_in_the_order_of_the_systems(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array(list(SCORES.values())))
    scores = cupel.score(SYSTEMS, scores=[tmp_path / "m.npy"])
    assert scores.segment_scores("m", "b.txt").tolist() == SCORES["b.txt"]


HEAD = "system\tsegment\tq\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("".join(f"a\t{n}\t1\n" for n in range(1, 5)),
         r"q\.tsv has no scores of system 'b\.txt'; it has 'a'\."),
        ("".join(f"{s}\t{n}\t1\n" for s in "ab" for n in (1, 2, 4)),
         r"no score of system 'a\.txt', segment 3; 3 of 4 segments have one"),
        ("".join(f"{s}\t{n}\t1\n" for s in "ab" for n in (1, 2, 3, 5)),
         r"line 5: the segment is 5, but system 'a\.txt' has 4 segments"),
        ("".join(f"{s}\t{n}\t1\n" for s in ("a", "x/a.txt", "y/a.txt", "b") for n in range(1, 5)),
         r"System 'a\.txt' has two sets of scores of 'q': 'x/a\.txt' in .* and 'y/a\.txt'"),
        ("".join(f"{s}\td{n}\t1\n" for s in "ab" for n in range(3)),
         r"has scores of 3 segments, but there are 4"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_texts(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "q.tsv").write_text(HEAD + content)
    with pytest.raises(CupelError, match=sentence):
        cupel.score(SYSTEMS, scores=[f"{tmp_path}/q.tsv"])


def test_directions_and_names_that_do_not_go_together(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"prediction": 1}\n' * 4)
    (tmp_path / "b.jsonl").write_text('{"score": 1}\n' * 4)
    files = [f"q={tmp_path}/{name}.jsonl" for name in "ab"]
    with pytest.raises(CupelError, match=r"'q' have mixed directions: in .*a\.jsonl lower"):
        cupel.score(SYSTEMS, scores=files)
    with pytest.raises(
        CupelError, match="Lower is better for 'z', but the scores are those of 'q'"
    ):
        cupel.score(SYSTEMS, scores={"q": SCORES}, lower=["z"])
    with pytest.raises(CupelError, match="'bleu' is a metric to compute and the name of given"):
        cupel.score(SYSTEMS, REFERENCES, "bleu", scores={"bleu": SCORES})
    with pytest.raises(CupelError, match="There is nothing to score"):
        cupel.score()
    with pytest.raises(CupelError, match=r"Segment 2 of system 'a' in .*: 'q' is nan"):
        cupel.score(scores={"q": {"a": [1.0, np.nan]}})
    with pytest.raises(CupelError, match="name the file of each system b=FILE"):
        cupel.score(SYSTEMS, scores=[f"{tmp_path}/b.jsonl"])


def test_lower_is_better_where_it_is_given() -> None:
    scores = cupel.score(scores={"errors": SCORES}, lower=["errors"])
    assert [one.system for one in scores.clusters()["errors"].systems] == ["b.txt", "a.txt"]
    with pytest.raises(CupelError, match="none of other translations"):
        scores.metrics["errors"].statistics(Batch(["x"], [["x"]]))
