"""Stems as METEOR 1.5 has them; the words are those on which newer Snowball versions differ."""

from __future__ import annotations

import pytest

from cupel.errors import CupelError
from cupel.text.stemmer import stem


@pytest.mark.parametrize(
    ("language", "pairs"),
    [
        ("en", {"added": "ad", "biologist": "biologist", "university": "univers", "cats": "cat"}),
        ("de", {"ergebnisse": "ergebniss", "ergebnis": "ergebnis", "öffnet": "offnet"}),
        ("fr", {"ambiguïté": "ambiguït", "laïcité": "laïcit", "c'était": "c'et", "côtés": "côt"}),
        ("es", {"canciones": "cancion"}),
        ("ru", {"чёрный": "чёрны", "белёй": "белё", "всё": "всё", "книги": "книг"}),
    ],
)
def test_stems_are_those_of_meteor(language, pairs):
    assert stem(list(pairs), language) == list(pairs.values())


def test_czech_has_no_stemmer():
    with pytest.raises(CupelError) as error:
        stem(["slovo"], "cs")
    assert str(error.value).startswith(
        "There is no stemmer for 'cs'; there is one for en, de, es, fr, ru, ar, "
    )
