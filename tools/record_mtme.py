"""Record what mt-metrics-eval answers to the questions of tests/oracles/mtme_statistics.py.

    python tools/record_mtme.py path/to/mt-metrics-eval

Needs the packs mqm21, ted21 and bio21 (CUPEL_DATA), and a few minutes. Prints how far Cupel is from
it: the largest difference for each statistic.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))

from mtme_oracle import Oracle, load
from mtme_statistics import RECORD, ours, questions


def main() -> None:
    """Ask, compare, write."""
    clone = Path(sys.argv[1])
    head = ["git", "-C", str(clone), "rev-parse", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    oracle = Oracle(load(clone))
    warnings.simplefilter("ignore")  # SciPy's, of constant scores
    answers: dict[str, list[float]] = {}
    distances: dict[tuple[str, str], float] = defaultdict(float)
    for asked in questions():
        answers[asked.name] = oracle.answer(asked)
        theirs, mine = np.array(answers[asked.name]), np.array(ours(asked))
        distance = float(np.abs(theirs - mine).max()) if len(theirs) == len(mine) else np.inf
        key = asked.kind, f"{asked.statistic.name} {asked.swap}"
        distances[key] = max(distances[key], distance)
        if not distance <= 1e-12:
            print(f"{asked.name}: {theirs.tolist()} here {mine.tolist()}")
    for (kind, statistic), distance in sorted(distances.items()):
        print(f"{kind:10} {statistic:24} {distance:.0e}")
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in answers.items())
    RECORD.write_text(f'{{"commit": "{commit}",\n"answers": {{\n{lines}\n}}}}\n', "utf-8")


if __name__ == "__main__":
    main()
