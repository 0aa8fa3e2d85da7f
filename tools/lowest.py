"""The lowest versions that pyproject.toml allows, as constraints for pip: `make lowest`.

python tools/lowest.py [EXTRA ...] > constraints.txt
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

_RANGE = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([0-9.]+)")


def lowest(extras: list[str]) -> list[str]:
    """`name==version` for each requirement with a lower bound, also of the extras named."""
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    requirements = [
        *project["dependencies"],
        *(line for extra in extras for line in optional[extra]),
    ]
    ranges = (_RANGE.match(line) for line in requirements if not line.startswith("cupel["))
    return sorted({f"{found[1]}=={found[2]}" for found in ranges if found})


if __name__ == "__main__":
    print(*lowest(sys.argv[1:]), sep="\n")
