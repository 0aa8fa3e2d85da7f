"""`cupel.mutt.check`, and the pytest plugin in a project of its own."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from cupel.errors import CupelError
from cupel.mutt import check
from cupel.mutt.checking import CheckFailed

METRIC = """
def overlap(hypothesis, references):
    words = hypothesis.lower().split()
    known = set(" ".join(references).lower().split())
    return sum(word in known for word in words) / len(words)

def constant(hypothesis, references):
    return 1.0
"""


def overlap(hypothesis: str, references: object) -> float:
    scope: dict[str, object] = {}
    exec(METRIC, scope)
    return scope["overlap"](hypothesis, references)  # type: ignore[operator]


def test_a_metric_that_passes() -> None:
    report = check("chrf", thresholds={"default": 0.0, "neg_verb": 0.7})
    assert report.passed
    assert [v.result.corruption for v in report.verdicts][:2] == ["neg_subj", "neg_verb"]
    assert "neg_verb (3 references): accuracy 0.8" in str(report)


def test_a_function_that_falls_short_of_one_threshold() -> None:
    with pytest.raises(
        CheckFailed, match=r"swap_chunks.*accuracy 0.000.*36 ties; 0.5 is required"
    ) as told:
        check(overlap, corruptions=["neg_verb", "swap_chunks"])
    message = str(told.value)
    assert "'overlap' falls short" in message
    assert "A park the violin is playing a young woman in" in message
    assert not check(overlap, corruptions=["swap_chunks"], raises=False).passed


def test_a_constant_metric_is_explained() -> None:
    with pytest.raises(CheckFailed, match="ties everywhere"):
        check(lambda hypothesis, references: 1.0)


def test_the_difference_formula_and_its_threshold() -> None:
    report = check(
        overlap, corruptions=["swap_chunks"], formula="difference", threshold=0.0, thresholds=1.0
    )
    assert report.passed


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ({"typo": 0.5}, "a threshold for 'typo', but the suite sample has neg_subj"),
        ({"neg_verb": 90}, "The threshold of 'neg_verb' must be from 0 to 1, not 90"),
        (2.0, "must be from 0 to 1, not 2.0"),
    ],
)
def test_bad_thresholds(thresholds: object, message: str) -> None:
    with pytest.raises(CupelError, match=message):
        check("chrf", thresholds=thresholds)  # type: ignore[arg-type]


def test_what_is_no_metric() -> None:
    with pytest.raises(CupelError, match="A metric, its name or a function was expected, not 3"):
        check(3)  # type: ignore[arg-type]


def pytest_in(folder: Path, settings: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest in a project with these settings, with the plugin even where it is not installed."""
    (folder / "pytest.ini").write_text(f"[pytest]\n{settings}\n")
    (folder / "mypkg.py").write_text(METRIC)
    (folder / "test_own.py").write_text("def test_own():\n    pass\n")
    installed = any(point.value == "cupel.mutt.plugin" for point in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "cupel.mutt.plugin"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(
        [*command, *plugin, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_plugin_makes_one_test_per_corruption(tmp_path: Path) -> None:
    done = pytest_in(
        tmp_path,
        "cupel_metric = mypkg:overlap\ncupel_min_accuracy = 0.2\n"
        "cupel_thresholds =\n    passive = 0\n    sem_opps=0\n    remove_prep=0\n    shuffled=0",
        "-rA",
    )
    assert "FAILED cupel-mutt::swap_chunks" in done.stdout, done.stdout + done.stderr
    assert "PASSED cupel-mutt::shuffled" in done.stdout
    assert "accuracy 0.000" in done.stdout
    assert "1 failed, 10 passed" in done.stdout
    assert done.returncode == 1


def test_the_plugin_respects_what_was_asked_for(tmp_path: Path) -> None:
    settings = "cupel_metric = mypkg:overlap\ncupel_references = 1 3\ncupel_min_accuracy = 0"
    chosen = pytest_in(tmp_path, settings, "-k", "neg_verb")
    assert "2 passed, 19 deselected" in chosen.stdout
    single = pytest_in(tmp_path, settings, "test_own.py")
    assert "1 passed" in single.stdout


def test_the_plugin_reads_a_suite_beside_the_settings(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text(
        '{"original": "a b", "corrupted": "a x", "references": ["a b"], "corruption": "typo", '
        '"kind": "altering"}\n'
    )
    done = pytest_in(tmp_path, "cupel_metric = mypkg:overlap\ncupel_suite = own.jsonl", "-rA")
    assert "PASSED cupel-mutt::typo" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("cupel_metric = nosuchmetric", "Unknown metric 'nosuchmetric'"),
        ("cupel_metric = mypkg:overlap\ncupel_suite = nowhere", "no suite 'nowhere'"),
        ("cupel_metric = mypkg:overlap\ncupel_min_accuracy = high", "number was expected"),
    ],
)
def test_bad_settings_are_one_sentence(tmp_path: Path, settings: str, message: str) -> None:
    done = pytest_in(tmp_path, settings)
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 4


def test_the_plugin_is_inert_and_light_without_a_metric(tmp_path: Path) -> None:
    done = pytest_in(tmp_path, "")
    assert "1 passed" in done.stdout
    code = "import sys, cupel.mutt.plugin; print([m for m in ('numpy', 'polars')"
    code += " if m in sys.modules], [m for m in sys.modules if m.startswith('cupel.')])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[] ['cupel.mutt', 'cupel.mutt.baselines', 'cupel.mutt.plugin']"


def test_importing_check_twice_gives_the_function() -> None:
    import cupel.mutt

    assert callable(cupel.mutt.check)
    assert callable(cupel.mutt.check)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cupel.mutt.nothing
