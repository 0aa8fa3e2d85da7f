"""METEOR: worked examples, its options, odd segments, and what holds whatever the text."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cupel
from cupel.batch import Batch
from cupel.checksums import sha256_of
from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.metrics.meteor import Meteor
from cupel.registry import get_metric
from cupel.text import paraphrases

THREE = "meteor:modules=exact,stem,synonym"


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A paraphrase table of three entries."""
    path = tmp_path_factory.mktemp("tables") / "paraphrase-en.gz"
    entries = [("0.5", "the problem", "this issue"), ("0.5", "sat", "was sitting")]
    text = "".join("\n".join(entry) + "\n" for entry in [*entries, ("1", "near", "close to")])
    path.write_bytes(gzip.compress(text.encode()))
    return path


def segment(metric: Metric, hypothesis: str, *references: str) -> float:
    batch = Batch([hypothesis], [references])
    return float(metric.segment_scores(metric.statistics(batch))[0])


def test_the_score_of_the_formula():
    # Exact: the, on, the, mat, and the period; stem: sat/sits no; cat/cats by stem. In content
    # words (c) and function words (f): P = R = (0.75 (1 + 0.6) + 0.25 * 4) / (0.75 * 3 + 0.25 * 4)
    metric = Meteor(modules="exact,stem")
    matched = 0.75 * (1.0 + 0.6) + 0.25 * 4
    mean = matched / (0.75 * 3 + 0.25 * 4)
    penalty = 0.6 * (2 / 6) ** 0.2
    score = segment(metric, "The cats slept on the mat.", "The cat sat on the mat.")
    assert score == pytest.approx(mean * (1 - penalty), abs=1e-15)


def test_statistics_are_those_of_the_jar():
    metric = get_metric(THREE)
    row = metric.statistics(Batch(["A fast answer to problems."], [["A quick answer to it."]]))
    # lengths, function words; exact: content, function of either side; stem; synonym; paraphrase
    expected = [6, 6, 3, 4, 1, 1, 3, 3, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 2, 5, 5]
    assert row.tolist() == [expected]


def test_paraphrases_of_either_side_are_matched(table):
    metric = Meteor(paraphrases=str(table))
    assert segment(metric, "this issue", "the problem") > 0.5
    assert segment(metric, "the problem", "this issue") > 0.5
    assert segment(get_metric(THREE), "this issue", "the problem") == 0.0


def test_equal_sentences_score_one():
    metric = get_metric(THREE)
    assert segment(metric, "To be, or not to be.", "to be , or not to be .") == 1.0
    assert segment(metric, "word", "other", "word") == 1.0


def test_the_best_reference_counts_and_the_first_of_equals():
    metric = get_metric(THREE)
    assert isinstance(metric, Meteor)
    batch = Batch(["a cat"], [["a dog", "the cat", "cat a", "a cat here"]])
    assert metric.alignments(batch)[0].reference_number == 2
    batch = Batch(["a cat"], [["x", "a cat", "A cat"]])
    assert metric.alignments(batch)[0].reference_number == 1


def test_the_system_score_is_that_of_the_summed_statistics():
    metric = get_metric(THREE)
    batch = Batch(["a cat", "dogs sleep"], [["a cat"], ["the dog sleeps"]])
    rows = metric.statistics(batch)
    assert rows[0, 20] == 0  # a perfect segment adds no chunk
    scores = cupel.score(["a cat", "dogs sleep"], ["a cat", "the dog sleeps"], THREE)
    assert scores.system_score(THREE) == float(metric.score(rows.sum(0)))
    assert scores.system_score(THREE) != pytest.approx(metric.segment_scores(rows).mean())


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("", "a reference", 0.0),
        ("a hypothesis", "", 0.0),
        ("", "", 0.0),
        ("...", "a b c", 0.0),
        ("! ? !", "! ? !", 1.0),
        ("😀", "😀", 1.0),
        ("😀", "🎉", 0.0),
        ("\x00", "a", 0.0),
    ],
)
def test_odd_segments(hypothesis, reference, expected):
    assert segment(get_metric(THREE), hypothesis, reference) == expected


def test_a_segment_of_2000_tokens():
    metric = get_metric(THREE)
    words = [f"w{n % 50}" for n in range(2000)]
    assert segment(metric, " ".join(words[::-1]), " ".join(words)) > 0.3
    assert 0 < segment(metric, "the " * 2000, "the " * 1999 + "end") < 1


def test_a_segment_without_end_is_refused():
    with pytest.raises(CupelError, match=r"at most 30000 tokens; one has 30001\.$"):
        segment(get_metric(THREE), "a " * 30001, "a")


WORDS = st.lists(st.sampled_from("the a cat cats dog runs ran fast quick . ,".split()), max_size=9)
TEXTS = WORDS.map(" ".join)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=8), st.randoms())
def test_invariants(items, random):
    metric = get_metric(THREE)
    batch = Batch([h for h, _, _ in items], [[a, b] for _, a, b in items])
    rows = metric.statistics(batch)
    scores = metric.segment_scores(rows)
    assert ((scores >= 0) & (scores <= 1)).all()
    single = [max(segment(metric, h, a), segment(metric, h, b)) for h, a, b in items]
    assert scores.tolist() == single
    doubled = Batch([h for h, _, _ in items], [[a, b, a, b] for _, a, b in items])
    assert (metric.statistics(doubled) == rows).all()
    order = list(range(len(items)))
    random.shuffle(order)
    assert metric.score(rows[order].sum(0)) == metric.score(rows.sum(0))


@settings(deadline=None, max_examples=150)
@given(TEXTS, TEXTS)
def test_alignments_are_one_to_one_and_add_up_to_the_statistics(hypothesis, reference):
    metric = get_metric(THREE)
    assert isinstance(metric, Meteor)
    batch = Batch([hypothesis], [[reference]])
    (alignment,) = metric.alignments(batch)
    row = metric.statistics(batch)[0]
    ours = [at for link in alignment.links for at in link.hypothesis]
    theirs = [at for link in alignment.links for at in link.reference]
    assert len(ours) == len(set(ours)) == row[21]
    assert len(theirs) == len(set(theirs)) == row[22]
    assert theirs == sorted(theirs)
    chunks = alignment.details["chunks"]
    assert chunks == row[20] or (chunks == 1 and row[20] == 0)


def test_signatures_tell_matchers_task_and_table(table):
    assert str(get_metric(THREE).signature()) == (
        "lang:en|task:rank|modules:exact,stem,synonym|tok:meteor-1.5-norm"
    )
    metric = get_metric(f"meteor:task=li,paraphrases={table}")
    checksum = sha256_of(table)[:12]
    assert str(metric.signature()) == (
        "lang:en|task:li|modules:exact,stem,synonym,paraphrase|"
        f"paraphrases:{checksum}|tok:meteor-1.5-norm"
    )


def test_it_is_pickled_and_shared_between_workers(table):
    metric = Meteor(paraphrases=str(table))
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric
    assert segment(again, "this issue", "the problem") == segment(
        metric, "this issue", "the problem"
    )


def test_tasks_have_parameters_of_their_own():
    texts = ("the cats ran quickly", "a cat was running fast")
    scores = [segment(Meteor(task=t, modules="exact,stem"), *texts) for t in ("rank", "adq", "li")]
    assert len(set(scores)) == 3
    assert Meteor(language="fr", modules="exact,stem").parameters.weights == (1.0, 0.2)
    assert Meteor(modules="exact,synonym").parameters.weights == (1.0, 0.6)  # as METEOR's -m


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            "meteor:language=xx",
            "There is no language 'xx': did you mean 'xh'?",
        ),
        (
            "meteor:task=best",
            "METEOR has no task 'best'; it has: rank, adq, hter, li, tune.",
        ),
        (
            "meteor:language=de,task=adq,modules=exact",
            "METEOR has parameters for the task 'adq' in English only, not for 'de'; it has rank, "
            "li and tune.",
        ),
        (
            "meteor:modules=exact,stems",
            "METEOR has no module 'stems'; it has: exact, stem, synonym, paraphrase.",
        ),
        (
            "meteor:language=cs,modules=exact,stem",
            "METEOR has no stem module for 'cs'; it has: exact, paraphrase.",
        ),
        ("meteor:modules=exact,exact", "A module is named twice in 'exact,exact'."),
        (
            "meteor:modules=exact,paraphrases=x.gz",
            "A paraphrase table is given, but the modules leave paraphrases out.",
        ),
        ("meteor:paraphrases=none.gz", "There is no paraphrase table none.gz."),
        (
            "meteor:language=de",
            "METEOR needs the paraphrase table paraphrase-de.gz for this language, which no "
            "package carries: give the file with paraphrases=PATH, or leave that matcher out with "
            "modules=exact,stem.",
        ),
    ],
)
def test_wrong_options_are_told_in_a_sentence(spec, sentence):
    with pytest.raises(CupelError) as error:
        get_metric(spec)
    assert str(error.value) == sentence


def test_without_the_table_it_does_not_silently_do_without(monkeypatch):
    monkeypatch.setattr(paraphrases, "find_spec", lambda name: None)
    with pytest.raises(CupelError, match=r"pip install 'cupel\[meteor\]'"):
        get_metric("meteor")
    assert np.isfinite(segment(get_metric(THREE), "a", "a"))
