"""The compiled kernels: as they are declared, of their sources, on any processor, nothing at first use."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cupel.kernels
from cupel.kernels import FOLDER, LIBRARY, Handed, kernel
from cupel.kernels.edits import best_edits, levenshtein

ROOT = Path(__file__).parent.parent
C_TYPES = {"double": "f64", "float": "f32", "uint16_t": "u16", "Match": "i32", "Phrase": "i32",
           "Node": "i32", "Structure": "i32", "Costs": "f64", "Limits": "i64"}  # fmt: skip
"""As declared in Python; structures are arrays of their fields."""


def prototypes() -> dict[str, str]:
    """The kernels in the C sources, with the types of their parameters."""
    found = {}
    for path in FOLDER.glob("*.c"):
        for name, listed in re.findall(
            r"^KERNEL\((\w+)\)\((.*?)\n?\) \{$", path.read_text(), re.M | re.S
        ):
            types = []
            for parameter in listed.split(","):
                words = re.findall(r"\w+", parameter.replace("const ", ""))
                stars = "*" * (
                    parameter.count("*") or 1 if "*" in parameter or "[" in parameter else 0
                )
                types.append(C_TYPES.get(words[0], words[0]) + stars)
            found[name] = " ".join(types)
    return found


def declarations() -> dict[str, str]:
    return {
        name: types
        for path in FOLDER.glob("*.py")
        for name, types in re.findall(r'kernel\(\s*"(\w+)",\s*"([^"]+)",?\s*\)', path.read_text())
    }


def test_kernels_are_declared_as_they_are_written() -> None:
    assert len(prototypes()) > 25
    assert declarations() == prototypes()


def test_arrays_of_another_type_are_refused() -> None:
    ids = np.arange(5)
    with pytest.raises(ctypes.ArgumentError, match="contiguous array of int32, got int64"):
        levenshtein(ids, ids)  # type: ignore[arg-type]
    with pytest.raises(ctypes.ArgumentError, match="contiguous array of int32"):
        levenshtein(np.arange(9, dtype=np.int32)[::2], ids.astype(np.int32))


def test_too_little_memory_is_an_error_like_others() -> None:
    one = np.zeros(1, np.int64), np.zeros(1, np.int64), np.arange(2)
    arguments = np.zeros(1, np.int32), np.arange(2), *one
    assert best_edits(*arguments, 1, 0).tolist() == [[0.0, 1.0]]
    for vocabulary in (1 << 50, 1 << 62, -1):
        with pytest.raises(MemoryError, match="not enough memory"):
            best_edits(*arguments, vocabulary, 0)


def test_what_a_kernel_hands_over_is_copied() -> None:
    library = cupel.kernels.library()
    rows = Handed()
    offsets = np.array([0, 2])
    spans = np.array([0, 1], np.int32), np.array([1, 1], np.int32), np.array([2, 1], np.int32)
    children, starts, ends = np.array([1], np.int32), np.array([0, 1, 1]), np.zeros(2, np.int64)
    declared = kernel("find_structures", declarations()["find_structures"])
    declared(offsets, 1, *spans, children, starts, 3, ends, rows)
    assert rows.taken(3).tolist() == [[0, 0, 2]]
    assert library is cupel.kernels.library()


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64") or not shutil.which("objdump"),
    reason="no objdump, or no x86 processor",
)
def test_any_processor_will_do() -> None:
    """Nothing beyond SSE2, which every x86-64 has: no AVX, no FMA."""
    code = subprocess.run(["objdump", "-d", LIBRARY], capture_output=True, text=True, check=True)
    assert "cupel_" in code.stdout
    assert not re.search(r"%[yz]mm|\tv[a-z0-9]+ ", code.stdout)


def copied_package(folder: Path) -> Path:
    """A copy of what a kernel needs, in a checkout."""
    package = folder / "src" / "cupel"
    shutil.copytree(FOLDER, package / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("__init__.py", "arrays.py", "errors.py"):
        shutil.copy(FOLDER.parent / name, package / name)
    (folder / "hatch_build.py").touch()
    return package / "kernels"


def first_use(kernels: Path) -> str:
    code = (
        "import numpy as np\ntry:\n    from cupel.kernels.edits import levenshtein\n"
        "    one = np.arange(3, dtype=np.int32)\n    print(levenshtein(one, one[:2]))\n"
        "except Exception as error: print(f'{type(error).__name__}: {error}')"
    )
    environment = {**os.environ, "PYTHONPATH": str(kernels.parent.parent)}
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True,
        env=environment,
    )  # fmt: skip
    return done.stdout.strip()


def test_a_library_that_is_missing_or_of_no_use_is_told_in_a_sentence(tmp_path: Path) -> None:
    kernels = copied_package(tmp_path)
    library, again = kernels / LIBRARY.name, f"python {tmp_path / 'hatch_build.py'}"
    assert first_use(kernels) == "1"
    with (kernels / "edits.c").open("a") as file:
        file.write("\n")
    assert first_use(kernels) == (
        f"MissingPart: Cupel's compiled part is not that of its C sources: {again}"
    )
    library.write_bytes(b"of another machine")
    assert re.fullmatch(
        f"MissingPart: Cupel's compiled part does not fit this machine (.*): {again}",
        first_use(kernels), re.S,
    )  # fmt: skip
    library.unlink()
    assert (
        first_use(kernels) == f"MissingPart: Cupel's compiled part, {library}, is missing: {again}"
    )
    (tmp_path / "hatch_build.py").unlink()
    assert first_use(kernels).endswith("is missing: pip install --force-reinstall cupel")


def test_first_use_writes_nothing_and_needs_no_home(tmp_path: Path) -> None:
    """So that neither a read-only home nor two processes, one of them killed, can matter."""
    (tmp_path / "ref").write_text("the cat sat on the mat\n")
    (tmp_path / "hyp").write_text("the cat sat on a mat\n")
    before = {path: path.stat().st_mtime_ns for path in FOLDER.iterdir()}
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("CUPEL", "XDG"))}
    environment |= {"HOME": "/nowhere", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "cupel", "score", "ref", "-i", "hyp", "-b", "-m"]
    metrics = "bleu chrf chrf++ ter nist cider rouge-l wer per cder badger ncd".split()
    running = [
        subprocess.Popen(
            [*command, *metrics], cwd=tmp_path, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    first, second = (process.communicate() for process in running)
    assert first == second
    assert len(first[0].split()) == len(metrics)
    assert first[1] == ""
    assert {path: path.stat().st_mtime_ns for path in FOLDER.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hyp", "ref"]


@pytest.fixture
def builder() -> Any:
    """hatch_build.py, as a module."""
    if not (ROOT / "hatch_build.py").is_file():
        pytest.skip("not a checkout")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_builder_and_package_agree(builder: Any) -> None:
    assert builder.library_name() == LIBRARY.name
    assert builder.sources_digest() == cupel.kernels.sources_digest()
    names = {builder.library_name(target) for target in builder.TARGETS}
    assert names == {"library.so", "library.dylib", "library.dll"}
    assert builder.wheel_tag("aarch64-macos.11.0") == "py3-none-macosx_11_0_arm64"
    assert re.fullmatch(r"py3-none-\w+", builder.wheel_tag())


def test_without_a_compiler_the_build_asks_for_zig(
    builder: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", str(tmp_path / "no-compiler"))
    assert builder.own_compiler() is None
    assert builder.KernelsHook.dependencies(None) == [builder.ZIG]
    if importlib.util.find_spec("ziglang") is None:
        with pytest.raises(SystemExit, match=r"No C compiler works here .* `pip install ziglang`"):
            builder.compile_kernels(tmp_path / "library.so")
    monkeypatch.setenv("CUPEL_TARGET", "pdp11-unix")
    with pytest.raises(SystemExit, match="CUPEL_TARGET cannot be 'pdp11-unix'"):
        builder.KernelsHook.dependencies(None)


def test_a_build_that_fails_leaves_the_library_as_it_was(
    builder: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if builder.own_compiler() is None:
        pytest.skip("no compiler")
    sources = tmp_path / "sources"
    sources.mkdir()
    monkeypatch.setattr(builder, "SOURCES", sources)
    out = tmp_path / "out" / "library.so"
    (sources / "one.c").write_text("int one(void) { return 1; }\n")
    builder.compile_kernels(out)
    good = out.read_bytes()
    (sources / "one.c").write_text("int one(void) { return }\n")
    with pytest.raises(SystemExit, match="could not be compiled"):
        builder.compile_kernels(out)
    assert out.read_bytes() == good
    assert [path.name for path in out.parent.iterdir()] == ["library.so"]
