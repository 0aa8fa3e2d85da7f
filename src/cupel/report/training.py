"""`cupel reproduce --full`: train anew what a row of a table needs, once, into the cache."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from cupel import __version__
from cupel.errors import CupelError
from cupel.folders import cache_folder
from cupel.report.papers import Cell


def with_models(cells: Sequence[Cell], tell: Callable[[str], None]) -> list[Cell]:
    """The cells with `{model}` in their metric replaced by the folder of a model just trained.

    A cell without `train` stays as it is. The settings of a cell that was trained lose `recorded`:
    its number is computed, not looked up.
    """
    found = []
    for cell in cells:
        if "train" not in cell.settings:
            found.append(cell)
            continue
        folder = trained(cell.settings["train"], tell)
        settings = {key: value for key, value in cell.settings.items() if key != "recorded"}
        settings["metric"] = settings["trained"].replace("{model}", str(folder))
        found.append(replace(cell, settings=settings))
    return found


def trained(arguments: str, tell: Callable[[str], None]) -> Path:
    """The folder that `cupel train ARGUMENTS -o FOLDER` filled; trained only where it is not yet."""
    name = hashlib.sha256(f"{__version__}\0{arguments}".encode()).hexdigest()[:16]
    folder = cache_folder() / "reproduce" / name
    done = folder / "trained"
    if done.is_file():
        return folder
    tell(f"cupel train {arguments}")
    command = [sys.executable, "-m", "cupel", "train", *shlex.split(arguments), "-o", str(folder)]
    finished = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if finished.returncode:
        raise CupelError(f"`cupel train {arguments}` failed; what it said stands above.")
    done.touch()
    return folder
