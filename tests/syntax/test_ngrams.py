"""Dep-ngrams: figure 2 of the paper, and the definitions on random trees."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from test_tree import ANT, EMPTY, trees

from cupel.syntax.ngrams import KINDS, chains, dep_ngrams
from cupel.syntax.tree import Tree
from cupel.syntax.trees import Trees


def structures(tree, longest):
    """{kind: [words]} of one tree."""
    found = dep_ngrams(Trees.of([tree]), longest)
    listed: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for kind, first, n in found.structures.tolist():
        listed[KINDS[kind]].append(" ".join(tree.words[first : first + n]))
    return {kind: sorted(words) for kind, words in listed.items()}


def test_figure_2a_a_headword_chain():
    assert (1, 4, 6) in chains(ANT, 3)
    words = [" ".join(ANT.words[at] for at in chain) for chain in chains(ANT, 3)]
    assert words == ["saw ant an", "with magnifier a", "saw with magnifier"]


def test_figure_2b_a_fixed_structure_leaves_out_the_farther_child():
    assert structures(ANT, 7)["fixed"] == sorted(
        [
            "I saw",
            "I saw an ant",
            "I saw an ant with a magnifier",
            "saw an ant",
            "saw an ant with a magnifier",
            "an ant",
            "with a magnifier",
            "a magnifier",
        ]
    )


def test_figure_2c_a_floating_structure_does_not_reach_across_the_head():
    # "I" and "an ant" are consecutive children of "saw", which stands between them.
    assert structures(ANT, 7)["floating"] == ["an ant with a magnifier"]


def test_counts_join_chains_and_structures_of_a_length():
    found = dep_ngrams(Trees.of([EMPTY, ANT, EMPTY]), 4)
    # n = 1: words; 2: six arcs and "I saw", "an ant", "a magnifier"; 3: three chains and
    # "saw an ant", "with a magnifier"; 4: saw-with-magnifier-a and "I saw an ant".
    assert found.counts.tolist() == [[0] * 4, [7, 9, 5, 2], [0] * 4]
    assert found.offsets.tolist() == [0, 0, 6, 6]


def test_children_in_pieces_make_no_structure():
    tree = Tree.of("a b c d", [-1, 3, 0, 0])  # d -> b crosses a -> c
    assert structures(tree, 4) == {"fixed": ["a b c d"], "floating": ["b c d"]}


def dominated(tree, word):
    return {other for other in range(len(tree)) if word in tree.path(other)}


@settings(max_examples=150, deadline=None)
@given(trees())
def test_structures_are_those_of_the_definition(tree):
    expected: dict[str, list[str]] = {kind: [] for kind in KINDS}

    def keep(kind, words):
        if max(words) - min(words) + 1 == len(words) <= 5:
            expected[kind].append(" ".join(tree.words[word] for word in sorted(words)))

    for head, children in enumerate(tree.children):
        left = [child for child in children if child < head]
        right = [child for child in children if child > head]
        for a in range(len(left) + 1):
            for b in range(len(right) + 1):
                if a < len(left) or b:
                    taken = (dominated(tree, child) for child in left[a:] + right[:b])
                    keep("fixed", {head}.union(*taken))
        for a in range(len(children)):
            for b in range(a + 2, len(children) + 1):
                keep("floating", set().union(*(dominated(tree, c) for c in children[a:b])))
    assert structures(tree, 5) == {kind: sorted(words) for kind, words in expected.items()}


@settings(max_examples=100, deadline=None)
@given(trees())
def test_chains_are_the_paths(tree):
    for n in (1, 2, 3, 4):
        found = chains(tree, n)
        assert len(set(found)) == len(found)
        for chain in found:
            assert all(tree.heads[b] == a for a, b in itertools.pairwise(chain))
        assert len(found) == sum(depth >= n - 1 for depth in tree.depths)
