"""Trees one by one and many at once, against definitions written out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.errors import CupelError
from cupel.syntax.draw import draw
from cupel.syntax.tree import Span, Tree, find_cycle, join_roots
from cupel.syntax.trees import Trees

ANT = Tree.of(
    "I saw an ant with a magnifier",
    [1, -1, 3, 1, 1, 6, 4],
    "nsubj root det dobj prep det pobj",
    "PRP VBD DT NN IN DT NN",
)
EMPTY = Tree((), (), (), ())


@st.composite
def trees(draw_, most=9):
    """A random tree: each word of a random order hangs on an earlier one."""
    size = draw_(st.integers(0, most))
    order = draw_(st.permutations(range(size)))
    heads = [-1] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw_(st.integers(0, place - 1))]
    words = draw_(st.lists(st.sampled_from("a b c d".split()), min_size=size, max_size=size))
    relations = ["x" if head < 0 else "y" for head in heads]
    return Tree.of(words, heads, relations, [f"T{word}" for word in words])


def test_figure_1_of_red():
    assert ANT.root == 1
    assert ANT.children == ((), (0, 3, 4), (), (2,), (6,), (), (5,))
    assert ANT.path(6) == (6, 4, 1)  # saw, with, magnifier: the chain of figure 2a
    assert ANT.spans[3] == Span(2, 3, 2)
    assert ANT.spans[4] == Span(4, 6, 3)
    assert ANT.depths == (1, 0, 2, 1, 1, 3, 2)


def test_a_tree_with_crossing_arcs_has_a_constituent_in_pieces():
    tree = Tree.of("a b c d", [-1, 3, 0, 0])
    assert tree.spans[3] == Span(1, 3, 2)
    assert not tree.spans[3].contiguous
    assert tree.spans[0].contiguous


def test_an_empty_tree():
    assert (EMPTY.root, EMPTY.depths, EMPTY.children, EMPTY.spans) == (-1, (), (), ())
    assert draw(EMPTY) == ""


def test_several_roots_join_under_the_first():
    tree = Tree.of("he came she went", [1, -1, 3, -1], "s root s root")
    assert tree.heads == (1, -1, 3, 1)
    assert tree.relations == ("s", "root", "s", "parataxis")
    assert join_roots([-1, 0], ["r", "x"]) == ((-1, 0), ("r", "x"))


@pytest.mark.parametrize(
    ("heads", "sentence"),
    [
        ([1, 2, 0], "The tree: the heads run in a circle: 1 -> 2 -> 3 -> 1."),
        ([-1, 3, 0], "The tree: the head of word 2 is 4, but there are 3 words."),
        ([-1, -2, 0], "The tree: the head of word 2 is -1, but there are 3 words."),
        ([-1, 1, 0], "The tree: the heads run in a circle: 2 -> 2."),
    ],
)
def test_what_is_no_tree(heads, sentence):
    with pytest.raises(CupelError) as error:
        Tree.of("a b c", heads)
    assert str(error.value) == sentence


def test_too_few_heads():
    with pytest.raises(CupelError, match="2 words needs as many heads"):
        Tree(("a", "b"), (-1,), ("r", "r"), ("t", "t"))


def test_find_cycle_names_each_word_before_its_head():
    assert find_cycle([-1, 2, 3, 1, 1]) == [1, 2, 3]
    assert find_cycle([1, -1]) == []


def test_the_drawing_keeps_the_order_of_the_sentence():
    assert draw(ANT) == (
        "┌─I nsubj\nsaw root\n│ ┌─an det\n├─ant dobj\n└─with prep\n  │ ┌─a det\n  └─magnifier pobj"
    )


def test_a_chain_of_3000_words_can_be_drawn_and_measured():
    tree = Tree.of(["w"] * 3000, range(-1, 2999))
    assert max(tree.depths) == 2999
    assert tree.spans[0] == Span(0, 2999, 3000)
    assert draw(tree).count("\n") == 2999


@given(trees())
def test_spans_and_paths_by_their_definitions(tree):
    for word in range(len(tree)):
        below = [other for other in range(len(tree)) if word in tree.path(other)]
        assert tree.spans[word] == Span(min(below), max(below), len(below))
        assert tree.depths[word] == len(tree.path(word)) - 1


@given(st.lists(trees(), max_size=6))
def test_many_trees_are_those_trees(several):
    flat = Trees.of(several)
    assert [flat[row] for row in range(len(flat))] == several
    first, last, size = flat.spans
    children, starts = flat.children
    for row, tree in enumerate(several):
        start, end = flat.offsets[row], flat.offsets[row + 1]
        assert flat.depths[start:end].tolist() == list(tree.depths)
        spans = zip(first[start:end], last[start:end], size[start:end], strict=True)
        assert [Span(*map(int, span)) for span in spans] == list(tree.spans)
        for word, expected in enumerate(tree.children, start=start):
            assert tuple(children[starts[word] : starts[word + 1]]) == expected


@given(st.lists(trees(), min_size=1, max_size=5), st.data())
def test_take_and_join(several, data):
    rows = data.draw(st.lists(st.integers(0, len(several) - 1), max_size=6))
    taken = Trees.of(several).take(np.array(rows, np.int64))
    assert [taken[row] for row in range(len(taken))] == [several[row] for row in rows]
    assert set(taken.words.types) == {word for row in rows for word in several[row].words}
    both = Trees.joined([taken, Trees.of(several)])
    assert [both[row] for row in range(len(both))] == [*(several[r] for r in rows), *several]


def test_none_at_all():
    none = Trees.joined([])
    assert len(none) == len(none.heads) == len(none.spans[0]) == 0
    assert none.children[1].tolist() == [0]


def test_trees_can_be_sent_to_a_worker():
    flat = Trees.of([ANT, EMPTY])
    assert pickle.loads(pickle.dumps(flat))[0] == ANT
    assert hash(ANT) == hash(pickle.loads(pickle.dumps(ANT)))
