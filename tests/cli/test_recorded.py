"""Command lines answer what they answered when they were recorded (tests/cli/recorded)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "recorded"))
import record

QUICK = [block for block in record.blocks() if not block.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[record.Folder]:
    base = tmp_path_factory.mktemp("recorded")
    with record.surroundings(base):
        yield record.Folder(base)


@pytest.mark.parametrize("block", QUICK, ids=lambda block: block.lines[-1][:60])
def test_a_block_answers_as_recorded(block: record.Block, folder: record.Folder) -> None:
    shown = [f"$ cupel {line}\n{text}" for line, text in record.differences([block], folder)]
    assert not shown, "\n\n".join(shown)


def test_every_option_is_used() -> None:
    assert list(record.unused_options()) == []


def test_every_line_is_recorded() -> None:
    keys = [key for block in record.blocks() for key in block.names]
    assert sorted(keys) == sorted(record.recording())
