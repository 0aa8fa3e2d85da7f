"""Imports point one way along the road from text to verdicts, never back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import cupel

HOME = Path(cupel.__file__).parent
ORDER = (
    "errors console checksums folders code_digest options presets arrays corpus reading batch metric alignments significance "
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


STILL_BACK = {("metrics.red", "metrics.red_alignment"), ("mutt.suites", "mutt.challenge")}
"""Imports that close a cycle inside a room, to be mended."""


def module_imports(path: Path) -> Iterator[str]:
    """The modules that a file imports when it runs, at its top or later; without `cupel.`."""
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cupel."):
            home = str(node.module).removeprefix("cupel.")
            yield from (home, *(f"{home}.{name.name}" for name in node.names))


def test_no_modules_of_a_room_import_each_other() -> None:
    paths = {
        ".".join(path.relative_to(HOME).with_suffix("").parts): path for path in HOME.rglob("*.py")
    }
    graph = {
        module: {
            other
            for other in module_imports(path)
            if other in paths
            and other.partition(".")[0] == module.partition(".")[0]
            and (module, other) not in STILL_BACK
        }
        for module, path in paths.items()
    }
    TopologicalSorter(graph).prepare()  # an error names the modules of a cycle


DIVISION = ("model", "files", "data", "training")
PARTS = (
    "model/network",
    "files",
    "data/examples",
    "training/settings",
    "training/loop",
    "training/run",
)


def test_learned_metrics_are_divided_alike() -> None:
    """Each room has the same parts, and a part imports from those before it."""
    rooms = [path for path in (HOME / "learned").iterdir() if (path / "__init__.py").exists()]
    assert {room.name for room in rooms} == {"reval", "nnrk", "assay"}
    for room in rooms:
        for part in PARTS:
            assert (room / f"{part}.py").is_file(), f"{room.name} has no {part}.py"
        for path in room.rglob("*.py"):
            part = path.relative_to(room).parts[0].removesuffix(".py")
            for other in module_imports(path):
                _, name, below = [*other.split("."), "", ""][:3]
                if other.startswith("learned.") and below in DIVISION:
                    assert name == room.name, f"{path} imports from {name}"
                    assert DIVISION.index(below) <= DIVISION.index(part), f"{path}: {other}"
