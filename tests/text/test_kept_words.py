"""Words of MeCab that are kept on disk: the same as MeCab's own, whatever the text is."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cupel.text import kept_words
from cupel.text.kept_words import Kept, KeptWords, joined, word_starts
from cupel.text.tokens import intern

JAPANESE = [
    "吾輩は猫である。名前はまだ無い。",
    "どこで生れたかとんと見当がつかぬ。 何でも薄暗い",
    "ﾆｬｰﾆｬｰ泣いていた　事だけは記憶している",
    "Python 3.11で𠮷野家のデータを、12,345件処理した(2021年)",
    "",
    "　",
    "a",
    "東京都に住む" * 300,
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))


def by_pairs(sentence: str) -> str:
    """A tokenizer whose words are two characters each; like MeCab it drops blanks, and Ð."""
    letters = "".join(sentence.split(" ")).replace("Ð", "")
    return " ".join(letters[n : n + 2] for n in range(0, len(letters), 2)).strip()


class Counted:
    """A tokenizer that counts how often it is asked."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def __call__(self, sentence: str) -> str:
        self.sentences.append(sentence)
        return by_pairs(sentence)


ODD = [*JAPANESE, "ab cd  e\u00a0f", "xÐy", "one\ttwo", "ÐÐ", "éa\u0301b", "zz \u2028 y"]

AGAIN = [ODD[1], "xÐy", "ÐÐ", "zz \u2028 y"]
"""Not kept: what has other letters than its words, or words across a blank."""


def test_words_that_are_kept_are_those_of_the_tokenizer() -> None:
    expected = [by_pairs(text.strip()).split() for text in ODD]
    first = KeptWords(by_pairs, "pairs")
    tokens = first(ODD)
    assert [tokens.of(n) for n in range(len(ODD))] == expected
    first.save()
    counted = Counted()
    again = KeptWords(counted, "pairs")
    tokens = again(ODD)
    assert [tokens.of(n) for n in range(len(ODD))] == expected
    assert tokens.types == intern(expected).types
    assert counted.sentences == AGAIN
    assert again.lines(ODD) == [by_pairs(text.strip()) for text in ODD]


def test_known_and_new_sentences_are_mixed() -> None:
    first = KeptWords(by_pairs, "pairs")
    first(ODD[::2])
    first.save()
    counted = Counted()
    second = KeptWords(counted, "pairs")
    tokens = second(ODD)
    assert [tokens.of(n) for n in range(len(ODD))] == [by_pairs(t.strip()).split() for t in ODD]
    assert not set(counted.sentences) & set(ODD[::2]) - set(AGAIN)
    second.save()
    assert len(KeptWords(by_pairs, "pairs")._kept.hashes) == len(
        {t.strip() for t in ODD} - set(AGAIN)
    )


def test_what_another_process_wrote_stays() -> None:
    first, second = KeptWords(by_pairs, "pairs"), KeptWords(by_pairs, "pairs")
    first(["abcd"])
    second(["efgh", "ij"])
    first.save()
    second.save()
    counted = Counted()
    assert KeptWords(counted, "pairs").lines(["abcd", "ij", "efgh"]) == ["ab cd", "ij", "ef gh"]
    assert counted.sentences == []
    assert KeptWords(counted, "others").lines(["abcd"]) == ["ab cd"]
    assert counted.sentences == ["abcd"]


def test_there_are_never_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_words, "MOST_SENTENCES", 10)
    words = KeptWords(by_pairs, "pairs")
    texts = [f"sentence {n}" for n in range(25)]
    for start in range(0, 25, 5):
        assert words.lines(texts[start : start + 5]) == list(
            map(by_pairs, texts[start : start + 5])
        )
        words.save()
    assert len(words._kept.hashes) == 10


def test_a_damaged_file_is_not_read(tmp_path: Path) -> None:
    words = KeptWords(by_pairs, "pairs")
    words(["abcd"])
    words.save()
    (file,) = (tmp_path / "words").iterdir()
    content = bytearray(file.read_bytes())
    content[70] ^= 1
    file.write_bytes(content)
    counted = Counted()
    assert KeptWords(counted, "pairs").lines(["abcd"]) == ["ab cd"]
    assert counted.sentences == ["abcd"]


def test_thousands_of_words_of_all_lengths_are_numbered_as_they_appear() -> None:
    """Words of one to six letters, so many that the tables grow; some with white space in them."""
    random = np.random.default_rng(5)
    letters = [*"あいうえおかきくけこ漢字仮名𠮷野家\0a\u3000", " "]
    texts = ["".join(random.choice(letters, 400)).strip() for _ in range(150)]
    cuts = [np.sort(random.choice(400, 150, replace=False)).tolist() for _ in texts]

    def cut(text: str) -> str:
        places = [0, *cuts[texts.index(text)], len(text)]
        return " ".join(" ".join(text[a:b] for a, b in pairwise(places)).split(" "))

    first = KeptWords(cut, "cuts")
    first(texts)
    first.save()
    again = KeptWords(cut, "cuts")
    expected = intern([cut(text).split() for text in texts])
    for words in (first, again):
        tokens = words(texts)
        assert tokens.types == expected.types
        assert np.array_equal(tokens.ids, expected.ids)
        assert np.array_equal(tokens.offsets, expected.offsets)
    assert len(expected.types) > 5000
    assert {len(word) for word in expected.types} > {1, 2, 3, 4, 5, 6}


def test_case_comes_before_the_words() -> None:
    words = KeptWords(by_pairs, "pairs")
    for text, case, expected in (
        ("ABcÄ", "lower", ["ab", "cä"]),
        ("ABcÄ", "ascii", ["ab", "cÄ"]),
        ("ΑΣ İ𠮷A", "lower", ["ας", "i\u0307", "𠮷a"]),
    ):
        assert words([text], case).of(0) == expected  # type: ignore[arg-type]


def test_places_are_those_of_equal_hashes() -> None:
    random = np.random.default_rng(2)
    hashes = random.integers(0, 2**64, (3000, 2), dtype=np.uint64)
    hashes[:50, 0] = np.arange(50)  # not spread evenly
    kept = hashes[:2000][np.argsort(hashes[:2000, 0])]
    places = Kept(kept, np.arange(2000), np.zeros(0, np.uint8)).places(hashes)
    assert np.array_equal(kept[places[:2000]], hashes[:2000])
    assert (places[2000:] == -1).all()
    assert (Kept.none().places(hashes) == -1).all()


def test_places_beyond_the_end_are_left_alone() -> None:
    part = word_starts(["abcdefghi"], np.array([[1, 2]], np.uint64), ["ab cd efghi"])
    whole = joined([part, part])
    assert whole.hashes.tolist() == [[1, 2]]
    assert np.unpackbits(part.words, bitorder="little").tolist()[:9] == [0, 0, 1, 0, 1, 0, 0, 0, 0]


@pytest.mark.skipif(
    importlib.util.find_spec("MeCab") is None or importlib.util.find_spec("ipadic") is None,
    reason="needs mecab-python3 and ipadic",
)
def test_japanese_words_are_those_of_sacrebleu() -> None:
    from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab

    from cupel.text.tokenizers import Tokenizer, _kept_words

    _kept_words.cache_clear()
    theirs = TokenizerJaMecab()
    expected = [theirs(text) for text in JAPANESE]
    for _ in range(2):
        assert Tokenizer("ja-mecab").lines(JAPANESE) == expected
        tokens = Tokenizer("ja-mecab")(JAPANESE)
        assert [tokens.of(n) for n in range(len(JAPANESE))] == [line.split() for line in expected]
        _kept_words("ja-mecab").save()
        _kept_words.cache_clear()
