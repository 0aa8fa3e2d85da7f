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
    from cupel.corpus import Corpus


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
