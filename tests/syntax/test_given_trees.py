"""The user's own trees in place of a parser's."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from test_tree import ANT

from cupel.errors import CupelError
from cupel.syntax import GivenTrees, Parser, Trees, tree_source
from cupel.syntax.conllu import format_sentence
from cupel.syntax.tree import Tree


def listed(many: Trees) -> list[Tree]:
    return [many[row] for row in range(len(many))]


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "own.conllu"
    other = Tree.of("An ant did n't see", [1, 4, 4, 4, -1], "det nsubj aux neg root")
    path.write_text(format_sentence(ANT) + format_sentence(other), encoding="utf-8")
    return path


def failure(path: Path, *sentences: str) -> str:
    with pytest.raises(CupelError) as error:
        GivenTrees((str(path),))(sentences)
    return str(error.value)


def test_trees_are_found_by_their_letters(file):
    given = GivenTrees((str(file),))
    found = given(["An ant didn't see", "", "I saw an ant with a magnifier", "An  ant did n't see"])
    assert [len(tree) for tree in listed(found)] == [5, 0, 7, 5]
    assert found[2] == ANT


def test_other_words_are_named_with_the_line(file):
    assert failure(file, "I saw an ant with a magnifier", "An ant did not see") == (
        f"{file}, line 9: the words differ from those of the sentence 'An ant did not see': "
        "\"n't\" where it has 'not'."
    )
    assert failure(file, "I saw an ant with a magnifier and left") == (
        f"{file}, line 1: the words differ from those of the sentence 'I saw an ant with a "
        "magnifier and left': 'its end' where it has 'and'."
    )


def test_a_missing_sentence_is_named_with_the_line(file):
    assert failure(file, "I saw an ant with a magnifier", "New", "An ant didn't see") == (
        f"{file}, line 9: a tree is missing before it, for 'New'."
    )
    assert failure(file, "I saw an ant with a magnifier", "An ant didn't see", "New") == (
        f"{file}, line 9: no tree follows for the sentence 'New'."
    )


def test_an_empty_file_of_trees(tmp_path):
    (tmp_path / "none.conllu").write_text("")
    assert failure(tmp_path / "none.conllu", "New") == (
        f"{tmp_path / 'none.conllu'}: there are no trees in it; one for 'New' was expected."
    )


def test_given_trees_are_values_and_follow_the_file(file):
    given = GivenTrees((str(file),))
    assert given == pickle.loads(pickle.dumps(given))
    before = str(given.signature())
    assert before.startswith("trees:")
    assert before.endswith("|heads:native")
    assert len(given([""])[0]) == 0
    file.write_text(format_sentence(Tree.of("A new one", [2, 2, -1])), encoding="utf-8")
    assert given(["A new one"])[0].heads == (2, 2, -1)
    assert str(given.signature()) != before


def test_given_trees_under_other_heads(file):
    converted = GivenTrees((str(file),), "penn2malt")(["An ant didn't see"])[0]
    assert converted.heads == (1, 2, -1, 2, 2)


def test_trees_or_a_model_but_not_both(file):
    assert tree_source(heads="penn2malt") == Parser(heads="penn2malt")
    assert tree_source(str(file)) == GivenTrees((str(file),))
    with pytest.raises(CupelError, match="both given"):
        tree_source(str(file), "en_core_web_sm")
