"""Datasets as values: real language pairs, real trials, the embedded sample."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest

import packs
from cupel.data import mutt_corruptions, mutt_trials, sample, wmt_corpus, wmt_pairs
from cupel.errors import CupelError


def sentence(call, *arguments, **options) -> str:
    with pytest.raises(CupelError) as told:
        call(*arguments, **options)
    return str(told.value)


def test_the_pairs():
    assert wmt_pairs("wmt14") == ["cs-en", "de-en", "fr-en", "hi-en", "ru-en"]
    assert wmt_pairs("wmt12")[4:] == ["en-cs", "en-de", "en-es", "en-fr"]
    assert sentence(wmt_pairs, "sick") == (
        "'sick' is not a WMT dataset; those are wmt12, wmt13, wmt14."
    )
    assert sentence(wmt_corpus, "wmt14", "en-de") == (
        "wmt14 has no language pair 'en-de'; it has cs-en, de-en, fr-en, hi-en, ru-en."
    )


@pytest.mark.parametrize(
    ("name", "pair", "segments", "systems"),
    [
        ("wmt12", "cs-en", 3003, ["cu-bojar", "jhu-heiro", "onlineA", "onlineB"]),
        ("wmt12", "en-fr", 3003, ["Its-LATL", "KIT_Phrase-Based_SMT_System"]),
        ("wmt13", "cs-en", 3000, ["newstest2013.cs-en.FDA.2855", "newstest2013.cs-en.JHU.2903"]),
        ("wmt13", "ru-en", 3000, ["newstest2013.ru-en.CMU-primary.2908"]),
        ("wmt14", "hi-en", 2507, ["newstest2014.AFRL.3456.hi-en", "newstest2014.CMU.3510.hi-en"]),
    ],
)
def test_a_real_pair(newstest, name, pair, segments, systems):
    corpus = newstest(name, pair)
    assert list(corpus.systems)[: len(systems)] == systems
    assert (len(corpus), len(corpus.sources)) == (segments, segments)
    assert corpus.number_of_references == 1


def test_a_real_pair_line_by_line(newstest, pack):
    """Every part is the file of that name, split at line feeds and nowhere else."""
    corpus = newstest("wmt14", "de-en")
    parts = {
        "references/newstest2014-deen-ref.en": [texts[0] for texts in corpus.references],
        "sources/newstest2014-deen-src.de": corpus.sources,
        **{
            f"system-outputs/newstest2014/de-en/{name}": texts
            for name, texts in corpus.systems.items()
        },
    }
    assert len(parts) == 15
    for path, lines in parts.items():
        content = (pack("wmt14") / path).read_bytes().replace(b"\r\n", b"\n")
        assert "".join(f"{line}\n" for line in lines).encode() == content
    assert corpus.origins["references"].endswith("references/newstest2014-deen-ref.en")


def test_both_directions_are_the_same_text(newstest):
    from_english, into_english = newstest("wmt12", "en-de"), newstest("wmt12", "de-en")
    assert from_english.sources == [texts[0] for texts in into_english.references]
    assert [texts[0] for texts in from_english.references] == into_english.sources


def test_pairs_of_2013_share_their_references(newstest):
    assert newstest("wmt13", "cs-en").references == newstest("wmt13", "es-en").references


def test_a_broken_dataset_names_its_files(tmp_path, monkeypatch):
    folder = packs.build(tmp_path / "wmt14", "wmt14")
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path))
    output = folder / "system-outputs/newstest2014/cs-en/newstest2014.system3.cs-en"
    packs.write_lines(output, 3)
    assert sentence(wmt_corpus, "wmt14", "cs-en") == (
        f"{folder}/references/newstest2014-csen-ref.en has 4 segments, but {output} has 3."
    )
    for path in output.parent.iterdir():
        path.unlink()
    assert sentence(wmt_corpus, "wmt14", "cs-en") == (
        f"{folder} has no system outputs for cs-en: `cupel data verify wmt14` says what is missing."
    )


def test_lines_end_at_line_feeds_only(tmp_path, monkeypatch):
    folder = packs.build(tmp_path / "wmt12", "wmt12")
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path))
    source = folder / "sources" / "newstest2012-src.cs"
    source.write_bytes("a\u2028a\r\nb\x0bb\nc\x85c\n\n".encode())
    assert wmt_corpus("wmt12", "cs-en").sources == ["a\u2028a", "b\x0bb", "c\x85c", ""]


def test_the_corruptions():
    assert mutt_corruptions() == [
        *("det_sub", "double_PP", "near_syms", "neg_subj", "neg_verb"),
        *("passive", "remove_prep", "sem_opps", "shuffled", "swap_chunks"),
    ]
    assert sentence(mutt_trials, "typos") == (
        "There is no corruption 'typos' in mutt; there are det_sub, double_PP, near_syms, "
        "neg_subj, neg_verb, passive, remove_prep, sem_opps, shuffled, swap_chunks."
    )
    assert sentence(mutt_trials, "passive", references=7) == (
        "The trials of mutt have 5, 10 or 20 references; 7 were asked for."
    )


def test_real_trials(pack):
    pack("mutt")
    trials = mutt_trials("det_sub")
    assert len(trials) == 65
    assert trials.originals[1].startswith("A squirrel ")
    assert trials.corrupted[1].startswith("The squirrel ")
    assert trials.originals[1][2:] == trials.corrupted[1][4:]
    assert trials.references[0][1] == "Men are playing soccer."
    assert [len(texts) for texts in trials.references] == [5] * 65


def test_fewer_references_are_the_first_of_more(pack):
    pack("mutt")
    for corruption in mutt_corruptions():
        five, twenty = mutt_trials(corruption), mutt_trials(corruption, references=20)
        assert five.originals == twenty.originals
        assert [texts[:5] for texts in twenty.references] == five.references
        assert {len(texts) for texts in twenty.references} == {20}
        assert all(a != b for a, b in zip(five.originals, five.corrupted, strict=True))


def test_the_sample():
    corpus = sample()
    assert len(corpus) == 40
    assert list(corpus.systems) == ["careful", "decent", "rough", "broken"]
    assert [len(texts) for texts in corpus.references].count(2) == 14
    assert not corpus.outline.empty
    lengths = [len(texts[0].split()) for texts in corpus.references]
    assert (min(lengths), max(lengths)) == (1, 49)
    assert any(not text.isascii() for texts in corpus.references for text in texts)


def test_the_sample_ranks_its_systems_as_its_card_says():
    from sacrebleu.metrics import BLEU, CHRF

    corpus = sample()
    streams: list[Any] = [
        [texts[0] for texts in corpus.references],
        [texts[1] if len(texts) > 1 else None for texts in corpus.references],
    ]
    for metric in (BLEU(), CHRF()):
        scores = [metric.corpus_score(list(h), streams).score for h in corpus.systems.values()]
        assert min(better - worse for better, worse in pairwise(scores)) > 7, scores


def test_the_card_has_the_checksum_of_the_sample():
    folder = files("cupel") / "resources" / "sample"
    content = (folder / "sample.jsonl").read_bytes()
    assert hashlib.sha256(content).hexdigest() in (folder / "CARD.md").read_text("utf-8")
    assert content.count(b"\n") == 40
