"""No file over 400 lines, and no function over 80.

The signature of a command is its list of options with their help: only its body counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "tools", "benchmarks")
FILES = {
    path.relative_to(HOME).as_posix(): path.read_text(encoding="utf-8")
    for folder in FOLDERS
    for suffix in ("py", "c", "h")
    for path in (HOME / folder).rglob(f"*.{suffix}")
}
LONGEST_FILE, LONGEST_FUNCTION = 400, 80


_C_FUNCTION = re.compile(r"^(?!typedef|enum)\w[^;{}]*\) \{\n.*?^\}$", re.MULTILINE | re.DOTALL)


def long_c_functions(path: str) -> Iterator[str]:
    for function in _C_FUNCTION.findall(FILES[path]):
        if function.count("\n") >= LONGEST_FUNCTION:
            yield f"{path}: {function.partition(chr(10))[0]}"


def long_functions(path: str) -> Iterator[str]:
    if not path.endswith(".py"):
        yield from long_c_functions(path)
        return
    for node in ast.walk(ast.parse(FILES[path])):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0].lineno if path.startswith("src/cupel/cli/") else node.lineno
            if (node.end_lineno or first) - first + 1 > LONGEST_FUNCTION:
                yield f"{path}: {node.name}"


def test_no_file_is_too_long() -> None:
    assert len(FILES) > 300
    assert [path for path, text in FILES.items() if text.count("\n") > LONGEST_FILE] == []


def test_no_function_is_too_long() -> None:
    assert [name for path in FILES for name in long_functions(path)] == []
