"""The templates over sentence pairs: what each takes for a corruption, and which way round."""

from __future__ import annotations

from pathlib import Path

import pytest

from cupel.errors import CupelError
from cupel.mutt.templates import TEMPLATES, Pair, find, read_pairs

CAPTION = "a man is cutting a potato"


def pair(first: str, second: str, entailment: str = "NEUTRAL") -> Pair:
    return Pair(first, second, entailment, 4.0, (CAPTION, CAPTION))


@pytest.mark.parametrize(
    ("name", "original", "corrupted", "entailment"),
    [
        ("neg_subj", "A man is cutting", "There is no man cutting", "CONTRADICTION"),
        ("neg_verb", "A man is cutting", "A man is not cutting", "CONTRADICTION"),
        ("sem_opps", "A man is cutting", "A man is gluing", "NEUTRAL"),
        ("sem_opps", "A man is cutting", "A man is gluing", "CONTRADICTION"),
        ("passive", "A man is cutting it", "It is being cut by a man", "ENTAILMENT"),
        ("near_syms", "A man is cutting", "A man is slicing", "ENTAILMENT"),
        ("det_sub", "A man is cutting", "The man is cutting", "ENTAILMENT"),
        ("shuffled", "A man is cutting a potato", "A potato is cutting a man", "NEUTRAL"),
    ],
)
def test_each_template_tells_the_corruption_in_either_order(
    name: str, original: str, corrupted: str, entailment: str
) -> None:
    for given in (
        pair(original, corrupted, entailment),
        pair(corrupted, original, entailment),
    ):
        matches = {found.corruption: (found.original, found.corrupted) for found in find([given])}
        assert matches == {name: (original, corrupted)}


@pytest.mark.parametrize(
    ("first", "second", "entailment"),
    [
        ("A man is cutting", "There is no man cutting", "NEUTRAL"),  # not a contradiction
        ("There is no man here", "There is no woman here at all", "CONTRADICTION"),  # both negated
        ("A man is cutting it", "It is being cut by a man", "NEUTRAL"),  # not entailed
        ("A man is cutting", "A man is gluing paper", "NEUTRAL"),  # more than one word
        ("A man is cutting", "A man is cutting", "ENTAILMENT"),  # equal
    ],
)
def test_what_no_template_takes(first: str, second: str, entailment: str) -> None:
    assert find([pair(first, second, entailment)]) == []


def test_sentences_of_different_captions_are_no_pair() -> None:
    stranger = Pair("A man is cutting", "A man is gluing", "NEUTRAL", 3.0, (CAPTION, "a dog"))
    assert find([stranger]) == []


def test_a_file_with_the_needed_columns_alone(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("sentence_A\tsentence_B\tentailment_label\nA man cuts \tA man glues\tNEUTRAL\n")
    (match,) = find(read_pairs(path))
    assert (match.corruption, match.original, match.corrupted) == (
        "sem_opps", "A man cuts", "A man glues",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; a header line with the columns' names was expected"),
        (
            "sentence_A\tsentence_B\n",
            "has no column 'entailment_label'; it has 'sentence_A', 'sentence_B'",
        ),
        (
            "sentence_A\tsentence_B\tentailment_label\na\tb\tNEUTRAL\nc\td\n",
            "line 3: 3 fields were expected, as in the header, but 2 were found",
        ),
        (
            "sentence_A\tsentence_B\tentailment_label\trelatedness_score\na\tb\tNEUTRAL\tmany\n",
            "line 2: relatedness_score is 'many' where a number was expected",
        ),
    ],
)
def test_bad_files_are_told_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text(text)
    with pytest.raises(CupelError, match=message) as told:
        read_pairs(path)
    assert str(path) in str(told.value)


def test_every_template_has_the_name_of_a_corruption() -> None:
    from cupel.mutt import CORRUPTIONS

    assert set(TEMPLATES) <= set(CORRUPTIONS)
