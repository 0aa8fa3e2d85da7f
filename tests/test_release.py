"""The version is the same everywhere that a user may look for it."""

from __future__ import annotations

import re
from pathlib import Path

import cupel

HOME = Path(__file__).parents[1]


def test_the_citation_and_the_changelog_have_this_version() -> None:
    citation = (HOME / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.M) == [cupel.__version__]
    changelog = (HOME / "CHANGELOG.md").read_text("utf-8")
    releases = re.findall(r"^## (.+)$", changelog, re.M)
    assert releases[0] == "[Unreleased]"
    assert releases[1].startswith(f"[{cupel.__version__}] - ")
