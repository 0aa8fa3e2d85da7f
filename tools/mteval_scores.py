"""Make the expected NIST scores of tests/oracles/mteval from mteval-v13a.pl itself.

mteval-v13a.pl is NIST's; Moses distributes it (scripts/generic/mteval-v13a.pl). It needs Perl and
XML::Twig, and a minute for a language pair, so its output is kept as numbers and the tests need
neither. Run with the packs in CUPEL_DATA:

    python tools/mteval_scores.py path/to/mteval-v13a.pl

The script prints four decimals; a copy with ten is what runs.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from cupel.corpus import Corpus
from cupel.data import mutt_corruptions, mutt_trials, wmt_corpus

FOLDER = Path(__file__).parent.parent / "tests" / "oracles" / "mteval"


def cases() -> dict[str, tuple[Corpus, list[str]]]:
    """The corpora that are scored, and the options of mteval-v13a.pl."""
    found: dict[str, tuple[Corpus, list[str]]] = {}
    for dataset, pair, count in (
        ("wmt14", "cs-en", 3),
        ("wmt14", "hi-en", 2),
        ("wmt12", "en-de", 2),
    ):
        corpus = wmt_corpus(dataset, pair)
        systems = dict(list(corpus.systems.items())[:count])
        found[f"{dataset}-{pair}"] = Corpus(systems, corpus.references), []
    corpus = wmt_corpus("wmt14", "cs-en")
    first, second, third, *_ = corpus.systems.items()
    references = [
        (r[0], a, b) for r, a, b in zip(corpus.references, second[1], third[1], strict=True)
    ]
    found["three-references-cased"] = Corpus(dict([first]), references), ["-c"]
    for count in (5, 20):
        trials = [mutt_trials(corruption, count) for corruption in mutt_corruptions()]
        found[f"mutt-{count}"] = (
            Corpus(
                {
                    "original": [text for t in trials for text in t.originals],
                    "corrupted": [text for t in trials for text in t.corrupted],
                },
                [texts for t in trials for texts in t.references],
            ),
            [],
        )
    return found


def mteval(
    script: Path, corpus: Corpus, options: Sequence[str]
) -> Mapping[str, tuple[str, list[str]]]:
    """System -> (system score, segment scores), as mteval-v13a.pl prints them."""
    streams = list(zip(*corpus.references, strict=True))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        precise = folder / "mteval.pl"
        text = script.read_text(encoding="utf-8")
        precise.write_text(text.replace("%.4f", "%.10f").replace("%2.4f", "%2.10f"), "utf-8")
        _write_sgm(folder / "src.sgm", "srcset", {"src": streams[0]})
        _write_sgm(folder / "ref.sgm", "refset", {f"r{i}": s for i, s in enumerate(streams)})
        systems = {str(i): texts for i, texts in enumerate(corpus.systems.values())}
        _write_sgm(folder / "tst.sgm", "tstset", systems)
        printed = subprocess.run(
            ["perl", str(precise), *options, *"-n -d 2 -r ref.sgm -s src.sgm -t tst.sgm".split()],
            cwd=folder,
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
    segments: dict[str, list[str]] = {system: [] for system in systems}
    for value, system in re.findall(
        r'NIST score using 5-grams = ([\d.]+) for system "(\d+)" on segment', printed
    ):
        segments[system].append(value)
    totals = {s: v for v, s in re.findall(r'NIST score = ([\d.]+)\s+for system "(\d+)"', printed)}
    return {
        name: (totals[number], segments[number])
        for number, name in zip(systems, corpus.systems, strict=True)
    }


def _write_sgm(path: Path, kind: str, sets: Mapping[str, Sequence[str]]) -> None:
    # Text goes in as it is: mteval-v13a.pl resolves entities itself, and so does its tokenizer.
    language = "" if kind == "srcset" else ' trglang="en"'
    lines = [f'<{kind} setid="s" srclang="any"{language}>']
    for system, texts in sets.items():
        lines.append(f'<doc docid="d" sysid="{system}">')
        lines += (f'<seg id="{i}">{text}</seg>' for i, text in enumerate(texts, start=1))
        lines.append("</doc>")
    path.write_text("\n".join([*lines, f"</{kind}>\n"]), encoding="utf-8")


def main() -> None:
    """Write one file per case: a line per system with its name, its score and its segments'."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (corpus, options) in cases().items():
        lines = [
            "\t".join([system, total, *segments])
            for system, (total, segments) in mteval(Path(sys.argv[1]), corpus, options).items()
        ]
        content = gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)
        (FOLDER / f"{name}.tsv.gz").write_bytes(content)
        print(name, len(corpus), "segments", len(corpus.systems), "systems")


if __name__ == "__main__":
    main()
