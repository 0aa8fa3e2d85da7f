"""Compile the kernels, `src/cupel/kernels/*.c`, into one library: when the package is built, or by hand.

    python hatch_build.py                     for this machine, into the checkout

hatchling runs it for wheels and for editable installs (`[tool.hatch.build.hooks.custom]`). The
compiler is that of the variable CC, else the first of cc, gcc and clang that works, else Zig's,
which pip installs for the time of the build (package `ziglang`). With CUPEL_TARGET, one of
`TARGETS`, Zig compiles for another platform, whatever this one is.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, without hatchling
    BuildHookInterface = object

SOURCES = Path(__file__).parent / "src" / "cupel" / "kernels"
ZIG = "ziglang>=0.13"

TARGETS = {
    "x86_64-linux-gnu.2.17": "manylinux_2_17_x86_64",
    "aarch64-linux-gnu.2.17": "manylinux_2_17_aarch64",
    "x86_64-linux-musl": "musllinux_1_2_x86_64",
    "aarch64-linux-musl": "musllinux_1_2_aarch64",
    "x86_64-macos.11.0": "macosx_11_0_x86_64",
    "aarch64-macos.11.0": "macosx_11_0_arm64",
    "x86_64-windows-gnu": "win_amd64",
    "aarch64-windows-gnu": "win_arm64",
}
"""Zig's name of each platform that wheels are built for, and that of the wheel."""

# The same numbers on every machine: no fused multiplications, nothing that reorders sums. No
# processor is assumed beyond the first of its kind; measured, AVX2 gains nothing here.
FLAGS = "-std=c11 -O3 -shared -fvisibility=hidden -ffp-contract=off -fno-math-errno -Wall".split()


def compile_kernels(out: Path, target: str | None = None) -> None:
    """Compile all sources into the library `out`, which is replaced as a whole."""
    system = _system(target)
    flags = [*FLAGS, f'-DCUPEL_SOURCES="{sources_digest()}"']
    flags += [] if system == "windows" else ["-fPIC"]
    flags += [] if system == "macos" else ["-s"]
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        made = Path(folder) / out.name
        files = [str(path) for path in sorted(SOURCES.glob("*.c"))]
        done = _run([*_compiler(target), *flags, *files, "-lm", "-o", str(made)])
        if done.returncode:
            sys.exit(f"The kernels could not be compiled:\n{done.stderr}")
        made.replace(out)


def sources_digest() -> str:
    """Of all C sources; `cupel.kernels` computes it too, to know a library that is out of date."""
    whole = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        whole.update(path.name.encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def library_name(target: str | None = None) -> str:
    """As `cupel.kernels.LIBRARY` has it."""
    return "library" + {"windows": ".dll", "macos": ".dylib"}.get(_system(target), ".so")


def wheel_tag(target: str | None = None) -> str:
    """Any Python 3 on one platform: the library does not know of Python."""
    if target:
        return f"py3-none-{TARGETS[target]}"
    if sys.platform == "linux":
        return f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    from packaging.tags import platform_tags

    return f"py3-none-{next(iter(platform_tags()))}"


def _system(target: str | None) -> str:
    if target:
        return target.split("-")[1].partition(".")[0]
    return {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)


def _compiler(target: str | None) -> list[str]:
    own = None if target else own_compiler()
    if own:
        return own
    if find_spec("ziglang") is None:
        sys.exit(
            "No C compiler works here (tried $CC, cc, gcc, clang): install one, or `pip install "
            "ziglang`, which brings one."
        )
    zig = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]
    return [*zig, "-target", target] if target else zig


@cache
def own_compiler() -> list[str] | None:
    """The command of this machine's compiler, if one can make a library; on Windows only CC's."""
    given = os.environ.get("CC")
    commands = [shlex.split(given)] if given else [["cc"], ["gcc"], ["clang"]]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "trial.c"
        source.write_text("#include <math.h>\n#include <setjmp.h>\nint trial(void) { return 0; }\n")
        for command in commands if given or sys.platform != "win32" else []:
            trial = [
                *command,
                "-shared",
                "-fPIC",
                str(source),
                "-o",
                str(source.with_suffix(".so")),
            ]
            try:
                if _run(trial).returncode == 0:
                    return command
            except OSError:
                continue
    return None


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
    """What hatchling calls."""

    def dependencies(self) -> list[str]:
        """Zig, where nothing else can compile."""
        return [ZIG] if _target() or not own_compiler() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile: into the checkout for an editable install, else into the wheel alone."""
        target = _target()
        if version == "editable":
            compile_kernels(SOURCES / library_name())
        else:
            out = self._folder / library_name(target)
            compile_kernels(out, target)
            build_data["force_include"][str(out)] = f"cupel/kernels/{out.name}"
        build_data["pure_python"] = False
        build_data["tag"] = wheel_tag(target)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what is in the wheel by now."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _folder(self) -> Path:
        return Path(self.directory) / ".kernels"


def _target() -> str | None:
    target = os.environ.get("CUPEL_TARGET") or None
    if target and target not in TARGETS:
        sys.exit(f"CUPEL_TARGET cannot be {target!r}: it should be one of {', '.join(TARGETS)}.")
    return target


if __name__ == "__main__":
    compile_kernels(SOURCES / library_name())
    print(SOURCES / library_name())
