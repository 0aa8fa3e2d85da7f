"""Imports point one way along the road from text to verdicts, never back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import cupel

HOME = Path(cupel.__file__).parent
ORDER = (
    "errors console checksums folders code_digest options descriptions presets arrays corpus reading batch metric alignments significance "
    "scores kernels text syntax data human neural registry learned metrics scoring meta tune mutt "
    "report papers cli __init__ __main__"
).split()
"""A room imports from those before it; the registry finds metrics by name, when one is asked for."""
BACK = {("registry", "metrics")}


def imports(path: Path) -> Iterator[str]:
    """The rooms and modules of Cupel that a file imports, at its top or later."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "cupel":
            yield from (name.name for name in node.names if name.name != "__version__")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cupel."):
            yield str(node.module).split(".")[1]


def test_imports_point_one_way() -> None:
    rooms = {path.name.removesuffix(".py") for path in HOME.iterdir() if path.name[0] not in "."}
    assert rooms - {"resources", "py.typed", "__pycache__"} == set(ORDER)
    for path in HOME.rglob("*.py"):
        room = path.relative_to(HOME).parts[0].removesuffix(".py")
        for other in imports(path):
            assert ORDER.index(other) <= ORDER.index(room) or (room, other) in BACK, (
                f"{path.relative_to(HOME)} imports from {other}"
            )
