"""What the tests run of each room: lines of code, share that ran, and the files with most left out.

    python tools/coverage_by_room.py build/coverage.json

Reads what SlipCover writes (`make test`). Kernels are compiled and not counted, and neither is what
a test runs in another process, such as the command line.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path, PurePath

LEAST_COVERED = 5


def main() -> None:
    """Print a table."""
    files = json.loads(Path(sys.argv[1]).read_text("utf-8"))["files"]
    covered: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for path, file in files.items():
        parts = PurePath(path).parts
        inside = parts[parts.index("cupel") + 1 :]
        for room in (inside[0] if len(inside) > 1 else "(top)", "all"):
            covered[room] += file["summary"]["covered_lines"]
            missing[room] += file["summary"]["missing_lines"]
    print("Coverage     lines   run")
    for room in sorted(covered, key=lambda room: (room == "all", room)):
        lines = covered[room] + missing[room]
        print(f"{room:<10} {lines:7,} {covered[room] / lines:5.0%}")
    worst = sorted(files, key=lambda path: files[path]["summary"]["missing_lines"])
    print("Most lines that did not run:")
    for path in reversed(worst[-LEAST_COVERED:]):
        print(f"{files[path]['summary']['missing_lines']:5}  {path}")


if __name__ == "__main__":
    main()
