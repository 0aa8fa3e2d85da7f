"""Graded campaigns built from the real files of public repositories."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

import list_dataset_files
import snapshots
from cupel.data import DATASETS
from cupel.data.verify import problems
from cupel.human.evalset import read_evalset
from cupel.reading import read_lines

PACKS = ("wmt15-rankings", "da15", "da17", "mqm21", "ted21", "bio21", "esa24", "mlqe")
NEW = ("mqm20", "mqm22", "qe23", "qe24", "flores21")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a dataset, built once."""

    @cache
    def build(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        sources = snapshots.stage(name, folder / "sources")
        (folder / "built").mkdir()
        DATASETS[name].convert(sources, folder / "built")
        return folder / "built"

    return build


@pytest.mark.parametrize("name", PACKS)
def test_the_dataset_is_the_pack(
    name: str, built: Callable[[str], Path], pack: Callable[[str], Path]
) -> None:
    # The pack of bio21 does not have the documents, which the public files name.
    named = [p.relative_to(pack(name)).as_posix() for p in pack(name).glob("documents/*")]
    better = named if name == "bio21" else []
    assert snapshots.differences(built(name), pack(name), ("README.md", *better)) == []


@pytest.mark.parametrize("name", NEW)
def test_a_dataset_without_a_pack_is_as_the_catalog_says(
    name: str, built: Callable[[str], Path]
) -> None:
    folder = built(name)
    assert problems(DATASETS[name], folder) == []
    assert DATASETS[name].size == sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    scores = [line for p in folder.glob("human-scores/*") for line in read_lines(p)]
    judged = sum(not line.endswith("\tNone") for line in scores)
    assert DATASETS[name].judgments.startswith(f"{judged:,} grades (")
    assert DATASETS[name].systems == str(len(list(folder.glob("system-outputs/*/*"))))


@pytest.mark.parametrize("name", [*PACKS, *NEW])
def test_the_list_is_made_by_the_tool(name: str) -> None:
    rows = list_dataset_files.listed(name, snapshots.folders())
    assert list(rows) == snapshots.listed(name)


PUBLISHED = {
    "en-de": {
        "Tohoku-AIP-NTT.890": 2.02,
        "OPPO.1535": 2.25,
        "eTranslation.737": 2.33,
        "Tencent_Translation.1520": 2.35,
        "Huoshan_Translate.832": 2.45,
        "Online-B.1590": 2.48,
        "Online-A.1574": 2.99,
    },
    "zh-en": {
        "Huoshan_Translate.919": 5.03,
        "WeChat_AI.1525": 5.13,
        "Tencent_Translation.1249": 5.19,
        "OPPO.1422": 5.20,
        "THUNLP.1498": 5.34,
        "DeepMind.381": 5.41,
        "DiDi_NLP.401": 5.48,
        "Online-B.1605": 5.85,
    },
}
"""Means of MQM in the README of google/wmt-mqm-human-evaluation; lower is better there."""


def test_mqm20_has_the_published_means(built: Callable[[str], Path]) -> None:
    folder = built("mqm20")
    for pair, means in PUBLISHED.items():
        scores = read_evalset(folder, pair).human["mqm"]
        assert set(scores.segment_scores) == set(means)
        matrix = -scores.matrix(list(means))
        assert matrix.mean(axis=1) == pytest.approx(list(means.values()), abs=0.006)


def test_mqm22_joins_texts_scores_and_documents(built: Callable[[str], Path]) -> None:
    """They come from several repositories; what people judged is the beginning of each document."""
    folder = built("mqm22")
    for pair, documents in (("zh-en", 256), ("en-de", 181), ("en-ru", 181)):
        lines = read_lines(folder / f"documents/{pair}.docs")
        scores = read_lines(folder / f"human-scores/{pair}.mqm.seg.score")[: len(lines)]
        rows = list(zip(lines, (not one.endswith("None") for one in scores), strict=True))
        beginnings = [[given for _, given in of] for _, of in groupby(rows, key=lambda row: row[0])]
        assert len(beginnings) == len(set(lines)) == documents
        assert all(given == sorted(given, reverse=True) for given in beginnings)
        assert {line.split("\t")[0] for line in lines} == {
            "conversation", "ecommerce", "news", "social"
        }  # fmt: skip
