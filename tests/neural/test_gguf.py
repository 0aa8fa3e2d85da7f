"""GGUF files, held against numbers that are decoded one by one."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.neural.gguf import Gguf, Texts

BLOCKS = {0: (1, 4), 6: (32, 22), 8: (32, 34), 12: (256, 144), 14: (256, 210)}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(tensors: dict[str, tuple[int, int, bytes]]) -> bytes:
    """A file of one-row tensors (format, width, bytes) and three settings."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 3)
    head += text("size") + struct.pack("<II", 4, 640)
    head += text("words") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("é")
    head += text("scores") + struct.pack("<IIQ2f", 9, 6, 2, 0.5, -1.0)
    data = b""
    for name, (form, width, raw) in tensors.items():
        head += text(name) + struct.pack("<IQQIQ", 2, width, 1, form, len(data))
        data += raw + b"\0" * (-len(raw) % 32)
    return head + b"\0" * (-len(head) % 32) + data


def half(raw: bytes, at: int) -> float:
    return float(struct.unpack_from("<e", raw, at)[0])


def slow(form: int, raw: bytes) -> list[float]:
    """One block, number by number."""
    if form == 0:
        return [struct.unpack("<f", raw)[0]]
    if form == 8:
        return [half(raw, 0) * struct.unpack_from("<b", raw, 2 + i)[0] for i in range(32)]
    if form == 6:
        fifths = struct.unpack_from("<I", raw, 2)[0]
        low = [raw[6 + i % 16] >> 4 * (i // 16) & 15 for i in range(32)]
        return [half(raw, 0) * ((low[i] | (fifths >> i & 1) << 4) - 16) for i in range(32)]
    if form == 12:
        return [_slow_q4(raw, i) for i in range(256)]
    return [_slow_q6(raw, i) for i in range(256)]


def _slow_q4(raw: bytes, i: int) -> float:
    group, six = i // 32, raw[4:16]
    if group < 4:
        scale, least = six[group] & 63, six[group + 4] & 63
    else:
        scale = six[group + 4] & 15 | (six[group - 4] >> 6) << 4
        least = six[group + 4] >> 4 | (six[group] >> 6) << 4
    byte = raw[16 + 32 * (i // 64) + i % 32]
    return half(raw, 0) * scale * (byte >> 4 * (group % 2) & 15) - half(raw, 2) * least


def _slow_q6(raw: bytes, i: int) -> float:
    part, within = divmod(i, 128)
    quarter, place = divmod(within, 32)
    low = raw[64 * part + place + 32 * (quarter % 2)] >> 4 * (quarter // 2) & 15
    high = raw[128 + 32 * part + place] >> 2 * quarter & 3
    scale = struct.unpack_from("<b", raw, 192 + i // 16)[0]
    return half(raw, 208) * scale * ((low | high << 4) - 32)


def random_block(form: int, rng: np.random.Generator) -> bytes:
    """Random bytes with scales that are finite."""
    raw = bytearray(rng.bytes(BLOCKS[form][1]))
    for at in {0: (), 6: (0,), 8: (0,), 12: (0, 2), 14: (208,)}[form]:
        raw[at : at + 2] = struct.pack("<e", rng.normal())
    return struct.pack("<f", rng.normal()) if form == 0 else bytes(raw)


def test_every_format_as_decoded_one_by_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    blocks = {form: [random_block(form, rng) for _ in range(3)] for form in BLOCKS}
    tensors = {
        f"t{form}": (form, 3 * BLOCKS[form][0], b"".join(raws)) for form, raws in blocks.items()
    }
    (tmp_path / "file").write_bytes(gguf(tensors))
    file = Gguf(tmp_path / "file")
    assert file.settings["size"] == 640
    assert list(file.settings["words"]) == ["a", "é"]
    assert file.settings["scores"].tolist() == [0.5, -1.0]
    for form, raws in blocks.items():
        expected = [value for raw in raws for value in slow(form, raw)]
        np.testing.assert_allclose(file.rows(f"t{form}")[0], expected, rtol=1e-6, atol=1e-6)


def test_rows_of_a_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [b"".join(random_block(8, rng) for _ in range(2)) for _ in range(6)]
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0)
    head += text("t") + struct.pack("<IQQIQ", 2, 64, 6, 8, 0)
    head += b"\0" * (-len(head) % 32)
    whole = head + b"".join(rows)
    expected = np.array(
        [slow(8, row[:34]) + slow(8, row[34:]) for row in rows],
    )
    order = np.array([5, 0, 3, 3, 1])
    (tmp_path / "file").write_bytes(whole)
    file = Gguf(tmp_path / "file")
    np.testing.assert_allclose(file.rows("t", order), expected[order], rtol=1e-6)
    np.testing.assert_allclose(file.rows("t"), expected, rtol=1e-6)


@pytest.mark.parametrize("cut", [3, 20, 60])
def test_a_file_that_ends_too_early(tmp_path: Path, cut: int) -> None:
    (tmp_path / "x").write_bytes(gguf({"t": (0, 1, b"\0\0\0\0")})[:cut])
    with pytest.raises(CupelError, match="is not a GGUF file that can be read"):
        Gguf(tmp_path / "x")


def listed(texts: list[str]) -> Texts:
    raw = [value.encode() for value in texts]
    sizes = np.array([len(value) for value in raw], np.int64)
    ends = np.cumsum(sizes)
    return Texts(np.frombuffer(b"".join(raw), np.uint8), ends - sizes, ends)
