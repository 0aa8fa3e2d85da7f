"""Record what mbrs and fastChrF answer, for tests/oracles/test_mbr_peers.py.

    python tools/record_mbr.py [-o tests/oracles/recorded_mbr.json]

Needs `pip install mbrs fastchrf` and the datasets wmt14 and mqm21. The outputs of all systems for a
segment are its candidates and pseudo-references. Only figures are written: for each segment and
metric the candidate that mbrs chose (the first with its text), that candidate's expected utility and
the sum of all; and the sum and the highest of fastChrF's aggregate scores.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))

from mbr_samples import samples

METRICS = ("bleu", "chrf", "ter")


def decoders() -> dict[str, Any]:
    """Those of mbrs, with its defaults; threads instead of processes, which only start faster."""
    import concurrent.futures

    concurrent.futures.ProcessPoolExecutor = concurrent.futures.ThreadPoolExecutor  # type: ignore[assignment, misc]
    from mbrs.decoders.mbr import DecoderMBR
    from mbrs.metrics.bleu import MetricBLEU
    from mbrs.metrics.chrf import MetricChrF
    from mbrs.metrics.ter import MetricTER

    classes = {"bleu": MetricBLEU, "chrf": MetricChrF, "ter": MetricTER}
    return {
        name: DecoderMBR(DecoderMBR.Config(), kind(kind.Config(num_workers=1)))
        for name, kind in classes.items()
    }


def answers() -> Iterator[dict[str, Any]]:
    """One row per segment."""
    import fastchrf

    known = decoders()
    for place, texts in samples():
        row: dict[str, Any] = {"place": list(place)}
        for name, decoder in known.items():
            output = decoder.decode(texts, texts, nbest=len(texts))
            chosen = texts.index(output.sentence[0])
            row[name] = [chosen, round(output.score[0], 5), round(sum(output.score), 4)]
        (aggregate,) = fastchrf.aggregate_chrf([texts], [texts])
        row["aggregate"] = [sum(aggregate), max(aggregate)]
        print(*place, file=sys.stderr)
        yield row


def main() -> None:
    """Ask and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="tests/oracles/recorded_mbr.json")
    options = parser.parse_args()
    from importlib.metadata import version

    versions = {name: version(name) for name in ("mbrs", "fastchrf", "sacrebleu")}
    lines = ",\n  ".join(json.dumps(row) for row in answers())
    text = f'{{\n "versions": {json.dumps(versions)},\n "segments": [\n  {lines}\n ]\n}}\n'
    Path(options.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
