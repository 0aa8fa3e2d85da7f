"""Charts are well-formed, say in words what they show, and put marks where the numbers are."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.report import charts, svg
from cupel.report.charts import Bar, Point

NS = "{http://www.w3.org/2000/svg}"


def parsed(chart: str) -> ElementTree.Element:
    return ElementTree.fromstring(chart)


def titles(root: ElementTree.Element) -> list[str]:
    return [node.text or "" for node in root.iter(f"{NS}title")]


ALL = [
    charts.histogram({"a": [1.0, 2.0, 2.5], "b": [0.5]}, "h"),
    charts.boxes({"a": [1.0, 2.0, 2.5], "b": []}, "b"),
    charts.bars([Bar("a", 30.0, 29.0, 31.0, "p"), Bar("b", math.nan)], "b"),
    charts.scatter([Point("a", 1.0, 2.0)], "s", x_label="human", y_label="bleu"),
    charts.heatmap(["a"], ["x", "y"], [[0.25, None]], "m"),
    charts.histogram({}, "empty"),
    charts.bars([], "empty"),
    charts.scatter([], "empty", x_label="x", y_label="y"),
    charts.heatmap([], [], [], "empty"),
]


@pytest.mark.parametrize("chart", ALL)
def test_every_chart_is_an_image_with_words(chart: str) -> None:
    root = parsed(chart)
    assert root.get("role") == "img"
    title, description = root[0], root[1]
    assert (title.tag, description.tag) == (f"{NS}title", f"{NS}desc")
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert "style=" not in chart  # a strict policy forbids style attributes


@given(st.text(max_size=20))
def test_no_label_becomes_markup(label: str) -> None:
    made = [
        charts.bars([Bar(label, 1.0, note=label)], label, x_label=label),
        charts.histogram({label: [1.0]}, label),
        charts.heatmap([label], [label], [[0.5]], label),
        charts.scatter([Point(label, 1.0, 1.0)], label, x_label=label, y_label=label, note=label),
    ]
    known = {"svg", "title", "desc", "text", "rect", "circle", "line", "path", "g"}
    for chart in made:
        assert {node.tag.removeprefix(NS) for node in parsed(chart).iter()} <= known


def test_bars_start_at_zero_and_are_as_long_as_their_values() -> None:
    root = parsed(charts.bars([Bar("a", 10.0), Bar("b", 20.0), Bar("c", -5.0)], "t"))
    widths = [float(node.get("width", "")) for node in root.iter(f"{NS}rect")]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.1)
    assert widths[2] == pytest.approx(widths[0] / 2, abs=0.1)


def test_close_values_far_from_zero_are_dots_without_bars() -> None:
    root = parsed(charts.bars([Bar("a", 30.0, 29.5, 30.5), Bar("b", 31.0, 30.5, 31.5)], "t"))
    assert not list(root.iter(f"{NS}rect"))
    assert len(list(root.iter(f"{NS}circle"))) == 2


def test_a_histogram_counts_every_value_once() -> None:
    values = [0.0, 0.1, 0.5, 0.5, 1.0]
    assert charts._counts(values, [0.0, 0.5, 1.0]) == [2, 3]
    root = parsed(charts.histogram({"a": [*values, math.nan]}, "t"))
    assert "a: 5 values, mean 0.42" in titles(root)[1]


def test_boxes_show_the_quantiles() -> None:
    five = charts._quantiles([float(n) for n in range(101)])
    assert five == (5.0, 25.0, 50.0, 75.0, 95.0)
    root = parsed(charts.boxes({"a": [1.0, 2.0, 3.0]}, "t"))
    assert "a: median 2, half between 1.5 and 2.5" in titles(root)


def test_a_heat_map_has_a_number_in_each_cell_and_a_dash_where_there_is_none() -> None:
    root = parsed(charts.heatmap(["r"], ["x", "y"], [[0.256, None]], "t", form="{:.0%}"))
    texts = [node.text for node in root.iter(f"{NS}text")]
    assert "26%" in texts
    assert "–" in texts
    assert "r, x: 26%" in titles(root)


@given(st.floats(0, 1))
def test_numbers_on_cells_can_be_read(share: float) -> None:
    """Contrast of 4.5:1 or more, as WCAG 2 asks."""
    for colour in (svg.sequential(share), svg.diverging(2 * share - 1)):
        back = svg.luminance(colour)
        ink = 0.0 if svg.readable(colour) == "#000" else 1.0
        light, dark = max(back, ink), min(back, ink)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_an_axis_holds_all_values_and_has_ticks(values: list[float]) -> None:
    scale = svg.Scale.of(values, 0.0, 100.0)
    assert all(-1e-6 <= scale(value) <= 100 + 1e-6 for value in values)
    assert 2 <= len(scale.ticks()) <= 14


def test_round_steps() -> None:
    assert [svg.round_step(span) for span in (6, 7, 13, 0.6)] == [1, 2, 5, pytest.approx(0.1)]
    assert svg.number(-0.001) == "0"


def test_unprintable_characters_are_shown_as_such() -> None:
    assert svg.escape("a\x00b\x0b\ud800<") == "a\ufffdb\ufffd\ufffd&lt;"
