"""The page of an annotator in a real browser: by keyboard, mouse and finger, up to the imported judgments.

Skipped where selenium, Chromium or its driver is not there; the reason says what to install.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from chromium import NEEDED, Browser, started
from cupel.human.raw.annotations import Notes
from cupel.human.raw.sheets import Answer, read_sheets
from cupel.human.tasks.key import key_text
from cupel.human.tasks.sheets import make_sheets
from cupel.human.tasks.task import Before, Task
from cupel.questions.annotate import Annotate
from cupel.report.annotation import annotation_page

pytestmark = NEEDED
SEEDS = count()
PAIR = Task(
    7,
    "Good day, everybody!",
    {"secret-one": "😀 Gut Tag <b>alle</b>!", "secret-two": "Guten Tag an alle!"},
    "Guten Tag!",
    "en-de",
    "d",
    (Before("Hello.", {"secret-one": "Hallo.", "secret-two": "He."}),),
)


def annotate(**fields: Any) -> Annotate:
    return Annotate(tasks=Path("tasks.jsonl"), **fields)


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, downloads: Path) -> Iterator[Browser]:
    driver = started(tmp_path_factory.mktemp("profile"))
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
    )
    yield driver
    driver.quit()


def written(folder: Path, tasks: Sequence[Task], protocol: str, **plan: Any) -> Path:
    """A page and its key; without checks and repeats unless asked for."""
    given = {"checks": 0, "repeats": 0, "seed": next(SEEDS), **plan}  # so that ids are new
    sheets = make_sheets(tasks, annotate(protocol=protocol, **given))
    (folder / "tasks.key.json").write_text(key_text(sheets, "tasks"), encoding="utf-8")
    page = folder / "tasks.html"
    page.write_text(annotation_page(sheets, "1", "tasks"), encoding="utf-8")
    return page


def size(browser: Browser, width: int, height: int = 900) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )


def opened(browser: Browser, page: Path, width: int = 1100) -> Browser:
    size(browser, width)
    browser.get(page.as_uri())
    until = time.monotonic() + 30
    while browser.execute_script("return document.documentElement.dataset.ready") != "yes":
        assert time.monotonic() < until, browser.get_log("browser")
        time.sleep(0.02)
    return browser


def begun(browser: Browser, page: Path, width: int = 1100) -> Browser:
    opened(browser, page, width)
    field = browser.find_element("id", "name")
    field.clear()
    field.send_keys("Änne B")
    press(browser, "\ue007")
    return browser


def elsewhere(browser: Browser, folder: Path) -> None:
    """Another device: what this browser has kept is forgotten, from a page that keeps nothing."""
    (folder / "empty.html").write_text("<title>empty</title>", encoding="utf-8")
    browser.get((folder / "empty.html").as_uri())
    browser.execute_script("localStorage.clear()")


def press(browser: Browser, *keys: str) -> None:
    """Keys to whatever has the focus; a key with Shift or Control is written `shift+KEY`."""
    from selenium.webdriver.common.action_chains import ActionChains

    chain = ActionChains(browser, duration=0)
    for key in keys:
        held, plus, rest = key.partition("+")
        if plus and held in ("shift", "control"):
            code = {"shift": "\ue008", "control": "\ue009"}[held]
            chain.key_down(code).send_keys(rest).key_up(code)
        else:
            chain.send_keys(key)
    chain.perform()


RIGHT, LEFT, ENTER, TAB, END = "\ue014", "\ue012", "\ue007", "\ue004", "\ue010"


def words(browser: Browser, label: str = "Translation") -> dict[str, Any]:
    found = browser.find_elements("css selector", f"[aria-label^='{label}'] [role=option]")
    return {word.text: word for word in found}


def text_of(browser: Browser, selector: str) -> str:
    return str(browser.find_element("css selector", selector).text)


def saved(browser: Browser, downloads: Path) -> Path:
    """The file that the page saves, once all of it is there: browsers begin with an empty one."""
    path = downloads / "tasks-Änne_B.json"
    path.unlink(missing_ok=True)
    browser.find_element("css selector", "header .save").click()
    until = time.monotonic() + 20
    while not _is_whole(path):
        assert time.monotonic() < until, browser.get_log("browser")
        time.sleep(0.05)
    return path


def _is_whole(path: Path) -> bool:
    try:
        return bool(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


def answers(browser: Browser, downloads: Path, page: Path) -> list[Answer]:
    """What is saved, as it is imported: nothing is noted against it."""
    notes = Notes()
    (sheet,) = read_sheets([saved(browser, downloads)], notes, [page.with_name("tasks.key.json")])
    assert notes.sentences() == []
    assert sheet.annotator == "Änne B"
    return list(sheet.answers.values())


def test_esa_by_keyboard_alone(browser: Browser, downloads: Path, tmp_path: Path) -> None:
    page = written(tmp_path, [PAIR], "esa")
    assert "secret" not in page.read_text("utf-8")
    begun(browser, page)
    assert text_of(browser, "#place") == "Task 1 of 2"
    assert "Hello." in text_of(browser, ".context")
    press(browser, ENTER)
    assert text_of(browser, "#status") == "Give a score first."
    press(browser, RIGHT, RIGHT, f"shift+{RIGHT}", "2")  # the second and third word
    press(browser, "m")
    slider = browser.find_element("id", "score")
    slider.send_keys(RIGHT, RIGHT)  # from the middle
    press(browser, ENTER)
    assert text_of(browser, "#place") == "Task 2 of 2"
    browser.find_element("css selector", "[aria-label='Score as a number']").send_keys("100")
    press(browser, ENTER)
    assert text_of(browser, "#left") == "All tasks are done. Thank you!"
    one, other = answers(browser, downloads, page)
    assert (one.score, other.score) == (52.0, 100.0)
    text = one.screen.options[0].text
    marks = [(text[e.start : e.end], e.severity, e.category) for e in one.errors]
    second_third = " ".join(text.split()[1:3])
    assert marks == [(second_third, "major", ""), ("", "major", "missing")]
    assert other.errors == ()
    assert (one.seconds or 0) > 0
    assert browser.get_log("browser") == []


def test_mqm_by_mouse_with_undo(browser: Browser, downloads: Path, tmp_path: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.ui import Select

    page = written(tmp_path, [Task(1, "Good day", {"A": "Gut Tag an alle"}, pair="en-de")], "mqm")
    begun(browser, page)
    there = words(browser)
    there["Gut"].click()
    there["Tag"].click()
    browser.find_element("css selector", "[data-severity=minor]").click()
    chain = ActionChains(browser, duration=50).move_to_element(there["an"]).click_and_hold()
    chain.move_to_element(there["alle"]).release().perform()  # drawn over
    browser.find_element("css selector", "[data-severity=major]").click()
    words(browser, "Source")["day"].click()
    browser.find_element("css selector", "[data-severity=neutral]").click()
    kinds = browser.find_elements("css selector", ".errors select[aria-label^='Kind']")
    Select(kinds[0]).select_by_visible_text("Fluency/Grammar")
    assert "minor" in there["Tag"].get_attribute("class")
    browser.find_elements("css selector", ".errors button")[1].click()  # away with "an alle"
    assert "major" not in there["alle"].get_attribute("class")
    browser.find_element("id", "undo").click()
    assert "major" in words(browser)["alle"].get_attribute("class")
    words(browser)["Gut"].click()  # chosen, and given up again
    words(browser)["Gut"].click()
    browser.find_element("id", "next").click()
    (one,) = answers(browser, downloads, page)
    assert [(e.start, e.end, e.severity, e.category, e.in_source) for e in one.errors] == [
        (0, 7, "minor", "Fluency/Grammar", False),
        (8, 15, "major", "Accuracy/Mistranslation", False),
        (5, 8, "neutral", "Accuracy/Mistranslation", True),
    ]


def test_ranking_and_direct_assessment(browser: Browser, downloads: Path, tmp_path: Path) -> None:
    page = written(tmp_path, [PAIR], "ranking")
    begun(browser, page)
    press(browser, "2", ENTER)
    assert text_of(browser, "#status") == "Give every translation a rank first."
    browser.find_elements("css selector", "fieldset")[1].find_element(
        "css selector", "label"
    ).click()
    press(browser, ENTER)
    (one,) = answers(browser, downloads, page)
    assert [one.ranks[option.id] for option in one.screen.options] in ([2, 1], [1, 2])
    page = written(tmp_path, [PAIR], "da")
    begun(browser, page)
    press(browser, END, ENTER)
    assert text_of(browser, "#place") == "Task 2 of 2"
    browser.find_element("id", "back").click()
    assert browser.find_element("id", "score").get_attribute("value") == "100"
    (answer,) = answers(browser, downloads, page)
    assert answer.score == 100.0


def test_right_to_left_on_a_phone(browser: Browser, downloads: Path, tmp_path: Path) -> None:
    text = "😀 شكرا جزيلا لكم"
    page = written(tmp_path, [Task(1, "תודה", {"A": text}, pair="he-ar")], "mqm")
    begun(browser, page, width=360)
    box = browser.find_element("css selector", "[aria-label^='Translation']")
    assert box.get_attribute("dir") == "rtl"
    assert box.get_attribute("lang") == "ar"
    press(browser, LEFT, LEFT, f"shift+{LEFT}", "1")  # forward is to the left
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= 360
    small = browser.execute_script(
        "return [...document.querySelectorAll('#work button, #work select')]"
        ".filter(b => b.offsetParent && b.getBoundingClientRect().height < 40).length"
    )
    assert small == 0
    browser.find_element("id", "next").click()
    (one,) = answers(browser, downloads, page)
    assert [text[e.start : e.end] for e in one.errors] == ["شكرا جزيلا"]


def test_five_hundred_segments_and_a_reload(
    browser: Browser, downloads: Path, tmp_path: Path
) -> None:
    tasks = [Task(n, f"source {n}", {"A": f"Text {n} " * 20}, pair="en-de") for n in range(1, 501)]
    page = written(tmp_path, tasks, "mqm", checks=0.05, repeats=0.05)
    begun(browser, page)
    press(browser, *[ENTER] * 40)
    assert text_of(browser, "#place") == "Task 41 of 550"
    press(browser, RIGHT, "1")
    opened(browser, page)
    assert text_of(browser, "#place") == "Task 41 of 550"
    assert text_of(browser, "#count") == "40 of 550 done"
    assert len(browser.find_elements("css selector", ".errors li")) == 1
    assert len(answers(browser, downloads, page)) == 40
    assert page.stat().st_size < 1_000_000


FILL = """
let n = 0;
for (const size of [100000, 1000, 10]) {
  const value = "x".repeat(size);
  try { for (;; n += 1) localStorage.setItem("fill" + n, value); } catch {}
}
return n;
"""


def test_full_storage_is_said_and_nothing_is_lost(
    browser: Browser, downloads: Path, tmp_path: Path
) -> None:
    page = written(tmp_path, [PAIR], "da")
    begun(browser, page)
    assert not browser.find_element("id", "storage").is_displayed()
    assert browser.execute_script(FILL) > 10
    press(browser, END, ENTER)
    assert "cannot keep your work" in text_of(browser, "#storage")
    path = saved(browser, downloads)
    assert len(json.loads(path.read_text("utf-8"))["judgments"]) == 1
    browser.execute_script("localStorage.clear()")
    browser.find_element("id", "score").send_keys(END)
    assert not browser.find_element("id", "storage").is_displayed()


def test_a_saved_file_is_read_again(browser: Browser, downloads: Path, tmp_path: Path) -> None:
    page = written(tmp_path, [PAIR], "da")
    begun(browser, page)
    press(browser, END, ENTER)
    path = saved(browser, downloads)
    copy = tmp_path / "saved.json"
    copy.write_bytes(path.read_bytes())
    elsewhere(browser, tmp_path)
    opened(browser, page)
    browser.find_element("id", "load").send_keys(str(copy))
    until = time.monotonic() + 10
    while not text_of(browser, "#loaded") and time.monotonic() < until:
        time.sleep(0.02)
    assert text_of(browser, "#loaded") == "1 judgments were read from the file."
    browser.find_element("css selector", "#begin button").click()
    assert text_of(browser, "#place") == "Task 2 of 2"
    copy.write_text(path.read_text("utf-8").replace('"tasks":"', '"tasks":"0'), encoding="utf-8")
    elsewhere(browser, tmp_path)
    opened(browser, page)
    browser.find_element("id", "load").send_keys(str(copy))
    while not text_of(browser, "#loaded") and time.monotonic() < until:
        time.sleep(0.02)
    assert "belongs to other tasks" in text_of(browser, "#loaded")
