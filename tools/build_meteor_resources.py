"""Rebuild src/cupel/resources/meteor from the METEOR 1.5 files inside pycocoevalcap.

    python tools/build_meteor_resources.py [FOLDER]

words.json       the function words, and per language the nonbreaking prefixes of `-norm`
synonyms-en.npz  WordNet 3.0 as METEOR has it: the synonym sets of each single word, and the
                 irregular forms of its morphology

Words with an underscore are left out, since METEOR looks up single tokens and no token has one,
unless they are the base of an irregular form ("comics" of "comic_strip"). Synset numbers are
counted anew from 0 in the order of WordNet's own, since only their equality matters. The jar has
function words of other languages, too, but uses the English ones for all (its option -s apart): so
only these are taken. The result depends on the jar alone; CARD.md holds the checksums.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent.parent / "src" / "cupel" / "resources" / "meteor"
LANGUAGES = {
    "en": "english",
    "cs": "czech",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "ru": "russian",
}


def main(folder: Path) -> None:
    """Write both files and print their checksums."""
    with zipfile.ZipFile(jar_path()) as jar:
        words = {
            "function": sorted(set(lines(jar, "function/english.words"))),
            "prefixes": {code: prefixes(jar, name) for code, name in LANGUAGES.items()},
        }
        synonyms = synonym_arrays(
            lines(jar, "synonym/english.synsets"), lines(jar, "synonym/english.exceptions")
        )
    text = json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    (folder / "words.json").write_text(text, encoding="utf-8", newline="\n")
    np.savez_compressed(folder / "synonyms-en.npz", allow_pickle=False, **synonyms)
    for path in (folder / "words.json", folder / "synonyms-en.npz"):
        print(hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size, path.name)


def jar_path() -> Path:
    """The jar that pycocoevalcap carries."""
    import pycocoevalcap.meteor

    return Path(next(iter(pycocoevalcap.meteor.__path__))) / "meteor-1.5.jar"


def lines(jar: zipfile.ZipFile, name: str) -> list[str]:
    """The lines of a file in the jar."""
    return jar.read(name).decode("utf-8").splitlines()


def prefixes(jar: zipfile.ZipFile, name: str) -> dict[str, list[str]]:
    """Prefixes after which a period stays: always, or before a number."""
    always, numeric = set(), set()
    for line in lines(jar, f"nonbreaking/{name}.prefixes"):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        # Of a prefix that is listed twice, the last entry holds.
        always.discard(fields[0])
        numeric.discard(fields[0])
        (numeric if fields[1:2] == ["#NUMERIC_ONLY#"] else always).add(fields[0])
    return {"always": sorted(always), "before_number": sorted(numeric)}


def synonym_arrays(synsets: list[str], exceptions: list[str]) -> dict[str, np.ndarray]:
    """words and their sets (ragged by `counts`); forms and the words that they are forms of."""
    bases: dict[str, set[str]] = {}
    for base, line in zip(exceptions[0::2], exceptions[1::2], strict=True):
        for form in line.split():
            if "_" not in form:
                bases.setdefault(form, set()).add(base)
    wanted = {base for entry in bases.values() for base in entry}
    sets = {
        word: [int(number) for number in numbers.split()]
        for word, numbers in zip(synsets[0::2], synsets[1::2], strict=True)
        if "_" not in word or word in wanted
    }
    words = sorted(sets)
    number = {word: index for index, word in enumerate(words)}
    renumbered = {old: new for new, old in enumerate(sorted({n for s in sets.values() for n in s}))}
    forms = sorted(bases)
    known = [sorted(number[base] for base in bases[form] if base in number) for form in forms]
    return {
        "words": packed(words),
        "counts": np.array([len(set(sets[word])) for word in words], np.uint8),
        "synsets": np.array([renumbered[n] for w in words for n in sorted(set(sets[w]))], np.int32),
        "forms": packed(forms),
        "base_counts": np.array([len(entry) for entry in known], np.uint8),
        "bases": np.array([word for entry in known for word in entry], np.int32),
    }


def packed(words: list[str]) -> np.ndarray:
    """Words as the bytes of one text, a line each."""
    return np.frombuffer("\n".join(words).encode("utf-8"), np.uint8)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
