"""The shapes of a corpus, and the sentence for each way to get them wrong."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.corpus import Corpus
from cupel.errors import CupelError


def sentence(*args, **keywords):
    """The error that `Corpus.of(*args)` raises."""
    with pytest.raises(CupelError) as caught:
        Corpus.of(*args, **keywords)
    return str(caught.value)


def test_strings_and_lists_of_references_may_be_mixed():
    corpus = Corpus.of(["a", "b"], ["x", ["y", "z"]])
    assert corpus.references == [("x",), ("y", "z")]
    assert corpus.systems == {"system": ["a", "b"]}
    assert len(corpus) == 2
    assert corpus.number_of_references is None


def test_the_number_of_references_where_it_is_the_same_everywhere():
    assert Corpus.of(["a", "b"], [["x", "y"], ["z", "w"]]).number_of_references == 2


def test_several_systems_keep_their_order():
    corpus = Corpus.of({"b": ["1"], "a": ["2"]}, ["x"], ["s"])
    assert list(corpus.systems) == ["b", "a"]
    assert corpus.sources == ["s"]


def test_arrays_tuples_and_generators_are_lists_too():
    systems: Any = np.array(["a", "b"])
    references: Any = (text for text in ("x", "y"))
    corpus = Corpus.of(systems, references, ("s", "t"))
    assert corpus.systems["system"] == ["a", "b"]
    assert corpus.references == [("x",), ("y",)]
    one: Any = np.array(["x", "y"])
    assert Corpus.of(["a"], [one]).references == [("x", "y")]


def test_from_evaluate_takes_the_arguments_of_compute():
    corpus = Corpus.from_evaluate(predictions=["a", "b"], references=["x", ["y", "z"]])
    assert corpus.references == [("x",), ("y", "z")]
    assert corpus.systems["system"] == ["a", "b"]


def test_from_streams_turns_references_around():
    corpus = Corpus.from_streams(["a", "b"], [["x1", "y1"], ["x2", "y2"]])
    assert corpus.references == [("x1", "x2"), ("y1", "y2")]


def test_none_in_a_stream_is_a_reference_that_is_not_there():
    corpus = Corpus.from_streams(["a", "b"], [["x1", "y1"], [None, "y2"]])
    assert corpus.references == [("x1",), ("y1", "y2")]


def test_empty_segments_are_legal_and_counted():
    corpus = Corpus.of({"a": ["", "b"], "c": ["d", "e"]}, [["x", " "], "\u3000"])
    assert corpus.outline.empty == {"a": 1, "references": 2}


@given(
    st.lists(
        st.tuples(st.text(), st.lists(st.text(), min_size=1, max_size=3)), min_size=1, max_size=8
    )
)
def test_streams_and_segments_agree(rows):
    hypotheses = [hypothesis for hypothesis, _ in rows]
    references = [texts for _, texts in rows]
    width = max(map(len, references))
    streams = [[texts[i] if i < len(texts) else None for texts in references] for i in range(width)]
    assert Corpus.from_streams(hypotheses, streams) == Corpus.of(hypotheses, references)


WRONG = [
    (
        (["a", "b", "c"], ["x", "y"]),
        "The references have 2 segments, but system 'system' has 3.",
    ),
    (
        (["a"], ["x", "y", "z"]),
        "The references have 3 segments, but system 'system' has 1.",
    ),
    (
        ({"good": ["a"], "bad": []}, ["x"]),
        "The references have 1 segment, but system 'bad' has 0.",
    ),
    (
        (["a", "b", "c"], [["x", "y", "z"], ["x", "y", "z"]]),
        "The references are 2 lists of 3, but system 'system' has 3 segments; if they are given "
        "per reference, as for sacreBLEU, use Corpus.from_streams.",
    ),
    (
        (["a", "b"], [["x", "y"]]),
        "The references are 1 list of 2, but system 'system' has 2 segments; if they are given "
        "per reference, as for sacreBLEU, use Corpus.from_streams.",
    ),
    (
        (["a", "b", "c"], [["x", "y"], ["z", "w"]]),
        "The references have 2 segments, but system 'system' has 3.",
    ),
    ((["a"], ["x"], ["s", "t"]), "The sources have 2 segments, but the references have 1."),
    (([], []), "The corpus is empty: the references and system 'system' have no segments."),
    ((["a"], []), "The references have 0 segments, but system 'system' has 1."),
    (({}, ["x"]), "There is no system to score: give at least one list of translations."),
    (
        (["a", None], ["x", "y"]),
        "Segment 2 of system 'system' holds None where a string was expected.",
    ),
    (
        (["a", 5], ["x", "y"]),
        "Segment 2 of system 'system' holds an int where a string was expected.",
    ),
    (([["a"]], ["x"]), "Segment 1 of system 'system' holds a list where a string was expected."),
    (([b"a"], ["x"]), "Segment 1 of system 'system' holds a bytes where a string was expected."),
    (
        (["a", "b"], ["x", None]),
        "Segment 2 of the references holds None where a string or a list of strings was expected.",
    ),
    (
        (["a"], [3.5]),
        "Segment 1 of the references holds a float where a string or a list of strings was expected.",
    ),
    (
        (["a"], [{"x", "y"}]),
        "Segment 1 of the references holds a set where a string or a list of strings was expected.",
    ),
    ((["a"], [["x", None]]), "Segment 1 of the references holds None where a string was expected."),
    (
        (["a", "b"], ["x", []]),
        "Segment 2 of the references has no reference; at least one is needed.",
    ),
    (
        (["a"], ["x"], [None]),
        "Segment 1 of the sources holds None where a string was expected.",
    ),
    (
        ("a", ["x"]),
        "A list with one entry per segment was expected for system 'system', not one string.",
    ),
    (
        ({"one": "a"}, ["x"]),
        "A list with one entry per segment was expected for system 'one', not one string.",
    ),
    (
        (["a"], "x"),
        "A list with one entry per segment was expected for the references, not one string.",
    ),
    (
        (["a"], {"x": "y"}),
        "A list with one entry per segment was expected for the references, not a dict.",
    ),
    (
        (["a"], ["x"], "s"),
        "A list with one entry per segment was expected for the sources, not one string.",
    ),
    (
        (None, ["x"]),
        "A list with one entry per segment was expected for system 'system', not None.",
    ),
]


@pytest.mark.parametrize(("arguments", "expected"), WRONG)
def test_what_is_wrong_is_said(arguments, expected):
    assert sentence(*arguments) == expected


WRONG_STREAMS = [
    (
        [["x", "y"], ["z"]],
        "Reference stream 1 has 2 segments, but reference stream 2 has 1.",
    ),
    (
        ["x", "y"],
        "A list with one entry per segment was expected for reference stream 1, not one string.",
    ),
    (
        "xy",
        "A list with one list per reference was expected for the reference streams, "
        "not one string.",
    ),
    (
        [["x", None], ["y", None]],
        "Segment 2 of the references has no reference; at least one is needed.",
    ),
    ([], "The references have 0 segments, but system 'system' has 2."),
    ([["x"]], "The references have 1 segment, but system 'system' has 2."),
]


@pytest.mark.parametrize(("streams", "expected"), WRONG_STREAMS)
def test_what_is_wrong_with_streams_is_said(streams, expected):
    with pytest.raises(CupelError) as caught:
        Corpus.from_streams(["a", "b"], streams)
    assert str(caught.value) == expected


def test_systems_that_are_no_mapping():
    with pytest.raises(CupelError) as caught:
        Corpus(["a"], ["x"])  # type: ignore[arg-type]
    assert str(caught.value) == (
        "The systems are no mapping of name -> translations; "
        "use Corpus.of for the translations of one system."
    )


def test_errors_name_the_files_that_are_known():
    origins = {"references": "ref.txt", "sources": "src.txt", "a": "a.txt"}
    with pytest.raises(CupelError, match=r"^ref\.txt has 2 segments, but a\.txt has 1\.$"):
        Corpus({"a": ["1"]}, [["x"], ["y"]], origins=origins)
    with pytest.raises(CupelError, match=r"^src\.txt has 1 segment, but ref\.txt has 2\.$"):
        Corpus({"a": ["1", "2"]}, ["x", "y"], ["s"], origins=origins)
    with pytest.raises(CupelError, match=r"^Segment 2 of ref\.txt has no reference; "):
        Corpus({"a": ["1", "2"]}, ["x", []], origins=origins)
    with pytest.raises(CupelError, match=r"^The corpus is empty: ref\.txt and a\.txt have no "):
        Corpus({"a": []}, [], origins=origins)


def test_a_corpus_without_references_counts_by_its_systems() -> None:
    corpus = Corpus.of({"one": ["a", "b"], "two": ["c", "d"]}, sources=["x", "y"])
    assert len(corpus) == 2
    assert not corpus.has_references
    assert corpus.number_of_references == 0
    for arguments, expected in (
        (({"one": ["a"], "two": []},), "System 'one' has 1 segment, but system 'two' has 0."),
        ((["a"], None, ["x", "y"]), "System 'system' has 1 segment, but the sources have 2."),
        (([],), "The corpus is empty: system 'system' has no segments."),
        ((["a"], []), "The references have 0 segments, but system 'system' has 1."),
    ):
        assert sentence(*arguments) == expected
