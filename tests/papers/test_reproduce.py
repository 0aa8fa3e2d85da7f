"""The published numbers: all tables there, transcribed consistently, and computed as they say."""

from __future__ import annotations

import math

import pytest

from cupel.errors import CupelError
from cupel.papers import compute
from cupel.papers.compute import Outcome
from cupel.papers.published import causes, find_table, misprinted, tables
from cupel.papers.recorded import Recorded, recorded
from cupel.papers.results import compare, markdown, number, signed

EXPECTED = (
    [f"reval-{n}" for n in range(1, 5)]
    + [f"nnrk-{n}" for n in range(1, 13)]
    + [f"mutt-{n}" for n in range(3, 8)]
    + [f"mutt-fig-{n}" for n in range(2, 6)]
    + ["red-3", "red-4", "depref-1", "depref-2"]
    + [f"red-wmt14-{n}" for n in range(1, 5)]
)


def test_every_table_and_figure_is_there() -> None:
    assert list(tables()) == EXPECTED
    # 1,377 in the papers; four rows stand twice, once more with other paraphrases of ours, and four
    # once more with NNRK's preset light-3; the taught ReVal is in two tables, where the papers print
    # nothing.
    cells = sum(len(table.cells) for table in tables().values())
    assert cells == 1377 + 2 * 3 + 2 * 11 + 2 * 7 + 2 * 5 + 2 * 6


def test_printed_averages_are_those_of_the_printed_cells_but_for_the_papers_own_slips() -> None:
    """A number typed wrongly here would show as an average that does not follow."""
    slips = {
        (cell.table, cell.row, cell.column)
        for table in tables().values()
        for cell in table.cells
        if misprinted(table, cell)
    }
    assert slips == {
        ("nnrk-4", "multi-layer, fully-connected", "AVG"),
        ("nnrk-5", "Kendall", "AVG"),
        ("nnrk-7", "CNN", "AVG"),
        ("nnrk-7", "CNN (random)", "AVG"),
        ("nnrk-8", "Bidirectional LSTM", "AVG"),
        ("red-wmt14-2", "13 ave", "METEOR"),
        ("red-wmt14-2", "13 ave", "RED"),
        *(
            ("red-wmt14-2", "14 ave", m)
            for m in ("BLEU", "TER", "METEOR", "RED-sys", "RED-syssent")
        ),
    }


def test_numbers_are_in_the_range_of_what_they_are() -> None:
    for table in tables().values():
        if table.id in ("reval-1", "reval-2", "mutt-fig-2", "mutt-fig-3"):
            continue
        for cell in table.cells:
            assert math.isnan(cell.published) or 0 <= cell.published <= table.scale, cell.key


def test_every_cause_and_every_absence_is_explained() -> None:
    sentences, absent = causes()
    for table in tables().values():
        named = [*table.causes, *(key for keys in table.marked.values() for key in keys)]
        assert set(named) <= set(sentences), table.id
        for cell in table.cells:
            assert cell.absent is None or cell.absent in absent.values()
            # Every cell is an average, absent, recorded, or says how it is computed.
            how = cell.settings
            known = cell.average or cell.absent or how.get("recorded") or "metric" in how
            assert known or how.get("kind") in ("recorded", "consistency", "similarity"), cell.key
    assert all(sentence.endswith(".") for sentence in sentences.values())


def test_settings_come_from_table_column_and_row() -> None:
    cells = {(cell.row, cell.column): cell for cell in find_table("red-3").cells}
    assert cells["REDp", "12 cz-en"].settings == {
        "kind": "meta", "level": "system", "statistic": "spearman", "dataset": "wmt12",
        "human": "wins-without-ties", "pair": "cs-en", "metric": "redp",
    }  # fmt: skip
    assert cells["REDp", "12 ave"].average == tuple(
        ("REDp", f"12 {pair}") for pair in ("cz-en", "de-en", "es-en", "fr-en")
    )
    assert cells["RED", "13 ru-en"].absent == "judgments of Russian-English of WMT13"
    below = {(cell.row, cell.column): cell for cell in find_table("red-wmt14-1").cells}
    assert [row for row, _ in below["14 ave", "METEOR"].average] == [
        "14 hi-en", "14 de-en", "14 cs-en", "14 fr-en", "14 ru-en",
    ]  # fmt: skip
    english = {(cell.row, cell.column): cell for cell in find_table("red-wmt14-4").cells}
    meteor = english["12 en-fr", "METEOR"].settings["metric"]
    assert meteor == "meteor:language=fr,modules=exact,stem"


def test_a_row_printed_twice_is_typed_once() -> None:
    one = {c.column: c.published for c in find_table("nnrk-1").cells if c.row == "BLEU"}
    two = {c.column: c.published for c in find_table("nnrk-2").cells if c.row == "BLEU"}
    assert one == two


def test_an_unknown_table() -> None:
    with pytest.raises(CupelError, match=r"There is no table 'red3': did you mean red-3"):
        find_table("red3")


def outcomes(name: str, **changes: Outcome) -> dict[tuple[str, str, str], Outcome]:
    table = find_table(name)
    found = {cell.key: Outcome(cell.published) for cell in table.cells}
    for place, outcome in changes.items():
        row, _, column = place.partition("/")
        found[name, row, column] = outcome
    return found


def test_statuses_of_cells_and_tables() -> None:
    result = compare(find_table("nnrk-4"), outcomes("nnrk-4"))
    assert result.status == "reproduced"
    assert result.counts() == (15, 15, 15)
    changed = outcomes(
        "nnrk-4",
        **{
            "single-layer/cz": Outcome(25.86 + 1.004),
            "single-layer/de": Outcome(32.06 - 1.2),
            "single-layer/es": Outcome(reason="no reason"),
            "single-layer/AVG": Outcome(29.10, partial=True),
        },
    )
    result = compare(find_table("nnrk-4"), changed)
    cells = result.cells
    assert cells["single-layer", "cz"].status == "reproduced"
    assert cells["single-layer", "de"].status == "approximated"
    assert cells["single-layer", "de"].difference == pytest.approx(-1.2)
    assert cells["single-layer", "es"].row()["status"] == "not possible here: no reason"
    assert cells["single-layer", "AVG"].status == "approximated"
    assert "partial-average" in result.footnotes()
    assert result.status == "approximated"
    assert result.counts() == (12, 14, 15)
    for reason, status in (
        ("later", "not computed yet"),
        ("not available: x", "not possible here"),
    ):
        nothing = {cell.key: Outcome(reason=reason) for cell in find_table("nnrk-4").cells}
        assert compare(find_table("nnrk-4"), nothing).status == f"{status}: {reason}"


def test_a_table_of_which_cells_are_still_to_be_computed_is_not_reproduced() -> None:
    for reason, status in (("later", "approximated"), ("not available: x", "reproduced")):
        found = outcomes("nnrk-4", **{"single-layer/cz": Outcome(reason=reason)})
        assert compare(find_table("nnrk-4"), found).status == status


def test_a_cell_that_is_not_printed_cannot_be_reproduced() -> None:
    table = find_table("mutt-fig-3")
    result = compare(table, {cell.key: Outcome(0.5) for cell in table.cells})
    assert {one.status for one in result.cells.values()} == {"not published"}
    assert result.cells["METEOR", "mean"].row()["difference"] is None
    assert result.status == "not published"


def test_averages_are_of_our_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(
        cells: list[object], workers: int, tell: object
    ) -> dict[tuple[str, str, str], Outcome]:
        return {cell.key: Outcome(0.01 * n) for n, cell in enumerate(cells)}  # type: ignore[attr-defined]

    monkeypatch.setitem(compute.KINDS, "meta", counted)
    monkeypatch.setattr(compute, "recorded", dict)
    found = compute.compute([find_table("nnrk-11")])
    assert found["nnrk-11", "ReVal", "AVG"].value == pytest.approx(
        sum(found["nnrk-11", "ReVal", c].value or 0 for c in ("fr", "de", "hi", "cs", "ru")) / 5
    )
    assert found["nnrk-11", "BEER", "AVG"].reason.startswith("not available: another group's")
    encoder = compute.compute([find_table("nnrk-7")])["nnrk-7", "CNN", "cz"]
    assert encoder.reason == "no training of it is recorded"


def test_recorded_trainings_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {("nnrk-4", "single-layer", "cz"): Recorded(25.0, 0.5, 3, "2026-01-01", "s")}
    monkeypatch.setattr(compute, "recorded", lambda: known)
    found = compute.compute([find_table("nnrk-4")])
    one = compare(find_table("nnrk-4"), found).cells["single-layer", "cz"]
    assert (one.outcome.value, one.outcome.spread, one.status) == (25.0, 0.5, "reproduced")
    assert "spread" in one.notes


def test_what_is_recorded_belongs_to_a_cell() -> None:
    keys = {cell.key for table in tables().values() for cell in table.cells}
    assert set(recorded()) <= keys


def test_a_metric_that_is_not_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    table = find_table("red-3")
    cells = [c for c in table.cells if c.row == "RED" and c.column == "12 cz-en"]
    broken = [
        type(c)(c.table, c.row, c.column, c.published, {**c.settings, "metric": "no-such"})
        for c in cells
    ]
    found = compute.KINDS["meta"](broken, 1, lambda _: None)
    assert found[cells[0].key].reason.startswith("Unknown metric 'no-such'")


def test_numbers_as_they_are_shown() -> None:
    assert [number(-0.1234, 3), number(math.nan, 3), number(None, 1)] == ["−0.123", "–", "–"]
    assert [signed(0.0004, 3), signed(-0.002, 3), signed(0.5, 1), signed(None, 1)] == [
        "0.000", "−0.002", "+0.5", "",
    ]  # fmt: skip


def test_the_page_has_every_table_with_its_status() -> None:
    made = [compare(find_table(name), outcomes(name)) for name in ("nnrk-4", "depref-1")]
    page = markdown(made, {"bleu": "a|b"}, "2026-01-01", "0.1")
    assert "| [nnrk-4](#nnrk-4) | reproduced | 15 of 15 computed, 15 printed |" in page
    assert "### depref-1" in page
    assert "| single-layer | 25.86 |" in page
    assert "| ours | **25.86** (0.00) |" in page
    assert r"`a\|b`" in page
    assert causes()[0]["wmt11"] in page


def test_a_number_of_ours_may_stand_where_nothing_is_printed() -> None:
    cell = next(c for c in find_table("reval-4").cells if c.row.startswith("taught"))
    outcome = compute._without_computing(cell, recorded(), full=False)
    assert outcome is not None
    assert outcome.value == pytest.approx(0.2802)
    nothing = compute._without_computing(cell, {}, full=False)
    assert nothing is not None
    assert nothing.reason == "nothing is printed there"
