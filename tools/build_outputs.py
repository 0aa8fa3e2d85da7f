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
from cupel.folders import writing_folder

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
    """Write them, all or none."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("clone", type=Path, help="a clone of a repository of system outputs")
    parser.add_argument("folder", type=Path, help="what is written; it must not be there yet")
    parser.add_argument("--without", nargs="+", default=[], help="language pairs to leave out")
    chosen = parser.parse_args()
    if chosen.folder.exists():
        raise CupelError(f"{chosen.folder} is there already: choose another folder.")
    files = dict(texts(chosen.clone, chosen.without))
    if not files:
        raise CupelError(f"{chosen.clone} has no texts into English under txt/.")
    with writing_folder(chosen.folder) as beside:
        for place, content in files.items():
            (beside / place).parent.mkdir(parents=True, exist_ok=True)
            (beside / place).write_bytes(content)
    print(f"{chosen.folder}: {len(files)} files")


if __name__ == "__main__":
    try:
        main()
    except CupelError as error:
        sys.exit(str(error))
