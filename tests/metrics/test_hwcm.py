"""HWCM: the WMT13 paper's example, a count straight from the definition, real data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cupel
from cupel.batch import Batch
from cupel.errors import CupelError, MissingPart
from cupel.metrics.hwcm import Hwcm, headword_chains
from cupel.syntax import Tree, Trees
from cupel.syntax.conllu import format_sentence
from cupel.syntax.models import find_model

# The chains of three words of the translation are, as the paper lists them, "is for lack", "for
# lack of" and "lack of trying"; the reference has the same arcs.
HEADS = [1, -1, 1, 1, 3, 4, 5, 1]
HYPOTHESIS = Tree.of("This is not for lack of trying .".split(), HEADS)
REFERENCE = Tree.of("It is not for want of trying .".split(), HEADS)
FLAT = Tree.of("This is not for lack of trying .".split(), [1, -1, 1, 1, 1, 1, 1, 1])


def written(path: Path, *trees: Tree) -> str:
    path.write_text("\n".join(map(format_sentence, trees)) + "\n", encoding="utf-8")
    return str(path)


def text(tree: Tree) -> str:
    return " ".join(tree.words)


def chains_of(tree: Tree, n: int) -> Counter[tuple[str, ...]]:
    """From the definition: every path of n words from a word up to its head's head and so on."""
    paths = (tree.path(word) for word in range(len(tree)))
    return Counter(
        tuple(tree.words[i] for i in reversed(path[:n])) for path in paths if len(path) >= n
    )


def test_the_counts_of_the_paper(tmp_path: Path) -> None:
    """8, 7 and 3 chains; of those 6 (the printed 5 is a slip), 4 and 0 match."""
    metric = Hwcm(3, trees=written(tmp_path / "t.conllu", HYPOTHESIS, REFERENCE))
    matches, totals = metric.counts(Batch([text(HYPOTHESIS)], [[text(REFERENCE)]]))
    assert totals.tolist() == [[8, 7, 3]]
    assert matches.tolist() == [[6, 4, 0]]
    score = cupel.score([text(HYPOTHESIS)], [text(REFERENCE)], [metric])["hwcm"]
    assert score == pytest.approx((6 / 8 + 4 / 7 + 0) / 3)


@pytest.mark.parametrize("longest", [1, 2, 3, 4, 5])
def test_every_length(tmp_path: Path, longest: int) -> None:
    trees = written(tmp_path / "t.conllu", HYPOTHESIS, REFERENCE)
    score = cupel.score([text(HYPOTHESIS)], [text(REFERENCE)], [Hwcm(longest, trees=trees)])["hwcm"]
    assert score == pytest.approx(sum([6 / 8, 4 / 7, 0, 0, 0][:longest]) / longest)


def test_epsilon_replaces_a_precision_of_zero(tmp_path: Path) -> None:
    trees = written(tmp_path / "t.conllu", HYPOTHESIS, REFERENCE)
    metric = Hwcm(4, epsilon=1e-3, trees=trees)
    score = cupel.score([text(HYPOTHESIS)], [text(REFERENCE)], [metric])["hwcm"]
    assert score == pytest.approx((6 / 8 + 4 / 7 + 2e-3) / 4)
    assert "eps:0.001" in str(metric.signature())


def test_case_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    lower = Tree.of("this IS not for lack of trying .".split(), HEADS)
    trees = written(tmp_path / "t.conllu", HYPOTHESIS, lower)
    batch = Batch([text(HYPOTHESIS)], [[text(lower)]])
    assert Hwcm(2, trees=trees).counts(batch)[0].tolist() == [[6, 3]]
    assert Hwcm(2, trees=trees, lowercase=True).counts(batch)[0].tolist() == [[8, 7]]


def test_an_empty_segment_scores_nothing(tmp_path: Path) -> None:
    trees = written(tmp_path / "t.conllu", REFERENCE)
    scores = cupel.score(["", text(REFERENCE)], [text(REFERENCE)] * 2, [Hwcm(trees=trees)])
    assert scores.segment_scores("hwcm").tolist() == [0.0, 1.0]
    assert scores["hwcm"] == 0.5


def test_bad_options() -> None:
    with pytest.raises(CupelError, match=r"chains of 1 word or more, not 0\."):
        Hwcm(0)
    with pytest.raises(CupelError, match=r"epsilon is from 0 to below 1, not -1"):
        Hwcm(epsilon=-1)
    with pytest.raises(CupelError, match="Unknown heads 'left'"):
        Hwcm(heads="left")


@st.composite
def random_trees(draw: st.DrawFn) -> Tree:
    size = draw(st.integers(0, 9))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    words = draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
    return Tree.of(words, heads)


class Several:
    """A source of trees by place: sentence "3" has the third of them."""

    def __init__(self, trees: list[Tree]) -> None:
        self.trees = trees

    def __call__(self, sentences: list[str]) -> Trees:
        return Trees.of(self.trees[int(sentence)] for sentence in sentences)


@settings(max_examples=200, deadline=None)
@given(st.lists(random_trees(), min_size=2, max_size=5))
def test_counts_are_those_of_the_definition(trees: list[Tree]) -> None:
    """One translation against all the others as references, clipped at the best of them."""
    batch = Batch(["0"], [[str(i) for i in range(1, len(trees))]])
    batch._analyses[Hwcm().source] = Several(trees)(batch.sentences)
    matches, totals = Hwcm().counts(batch)
    for n in range(1, 5):
        mine = chains_of(trees[0], n)
        most = Counter[tuple[str, ...]]()
        for tree in trees[1:]:
            most |= chains_of(tree, n)
        assert totals[0, n - 1] == mine.total()
        assert matches[0, n - 1] == (mine & most).total()


def test_equal_chains_have_equal_numbers() -> None:
    trees = Trees.of([HYPOTHESIS, REFERENCE, FLAT])
    one, two, three = headword_chains(trees, 3)
    assert one.lengths.tolist() == [8, 8, 8]
    assert two.lengths.tolist() == [7, 7, 7]
    assert three.lengths.tolist() == [3, 3, 0]
    numbers = np.split(two.ids, two.offsets[1:-1])
    shared = set(numbers[0]) & set(numbers[1])
    assert len(shared) == 4  # is not, is for, of trying, is .


def test_parsed_text_is_scored() -> None:
    try:
        find_model()
    except MissingPart as missing:
        pytest.skip(str(missing))
    scores = cupel.score(
        {"same": ["I saw an ant with a magnifier ."], "other": ["An ant saw me ."]},
        ["I saw an ant with a magnifier ."],
        "hwcm",
    )
    assert scores.system_score("hwcm", "same") == 1.0
    assert 0 < scores.system_score("hwcm", "other") < 0.5
