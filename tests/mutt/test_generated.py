"""Corruptions made from trees; most with trees written by hand, some with the parser."""

from __future__ import annotations

from random import Random

import pytest

from cupel.errors import CupelError, MissingPart
from cupel.mutt.generated import CHECKS, MAKERS, antonym, corrupt, generated_suite
from cupel.mutt.parsed import Parsed, words_of
from cupel.mutt.suites import read_suite, sample_suite, write_suite
from cupel.mutt.verbs import base_of_gerund, participle
from cupel.syntax import Tree, Trees
from cupel.syntax.models import find_model

POTATO = Tree.of(
    "A man is cutting a small potato in the kitchen .",
    [1, 3, 3, -1, 6, 6, 3, 3, 9, 7, 3],
    "det nsubj aux ROOT det amod dobj prep det pobj punct",
    "DT NN VBZ VBG DT JJ NN IN DT NN .",
)


def parsed(text: str, tree: Tree) -> Parsed:
    sentence = Parsed.of(text, tree)
    assert sentence is not None
    return sentence


SENTENCE = parsed("A man is cutting a small potato in the kitchen.", POTATO)


@pytest.fixture
def spacy_model():
    try:
        return find_model()
    except MissingPart as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("neg_subj", "There is no man cutting a small potato in the kitchen."),
        ("neg_verb", "A man is not cutting a small potato in the kitchen."),
        ("sem_opps", "A man is cutting a large potato in the kitchen."),
        ("passive", "A small potato is being cut by a man in the kitchen."),
        ("det_sub", "The man is cutting a small potato in the kitchen."),
        ("double_PP", "A man is cutting a small potato in the kitchen in the kitchen."),
        ("remove_prep", "A man is cutting a small potato the kitchen."),
        ("shuffled", "A small potato is cutting a man in the kitchen."),
    ],
)
def test_each_maker(name, expected):
    assert corrupt(name, SENTENCE, Random(1)) == expected


def test_chunks_are_noun_phrases_verb_groups_and_single_words():
    words = POTATO.words
    chunks = [" ".join(words[w] for w in chunk) for chunk in SENTENCE.chunks]
    assert chunks == ["A man", "is cutting", "a small potato", "in", "the kitchen"]


def test_chunks_move_as_a_whole_and_the_stop_stays():
    for seed in range(20):
        made = corrupt("swap_chunks", SENTENCE, Random(seed))
        assert made is not None
        assert made.endswith(".")
        assert made[0].isupper()
        assert sorted(words_of(made)) == sorted(words_of(SENTENCE.text))
        for chunk in ("a man", "is cutting", "a small potato", "the kitchen"):
            assert chunk in made.lower()


def test_like_chunks_do_not_just_change_places():
    """`A piano is playing a man` would be fluent."""
    tree = Tree.of("A man is playing a piano", [1, 3, 3, -1, 5, 3],
                   "det nsubj aux ROOT det dobj", "DT NN VBZ VBG DT NN")  # fmt: skip
    sentence = parsed("A man is playing a piano", tree)
    made = {corrupt("swap_chunks", sentence, Random(seed)) for seed in range(50)}
    assert "A piano is playing a man" not in made
    assert len(made) == 4


@pytest.mark.parametrize("name", MAKERS)
def test_no_maker_touches_a_single_word(name):
    sentence = parsed("Yes", Tree.of("Yes", [-1], "ROOT", "UH"))
    assert corrupt(name, sentence, Random(1)) is None


def test_a_negated_sentence_is_not_negated_again():
    tree = Tree.of("A man is not cutting bread", [1, 4, 4, 4, -1, 4],
                   "det nsubj aux neg ROOT dobj", "DT NN VBZ RB VBG NN")  # fmt: skip
    sentence = parsed("A man is not cutting bread", tree)
    assert corrupt("neg_verb", sentence, Random(1)) is None
    assert corrupt("neg_subj", sentence, Random(1)) is None


def test_a_and_an_follow_the_antonym():
    tree = Tree.of("An ugly dog barks", [2, 2, 3, -1], "det amod nsubj ROOT", "DT JJ NN VBZ")
    assert corrupt("sem_opps", parsed("An ugly dog barks", tree), Random(1)) == (
        "A beautiful dog barks"
    )


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("neg_verb", "a jet is flying", "a jet is now flying"),
        ("neg_subj", "a man sings", "there is no woman sings"),
        ("double_PP", "a boy walks at night", "a boy walks at noon at night"),
        ("remove_prep", "a man danced in costume", "costume danced a man"),
        ("swap_chunks", "a woman is slicing garlic", "is slicing garlic the woman"),
        ("sem_opps", "a short dog", "a brown dog"),
        ("det_sub", "a cat", "one cat"),
        ("passive", "a man is cutting bread", "bread is cut by a man"),
    ],
)
def test_checks_see_through_what_is_no_such_corruption(name, old, new):
    assert not CHECKS[name](old.split(), new.split())


def test_words_glued_in_the_text_stay_glued():
    tree = Tree.of("The dog 's tail is n't long", [1, 3, 1, 4, -1, 4, 4],
                   "det poss case nsubj ROOT neg acomp", "DT NN POS NN VBZ RB JJ")  # fmt: skip
    sentence = parsed("The dog's tail isn't long", tree)
    assert sentence.spelled(range(7)) == "The dog's tail isn't long"
    assert Parsed.of("Another text", tree) is None


def test_antonyms_are_mutual():
    assert antonym("a", "long") == "short"
    assert antonym("a", "green") is None
    assert antonym("r", "quickly") == "slowly"


@pytest.mark.parametrize(
    ("gerund", "base", "past"),
    [("cutting", "cut", "cut"), ("riding", "ride", "ridden"), ("chasing", "chase", "chased"),
     ("carrying", "carry", "carried"), ("rolling", "roll", "rolled"), ("playing", "play", "played"),
     ("stopping", "stop", "stopped"), ("opening", "open", "opened"), ("eating", "eat", "eaten")],
)  # fmt: skip
def test_verb_forms(gerund, base, past):
    assert base_of_gerund(gerund) == base
    assert participle(base) == past


def test_unknown_verbs_have_no_base():
    assert base_of_gerund("xyzzying") is None
    assert base_of_gerund("sing") is None


def given(*trees):
    return lambda sentences: Trees.of(trees)


def test_a_suite_of_the_users_text_has_the_given_references():
    suite = generated_suite(
        [SENTENCE.text], [["He cuts it", "A cook cuts a potato"]], trees=given(POTATO)
    )
    assert [trials.corruption for trials in suite.sets] == list(MAKERS)
    assert suite.sets[0].trials[0].references == ("He cuts it", "A cook cuts a potato")
    alone = generated_suite([SENTENCE.text], trees=given(POTATO), corruptions=["neg_verb"])
    assert alone.sets[0].trials[0].references == (SENTENCE.text,)


def test_what_could_not_be_made_is_told():
    noun = Tree.of("Two old dogs", [2, 2, -1], "nummod amod ROOT", "CD JJ NNS")
    with pytest.raises(CupelError, match=r"No corruption could be made .*: 2 sentences were tried"):
        generated_suite(["Two old dogs"] * 2, trees=given(noun, noun))
    suite = generated_suite(
        ["Two old dogs", SENTENCE.text], trees=given(noun, POTATO), corruptions=["neg_verb"]
    )
    assert len(suite) == 1
    with pytest.raises(CupelError, match="1 sentence was tried"):
        generated_suite(["Two old dogs"], trees=given(noun))


def test_a_corruption_that_nothing_makes():
    with pytest.raises(CupelError, match="'near_syms' cannot be made from text"):
        generated_suite(["A"], corruptions=["near_syms"], trees=given(POTATO))


def test_references_of_another_length():
    with pytest.raises(CupelError, match="1 sentences, but references for 2"):
        generated_suite(["A"], [["b"], ["c"]], trees=given(POTATO))


def test_with_the_parser_the_sample_comes_out_as_embedded(spacy_model, tmp_path):
    """`tools/build_mutt_sample.py` gives what is in the package."""
    import runpy
    from pathlib import Path

    root = Path(__file__).parents[2]
    tool = runpy.run_path(str(root / "tools" / "build_mutt_sample.py"))
    tool["main"](tmp_path / "sample.jsonl")
    made = read_suite(tmp_path / "sample.jsonl")
    assert {t.corruption: len(t) for t in made.sets} == {
        t.corruption: len(t) for t in sample_suite().sets
    }


def test_what_is_written_is_read_back(tmp_path):
    suite = sample_suite()
    write_suite(suite, tmp_path / "sample.jsonl")
    again = read_suite(tmp_path / "sample.jsonl")
    assert [(t.original, t.corrupted, t.references) for s in suite.sets for t in s.trials] == [
        (t.original, t.corrupted, t.references) for s in again.sets for t in s.trials
    ]
