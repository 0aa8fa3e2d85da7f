"""W2V-AVG: worked examples with small vectors, options, edge cases, the MUTT paper's pattern."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.batch import Batch
from cupel.data import mutt_trials
from cupel.errors import CupelError
from cupel.metrics.w2v_avg import W2vAvg
from cupel.registry import get_metric
from cupel.text.content_words import is_content
from cupel.text.vectors import open_vectors

WORDS = st.sampled_from("the a cat dog man is not playing guitar 7 zzyzzyx .".split())
SENTENCES = st.lists(WORDS, max_size=8).map(" ".join)
ITEMS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=8
)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "tiny.txt"
    path.write_text("cat 1 0\ndog 0 1\nthe 2 2\nnot -1 0\n")
    return str(path)


def score(hypothesis, *references, **options):
    metric = W2vAvg(**options)
    return float(metric.statistics(Batch([hypothesis], [list(references)]))[0, 0])


def test_worked_examples(tiny):
    # The centroid of "the cat" is (3/2, 1), of "cat" (1, 0): 3/2 over the root of 13/4.
    assert score("the cat", "cat", vectors=tiny) == pytest.approx(3 / math.sqrt(13), abs=1e-15)
    assert score("cat", "dog", vectors=tiny) == 0.0
    assert score("cat", "not", vectors=tiny) == -1.0
    # An unknown word counts neither in the sum nor in the count.
    assert score("the purple cat", "cat", vectors=tiny) == score("the cat", "cat", vectors=tiny)


def test_several_references(tiny):
    references = ("dog", "cat", "the")
    root = 1 / math.sqrt(2)
    assert score("cat", *references, vectors=tiny) == 1.0
    mean = score("cat", *references, vectors=tiny, multiple="mean")
    assert mean == pytest.approx((0 + 1 + root) / 3, abs=1e-15)


def test_content_words_only(tiny):
    assert score("the cat", "cat", vectors=tiny, content=True) == 1.0
    assert score("the", "the", vectors=tiny, content=True) == 0.0
    # A negation is content.
    assert score("the not", "not", vectors=tiny, content=True) == 1.0
    types = ["the", "cat", "n't", "no", "'s", ".", "--", "3.5", "😀", "being"]
    expected = [False, True, True, True, False, False, False, True, False, False]
    assert is_content(types).tolist() == expected


def test_case_and_tokenizer(tiny):
    assert score("CAT", "cat", vectors=tiny) == 1.0
    assert score("CAT", "cat", vectors=tiny, lowercase=False, tokenize="none") == 0.0
    assert score("cat.", "cat", vectors=tiny, tokenize="none") == 0.0
    assert score("The cat's", "the cat", vectors=tiny) == 1.0  # ptb parts the 's


def test_without_known_words():
    for text in ("", " ", "...", "😀😀", "zzyzzyx"):
        assert score(text, "the cat sat") == 0.0
        assert score("the cat sat", text) == 0.0
        assert score(text, text) == 0.0
    assert score("the cat sat", "", "the cat sat") == 1.0


def test_signatures(tiny):
    embedded = "vectors:glove-6b-50d-100k[3000da417194]"
    expected = f"case:lc|tok:ptb|words:all|multiple:best|{embedded}"
    assert str(get_metric("w2v-avg").signature()) == expected
    metric = get_metric(f"w2v-avg:content=yes,multiple=mean,tokenize=13a,vectors={tiny}")
    assert str(metric.signature()) == (
        "case:lc|tok:13a|words:content|multiple:mean|"
        f"vectors:tiny.txt[{open_vectors(tiny).digest[:12]}]"
    )


def test_bad_options():
    with pytest.raises(CupelError) as caught:
        get_metric("w2v-avg:multiple=worst")
    assert str(caught.value) == (
        "Unknown value 'worst' of w2v-avg:multiple; known are: best, mean."
    )
    with pytest.raises(CupelError) as caught:
        get_metric("w2v-avg:vectors=nowhere.txt").statistics(Batch(["a"], [["a"]]))
    assert str(caught.value) == (
        "There are no vectors 'nowhere.txt': that is neither a file nor one of "
        "glove-6b-50d-100k, mpnet-glove-150d-30k, glove-6b-50d."
    )


def test_the_metric_is_picklable():
    metric = W2vAvg(content=True)
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_a_segment_of_2000_words():
    words = [open_vectors().words[i % 5000] for i in range(2000)]
    assert score(" ".join(words), " ".join(reversed(words)), tokenize="none") == 1.0


@settings(deadline=None)
@given(ITEMS)
def test_invariants(items):
    metric = W2vAvg()
    hypotheses, references = [h for h, _ in items], [r for _, r in items]
    once = metric.statistics(Batch(hypotheses, references))
    assert ((once[:, 0] >= -1) & (once[:, 0] <= 1)).all()
    np.testing.assert_array_equal(once[:, 1], 1)
    twice = metric.statistics(Batch(hypotheses, [[*r, r[0]] for r in references]))
    np.testing.assert_array_equal(once, twice)
    turned = metric.statistics(Batch(hypotheses, [r[::-1] for r in references]))
    np.testing.assert_array_equal(once, turned)
    shuffled = metric.statistics(Batch([" ".join(h.split()[::-1]) for h in hypotheses], references))
    np.testing.assert_array_equal(once, shuffled)
    first = metric.statistics(Batch(hypotheses, [r[:1] for r in references]))
    swapped = metric.statistics(Batch([r[0] for r in references], [[h] for h in hypotheses]))
    np.testing.assert_allclose(first, swapped, rtol=0, atol=1e-15)
    identical = metric.statistics(Batch(hypotheses, [[*r, h] for h, r in items]))[:, 0]
    assert (identical >= once[:, 0]).all()
    assert set(identical) <= {0.0, 1.0} | set(once[:, 0])


def accuracy(corruption, references, near=False):
    trials = mutt_trials(corruption, references)
    metric = W2vAvg()
    original = metric.statistics(Batch(trials.originals, trials.references))[:, 0]
    corrupted = metric.statistics(Batch(trials.corrupted, trials.references))[:, 0]
    if near:
        return np.mean(np.abs((original - corrupted) / (original + 1e-9)) <= 0.15)
    return np.mean(original > corrupted)


@pytest.mark.parametrize("references", [5, 10, 20])
def test_the_pattern_of_the_mutt_paper(pack, references):
    # Table 7. Word order is never seen; determiners and synonyms hardly change a centroid.
    pack("mutt")
    assert accuracy("swap_chunks", references) == 0
    assert accuracy("det_sub", references, near=True) == 1
    assert accuracy("near_syms", references, near=True) > 0.98
    assert accuracy("passive", references, near=True) > 0.8
    assert accuracy("neg_subj", references) > 0.9
    assert accuracy("neg_verb", references) < accuracy("neg_subj", references)
    assert 0.75 < accuracy("double_PP", references) < 0.92
    assert 0.75 < accuracy("remove_prep", references) < 0.92
    assert 0.84 < accuracy("sem_opps", references) < 0.95
