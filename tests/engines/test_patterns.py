"""Any range of rows of many files is what these files have there; bad files are one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cupel.blocks import Block
from cupel.engines import patterns as patterns_module
from cupel.engines.inputs import Reader, blocks
from cupel.engines.patterns import File, Patterns, indexed_file, matches, patterns_of
from cupel.errors import CupelError
from cupel.reading.lines import read_lines


def indexed(patterns: Patterns) -> Patterns:
    names = {name for pattern in patterns.all for name in pattern.paths}
    return patterns.indexed({name: indexed_file(name) for name in names})


def read_all(patterns: Patterns, size: int = 8192) -> list[Block]:
    return list(blocks(indexed(patterns), size, 0, indexed(patterns).segments))


def text_file(file: File) -> Patterns:
    """One that has been looked at, as references and as translations."""
    return patterns_of([file.name], [file.name], None, None).indexed({file.name: file})


@pytest.fixture
def small_strides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_module, "STRIDE", 3)
    monkeypatch.setattr(patterns_module, "CHUNK_OF_BYTES", 17)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_lines_are_those_of_the_reader(tmp_path: Path, small_strides: None, end: str) -> None:
    file = tmp_path / "a.txt"
    lines = [f"line {n} " + "é\u2028x" * (n % 5) for n in range(40)]
    file.write_bytes("\ufeff".encode() + "\n".join(lines).encode() + end.encode())
    expected = read_lines(file)
    index = indexed_file(str(file))
    assert index.rows == len(expected)
    ranges = [(0, len(expected)), (0, 1), (5, 6), (7, 33), (38, len(expected))]
    with Reader(text_file(index)) as reader:
        for start, stop in [*ranges, *reversed(ranges)]:  # forward and back
            block = reader.read(start, stop - start)
            assert block is not None
            (texts,) = block.systems.values()
            assert texts == expected[start:stop]
            assert block.references == [(text,) for text in texts]


def test_places_are_those_of_lines(tmp_path: Path, small_strides: None) -> None:
    file = tmp_path / "a.txt"
    random = np.random.default_rng(3)
    content = bytes(random.choice([10, 97, 98], 999, p=[0.2, 0.4, 0.4]).tolist())
    file.write_bytes(content)
    index = indexed_file(str(file))
    assert index.rows == len(content.splitlines())
    for row, byte in index.places:
        assert content[:byte].count(b"\n") == row
    assert len(index.places) > 20
    for name, rows in (("none.txt", 0), ("bom.txt", 0), ("end.txt", 1)):
        (tmp_path / name).write_bytes(
            {"none.txt": b"", "bom.txt": b"\xef\xbb\xbf"}.get(name, b"\n")
        )
        assert indexed_file(str(tmp_path / name)).rows == rows == len(read_lines(tmp_path / name))


def test_blocks_run_over_the_ends_of_files(tmp_path: Path) -> None:
    texts = pl.DataFrame(
        {"mt": [f"t {n}" for n in range(50)], "ref": [f"r {n}" for n in range(50)]}
    )
    for number, (low, high) in enumerate([(0, 7), (7, 7), (7, 31), (31, 50)]):
        texts[low:high].write_parquet(tmp_path / f"p-{number}.parquet", row_group_size=5)
    (tmp_path / "ref-a.txt").write_text("".join(f"other {n}\n" for n in range(20)))
    (tmp_path / "ref-b.txt").write_text("".join(f"other {n}\n" for n in range(20, 50)))
    patterns = patterns_of(
        [f"{tmp_path}/p-*.parquet:ref", f"{tmp_path}/ref-?.txt"],
        [f"{tmp_path}/p-*.parquet:mt"],
        None,
        None,
    )
    assert list(patterns.systems) == ["mt"]
    assert indexed(patterns).segments == 50
    found = read_all(patterns, 8)
    assert [len(block) for block in found] == [8] * 6 + [2]
    assert [block.first for block in found] == list(range(0, 50, 8))
    assert [text for block in found for text in block.systems["mt"]] == texts["mt"].to_list()
    assert [pair for block in found for pair in block.references] == [
        (f"r {n}", f"other {n}") for n in range(50)
    ]


def test_json_lines_and_lists_of_references(tmp_path: Path) -> None:
    records = [
        {"mt": f"t {n}", "references": [f"r {n}", "x"] if n % 2 else f"r {n}"} for n in range(9)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records[:4]))
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records[4:]))
    patterns = patterns_of([f"{tmp_path}/*.jsonl"], None, None, ["s"])
    assert patterns.references[0].column == "references"
    _, second, third = read_all(patterns, 4)
    assert second.references == [("r 4",), ("r 5", "x"), ("r 6",), ("r 7", "x")]
    assert third.systems == {"s": ["t 8"]}


def parquet(file: Path, **columns: object) -> None:
    pl.DataFrame(columns).write_parquet(file, row_group_size=2)


def test_bad_files(tmp_path: Path) -> None:
    p = str(tmp_path)
    parquet(tmp_path / "a.parquet", mt=["x", "y", "z"], ref=["x", "y", "z"])
    parquet(tmp_path / "b.parquet", mt=["x"], other=["x"])
    parquet(tmp_path / "c.parquet", mt=["x"], ref=[1])
    parquet(tmp_path / "n.parquet", mt=["x", None, "z"], ref=["x", "y", "z"])
    (tmp_path / "packed.txt.gz").write_bytes(b"")
    (tmp_path / "d.parquet").write_bytes(b"no parquet")
    (tmp_path / "bad.jsonl").write_text('{"mt": "a", "ref": "b"}\n{"mt": "a", "ref"\n')
    (tmp_path / "bad.txt").write_bytes(b"a\n\xff\n")
    (tmp_path / "ok.txt").write_bytes(b"a\nb\n")
    cases = {
        ("q*.parquet",): f"No file matches {p}/q*.parquet.",
        (
            "packed*",
            "packed*",
        ): f"{p}/packed.txt.gz is packed, so that it cannot be read from the middle: "
        "unpack it, or convert it to Parquet.",
        ("[ab].parquet",): f"{p}/b.parquet has no column 'ref'; it has 'mt', 'other'.",
        ("[ac].parquet",): f"{p}/c.parquet, row 1: 'ref' holds a number where text was expected.",
        ("d.parquet",): f"{p}/d.parquet is not a Parquet file, or it is damaged.",
        ("b.parquet",): f"{p}/b.parquet has the columns 'mt', 'other', and none of them is called "
        f"'reference', 'references', 'ref': name the column of the references, {p}/b.parquet:COLUMN.",
        ("n.parquet",): f"{p}/n.parquet, row 2: 'mt' holds null where text was expected.",
        ("bad.jsonl",): f"{p}/bad.jsonl, line 2, column 18: this is not JSON "
        "(Expecting ':' delimiter).",
        (
            "ok.txt",
            "bad.txt",
        ): f"{p}/bad.txt, line 2, column 1: the byte 0xFF is not UTF-8; convert the file to UTF-8.",
        ("ok.txt", "a.parquet:mt"): f"{p}/a.parquet:mt has 3 segments, but {p}/ok.txt has 2.",
        (
            "ok.txt",
        ): f"{p}/ok.txt has one text per line: name the files of the translations with -i.",
        ("",): f"{p}/ is a folder: name its files by a pattern, such as {p}/*.parquet.",
        (
            "[ao]*",
            "[ao]*",
        ): f"{p}/[ao]* matches files of different kinds, such as {p}/a.parquet and {p}/ok.txt.",
    }
    for names, sentence in cases.items():
        references, *systems = [f"{p}/{name}" for name in names]
        with pytest.raises(CupelError) as error:
            read_all(patterns_of([references], systems or None, None, None))
        assert str(error.value) == sentence


def test_a_file_that_is_broken_in_the_middle(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    texts = [f"{n} {n * n}" for n in range(3000)]
    pl.DataFrame({"mt": texts, "ref": texts}).write_parquet(
        file, row_group_size=1000, compression="zstd"
    )
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    file.write_bytes(content)
    with pytest.raises(CupelError, match=r"a\.parquet is damaged: its rows 1 to 3000 cannot be"):
        read_all(patterns_of([str(file)], None, None, None))


def test_a_file_that_changes_during_the_run(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a\nb\n")
    patterns = text_file(indexed_file(str(file)))
    file.write_text("a\nb\nc\n")
    with (
        pytest.raises(CupelError, match=r"a\.txt has changed since the run began"),
        Reader(patterns) as reader,
    ):
        reader.read(0, 2)


def test_files_of_other_file_systems(tmp_path: Path) -> None:
    """As Arrow names them: file:// here, s3:// and gs:// elsewhere."""
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'cupel[ray]'")
    parquet(tmp_path / "a.parquet", mt=["x", "y"], ref=["x", "z"])
    parquet(tmp_path / "b.parquet", mt=["z"], ref=["z"])
    assert matches(f"file://{tmp_path}/*.parquet") == [
        f"file://{tmp_path}/a.parquet",
        f"file://{tmp_path}/b.parquet",
    ]
    patterns = patterns_of([f"file://{tmp_path}/*.parquet:ref"], None, None, ["s"])
    assert read_all(patterns)[0].systems == {"s": ["x", "y", "z"]}
    with pytest.raises(CupelError, match=r"No file matches file:.*/q\*\.parquet"):
        matches(f"file://{tmp_path}/q*.parquet")
