"""`cupel meta` on real judgments, and its sentences about bad requests."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

from counting import calls
from cupel.errors import CupelError
from cupel.human.rankings import Rankings
from cupel.meta.campaign import evaluate
from cupel.meta.comparison import williams_p_values
from cupel.meta.evaluation import evaluated
from cupel.meta.graded import Graded
from cupel.meta.ranked import Ranked, drawn_pairs
from cupel.meta.result import Evaluation
from cupel.meta.scorecache import MetricScores, metric_scores
from cupel.questions.field import fields_of, plain_hint
from cupel.questions.judge import Judge
from cupel.registry import named_metrics


def rankings(pair: str, systems: int, rows: int, seed: int = 0) -> Rankings:
    """Five-way rankings (or of all systems, if fewer) in which system 0 is best on average."""
    generator = np.random.default_rng(seed)
    width = min(5, systems)
    ranked = np.stack([generator.permutation(systems)[:width] for _ in range(rows)])
    quality = -ranked + generator.normal(0, 2.0, ranked.shape)
    ranks = np.argsort(np.argsort(-quality, axis=1), axis=1) + 1
    return Rankings(
        pair,
        tuple(f"s{i}" for i in range(systems)),
        generator.integers(0, 50, rows),
        np.full(rows, -1),
        (),
        ranked,
        ranks,
    )


def judged(pair: str, systems: int, rows: int = 300) -> Ranked:
    generator = np.random.default_rng(1)
    quality = -np.arange(systems)[:, None] + np.zeros((systems, 50))
    scores = {
        name: MetricScores(s := quality + generator.normal(0, noise, quality.shape), s.mean(1))
        for name, noise in (("good", 0.5), ("poor", 8.0))
    }
    return Ranked(pair, rankings(pair, systems, rows), scores)


def segment_level(campaign: Sequence[Ranked], **options: Any) -> Evaluation:
    return evaluated(campaign, Judge(dataset="", statistic="tau-wmt14", **options))


def system_level(campaign: Sequence[Ranked], **options: Any) -> Evaluation:
    options = {"statistic": "pearson", "human": "expected-wins"} | options
    return evaluated(campaign, Judge(dataset="", level="system", **options))


def graded_evaluation(campaign: Sequence[Graded], statistic: str, **options: Any) -> Evaluation:
    return evaluated(campaign, Judge(dataset="", statistic=statistic, **options))


def test_evaluate_takes_what_the_question_has() -> None:
    asked = inspect.signature(evaluate).parameters
    printed = {"format", "width", "file", "report", "force", "advice", "task", "judges"}
    fields = {field.name: field for field in fields_of(Judge) if field.name not in printed}
    assert set(asked) - {"progress"} == set(fields)
    hints = get_type_hints(evaluate)
    for name, field in fields.items():
        if not field.required:
            assert asked[name].default == field.default, name
        if not field.many:
            hint = str if field.choices else plain_hint(field.hint)
            assert hints[name] in (hint, hint | None, str | Path | None), name


def test_segment_level_has_values_intervals_and_groups() -> None:
    evaluation = segment_level([judged("aa-en", 6), judged("bb-en", 6)], resamples=200)
    for agreement in evaluation.agreements:
        assert agreement.low < agreement.value < agreement.high
    good, poor = evaluation.value("good"), evaluation.value("poor")
    assert good > poor
    assert good == pytest.approx(
        np.mean([evaluation.value("good", pair) for pair in ("aa-en", "bb-en")])
    )
    assert evaluation.clusters() == {"good": 1, "poor": 2}
    assert evaluation.p_values()[0, 1] < 0.01


def test_a_pair_with_too_few_systems_is_left_out_visibly() -> None:
    evaluation = system_level([judged("aa-en", 5), judged("bb-en", 2)], resamples=50)
    assert evaluation.left_out == {"bb-en": "bb-en has 2 judged systems: a correlation needs 3."}
    assert {a.pair for a in evaluation.agreements} == {"aa-en", "avg"}
    assert evaluation.value("good") == evaluation.value("good", "aa-en")


@pytest.mark.parametrize("over", ["judgments", "segments", "systems", "both"])
def test_intervals_over_judgments_segments_and_systems(over: str) -> None:
    campaign = [judged("aa-en", 6)]
    segment = segment_level(campaign, over=over, resamples=300).agreements[0]
    assert segment.low < segment.value < segment.high
    system = system_level(campaign, over=over, resamples=300).agreements[0]
    assert system.low <= system.value <= system.high
    # Drawing systems as well can only add to the uncertainty.
    if over == "both":
        alone = segment_level(campaign, over="segments", resamples=300).agreements[0]
        assert segment.high - segment.low > alone.high - alone.low


def test_pairs_drawn_by_segment_and_system_equal_a_loop() -> None:
    pairs = judged("aa-en", 5, 40).rankings.pairs()
    counts = np.random.default_rng(0).normal(size=(len(pairs), 2))
    sums = drawn_pairs(pairs, counts, (5, 50), Judge(dataset="", over="both", resamples=7, seed=3))
    segments, systems = (np.random.default_rng(seed) for seed in (3, 4))
    drawn = segments.integers(0, 50, (7, 50)), systems.integers(0, 5, (7, 5))
    for trial in range(7):
        often = [np.bincount(d[trial], minlength=n) for d, n in zip(drawn, (50, 5), strict=True)]
        expected = sum(
            counts[k] * often[0][pairs.segment[k]] * often[1][pairs.better[k]]
            * often[1][pairs.worse[k]]
            for k in range(len(pairs))
        )  # fmt: skip
        assert sums[trial] == pytest.approx(expected)


def test_williams_between_metrics() -> None:
    question = Judge(dataset="", level="system", human="expected-wins")
    p = williams_p_values(*judged("aa-en", 8).correlations(question))
    assert np.diag(p) == pytest.approx([0.5, 0.5])
    assert p[0, 1] == pytest.approx(1 - p[1, 0])


def test_graded_judgments() -> None:
    generator = np.random.default_rng(4)
    human = generator.normal(size=(4, 60)) - np.arange(4)[:, None]
    human[1, :10] = np.nan
    noisy = np.nan_to_num(human) + generator.normal(0, 0.5, human.shape)
    graded = [Graded("aa-en", human, {"m": noisy})]
    for statistic in ("pearson", "spearman", "tau-b", "tau-c", "acc-eq"):
        for average in (None, "item"):
            evaluation = graded_evaluation(graded, statistic, average=average, resamples=100)
            agreement = evaluation.agreements[0]
            assert 0.5 < agreement.low < agreement.value < agreement.high <= 1
            assert agreement.n == 230
    people, machine = np.nanmean(human, axis=1)[:, None], noisy.mean(axis=1)[:, None]
    systems = [Graded("aa-en", people, {"m": machine}, "system", judgments=human)]
    for statistic in ("pearson", "kendall", "accuracy", "tau-b"):
        evaluation = graded_evaluation(systems, statistic, level="system", resamples=50)
        agreement = evaluation.agreements[0]
        assert agreement.low <= agreement.value <= agreement.high
        assert agreement.value > 0.9
        assert agreement.n == 4
    soft = graded_evaluation(graded, "spa", level="system", resamples=50).agreements[0]
    assert soft.value > 0.9
    assert np.isnan(soft.low)


def test_a_metric_without_a_value_is_never_ranked() -> None:
    human = np.random.default_rng(0).normal(size=(4, 30))
    scores = {"constant": np.ones((4, 30)), "good": human + 0.1, "poor": -human}
    evaluation = graded_evaluation(
        [Graded("aa-en", human, scores)], "pearson", compare="perm-both", resamples=20
    )
    assert evaluation.order() == ["good", "poor"]
    assert evaluation.clusters() == {"good": 1, "poor": 2}
    assert evaluation.no_values == ["constant has no value on aa-en: constant scores."]
    header, rows = evaluation.table()
    assert header[-1] == "#"
    assert rows[-1] == ["constant", "no value", "no value", "-"]
    row = next(row for row in evaluation.rows() if row["metric"] == "constant")
    assert (row["value"], row["low"]) == (None, None)
    assert "NaN" not in evaluation.to_json()
    assert evaluation.rankings["aa-en"].undefined == ("constant",)


def test_scores_are_kept_by_signature_and_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cupel.corpus import Corpus

    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    corpus = Corpus({"a": ["x y", "z"], "b": ["x", "z z"]}, [["x y"], ["z"]])
    metrics = named_metrics(["bleu", "ter"])
    first = metric_scores(corpus, metrics)
    assert first["ter"].systems[0] == 0  # errors are turned round: higher is better
    assert first["ter"].systems[1] < 0
    assert len(list((tmp_path / "scores").glob("*.arrays"))) == 2
    called: list[int] = []
    again = metric_scores(corpus, metrics, progress=lambda done, total: called.append(done))
    assert not called
    assert all(np.array_equal(first[m].segments, again[m].segments) for m in metrics)
    metric_scores(corpus, named_metrics(["bleu:lowercase=yes"]))
    other = Corpus({"a": ["x y", "z"], "b": ["x", "z!"]}, [["x y"], ["z"]])
    metric_scores(other, metrics)
    entries = list((tmp_path / "scores").glob("*.arrays"))
    assert len(entries) == 5
    entries[0].write_bytes(b"damaged")
    assert all(
        np.array_equal(metric_scores(corpus, metrics)[m].systems, first[m].systems) for m in metrics
    )


def test_the_command_on_wmt14(pack: Callable[[str], Path]) -> None:
    pack("wmt14")
    command = [sys.executable, "-m", "cupel", "meta", "wmt14", "-m", "chrf", "ter"]
    options = ["--pair", "cs-en", "hi-en", "-f", "json", "--resamples", "50"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert set(document) == {"version", "question", "signatures", "points", "rows", "contest"}
    assert list(document["rows"][0]) == [
        "dataset", "pair", "level", "statistic", "metric", "value", "low", "high", "n"
    ]  # fmt: skip
    cells = {(row["pair"], row["metric"]): row for row in document["rows"]}
    assert len(cells) == 6
    assert cells["cs-en", "chrf"]["n"] > 5000
    assert cells["cs-en", "chrf"]["statistic"] == "tau-wmt14"
    assert cells["avg", "chrf"]["value"] > cells["avg", "ter"]["value"]


def test_score_files_instead_of_metrics(pack: Callable[[str], Path], tmp_path: Path) -> None:
    pack("wmt14")
    from cupel.data import wmt_corpus
    from cupel.human.score_files import write_seg_scores
    from cupel.human.scores import ScoreSet

    corpus = wmt_corpus("wmt14", "cs-en")
    scores = metric_scores(corpus, named_metrics(["wer"]), use_cache=False)["wer"]
    segments = dict(zip(corpus.systems, -scores.segments, strict=True))
    path = tmp_path / "wer.seg.score"
    write_seg_scores(path, [ScoreSet("WER", "cs-en", segments, testset="newstest2014")])
    from_file = evaluate(
        "wmt14", [], pairs=["cs-en"], score_files=[path], lower=["WER"], resamples=2
    )
    computed = evaluate("wmt14", ["wer"], pairs=["cs-en"], resamples=2)
    assert from_file.value("WER") == pytest.approx(computed.value("wer"), abs=1e-12)


def test_a_score_file_without_a_judged_system(pack: Callable[[str], Path], tmp_path: Path) -> None:
    pack("wmt14")
    path = tmp_path / "short.sys.score"
    path.write_text("M\tcs-en\tnewstest2014\tonlineA.0\t0.5\n")
    with pytest.raises(CupelError) as error:
        evaluate("wmt14", [], pairs=["cs-en"], level="system", score_files=[path], resamples=2)
    assert str(error.value) == (
        f"{path} has no scores of system 'newstest2014.cu-moses.3383.cs-en' by M for cs-en."
    )


def test_a_folder_of_mt_metrics_eval(tmp_path: Path) -> None:
    texts = {
        "sources/aa-en.txt": ["u", "v", "w", "x"],
        "references/aa-en.refA.txt": ["a b c", "d e f", "g h i", "j k"],
        "system-outputs/aa-en/good.txt": ["a b c", "d e f", "g h x", "j k"],
        "system-outputs/aa-en/fair.txt": ["a b x", "d e y", "g h i", "j z"],
        "system-outputs/aa-en/poor.txt": ["x", "y", "z h", "q"],
        "human-scores/aa-en.mqm.seg.score": [
            f"{system}\t{score}"
            for system, scores in (("good", "0 0 -1 0"), ("fair", "-1 -2 0 None"), ("poor", "-9 -8 -7 -9"))
            for score in scores.split()
        ],
        "human-scores/aa-en.mqm.sys.score": ["good\t-0.25", "fair\t-1", "poor\t-8.25"],
    }  # fmt: skip
    for name, lines in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines))
    segment = evaluate(str(tmp_path), ["chrf", "wer"], resamples=50)
    assert segment.agreements[0].n == 11
    assert segment.value("chrf") > 0.8
    assert segment.value("wer") > 0.8
    ties = evaluate(str(tmp_path), ["chrf"], statistic="acc-eq", resamples=20)
    assert ties.value("chrf") >= 0.8
    system = evaluate(str(tmp_path), ["chrf"], level="system", statistic="kendall", resamples=20)
    assert system.value("chrf") == 1.0


@pytest.mark.parametrize(
    ("compare", "level"),
    [("bootstrap", "segment"), ("perm-both", "segment"), ("williams", "system"),
     ("bootstrap", "system")],
)  # fmt: skip
def test_is_one_metric_better(pack: Callable[[str], Path], compare: str, level: str) -> None:
    pack("wmt14")
    evaluation = evaluate(
        "wmt14", ["chrf", "wer"], pairs=["de-en"], level=level, compare=compare, resamples=200
    )
    (p,) = evaluation.comparisons.values()
    assert p[0, 1] < 0.05  # chrF agrees with people better than WER
    assert p[1, 0] > 0.9


def test_da13(pack: Callable[[str], Path]) -> None:
    pack("da13")
    evaluation = evaluate(
        "da13", ["chrf", "ter"], pairs=["es-en", "de-en"], resamples=50, compare="perm-both"
    )
    p = evaluation.comparisons["avg"]
    assert evaluation.value("chrf") > evaluation.value("ter")
    assert p[0, 1] == pytest.approx(0.131)
    assert p[1, 0] > 0.85
    cells = {(a.pair, a.metric): a for a in evaluation.agreements}
    assert cells["es-en", "chrf"].n == 500
    assert 0.3 < cells["es-en", "chrf"].value < 0.7
    assert cells["es-en", "ter"].value > 0.2  # turned round: agreement, not error


def test_resamples_of_twenty_metrics_take_no_loop(pack: Callable[[str], Path]) -> None:
    pack("wmt14")
    from cupel.human.rankings import wmt_rankings

    generator = np.random.default_rng(0)
    campaign = []
    for pair, ranked in wmt_rankings("wmt14").items():
        shape = (len(ranked.systems), 3003)
        scores = {
            f"m{i}": MetricScores(generator.normal(size=shape), generator.normal(size=shape[0]))
            for i in range(20)
        }
        campaign.append(Ranked(pair, ranked, scores))
    segment_level(campaign, resamples=20)  # imports
    assert calls(lambda: segment_level(campaign, resamples=1000)) < 50_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"dataset": "wmt99"}, "There are no judgments called 'wmt99': name one of wmt12, wmt13, "
         "wmt14, da13, sample, mqm20, mqm21, ted21, bio21, mqm22, esa24, qe23, qe24, flores21, mlqe, or a folder laid out as "
         "mt-metrics-eval's."),
        ({"statistic": "tau-x"}, "There is no statistic 'tau-x' for these judgments at this level; "
         "there are: tau-wmt12, tau-wmt13, tau-wmt14."),
        ({"pairs": ["xx-en"]},
         "wmt14 has no judgments of 'xx-en'; it has cs-en, de-en, fr-en, hi-en, ru-en."),
        ({"compare": "williams"}, "'williams' does not compare metrics on rankings at segment "
         "level: there, perm-both and bootstrap do."),
        ({"compare": "dice"}, "The option --compare cannot be 'dice' (see `cupel meta --help`): it "
         "should be one of 'bootstrap', 'williams', 'perm-both', 'perm-sys', 'perm-input', "
         "'perm-pair-diff'."),
        ({"stored": "all"}, "wmt14 is no campaign folder: `stored` cannot be chosen for it."),
        ({"dataset": "da13", "pairs": ["es-en"], "write_scores": "x"},
         "da13 has no systems, of which score files could be written."),
        ({"level": "domain"}, "Rankings have no domain level: it is segment or system."),
        ({"over": "words"}, "The option --over cannot be 'words' (see `cupel meta --help`): it should "
         "be one of 'judgments', 'segments', 'systems', 'both'."),
        ({"level": "system", "human": "guess"}, "There is no way 'guess' to score systems; there "
         "are: official, wins-with-ties, wins-without-ties, expected-wins, hopkins-may, trueskill."),
    ],
)  # fmt: skip
def test_bad_requests(
    pack: Callable[[str], Path], arguments: dict[str, object], sentence: str
) -> None:
    pack("wmt14")
    wanted: dict[str, object] = {"dataset": "wmt14", "pairs": ["cs-en"]} | arguments
    with pytest.raises(CupelError) as error:
        evaluate(metrics=["wer"], resamples=2, **wanted)  # type: ignore[arg-type]
    assert str(error.value) == sentence
