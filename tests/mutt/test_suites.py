"""Suites from files: JSON lines, DEMETR, ACES; and what is wrong with them, by file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cupel.errors import CupelError
from cupel.mutt import CORRUPTIONS, Kind, open_suite, read_suite
from cupel.mutt.challenge import aces, demetr
from cupel.mutt.suites import Trial, TrialSet, sick_suite

GOOD = {
    "original": "A jet is flying",
    "corrupted": "A jet is not flying",
    "references": ["A plane flies", "A jet flies"],
    "corruption": "neg_verb",
    "kind": "meaning-altering",
}


def written(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "trials.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_json_lines(tmp_path: Path) -> None:
    own = GOOD | {"corruption": "typo", "kind": "disrupting", "source": "Ein Jet fliegt"}
    suite = read_suite(written(tmp_path, GOOD, own, GOOD))
    assert suite.name == "trials"
    assert [(s.corruption, s.kind, len(s)) for s in suite.sets] == [
        ("neg_verb", Kind.altering, 2),  # equal trials are both kept
        ("typo", Kind.disrupting, 1),
    ]
    assert suite.sets[1].trials[0].source == "Ein Jet fliegt"


def test_the_kind_of_the_papers_corruptions_is_known(tmp_path: Path) -> None:
    record = {key: value for key, value in GOOD.items() if key != "kind"}
    assert read_suite(written(tmp_path, record)).sets[0].kind is Kind.altering


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"corrupted": "A jet is flying"}, "the original and the corrupted sentence are the same"),
        ({"references": []}, "the trial has no references; at least one is needed"),
        ({"references": "one"}, "the field 'references' must be a list of texts"),
        ({"references": None}, "the field 'references' must be a list of texts"),
        ({"kind": "meaning-bending"}, "unknown kind 'meaning-bending'; known are meaning-altering"),
        ({"original": 3}, "the field 'original' must be text, not 3"),
        ({"kind": "preserving"}, "is meaning-preserving here, but meaning-altering above"),
    ],
)
def test_a_bad_trial_is_told_with_file_and_line(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = written(tmp_path, GOOD, GOOD | change)
    with pytest.raises(CupelError, match=message) as told:
        read_suite(path)
    assert str(told.value).startswith(f"{path}, line 2: ")


@pytest.mark.parametrize("name", ["original", "corrupted", "references", "corruption"])
def test_a_missing_field(tmp_path: Path, name: str) -> None:
    record = {key: value for key, value in GOOD.items() if key != name}
    with pytest.raises(CupelError, match=f"line 1: the field '{name}' is missing"):
        read_suite(written(tmp_path, record))


def test_an_unknown_corruption_needs_a_kind(tmp_path: Path) -> None:
    record = {key: value for key, value in GOOD.items() if key != "kind"}
    with pytest.raises(CupelError, match="line 1: the field 'kind' is missing, and 'typo' is not"):
        read_suite(written(tmp_path, record | {"corruption": "typo"}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n", "line 1, column 2: this is not JSON"),
        ("[1]\n", "line 1: a list was found where an object was expected"),
        ("\n\n", "has no trials"),
    ],
)
def test_what_is_no_json_lines(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_text(text)
    with pytest.raises(CupelError, match=message):
        read_suite(path)


def test_an_unknown_suite_is_told_with_the_known_ones() -> None:
    with pytest.raises(CupelError, match=r"no suite 'mut'.*mutt, sick, sample.*demetr:PATH"):
        open_suite("mut")


def test_trials_without_a_file_are_told_by_number() -> None:
    good = Trial("a", "b", ("c",))
    with pytest.raises(CupelError, match="Trial 2 of neg_verb: the original and the corrupted"):
        TrialSet("neg_verb", Kind.altering, (good, Trial("a", "a", ("c",))))
    with pytest.raises(
        CupelError, match=r"Trial 1 of neg_verb: 2 references were asked for.*has 1"
    ):
        TrialSet("neg_verb", Kind.altering, (good,)).with_references(2)


def test_only_some_corruptions() -> None:
    suite = open_suite("sample")
    assert [s.corruption for s in suite.only(["passive", "neg_verb"]).sets] == [
        "passive", "neg_verb",
    ]  # fmt: skip
    with pytest.raises(CupelError, match="sample has no corruption 'typo'; it has neg_subj"):
        suite.only(["typo"])


def test_the_sample_has_every_corruption_of_the_paper() -> None:
    suite = open_suite("sample")
    assert [s.corruption for s in suite.sets] == list(CORRUPTIONS)
    assert all(s.kind is CORRUPTIONS[s.corruption].kind for s in suite.sets)


def test_the_card_has_the_checksums() -> None:
    import hashlib
    from importlib.resources import files

    folder = files("cupel") / "resources" / "mutt"
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    for name in ("captions.tsv", "sample.jsonl", "antonyms.tsv"):
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() in card, name


def test_the_papers_suite(pack: Callable[[str], Path]) -> None:
    pack("mutt")
    suite = open_suite("mutt")
    assert {s.corruption: len(s) for s in suite.sets} == {
        "neg_subj": 336, "neg_verb": 198, "sem_opps": 246, "passive": 214, "near_syms": 240,
        "det_sub": 65, "double_PP": 202, "remove_prep": 202, "swap_chunks": 500, "shuffled": 14,
    }  # fmt: skip
    assert suite.counts == (5, 10, 20)
    from cupel.data import mutt_trials

    for count in suite.counts:
        five = suite.sets[0].with_references(count)
        assert [list(t.references) for t in five.trials] == mutt_trials(
            "neg_subj", count
        ).references


def test_sick_pairs_have_their_caption_as_reference(pack: Callable[[str], Path]) -> None:
    pack("sick")
    suite = open_suite("sick")
    (frog,) = [
        t for s in suite.sets if s.corruption == "neg_subj" for t in s.trials
        if t.corrupted == "There is no man holding a frog"
    ]  # fmt: skip
    assert frog.references == ("a man is holding a frog",)


def test_a_file_like_sick_without_matches(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("sentence_A\tsentence_B\tentailment_label\na b\tc d e\tNEUTRAL\n")
    with pytest.raises(CupelError, match="no template matches any of its pairs; 1 were tried"):
        sick_suite(path)
    path.write_text("sentence_A\tsentence_B\tentailment_label\na b\ta c\tNEUTRAL\n")
    (trial,) = open_suite(f"sick:{path}").sets[0].trials
    assert trial.references == ("a b",)  # there is no caption: the original


DEMETR = {
    "id": 1,
    "src_sent": "Il dort",
    "eng_sent": "He sleeps",
    "mt_sent": "He is sleeping",
    "pert_sent": "He is waking",
    "lang_tag": "french",
    "pert_check": True,
    "severity": "critical",
    "pert_id": 7,
    "pert_name": "critical_id7_antonym",
}


def test_demetr(tmp_path: Path) -> None:
    unperturbed = DEMETR | {"pert_check": False}
    typo = DEMETR | {"pert_id": 26, "pert_name": "minor_id26_misspelled", "pert_sent": "He si"}
    reference = DEMETR | {"pert_id": 35, "pert_name": "base_id35_reference"}
    (tmp_path / "a.json").write_text(json.dumps([DEMETR, unperturbed]))
    (tmp_path / "b.json").write_text(json.dumps([typo, reference]))
    suite = demetr(tmp_path)
    assert [(s.corruption, s.kind, len(s)) for s in suite.sets] == [
        ("critical_id7_antonym", Kind.altering, 1),
        ("minor_id26_misspelled", Kind.disrupting, 1),
    ]
    (trial,) = suite.sets[0].trials
    assert (trial.original, trial.corrupted) == ("He is sleeping", "He is waking")
    assert (trial.references, trial.source) == (("He sleeps",), "Il dort")
    assert suite.remarks == ("1 items were not perturbed and are left out.",)
    assert len(open_suite(f"demetr:{tmp_path / 'a.json'}")) == 1


ACES = {
    "source": "Il dort",
    "good-translation": "He is sleeping",
    "incorrect-translation": "She is sleeping",
    "reference": "He sleeps",
    "phenomena": "hallucination-pronoun",
    "langpair": "fr-en",
}


def test_aces_as_json_lines_and_as_a_table(tmp_path: Path) -> None:
    other = ACES | {"phenomena": "punctuation:deletion_all", "langpair": "de-en"}
    lines = written(tmp_path, ACES, other, ACES | {"incorrect-translation": "He is sleeping"})
    table = tmp_path / "aces.tsv"
    table.write_text("\t".join(ACES) + "\n" + "\t".join(ACES.values()) + "\n")
    suite = open_suite(f"aces:{lines}")
    assert [(s.corruption, s.kind, len(s)) for s in suite.sets] == [
        ("hallucination-pronoun", Kind.altering, 1),
        ("punctuation:deletion_all", Kind.disrupting, 1),
    ]
    assert suite.remarks == ("1 items have two equal translations and are left out.",)
    assert len(aces(lines, "fr-en")) == 1
    (trial,) = aces(table).sets[0].trials
    assert (trial.corrupted, trial.references) == ("She is sleeping", ("He sleeps",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"mt_sent": "a"}]', "item 1: the field 'eng_sent' is missing"),
        ('{"mt_sent": "a"}', "a list of objects was expected, as DEMETR's files are"),
        ("[", "line 1, column 2: this is not JSON"),
        (json.dumps([DEMETR | {"pert_id": "x"}]), "item 1: pert_id is 'x' where a number was"),
    ],
)
def test_what_is_not_demetr(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(CupelError, match=message):
        demetr(path)


def test_a_row_of_aces_that_is_too_short(tmp_path: Path) -> None:
    (tmp_path / "aces.tsv").write_text("\t".join(ACES) + "\nIl dort\n")
    with pytest.raises(CupelError, match="line 2: 6 fields were expected, as in the header, but 1"):
        aces(tmp_path / "aces.tsv")


def test_a_folder_without_demetr(tmp_path: Path) -> None:
    with pytest.raises(CupelError, match=r"has no \.json files"):
        demetr(tmp_path)
