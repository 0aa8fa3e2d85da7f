"""TER-Plus: worked examples of every edit, the edges, options. Parity is in test_terp_parity."""

import gzip
import pickle
from functools import partial

import numpy as np
import pytest
from slow_terp import TABLE, written

from cupel.batch import Batch
from cupel.errors import CupelError, MissingPart
from cupel.metrics.terp import Terp
from cupel.registry import get_metric
from cupel.text.synonyms import load_synonyms
from cupel.text.terp_norm import TerpNorm

# TERp-A, as published.
INSERTION, DELETION, SUBSTITUTION = 0.2588527567630183, 1.4269364675533365, 1.5565478292505814
SHIFT = 0.5620538767397316
CLOSE = 1e-7  # costs are rounded to 2 ** -30

plain = partial(Terp, stems=False, synonyms=False, paraphrases="no")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return written(tmp_path_factory.mktemp("terp") / "paraphrase-en.gz", TABLE)


def statistics(metric, hypothesis, *references):
    return metric.statistics(Batch([hypothesis], [list(references)]))[0]


def cost(metric, hypothesis, *references):
    return pytest.approx(float(statistics(metric, hypothesis, *references)[0]), abs=CLOSE)


def phrase_cost(p, edits):
    """The published formula with the parameters of TERp-A."""
    return -0.2306579294476191 + edits * (
        -0.1469465037633749 * np.log10(p) - 0.07843705907022736 * p + 0.17708577297831574
    )


# Every edit by itself.


def test_insertion_deletion_and_substitution():
    # One word too many; one too few; one wrong. Substituting is cheaper than one of each (1.686).
    assert cost(plain(), "small cats sleep", "cats sleep") == INSERTION
    assert cost(plain(), "cats sleep", "small cats sleep") == DELETION
    assert cost(plain(), "dogs sleep", "cats sleep") == SUBSTITUTION
    assert statistics(plain(), "dogs sleep", "cats sleep")[1] == 2
    # With a costly substitution it is one of each: 0.259 + 1.427.
    assert cost(plain(substitution_cost=2.0), "dogs sleep", "cats sleep") == INSERTION + DELETION


def test_match_cost():
    assert cost(plain(match_cost=0.125), "cats sleep well", "cats sleep well") == 3 * 0.125


def test_stem_match():
    # "walking" and "walked" have the stem "walk".
    metric = plain(stems=True, stem_cost=0.25)
    assert cost(metric, "he walking home", "he walked home") == 0.25
    assert cost(plain(stems=True), "he walking home", "he walked home") == 0
    assert cost(plain(), "he walking home", "he walked home") == SUBSTITUTION


def test_synonym_match():
    # "car" and "automobile" share a WordNet set, and no stem.
    metric = plain(synonyms=True, synonym_cost=0.5)
    assert cost(metric, "my automobile", "my car") == 0.5
    assert cost(plain(), "my automobile", "my car") == SUBSTITUTION
    # Of a stem and a synonym ("dogs" is a form of "dog") the cheaper one counts.
    both = plain(stems=True, synonyms=True, stem_cost=0.25, synonym_cost=0.5)
    assert cost(both, "my dogs", "my dog") == 0.25


def test_shift():
    # Word by word all six differ; "delta echo foxtrot" moves as one.
    hypothesis, reference = (
        "delta echo foxtrot alpha bravo charlie",
        "alpha bravo charlie delta echo foxtrot",
    )
    assert cost(plain(), hypothesis, reference) == SHIFT
    assert cost(plain(shift_cost=0.3), hypothesis, reference) == 0.3
    # Without shifts three words are too many at the front and three are missing at the end.
    assert cost(plain(shifts="no"), hypothesis, reference) == 3 * (INSERTION + DELETION)


def test_words_without_content_do_not_move_by_themselves():
    # Only "of" or "the" could move: an insertion and a deletion remain.
    assert cost(plain(), "of the", "the of") == INSERTION + DELETION
    assert cost(plain(stop_words=False), "of the", "the of") == SHIFT
    # Beside a content word they do: "in the garden" moves.
    assert cost(plain(), "in the garden cats sleep", "cats sleep in the garden") == SHIFT


def test_relaxed_shifts():
    # "automobile" belongs behind 11 other words. Moved there it costs a shift, being a synonym of
    # "car". By exact words it stays, and of the others only 10 could move at once, which gains
    # nothing: "automobile" is inserted, and "car" deleted.
    words = " ".join(f"w{i}" for i in range(11))
    metric = plain(synonyms=True)
    assert cost(metric, f"automobile {words}", f"{words} car") == SHIFT
    exact = plain(synonyms=True, shifts="exact")
    assert cost(exact, f"automobile {words}", f"{words} car") == INSERTION + DELETION


def test_phrase_substitution(table):
    metric = Terp(stems=False, synonyms=False, paraphrases=table)
    # Word by word "big car" costs 2 substitutions = 3.113 against "large truck"; p = 0.1:
    # -0.2307 + 3.1131 * (0.1469 - 0.0078 + 0.1771) = 0.7537.
    assert phrase_cost(0.1, 2 * SUBSTITUTION) == pytest.approx(0.7537, abs=1e-4)
    expected = phrase_cost(0.1, 2 * SUBSTITUTION)
    assert cost(metric, "his large truck came", "his big car came") == expected
    # The table is read both ways.
    assert cost(metric, "his big car came", "his large truck came") == expected
    # Different lengths: 2 deletions and a substitution = 4.410, p = 0.5.
    expected = phrase_cost(0.5, 2 * DELETION + SUBSTITUTION)
    assert cost(metric, "cats never die", "cats never kick the bucket") == expected
    # "Probabilities" above 1 count as 1: 3 deletions and a substitution, p = 1.
    expected = phrase_cost(1.0, 3 * DELETION + SUBSTITUTION)
    assert cost(metric, "meanwhile cats sleep", "at the same time cats sleep") == expected


def test_the_cost_of_a_phrase_stays_within_its_bounds(table):
    metric = partial(Terp, stems=False, synonyms=False, paraphrases=table)
    # -0.2307 + 1.5565 * (0.2497 - 0.0016 + 0.1771) = 0.4312, between bounds of 0.1 and 0.3.
    assert phrase_cost(0.02, SUBSTITUTION) == pytest.approx(0.4312, abs=1e-4)
    assert cost(metric(), "the officers came", "the police came") == phrase_cost(0.02, SUBSTITUTION)
    assert cost(metric(phrase_most=0.3), "the officers came", "the police came") == 0.3
    assert cost(metric(phrase_constant=-2.0), "the officers came", "the police came") == 0
    assert cost(
        metric(phrase_constant=-2.0, phrase_least=0.1), "the officers came", "the police came"
    ) == pytest.approx(0.1)


def test_edits_between_phrases_are_those_of_terp(table):
    # By stems and synonyms nothing is left to edit between "big car" and "large truck" but
    # car -> truck, so that the paraphrase costs less.
    metric = Terp(stems=False, synonyms=True, paraphrases=table)
    assert load_synonyms().of("big") & load_synonyms().of("large")
    assert not load_synonyms().of("car") & load_synonyms().of("truck")
    expected = phrase_cost(0.1, SUBSTITUTION)
    assert cost(metric, "his large truck came", "his big car came") == expected


def test_a_paraphrase_moves_before_a_word(table):
    # "large truck drove" moves to where the reference has "big car drove", behind 11 words, and
    # "large truck" is exchanged for "big car" there.
    words = " ".join(f"w{i}" for i in range(11))
    metric = Terp(stems=False, synonyms=False, paraphrases=table)
    exchange = phrase_cost(0.1, 2 * SUBSTITUTION)
    assert cost(metric, f"large truck drove {words}", f"{words} big car drove") == SHIFT + exchange
    # At the end of a phrase it does not, as in the authors' program: two words are too many, two
    # are missing.
    still = 2 * (INSERTION + DELETION)
    assert cost(metric, f"large truck {words}", f"{words} big car") == still


def test_edits_between_phrases_may_be_shifts(table):
    # "house white car" (hypothesis) for "white house": "house" is one too many at the front (0.259)
    # and "car" costs a substitution (1.557); or "house" moves (0.562) and "car" is too many (0.259):
    # 0.821. p = 0.25: -0.2307 + 0.8209 * (0.0885 - 0.0196 + 0.1771) = -0.0287, which is 0.
    metric = Terp(stems=False, synonyms=False, paraphrases=table)
    assert cost(plain(), "house white car", "white house") == SHIFT + INSERTION
    assert phrase_cost(0.25, SHIFT + INSERTION) == pytest.approx(-0.0287, abs=1e-4)
    assert cost(metric, "house white car", "white house") == 0


def test_closest_reference_and_mean_length():
    # 1.557 to the first (a substitution), and 2.595 to the second; lengths 2 and 4.
    metric = plain()
    batch = Batch(["dogs sleep"], [["cats sleep", "w1 w2 w3 w4"]])
    assert metric.statistics(batch)[0].tolist() == pytest.approx([SUBSTITUTION, 3], abs=CLOSE)


# The edges.


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected", "score"),
    [
        ("", "", [0, 0], 0.0),
        ("", "cats sleep", [2 * DELETION, 2], 100.0),
        ("cats sleep", "", [2 * INSERTION, 0], 100.0),
        (" \t ", "  ", [0, 0], 0.0),
        ("?!", "?!", [0, 2], 0.0),
        ("...", "?!", [SUBSTITUTION + DELETION, 2], 100.0),
        ("😀 😀", "😀", [INSERTION, 1], 100 * INSERTION),
        ("😀", "🐈", [SUBSTITUTION, 1], 100.0),
    ],
)
def test_empty_punctuation_and_emoji(hypothesis, reference, expected, score):
    metric = plain()
    found = statistics(metric, hypothesis, reference)
    assert found.tolist() == pytest.approx(expected, abs=CLOSE)
    assert metric.segment_scores(found[None])[0] == pytest.approx(score, abs=1e-5)


def test_a_segment_ends_at_100_and_a_system_does_not():
    rows = plain().statistics(Batch(["", "cats sleep"], [["cats sleep"], ["cats sleep"]]))
    assert plain().segment_scores(rows).tolist() == [100, 0]
    assert plain(capped=False).segment_scores(rows)[0] == pytest.approx(100 * DELETION)
    assert plain().score(rows.sum(0)) == pytest.approx(100 * DELETION / 2)
    assert plain().score(rows[0]) == pytest.approx(100 * DELETION)


def test_two_thousand_words(table):
    common = "the of car automobile big large truck walk walks die kick the bucket".split()
    words = [f"w{i % 700} {common[i % len(common)]}" for i in range(1000)]
    text, back = " ".join(words), " ".join(reversed(words))
    metric = Terp(paraphrases=table)
    assert statistics(metric, text, text).tolist() == [0, 2000]
    moved = " ".join([*words[4:7], *words[:4], *words[7:]])
    assert cost(metric, moved, text) == SHIFT
    assert 0 < statistics(metric, back, text)[0] < 2000 * (INSERTION + DELETION)


def test_normalisation():
    def tokens(text, **options):
        return TerpNorm(**options)([text]).of(0)

    assert tokens("Next week.") == ["next", "week", "."]
    # A word with another period or comma keeps its last one.
    assert tokens("the U.S. and 3,500.") == ["the", "u.s.", "and", "3,500."]
    assert tokens("Bush's (1990-91) A&amp;B") == (
        ["bush", "'s", "(", "1990", "-", "91", ")", "a", "&", "b"]
    )  # fmt: skip
    # As in the authors' program: a mark parted from a word sticks to it again at a comma.
    assert tokens('"Yes, no"') == ['"yes', ",", "no", '"']
    assert tokens("Next week.", normalized=False) == ["next", "week."]
    assert tokens("(Next) week.", no_punct=True, case_sensitive=True) == ["Next", "week"]


# Options, names, resources.


def test_by_name_and_pickled():
    metric = get_metric("terp:paraphrases=no,stems=no,insertion-cost=0.5,shifts=exact")
    assert metric == Terp(paraphrases="no", stems=False, insertion_cost=0.5, shifts="exact")
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert not metric.higher_is_better


def test_signature(table):
    assert str(Terp(preset="ter").signature()) == (
        "preset:ter|case:lc|tok:none|punct:yes|stems:no|synonyms:no|paraphrases:no|shifts:exact"
    )
    changed = Terp(paraphrases=table, shift_cost=0.5, shift_size=5).signature()
    start, end = str(changed).split("|paraphrases:file-")
    assert start == "preset:terp-a|case:lc|tok:terp|punct:yes|stems:snowball|synonyms:wordnet-3.0"
    assert end[12:] == "|shifts:relax|shift_cost:0.5|shift_size:5"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "terp-b"}, "no preset 'terp-b'; it has: terp-a, terp-hter, ter"),
        ({"shifts": "some"}, "no shifts 'some'; it has: relax, exact, no"),
        ({"stem_cost": -1.0}, "terp:stem_cost takes a number from 0 to 1000, not -1"),
        ({"deletion_cost": float("nan")}, "terp:deletion_cost takes a number from 0"),
        ({"phrase_least": 2.0, "phrase_most": 1.0}, "found 2 and 1"),
        ({"phrase_log": float("nan")}, "terp:phrase_log takes a finite number, not nan"),
        ({"beam": 0}, "terp:beam takes a whole number above 0, not 0"),
        ({"candidates": -3}, "terp:candidates takes a whole number above 0, not -3"),
        ({"paraphrases": "no-such-file.gz"}, "no paraphrase table no-such-file.gz"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(CupelError, match=message.replace("(", r"\(")):
        Terp(**{"paraphrases": "no", **options})


def test_without_the_table_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("cupel.metrics.terp.table_missing", lambda: "METEOR needs its table.")
    with pytest.raises(MissingPart, match=r"pip install 'cupel\[meteor\]', .* paraphrases=no"):
        Terp()
    assert cost(Terp(paraphrases="no"), "cats sleep", "cats sleep") == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not gzip",
        gzip.compress(b""),
        gzip.compress(b"x\ny\nz\n"),
        gzip.compress(b"0.5\na b\nc d\n" * 99)[:-9],
    ],
    ids=["empty", "not gzip", "nothing in it", "no numbers", "cut"],
)
def test_a_damaged_table_is_named(tmp_path, content):
    path = tmp_path / "paraphrase-en.gz"
    path.write_bytes(content)
    with pytest.raises(CupelError, match=r"paraphrase-en\.gz"):
        Terp(paraphrases=str(path)).statistics(Batch(["a"], [["b"]]))
