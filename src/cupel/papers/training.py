"""`cupel reproduce --full`: train what a row of a table needs, once, into the cache."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from cupel.cache import key
from cupel.errors import CupelError
from cupel.folders import cache_folder
from cupel.papers.published import Cell


def with_models(
    cells: Sequence[Cell], report: Callable[[str], None]
) -> tuple[list[Cell], dict[str, list[Cell]]]:
    """The cells with `{model}` in their metric replaced by the folder of a model just trained.

    A cell without `train` stays as it is. The settings of a cell that was trained lose `recorded`:
    its number is computed, not looked up. Beside them, the cells of trainings that failed, by the
    reason: one failure must not cost hours of other trainings.
    """
    ready: list[Cell] = []
    failed: dict[str, list[Cell]] = {}
    folders: dict[str, Path | CupelError] = {}
    for cell in cells:
        arguments = cell.settings.get("train")
        if arguments is None:
            ready.append(cell)
            continue
        if arguments not in folders:
            folders[arguments] = _trained_or_error(arguments, report)
        folder = folders[arguments]
        if isinstance(folder, CupelError):
            failed.setdefault(str(folder), []).append(cell)
            continue
        settings = {key: value for key, value in cell.settings.items() if key != "recorded"}
        settings["metric"] = settings["trained"].replace("{model}", str(folder))
        ready.append(replace(cell, settings=settings))
    return ready, failed


def _trained_or_error(arguments: str, report: Callable[[str], None]) -> Path | CupelError:
    try:
        return trained(arguments, report)
    except CupelError as error:
        return error


def trained(arguments: str, report: Callable[[str], None]) -> Path:
    """The folder that `cupel train ARGUMENTS -o FOLDER` filled, now or in an earlier run.

    An interrupted training continues from its checkpoint; without one it starts again.
    """
    from cupel.neural.checkpoints import CHECKPOINT

    folder = cache_folder() / "reproduce" / key(arguments)
    done = folder / "trained"
    if done.is_file():
        return folder
    if not (folder / CHECKPOINT).exists():
        shutil.rmtree(folder, ignore_errors=True)
    report(f"cupel train {arguments}")
    command = [sys.executable, "-m", "cupel", "train", *shlex.split(arguments), "-o", str(folder)]
    finished = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if finished.returncode:
        raise CupelError(f"`cupel train {arguments}` failed with status {finished.returncode}.")
    done.touch()
    return folder
