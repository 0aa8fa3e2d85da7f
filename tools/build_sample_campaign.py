"""Rebuild src/cupel/resources/sample/campaign from the dataset bio21.

    python tools/build_sample_campaign.py [FOLDER]

FOLDER is where bio21 lies (default: where `cupel data get bio21` put it). Three of its language
pairs are copied whole and as they are; CARD.md beside them says what they are.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from cupel.data import find
from cupel.folders import writing_folder

HERE = Path(__file__).parent.parent / "src/cupel/resources/sample/campaign"
PAIRS = ("de-en", "zh-en", "en-de")


def main(dataset: Path) -> None:
    """Copy the files of PAIRS."""
    shutil.rmtree(HERE, ignore_errors=True)
    with writing_folder(HERE) as folder:
        for pair in PAIRS:
            for path in (*dataset.glob(f"*/{pair}.*"), *dataset.glob(f"*/{pair}/*")):
                target = folder / path.relative_to(dataset)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else find("bio21"))
