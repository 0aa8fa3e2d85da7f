"""Rankings: pairs and ties against brute force, the real packs, joined ids, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from random_rankings import brute_force, rankings

from cupel.errors import CupelError
from cupel.human.rankings import read_rankings, wmt_rankings

HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    + ",".join(f"system{n}Number,system{n}Id" for n in range(1, 6))
    + ","
    + ",".join(f"system{n}rank" for n in range(1, 6))
)
SYSTEMS = {"cs-en": ["a", "b", "c", "d", "e", "f+g"]}
SEGMENTS = {"cs-en": 10}


def line(
    systems="a b c d e",
    ranks="1 2 3 4 5",
    segment="3",
    judge="j1",
    source="Czech",
    target="English",
):
    shown = ",".join(f"7,{system}" for system in systems.split(" "))
    return f"{source},{target},{segment},-1,{segment},{judge},{shown},{ranks.replace(' ', ',')}"


def put(tmp_path, *rows, header=HEADER):
    path = tmp_path / "judgments.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def read(tmp_path, *rows, header=HEADER, systems=SYSTEMS, segments=SEGMENTS):
    return read_rankings(put(tmp_path, *rows, header=header), systems, segments)


def sentence(tmp_path, *rows, **options) -> str:
    with pytest.raises(CupelError) as told:
        read(tmp_path, *rows, **options)
    return str(told.value).replace(str(tmp_path) + "/", "")


def listed(pairs) -> list[tuple[int, ...]]:
    columns = pairs.segment, pairs.better, pairs.worse, pairs.row, pairs.judge
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(rankings())
def test_pairs_and_ties_are_those_of_a_loop(given):
    strict, tied = brute_force(given)
    assert listed(given.pairs()) == strict
    assert listed(given.ties()) == tied


@given(rankings())
def test_judges_and_segments_divide_the_rankings(given):
    strict, _ = brute_force(given)
    for judge in range(len(given.judge_ids)):
        mine = given.rows(given.judges == judge).pairs()
        assert [p[:3] for p in listed(mine)] == [p[:3] for p in strict if p[4] == judge]
    by_segment = [given.rows(given.segments == segment).pairs() for segment in range(4)]
    assert sum(map(len, by_segment)) == len(strict)


@pytest.mark.parametrize(
    ("name", "rows", "pairs"),
    [
        (
            "wmt12",
            "cs-en 1294 en-cs 2308 en-fr 1547 en-de 1752 en-es 1475 fr-en 1395 de-en 1427 es-en 1141",
            101_099,
        ),
        ("wmt13", "cs-en 10551 de-en 16038 es-en 8638 fr-en 9996", 362_710),
        ("wmt14", "cs-en 1957 de-en 2370 fr-en 2478 hi-en 2062 ru-en 3372", 101_103),
    ],
)
def test_the_packs(pack, newstest, name, rows, pairs):
    pack(name)
    found = wmt_rankings(name)
    counts = dict(zip(rows.split()[::2], map(int, rows.split()[1::2]), strict=True))
    assert {pair: len(given) for pair, given in found.items()} == counts
    assert sum(len(given.pairs()) for given in found.values()) == pairs
    assert list(found["cs-en"].systems) == list(newstest(name, "cs-en").systems)


def test_the_first_row_of_wmt12(pack):
    pack("wmt12")
    given = wmt_rankings("wmt12")["cs-en"]
    assert given.segments[0] == 1017
    assert given.judge_ids[given.judges[0]] == "judge001"
    shown = [given.systems[number] for number in given.ranked[0]]
    assert shown == ["jhu-heiro", "onlineB", "uk-dan-moses", "cu-bojar", "uedin-wmt12"]
    assert given.ranks[0].tolist() == [2, 1, 1, 1, 1]
    assert (given.ranks == -1).any()


def test_judges_of_wmt13(pack):
    pack("wmt13")
    found = wmt_rankings("wmt13")
    assert [len(found[pair].judge_ids) for pair in ("cs-en", "fr-en")] == [0, 218]
    assert set(found["cs-en"].judges) == {-1}


def test_unranked_and_empty_cells(tmp_path):
    given = read(tmp_path, line("a b c  ", "2 -1 1 -1 "))["cs-en"]
    assert given.ranked.tolist() == [[0, 1, 2, -1, -1]]
    assert given.ranks.tolist() == [[2, -1, 1, -1, -1]]
    assert listed(given.pairs()) == [(2, 2, 0, 0, 0)]


def test_joined_systems_share_a_rank_and_make_no_pair(tmp_path):
    """f+g is one system's own name; a+b are two with the same output, however they are joined."""
    given = read(tmp_path, line("b+a c d e f+g"), line('c "a,b" d e f+g', "2 2 1 -1 -1"))["cs-en"]
    assert given.ranked.tolist() == [[0, 1, 2, 3, 4, 5], [2, 0, 1, 3, 4, 5]]
    assert given.ranks[0].tolist() == [1, 1, 2, 3, 4, 5]
    assert given.items.tolist() == [[6, 6, 2, 3, 4, 5], [2, 6, 6, 3, 4, 5]]
    assert len(given.rows(given.segments == 2).rows([0]).pairs()) == 14
    assert [pair[1:3] for pair in listed(given.rows([1]).pairs())] == [(3, 2), (3, 0), (3, 1)]
    assert [pair[1:3] for pair in listed(given.ties())] == [(2, 0), (2, 1)]


def test_the_form_of_2015(tmp_path):
    """Two systems a row, judgeID, three-letter languages; systems without a list are the file's."""
    header = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
    path = put(tmp_path, "fin,eng,12,12,judge7,s.y,5,s.x+s.z,3,331", header=header)
    (given,) = read_rankings(path).values()
    assert (given.pair, given.systems, given.judge_ids) == (
        "fi-en",
        ("s.x", "s.y", "s.z"),
        ("judge7",),
    )
    assert listed(given.pairs()) == [(11, 0, 1, 0, 0), (11, 2, 1, 0, 0)]


@pytest.mark.parametrize("czech", ["Czech", "czech", "cs", "cze", "ces"])
def test_languages(tmp_path, czech):
    assert list(read(tmp_path, line(source=czech))) == ["cs-en"]


def test_no_rows(tmp_path):
    assert read(tmp_path) == {}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            line("a b c d onlineZ"),
            "the system 'onlineZ' is ranked, but it has no output for cs-en.",
        ),
        (
            line("a b c d e+x"),
            "the system 'x' is ranked, but it has no output for cs-en.",
        ),
        (line(segment="11"), "srcIndex is 11, but cs-en has 10 segments."),
        (line(segment="0"), "srcIndex is 0, but lines count from 1."),
        (line(segment="x"), "srcIndex is 'x' where a line number was expected."),
        (
            line(ranks="1 2 0 4 5"),
            "system3rank is 0, but ranks go from 1 (best) to 5, and -1 is not ranked.",
        ),
        (
            line(ranks="1 2 3 4 9"),
            "system5rank is 9, but ranks go from 1 (best) to 5, and -1 is not ranked.",
        ),
        (line(ranks="1 2 3 best 5"), "system4rank is 'best' where a rank was expected."),
        (line(ranks="1 2 3 4"), "21 fields were expected, as in the header, but 20 were found."),
        (
            line(source="Klingon"),
            "'Klingon' in the column srclang is no language known here; "
            "give its English name or its two-letter code.",
        ),
        (line(source="German"), "there are no segments for de-en."),
        (line("a b c d a"), "the system 'a' is ranked twice."),
        (line("a b c d a+e"), "the system 'a' is ranked twice."),
        ('"Czech,English', "this is not CSV (unexpected end of data)."),
    ],
)
def test_a_bad_row(tmp_path, row, told):
    assert sentence(tmp_path, line(), row) == f"judgments.csv, line 3: {told}"


def test_a_pair_without_outputs(tmp_path):
    told = sentence(tmp_path, line(source="German"), segments=None)
    assert told == "judgments.csv, line 2: there are no system outputs for de-en."


def test_a_missing_column(tmp_path):
    told = sentence(tmp_path, header="srclang,trglang,srcIndx")
    assert told == (
        "judgments.csv has no column 'srcIndex'; it has 'srclang', 'trglang', 'srcIndx'; "
        "did you mean 'srcIndx'?"
    )
    told = sentence(tmp_path, header="srclang,trglang,srcIndex")
    assert told == (
        "judgments.csv has no columns 'system1Id' and 'system2Id': "
        "this is not the official CSV of WMT rankings."
    )
    told = sentence(tmp_path, header="srclang,trglang,srcIndex,system1Id,system2Id,system1rank")
    assert told.startswith("judgments.csv has no column 'system2rank'; it has 'srclang',")


def test_an_empty_file(tmp_path):
    path = tmp_path / "judgments.csv"
    path.write_text("")
    with pytest.raises(CupelError, match="is empty; a header line with the columns' names"):
        read_rankings(path)
