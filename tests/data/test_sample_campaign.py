"""The campaign inside the package: what `cupel meta sample` judges by."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.cli import main
from cupel.data import find, verify

pytestmark = pytest.mark.quick


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["cupel", *words])
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code == 0
    printed = capsys.readouterr()
    return printed.out, printed.err


def test_it_is_complete_and_small() -> None:
    assert verify("sample").ok
    files = [path for path in find("sample").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_800_000  # about 1 MB in the wheel


def test_it_is_three_pairs_of_bio21_as_they_are() -> None:
    try:
        whole = find("bio21")
    except cupel.CupelError as missing:
        pytest.skip(str(missing))
    for path in find("sample").rglob("*"):
        if path.is_file() and path.suffix != ".docs":  # which not every copy of bio21 has
            assert path.read_bytes() == (whole / path.relative_to(find("sample"))).read_bytes()


def test_metrics_are_judged_by_it_without_any_dataset(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CUPEL_DATA", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    out, _ = run(capsys, "meta", "sample", "-m", "chrf", "bleu", "-f", "json")
    rows = json.loads(out)["rows"]
    values = {(row["pair"], row["metric"]): row["value"] for row in rows}
    assert values["de-en", "chrf"] == pytest.approx(0.359, abs=5e-4)
    assert values["zh-en", "bleu"] == pytest.approx(0.119, abs=5e-4)


def test_unit_tests_run_on_the_sample_where_the_paper_has_not_been_downloaded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CUPEL_DATA", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    out, err = run(capsys, "mutt", "-m", "wer")
    assert out.startswith("sample, 3 references")
    assert "cupel data get mutt" in err


def test_p_values_of_no_correlation_are_scipys() -> None:
    pearsonr = pytest.importorskip("scipy.stats").pearsonr
    evaluation = cupel.evaluate("sample", "chrf", pairs=["de-en"], resamples=0, p_values=True)
    (graded,) = evaluation.graded
    judged = np.isfinite(graded.human)
    expected = pearsonr(graded.human[judged], graded.scores["chrf"][judged])
    row = evaluation.rows()[0]
    assert row["value"] == pytest.approx(expected.statistic, abs=1e-12)
    assert row["p_value"] == pytest.approx(expected.pvalue, abs=1e-12)
    with pytest.raises(cupel.CupelError, match=r"^acc-eq has no p-value of no correlation"):
        cupel.evaluate("sample", "chrf", statistic="acc-eq", p_values=True)
