"""The reader of Qwen2.5: what texts share is read once, and changes nothing."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")

from cupel.learned.assay.model.large import _batches  # noqa: E402
from cupel.neural.decoder_layers import MATRICES  # noqa: E402
from cupel.neural.gguf import Gguf  # noqa: E402
from cupel.neural.qwen import (  # noqa: E402
    GROUPS,
    HEAD,
    HEADS,
    INNER,
    SIZE,
    QwenReader,
)
from cupel.neural.wordpiece import Pieces  # noqa: E402

SHAPES = {
    "attn_q": (HEADS * HEAD, SIZE), "attn_k": (GROUPS * HEAD, SIZE), "attn_v": (GROUPS * HEAD, SIZE),
    "attn_output": (SIZE, HEADS * HEAD),
    "ffn_gate": (INNER, SIZE), "ffn_up": (INNER, SIZE), "ffn_down": (SIZE, INNER),
}  # fmt: skip


class RandomWeights:
    """One layer of random numbers, with the names and shapes of the file."""

    def rows(self, name: str, rows: npt.NDArray[Any] | None = None) -> npt.NDArray[np.float32]:
        if rows is not None:
            each = [np.random.default_rng(int(row)).normal(size=SIZE) for row in rows]
            return np.array(each, np.float32)
        part, kind = name.split(".")[-2:]
        random = np.random.default_rng(len(name) + ord(part[-1]))
        if kind == "bias":
            return random.normal(size=SHAPES[part][0]).astype(np.float32)
        if part not in SHAPES:
            return random.uniform(0.5, 1.5, SIZE).astype(np.float32)
        shape = SHAPES[part]
        return random.normal(size=shape).astype(np.float32) / np.float32(shape[1] ** 0.5)


@pytest.fixture(scope="module")
def reader() -> QwenReader:
    random = torch.Generator().manual_seed(1)
    changes = {}
    for name, part in MATRICES.items():
        out, into = SHAPES[part]
        changes[f"layers.0.{name}.a"] = torch.randn(4, into, generator=random) / 40
        changes[f"layers.0.{name}.b"] = torch.randn(out, 4, generator=random) / 4
    return QwenReader(cast("Gguf", RandomWeights()), 1, changes, torch.float32)


def pieces(*texts: list[int]) -> Pieces:
    offsets = np.cumsum([0, *(len(text) for text in texts)]).astype(np.int64)
    return Pieces(np.array([piece for text in texts for piece in text], np.int32), offsets)


def test_shared_beginnings_change_nothing(reader: QwenReader) -> None:
    first, second = [5, 6, 7, 8, 9, 10], [11, 12, 13]
    ends = [[1, 2, 3], [4], [1, 2, 3], [20, 21, 22, 23, 24]]
    of = np.array([0, 0, 1, 1])
    with torch.inference_mode():
        together = reader(pieces(first, second), pieces(*ends), of)
        for row, (number, end) in enumerate(zip(of.tolist(), ends, strict=True)):
            whole = [*(first, second)[number], *end]
            for cut in (1, len(whole) - 1):  # read as one text, however it is cut
                alone = reader(pieces(whole[:cut]), pieces(whole[cut:]), np.zeros(1, np.int64))
                assert torch.allclose(alone[0], together[row], atol=2e-4)
    assert not torch.allclose(together[0], together[2], atol=0.1)  # the beginning is seen


def test_a_layer_is_what_its_formula_says(reader: QwenReader) -> None:
    text = [3, 1, 4, 1, 5]
    with torch.inference_mode():
        got = reader(pieces(text[:2]), pieces(text[2:]), np.zeros(1, np.int64))[0]
    weights = {name: value.double() for name, value in reader._layers[0].items()}
    file = RandomWeights()
    x = torch.from_numpy(file.rows("token_embd.weight", np.array(text))).double()

    def norm(v: Any, w: Any) -> Any:
        return v / (v.square().mean(-1, keepdim=True) + 1e-6).sqrt() * w

    def turned(v: Any, at: int) -> Any:
        angle = at / 1e6 ** (torch.arange(0, HEAD, 2).double() / HEAD)
        a, b = v[: HEAD // 2], v[HEAD // 2 :]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()])

    projected = norm(x, weights["attn"]) @ weights["qkv"].T + weights["bias"]
    heads = []
    for head in range(HEADS):
        group = head // (HEADS // GROUPS)
        q = turned(projected[-1, head * HEAD : (head + 1) * HEAD], len(text) - 1)
        start = HEADS * HEAD + group * HEAD
        k = torch.stack([turned(p[start : start + HEAD], n) for n, p in enumerate(projected)])
        v = projected[:, start + GROUPS * HEAD : start + (GROUPS + 1) * HEAD]
        heads.append(torch.softmax(k @ q / HEAD**0.5, 0) @ v)
    last = x[-1] + weights["o"] @ torch.cat(heads)
    gate, up = (weights["both"] @ norm(last, weights["ffn"])).split(INNER)
    last = last + weights["down"] @ (gate * torch.sigmoid(gate) * up)
    assert torch.allclose(got.double(), last, atol=1e-4)


def test_batches_have_each_item_once_and_references_together() -> None:
    random = np.random.default_rng(2)
    beginnings, endings = random.integers(3, 60, 40), random.integers(3, 60, 500)
    of = random.integers(0, 40, 500)
    batches = list(_batches(beginnings, endings, of, 700))
    assert sorted(np.concatenate(batches).tolist()) == list(range(500))
    assert len(batches) < 500 * 35 / 700 + 40
    changes = sum(int(np.count_nonzero(np.diff(of[batch]))) for batch in batches)
    assert changes <= 40 + len(batches)
    assert list(_batches(beginnings, endings[:0], of[:0], 700)) == []
