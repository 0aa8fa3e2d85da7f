"""RED: the paper's examples, the definitions by brute force, and what it says about bad input."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import slow_red as slow
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metrics.red import Red
from cupel.metrics.red_text import TreePairs
from cupel.registry import get_metric
from cupel.scoring import score
from cupel.syntax.conllu import format_sentence
from cupel.syntax.tree import Tree
from cupel.syntax.trees import Trees
from cupel.text.tokens import intern
from cupel.text.vocabulary import Vocabulary

REFERENCE = "I saw an ant with a magnifier"
ANT = Tree.of(REFERENCE, [1, -1, 3, 1, 1, 6, 4])
EMPTY = Tree((), (), (), ())


def pairs_of(trees, hypotheses):
    """Each tree with the hypothesis of the same place."""
    forest = Trees.of(trees)
    words, theirs = Vocabulary(True).renumbered(intern(hypotheses), forest.words)
    rows = np.arange(len(trees))
    return TreePairs(words, forest, theirs, rows, rows, np.arange(len(trees) + 1))


def red(tree, hypothesis, **options):
    return float(Red(**options).pair_scores(pairs_of([tree], [hypothesis.split()]))[0])


@pytest.fixture
def ant_file(tmp_path):
    path = tmp_path / "ant.conllu"
    path.write_text(format_sentence(ANT), encoding="utf-8")
    return str(path)


@st.composite
def trees(draw, most=8):
    size = draw(st.integers(0, most))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    words = draw(st.lists(st.sampled_from("a b c d".split()), min_size=size, max_size=size))
    return Tree.of(words, heads)


@st.composite
def projective(draw, most=9):
    """A random tree without crossing arcs."""
    size = draw(st.integers(0, most))
    heads = [-1] * size

    def build(low, high, head):
        while low < high:
            end = draw(st.integers(low + 1, high))
            root = draw(st.integers(low, end - 1))
            heads[root] = head
            build(low, root, root)
            build(root + 1, end, root)
            low = end

    if size:
        root = draw(st.integers(0, size - 1))
        build(0, root, root)
        build(root + 1, size, root)
    words = draw(st.lists(st.sampled_from("a b c".split()), min_size=size, max_size=size))
    return Tree.of(words, heads)


HYPOTHESES = st.lists(st.sampled_from("a b c d e".split()), max_size=10)


def test_figure_3_gives_exp_minus_a_half():
    from cupel.kernels.chains import RELATIVE, score_of

    chain, found = np.array([1, 4, 6], np.int32), np.array([1, 4, 5], np.int32)
    assert score_of(chain, found, 3, RELATIVE) == math.exp(-0.5)


def test_figure_3_in_a_whole_score():
    # Of n = 3: chains saw-ant-an, saw-with-magnifier, with-magnifier-a; fixed "with a magnifier",
    # "saw an ant" and floating "an ant with a magnifier" has five words. Only the second chain
    # and the structure "saw an ant" (fixed) are found.
    hypothesis = "I saw an ant with magnifier"
    # n = 1: 6 of 7. n = 2: I-saw, saw-ant, saw-with, an-ant match in full, with-magnifier at
    # distance 1 for 2; a-magnifier not; fixed "I saw", "an ant" match, "a magnifier" not.
    two = 4 + math.exp(-1) + 2
    three = 1 + math.exp(-0.5) + 1
    f = [6 / (7 / 2 + 3), two / (9 / 2 + 3), three / (5 / 2 + 3)]
    assert red(ANT, hypothesis) == pytest.approx(sum(f) / 3, abs=1e-12)
    assert slow.red(ANT, hypothesis.split()) == pytest.approx(sum(f) / 3, abs=1e-12)


def test_the_paper_s_example_of_a_nearer_and_a_farther_match():
    tree = Tree.of("a b", [-1, 0])
    near, far = red(tree, "a x b"), red(tree, "a x x x x b")
    assert near == pytest.approx((2 / 2.5 + math.exp(-1) / 2.5) / 3)  # b at 2 for 1
    assert far == pytest.approx((2 / 4 + math.exp(-4) / 4) / 3)


def test_a_chain_may_go_to_the_left_and_keeps_the_order_of_the_sentence():
    tree = Tree.of("x a y b", [1, -1, 3, 1])  # a -> b -> y: y stands between
    assert red(tree, "a y b", n=3) > 0
    order = [slow.chain_score(tree, (1, 3, 2), h.split(), "relative") for h in ("a y b", "a b y")]
    assert order == [1.0, 0.0]


@settings(max_examples=300, deadline=None)
@given(st.one_of(trees(), projective()), HYPOTHESES, st.sampled_from(["relative", "absolute"]))
def test_brute_force(tree, hypothesis, distance):
    expected = slow.red(tree, hypothesis, distance=distance)
    found = Red(distance=distance).pair_scores(pairs_of([tree], [hypothesis]))
    assert found[0] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(trees(), HYPOTHESES)
def test_brute_force_of_the_cosine(tree, hypothesis):
    expected = slow.red(tree, hypothesis, distance="cosine")
    found = Red(distance="cosine").pair_scores(pairs_of([tree], [hypothesis]))
    assert found[0] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(st.one_of(trees(), projective()), HYPOTHESES, st.floats(0, 1), st.integers(1, 6))
def test_brute_force_of_other_lengths(tree, hypothesis, alpha, longest):
    expected = slow.red(tree, hypothesis, longest, alpha)
    found = Red(n=longest, alpha=alpha).pair_scores(pairs_of([tree], [hypothesis]))
    assert found[0] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(trees(), HYPOTHESES), min_size=1, max_size=6))
def test_a_batch_scores_as_its_items_do(items):
    listed, hypotheses = zip(*items, strict=True)
    together = Red().pair_scores(pairs_of(listed, list(hypotheses)))
    alone = [Red().pair_scores(pairs_of([t], [h]))[0] for t, h in items]
    assert together.tolist() == alone


def test_a_word_counts_as_often_as_the_reference_has_it():
    # One "a" in the translation serves both of the reference: S_1 = 2, no clipping.
    tree = Tree.of("a a", [-1, 0])
    assert red(tree, "a", n=1) == pytest.approx(2 / (0.5 * 2 + 0.5 * 1))
    assert red(tree, "a", n=1) > 1


def test_the_same_words_of_two_kinds_count_twice():
    tree = Tree.of("a b", [-1, 0])  # chain a-b and the fixed structure "a b"
    assert red(tree, "a b", ngram_weights="0,1,0") == pytest.approx(2 / (0.5 * 2 + 0.5 * 2))


def test_empty_segments(ant_file):
    assert red(ANT, "") == 0
    assert red(EMPTY, "a b") == 0
    assert red(EMPTY, "") == 0


def test_case_matters_only_where_asked_for(ant_file):
    batch = Batch(["i SAW an ant"], [[REFERENCE]])
    lower = Red(trees=ant_file, tokenize="none").statistics(batch)[0, 0]
    mixed = Red(trees=ant_file, tokenize="none", lowercase=False).statistics(batch)[0, 0]
    assert 0 < mixed < lower


def test_the_best_reference_counts_and_the_system_is_a_mean(tmp_path):
    other = Tree.of("I watched an ant", [1, -1, 3, 1])
    path = tmp_path / "two.conllu"
    path.write_text(format_sentence(ANT) + format_sentence(other), encoding="utf-8")
    metric = Red(trees=str(path), tokenize="none")
    references = [[REFERENCE, "I watched an ant"], ["I watched an ant"]]
    hypotheses = ["I watched an ant", "I saw an ant"]
    found = score(hypotheses, references, metric)
    segments = metric.segment_scores(metric.statistics(Batch(hypotheses, references)))
    assert segments[0] == pytest.approx(red(other, "I watched an ant"))
    assert segments[1] == pytest.approx(red(other, "I saw an ant"))
    assert found.rows()[0]["score"] == pytest.approx(segments.mean())


OPTIONS = [{}, {"distance": "cosine"}, {"distance": "absolute"}, {"n": 4}]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kinds", [1, 3, 40])
def test_500_equal_words_are_matched(options, kinds):
    # One word 500 times: a chain of three matches in 20 million ways, one of four in 2.5 billion.
    words = [f"w{(7 * k * k) % kinds}" for k in range(500)]
    left = [-1, *(max(k - 1 - (k * k) % 3, 0) for k in range(1, 500))]
    order = np.random.default_rng(1).permutation(500).tolist()
    crossing = [-1] * 500
    for place in range(1, 500):
        crossing[order[place]] = order[(place * 7) // 11]
    metric = Red(**options)
    for heads in (left, crossing):
        scores = metric.pair_scores(pairs_of([Tree.of(words, heads)], [words[::-1]]))
        assert ((scores > 0) & (scores <= 1)).all()


def test_options_of_the_name():
    metric = get_metric("red:n=2,alpha=0.9,ngram_weights=0.7,0.3,distance=absolute,heads=penn2malt")
    assert metric == Red(2, 0.9, "0.7,0.3", "absolute", heads="penn2malt")
    assert pickle.loads(pickle.dumps(metric)) == metric


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("red:distance=far", "Unknown distance 'far'; there are: relative, cosine, absolute."),
        ("red:n=0", "The longest dep-ngrams must have 1 word or more, not 0."),
        (
            "red:n=4,distance=cosine",
            "The cosine distance is for dep-ngrams of up to 3 words, not 4.",
        ),
        ("red:alpha=2", "The parameter alpha must lie between 0 and 1, not 2."),
        ("red:ngram_weights=1,2", "There are 2 weights for lengths 1 to 3."),
        ("red:ngram_weights=1,x,2", "The weights must be numbers, not '1,x,2'."),
        ("red:ngram_weights=1,nan,2", "The weights must be 0 or more, and finite, not '1,nan,2'."),
        ("red:ngram_weights=1,-1,2", "The weights must be 0 or more, and finite, not '1,-1,2'."),
        ("red:heads=upside", "Unknown heads 'upside'; there are native and penn2malt."),
    ],
)
def test_bad_options(spec, sentence):
    with pytest.raises(CupelError) as failure:
        get_metric(spec)
    assert str(failure.value) == sentence


def test_the_signature_says_what_changes_a_score(ant_file):
    text = str(Red(trees=ant_file, tokenize="13a").signature())
    assert text.startswith("n:3|alpha:0.5|weights:equal|distance:relative|case:lc|norm:yes|trees:")
    assert text.endswith("|heads:native|words:13a")
