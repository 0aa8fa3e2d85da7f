"""The table in docs/data.md is the one that the catalog and the recipes give."""

from __future__ import annotations

import data_page


def test_the_page_has_the_table_of_the_catalog() -> None:
    assert data_page.PAGE.read_text("utf-8") == data_page.page(), "run tools/data_page.py"


def test_sizes_are_of_what_is_downloaded() -> None:
    assert data_page.download("ted21") == 2_341_948 + 2_597_899  # both tables, not the archive
    assert data_page.download("bio21") == 23_000_000  # the archive is smaller than its files
    assert [data_page.megabytes(n) for n in (917_330, 9_940_000, 9_960_000)] == ["0.9", "9.9", "10"]
