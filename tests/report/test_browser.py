"""The report in a real browser: it opens without errors, and does what its controls say.

Skipped where selenium, Chromium or its driver is not there; the reason says what to install.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import report_corpora as corpora

import cupel
from chromium import NEEDED, Browser, started
from cupel.report import page
from cupel.report.runs import Run

pytestmark = NEEDED


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    driver = started(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page.html_report(corpora.scores(), resamples=100), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Browser, file: Path) -> Browser:
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(file.as_uri())
    return ready(browser)


def ready(browser: Browser) -> Browser:
    until = time.monotonic() + 30
    while browser.execute_script("return document.documentElement.dataset.ready") != "yes":
        assert time.monotonic() < until, browser.get_log("browser")
        time.sleep(0.02)
    return browser


def script(browser: Browser, code: str, *arguments: object) -> Any:
    return browser.execute_script(code, *arguments)


CHOOSE = """
const label = [...document.querySelectorAll("#browser label")]
  .find((one) => one.firstChild.textContent === arguments[0]);
const control = label.querySelector("select, input");
control.value = [...(control.options || [])]
  .find((one) => one.textContent === arguments[1])?.value ?? arguments[1];
control.dispatchEvent(new Event("change", {bubbles: true}));
document.querySelector("#browser form").requestSubmit();
"""


def choose(browser: Browser, label: str, value: str) -> None:
    script(browser, CHOOSE, label, value)


def order(browser: Browser) -> list[int]:
    names = script(
        browser, "return [...document.querySelectorAll('article h3')].map(h => h.textContent)"
    )
    return [int(name.split()[-1]) for name in names]


def ranked(key: Callable[[int], float]) -> list[int]:
    count = len(corpora.REFERENCES)
    return [at + 1 for at in sorted(range(count), key=lambda at: (key(at), at))][:20]


def test_it_opens_without_errors_and_shows_the_first_page(opened: Browser) -> None:
    assert opened.get_log("browser") == []
    assert opened.title == "old <b>one</b> and new – Cupel"
    assert len(order(opened)) == 20
    assert script(opened, "return document.querySelector('[role=status]').textContent") == (
        "1 to 20 of 30 segments"
    )


def test_sorting_by_score_and_by_disagreement(opened: Browser) -> None:
    scores = corpora.scores()
    old, new = scores.systems
    ter = {system: scores.segment_scores("ter", system).round(2) for system in (old, new)}
    choose(opened, "Metric", "ter")
    choose(opened, "Sort by", "worst first")  # the highest TER
    assert order(opened) == ranked(lambda at: -ter[old][at])
    choose(opened, "Sort by", "systems differ most")
    assert order(opened) == ranked(lambda at: -abs(ter[old][at] - ter[new][at]))
    choose(opened, "Sort by", "first system most behind")
    assert order(opened) == ranked(lambda at: ter[new][at] - ter[old][at])
    choose(opened, "System", "new")
    choose(opened, "Sort by", "best first")
    assert order(opened) == ranked(lambda at: ter[new][at])
    choose(opened, "Sort by", "segment number")
    assert order(opened) == list(range(1, 21))


def test_metrics_that_disagree_come_first(browser: Browser, tmp_path: Path) -> None:
    """One metric ranks segment 3 worst and the other best; on all others they agree."""
    one, two = [5.0, 4.0, 1.0, 3.0], [40.0, 30.0, 50.0, 20.0]
    rows = [{"system": "a", "segment": n + 1, "bleu": one[n], "chrf": two[n]} for n in range(4)]
    path = tmp_path / "r.html"
    path.write_text(page.report([Run("segments", rows)]), encoding="utf-8")
    browser.get(path.as_uri())
    choose(ready(browser), "Sort by", "metrics disagree most")
    assert order(browser)[0] == 3


def test_search_and_filters(opened: Browser) -> None:
    choose(opened, "Search", "PRICES rose")
    assert order(opened) == [4]
    choose(opened, "Search", "nowhere to be found")
    assert order(opened) == []
    assert script(opened, "return document.querySelector('[role=status]').textContent") == (
        "No segment fits."
    )
    choose(opened, "Search", "")
    choose(opened, "to", "2")  # "Yes." is a word and a sign
    assert order(opened) == [5]
    choose(opened, "to", "")
    choose(opened, "Words, from", "15")
    assert 4 in order(opened)
    assert 5 not in order(opened)


def test_pages_turn(opened: Browser) -> None:
    choose(opened, "Sort by", "segment number")
    buttons = opened.find_elements("css selector", ".pager button")
    assert not buttons[0].is_enabled()
    buttons[1].click()
    assert order(opened) == list(range(21, 31))
    assert not buttons[1].is_enabled()
    buttons[0].click()
    assert order(opened)[0] == 1


def segment(browser: Browser, number: int) -> Any:
    choose(browser, "Sort by", "segment number")
    return browser.find_element("id", f"segment-{number}")


def test_script_and_right_to_left_text_are_shown_as_text(opened: Browser) -> None:
    assert corpora.SCRIPT in segment(opened, 2).text
    assert script(opened, "return document.scripts.length") == 2
    arabic = segment(opened, 3)
    assert corpora.ARABIC in arabic.text
    directions = script(
        opened,
        "return [...arguments[0].querySelectorAll('p')].map(p => getComputedStyle(p).direction)",
        arabic,
    )
    assert set(directions) == {"rtl"}


def test_differences_to_the_nearest_reference_are_marked(opened: Browser) -> None:
    lines = segment(opened, 1).find_elements("css selector", ".line .said")
    worse = lines[2]
    assert [n.text for n in worse.find_elements("tag name", "ins")] == ["dogs", "at", "mats"]
    assert [n.text for n in worse.find_elements("tag name", "del")] == [
        "cat", "on", "mat near the door",
    ]  # fmt: skip
    assert worse.find_element("tag name", "p").text == (
        "The cat dogs sat on at the mat near the door mats."
    )
    assert lines[3].find_elements("tag name", "ins") == []


def test_the_alignment_is_drawn(opened: Browser) -> None:
    article = segment(opened, 1)
    article.find_elements("tag name", "summary")[0].click()
    until = time.monotonic() + 10  # it is drawn when the browser has unfolded it
    while not (found := article.find_elements("css selector", ".alignment svg")):
        assert time.monotonic() < until
        time.sleep(0.02)
    drawn = found[0]
    links = script(opened, "return arguments[0].querySelectorAll('path').length", drawn)
    told = script(opened, "return arguments[0].querySelector('desc').textContent", drawn)
    assert "dogs" not in told
    assert "sat – sat (exact)" in told
    assert "mats – mat (stem)" in told
    assert links == told.count(";") + 1


def test_the_table_sorts_by_a_column(opened: Browser) -> None:
    header = opened.find_element("css selector", "#systems thead th:nth-child(4) button")
    names = "return [...document.querySelectorAll('#systems tbody th')].map(n => n.textContent)"
    header.click()
    assert script(opened, names) == ["old <b>one</b>", "new"]  # TER, the highest first
    header.click()
    assert script(opened, names) == ["new", "old <b>one</b>"]
    sort = opened.find_element("css selector", "#systems thead th:nth-child(4)")
    assert sort.get_attribute("aria-sort") == "ascending"


def test_the_keyboard_reaches_every_control(opened: Browser) -> None:
    from selenium.webdriver.common.keys import Keys

    seen = set()
    for _ in range(60):
        active = opened.switch_to.active_element
        active.send_keys(Keys.TAB)
        seen.add(script(opened, "return document.activeElement.tagName"))
    assert {"A", "BUTTON", "SELECT", "INPUT", "SUMMARY"} <= seen
    sort = opened.find_element("css selector", "#browser select")
    sort.send_keys("best")
    assert script(opened, "return arguments[0].value", sort) == "best"


@pytest.mark.parametrize("width", [360, 768, 1200])
def test_nothing_is_wider_than_the_screen(opened: Browser, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 800}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert script(opened, "return document.documentElement.scrollWidth") <= width
    # What is wider than its place scrolls by itself, and the keyboard reaches it.
    time.sleep(0.2)
    reached = script(
        opened,
        "return [...document.querySelectorAll('.scroll')].filter(n => n.getClientRects().length)"
        ".every(n => (n.tabIndex === 0) === (n.scrollWidth > n.clientWidth))",
    )
    assert reached


CONTRAST = """
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const shine = (text) => { const [r, g, b] = rgb(text).slice(0, 3).map((c) => (c /= 255) <= .04045
  ? c / 12.92 : ((c + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
const ground = (node) => { for (; node; node = node.parentElement) {
  const colour = getComputedStyle(node).backgroundColor;
  if (!(rgb(colour).length === 4 && rgb(colour)[3] === 0)) return colour; } return "rgb(255, 255, 255)"; };
const poor = [];
for (const node of document.querySelectorAll("h1,h2,h3,p,th,td,li,a,label,small,caption,ins,del,b,span,summary,code,button,.who")) {
  if (!node.textContent.trim() || !node.getClientRects().length || node.disabled) continue;
  const [a, b] = [shine(getComputedStyle(node).color), shine(ground(node))].sort((x, y) => y - x);
  if ((a + .05) / (b + .05) < 4.5) poor.push([node.tagName, node.className, node.textContent.slice(0, 30)]);
}
return poor;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(browser: Browser, file: Path, scheme: str) -> None:
    features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
    try:
        browser.get(file.as_uri())
        assert script(ready(browser), CONTRAST) == []
        paper = script(browser, "return getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(20, 23, 28)") == (scheme == "dark")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_it_prints(opened: Browser) -> None:
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        hidden = script(
            opened,
            "return ['nav', '.controls', '.pager'].map(s => "
            "getComputedStyle(document.querySelector(s)).display)",
        )
        assert hidden == ["none"] * 3
        pdf = opened.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
        assert base64.b64decode(pdf)[:4] == b"%PDF"
    finally:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_without_javascript_the_main_tables_are_there(file: Path, tmp_path: Path) -> None:
    driver = started(tmp_path / "profile", javascript=False)
    try:
        driver.get(file.as_uri())
        said = driver.find_element("tag name", "body").text
        assert "new is better than old <b>one</b>" in said
        assert corpora.ARABIC in said
        assert driver.find_elements("css selector", "#browser select") == []
    finally:
        driver.quit()


def test_a_damaged_page_says_so(browser: Browser, file: Path, tmp_path: Path) -> None:
    html = file.read_text(encoding="utf-8")
    start = html.index('id="segment-data">') + len('id="segment-data">')
    broken = tmp_path / "broken.html"
    broken.write_text(html[:start] + "AAAA" + html[start + 40 :], encoding="utf-8")
    browser.get(broken.as_uri())
    until = time.monotonic() + 10
    while "could not be opened" not in browser.find_element("id", "browser").text:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_twenty_systems_by_three_thousand_segments(browser: Browser, tmp_path: Path) -> None:
    """Opens and sorts in about a second; the limits leave room for a busy machine."""
    from cupel.corpus import Corpus

    count, words = 3000, "the quick brown fox jumps over one lazy dog and sleeps".split()
    texts = [" ".join(words[(n * k) % 11] for k in range(1, 21)) for n in range(count)]
    systems = {f"s{k}": [f"{text} {words[k % 11]}" for text in texts] for k in range(20)}
    rows = [
        {
            "system": f"s{k}",
            "segment": n + 1,
            "bleu": float((n * 7 + k) % 100),
            "chrf": float(n % 97),
        }
        for k in range(20)
        for n in range(count)
    ]
    corpus = Corpus(systems, [[text] for text in texts])
    path = tmp_path / "big.html"
    path.write_text(page.report([Run("segments", rows)], corpus), encoding="utf-8")
    browser.get(path.as_uri())
    ready(browser)
    script(browser, CHOOSE, "Sort by", "metrics disagree most")
    shown = "return document.querySelectorAll('article:first-of-type .chips').length"
    assert script(browser, shown) == 2
    assert script(browser, "return document.querySelectorAll('*').length") < 5000
    browser.find_element("css selector", ".check input").click()  # all systems
    assert script(browser, shown) == 20


def test_flagged_segments_have_a_mark_and_references_may_be_missing(
    browser: Browser, tmp_path: Path
) -> None:
    texts = {name: ["It costs 12.", "It costs 80."] for name in ("one", "two")}
    scores = cupel.score(texts, sources=["Es kostet 80."] * 2, metrics=["numbers"])
    (tmp_path / "page.html").write_text(page.html_report(scores, resamples=20), encoding="utf-8")
    browser.get_log("browser")  # of the tests before
    browser.get((tmp_path / "page.html").as_uri())
    flags = "return [...document.querySelectorAll('.flag')].map((one) => one.textContent)"
    assert script(ready(browser), flags) == ["numbers 100", "numbers 100"]
    assert browser.get_log("browser") == []
