"""Direct assessment of WMT13 segments: Graham, Baldwin and Mathur (NAACL 2015).

The repository holds one archive; its texts and scores are taken as they are, without the human
post-edits that it holds as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cupel.data.archives import archived_files
from cupel.data.converters.sources import only


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Take the texts and the scores out of the archive."""
    for name, content in archived_files(only(sources) / "dataset.tar.gz").items():
        if name.startswith(("sys.", "ref.", "src.", "human-scores.")):
            (target / name).write_bytes(content)
