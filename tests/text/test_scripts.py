"""Metrics on real sentences in fourteen scripts: equal to sacreBLEU, and sane where there is no peer.

The pairs are two translations of the same sentence, so that they differ as translations do.
"""

from __future__ import annotations

import json
import random
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import cupel
from commands import run
from cupel.corpus import Corpus
from cupel.metrics.by_language import corpus_notes, language_options, word_tokenizer
from cupel.registry import named_metrics
from cupel.scoring import score_corpus
from cupel.text.languages import main_script
from cupel.text.scripts import words
from cupel.text.tercom import Tercom
from cupel.text.tokenizers import Tokenizer

SCRIPTS = {
    "cs": "LATIN", "vi": "LATIN", "tr": "LATIN", "ru": "CYRILLIC", "el": "GREEK", "ar": "ARABIC",
    "ur": "ARABIC", "he": "HEBREW", "hi": "DEVANAGARI", "bn": "BENGALI", "th": "THAI",
    "my": "MYANMAR", "zh": "HAN", "ja": "KANA", "ko": "HANGUL", "ka": "GEORGIAN",
    "hy": "ARMENIAN", "am": "ETHIOPIC",
}  # fmt: skip
METRICS = ["bleu", "chrf", "chrf++", "ter", "meteor", "wer", "cder", "per", "rouge-l", "nist"]
NEEDS = {"ja": "MeCab", "ko": "mecab_ko"}
FRAGMENTS = (
    "'s|.|,|-|5|3.5|字|あ|ー|。|\u3000| |\t|a|It's|&amp;|&lt;|“|…|\u2028|é|\u0e31|\u0301|ก|;|(|'|"
    "\U00020000|\ufe30|1-2|..1|\x1c|_|²|\ud800|\n|-\n|'S|\u0915\u093f|\uff0c|%"
).split("|")


@cache
def pairs(language: str) -> tuple[list[str], list[str]]:
    text = Path(__file__).with_name("script_pairs.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line[0] != "#"]
    own = [row[1:] for row in rows if row[0] == language]
    return [hypothesis for hypothesis, _ in own], [reference for _, reference in own]


def need_segmenter(language: str) -> None:
    if language in NEEDS and find_spec(NEEDS[language]) is None:
        pytest.skip(f"the tokenizer of {language} is not installed")


@pytest.mark.parametrize("language", SCRIPTS)
def test_script_is_recognised(language: str) -> None:
    assert main_script(pairs(language)[1]) == SCRIPTS[language]
    assert len(pairs(language)[0]) >= 14


@pytest.mark.parametrize("language", SCRIPTS)
def test_equal_to_sacrebleu(language: str) -> None:
    """Every segment and the whole, with the tokenizer that sacreBLEU has for the language."""
    from sacrebleu.metrics import BLEU, CHRF, TER

    need_segmenter(language)
    hypotheses, references = pairs(language)
    own = word_tokenizer(language)
    tokenizer = "13a" if own in (None, "script") else own
    asian = language in ("zh", "ja")
    theirs = {
        f"bleu:tokenize={tokenizer},effective_order=yes": BLEU(
            tokenize=tokenizer, effective_order=True
        ),
        "chrf": CHRF(),
        "chrf++": CHRF(word_order=2),
        "ter": TER(),
        "ter:normalized=yes,asian_support=yes": TER(normalized=True, asian_support=True),
        "ter:no_punct=yes,asian_support=yes": TER(no_punct=True, asian_support=True),
    }
    scores = cupel.score(hypotheses, references, list(theirs))
    for spec, metric in theirs.items():
        segments = [
            metric.sentence_score(hypothesis, [reference]).score
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ]
        np.testing.assert_allclose(scores.segment_scores(spec), segments, rtol=0, atol=1e-9)
        expected = metric.corpus_score(hypotheses, [references]).score
        assert scores.system_score(spec) == pytest.approx(expected, abs=1e-9)
        assert not asian or scores.system_score(spec) > 0


@pytest.mark.parametrize("language", SCRIPTS)
def test_better_text_scores_better(language: str) -> None:
    """With what `-l` chooses: the reference itself, then a translation, then another sentence."""
    need_segmenter(language)
    hypotheses, references = pairs(language)
    others = references[1:] + references[:1]
    corpus = Corpus({"same": references, "real": hypotheses, "other": others}, references)
    metrics = named_metrics(METRICS, language_options(METRICS, f"en-{language}"))
    scores = score_corpus(corpus, metrics)
    for metric in METRICS:
        same, real, other = (scores.system_score(metric, s) for s in ("same", "real", "other"))
        ordered = same > real > other if metrics[metric].higher_is_better else same < real < other
        assert ordered, (metric, same, real, other)
    for metric in ("bleu", "chrf", "chrf++"):
        assert scores.system_score(metric, "same") == pytest.approx(100)
    notes = corpus_notes(corpus, metrics, f"en-{language}")
    assert [note.partition(" splits")[0] for note in notes] == ["ter"] * (language in ("th", "my"))


@pytest.mark.parametrize("language", SCRIPTS)
def test_words_keep_marks_and_lose_nothing(language: str) -> None:
    for name in ("13a", "script", "zh", "none"):
        tokens = Tokenizer(name)(pairs(language)[1])
        for row, sentence in enumerate(pairs(language)[1]):
            assert "".join(tokens.of(row)) == "".join(sentence.split())
    for sentence in pairs(language)[1]:
        for word in Tokenizer("script").tokens(sentence):
            assert not unicodedata.combining(word[0])


def test_compiled_tokenizers_are_those_of_sacrebleu() -> None:
    """On random strings of hard cases; in research on every code point as well."""
    from sacrebleu.metrics.bleu import _get_tokenizer
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    chance = random.Random(12345)
    lines = ["".join(chance.choices(FRAGMENTS, k=chance.randint(0, 12))) for _ in range(3000)]
    lines += [chr(code) for code in range(0x20, 0x3400, 3) if chr(code) not in "\r"]
    for name in ("zh", "char"):
        tokens, theirs = Tokenizer(name)(lines), _get_tokenizer(name)()
        for row, line in enumerate(lines):
            assert tokens.of(row) == theirs(line.rstrip()).split(), repr(line)
    tokens = Tokenizer("script")(lines)
    for row, line in enumerate(lines):
        assert tokens.of(row) == " ".join(words(line)).split(), repr(line)
    for options in (
        {"normalized": True},
        {"normalized": True, "asian_support": True},
        {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
        {"no_punct": True, "asian_support": True},
    ):
        tokens, tercom = Tercom(**options)(lines), TercomTokenizer(**options)
        for row, line in enumerate(lines):
            once = tercom(line.rstrip())
            assert tokens.of(row) == once.split(), repr(line)
            if options.get("normalized"):
                assert tokens.of(len(lines) + row) == tercom(once).split(), repr(line)


def run_align(tmp_path: Path, language: str, *options: str) -> str:
    names = []
    for name, lines in zip(("hyp", "ref"), pairs(language), strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
        names.append(str(tmp_path / name))
    command = ["align", names[1], "-i", names[0], "-l", f"en-{language}", *options]
    done = run(*command)
    assert done.status == 0, done.err
    return done.out


@pytest.mark.parametrize("language", ["ar", "he", "hi", "th", "zh"])
def test_align_in_other_scripts(tmp_path: Path, language: str) -> None:
    """Words are whole, marks stay with their letters, and links join equal words."""
    answer = json.loads(run_align(tmp_path, language, "-f", "json"))
    hypotheses = pairs(language)[0]
    for row in answer["segments"]:
        text = hypotheses[row["segment"] - 1].lower()
        assert "".join(row["hypothesis"]) == "".join(text.split())
        assert not any(unicodedata.combining(word[0]) for word in row["hypothesis"])
    exact = [row for row in answer["rows"] if row["kind"] == "exact"]
    assert len(exact) > 20
    assert all(row["hypothesis"] == row["reference"] for row in exact)


def test_align_keeps_columns_in_order(tmp_path: Path) -> None:
    """A left-to-right mark around Arabic words; marks take no room, Chinese characters two."""
    from cupel.cli.output import shown_width

    text = run_align(tmp_path, "ar", "-n", "1")
    rows = [line for line in text.splitlines() if " exact " in line]
    widths = {shown_width(line.partition(" exact")[0]) for line in rows}
    assert len(rows) > 3
    assert len(widths) == 1
    assert all(line.count("\u200e") == 4 for line in rows if any(c.isalpha() for c in line[:4]))
    assert [shown_width(word) for word in ("abc", "كثيرًا", "猫", "नि")] == [3, 5, 2, 2]
