"""A campaign in the report: tasks, who beats whom, and the segments behind it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cupel.errors import CupelError
from cupel.meta.campaign import evaluate
from cupel.meta.task_results import evaluate_tasks
from cupel.report.page import report
from cupel.report.runs import checked


class Words(HTMLParser):
    """All text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.words.append(data.strip())


def page_of(document: str) -> str:
    return report([checked(json.loads(document), "the run")])


def test_an_evaluation_shows_who_beats_whom_and_the_segments() -> None:
    page = page_of(evaluate("sample", ["chrf", "wer"], pairs=["de-en"], resamples=50).to_json())
    words = Words(page).words
    assert "Which metric beats which" in words
    assert "Where metrics disagree with people" in words
    assert "Where metrics disagree with each other" in words
    assert "de-en: chrf and people" in words
    assert "Metric against human scores" in words
    assert page.count("<article>") == 3 * 8


def test_tasks_have_a_table_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "tasks.toml"
    file.write_text(
        'compare = "perm-both"\npermutations = 50\n[[tasks]]\npair = ["de-en", "zh-en"]\n'
        'statistic = "pearson"\n'
    )
    result = evaluate_tasks("sample", ["chrf", "wer"], tasks=str(file))
    words = Words(page_of(result.to_json())).words
    for expected in ("Mean rank", "Task 2", "zh-en", "Which metric beats which"):
        assert expected in words


@pytest.mark.parametrize("name", ["contest", "disagreements"])
def test_what_was_edited_is_refused(name: str) -> None:
    evaluation = evaluate("sample", ["chrf", "wer"], pairs=["de-en"], resamples=5)
    document = json.loads(evaluation.to_json())
    del document[name][0]["metric"]
    with pytest.raises(CupelError, match=f'^the run: "{name}" is not as `cupel meta` writes it'):
        report([checked(document, "the run")])
