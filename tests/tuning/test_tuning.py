"""The whole of tuning on a campaign whose best parameters are known; and on real rankings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from grams import Grams, campaign

from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.human import rankings as rankings_module
from cupel.human.rankings import Rankings
from cupel.meta.evaluation import evaluated
from cupel.meta.ranked import Ranked
from cupel.meta.scorecache import metric_scores
from cupel.questions.judge import Judge
from cupel.registry import get_metric
from cupel.tuning import features as features_module
from cupel.tuning import run as tuning
from cupel.tuning import tune
from cupel.tuning.features import corpus_features
from cupel.tuning.goals import goal_named
from cupel.tuning.material import Agreement, material

BEST = {"w_1": 0.1, "w_2": 0.9, "w_3": 0.3}
Campaign = tuple[Corpus, Rankings]
PAIRS = ("aa-en", "bb-en", "cc-en")


@pytest.fixture(scope="module")
def campaigns() -> dict[str, Campaign]:
    return {pair: campaign(pair, BEST, seed) for seed, pair in enumerate(PAIRS)}


@pytest.fixture
def wmt13(campaigns: dict[str, Campaign], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    rankings = {pair: rankings for pair, (_, rankings) in campaigns.items()}
    monkeypatch.setattr(tuning, "wmt_rankings", lambda dataset: rankings)
    monkeypatch.setattr(rankings_module, "wmt_corpus", lambda dataset, pair: campaigns[pair][0])


@pytest.mark.parametrize("goal", ["sys+seg", "seg", "G.sent.2"])
@pytest.mark.parametrize("search", ["grid", "genetic"])
def test_the_right_parameters_are_found(wmt13: None, goal: str, search: str) -> None:
    """People rank as the metric does with BEST, so tau can reach 1; scale does not matter."""
    tuned = tune(Grams(0.9, 0.1, 0.5), ["wmt13"], goal=goal, search=search)
    for one in tuned.compared:
        assert one.after.segments > 0.98 > one.before.segments
    ratio = tuned.parameters["w_1"] / tuned.parameters["w_2"]
    assert ratio == pytest.approx(1 / 9, abs=0.15)


def test_the_steps_never_go_down_and_the_value_is_that_of_the_parameters(wmt13: None) -> None:
    tuned = tune(Grams(), ["wmt13"])
    values = [value for _, value in tuned.result.steps]
    assert values == sorted(values)
    again = tune(Grams(**tuned.parameters), ["wmt13"], iterations=1)  # type: ignore[arg-type]
    assert again.result.steps[0][1] == tuned.result.value == values[-1]


@pytest.mark.parametrize("search", ["grid", "genetic"])
def test_the_same_seed_gives_the_same_result_with_any_number_of_workers(
    wmt13: None, search: str
) -> None:
    one = tune(Grams(), ["wmt13"], search=search, seed=3, iterations=3)
    two = tune(Grams(), ["wmt13"], search=search, seed=3, iterations=3, workers=2)
    assert one.parameters == two.parameters
    assert one.result.steps == two.result.steps


def test_an_error_metric_is_turned_round(wmt13: None) -> None:
    up, down = Grams(), Grams(lower=True)
    assert tune(up, ["wmt13"]).result.steps == tune(down, ["wmt13"], use_cache=False).result.steps


def test_held_out_pairs_are_reported_and_not_seen(
    wmt13: None, campaigns: dict[str, Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    tuned = tune(Grams(), ["wmt13"], hold_out=["bb-en"])
    assert [(one.pair, one.held_out) for one in tuned.compared] == [
        ("aa-en", False), ("cc-en", False), ("bb-en", True)
    ]  # fmt: skip
    # Whatever people say about the pair, the search finds the same.
    rankings = campaigns["bb-en"][1]
    upside_down = replace(rankings, ranks=6 - rankings.ranks)
    others = {pair: rankings for pair, (_, rankings) in campaigns.items()}
    monkeypatch.setattr(tuning, "wmt_rankings", lambda _: others | {"bb-en": upside_down})
    again = tune(Grams(), ["wmt13"], hold_out=["bb-en"])
    assert again.parameters == tuned.parameters
    assert again.compared[2].after.segments == pytest.approx(-tuned.compared[2].after.segments)
    assert "wmt13 bb-en" not in str(tuned.preset().about["tuned on"])


def test_held_out_lines(wmt13: None) -> None:
    tuned = tune(Grams(1, 0, 0), ["wmt13"], hold_out=["lines"])
    assert [one.held_out for one in tuned.compared] == [False] * 3 + [True] * 3
    assert sum(one.after.segments - one.before.segments for one in tuned.compared[3:]) > 0


def test_pairs_can_be_chosen(wmt13: None) -> None:
    tuned = tune(Grams(), ["wmt13"], pairs=["cc-en"], iterations=1)
    assert [one.pair for one in tuned.compared] == ["cc-en"]


def test_a_grid_says_what_is_tried(wmt13: None) -> None:
    tuned = tune(Grams(), ["wmt13"], grids=["w_1=0.1:0.9:0.4", "w_2=0.7", "w_3=0,0.25"])
    assert tuned.parameters["w_1"] in (0.1, 0.5, 0.9)
    assert tuned.parameters["w_2"] == 0.7
    assert tuned.parameters["w_3"] in (0, 0.25)
    assert tuned.start == {"w_1": 0.5, "w_2": 0.5, "w_3": 0.5}
    assert tuned.result.tried <= 6


def test_agreements_are_those_of_cupel_meta(wmt13: None, campaigns: dict[str, Campaign]) -> None:
    tuned = tune(Grams(), ["wmt13"], iterations=1)
    judged = []
    for pair, (corpus, rankings) in campaigns.items():
        scores = metric_scores(corpus, {"grams": Grams()}, use_cache=False)
        judged.append(Ranked(pair, rankings, scores))
    segment = evaluated(judged, Judge(dataset="", statistic="tau-wmt13", resamples=2))
    system = evaluated(
        judged,
        Judge(
            dataset="",
            level="system",
            statistic="spearman-no-ties",
            human="expected-wins",
            resamples=2,
        ),
    )
    for one in tuned.compared:
        assert one.before.segments == pytest.approx(segment.value("grams", one.pair), abs=1e-12)
        assert one.before.systems == pytest.approx(system.value("grams", one.pair), abs=1e-12)


def test_features_are_computed_once(
    wmt13: None, campaigns: dict[str, Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, _ = campaigns["aa-en"]
    first = corpus_features(corpus, Grams())
    assert first.shape == (6, 60, 3, 2)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(features_module, "score_corpus", never)
    # Features do not depend on the parameters.
    assert np.array_equal(corpus_features(corpus, Grams(w_1=0.2)), first)


def test_material_of_segments_only_has_the_same_tau(campaigns: dict[str, Campaign]) -> None:
    corpus, rankings = campaigns["aa-en"]
    features = corpus_features(corpus, Grams(), use_cache=False)
    whole = material("wmt13", rankings, Grams(), features, np.zeros(6))
    parameters = {"w_1": 0.3, "w_2": 0.2, "w_3": 0.9}
    less = whole.segments_only()
    assert less.agreement(parameters).segments == whole.agreement(parameters).segments
    assert len(less.features) <= len(whole.features)
    assert whole.times.sum() == len(rankings.pairs())


def test_goals() -> None:
    agreements = [Agreement(0.9, 0.2), Agreement(0.7, 0.4), Agreement(float("nan"), 0.3)]
    assert goal_named("sys").value(agreements) == pytest.approx(0.8)
    assert goal_named("seg").value(agreements) == pytest.approx(0.3)
    assert goal_named("G.sys.1").value(agreements) == pytest.approx(1.1)
    # A setting that ties everything has no tau, and is never chosen.
    assert goal_named("seg").value([Agreement(1.0, float("nan"))]) == -np.inf


COMPLAINTS = [
    ({"grids": ["w_9=0.1:0.9:0.1"]}, r"grams has no parameter 'w_9' to tune; it has: w_1, w_2, w_3\."),
    ({"subset": ["w_9"]}, "grams has no parameter 'w_9'"),
    ({"grids": ["w_1=0.9:0.1:0.1"]}, r"The grid '0.9:0.1:0.1' of 'w_1' is empty: first <= last"),
    ({"grids": ["w_1=0.1:0.9:0"]}, "is empty"),
    ({"grids": ["w_1="]}, "The grid of 'w_1' is first:last:step, or values"),
    ({"grids": ["w_1=a:b:c"]}, "found 'a:b:c'"),
    ({"grids": ["w_1"]}, "A grid is written parameter=first:last:step"),
    ({"grids": ["w_1=0.1", "w_1=0.2"]}, "There are two grids for 'w_1'"),
    ({"grids": ["w_1=0", "w_2=0", "w_3=0"]}, "All parameters of grams are fixed"),
    ({"grids": ["w_1=0:1:1e-5", "w_2=0:1:1e-3"], "subset": ["w_1", "w_2"]}, "has 100,101,001 settings"),
    ({"on": ["da13"]}, "There are no human rankings in 'da13' to tune on; there are in wmt12, wmt13"),
    ({"on": ["wmt99"]}, "There are no human rankings in 'wmt99'"),
    ({"pairs": ["xx-en"]}, "wmt13 has no rankings of 'xx-en'; it has aa-en, bb-en, cc-en"),
    ({"hold_out": ["xx-en"]}, "nothing to hold out called 'xx-en'; there are: aa-en, bb-en, cc-en, lines"),
    ({"hold_out": list(PAIRS)}, "Every language pair is held out"),
    ({"goal": "best"}, "There is no goal 'best' to tune for; there are: sys\\+seg, sys, seg"),
    ({"search": "random"}, "There is no search 'random'; there are: grid, genetic"),
    ({"grids": ["w_1=nan"]}, "The grid of 'w_1' is first:last:step, or values"),
    ({"grids": ["w_1=0.5,inf"]}, "found '0.5,inf'"),
    ({"grids": ["w_1=0:1:1e-12"]}, "has more than 1,000,000 values: choose a wider step"),
    ({"on": ["wmt13", "wmt13"]}, "The dataset 'wmt13' is named twice"),
    ({"seed": -1}, "The seed must be 0 or more, not -1"),
    ({"iterations": 0}, "The number of iterations must be 1 or more, not 0"),
    ({"workers": 0}, "The number of workers must be 1 or more, not 0"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), COMPLAINTS)
def test_bad_requests(wmt13: None, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(CupelError, match=sentence):
        tune(Grams(), **({"on": ["wmt13"]} | options))  # type: ignore[arg-type]


def test_two_systems_have_no_correlation(
    wmt13: None, campaigns: dict[str, Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    rankings = campaigns["aa-en"][1]
    two = replace(
        rankings,
        ranked=np.tile([[0, 1]], (len(rankings), 1)),
        ranks=rankings.ranks[:, :2],
        items=None,  # type: ignore[arg-type]
    )
    monkeypatch.setattr(tuning, "wmt_rankings", lambda _: {"aa-en": two})
    with pytest.raises(CupelError, match="No language pair to tune on has 3 judged systems"):
        tune(Grams(), ["wmt13"])
    assert tune(Grams(), ["wmt13"], goal="seg").result.value > 0


def test_a_parameter_beyond_its_range_needs_a_grid(wmt13: None) -> None:
    with pytest.raises(CupelError, match=r"'w_1' is 3, not between 0 and 1: say what to try with"):
        tune(Grams(w_1=3), ["wmt13"])


def test_a_grid_keeps_to_what_the_metric_takes() -> None:
    """Else the search could end with a preset that the metric refuses."""
    pytest.importorskip("spacy")
    with pytest.raises(CupelError, match="The parameter alpha must lie between 0 and 1, not 2"):
        tune("redp:modules=exact", ["wmt13"], grids=["alpha=0.5,2"])


def test_a_metric_without_parameters_is_told_which_have_some() -> None:
    with pytest.raises(CupelError, match="'bleu' has no parameters to tune; those that have: "):
        tune("bleu", ["wmt13"])


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cupel", "tune", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_complains_in_one_sentence() -> None:
    done = run("bleu", "--on", "wmt13")
    assert done.returncode == 2
    assert done.stderr.startswith("cupel: The metric 'bleu' has no parameters to tune")
    assert len(done.stderr.splitlines()) == 1


def test_a_preset_is_not_overwritten(tmp_path: Path) -> None:
    preset = tmp_path / "mine.json"
    preset.write_text("{}")
    done = run("redp", "--on", "wmt13", "--save", str(preset))
    assert done.returncode == 2
    assert "already" in done.stderr
    assert "--force" in done.stderr
    assert preset.read_text() == "{}"


def test_real_rankings(pack: Callable[[str], Path]) -> None:
    """n-gram weights on wmt13: single words are not the best there is."""
    pack("wmt13")
    tuned = tune(Grams(1, 0, 0), ["wmt13"], pairs=["cs-en"], goal="seg", iterations=3)
    (one,) = tuned.compared
    assert one.after.segments > one.before.segments + 0.01
    assert tuned.parameters["w_2"] + tuned.parameters["w_3"] > 0
    assert json.loads(json.dumps(tuned.rows()))[1]["statistic"] == "tau-wmt13"


def test_redp_is_tuned_saved_and_used_again(pack: Callable[[str], Path], tmp_path: Path) -> None:
    pytest.importorskip("pycocoevalcap", reason="REDp's paraphrases come with pycocoevalcap")
    pytest.importorskip("spacy")
    pack("wmt13")
    preset = str(tmp_path / "mine.json")
    few = ["alpha=0.5,0.9", "w_fun=0.2,0.5", "w_2gram=0.5", "w_3gram=0.1", "w_1gram=0.6"]
    fixed = ["w_exact=0.9", "w_stem=0.6", "w_syn=0.6", "w_par=0.6"]
    done = run("redp:alpha=0.5,w_fun=0.5", "--on", "wmt13", "--pair", "cs-en", "--goal", "seg",
               "--grid", *few, *fixed, "--save", preset, "-f", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"redp:preset={preset}" in done.stderr
    document = json.loads(done.stdout)
    by_level = {row["level"]: row for row in document["rows"]}
    assert by_level["segment"]["after"] > by_level["segment"]["before"]
    assert document["parameters"]["alpha"] == 0.9
    metric = get_metric(f"redp:preset={preset}")
    assert dict(metric.parameters) == document["parameters"]  # type: ignore[attr-defined]
    again = json.loads(Path(preset).read_text())
    assert again["tuned on"] == ["wmt13 cs-en"]
