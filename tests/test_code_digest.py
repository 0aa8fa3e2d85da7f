"""The digest of a module's code changes with what it imports, and with nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cupel import code_digest
from cupel.code_digest import code_of, digest
from cupel.corpus import Corpus
from cupel.meta.scorecache import metric_scores
from cupel.metrics.function import Function
from cupel.registry import get_metric

FILES = {
    "assayer/__init__.py": "from assayer import unrelated\n",
    "assayer/metric.py": "from . import words\nfrom .deep.tree import (\n    Tree,  # grown\n)\n"
    "def run():\n    import assayer.late\n",
    "assayer/words.py": "import numpy\n",
    "assayer/words.c": '#include <math.h>\n#include "letters.h"\n',
    "assayer/letters.h": '#include "letters.h"\n',
    "assayer/other.c": "",
    "assayer/late.py": "",
    "assayer/unrelated.py": "",
    "assayer/deep/__init__.py": "",
    "assayer/deep/tree.py": "from ..roots import x as y, z\nclass Tree: ...\n",
    "assayer/roots.py": "x = z = 1\n",
}


def forget() -> None:
    """As in a new process."""
    for known in (
        code_digest.digest,
        code_digest._content,
        code_digest._path,
        code_digest._imports,
    ):
        known.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    forget()
    yield tmp_path
    forget()


@pytest.mark.parametrize(
    ("name", "depends"),
    [
        ("metric.py", True),
        ("words.py", True),
        ("words.c", True),
        ("letters.h", True),
        ("other.c", False),
        ("late.py", True),
        ("deep/tree.py", True),
        ("roots.py", True),
        ("unrelated.py", False),
        ("__init__.py", False),
    ],
)
def test_what_a_module_depends_on(package: Path, name: str, depends: bool) -> None:
    before = digest("assayer.metric")
    assert digest("assayer.metric") == before
    with (package / "assayer" / name).open("a") as file:
        file.write("\n")
    forget()
    assert (digest("assayer.metric") != before) == depends


def test_within_a_part_of_a_package(package: Path) -> None:
    before = digest("assayer.deep.tree", within="assayer.deep")
    (package / "assayer" / "roots.py").write_text("x = z = 2\n")
    forget()
    assert digest("assayer.deep.tree", within="assayer.deep") == before
    assert digest("assayer.deep.tree") != before


def test_without_source_there_is_nothing_to_follow() -> None:
    assert digest("no.such.module") == digest("itertools")


def test_metrics_that_run_others_by_name_depend_on_all() -> None:
    nnrk, ter = Path("metrics/nnrk.py"), Path("kernels/shifts.py")
    home = code_digest._path("cupel.metric")
    assert home is not None
    assert str(ter) in {str(path.relative_to(home.parent)) for path in followed("nnrk")}
    assert str(nnrk) not in {str(path.relative_to(home.parent)) for path in followed("ter")}


def followed(metric: str) -> set[Path]:
    forget()
    read: list[Path] = []
    original = code_digest._content

    def content(path: Path) -> bytes:
        read.append(path)
        return original(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(code_digest, "_content", content)
        digest(f"cupel.metrics.{metric}")
    forget()
    return set(read)


def test_an_edited_function_is_scored_anew(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(package / "cache"))
    corpus = Corpus({"a": ["x y", "z"]}, [["x"], ["z"]])

    def score(body: str) -> list[float]:
        (package / "own_metric.py").write_text(f"def score(h, r):\n    return {body}\n")
        sys.modules.pop("own_metric", None)
        forget()
        metric = get_metric("own_metric:score")
        return metric_scores(corpus, {"m": metric})["m"].segments[0].tolist()

    assert score("1.0") == [1.0, 1.0]
    assert score("float(len(h))") == [3.0, 1.0]


def test_a_function_without_a_file_counts_by_what_it_does() -> None:
    def typed(body: str) -> str:
        names: dict[str, object] = {"__name__": "__console__"}
        exec(f"def score(h, r):\n    return {body}\n", names)
        return code_of(Function("score", names["score"]))  # type: ignore[arg-type]

    assert typed("1.0") == typed("1.0") != typed("2.0")


def test_each_module_is_read_once() -> None:
    forget()
    code_of(get_metric("ter"))
    code_of(get_metric("ter"))
    assert code_digest._content.cache_info().misses < 60
