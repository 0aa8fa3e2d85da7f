"""Rebuild src/cupel/resources/mutt/sample.jsonl from captions.tsv beside it.

    python tools/build_mutt_sample.py [FILE]

A line of captions.tsv has a sentence, three references, and the sentence with a synonym in it,
all written for Cupel. `cupel.mutt.generated` makes the other corruptions, with the English parser.
The result depends on that parser and on the seed; CARD.md holds the checksum.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

from cupel.mutt import CORRUPTIONS, Trial, TrialSet, generated_suite, write_suite

HERE = Path(__file__).resolve().parent.parent / "src" / "cupel" / "resources" / "mutt"


def main(path: Path) -> None:
    """Write the file and print its checksum."""
    text = (HERE / "captions.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    synonyms = TrialSet(
        "near_syms",
        CORRUPTIONS["near_syms"].kind,
        tuple(Trial(row[0], row[4], tuple(row[1:4])) for row in rows),
    )
    suite = generated_suite([row[0] for row in rows], [row[1:4] for row in rows])
    sets = {trials.corruption: trials for trials in (*suite.sets, synonyms)}
    suite = replace(suite, sets=tuple(sets[name] for name in CORRUPTIONS if name in sets))
    write_suite(suite, path)
    print(hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size, len(suite))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "sample.jsonl")
