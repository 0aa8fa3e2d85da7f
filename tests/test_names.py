"""Short names of systems: real ones of campaigns, and what must never happen to any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.names import short_names


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (
            ["newstest2014.CMU.3461.de-en", "newstest2014.DCU-ICTCAS-Tsinghua-L.3444.de-en"],
            ["CMU.3461", "DCU-ICTCAS-Tsinghua-L.3444"],
        ),
        (["newstest2012.cs-en.cu-bojar", "newstest2012.cs-en.jhu"], ["cu-bojar", "jhu"]),
        (["out/base.txt", "out/new.txt"], ["base", "new"]),
        (["A.txt", "B.txt"], ["A", "B"]),
        (["only.one.txt"], ["only.one.txt"]),
        (["systemA", "systemB"], ["systemA", "systemB"]),
        # a letter or a number alone says too little
        (["run-1", "run-2"], ["run-1", "run-2"]),
        (["wmt.online-A.en", "wmt.online-B.en"], ["online-A", "online-B"]),
        (["wmt.online-A.en", "wmt.online-Best.en"], ["online-A", "online-Best"]),
        # something is always left
        (["x.base", "x.base.large"], ["base", "base.large"]),
        (["base", "base.large"], ["base", "base.large"]),
        (["a.base.en", "a.large.base.en"], ["base", "large.base"]),
        (["a.b", "a-b"], ["a.b", "a-b"]),
        (["same", "same"], ["same"]),
        # short for one would be the whole name of another
        (["xy.ab", "xy.xy.ab"], ["xy.ab", "xy.xy.ab"]),
        ([], []),
    ],
)
def test_shared_parts_go(names: list[str], short: list[str]) -> None:
    assert list(short_names(names).values()) == short


def outputs(folder: Path, pair: str) -> list[str]:
    """Names of the files with the outputs of a language pair."""
    return sorted(path.name for path in folder.glob(f"system-outputs/**/{pair}/*"))


@pytest.mark.parametrize(
    ("dataset", "pair", "some"),
    [
        ("wmt12", "de-en", {"onlineA", "KIT_Phrase-Based_SMT_System", "dfki-berlin"}),
        ("wmt13", "de-en", {"online-G", "LIMSI-Ncode-SOUL-primary.2591", "umd.2922"}),
        ("wmt14", "de-en", {"CMU.3461", "DCU-ICTCAS-Tsinghua-L.3444", "rbmt4.0"}),
        ("mqm21", "zh-en", {"Facebook-AI", "Online-W", "Borderline"}),
        ("bio21", "en-de", {"Huawei_AGI_run2", "Huawei_AGI_run1"}),
    ],
)
def test_names_of_campaigns(
    dataset: str, pair: str, some: set[str], pack: Callable[[str], Path]
) -> None:
    names = outputs(pack(dataset), pair)
    short = short_names(names)
    assert some <= set(short.values())
    assert len(set(short.values())) == len(names) > 2
    assert not any("newstest" in name or name.endswith((".txt", pair)) for name in short.values())


@given(st.lists(st.text("ab1.-_ /", max_size=9), max_size=5))
def test_names_stay_distinct_and_whole_words(names: list[str]) -> None:
    short = short_names(names)
    assert list(short) == list(dict.fromkeys(names))
    assert len(set(short.values())) == len(short)
    for name, cut in short.items():
        assert cut in name
        assert cut or not name
        assert cut == name or cut not in short


@given(
    st.lists(st.text("xyz", min_size=2, max_size=5), min_size=2, max_size=5, unique=True),
    st.sampled_from(["newstest2014.", "a-b/", "", "run_"]),
    st.sampled_from([".de-en", ".txt", ""]),
)
def test_exactly_what_is_shared_goes(words: list[str], prefix: str, suffix: str) -> None:
    names = [f"{prefix}{word}{suffix}" for word in words]
    assert list(short_names(names).values()) == words
