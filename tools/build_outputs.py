"""Write the texts of a WMT campaign into English as a folder for `cupel train assay --outputs`.

    python tools/build_outputs.py CLONE FOLDER [--without PAIR...]

CLONE: a clone of wmt-conference/wmt21-news-systems or wmt22-news-systems, with or without a work tree. FOLDER: sources,
references and system outputs in the layout of mt-metrics-eval; human scores are not read. --without: language pairs
that stay out, such as those that a model will be measured on.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from cupel.errors import CupelError
from cupel.folders import write_bytes

NAME = re.compile(
    r"txt/(?:(?P<source>sources)|(?P<reference>references)|system-outputs)/"
    r"\w+\.(?P<pair>\w+-en)\.(?:src|ref|hyp)\.(?P<name>.+)"
)


def texts(clone: Path, without: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Place in the folder, and content, of each file into English."""
    for path in _git(clone, "ls-tree", "-r", "--name-only", "HEAD", "txt/").decode().splitlines():
        match = NAME.fullmatch(path)
        if match is None or match["pair"] in without:
            continue
        pair, name = match["pair"], match["name"].removesuffix(".en")
        place = f"system-outputs/{pair}/{name}.txt"
        if match["source"]:
            place = f"sources/{pair}.txt"
        elif match["reference"]:
            place = f"references/{pair}.ref{name}.txt"
        yield place, _git(clone, "show", f"HEAD:{path}")


def _git(clone: Path, *arguments: str) -> bytes:
    run = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=False)
    if run.returncode:
        raise CupelError(f"{clone} is not a clone that can be read: {run.stderr.decode().strip()}")
    return run.stdout


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("clone", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without", nargs="+", default=[])
    chosen = parser.parse_args()
    written = 0
    for place, content in texts(chosen.clone, chosen.without):
        path = chosen.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content)
        written += 1
    if not written:
        raise CupelError(f"{chosen.clone} has no texts into English under txt/.")
    print(f"{chosen.folder}: {written} files")


if __name__ == "__main__":
    try:
        main()
    except CupelError as error:
        sys.exit(str(error))
