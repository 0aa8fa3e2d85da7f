"""Compiled kernels are kept, and never outlive the source that they were compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import cupel.kernels

PACKAGE = Path(cupel.kernels.__file__).parent.parent
CALLER = "from cupel.kernels import kernel\nfrom cupel.kernels.called import value\n@kernel\ndef ask():\n    return value()\n"
CALLED = "from cupel.kernels import inner_kernel\n@inner_kernel\ndef value():\n    return {}\n"


def ask(folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    code = "from cupel.kernels.caller import ask; print(ask())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


def test_a_change_in_a_called_kernel_is_noticed(tmp_path: Path) -> None:
    """Numba alone would run the old code: it looks at the caller's file only."""
    copy = tmp_path / "cupel"
    (copy / "kernels").mkdir(parents=True)
    for name in ("__init__.py", "folders.py", "errors.py", "code_digest.py", "kernels/__init__.py"):
        shutil.copy(PACKAGE / name, copy / name)
    (copy / "kernels" / "caller.py").write_text(CALLER)
    (copy / "kernels" / "called.py").write_text(CALLED.format(1))
    assert ask(tmp_path) == "1"
    assert list((copy / "kernels" / "__pycache__").glob("*/*/*.nbi"))
    (copy / "kernels" / "called.py").write_text(CALLED.format(2))
    assert ask(tmp_path) == "2"
