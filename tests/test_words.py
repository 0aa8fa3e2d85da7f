"""Words that do not come back: turns of phrase that readers stumble over, names that say nothing.

The turns are looked for in the whole text of source files (help texts, docstrings, errors, comments)
and of the pages for users; the names among everything that the code binds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "cupel"
WORD_LISTS = ("text/content_words.py", "mutt/verbs.py", "learned/assay/data/corruptions.py")

TURNS = (
    r"anew", r"as yet", r"be had", r"heed(s|ed)?",
    r"hitherto", r"lean(s|ing)? on", r"lest", r"make no remarks", r"nought", r"of yours", r"one's own",
    r"shall", r"thereof", r"to boot", r"upon", r"whereof", r"whom", r"whose like",
)  # fmt: skip
"""Regular expressions of old-fashioned turns, matched as whole words whatever their case."""
NAMES = {"found", "known", "said", "tell", "told", "wanted"}
"""Names for which a noun is better: `matches`, `names`, `sentence`; a check that raises: `check_...`."""

_TURN = re.compile(rf"\b({'|'.join(TURNS)})\b", re.IGNORECASE)


def sources() -> list[Path]:
    skipped = [SOURCES / name for name in WORD_LISTS]
    return [
        path
        for path in sorted(SOURCES.rglob("*.py"))
        if not any(path.is_relative_to(other) for other in skipped)
    ]


def pages() -> list[Path]:
    """The pages for users; docs/research keeps lab notes as they were written."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def turns_in(path: Path) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}, line {number}: {match[0]}"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        for match in _TURN.finditer(line)
    ]


@pytest.mark.parametrize("path", [*sources(), *pages()], ids=lambda path: path.name)
def test_no_old_fashioned_turns(path: Path) -> None:
    assert turns_in(path) == []


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Variables, parameters, functions, classes and keyword arguments, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_names_are_nouns(path: Path) -> None:
    names = bound_names(ast.parse(path.read_text("utf-8")))
    poor = [f"{name}, line {line}" for name, line in names if name.strip("_").lower() in NAMES]
    assert poor == []


def test_a_turn_is_noticed(tmp_path: Path) -> None:
    assert _TURN.findall("Train models Anew; one's own parser is not to be had.") != []
    assert _TURN.search("The language of the renewed shallow panel.") is None
    assert list(bound_names(ast.parse("def told(known): wanted = known"))) == [
        ("told", 1), ("known", 1), ("wanted", 1)
    ]  # fmt: skip
