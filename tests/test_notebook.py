"""The notebook in docs/ runs, and the outputs stored in it are what runs."""

from __future__ import annotations

import json
import re

import cupel
from run_notebook import NOTEBOOK, executed, written


def test_the_outputs_of_the_notebook_are_what_runs() -> None:
    """Where this fails because results changed: `python tests/run_notebook.py`."""
    stored = json.loads(NOTEBOOK.read_text("utf-8"))
    again = executed(stored)
    for cell, fresh in zip(stored["cells"], again["cells"], strict=True):
        assert cell == fresh, "".join(cell["source"])
    assert written(again) == NOTEBOOK.read_text("utf-8")
    kinds = {
        kind
        for cell in stored["cells"]
        for o in cell.get("outputs", ())
        for kind in o.get("data", ())
    }
    assert kinds == {"text/plain", "text/html", "image/svg+xml"}


def test_intervals_are_drawn_below_the_scores() -> None:
    scores = cupel.score(cupel.data.sample(), metrics=["bleu", "ter"])
    drawn = re.findall(r"<title>(.*?)</title>", scores._repr_html_())
    assert drawn == [
        f"{interval.low:.4g} to {interval.high:.4g}"
        for pair in zip(*(scores.intervals(m).values() for m in scores.metrics), strict=True)
        for interval in pair
    ]
    assert repr(scores).startswith("Scores(systems=['careful', 'decent', 'rough', 'broken'], metr")
    tests = cupel.unit_tests("wer", "sample", corruptions=["passive"])
    (result,) = tests.results
    (interval,) = re.findall(r"<title>(.*?)</title>", tests._repr_html_())
    assert interval == "{:.4g} to {:.4g}".format(*result.interval)
