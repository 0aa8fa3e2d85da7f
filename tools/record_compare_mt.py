"""Record what compare-mt prints, for tests/oracles/test_compare_mt.py: figures only, no text.

    python tools/record_compare_mt.py COMMAND [EXAMPLES] > tests/oracles/recorded_compare_mt.json

COMMAND: the program compare-mt 0.2.10, installed in an environment of its own (`pip install compare-mt
six`). EXAMPLES: the folder example/ of a clone of neulab/compare-mt; without it, its example is left
out. The other texts are the sample of this package and, where the dataset is there, wmt14.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cupel.data import sample, wmt_corpus
from cupel.errors import CupelError

Figures = list[list[str]]
_COUNTS = r"\t([\d.]+) \(sys1=(\d+), sys2=(\d+)\)$"
_SCORES = r"sys1-sys2=(-?[\d.]+), sys1=([\d.]+), sys2=([\d.]+)$"


def run(command: str, reference: Path, systems: list[Path]) -> dict[str, Figures]:
    """The tables of compare-mt on files: title -> lines of figures as they are printed."""
    printed = subprocess.run(
        [command, str(reference), *map(str, systems)], capture_output=True, text=True, check=True
    ).stdout
    return parsed(printed)


def parsed(printed: str) -> dict[str, Figures]:
    """Figures by table, without n-grams and sentences."""
    tables: dict[str, Figures] = {}
    title = ""
    for line in printed.splitlines():
        if line.startswith("--- "):
            title = re.sub(r"^--- (\d+ )?", "", line)
        elif line.startswith(("BLEU\t", "length ratio\t")):
            name, *values = line.split("\t")
            tables[name] = [[value.split(" ")[0] for value in values]]
        elif match := re.search(_COUNTS, line) or re.match(_SCORES, line):
            tables.setdefault(title, []).append(list(match.groups()))
        elif re.match(r"(<|>=|\[|-?\d)[^\t]*(\t[\d.]+)+$", line):
            tables.setdefault(title, []).append(line.split("\t"))
    return tables


def written(folder: Path, name: str, lines: list[str]) -> Path:
    """A file with these lines."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def main(command: str, examples: str | None = None) -> None:
    """Print all recordings as JSON."""
    recorded: dict[str, dict[str, Figures]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, load in (("sample", sample), ("wmt14", lambda: wmt_corpus("wmt14", "de-en"))):
            try:
                corpus = load()
            except CupelError as error:
                print(error, file=sys.stderr)
                continue
            reference = written(folder, "ref", [texts[0] for texts in corpus.references])
            systems = [
                written(folder, f"sys{at}", list(texts))
                for at, texts in enumerate(list(corpus.systems.values())[:2])
            ]
            recorded[name] = run(command, reference, systems)
    if examples is not None:
        home = Path(examples)
        recorded["ted"] = run(
            command, home / "ted.ref.eng", [home / "ted.sys1.eng", home / "ted.sys2.eng"]
        )
    print(json.dumps(recorded, indent=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
