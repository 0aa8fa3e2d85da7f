"""The fixture `cupel_baseline`: in a project of its own, and what it decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_checking import pytest_in

from cupel.mutt.baselines import Baseline

REFERENCES = [f"this is sentence number {n} of a small test" for n in range(30)]
TEST = f"""
REFERENCES = {REFERENCES!r}

def test_system(cupel_baseline):
    outputs = [text.replace("small", "little") for text in REFERENCES]
    scores = cupel_baseline(outputs, REFERENCES, margin={{"chrf": 1.0}}, fail_under={{"bleu": 20}})
    assert scores.systems == ["baseline", "new"]
"""


def outputs(old: str, new: str) -> list[str]:
    return [text.replace(old, new) for text in REFERENCES]


def test_a_baseline_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "test_mt.py").write_text(TEST)
    done = pytest_in(tmp_path, "", "test_mt.py", "--update-baseline")
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / "baselines" / "test_mt.test_system.txt"
    assert path.read_text().splitlines() == outputs("small", "little")


def test_a_baseline_is_kept_and_defended(tmp_path: Path) -> None:
    margin, floors = {"chrf": 1.0}, {"bleu": 20.0}
    kept, update = (Baseline(tmp_path, "test_mt.test_system[a/b]", u) for u in (False, True))
    path = kept.path()
    assert path == tmp_path / "test_mt.test_system_a_b.txt"
    assert kept.path("de").name == "test_mt.test_system_a_b_.de.txt"
    with pytest.raises(pytest.fail.Exception, match=r"There is no baseline .*: pytest --update-b"):
        kept(REFERENCES, REFERENCES, margin=margin)
    update(outputs("small", "little"), REFERENCES, margin=margin, fail_under=floors)
    before = path.read_text()
    scores = kept(outputs("small", "little"), REFERENCES, margin=margin, fail_under=floors)
    assert scores.system_score("chrf", "new") == scores.system_score("chrf", "baseline")
    with pytest.raises(pytest.fail.Exception, match="It is not shown that new is worse than base"):
        kept(outputs("sentence number", "x"), REFERENCES, margin=margin)
    with pytest.raises(pytest.fail.Exception, match=r"bleu of new, .*, is below 20"):
        update(outputs(" ", "_"), REFERENCES, margin=margin, fail_under=floors)
    with pytest.raises(pytest.fail.Exception, match="system 'baseline' has 30"):
        kept(REFERENCES[:-1], REFERENCES[:-1], margin=margin)
    with pytest.raises(pytest.fail.Exception, match="Segment 1 has a line break"):
        update(outputs(" ", "\n"), REFERENCES, margin=margin)
    assert path.read_text() == before
