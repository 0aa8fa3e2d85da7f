"""The page that compares two translations, in a real browser, with a real service behind it.

Skipped where the packages of the service, selenium, Chromium or its driver are not there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from service_process import Running, running

import cupel
from chromium import NEEDED, Browser, started

for name in ("starlette", "uvicorn"):
    pytest.importorskip(name, reason="needs `pip install 'cupel[serve]'`")
pytestmark = NEEDED
METEOR = "meteor:modules=exact,stem"
TEXTS = {
    "source": "Das Parlament hat das Gesetz <b>gestern</b> verabschiedet.",
    "reference": "Parliament passed the law <b>yesterday</b>.",
    "first": "The parliament passed the law <b>yesterday</b>.",
    "second": "The parliament did not pass a law.",
}


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with running("-m", "chrf", "ter", METEOR, "nnrk", "--workers", "1") as one:
        yield one


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    driver = started(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser: Browser, service: Running) -> Browser:
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get_log("browser")  # what the test before left
    browser.get(f"http://127.0.0.1:{service.port}/")
    assert script(browser, "return document.documentElement.dataset.ready") == "yes"
    return browser


def script(browser: Browser, code: str, *arguments: object) -> Any:
    return browser.execute_script(code, *arguments)


def compare(browser: Browser, **texts: str) -> str:
    """Fill in the form, press the button, and wait; the status that it ends with."""
    for key in TEXTS:
        field = browser.find_element("name", key)
        script(browser, "arguments[0].value = arguments[1]", field, texts.get(key, ""))
    browser.find_element("css selector", "form button").click()
    return status(browser)


def status(browser: Browser) -> str:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        text = str(browser.find_element("id", "status").text)
        if text and not text.startswith("Computing"):
            return text
        time.sleep(0.02)
    raise AssertionError(browser.get_log("browser"))


def texts_of(browser: Browser, selector: str) -> list[str]:
    code = "return [...document.querySelectorAll(arguments[0])].map(n => n.textContent)"
    return list(script(browser, code, selector))


def test_scores_verdict_and_alignment(opened: Browser) -> None:
    assert compare(opened, **TEXTS) == "Done."
    (verdict,) = texts_of(opened, ".verdict p")
    assert verdict.startswith("Translation 1 is better with probability 0.")
    assert verdict.endswith("according to nnrk.")
    rows = [
        [cell.text for cell in row.find_elements("css selector", "th, td")]
        for row in opened.find_elements("css selector", "tbody tr")
    ]
    for row, metric in zip(rows, ["chrf", "ter", METEOR, "nnrk"], strict=True):
        places = 1 if metric in ("chrf", "ter") else 4
        scores = [
            float(cupel.score([TEXTS[key]], [TEXTS["reference"]], metric)[metric])  # type: ignore[arg-type]
            for key in ("first", "second")
        ]
        assert row[0].splitlines()[0] == metric
        assert row[1:3] == [f"{score:.{places}f}".replace("-", "−") for score in scores]
    assert texts_of(opened, "tbody tr td.best") == [row[1] for row in rows]
    assert [text.splitlines()[-1] for text in (rows[1][0], rows[3][0])] == [
        "lower is better", "for English"
    ]  # fmt: skip
    assert texts_of(opened, "article p")[0] == TEXTS["source"]  # no markup
    assert "did not pass a" in texts_of(opened, "article ins")[-1]
    titles = texts_of(opened, ".alignment svg > title")
    alignments = cupel.align([TEXTS["first"]], [TEXTS["reference"]], METEOR)
    assert titles[0] == f"{METEOR}: {len(alignments[0].links)} links"
    assert len(titles) == 2
    assert opened.get_log("browser") == []


def test_without_a_reference_there_is_a_sentence(opened: Browser) -> None:
    assert compare(opened, first="a", second="b") == (
        "The metrics here need a reference: fill in that field."
    )
    assert texts_of(opened, "#results *") == []


def test_a_refusal_of_the_service_is_shown(opened: Browser) -> None:
    assert compare(opened, **{**TEXTS, "second": "a " * 6000}) == (
        'The text of segment 1 of "hypotheses" has 11,999 characters; 10,000 are allowed.'
    )


def test_text_from_right_to_left(opened: Browser) -> None:
    """Shown in its own direction, and metrics for English keep out."""
    reference = "أقر البرلمان القانون أمس بأغلبية كبيرة."
    given = {"reference": reference, "first": reference, "second": "البرلمان لم يقر القانون."}
    assert compare(opened, **given) == "Done."
    assert texts_of(opened, ".verdict p") == ["Translation 1 has the better score under chrf, ter and meteor:modules=exact,stem."]  # fmt: skip
    for selector in ("textarea[name=reference]", "article p"):
        node = opened.find_element("css selector", selector)
        assert script(opened, "return getComputedStyle(arguments[0]).direction", node) == "rtl"


def test_the_keyboard_is_enough(opened: Browser) -> None:
    from selenium.webdriver.common.keys import Keys

    field = opened.find_element("name", "source")
    field.click()
    for text in TEXTS.values():
        opened.switch_to.active_element.send_keys(text)
        opened.switch_to.active_element.send_keys(Keys.TAB)
    focus = "return document.activeElement.textContent"
    assert script(opened, focus) == "Compare"
    opened.switch_to.active_element.send_keys(Keys.ENTER)
    assert status(opened) == "Done."
    assert script(opened, focus) == "Which is better?"
    opened.find_element("name", "second").send_keys(".", Keys.CONTROL + Keys.ENTER)
    assert status(opened) == "Done."


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("path", ["", "docs"])
def test_nothing_is_wider_than_the_screen(opened: Browser, width: int, path: str) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 800}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    if path:
        opened.get(opened.current_url + path)
    else:
        compare(opened, **TEXTS)
    assert script(opened, "return document.documentElement.scrollWidth") <= width
    assert opened.get_log("browser") == []
