"""Numbers of the papers' tables that were computed before, kept in the cache.

The key names everything that a number depends on, the metric's signature and code among it. An
entry that cannot be read is computed anew.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from cupel import __version__
from cupel.errors import CupelError
from cupel.folders import cache_folder, write_text


def _path(*parts: object) -> Path:
    whole = json.dumps([__version__, *map(str, parts)])
    name = hashlib.sha256(whole.encode()).hexdigest()[:32]
    return cache_folder() / "reproduce" / f"{name}.json"


def remembered(*parts: object) -> dict[str, Any] | None:
    """What was kept under these parts, or None."""
    try:
        content = json.loads(_path(*parts).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def remember(content: dict[str, Any], *parts: object) -> None:
    """Keep numbers under these parts; where the cache cannot be written, they are computed anew."""
    with suppress(CupelError, OSError):
        write_text(_path(*parts), json.dumps(content))
