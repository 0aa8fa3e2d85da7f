"""METEOR's tokenizer: what each rule does, and that batches equal single sentences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.text import meteor_tokens
from cupel.text.meteor_norm import Rules
from cupel.text.meteor_tokens import MeteorNorm

# Right-hand sides as meteor-1.5.jar gives them.
ENGLISH = {
    "The U.S.-based firm (est. 1990) said: \"It's 5,000.50, isn't it?\"": (
        "the us based firm ( est . 1990 ) said : \" it 's 5,000.50 , isn 't it ? \""
    ),
    "a,b,c": "a , b,c",
    "He lives at No. 5 Main St. in Washington.": "he lives at no. 5 main st. in washington .",
    "He arrived. Mr. Smith left.": "he arrived . mr. smith left .",
    "wait... what.... no..": "wait ... what .... no ..",
    "rock 'n' roll, the 1990's and the boys' dogs": (
        "rock ' n ' roll , the 1990 's and the boys ' dogs"
    ),
    "well--known – and “quoted” ‘text’ ''here''": 'well known - and " quoted " \' text \' " here "',
    "state-of-the-art": "state of the art",
    "foo, ,bar ' 'baz": "foo , ,bar ' ' baz",
    "emoji 😀 and ½ © sign": "emoji 😀 and ½ © sign",
    "nbsp\xa0here Mr.\xa0x": "nbsp here mr. x",
    "tab\tand\x0bvt": "tab and\x0bvt",
    "one\ntwo\r\nthree": "one two three",
    "": "",
    "  \t ": "",
    "...": "...",
    ".": ".",
}


def tokens(language: str, sentence: str) -> str:
    return " ".join(MeteorNorm(language)([sentence]).of(0))


@pytest.mark.parametrize("sentence", ENGLISH)
def test_english_as_the_jar(sentence):
    assert tokens("en", sentence) == ENGLISH[sentence]
    assert " ".join(Rules("en").sentence(sentence)) == ENGLISH[sentence]


def test_greek_letters_are_wrapped_one_by_one():
    assert tokens("en", "ΟΔΟΣ") == "ο δ ο σ"


def test_french_splits_apostrophes_to_the_left_and_german_on_both_sides():
    french = "l' homme qu' il a vu aujourd' hui . m. dupont"
    assert tokens("fr", "L'homme qu'il a vu aujourd'hui. M. Dupont") == french
    german = "er sagte ' s am 5. mai zb dr. müller"
    assert tokens("de", "Er sagte's am 5. Mai z.B. Dr. Müller") == german


PARTS = st.sampled_from(
    ["a", "Z", "9", ",", ".", "'", "’", "`", "-", "–", '"', "…", "é", "U.S.", "Mr.", "No.", "...",
     "'s", "l'", "pp.", "''", "--", " ", " ", " ", "\t", "\xa0", "\u3000", "\x0b", "\u2028", "\x85",
     "\x1c", "\n", "İ", "ß", "ж", "😀"]
)  # fmt: skip
TEXTS = st.lists(PARTS, max_size=14).map("".join)


@settings(deadline=None, max_examples=300)
@given(st.lists(TEXTS, max_size=8), st.sampled_from(["en", "fr", "cs"]))
def test_a_batch_has_the_tokens_of_its_sentences(sentences, language):
    found = MeteorNorm(language)(sentences)
    rules = Rules(language)
    assert [found.of(n) for n in range(len(sentences))] == [rules.sentence(s) for s in sentences]


def test_a_full_memory_is_begun_anew(monkeypatch):
    norm = MeteorNorm("es")
    before = norm(["uno dos tres."])
    monkeypatch.setattr(meteor_tokens, "MOST_PIECES", 2)
    after = norm(["tres uno."])
    assert before.of(0) == ["uno", "dos", "tres", "."]
    assert after.of(0) == ["tres", "uno", "."]
    assert "dos" not in after.types
