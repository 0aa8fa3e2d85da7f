"""Scores of raw MQM annotations against those that Google publishes beside them.

The clones of the repositories are looked for in the folder that CUPEL_SNAPSHOTS names, as OWNER+NAME,
OWNER/NAME or NAME, bare or not (below a folder `repo`, too). Partial clones lack the largest files;
what is not there is skipped.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cupel.data import DATASETS, find
from cupel.data.find import locate
from cupel.human.evalset import read_evalset
from cupel.human.raw.importing import import_annotations, read_rated
from cupel.questions.human import ImportHuman, RawAnnotations

REPOSITORY = "google", "wmt-mqm-human-evaluation"
CAMPAIGNS = [
    (campaign, pair)
    for campaign, pairs in {
        "newstest2020": "ende zhen",
        "newstest2021": "ende zhen",
        "ted": "ende zhen",
        "generalMT2022": "ende zhen",
    }.items()
    for pair in pairs.split()
]
TED_SYSTEMS = {
    "ende": "ref.A 0.91 Facebook-AI 1.06 Online-W 1.12 VolcTrans-AT 1.24 metricsystem3 1.44 "
    "VolcTrans-GLAT 1.49 HuaweiTSC 1.50 metricsystem1 1.63 metricsystem2 1.69 metricsystem5 1.72 "
    "UEdin 1.77 metricsystem4 1.78 eTranslation 1.96 Nemo 2.14",
    "zhen": "ref.B 0.42 DIDI-NLP 1.65 metricsystem2 1.76 metricsystem1 1.90 MiSS 1.97 IIE-MT 1.98 "
    "metricsystem4 2.05 metricsystem5 2.15 SMU 2.20 Borderline 2.40 NiuTrans 2.49 Facebook-AI 2.64 "
    "Online-W 2.93 metricsystem3 2.99 ref.A 5.52",
}
"""The table of TED talks in the README of that repository; some numbers are cut off, not rounded."""


def git_folder() -> Path:
    folder = os.environ.get("CUPEL_SNAPSHOTS")
    if not folder:
        pytest.skip("CUPEL_SNAPSHOTS names no folder of clones")
    owner, name = REPOSITORY
    for base in (f"{owner}+{name}", f"{owner}/{name}", name):
        for inside in (".git", "repo/.git", "repo", ""):
            path = Path(folder, base, inside)
            if (path / "objects").is_dir():
                return path
    pytest.skip(f"{folder} has no clone of {owner}/{name}")


def stored(tmp_path: Path, path: str) -> Path:
    git = ["git", f"--git-dir={git_folder()}", "show", f"HEAD:{path}"]
    done = subprocess.run(git, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"this clone does not hold {path}")
    target = tmp_path / Path(path).name
    target.write_bytes(done.stdout)
    return target


def published(path: Path) -> dict[tuple[str, str], float]:
    """(system, segment) -> score; the header is followed by SYSTEM SCORE SEGMENT."""
    rows = [line.split() for line in path.read_text("utf-8").splitlines()[1:]]
    return {(system, segment): float(s) for system, s, segment in rows if s != "None"}


@pytest.mark.parametrize(("campaign", "pair"), CAMPAIGNS)
def test_every_segment_score_is_the_published_one(campaign: str, pair: str, tmp_path: Path) -> None:
    base = f"{campaign}/{pair}/mqm_{campaign}_{pair}"
    expected = published(stored(tmp_path, f"{base}.avg_seg_scores.tsv"))
    [(_, rated)], _ = read_rated(
        RawAnnotations(files=(str(stored(tmp_path, f"{base}.tsv")),), lenient=True)
    )
    mean = rated.combined()
    names = {"ref": "ref-A", "refB": "ref-B"} if campaign == "ted" else {}
    scores = {
        (names.get(system, system), segment): mean[row, column]
        for row, system in enumerate(rated.systems)
        for column, (_, segment) in enumerate(rated.places)
        if np.isfinite(mean[row, column])
    }
    assert scores.keys() == expected.keys()
    # Six decimals are published.
    assert max(abs(scores[key] - expected[key]) for key in expected) < 1e-6


@pytest.mark.parametrize("pair", ["ende", "zhen"])
def test_ted_talks_as_a_folder_have_the_published_system_scores(pair: str, tmp_path: Path) -> None:
    raw = stored(tmp_path, f"ted/{pair}/mqm_ted_{pair}.tsv")
    import_annotations(ImportHuman(files=(str(raw),), folder=tmp_path / "set", lenient=True))
    campaign = read_evalset(tmp_path / "set", f"{pair[:2]}-{pair[2:]}")
    systems = campaign.human["mqm"].system_scores
    table = TED_SYSTEMS[pair].split()
    for system, cell in zip(table[::2], table[1::2], strict=True):
        assert systems[system.replace("ref.", "ref")] == pytest.approx(-float(cell), abs=0.01)


@pytest.mark.parametrize("pair", ["ende", "zhen"])
def test_ted_talks_as_a_folder_have_the_scores_of_the_pack(pair: str, tmp_path: Path) -> None:
    """The pack gives errors of the source no weight, unlike the published scores."""
    if "ted21" not in DATASETS or not locate("ted21"):
        pytest.skip("the dataset ted21 is not here")
    raw = stored(tmp_path, f"ted/{pair}/mqm_ted_{pair}.tsv")
    own = tmp_path / "weights.tsv"
    own.write_text(
        "category\tseverity\tweight\n*\tmajor\t5\n*\tminor\t1\nFluency/Punctuation\tminor\t0.1\n"
        "Source error\tmajor\t0\nSource error\tminor\t0\n"
    )
    name = f"{pair[:2]}-{pair[2:]}"
    import_annotations(
        ImportHuman(files=(str(raw),), folder=tmp_path / "set", lenient=True, scheme=str(own))
    )
    pack, ours = read_evalset(find("ted21"), name), read_evalset(tmp_path / "set", name)
    assert ours.corpus.sources is not None
    assert pack.corpus.sources == [" ".join(text.split()) for text in ours.corpus.sources]
    for system, scores in pack.human["mqm"].segment_scores.items():
        np.testing.assert_array_equal(scores, ours.human["mqm"].segment_scores[system])
