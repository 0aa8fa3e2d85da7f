"""The page of a diagnosis: what it holds, and in a real browser what a click on a bucket shows."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import cupel
from chromium import NEEDED, started
from cupel.corpus import Corpus
from cupel.diagnose.run import Diagnosis
from cupel.report.diagnosis import diagnosis_page

ROWS = range(48)
REFERENCES = [
    f"the old bridge <b>{row}</b> is long" if row % 4 == 0 else "it rains" for row in ROWS
]


@pytest.fixture(scope="module")
def diagnosed() -> Diagnosis:
    worse = [line.replace(" is long", "") for line in REFERENCES]
    corpus = Corpus.of(
        {"run.alpha.x": REFERENCES, "run.beta.x": worse, "run.gamma.x": REFERENCES}, REFERENCES
    )
    return cupel.diagnosis(corpus, metrics="chrf", parser="none", resamples=20)


def test_it_names_systems_shortly_and_escapes_text(diagnosed: Diagnosis) -> None:
    page = diagnosis_page(diagnosed)
    assert "alpha.x against" not in page
    assert "beta, gamma against alpha" in page.partition("</h1>")[0]
    assert "<b>0</b>" not in page
    assert page.count('<table class="sortable">') >= 3
    assert page.count("<svg") >= len(diagnosed.findings)


@NEEDED
def test_a_click_on_a_bucket_shows_its_segments(diagnosed: Diagnosis, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(diagnosis_page(diagnosed), encoding="utf-8")
    browser = started(tmp_path / "profile")
    try:
        browser.get((tmp_path / "page.html").as_uri())
        until = time.monotonic() + 30
        while browser.execute_script("return document.documentElement.dataset.ready") != "yes":
            assert time.monotonic() < until, browser.get_log("browser")
            time.sleep(0.02)
        link = browser.find_element("link text", "contains: number")
        browser.execute_script("arguments[0].click()", link)
        status = browser.find_element("css selector", "#browser [role=status]").text
        assert status == "1 to 12 of 12 segments"
        shown = browser.find_elements("css selector", "article .who")
        assert "beta" in [one.text for one in shown]
        first = browser.find_element("css selector", "article h3").text
        assert (int(first.split()[-1]) - 1) % 4 == 0
        header = browser.find_element("css selector", "#buckets-1 thead th:nth-child(6) button")
        browser.execute_script("arguments[0].click()", header)
        cells = browser.find_elements("css selector", "#buckets-1 tbody tr td:nth-child(6)")
        values = [float(cell.get_attribute("data-value")) for cell in cells]
        assert values == sorted(values, reverse=True)
        assert browser.get_log("browser") == []
    finally:
        browser.quit()
