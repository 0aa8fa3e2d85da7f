"""Test sets against sacreBLEU itself: the same cache, the same bytes, scores and signatures."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sacrebleu.dataset.base import Dataset
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset
from sacrebleu.dataset.wmt_xml import WMTXMLDataset
from sacrebleu.metrics import BLEU

import sacrebleu_cache
import snapshots
from cupel.cli import main
from cupel.corpus import Corpus
from cupel.data import DATASETS, load_test_set, wmt_pairs
from cupel.data.dataset import Repository
from cupel.reading import read_lines
from cupel.reading.wmt_xml import read_wmt_xml
from sacrebleu_cache import Texts

SGM = "src ref docid genre origlang"
SETS = {
    "wmt14/full": ("de-en", SGM),
    "wmt17": ("de-en", SGM),
    "wmt18": ("de-en", SGM),
    "wmt20/tworefs": ("de-en", "src ref:0 ref:1 docid genre origlang"),
    "wmt21/systems": ("de-en", "src ref ref:C onlineB docid origlang"),
    "wmt22": ("de-en", "src ref:A docid origlang domain"),
    "multi30k/2018": ("en-de", "src ref"),
    "mtnt2019": ("en-fr", "src ref"),
}


@pytest.fixture(scope="module")
def wmt14_texts(newstest: Callable[[str, str], Corpus]) -> Texts:
    return sacrebleu_cache.real_texts(newstest("wmt14", "de-en"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory, wmt14_texts: Texts) -> Path:
    return sacrebleu_cache.build(tmp_path_factory.mktemp("cache"), wmt14_texts)


@pytest.fixture(autouse=True)
def _use(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(cache))


def sacrebleu(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "sacrebleu", *map(str, arguments)],
        capture_output=True,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def cupel_score(*arguments: str | Path) -> str:
    """What the command prints, run in this process."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cupel", "score", *map(str, arguments)])
        patch.setattr(sys, "stdout", out)
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code == 0
    return out.getvalue()


def echoed(name: str, pair: str, fields: list[str]) -> str:
    rows = load_test_set(name, pair).rows(fields)
    return "".join("\t".join(text.rstrip() for text in row) + "\n" for row in rows)


@pytest.mark.parametrize("name", SETS)
def test_fields_are_the_same_bytes(name: str, cache: Path) -> None:
    pair, fields = SETS[name][0], SETS[name][1].split()
    from_raw = echoed(name, pair, fields)
    assert from_raw.count("\n") == sacrebleu_cache.SEGMENTS
    assert from_raw == sacrebleu("-t", name, "-l", pair, "--echo", *fields)
    # Now sacreBLEU has written its text files; they are read where the raw ones are gone.
    raw = cache / name / "raw"
    raw.rename(raw.with_name("gone"))
    assert echoed(name, pair, fields) == from_raw
    raw.with_name("gone").rename(raw)


@pytest.mark.parametrize("name", ["wmt17", "wmt20/tworefs", "wmt22", "mtnt2019"])
def test_names_of_fields(name: str) -> None:
    command = ["--list", "-t", name, "-l", SETS[name][0]]
    ours, theirs = cupel_score(*command), sacrebleu(*command)
    if name == "wmt22":  # there the translators come in the order of a Python set, now so, now so
        ours, theirs = (", ".join(sorted(re.split("[:,] ", text))) for text in (ours, theirs))
    assert ours == theirs


SUBSETS = [
    ("wmt17", ["--origlang", "non-de"]),
    ("wmt18", ["--subset", "US-|sport"]),
    ("wmt18", ["--subset", "country:GB", "--origlang", "en"]),
    ("wmt22", ["--subset", "news", "--origlang", "non-cs"]),
]


@pytest.mark.parametrize(("name", "options"), SUBSETS)
def test_subsets_are_the_same_segments(name: str, options: list[str]) -> None:
    given = dict(zip(options[::2], options[1::2], strict=True))
    chosen = load_test_set(
        name, "de-en", origlang=given.get("--origlang"), subset=given.get("--subset")
    )
    ours = "".join(f"{row[0]}\n" for row in chosen.rows(["src"]))
    assert 0 < ours.count("\n") < sacrebleu_cache.SEGMENTS
    assert ours == sacrebleu("-t", name, "-l", "de-en", "--echo", "src", *options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("wmt17", []),
        ("wmt17,wmt18", ["--origlang", "de"]),
        ("wmt20/tworefs", []),
        ("wmt21/systems", []),
        SUBSETS[2],
        SUBSETS[3],
    ],
)
def test_scores_and_signatures(
    name: str, options: list[str], tmp_path: Path, wmt14_texts: Texts
) -> None:
    hypotheses = wmt14_texts.system * len(name.split(","))
    hyp = sacrebleu_cache.write(tmp_path / "hyp.txt", hypotheses)
    asked: list[str | Path] = ["-t", name, "-l", "de-en", "-i", hyp, *options, "-w", "6"]
    metrics = ["-m", "bleu", "chrf", "ter"]
    theirs = sacrebleu(*asked, *metrics, "-b", "-f", "text")
    lines = cupel_score(*asked, *metrics).splitlines()
    assert lines[1].split()[1:] == theirs.split()
    signatures = [line.partition("|")[2] for line in lines[3:6]]
    # sacreBLEU 2 has these entries in its signatures, in this order, but its command does not fill them.
    expected = f"nrefs:{2 if 'two' in name else 1}|test:{name}|lang:de-en|"
    assert all(signature.startswith(expected) for signature in signatures)
    bleu = BLEU(references=[wmt14_texts.reference] * (1 + ("two" in name)))
    given = dict(zip(options[::2], options[1::2], strict=True))
    vars(bleu).update(
        test_set=name,
        langpair="de-en",
        origlang=given.get("--origlang"),
        subset=given.get("--subset"),
    )
    theirs = str(bleu.get_signature()).rpartition("|version")[0]
    assert signatures[0].rpartition("|version")[0] == theirs


@pytest.mark.parametrize("name", ["wmt12", "wmt13", "wmt14"])
def test_datasets_have_the_texts_of_sacrebleu(
    name: str, pack: Callable[[str], Path], tmp_path: Path
) -> None:
    """sacreBLEU's conversion of the official SGM files gives what `-t` reads from a dataset."""
    pack(name)
    test = f"newstest20{name[3:]}"
    repository = next(r for r in DATASETS[name].repositories if r.name == "Perilon/Meteor_POS")
    for pair in wmt_pairs(name):
        source, target = pair.split("-")
        stem = f"{test}-{source}{target}" if name == "wmt14" else test
        names = [f"sources/{stem}-src.{source}.sgm", f"references/{stem}-ref.{target}.sgm"]
        paths = [f"wmt_data/{name}-data/sgm/{path}" for path in names]
        part = load_test_set(name, pair).parts[0]
        for field, content in zip(("src", "ref"), snapshots.read(repository, paths), strict=True):
            official, text = tmp_path / "official.sgm", tmp_path / "text"
            official.write_bytes(content)
            FakeSGMLDataset(name)._convert_format(str(official), str(text))
            assert part.texts(field) == read_lines(text)


@pytest.mark.parametrize("pair", ["en-is", "fr-de", "ja-en", "ru-en"])
def test_the_xml_of_2021(pair: str, tmp_path: Path) -> None:
    repository = Repository("wmt-conference/wmt21-news-systems", "HEAD", 0)
    path = tmp_path / f"newstest2021.{pair}.all.xml"
    path.write_bytes(next(iter(snapshots.read(repository, [f"xml/{path.name}"]))))
    theirs = WMTXMLDataset._unwrap_wmt21_or_later(str(path))
    fields = read_wmt_xml(path).fields
    assert fields == {name: list(map(Dataset._clean, texts)) for name, texts in theirs.items()}
