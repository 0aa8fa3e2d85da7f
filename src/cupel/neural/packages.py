"""Which packages of an extra are missing, and the command that installs them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from cupel.errors import MissingPart

TRAINING = ("torch", "safetensors")


def check_packages(what: str, packages: Sequence[str], extra: str) -> None:
    """Raise `MissingPart` where one of the packages that `what` needs is not installed."""
    absent = [name for name in packages if find_spec(name) is None]
    if absent:
        raise MissingPart(f"{what} needs {' and '.join(absent)}: pip install 'cupel[{extra}]'.")
