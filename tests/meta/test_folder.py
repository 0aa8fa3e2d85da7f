"""What of a campaign folder is judged: systems, references, gold, levels, stored metrics, files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_campaign import SYSTEMS, build

from cupel.batch import Batch
from cupel.cli import main
from cupel.errors import CupelError
from cupel.meta.campaign import evaluate
from cupel.meta.result import Evaluation
from cupel.meta.scorer import Scorer
from cupel.metrics.chrf import Chrf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build(tmp_path / "campaign")


def judged(folder: Path, **options: object) -> Evaluation:
    return evaluate(str(folder), resamples=0, **options)  # type: ignore[arg-type]


def test_stored_metrics_by_name(folder: Path) -> None:
    evaluation = judged(folder, stored=["COMET", "QE"])
    assert evaluation.metrics == ("COMET", "QE[noref]")
    (graded,) = evaluation.graded
    assert sorted(graded.systems) == sorted(SYSTEMS)  # refB is a human translation
    assert graded.human.shape == (4, 12)
    assert int(np.isnan(graded.human).sum()) == 3
    assert evaluation.agreements[0].n == 45
    assert judged(folder, stored="all").metrics == ("COMET", "QE[noref]")


def test_the_reference_decides_which_scores_are_used(folder: Path) -> None:
    with_b = judged(folder, stored="all", reference="refB")
    assert with_b.metrics == ("COMET", "QE[noref]", "only")
    assert with_b.value("COMET") != judged(folder, stored="COMET").value("COMET")
    both = judged(folder, stored="all", reference=["refA", "refB"])
    assert both.metrics == ("COMET-refA", "COMET-refB", "QE[noref]", "only")
    assert both.graded[0].corpus is not None
    assert both.graded[0].corpus.number_of_references == 2


def test_which_systems_are_used(folder: Path) -> None:
    def systems(**options: object) -> list[str]:
        return sorted(judged(folder, stored=["COMET"], **options).graded[0].systems)

    assert systems(include_human=True) == sorted([*SYSTEMS, "refB"])
    assert systems(include_human=True, close_references=["refB"]) == sorted(SYSTEMS)
    assert systems(human="esa") == ["best", "fair", "good"]  # nobody judged the others
    assert systems(systems=["good", "poor"]) == ["good", "poor"]


def test_levels_and_domains(folder: Path) -> None:
    document = judged(folder, metrics="chrf", level="document").graded[0]
    assert document.items == ("d0", "d1", "d2", "d3")
    domain = judged(folder, metrics="chrf", level="domain").graded[0]
    assert domain.items == ("chat", "news")
    news = judged(folder, metrics="chrf", domain="news").graded[0]
    assert news.items == ("1", "2", "3", "4", "5", "6")
    system = judged(folder, metrics="chrf", level="system", domain="news").graded[0]
    assert np.array_equal(system.human[:, 0], np.nanmean(news.human, axis=1))
    # The score of a document is that of its segments together, no mean of theirs.
    from cupel import score

    assert document.corpus is not None
    texts = document.corpus
    alone = score(list(texts.systems["poor"])[3:6], list(texts.references)[3:6], "chrf")["chrf"]
    assert document.scores["chrf"][document.systems.index("poor"), 1] == pytest.approx(alone)


def test_scores_of_files_in_the_layout_of_the_folder(folder: Path) -> None:
    path = folder / "metric-scores/aa-bb/COMET-refA.seg.score"
    from_file = judged(folder, score_files=[path])
    assert from_file.value("COMET-refA") == judged(folder, stored="COMET").value("COMET")


def test_what_is_written_is_read_again(folder: Path, tmp_path: Path) -> None:
    written = tmp_path / "written"
    levels = ("segment", "document", "domain", "system")
    computed = {
        level: judged(
            folder, metrics=["chrf", "ter"], level=level, statistic="tau-b", write_scores=written
        )
        for level in levels
    }
    for path in (written / "metric-scores/aa-bb").iterdir():
        path.rename(folder / "metric-scores/aa-bb" / path.name)
    for level, evaluation in computed.items():
        stored = judged(folder, stored=["chrf", "ter"], level=level, statistic="tau-b")
        assert [a.value for a in stored.agreements] == [a.value for a in evaluation.agreements]
    files = sorted((written / "metrics-task").iterdir())
    assert [path.name for path in files] == [
        "chrf.seg.score", "chrf.sys.score", "ter.seg.score", "ter.sys.score"
    ]  # fmt: skip
    assert files[0].read_text().startswith("chrf\taa-bb\tcampaign\tbest\t1\t")
    again = judged(folder, score_files=files, statistic="tau-b")
    assert again.value("ter") == computed["segment"].value("ter")
    assert (folder / "metric-scores/aa-bb/ter-refA.sys.score").read_text().count("\t-") == 5


CHEAP = (
    "badger bleu cder chrf chrf++ cider meteor ncd nist per rouge-l sentbleu ter terp w2v-avg wer"
).split()


def test_all_metrics_that_cost_little(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = list(Scorer(["wer", "all", "bleu:lowercase=yes"]).labels)
    notes = capsys.readouterr().err
    left_out = [name for name in CHEAP if f"{name} is left out" in notes]
    assert metrics[0] == "wer"
    assert metrics[-1] == "bleu:lowercase=yes"
    assert {*metrics[:-1], *left_out} == set(CHEAP)


def test_missing_scores_of_a_system(folder: Path) -> None:
    path = folder / "metric-scores/aa-bb/QE-src.seg.score"
    kept = [line for line in path.read_text().splitlines() if not line.startswith("poor")]
    path.write_text("".join(line + "\n" for line in kept))
    with pytest.raises(CupelError, match=r"QE-src.seg.score has no scores of system 'poor'; with"):
        judged(folder, stored="QE")
    graded = judged(folder, stored="QE", like_mtme=True).graded[0]
    assert not graded.scores["QE[noref]"][graded.systems.index("poor")].any()


def test_stored_metrics_without_a_level_have_the_means_of_their_segments(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = folder / "metric-scores/aa-bb"
    (home / "COMET-refA.sys.score").unlink()
    evaluation = judged(folder, stored="all", level="system")
    assert evaluation.metrics == ("COMET", "QE[noref]")
    (graded,) = evaluation.graded
    means = graded.scores["COMET"][:, 0]
    segments = judged(folder, stored="COMET").graded[0].scores["COMET"]
    assert means == pytest.approx(segments.mean(axis=1))
    documents = judged(folder, stored="COMET", level="document").graded[0].scores["COMET"]
    assert documents[:, 1] == pytest.approx(segments[:, 3:6].mean(axis=1))
    from_files = judged(folder, score_files=[home / "COMET-refA.seg.score"], level="document")
    assert np.array_equal(from_files.graded[0].scores["COMET-refA"], documents)
    (home / "QE-src.seg.score").unlink()
    assert judged(folder, stored="all").metrics == ("COMET",)
    note = "QE[noref] is left out on aa-bb: it has no scores of segments."
    assert capsys.readouterr().err == f"cupel: {note}\n"
    with pytest.raises(CupelError, match="has no scores of QE for aa-bb at segment level"):
        judged(folder, stored="QE")


def test_only_what_is_judged_and_asked_for_is_scored(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "human-scores/aa-bb.mqm.seg.score"
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    kept = [f"{name}\t{'None' if at % 12 > 6 else cell}\n" for at, (name, cell) in enumerate(rows)]
    path.write_text("".join(kept))
    whole = judged(folder, metrics="chrf", like_mtme=True)
    asked: list[int] = []
    monkeypatch.setattr(Chrf, "statistics", counting(asked, Chrf.statistics))
    few = judged(folder, metrics=["chrf"], use_cache=False)
    assert sum(asked) < 4 * 7 + 1  # of four systems, the segments that somebody judged
    assert few.value("chrf") == whole.value("chrf")
    asked.clear()
    judged(folder, metrics=["chrf"], systems=["good", "poor"], use_cache=False)
    assert sum(asked) < 2 * 7 + 1
    # What a metric learns from all references, it learns from those of other segments, too.
    assert judged(folder, metrics="nist").value("nist") == pytest.approx(
        judged(folder, metrics="nist", like_mtme=True).value("nist")
    )


def counting(asked: list[int], compute: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def counted(metric: object, batch: Batch) -> np.ndarray:
        asked.append(len(batch.hypotheses))
        return compute(metric, batch)

    return counted


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"stored": "COMT"}, "FOLDER has no stored scores of 'COMT' for aa-bb; did you mean 'COMET'?"),
        ({"stored": "only"},
         "FOLDER has no scores of only against refA for aa-bb; it has only-refB."),
        ({"stored": "COMET", "human": "da"},
         "FOLDER has no human scores 'da' for aa-bb; it has esa, mqm."),
        ({"stored": "COMET", "domain": "sport"},
         "No segment of aa-bb is of the domain 'sport'; the domains are chat, news."),
        ({"stored": "COMET", "systems": ["bets"]},
         "aa-bb has no system 'bets'; did you mean 'best'?"),
        ({"stored": "COMET", "human": "esa", "systems": ["best", "poor"]},
         "Nobody judged system 'poor' of aa-bb (esa, segment level)."),
        ({"stored": "COMET", "reference": "refC"},
         "FOLDER has no reference 'refC' for aa-bb; it has refA, refB."),
        ({"stored": "COMET", "compare": "williams", "statistic": "acc-eq"},
         "williams tests correlations, not acc-eq: use perm-both."),
        ({"stored": "COMET", "compare": "perm-pair-diff"},
         "perm-pair-diff exchanges verdicts on pairs of translations: it can test tau-23, acc-23, "
         "tau-eq, acc-eq, tau-b, not pearson; use perm-both."),
        ({"stored": "COMET", "undefined": "guess"},
         "The option --undefined cannot be 'guess' (see `cupel meta --help`): it should be one of "
         "'skip', 'zero'."),
    ],
)  # fmt: skip
def test_bad_requests(folder: Path, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        judged(folder, **options)
    assert str(error.value).replace(str(folder), "FOLDER") == sentence


def test_the_command(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["cupel", "meta", str(folder), "--pair", "aa-bb", "--reference", "refB"]
    command += ["--stored", "COMET", "only", "-m", "chrf", "--statistic", "acc-eq"]
    command += ["--average", "item", "--human", "mqm", "--compare", "perm-pair-diff"]
    command += ["--permutations", "50", "--resamples", "20", "-f", "json"]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["metric"] for row in document["rows"]} == {"chrf", "COMET", "only"}
    assert len(document["comparisons"]) == 12
    assert {row["rank"] for row in document["ranks"]} <= {1, 2, 3}
