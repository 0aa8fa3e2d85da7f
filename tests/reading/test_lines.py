r"""Lines are exactly what stands between newlines, and every failure names its place."""

import gzip
import io
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.errors import CupelError
from cupel.reading import read_lines

# What a text file can hold as one line: no newline, and no \r just before it.
LINES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")).map(
        lambda text: text.rstrip("\r")
    )
)


def written(tmp_path, content, name="some.txt"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def sentence(path, **keywords):
    with pytest.raises(CupelError) as caught:
        read_lines(path, **keywords)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\n\n", ["a", ""]),
        (b"\n", [""]),
        (b"", []),
        (b"a\rb\n", ["a\rb"]),
        (b"a\x0bb\x0cc\x1cd\x1de\x1ef\n", ["a\x0bb\x0cc\x1cd\x1de\x1ef"]),
        ("a\u2028b\u2029c\x85d\n".encode(), ["a\u2028b\u2029c\x85d"]),
        (b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\nb\n", ["", "b"]),
        (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b" a \t\n", [" a \t"]),
        (b"a\x00b\n", ["a\x00b"]),
    ],
)
def test_lines_end_at_newlines_only(tmp_path, content, lines):
    assert read_lines(written(tmp_path, content)) == lines
    packed = written(tmp_path, gzip.compress(content), "some.txt.gz")
    assert read_lines(str(packed)) == lines


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_any_text_comes_back_unchanged(lines, end, bom, packed):
    content = (("\ufeff" if bom else "") + "".join(line + end for line in lines)).encode()
    if lines and lines[0].startswith("\ufeff") and not bom:
        lines = [lines[0][1:], *lines[1:]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("x.gz" if packed else "x")
        path.write_bytes(gzip.compress(content) if packed else content)
        assert read_lines(path) == lines


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1"])
def test_other_encodings_on_request(tmp_path, encoding):
    # U+0A0A holds two bytes 0x0A in UTF-16, neither of them a newline.
    text = "é\n" if encoding == "latin-1" else "é\u0a0a\u2028\nb\r\n\n"
    path = written(tmp_path, text.encode(encoding))
    assert read_lines(path, encoding) == (
        ["é"] if encoding == "latin-1" else ["é\u0a0a\u2028", "b", ""]
    )


def test_standard_input(monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO("a\u2028b\nc".encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_lines("-") == ["a\u2028b", "c"]


def test_a_bad_byte_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb\xff")))
    expected = (
        "standard input, line 2, column 2: the byte 0xFF is not UTF-8; convert the file to UTF-8."
    )
    assert sentence("-") == expected


def test_standard_input_that_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert sentence("-") == "Standard input is closed."


@pytest.mark.parametrize(
    ("content", "place", "byte"),
    [
        (b"abc\xff\n", "line 1, column 4", "0xFF"),
        (b"a\n\xc3\xa9\xc3\xa9\xe9t\xe9\n", "line 2, column 3", "0xE9"),
        (b"\xef\xbb\xbfa\xff", "line 1, column 2", "0xFF"),
        (b"a\nb\xe2\x82", "line 2, column 2", "0xE2"),
        (b"\xed\xa0\x80", "line 1, column 1", "0xED"),  # a surrogate
    ],
)
def test_a_bad_byte_is_named_with_its_place(tmp_path, content, place, byte):
    path = written(tmp_path, content)
    expected = f"{path}, {place}: the byte {byte} is not UTF-8; convert the file to UTF-8."
    assert sentence(path) == expected


def test_a_bad_byte_in_utf_16(tmp_path):
    path = written(tmp_path, "ab\ncd".encode("utf-16-le") + b"\x00\xd8")
    expected = (
        f"{path}, line 2, column 3: the byte 0x00 is not UTF-16-LE; convert the file to UTF-16-LE."
    )
    assert sentence(path, encoding="utf-16-le") == expected


def test_an_encoding_that_does_not_exist(tmp_path):
    path = written(tmp_path, b"a\n")
    assert sentence(path, encoding="utf-9") == "There is no text encoding called 'utf-9'."
    assert sentence(path, encoding="base64") == "There is no text encoding called 'base64'."


def test_a_missing_file(tmp_path):
    assert sentence(tmp_path / "no.txt") == f"{tmp_path}/no.txt does not exist."
    path = written(tmp_path, b"a\n")
    assert sentence(path / "b") == f"{path}/b cannot be read: Not a directory."


def test_a_folder(tmp_path):
    assert sentence(tmp_path) == f"{tmp_path} is a folder; a file was expected."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    path = written(tmp_path, b"a\n")
    path.chmod(0)
    assert sentence(path) == f"{path} cannot be read: permission denied."


def test_permission_denied_reads_the_same_for_root(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert sentence(tmp_path / "x") == f"{tmp_path}/x cannot be read: permission denied."


def test_gzip_that_is_cut_off(tmp_path):
    packed = gzip.compress(os.urandom(5000).hex().encode() + b"\n")
    path = written(tmp_path, packed[: len(packed) // 2], "x.gz")
    assert sentence(path) == f"{path} is cut off: its gzip data ends too early."
    path = written(tmp_path, packed[:-3], "x.gz")
    assert sentence(path) == f"{path} is cut off: its gzip data ends too early."
    path = written(tmp_path, packed[:4], "x.gz")
    assert sentence(path) == f"{path} is cut off: its gzip data ends too early."


def test_gzip_that_is_none(tmp_path):
    path = written(tmp_path, b"plain text\n", "x.gz")
    assert sentence(path) == f"{path} is not gzip, although its name ends in .gz."


def test_gzip_that_is_damaged(tmp_path):
    packed = bytearray(gzip.compress(b"some text\n" * 50))
    packed[-5] ^= 0xFF  # in the checksum
    path = written(tmp_path, bytes(packed), "x.gz")
    assert sentence(path) == f"{path} is damaged: its gzip data cannot be unpacked."
    packed[12] ^= 0xFF  # in the compressed stream
    path = written(tmp_path, bytes(packed), "x.gz")
    assert sentence(path) == f"{path} is damaged: its gzip data cannot be unpacked."


def test_gzip_without_the_name(tmp_path):
    path = written(tmp_path, gzip.compress(b"a\n"), "x.txt")
    assert sentence(path) == f"{path} is packed with gzip; give it a name that ends in .gz."


def test_an_empty_file_named_gz_is_empty(tmp_path):
    assert read_lines(written(tmp_path, b"", "x.gz")) == []
