"""Paraphrase tables: compiling, opening, and what is said of bad ones."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cupel.errors import CupelError, MissingPart
from cupel.kernels.phrases import find_phrases
from cupel.text import paraphrase_table, paraphrases
from cupel.text.paraphrases import find_table, open_paraphrases

ENTRIES = [
    ("0.5", "a b", "c"),
    ("0.25", "c", "a b d"),
    ("1.5e-2", "a b", "é"),
    ("1", "a", "c"),
]


def write(path: Path, entries=ENTRIES, text: str | None = None) -> Path:
    content = "".join("\n".join(entry) + "\n" for entry in entries) if text is None else text
    path.write_bytes(gzip.compress(content.encode()))
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "paraphrases"


@pytest.fixture
def table(tmp_path) -> Path:
    return write(tmp_path / "paraphrase-en.gz")


def test_paraphrases_come_in_the_order_of_the_file(table):
    opened = open_paraphrases(table)
    assert opened.of("a b") == [("c", 0.5), ("é", pytest.approx(0.015))]
    assert opened.of("c") == [("a b d", 0.25)]
    assert opened.of("a b d") == opened.of("b") == opened.of("z") == []
    assert len(opened.checksum) == 64


def test_phrases_are_found_by_start_and_length(table):
    opened = open_paraphrases(table)
    words = opened.numbers("a b d a c z".split())
    offsets, rows = find_phrases(words, np.array([0, 3, 3, 6]), opened.trie)
    assert offsets.tolist() == [0, 3, 3, 5]
    assert rows[:, :2].tolist() == [[0, 1], [0, 2], [0, 3], [0, 1], [1, 1]]
    assert rows[:, 5].tolist() == [0, 0, 1, 0, 1]  # whether it is somebody's paraphrase


PHRASES = st.lists(st.sampled_from(["a", "b", "c", "dd", "é"]), min_size=1, max_size=4).map(
    " ".join
)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(entries=st.lists(st.tuples(PHRASES, PHRASES), min_size=1, max_size=40))
def test_any_table_is_read_as_it_is_written(entries, tmp_path, monkeypatch):
    monkeypatch.setattr(paraphrase_table, "PIECE", 7)  # records lie across pieces
    path = write(tmp_path / "any.gz", [("0.5", *entry) for entry in entries])
    opened = open_paraphrases(path)
    for phrase in {phrase for phrase, _ in entries}:
        expected = [other for own, other in entries if own == phrase]
        assert [text for text, _ in opened.of(phrase)] == expected


def test_many_words_and_phrases_make_it_grow(tmp_path):
    entries = [("1", f"w{n} x{n % 7}", f"v{n}") for n in range(70_000)]
    opened = open_paraphrases(write(tmp_path / "large.gz", entries))
    assert opened.of("w69999 x6") == [("v69999", 1.0)]
    assert opened.of("w1 x1") == [("v1", 1.0)]
    assert len(opened.words) == 140_007


def test_the_index_is_made_once(table, own_cache, monkeypatch):
    open_paraphrases(table)
    (index,) = own_cache.iterdir()
    paraphrases._opened.cache_clear()
    monkeypatch.setattr(paraphrases, "compile_table", None)
    assert open_paraphrases(table).of("a") == [("c", 1.0)]
    assert index.name == f"{open_paraphrases(table).checksum[:16]}.index"


def damage(content: bytes, how: str) -> bytes:
    if how == "flipped":
        return content[:-70] + bytes([content[-70] ^ 1]) + content[-69:]
    return {"short": content[:-1], "empty": b"", "text": b"hello" * 100}[how]


@pytest.mark.parametrize("how", ["flipped", "short", "empty", "text"])
def test_a_damaged_index_is_made_again(table, own_cache, capsys, how):
    open_paraphrases(table)
    (index,) = own_cache.iterdir()
    good = index.read_bytes()
    index.write_bytes(damage(good, how))
    paraphrases._opened.cache_clear()
    assert open_paraphrases(table).of("a") == [("c", 1.0)]
    assert capsys.readouterr().err == (
        f"cupel: The cached file {index} is damaged; it is made again.\n"
    )
    assert index.read_bytes() == good


def test_an_index_of_another_version_is_made_again(table, own_cache, capsys, monkeypatch):
    open_paraphrases(table)
    (index,) = own_cache.iterdir()
    paraphrases._opened.cache_clear()
    monkeypatch.setattr(paraphrases, "VERSION", 3)
    assert open_paraphrases(table).of("a") == [("c", 1.0)]
    assert capsys.readouterr().err == (
        f"cupel: The cached file {index} is of another version of Cupel; it is made again.\n"
    )


def failure(path: Path) -> str:
    with pytest.raises(CupelError) as error:
        open_paraphrases(path)
    return str(error.value)


def test_bad_tables_are_told_in_a_sentence(tmp_path, table, own_cache):
    path = tmp_path / "bad.gz"
    path.write_bytes(b"")
    assert failure(path) == f"{path} is empty: a paraphrase table was expected."
    write(path, text="")
    assert failure(path) == f"{path} is empty: a paraphrase table was expected."
    path.write_bytes(table.read_bytes()[:-12])
    assert failure(path) == f"{path} is truncated: the gzip stream has no end."
    path.write_bytes(b"0.5\na\nb\n")
    assert failure(path) == (
        f"{path} is not a gzip file, or a damaged one (Not a gzipped file (b'0.')); a METEOR "
        "paraphrase table, paraphrase-xx.gz, was expected."
    )
    write(path, text="0.5\na\nb\n0.5\nc\n")
    assert failure(path) == (
        f"{path} is truncated: its last record, at line 4, has 2 of the 3 lines (weight, phrase, "
        "paraphrase)."
    )
    write(path, text="0.5\na\nb\nc\nd\ne\n")
    assert failure(path) == (
        f"{path}, line 4, is not in the format of a METEOR paraphrase table: a weight was "
        "expected, 'c' found."
    )
    write(path, text="0.5\na\n \n")
    assert failure(path) == (
        f"{path}, line 2, is not in the format of a METEOR paraphrase table: a phrase and its "
        "paraphrase was expected, 'a /  ' found."
    )
    assert not own_cache.exists() or list(own_cache.iterdir()) == []


def test_a_table_without_a_last_line_feed_is_whole(tmp_path):
    path = write(tmp_path / "x.gz", text="0.5\r\na b\r\nc\r\n1\nc\na")
    assert open_paraphrases(path).of("a b") == [("c", 0.5)]
    assert open_paraphrases(path).of("c") == [("a", 1.0)]


def test_a_missing_table_is_told_with_the_way_to_get_it(tmp_path, monkeypatch):
    with pytest.raises(CupelError, match=r"^There is no paraphrase table .*none.gz\.$"):
        find_table("en", str(tmp_path / "none.gz"))
    monkeypatch.setattr(paraphrases, "find_spec", lambda name: None)
    with pytest.raises(MissingPart) as error:
        find_table("en")
    assert str(error.value) == (
        "METEOR needs its paraphrase table paraphrase-en.gz: pip install 'cupel[meteor]', or give "
        "the file with paraphrases=PATH, or leave that matcher out with "
        "modules=exact,stem,synonym."
    )
    with pytest.raises(MissingPart) as error:
        find_table("cs")
    assert str(error.value) == (
        "METEOR needs the paraphrase table paraphrase-cz.gz for this language, which no package "
        "carries: give the file with paraphrases=PATH, or leave that matcher out with "
        "modules=exact."
    )
