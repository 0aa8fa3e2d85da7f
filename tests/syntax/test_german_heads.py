"""The head rules for UD on a second language: German, whose verbs stand at the end.

Forty trees of UD_German-PUD (CC BY-SA 3.0) lie beside this file; with CUPEL_SNAPSHOTS all 1,000 are
read. docs/research/languages.md has their figures.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from test_heads import arcs, tree

import cupel
from cupel.syntax.conllu import read_conllu
from cupel.syntax.heads import penn2malt
from cupel.syntax.tree import ROOT, Tree

TREES = Path(__file__).with_name("german_pud.conllu")
TREEBANK = Path("UniversalDependencies/UD_German-PUD/de_pud-ud-test.conllu")
FINITE = "Mood="
VERB_FINAL = {
    "a subordinate clause": (
        ["dass gesehen KOUS mark", "er gesehen PPER nsubj", "das Haus ART det",
         "Haus gesehen NN obj", "gesehen - VVPP root", "hat gesehen VAFIN aux"],
        "hat>er Haus>das gesehen>Haus hat>gesehen dass>hat",
    ),
    "with two auxiliaries": (
        ["die gesehen PRELS nsubj:pass", "gesehen - VVPP root", "worden gesehen VAPP aux:pass",
         "ist gesehen VAFIN aux"],
        "ist>die worden>gesehen ist>worden",
    ),
    "a main clause": (
        ["Er gesehen PPER nsubj", "hat gesehen VAFIN aux", "gestern gesehen ADV advmod",
         "das Haus ART det", "Haus gesehen NN obj", "gesehen - VVPP root", ". gesehen $. punct"],
        "hat>Er hat>gestern Haus>das gesehen>Haus hat>gesehen hat>.",
    ),
    "a modal verb at the end": (
        ["Er gesehen PPER nsubj", "hat gesehen VAFIN aux", "gesehen - VVINF root",
         "werden gesehen VAINF aux:pass", "können gesehen VMINF aux"],
        "hat>Er werden>gesehen können>werden hat>können",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VERB_FINAL)
def test_verbs_at_the_end(name: str) -> None:
    rows, expected = VERB_FINAL[name]
    assert set(expected.split()) <= set(arcs(penn2malt(tree(*rows), "ud")).split())


def finite_words(path: Path) -> list[list[bool]]:
    """Whether each word of each tree is a finite verb, by its features."""
    sentences: list[list[bool]] = [[]]
    for line in path.read_text("utf-8").splitlines():
        columns = line.split("\t")
        if not line and sentences[-1]:
            sentences.append([])
        elif columns[0].isdigit():
            sentences[-1].append(FINITE in columns[5])
    return [sentence for sentence in sentences if sentence]


def is_above(tree: Tree, upper: int, lower: int) -> bool:
    head = tree.heads[lower]
    while head not in (ROOT, upper):
        head = tree.heads[head]
    return head == upper


def counts(path: Path) -> dict[str, tuple[int, int]]:
    """Rule -> how often it holds, and how often it could."""
    held: dict[str, list[bool]] = {
        "preposition": [],
        "subordinator": [],
        "finite": [],
        "subject": [],
    }
    for sentence, finite in zip(read_conllu(path), finite_words(path), strict=True):
        before, after = sentence.tree, penn2malt(sentence.tree, "ud")
        assert after.words == before.words
        assert sum(head == ROOT for head in after.heads) == 1
        for word, children in enumerate(before.children):
            by_relation: dict[str, list[int]] = {}
            for child in children:
                relation = before.relations[child].partition(":")[0]
                by_relation.setdefault(relation, []).append(child)
            held["preposition"] += [is_above(after, c, word) for c in by_relation.get("case", [])]
            held["subordinator"] += [is_above(after, c, word) for c in by_relation.get("mark", [])]
            verbs = [*by_relation.get("aux", []), *by_relation.get("cop", []), word]
            heads = [verb for verb in verbs if finite[verb]]
            if len(verbs) > 1 and len(heads) == 1:
                held["finite"].append(
                    all(is_above(after, heads[0], verb) for verb in verbs if verb != heads[0])
                )
                held["subject"] += [
                    after.heads[c] == heads[0] for c in by_relation.get("nsubj", [])
                ]
    return {rule: (sum(values), len(values)) for rule, values in held.items()}


def test_on_forty_german_trees() -> None:
    assert counts(TREES) == {
        "preposition": (33, 33),
        "subordinator": (7, 7),
        "finite": (32, 32),
        "subject": (30, 30),
    }


@pytest.mark.parametrize("metric", ["red", "hwcm", "hwcm:heads=penn2malt", "depref"])
def test_metrics_read_german_trees(metric: str) -> None:
    """Trees of a treebank beside German text: the same text scores best, another sentence worst."""
    lines = TREES.read_text("utf-8").splitlines()
    texts = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    spec = f"{metric}{',' if ':' in metric else ':'}trees={TREES}"
    others = texts[1:] + texts[:1]
    scores = cupel.score({"same": texts, "other": others}, texts, [spec])
    assert scores.system_score(spec, "same") > 2 * scores.system_score(spec, "other") > 0


def test_on_a_thousand_german_trees() -> None:
    places = os.environ.get("CUPEL_SNAPSHOTS", "").split(os.pathsep)
    paths = [path for place in places if (path := Path(place) / TREEBANK).is_file()]
    if not paths:
        pytest.skip("needs the files of UniversalDependencies/UD_German-PUD in CUPEL_SNAPSHOTS")
    held = counts(paths[0])
    assert held["preposition"][1] > 2000
    for rule, least in {"preposition": 1, "subordinator": 0.98, "finite": 0.99}.items():
        assert held[rule][0] >= least * held[rule][1], rule
