"""Penn2Malt's heads from hand-made ClearNLP and UD trees, rule by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_tree import ANT, trees

from cupel.errors import CupelError
from cupel.syntax.heads import check_convention, convert, penn2malt, style_of
from cupel.syntax.tree import Tree
from cupel.syntax.trees import Trees


def tree(*rows: str) -> Tree:
    """Rows `word head tag relation`, where heads are words (or word#2 for the second); - is root."""
    split = [row.split() for row in rows]
    words = [row[0] for row in split]

    def position(name):
        word, _, which = name.partition("#")
        return [i for i, w in enumerate(words) if w == word][int(which or 1) - 1]

    heads = [-1 if row[1] == "-" else position(row[1]) for row in split]
    return Tree.of(words, heads, [row[3] for row in split], [row[2] for row in split])


def arcs(tree: Tree) -> str:
    """`head>word` of each word in order."""
    names = [tree.words[head] if head >= 0 else "" for head in tree.heads]
    return " ".join(f"{head}>{word}" for head, word in zip(names, tree.words, strict=True))


def test_the_papers_sentence_is_already_so():
    assert penn2malt(ANT, "clear") == ANT


def test_and_becomes_so_from_ud():
    ud = tree(
        "I saw PRP nsubj",
        "saw - VBD root",
        "an ant DT det",
        "ant saw NN obj",
        "with magnifier IN case",
        "a magnifier DT det",
        "magnifier saw NN obl",
    )
    found = penn2malt(ud, "ud")
    assert found.heads == ANT.heads
    assert found.relations[4:] == ("obl", "det", "pobj")


CLEAR = {
    "auxiliaries, their subject, an adverb between, the final stop": (
        ["He seen PRP nsubjpass", "has seen VBZ aux", "often seen RB advmod",
         "been seen VBN auxpass", "seen - VBN ROOT", "there seen RB advmod", ". seen . punct"],
        "has>He >has has>often has>been been>seen seen>there has>.",
    ),
    "a question": (
        ["Did eat VBD aux", "he eat PRP nsubj", "eat - VB ROOT", "it eat PRP dobj"],
        ">Did Did>he Did>eat eat>it",
    ),
    "infinitival to": (
        ["She wants PRP nsubj", "wants - VBZ ROOT", "to go TO aux", "boldly go RB advmod",
         "go wants VB xcomp"],
        "wants>She >wants wants>to go>boldly to>go",
    ),
    "a subordinator": (
        ["He left PRP nsubj", "left - VBD ROOT", ", left , punct", "because came IN mark",
         "they came PRP nsubj", "had came VBD aux", "came left VBN advcl"],
        "left>He >left left>, left>because had>they because>had had>came",
    ),
    "for ... to": (
        ["time - NN ROOT", "for go IN mark", "us go PRP nsubj", "to go TO aux", "go time VB relcl"],
        ">time time>for to>us for>to to>go",
    ),
    "nouns under the last": (
        ["the cats DT det", "cats bark NNS nsubj", ", cats , punct", "cows cats NNS conj",
         "and cows CC cc", "dogs cows NNS conj", "bark - VBP ROOT"],
        "cats>the dogs>cats dogs>, dogs>cows dogs>and bark>dogs >bark",
    ),
    "verbs under the first, side by side": (
        ["He ate PRP nsubj", "ate - VBD ROOT", ", ate , punct", "drank ate VBD conj",
         "and drank CC cc", "slept drank VBD conj"],
        "ate>He >ate ate>, ate>drank ate>and ate>slept",
    ),
    "verbs that share an auxiliary, under the verb": (
        ["He eaten PRP nsubj", "has eaten VBZ aux", "eaten - VBN ROOT", "and eaten CC cc",
         "slept eaten VBN conj", ". eaten . punct"],
        "has>He >has has>eaten eaten>and eaten>slept has>.",
    ),
    "verbs with auxiliaries of their own, under the auxiliary": (
        ["He eaten PRP nsubj", "has eaten VBZ aux", "eaten - VBN ROOT", "and eaten CC cc",
         "will sleep MD aux", "sleep eaten VB conj"],
        "has>He >has has>eaten has>and has>will will>sleep",
    ),
    "a comma that is the conjunct's own": (
        ["cats - NNS ROOT", ", cats , punct", "purring cats VBG acl", ", cats , punct",
         "and cats CC cc", "dogs cats NNS conj"],
        "dogs>cats cats>, cats>purring dogs>, dogs>and >dogs",
    ),
    "what follows coordinated nouns": (
        ["cats - NNS ROOT", "and cats CC cc", "dogs cats NNS conj", "of cats IN prep",
         "Rome of NNP pobj"],
        "dogs>cats dogs>and >dogs dogs>of of>Rome",
    ),
    "the possessive": (
        ["John book NNP poss", "'s John POS case", "book - NN ROOT"],
        "'s>John book>'s >book",
    ),
    "prepositional phrases under the first": (
        ["lives - VBZ ROOT", "in lives IN prep", "Rome in NNP pobj", "and in CC cc",
         "in in IN conj", "Paris in#2 NNP pobj"],
        ">lives lives>in in>Rome in>and in>in in>Paris",
    ),
    "a relative pronoun does not head": (
        ["man - NN ROOT", "who came WP nsubj", "had came VBD aux", "came man VBN relcl"],
        ">man had>who man>had had>came",
    ),
}  # fmt: skip

UD = {
    "preposition, and what stands before it": (
        ["just midnight RB advmod", "before midnight IN case", "midnight - NN root"],
        "before>just >before before>midnight",
    ),
    "copula with an adjective": (
        ["He happy PRP nsubj", "is happy VBZ cop", "not happy RB advmod", "very happy RB advmod",
         "happy - JJ root", ". happy . punct"],
        "is>He >is is>not happy>very is>happy is>.",
    ),
    "copula, auxiliary and preposition": (
        ["He house PRP nsubj", "will house MD aux", "be house VB cop", "in house IN case",
         "the house DT det", "house - NN root"],
        "will>He >will will>be be>in house>the in>house",
    ),
    "copula behind its predicate": (
        ["how happy WRB advmod", "happy - JJ root", "they happy PRP nsubj", "are happy VBP cop"],
        "happy>how are>happy are>they >are",
    ),
    "a clause as predicate": (
        ["The problem DT det", "problem slow NN nsubj:outer", "is slow VBZ cop", "that slow IN mark",
         "it slow PRP nsubj", "was slow VBD cop", "slow - JJ root"],
        "problem>The is>problem >is is>that was>it that>was was>slow",
    ),
    "infinitival to is a mark there": (
        ["wants - VBZ root", "to go TO mark", "go wants VB xcomp"],
        ">wants wants>to to>go",
    ),
    "nouns in one prepositional phrase": (
        ["in Rome IN case", "Rome - NNP root", "and Paris CC cc", "Paris Rome NNP conj"],
        ">in Paris>Rome Paris>and in>Paris",
    ),
    "two prepositional phrases": (
        ["in Rome IN case", "Rome - NNP root", "and Paris CC cc", "near Paris IN case",
         "Paris Rome NNP conj"],
        ">in in>Rome in>and in>near near>Paris",
    ),
    "verbs side by side": (
        ["ate - VBD root", ", drank , punct", "drank ate VBD conj", "and slept CC cc",
         "slept ate VBD conj"],
        ">ate ate>, ate>drank ate>and ate>slept",
    ),
    "a name": (
        ["old John JJ amod", "John came NNP nsubj", "P. John NNP flat", "Smith John NNP flat",
         "came - VBD root"],
        "Smith>old Smith>John Smith>P. came>Smith >came",
    ),
    "the passive": (
        ["It seen PRP nsubj:pass", "was seen VBD aux:pass", "seen - VBN root"],
        "was>It >was was>seen",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", CLEAR)
def test_clear(rule):
    rows, expected = CLEAR[rule]
    assert arcs(penn2malt(tree(*rows), "clear")) == expected


@pytest.mark.parametrize("rule", UD)
def test_ud(rule):
    rows, expected = UD[rule]
    assert arcs(penn2malt(tree(*rows), "ud")) == expected


RELATIONS = "nsubj aux cop mark case conj cc punct flat dobj prep det expl".split()


@given(trees(), st.data(), st.sampled_from(["clear", "ud"]))
def test_whatever_the_tree_the_result_is_one(tree, data, style):
    size = len(tree)

    def one_each(values):
        return data.draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))

    relations = one_each(RELATIONS)
    tags = one_each("NN VB IN TO POS NNP".split())
    start = Tree.of(tree.words, tree.heads, relations, tags)
    found = penn2malt(start, style)  # a Tree checks itself: one root, no cycle
    assert (found.words, found.tags) == (start.words, start.tags)


def test_many_at_once():
    rows, expected = CLEAR["a question"]
    trees = Trees.of([ANT, tree(*rows)])
    assert convert(trees, "native", "clear") is trees
    assert arcs(convert(trees, "penn2malt", "clear")[1]) == expected


def test_style_by_relations():
    assert style_of(["nsubj", "dobj", "nmod"], "x") == "clear"
    assert style_of(["nsubj", "obj", "nmod"], "x") == "ud"
    with pytest.raises(CupelError, match=r"^f\.conllu: the relations are neither ClearNLP's nor"):
        style_of(["sb", "oa", "nk"], "f.conllu")


def test_an_unknown_convention():
    with pytest.raises(CupelError) as error:
        check_convention("collins")
    assert str(error.value) == "Unknown heads 'collins'; there are native and penn2malt."


def test_on_real_trees_heads_move_but_constituents_stay_in_one_piece(pack):
    from cupel.syntax.conllu import read_conllu

    before = after = words = 0
    for sentence in read_conllu(pack("ud-english-ewt") / "en_ewt-ud-dev.conllu"):
        converted = penn2malt(sentence.tree, "ud")
        words += len(converted)
        before += sum(not span.contiguous for span in sentence.tree.spans)
        after += sum(not span.contiguous for span in converted.spans)
    assert before / words < 0.002
    assert after / words < 0.004
