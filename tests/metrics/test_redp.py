"""REDp and DEPREF: the definitions by brute force over the aligner's matches; parameters; presets."""

from __future__ import annotations

import gzip
import json
import pickle
from typing import Any

import numpy as np
import pytest
import slow_red as slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_red import pairs_of, projective, trees

from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import Tunable
from cupel.metrics.depref import Depref
from cupel.metrics.meteor_tasks import MODULES
from cupel.metrics.red import Red
from cupel.metrics.redp import TABLE_1, Redp
from cupel.presets import Preset, load_preset, preset_names, save_preset
from cupel.registry import get_metric
from cupel.scoring import score
from cupel.syntax.conllu import format_sentence
from cupel.syntax.tree import Tree

VOCABULARY = "the of house houses home dog hound running ran saw".split()
SHORT = {"exact": "exact", "stem": "stem", "synonym": "syn"}
TWO = [
    Tree.of("the dog saw a house", [1, 2, -1, 4, 2]),
    Tree.of("a hound saw the home", [1, 2, -1, 4, 2]),
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "paraphrase-en.gz"
    entries = ("0.5\nthe house\nhome\n", "0.5\nof the\nthe\n", "0.5\nrunning\nran\n")
    longer = ("0.5\nsaw the dog\nsaw dog\n", "0.5\ndog\nthe hound\n")
    path.write_bytes(gzip.compress("".join(entries + longer).encode()))
    return str(path)


@pytest.fixture
def two_trees(tmp_path):
    path = tmp_path / "two.conllu"
    path.write_text("".join(map(format_sentence, TWO)), encoding="utf-8")
    return str(path)


@st.composite
def worded(draw, of):
    tree = draw(of)
    words = st.lists(st.sampled_from(VOCABULARY), min_size=len(tree), max_size=len(tree))
    return Tree.of(draw(words), tree.heads)


PARAMETERS = st.fixed_dictionaries({name: st.floats(0, 1) for name in TABLE_1})
ITEMS = st.tuples(
    worded(st.one_of(trees(), projective())), st.lists(st.sampled_from(VOCABULARY), max_size=9)
)


def matched_by(metric, tree, hypothesis):
    """The aligner's two runs, as the brute force takes them."""
    pairs = pairs_of([tree], [hypothesis])
    aligner = metric.aligner
    analysis = aligner.analysis(pairs)
    words = aligner.matches(analysis, pairs, aligner.of_words).of(0)
    phrases = aligner.phrases(analysis, pairs, getattr(metric, "phrases", "alone")).of(0)
    matched = {row[0]: (row[2], SHORT[MODULES[row[4]]]) for row in words}
    is_function = analysis.words.is_function[pairs.reference_words.ids].astype(bool).tolist()
    return matched, [(row[0], row[1]) for row in phrases], is_function


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    item=ITEMS,
    parameters=PARAMETERS,
    as_printed=st.booleans(),
    phrases=st.sampled_from(["alone", "joint"]),
)
def test_brute_force(table, item, parameters, as_printed, phrases):
    tree, hypothesis = item
    metric = Redp(paraphrases=table, as_printed=as_printed, phrases=phrases)
    matched, phrases, is_function = matched_by(metric, tree, hypothesis)
    expected = slow.redp(tree, hypothesis, matched, phrases, is_function, parameters, as_printed)
    rows = metric.pair_features(pairs_of([tree], [hypothesis]))
    assert metric.rescore(rows[:, None], parameters)[0] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(ITEMS)
def test_depref_with_resources_weighs_all_matches_alike(item):
    tree, hypothesis = item
    metric = Depref(resources=True)
    matched, _, _ = matched_by(metric, tree, hypothesis)
    even = dict.fromkeys(TABLE_1, 1.0) | {"alpha": 0.5, "w_fun": 0.5}
    even |= {f"w_{n}gram": 1 / 3 for n in (1, 2, 3)}
    # s_fun is 1/2 for every word when w_fun is; F is linear in the sum of scores.
    expected = 2 * slow.redp(tree, hypothesis, matched, [], [False] * len(tree), even)
    found = metric.pair_scores(pairs_of([tree], [hypothesis]))
    assert found[0] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(ITEMS)
def test_depref_without_resources_is_red(item):
    pairs = pairs_of([item[0]], [item[1]])
    assert Depref().red.pair_scores(pairs) == Red().pair_scores(pairs)


def test_the_parameters_of_table_1():
    assert dict(Redp(modules="exact").parameters) == {
        "alpha": 0.9, "w_fun": 0.2, "w_exact": 0.9, "w_stem": 0.6, "w_syn": 0.6, "w_par": 0.6,
        "w_1gram": 0.6, "w_2gram": 0.5, "w_3gram": 0.1,
    }  # fmt: skip


def test_a_paraphrase_scores_by_its_words_on_the_side_of_the_reference(table):
    # "the house" for "home": a function and a content word, s_fun = (0.2 + 0.8) / 2.
    tree = Tree.of("the house", [1, -1])
    metric = Redp(paraphrases=table, modules="paraphrase")
    rows = metric.pair_features(pairs_of([tree], [["home"]]))
    at = TABLE_1
    counts, length = 2 + 1, 1  # chain and fixed structure, and the paraphrase
    f = (1 - at["w_par"]) * 0.5 / (at["alpha"] * counts + (1 - at["alpha"]) * length)
    assert metric.rescore(rows[:, None], {})[0] == pytest.approx(at["w_2gram"] * f)
    printed = Redp(paraphrases=table, modules="paraphrase", as_printed=True)
    f = (1 - at["w_par"] * 0.5) / (at["alpha"] * counts + (1 - at["alpha"]) * length)
    assert printed.rescore(rows[:, None], {})[0] == pytest.approx(at["w_2gram"] * f)


def test_joint_paraphrases_are_those_that_cover_what_words_do_not(tmp_path):
    # Alone, "saw the dog" is paraphrased by "saw dog" although it stands there word for word.
    path = tmp_path / "paraphrase-en.gz"
    path.write_bytes(gzip.compress(b"0.5\nnobody\nanyone\n0.5\nsaw the dog\nsaw dog\n"))
    tree = Tree.of("nobody saw the dog", [1, -1, 3, 1])
    pairs = pairs_of([tree], ["anyone saw the dog saw dog".split()])
    places, features = {}, {}
    for run in ("alone", "joint"):
        metric = Redp(paraphrases=str(path), phrases=run)
        matches = metric.aligner.phrases(metric.aligner.analysis(pairs), pairs, run)
        places[run] = sorted((row[0], row[1]) for row in matches.of(0))
        features[run] = metric.pair_features(pairs)[0, 1:].reshape(3, 10)
    assert places == {"alone": [(0, 1), (1, 3)], "joint": [(0, 1)]}
    assert features["alone"][:, 9].tolist() == [1, 0, 1]
    assert features["joint"][:, 9].tolist() == [1, 0, 0]
    assert features["alone"][:, :7].tolist() == features["joint"][:, :7].tolist()


def test_the_signature_names_the_run_only_where_it_is_not_the_first_one(table):
    alone = str(Redp(paraphrases=table).signature())
    joint = str(Redp(paraphrases=table, phrases="joint").signature())
    assert "phrases:alone" not in alone
    assert joint.replace("phrases:joint|", "") == alone
    with pytest.raises(CupelError, match="REDp has no phrases 'both'; it has: alone, joint"):
        Redp(paraphrases=table, phrases="both")


def test_rescoring_equals_scoring_anew(table, two_trees):
    references = [["the dog saw a house", "a hound saw the home"], ["a hound saw the home"]]
    batch = Batch(["the hound saw a home", "the houses"], references)
    metric = Redp(paraphrases=table, trees=two_trees, tokenize="none")
    assert isinstance(metric, Tunable)
    features = metric.features(batch)
    assert features.shape == (2, 2, 31)
    other = {"alpha": 0.3, "w_fun": 0.6, "w_syn": 0.1, "w_par": 0.2, "w_3gram": 0.9}
    choices: list[dict[str, Any]] = [{}, other]
    for parameters in choices:
        again = Redp(paraphrases=table, trees=two_trees, tokenize="none", **parameters)
        expected = again.segment_scores(again.statistics(batch))
        assert metric.rescore(features, parameters).tolist() == expected.tolist()


def test_a_preset_sets_what_is_not_given(two_trees, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = save_preset("mine", Preset("redp", {"alpha": 0.4, "w_fun": 0.1}, {"tuned on": "x"}))
    assert path == tmp_path / "cupel" / "presets" / "mine.json"
    assert json.loads(path.read_text())["tuned on"] == "x"
    assert preset_names() == ["mine"]
    metric = get_metric("redp:preset=mine,w_fun=0.3,modules=exact")
    assert isinstance(metric, Redp)
    assert metric.parameters == {**TABLE_1, "alpha": 0.4, "w_fun": 0.3}
    assert "alpha:0.4|w_fun:0.3|" in str(metric.signature())
    by_path = get_metric(f"redp:preset={path},modules=exact")
    assert isinstance(by_path, Redp)
    assert by_path.parameters["alpha"] == 0.4
    prepared = metric.prepare(Corpus.of(["a"], ["a"]))
    path.unlink()
    assert pickle.loads(pickle.dumps(prepared)).parameters["alpha"] == 0.4


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "There is no preset 'p' ({path}); there are: none."),
        ('{"metric": "red"}', "The preset {path} is for the metric 'red'; 'redp' was expected."),
        ("[]", "{path} is not a preset: it does not name its metric."),
        ("{", "The preset {path} is damaged, it is not the JSON that `cupel tune` writes: tune again."),
        ("[" * 100_000, "The preset {path} is damaged, it is not the JSON that `cupel tune` writes: "
         "tune again."),
        ('{"metric": "redp", "parameters": {"alpha": 1' + "0" * 400 + "}}",
         "The preset {path} gives alpha as 1" + "0" * 38 + "…; a number was expected."),
        ('{"metric": "redp"}', 'The preset {path} has no "parameters"; names and numbers were expected.'),
        (
            '{"metric": "redp", "parameters": {"alpha": "high"}}',
            "The preset {path} gives alpha as 'high'; a number was expected.",
        ),
        (
            '{"metric": "redp", "parameters": {"alpha": 3}}',
            "The parameter alpha must lie between 0 and 1, not 3.",
        ),
    ],
)  # fmt: skip
def test_bad_presets(content, sentence, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = tmp_path / "cupel" / "presets" / "p.json"
    path.parent.mkdir(parents=True)
    if content is not None:
        path.write_text(content)
    with pytest.raises(CupelError) as failure:
        get_metric("redp:preset=p,modules=exact")
    assert str(failure.value) == sentence.format(path=path)


def test_a_preset_by_its_path(tmp_path):
    with pytest.raises(CupelError, match="cannot be read: Is a directory"):
        load_preset(f"{tmp_path}/", "redp")
    marked = tmp_path / "marked.json"
    marked.write_text('\ufeff{"metric": "redp", "parameters": {"alpha": 0.5}}', encoding="utf-8")
    assert load_preset(str(marked), "redp").parameters == {"alpha": 0.5}


def test_the_signature_tells_parameters_apart_that_differ_little():
    one, other = (get_metric(f"redp:alpha={a},modules=exact") for a in ("0.5", "0.50000001"))
    assert str(one.signature()) != str(other.signature())


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("redp:n=4,modules=exact", "REDp has weights for dep-ngrams of up to 3 words, not 4."),
        ("redp:w_par=-1,modules=exact", "The parameter w_par must lie between 0 and 1, not -1."),
        ("redp:modules=spell", "METEOR has no module 'spell'; it has: exact, stem, synonym, paraphrase."),
        ("redp:language=xx", "There is no language 'xx': did you mean 'xh'?"),
        ("redp:paraphrases=/no/such", "There is no paraphrase table /no/such."),
        ("redp:paraphrases=/no/such,modules=exact",
         "A paraphrase table is given, but the modules leave paraphrases out."),
        ("redp:preset=,modules=exact", "A preset needs a name or a path, not ''."),
    ],
)  # fmt: skip
def test_bad_options(spec, sentence):
    with pytest.raises(CupelError) as failure:
        get_metric(spec)
    assert str(failure.value) == sentence


def test_an_unknown_parameter(table):
    with pytest.raises(CupelError, match="REDp has no parameter 'beta'; it has: alpha, w_fun"):
        Redp(paraphrases=table).rescore(np.zeros((1, 1, 31)), {"beta": 1})


def test_what_the_links_give_is_what_the_score_is_made_of(table, two_trees):
    hypotheses = ["the hound saw a home", "house the of"]
    references = [["the dog saw a house", "a hound saw the home"]] * 2
    batch = Batch(hypotheses, references)
    for metric in (
        Redp(paraphrases=table, trees=two_trees, tokenize="none"),
        Depref(resources=True, trees=two_trees, tokenize="none"),
        Red(trees=two_trees, tokenize="none"),
    ):
        told = metric.alignments(batch)
        scores = metric.segment_scores(metric.statistics(batch))
        at = TABLE_1 if metric.name == "redp" else {"alpha": 0.5}
        for alignment, expected in zip(told, scores, strict=True):
            total = 0.0
            for n in (1, 2, 3):
                given = sum(link.weight for link in alignment.links if link.kind[-1] == str(n))
                count = alignment.details[f"count{n}"]
                both = at["alpha"] * count + (1 - at["alpha"]) * len(alignment.hypothesis)
                total += at.get(f"w_{n}gram", 1 / 3) * given / both
            assert total == pytest.approx(expected, abs=1e-12)
            assert alignment.score == pytest.approx(expected, abs=1e-12)


def test_entities_and_quotes_count_as_what_they_stand_for(two_trees, tmp_path):
    tree = Tree.of('he said " no " to it', [1, -1, 3, 1, 3, 1, 5])
    path = tmp_path / "quotes.conllu"
    path.write_text(format_sentence(tree), encoding="utf-8")
    reference = ['he said " no " to it']
    plain = Red(trees=str(path), tokenize="none")
    same = ["he said &quot; no &quot; to it", "he said “ no ” to it", "he said `` no '' to it"]
    whole = score(reference, [reference], plain).rows()[0]["score"]
    for text in same:
        assert score([text], [reference], plain).rows()[0]["score"] == whole
        raw = Red(trees=str(path), tokenize="none", normalize=False)
        assert score([text], [reference], raw).rows()[0]["score"] < whole
