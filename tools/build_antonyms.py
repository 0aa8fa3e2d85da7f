"""Rebuild src/cupel/resources/mutt/antonyms.tsv from the database files of WordNet 3.0.

    python tools/build_antonyms.py WORDNET/dict [FOLDER]

One line per adjective or adverb that has an antonym: its part of speech (a, r), the word, its
antonym. Only the commonest sense counts, the first that WordNet's index lists: "green" as a colour
has no antonym, though "green" fruit has. Words of several parts (with an underscore) are left out. The
result depends on the four files data.adj, data.adv, index.adj, index.adv alone; CARD.md holds its
checksum.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent / "src" / "cupel" / "resources" / "mutt"
FILES = {"a": "adj", "r": "adv"}


def main(wordnet: Path, folder: Path) -> None:
    """Write the file and print its checksum."""
    lines = [
        f"{part}\t{word}\t{antonym}\n"
        for part, name in FILES.items()
        for word, antonym in sorted(antonyms(wordnet, name).items())
    ]
    path = folder / "antonyms.tsv"
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    print(hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size, len(lines))


def antonyms(wordnet: Path, name: str) -> dict[str, str]:
    """word -> antonym of its commonest sense."""
    synsets = dict(map(synset, entries(wordnet / f"data.{name}")))
    found: dict[str, str] = {}
    for line in entries(wordnet / f"index.{name}"):
        fields = line.split()
        word, sense = fields[0], fields[-int(fields[2])]
        words, opposites = synsets[sense]
        place = words.index(word) + 1
        for source, target, place_there in opposites:
            opposite = synsets[target][0][place_there - 1]
            if source == place and "_" not in word + opposite:
                found.setdefault(word, opposite)
    return found


def synset(line: str) -> tuple[str, tuple[list[str], list[tuple[int, str, int]]]]:
    """offset -> (its words, [(word here, synset there, word there)] of its antonym pointers)."""
    fields = line.partition(" | ")[0].split()
    count = int(fields[3], 16)
    words = [spelled(word) for word in fields[4 : 4 + 2 * count : 2]]
    opposites = []
    rest = fields[4 + 2 * count :]
    for start in range(1, 1 + 4 * int(rest[0]), 4):
        symbol, offset, _, places = rest[start : start + 4]
        if symbol == "!":
            opposites.append((int(places[:2], 16), offset, int(places[2:], 16)))
    return fields[0], (words, opposites)


def spelled(word: str) -> str:
    """In lower case, without an adjective's syntactic marker: `galore(ip)`."""
    return word.partition("(")[0].lower()


def entries(path: Path) -> list[str]:
    """The lines of a database file after its licence, whose lines begin with blanks."""
    text = path.read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line and not line.startswith(" ")]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else HERE)
