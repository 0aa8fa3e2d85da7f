"""Graded campaigns by name: found as every dataset is, with the figures of their folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import packs
from cupel.errors import CupelError, MissingPart
from cupel.meta.campaign import evaluate


def test_a_name_and_its_folder_give_the_same(pack: Callable[[str], Path]) -> None:
    folder = pack("ted21")
    by_name = evaluate("ted21", "chrf", pairs=["zh-en"], resamples=0, use_cache=False)
    by_folder = evaluate(str(folder), "chrf", pairs=["zh-en"], resamples=0, use_cache=False)
    assert by_name.value("chrf", "zh-en") == by_folder.value("chrf", "zh-en")
    assert by_name.dataset == "ted21"


def test_a_folder_beside_you_does_not_hide_a_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path / "none"))
    packs.build(tmp_path / "ted21", "ted21")
    with pytest.raises(MissingPart, match=r"^The dataset ted21 is not here"):
        evaluate("ted21", "chrf")
    with pytest.raises(CupelError, match=r"^There are no judgments called 'da15': name one of"):
        evaluate("da15", "chrf")
