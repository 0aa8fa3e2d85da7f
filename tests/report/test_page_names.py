"""On a page systems have short names in every section, and rows for programs keep the whole ones."""

from __future__ import annotations

import cupel
from cupel.corpus import Corpus
from cupel.report.page import html_report
from cupel.report.runs import Run

LONG = ("newstest2014.CMU.3461.de-en", "newstest2014.DCU-ICTCAS-Tsinghua-L.3444.de-en")
TEXTS = (["the cat sat", "a dog ran home"], ["the cat sits", "one dog ran"])


def corpus() -> Corpus:
    references = [["the cat sat"], ["the dog ran home"]]
    return Corpus(dict(zip(LONG, TEXTS, strict=True)), references)


def test_a_page_has_short_names_only() -> None:
    page = html_report(cupel.score(corpus(), metrics=["chrf", "meteor"]), resamples=20)
    assert "DCU-ICTCAS-Tsinghua-L.3444" in page
    assert "CMU.3461 and DCU-ICTCAS-Tsinghua-L.3444" in page  # the title
    assert "newst" not in page
    assert "…" not in page.split("<script")[0].split("</style>")[1]


def test_rows_keep_whole_names_and_notebooks_show_short_ones() -> None:
    scores = cupel.score(corpus(), metrics=["chrf"])
    assert {row["system"] for row in scores.rows()} == set(LONG)
    table = scores._repr_html_()
    assert "CMU.3461" in table
    assert "newstest" not in table
    assert table.count("<svg") == 2  # the intervals, which belong to the shown names


def test_runs_of_metrics_are_not_touched() -> None:
    from cupel.report.naming import page_names, renamed_run

    run = Run("mutt", [{"system": "a.b"}], {})
    assert page_names([run], None) == {}
    assert renamed_run(run, {}) is run
