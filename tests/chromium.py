"""A real browser for the tests of pages: Chromium without a window, driven by selenium.

Tests are skipped where selenium, Chromium or its driver is not there; the reason says what to install.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

Browser = Any


def program(*names: str) -> str | None:
    return next((path for name in names if (path := shutil.which(name))), None)


CHROMIUM = program("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DRIVER = program("chromedriver", "chromium.chromedriver")
SELENIUM = find_spec("selenium")
ABSENT = [
    what
    for what, path in {"selenium": SELENIUM, "chromium": CHROMIUM, "chromedriver": DRIVER}.items()
    if path is None
]
NEEDED = pytest.mark.skipif(
    bool(ABSENT),
    reason=f"needs {' and '.join(ABSENT)}: `pip install selenium`, and the system's packages, on "
    "Debian `apt install chromium chromium-driver`",
)
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --force-prefers-reduced-motion --window-size=1200,900"
)


def started(profile: Path, *, javascript: bool = True) -> Browser:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    if not javascript:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2}
        )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    return webdriver.Chrome(options=options, service=service)
