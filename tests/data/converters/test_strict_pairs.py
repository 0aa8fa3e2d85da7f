"""Rankings from strict pairs, and the names of systems from their outputs."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import published
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.data.converters.strict_pairs import (
    Pair,
    Ranks,
    divide,
    names_by_content,
    read_strict_pairs,
    weak_order,
)
from cupel.errors import CupelError

NAMES = {f"sys{n}": f"system {n}" for n in range(1, 8)}
TWO_IN_A_ROW = """
    sys3 sys2, sys3 sys1, sys3 sys5, sys3 sys4, sys2 sys1, sys2 sys5, sys2 sys4, sys1 sys5, sys1 sys4, sys5 sys4,
    sys2 sys1, sys2 sys3, sys2 sys5, sys2 sys4, sys1 sys3, sys1 sys5, sys1 sys4, sys3 sys5, sys3 sys4, sys5 sys4
"""
"""Segment 2460 of WMT14 cs-en, judged twice in a row."""


def pairs(text: str) -> list[Pair]:
    words = [part.split() for part in text.split(",")]
    return [(better, worse) for better, worse in words]


def strict(ranks: Ranks) -> list[Pair]:
    return [(one, other) for one, other in permutations(ranks, 2) if ranks[one] < ranks[other]]


def dense(ranks: Ranks) -> Ranks:
    levels = sorted(set(ranks.values()))
    return {system: levels.index(ranks[system]) + 1 for system in ranks}


def rank_file(path: Path, segments: dict[str, list[Pair]]) -> Path:
    lines = [
        f"{segment}\tcs-en\t{better}\tcs-en\t{worse}\n"
        for segment, run in segments.items()
        for better, worse in run
    ]
    path.write_text("".join(lines))
    return path


@st.composite
def rankings(draw) -> Ranks:
    """The ranks that a judge gave five of seven systems, not all the same."""
    systems = draw(st.permutations(sorted(NAMES)))[:5]
    given_ranks = draw(
        st.lists(st.integers(1, 5), min_size=5, max_size=5).filter(
            lambda ranks: len(set(ranks)) > 1
        )
    )
    return dict(zip(systems, given_ranks, strict=True))


@given(rankings(), st.randoms())
def test_a_ranking_comes_back_with_dense_ranks(ranks: Ranks, random) -> None:
    shuffled = strict(ranks)
    random.shuffle(shuffled)
    assert weak_order(shuffled) == dense(ranks)


@given(rankings(), st.data())
def test_a_ranking_with_a_pair_changed_does_not_come_back(ranks: Ranks, data) -> None:
    whole = strict(ranks)
    number = data.draw(st.integers(0, len(whole) - 1))
    better, worse = whole[number]
    assert weak_order([*whole, whole[number]]) is None
    assert weak_order([*whole, (worse, better)]) is None
    fewer = weak_order([*whole[:number], *whole[number + 1 :]])
    assert fewer is None or fewer[better] == fewer[worse]


@given(st.lists(rankings(), max_size=3))
def test_rankings_in_a_row_are_among_the_divisions(row: list[Ranks]) -> None:
    divisions = list(divide([pair for ranks in row for pair in strict(ranks)]))
    assert [dense(ranks) for ranks in row] in divisions
    for division in divisions:
        assert all(
            set(ranks.values()) == set(range(1, max(ranks.values()) + 1)) for ranks in division
        )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a b, a c, a d", "four systems"),
        ("a b, a c, a d, a e, a f", "six systems"),
        ("a b, b c, c a, a d, a e, b d, b e, c d, c e", "a circle"),
        ("a b, b c, a d, a e, c d, c e, d e", "a is not better than c, though than b"),
    ],
)
def test_what_is_no_ranking(text: str, why: str) -> None:
    assert weak_order(pairs(text)) is None, why


def test_two_rankings_of_a_segment_in_a_row(tmp_path: Path) -> None:
    path = rank_file(
        tmp_path / "cs-en.rank", {"2459": pairs(TWO_IN_A_ROW)[:10], "2460": pairs(TWO_IN_A_ROW)}
    )
    orders = [
        (segment, sorted(ranks, key=lambda name: ranks[name]))
        for segment, ranks in read_strict_pairs(path, NAMES)
    ]
    first = [f"system {n}" for n in (3, 2, 1, 5, 4)]
    second = [f"system {n}" for n in (2, 1, 3, 5, 4)]
    assert orders == [(2459, first), (2460, first), (2460, second)]


def test_systems_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    path = rank_file(
        tmp_path / "cs-en.rank", {"1": pairs("sys1 sys2, sys1 sys3, sys1 sys4, sys1 sys5")}
    )
    names = dict(zip(NAMES, "edcba", strict=False))
    ((segment, ranks),) = read_strict_pairs(path, names)
    assert segment == 1
    assert list(ranks.items()) == [("a", 2), ("b", 2), ("c", 2), ("d", 2), ("e", 1)]


def test_pairs_that_divide_in_two_ways_are_refused(tmp_path: Path) -> None:
    """The pair in the middle may be the last of the first ranking or the first of the second."""
    order = strict(dict(zip(NAMES, (1, 2, 3, 4, 5), strict=False)))
    tied = [pair for pair in order if pair != ("sys4", "sys5")]
    run = [*tied, ("sys4", "sys5"), *tied]
    assert len(list(divide(run))) == 2
    path = rank_file(tmp_path / "cs-en.rank", {"7": order, "8": run})
    with pytest.raises(
        CupelError, match=r"cs-en\.rank, line 11: .*segment 8.* can be divided in more than one way"
    ):
        list(read_strict_pairs(path, NAMES))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("12\tcs-en\tsys1\tcs-en\tsys2\n", "line 5: the 1 pair of segment 12 .* cannot be divided"),
        ("12\tcs-en\tsys1\tcs-en\tsys9\n", "line 5: there is no output of 'sys9'"),
        ("12\tcs-en\tsys1\tcs-en\n", "line 5: a segment's number, .* were expected, but '12', "),
        ("x\tcs-en\tsys1\tcs-en\tsys2\n", "line 5: 'x' is not a segment's number"),
    ],
)
def test_a_bad_line_is_named(line: str, problem: str, tmp_path: Path) -> None:
    path = rank_file(
        tmp_path / "cs-en.rank", {"1": pairs("sys1 sys2, sys1 sys3, sys1 sys4, sys1 sys5")}
    )
    path.write_text(path.read_text() + line)
    with pytest.raises(CupelError, match=rf"cs-en\.rank, {problem}"):
        list(read_strict_pairs(path, NAMES))


OUTPUTS = {  # lines 1, 2 and 3000 of two systems of WMT13 cs-en
    "newstest2013.cs-en.cu-tamchyna.2875": [
        "The Republican Party against Obama's re-election strategy",
        "Republican leaders have justified its policy of necessities in the fight against electoral fraud.",
        "`` I think I will call a few friends to laugh together, ''said 20-year-old student "
        "communication Samir Ford.",
    ],
    "newstest2013.cs-en.cu-zeman.2710": [
        "The strategy of the Republican Party against Obama's re-election",
        "Republican leaders justify its policy of necessity in the fight against electoral fraud.",
        "“I think I'll call a few friends to laugh together,” said the 20-year-old student "
        "communication Samir Ford.",
    ],
}


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    for name, lines in OUTPUTS.items():
        (tmp_path / name).write_text("".join(f"{line} \n" for line in lines), encoding="utf-8")
        number = 1 if "tamchyna" in name else 2
        text = published.sgm(lines).replace("'", "&apos;")
        (tmp_path / f"cs-en.sys{number}.sgm").write_text(text, encoding="utf-8")
    return tmp_path


def test_systems_are_named_by_their_outputs(outputs: Path) -> None:
    names = names_by_content(outputs.glob("*.sgm"), outputs.glob("newstest*"))
    assert names == {
        "sys1": "newstest2013.cs-en.cu-tamchyna.2875",
        "sys2": "newstest2013.cs-en.cu-zeman.2710",
    }


def test_an_output_of_no_system_is_refused(outputs: Path) -> None:
    text = (outputs / "cs-en.sys2.sgm").read_text("utf-8")
    (outputs / "cs-en.sys2.sgm").write_text(text.replace("necessity", "need"), encoding="utf-8")
    with pytest.raises(CupelError, match=r"cs-en\.sys2\.sgm is the output of no system"):
        names_by_content(sorted(outputs.glob("*.sgm")), outputs.glob("newstest*"))


def test_two_equal_outputs_are_refused(outputs: Path) -> None:
    for path in outputs.glob("newstest*"):
        path.write_text("the same\n")
    with pytest.raises(CupelError, match=r"cu-zeman\.2710 and .*cu-tamchyna\.2875 hold the same"):
        names_by_content([], sorted(outputs.glob("newstest*")))


def test_a_broken_sgm_file_is_named(outputs: Path) -> None:
    path = outputs / "cs-en.sys1.sgm"
    path.write_text(path.read_text("utf-8").replace("</seg>", "", 1), encoding="utf-8")
    with pytest.raises(CupelError, match=r"cs-en\.sys1\.sgm, line 3: a segment is not closed"):
        names_by_content([path], outputs.glob("newstest*"))
