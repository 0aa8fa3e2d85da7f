"""Make a paraphrase table of the phrases that TERp's alignment logs print.

    python tools/terp_log.py OUT.gz LOG.pra [LOG.pra ...]
    cupel mutt -m terp:paraphrases=OUT.gz --suite mutt --corruption det_sub passive

TERp's own phrase table is a file of its authors' releases. Its logs (`Output Formats: pra`) print
each phrase that an alignment used, with its probability; the clone of text-machine-lab/MUTT has such
logs of the paper's trials with 20 references (src/tmp/*.pra). The table is written as METEOR's is:
probability, phrase of the reference, phrase of the translation, a line each.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from cupel.folders import write_bytes

PHRASES = re.compile(r"OrigCost: (\S+) <p>(.*?)</p> <p>(.*?)</p>")


def logged_phrases(logs: Iterable[str]) -> dict[tuple[str, str], str]:
    """(phrase of the reference, phrase of the translation) -> probability, each pair once."""
    return {(match[2], match[3]): match[1] for text in logs for match in PHRASES.finditer(text)}


def table_of(phrases: dict[tuple[str, str], str]) -> bytes:
    """The content of a paraphrase table, the same for the same phrases."""
    entries = (f"{p}\n{theirs}\n{ours}\n" for (theirs, ours), p in sorted(phrases.items()))
    return gzip.compress("".join(entries).encode(), mtime=0)


def main(arguments: Sequence[str]) -> None:
    """Read the logs and write the table."""
    if len(arguments) < 2:
        raise SystemExit("usage: python tools/terp_log.py OUT.gz LOG.pra [LOG.pra ...]")
    out, *logs = map(Path, arguments)
    phrases = logged_phrases(log.read_text(encoding="latin-1") for log in logs)
    write_bytes(out, table_of(phrases))
    print(f"{len(phrases)} phrases in {out}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
