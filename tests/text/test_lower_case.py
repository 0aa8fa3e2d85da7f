"""Text in lower case by code point: the same as `str.lower`, where it depends on neighbours as well."""

from __future__ import annotations

import random
import re

import pytest

from cupel.text.code_points import case_table, in_case
from cupel.text.tercom import Tercom
from cupel.text.tokenizers import Tokenizer

PARTS = (
    "ΑΣ|Σ|ςΣ.|İx|&QUOT;|&amp;lt;|&LT;|a\n-b|\n|。|漢|ｱｶﾞ|..1|1.|a-b|5-x|it's|IT'S|𝐀|𐐀|Ⅷ|ǅ|  |\u3000|ABC|Ω|É|"
    ".,.|-|\u2028|é\u0301|，|ＡＢ|\ud800|ДОМ|ß"
).split("|")


def texts(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices(PARTS, k=chance.randint(0, 9))) for _ in range(count)]


def test_every_code_point_is_in_the_lower_case_of_python() -> None:
    table = case_table("lower").tolist()
    assert [code for code, lower in enumerate(table) if lower < 0] == [0x130, 0x3A3]
    assert all(chr(lower) == chr(code).lower() for code, lower in enumerate(table) if lower >= 0)
    ascii_table = case_table("ascii").tolist()
    changed = {chr(code): chr(lower) for code, lower in enumerate(ascii_table) if code != lower}
    assert changed == {letter.upper(): letter for letter in "abcdefghijklmnopqrstuvwxyz"}


def test_only_the_letters_a_to_z_change_where_that_is_asked_for() -> None:
    lines = texts(1, 300)
    expected = [re.sub("[A-Z]", lambda match: match[0].lower(), line) for line in lines]
    assert in_case(lines, "ascii") == expected
    assert in_case([], "ascii") == []


@pytest.mark.parametrize("name", ["13a", "zh", "char", "none", "script"])
def test_tokenizers_see_text_in_lower_case(name: str) -> None:
    plain = Tokenizer(name)
    for line in texts(2, 150):  # one by one: most batches have nothing that depends on neighbours
        assert Tokenizer(name, True).tokens(line) == plain.tokens(line.lower())
        lower = re.sub("[A-Z]", lambda match: match[0].lower(), line)
        assert Tokenizer(name, "ascii").tokens(line) == plain.tokens(lower)


def test_tercom_is_that_of_sacrebleu_one_by_one() -> None:
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    for number, line in enumerate(texts(3, 800)):
        options = {
            "normalized": number % 2 == 0,
            "no_punct": number % 3 == 0,
            "asian_support": number % 5 < 2,
            "case_sensitive": number % 7 == 0,
        }
        tokens, theirs = Tercom(**options)([line]), TercomTokenizer(**options)
        once = theirs(line.rstrip())
        assert tokens.of(0) == once.split(), (options, line)
        if options["normalized"]:
            assert tokens.of(1) == theirs(once).split(), (options, line)
