"""Imports point one way along the road from text to verdicts, never back and never in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import cupel

HOME = Path(cupel.__file__).parent
ORDER = (
    "errors pool questions names records console folders mapped_file cache checksums models code_digest options "
    "descriptions presets arrays corpus reading provenance batch metric blocks totals alignments significance "
    "system_ranking scores meaning planning gates kernels text syntax data human neural registry "
    "learned metrics scoring engines meta choosing tuning mutt diagnose report adapters papers cli training "
    "__init__ __main__"
).split()
"""A room imports from those before it; the registry finds metrics by name, when one is asked for."""
BACK = {("registry", "metrics")}
SHELLS_OUT = {"papers", "cli"}
"""`cupel reproduce --full` trains by running `cupel train`."""
STARTS_WORKERS = HOME / "pool.py"
"""The pool starts Python itself, for the same package."""
SHELLS_OUT_TOO = HOME / "data" / "clones.py"
"""`cupel data get --from CLONE` reads a clone through git, the one program that reads all its formats."""
ON_THE_NETWORK = HOME / "data" / "download.py"
LISTENING = HOME / "adapters" / "service" / "server.py"
"""`cupel serve` waits for requests and sends none."""
_NETWORK = re.compile(
    r"(socket(server)?|ssl|ftplib|smtplib|xmlrpc|urllib\.request|http\.(client|server)|urllib3|requests"
    r"|httpx|aiohttp|huggingface_hub)(\.|$)"
)
_STARTS_A_PROCESS = re.compile(r"system|popen|exec[lv]\w*|spawn\w*|posix_spawnp?|fork(pty)?")

FILES = {
    ".".join(path.relative_to(HOME.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in HOME.rglob("*.py")
}


def nodes(path: Path, types: bool = True) -> Iterator[ast.AST]:
    """The syntax of a file, with or without what only a type checker reads."""
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not types:
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def imports(path: Path, types: bool = True) -> Iterator[str]:
    """The modules of Cupel that a file imports, at its top or inside functions."""
    for node in nodes(path, types):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            for name in node.names:
                module = f"{node.module}.{name.name}"
                if module in FILES:
                    yield module
                elif node.module in FILES and node.module != "cupel":
                    yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in FILES)


def room_of(path: Path) -> str:
    return path.relative_to(HOME).parts[0].removesuffix(".py")


def test_every_room_has_its_place() -> None:
    rooms = {room_of(path) for path in FILES.values()}
    assert rooms == set(ORDER)


def test_imports_point_one_way() -> None:
    for path in FILES.values():
        room = room_of(path)
        for module in imports(path):
            other = module.split(".")[1] if module != "cupel" else "__init__"
            assert ORDER.index(other) <= ORDER.index(room) or (room, other) in BACK, (
                f"{path.relative_to(HOME)} imports {module}"
            )


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {module: set(imports(path, types=False)) for module, path in FILES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


DIVISION = ("model", "files", "data", "training")


def test_learned_metrics_are_divided_alike() -> None:
    """Each room has the same parts, and a part imports from those before it."""
    rooms = [path for path in (HOME / "learned").iterdir() if (path / "__init__.py").exists()]
    assert {room.name for room in rooms} == {"reval", "nnrk", "assay"}
    for room in rooms:
        for part in ("model/network", "files", "data/examples", "training/settings",
                     "training/loop", "training/run"):  # fmt: skip
            assert (room / f"{part}.py").is_file(), f"{room.name} has no {part}.py"
        for path in room.rglob("*.py"):
            part = path.relative_to(room).parts[0].removesuffix(".py")
            for module in imports(path):
                _, home, name, below = [*module.split("."), "", "", ""][:4]
                if home == "learned" and below:
                    assert name == room.name, f"{path} imports {module}"
                    assert DIVISION.index(below) <= DIVISION.index(part), f"{path}: {module}"


def test_only_reproduce_opens_the_papers() -> None:
    openers = {
        path.relative_to(HOME).as_posix()
        for path in FILES.values()
        if room_of(path) != "papers"
        and any(module.startswith("cupel.papers") for module in imports(path))
    }
    assert openers == {"cli/reproduce.py"}


def starts_processes(path: Path) -> Iterator[str]:
    """What a file has to run other programs with."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in ("subprocess", "pty"))
        elif isinstance(node, ast.ImportFrom) and node.module in ("subprocess", "pty"):
            yield node.module
        elif isinstance(node, ast.ImportFrom) and node.module in ("os", "asyncio"):
            names = (name.name for name in node.names)
            yield from (name for name in names if is_process(f"{node.module}.{name}"))
        elif isinstance(node, ast.Attribute) and is_process(ast.unparse(node)):
            yield ast.unparse(node)


def is_process(name: str) -> bool:
    module, _, function = name.rpartition(".")
    if module == "asyncio":
        return function.startswith("create_subprocess")
    return module == "os" and _STARTS_A_PROCESS.fullmatch(function) is not None


def test_nothing_else_shells_out() -> None:
    for path in FILES.values():
        if room_of(path) not in SHELLS_OUT and path not in (SHELLS_OUT_TOO, STARTS_WORKERS):
            assert not list(starts_processes(path)), path.relative_to(HOME)


def modules(path: Path) -> Iterator[str]:
    """Everything that a file imports, from anywhere."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_only_one_module_reaches_the_network() -> None:
    users = {path for path in FILES.values() if any(map(_NETWORK.match, modules(path)))}
    assert users == {ON_THE_NETWORK, LISTENING}
    importers = {
        path.relative_to(HOME).as_posix()
        for path in FILES.values()
        if "cupel.data.download" in imports(path)
    }
    assert importers == {"data/places.py", "data/get_models.py"}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import subprocess", ["subprocess"]),
        ("def f():\n    from subprocess import run", ["subprocess"]),
        ("import os\nos.system('ls')", ["os.system"]),
        ("from os import execvp, path", ["execvp"]),
        ("import os\nos.spawnlp(0, 'a')\nos.posix_spawn('a', [], {})", 2),
        ("import os\nos.path.join('a')\nos.replace('a', 'b')\nos.fsync(1)", []),
        ("import asyncio\nasyncio.create_subprocess_exec('a')", ["asyncio.create_subprocess_exec"]),
    ],
)
def test_shelling_out_is_seen(tmp_path: Path, source: str, found: list[str] | int) -> None:
    (tmp_path / "module.py").write_text(source)
    seen = list(starts_processes(tmp_path / "module.py"))
    assert (len(seen) if isinstance(found, int) else seen) == found
