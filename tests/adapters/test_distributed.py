"""1, 2 and 4 real processes (gloo) give the scores of one run, to the last bit."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import cupel
from cupel.adapters.distributed import packed, unpacked
from cupel.errors import CupelError

pytest.importorskip("torch")

METRICS = ["bleu", "chrf++", "ter", "sentbleu", "rouge-l", "meteor:modules=exact,stem", "nist"]
METRICS += ["cider"]


def test_processes_equal_one_run(tmp_path: Path) -> None:
    script = Path(__file__).with_name("one_process.py")
    processes = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), str(tmp_path), json.dumps(METRICS)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(4)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    corpus = cupel.data.sample()
    alone = cupel.Accumulator(METRICS)
    for texts in corpus.systems.values():
        alone.update(texts, corpus.references)
    expected = alone.compute()
    ways = {"all_reduce"} | ({"torchmetrics"} if find_spec("torchmetrics") else set())
    for rank in range(4):
        document = json.loads((tmp_path / f"{rank}.json").read_text())
        assert document["sentence"] == (
            "The processes accumulate different metrics: give all of them the same."
        )
        assert list(document["results"]) == [str(n) for n in (1, 2, 4) if rank < n]
        for results in document["results"].values():
            assert set(results) == ways
            for scores in results.values():
                assert scores == expected


def test_without_other_processes_it_is_a_copy() -> None:
    own = cupel.Accumulator(["bleu", "nist"])
    own.update(["a b c d e"], ["a b c d f"])
    copied = cupel.adapters.all_reduce(own)
    own.reset()
    assert copied.segments == 1
    assert copied.compute()["bleu"] > 0
    with pytest.raises(CupelError):
        own.compute()


def test_texts_survive_the_way() -> None:
    segments = [("a\n\u2028\ud800", ("b", "ü"), None), ("", ("",), "c\r")]
    assert unpacked(packed(segments)) == segments
