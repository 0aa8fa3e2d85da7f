"""docs/security.md: the tests that it names are there, and the few claims without a test elsewhere hold."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest

import lowest
import sbom
from cupel.errors import CupelError
from cupel.reading.given_scores import read_score_table
from cupel.registry import get_metric

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "security.md"


class Evil:
    """Leaves a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.skipif(not PAGE.is_file(), reason="not a checkout")
def test_every_test_that_the_page_names_is_there():
    named = set(re.findall(r"`(tests/[\w/.]+)`", PAGE.read_text("utf-8")))
    assert len(named) > 8
    assert [path for path in named if not (ROOT / path).is_file()] == []
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    assert all("tests/" in row for row in rows if "it cannot" not in row)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_a_pickle_in_a_numpy_file_is_not_run(tmp_path, suffix):
    buffer = io.BytesIO()
    content = np.array([Evil(tmp_path / "evil")], object)
    (np.save if suffix == ".npy" else np.savez)(buffer, content)
    file = tmp_path / f"scores{suffix}"
    file.write_bytes(buffer.getvalue())
    with pytest.raises(CupelError, match="is not a NumPy file with numbers, or it is damaged"):
        read_score_table(str(file))
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "name", ["os", "os:system=1", "__import__('os')", "../evil", "bleu:tokenize=os:system"]
)
def test_a_name_runs_nothing_unless_it_is_a_module_and_a_function(name):
    with pytest.raises(CupelError):
        get_metric(name)


@pytest.mark.skipif(not PAGE.is_file(), reason="not a checkout")
def test_the_lowest_versions(monkeypatch):
    monkeypatch.chdir(ROOT)
    constraints = lowest.lowest(["meteor"])
    assert "numpy==2.0" in constraints
    assert "pycocoevalcap==1.2" in constraints
    assert all(re.fullmatch(r"[\w.-]+==[0-9.]+", line) for line in constraints)


def test_the_bill_of_materials():
    bill = sbom.bill("sacrebleu")
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    components = {entry["name"]: entry for entry in bill["components"]}
    assert "regex" in components
    assert components["numpy"]["purl"] == f"pkg:pypi/numpy@{np.__version__}"
    references = {bill["metadata"]["component"]["bom-ref"]}
    references |= {entry["bom-ref"] for entry in bill["components"]}
    assert {entry["ref"] for entry in bill["dependencies"]} == references
    assert {other for entry in bill["dependencies"] for other in entry["dependsOn"]} <= references
