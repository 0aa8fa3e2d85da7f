"""Fixtures for all tests: folders of their own, and the real data packs where there are any.

No test touches the user's folders. The packs are found through CUPEL_DATA; a test that needs one
is skipped where it is absent. CUPEL_TEST_CACHE names a folder to keep unpacked packs in between
runs. Under pytest-xdist all workers share one cache, so that a pack is unpacked once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import served
    from cupel.corpus import Corpus

TESTS = Path(__file__).parent
QUICK = {
    TESTS / f"{name}.py"
    for name in """
    test_corpus test_gates test_registry test_rooms test_significance test_release
    adapters/test_accumulator choosing/test_reading cli/test_options data/test_catalog human/test_score_files learned/test_nnrk_features
    meta/test_campaign metrics/test_bleu metrics/test_ter mutt/test_suites neural/test_encoder
    oracles/test_sacrebleu papers/test_reproduce reading/test_read_corpus report/test_runs
    syntax/test_tree text/test_ptb tuning/test_search
    """.split()
}
"""One fast file for each room (two for metrics), marked `quick`: `make check` runs them."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m quick` the other files are not even imported."""
    others = collection_path.suffix == ".py" and collection_path not in QUICK
    return True if others and config.getoption("markexpr") == "quick" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asked = "soak" in config.getoption("markexpr")
    for item in items:
        if item.path in QUICK:
            item.add_marker("quick")
        if item.get_closest_marker("soak") and not asked:
            item.add_marker(pytest.mark.skip(reason="takes minutes: pytest -m soak"))


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Cache and data folders of this run, in place of the user's."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each worker's own folder lies inside the run's
    cache = os.environ.get("CUPEL_TEST_CACHE") or str(base / "cupel-cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUPEL_CACHE", cache)
        patch.setenv("XDG_DATA_HOME", str(base / "cupel-data-home"))
        patch.setenv("HF_HOME", str(base / "hugging-face"))
        patch.delenv("SLIPCOVER_ENABLED", raising=False)  # measures this run alone
        yield


@pytest.fixture(scope="session")
def pack(own_folders: None) -> Callable[[str], Path]:
    """`pack("wmt14")` is the folder of that data pack; the test is skipped where it is absent."""
    from cupel.data import find
    from cupel.errors import MissingPart

    def folder(name: str) -> Path:
        try:
            return find(name)
        except MissingPart as missing:
            pytest.skip(str(missing))

    return folder


@pytest.fixture(scope="session")
def newstest(pack: Callable[[str], Path]) -> Callable[[str, str], Corpus]:
    """`newstest("wmt14", "cs-en")` is that language pair with all its systems; read once a run."""
    from cupel.data import wmt_corpus

    corpora: dict[tuple[str, str], Corpus] = {}

    def corpus(name: str, pair: str) -> Corpus:
        pack(name)
        if (name, pair) not in corpora:
            corpora[name, pair] = wmt_corpus(name, pair)
        return corpora[name, pair]

    return corpus


@pytest.fixture(scope="session")
def mutt_files(pack: Callable[[str], Path]) -> dict[str, bytes]:
    """The files of text-machine-lab/MUTT that mutt and sick are made from."""
    import served

    return served.repository_files(pack("sick"), pack("mutt"))


@pytest.fixture(scope="session")
def mutt_archive(mutt_files: dict[str, bytes]) -> bytes:
    """Those files as GitHub packs them."""
    import served

    return served.archive(mutt_files)


@pytest.fixture
def server(mutt_files: dict[str, bytes], mutt_archive: bytes) -> Iterator[served.Server]:
    """A mirror of that repository on this machine."""
    import served

    base = f"/{served.MUTT.name}/{served.MUTT.commit}"
    contents = {f"{base}/{path}": content for path, content in mutt_files.items()}
    with served.serving({**contents, served.ARCHIVE_URL: mutt_archive}) as server:
        yield server


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a user who has nothing yet; the cache is `tmp_path / "cache"`."""
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("CUPEL_DATA", raising=False)
    return tmp_path / "home" / "cupel"
