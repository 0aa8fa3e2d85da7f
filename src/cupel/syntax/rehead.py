"""The re-heading that `heads=penn2malt` stands for; the rules are listed in `cupel.syntax.heads`.

Every word is taken once, those farthest from the root first. It gets a spine: itself, then the
function words among its children that are to head it, innermost first (possessive, prepositions,
auxiliaries from right to left, subordinators). Each other child is given a home on the spine, and
the spine's top takes the word's place. Conjuncts wait until the first of them is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from cupel.syntax.tree import ROOT, Tree

Style = Literal["clear", "ud"]

_NOMINAL = ("NN", "PRP", "CD", "DT", "$", "EX", "NOUN", "PROPN", "PRON", "NUM")
_SUBJECT = ("nsubj", "csubj", "expl")
_INSIDE_NOUN = frozenset(
    "det amod nummod compound nmod poss acl relcl appos quantmod predet flat fixed goeswith".split()
)
_OBJECTS = frozenset(["obj", "iobj"])
_NEGATION = frozenset(["not", "n't", "n’t", "never"])


@dataclass
class _Spine:
    """A word, and the function words that are to head it, each kind from left to right."""

    word: int
    possessive: list[int] = field(default_factory=list)
    prepositions: list[int] = field(default_factory=list)
    verbs: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    outer: list[int] = field(default_factory=list)  # verbs before the subordinator
    has_copula: bool = False
    has_subject: bool = False
    conjuncts: list[int] = field(default_factory=list)

    @property
    def clause(self) -> int:
        """The head of the clause, inside its subordinator."""
        return self.verbs[0] if self.verbs else self.word

    @property
    def top_verb(self) -> int:
        """What clause-level material on the right hangs on."""
        return self.outer[0] if self.outer else self.clause

    @property
    def parts(self) -> set[int]:
        return {*self.possessive, *self.prepositions, *self.verbs, *self.marks, *self.outer}


def penn2malt(tree: Tree, style: Style) -> Tree:
    """The tree under Penn2Malt's heads.

    >>> tree = Tree.of("I have seen it", [2, 2, -1, 2], "nsubj aux ROOT dobj")
    >>> penn2malt(tree, "clear").heads
    (1, -1, 1, 2)
    """
    if style == "ud":
        tree = _last_of_names(tree)
    return _Reheading(tree, style).result()


class _Reheading:
    def __init__(self, tree: Tree, style: Style) -> None:
        self.tree = tree
        self.style = style
        self.heads = list(tree.heads)
        self.relations = list(tree.relations)
        self.spines: dict[int, _Spine] = {}
        self.tops: dict[int, int] = {}  # the word that took a word's place

    def result(self) -> Tree:
        tree = self.tree
        for word in sorted(range(len(tree)), key=tree.depths.__getitem__, reverse=True):
            self.spines[word] = self._spine(word)
            if not self._is_conjunct(word):
                self._place(word)
        return tree.with_heads(self.heads, self.relations)

    def _is_conjunct(self, word: int) -> bool:
        head = self.tree.heads[word]
        return head != ROOT and _base(self.tree.relations[word]) == "conj" and head < word

    # What belongs to a word.

    def _spine(self, word: int) -> _Spine:
        spine = _Spine(word)
        for child in self.tree.children[word]:
            self._sort(spine, child, _base(self.tree.relations[child]))
        if not spine.has_copula:  # "gesehen worden ist": behind the verb the last is the outermost
            behind = [verb for verb in spine.verbs if verb > word]
            spine.verbs = [verb for verb in spine.verbs if verb < word] + behind[::-1]
        if spine.marks:  # "the problem is that ...": UD hangs both on the clause's predicate
            spine.outer = [verb for verb in spine.verbs if verb < spine.marks[0]]
            spine.verbs = [verb for verb in spine.verbs if verb > spine.marks[0]]
        return spine

    def _sort(self, spine: _Spine, child: int, relation: str) -> None:
        tree, word = self.tree, spine.word
        to = tree.tags[child] == "TO" or (relation == "mark" and tree.words[child].lower() == "to")
        spine.has_subject |= relation.startswith(_SUBJECT)
        if relation == "case" and (tree.tags[child] == "POS" or child > word):
            spine.possessive.append(child)
        elif relation == "case" and self.style == "ud":
            spine.prepositions.append(child)
        elif relation == "cop" or (
            (relation in ("aux", "auxpass") and (child < word or self.style == "ud"))
            or (relation == "mark" and to and child < word)
        ):
            spine.verbs.append(child)
            spine.has_copula |= relation == "cop"
        elif relation == "mark" and child < word:
            spine.marks.append(child)
        elif self._is_conjunct(child):
            spine.conjuncts.append(child)

    # Where it goes.

    def _place(self, first: int) -> None:
        """Attach a word that is no conjunct, with all its conjuncts, inside out."""
        members = self._members(first)
        spine = self.spines[first]
        relation = self.tree.relations[first]
        joints = self._joints(members)
        last_heads = len(members) > 1 and self._heads_last(members)
        for member in members:
            self._house(self.spines[member], joints)
            if last_heads:
                self._hand_over(member, members[-1])
        if last_heads:
            core = self._wrap(members[-1], self.spines[members[-1]].possessive, "pos")
            for member in members[:-1]:
                own = self._wrap(member, self.spines[member].possessive, "pos")
                self._attach(own, members[-1], "conj")
            for joint in joints:
                self._attach(joint, members[-1], None)
        else:
            core = self._wrap(first, spine.possessive, "pos")
            for member in members[1:]:
                home = self._home_of_conjunct(spine, self.spines[member])
                self._attach(self._own(member), home, "conj")
            for joint in joints:
                follower = next(member for member in members if member > joint)
                home = self._home_of_conjunct(spine, self.spines[follower])
                self._attach(joint, home, None)
        top = self.tops[first] = self._wrap_outer(spine, core)
        self._attach(top, self.tree.heads[first], relation)

    def _members(self, first: int) -> list[int]:
        """The conjuncts of a coordination, chained (ClearNLP) or beside each other (UD)."""
        members, waiting = [], [first]
        while waiting:
            word = waiting.pop()
            members.append(word)
            waiting += reversed(self.spines[word].conjuncts)
        return sorted(members)

    def _joints(self, members: list[int]) -> list[int]:
        """Conjunctions and commas between the conjuncts."""
        return [
            child
            for member in members
            for child in self.tree.children[member]
            if members[0] < child < members[-1] and self._is_joint(member, child)
        ]

    def _is_joint(self, member: int, child: int) -> bool:
        relation = _base(self.tree.relations[child])
        if relation != "punct":
            return relation == "cc"
        # A comma is the member's own where more of the member stands beyond it.
        beyond = range(child, len(self.tree)) if child > member else range(child)
        return not any(
            other in beyond and _base(self.tree.relations[other]) not in ("cc", "punct", "conj")
            for other in self.tree.children[member]
        )

    def _heads_last(self, members: list[int]) -> bool:
        spines = [self.spines[member] for member in members]
        later = any(s.prepositions or s.verbs or s.marks or s.has_subject for s in spines[1:])
        return not later and all(self.tree.tags[m].startswith(_NOMINAL) for m in members)

    def _home_of_conjunct(self, spine: _Spine, conjunct: _Spine) -> int:
        if conjunct.marks and spine.marks:
            return spine.marks[0]
        if conjunct.verbs or conjunct.has_subject:
            return spine.clause
        if conjunct.prepositions and spine.prepositions:
            return spine.prepositions[0]
        return spine.word

    def _own(self, word: int) -> int:
        """The top of a conjunct's own spine, put together."""
        spine = self.spines[word]
        return self._wrap_outer(spine, self._wrap(word, spine.possessive, "pos"))

    def _wrap_outer(self, spine: _Spine, core: int) -> int:
        core = self._wrap(core, reversed(spine.prepositions), "pobj")
        core = self._wrap(core, reversed(spine.verbs), "prd" if spine.has_copula else "vc")
        core = self._wrap(core, reversed(spine.marks), "sbar")
        return self._wrap(core, reversed(spine.outer), "prd")

    def _wrap(self, core: int, wrappers: Iterable[int], relation: str) -> int:
        for wrapper in wrappers:
            self._attach(core, wrapper, relation)
            core, relation = wrapper, "vc" if relation == "prd" else relation
        return core

    def _attach(self, word: int, head: int, relation: str | None) -> None:
        self.heads[word] = head
        if relation is not None:
            self.relations[word] = relation

    # Homes of the other children.

    def _house(self, spine: _Spine, joints: list[int]) -> None:
        done = {*spine.parts, *spine.conjuncts, *joints}
        raised = self._raised(spine)
        for child in self.tree.children[spine.word]:
            if child not in done:
                home = spine.top_verb if child >= raised else self._home(spine, child)
                self._attach(self.tops[child], home, None)

    def _hand_over(self, member: int, last: int) -> None:
        """What stands right of a coordination hangs on its head."""
        for child in self.tree.children[member]:
            if child > last and self.heads[self.tops.get(child, child)] == member:
                self._attach(self.tops[child], last, None)

    def _raised(self, spine: _Spine) -> int:
        """From where on, right of the word, children are the clause's and not the word's.

        The final punctuation is; and so is all that stands behind a conjunct of the whole clause.
        """
        raised = len(self.tree)
        for child in reversed(self.tree.children[spine.word]):
            if child < spine.word or _base(self.tree.relations[child]) != "punct":
                break
            raised = child
        clauses = (
            conjunct
            for conjunct in spine.conjuncts
            if self._home_of_conjunct(spine, self.spines[conjunct]) != spine.word
        )
        return min((raised, *clauses))

    def _home(self, spine: _Spine, child: int) -> int:
        word = spine.word
        relation = _base(self.tree.relations[child])
        if spine.outer and child < spine.marks[0]:
            return ([verb for verb in spine.outer if verb < child] or spine.outer)[-1]
        if spine.marks and child < spine.marks[0]:
            return spine.marks[0]
        if spine.verbs and not self._belongs_inside(spine, child, relation):
            return self._home_among_verbs(spine, child)
        if spine.prepositions and child < spine.prepositions[0]:
            return spine.prepositions[0]
        return word

    def _belongs_inside(self, spine: _Spine, child: int, relation: str) -> bool:
        """Whether a child is part of the predicate rather than of the clause."""
        if not spine.has_copula:
            return False
        if relation in _INSIDE_NOUN:
            return True
        outside = relation.startswith(_SUBJECT) or relation == "punct"
        if spine.verbs[0] > spine.word:  # "how happy they are"
            return child < spine.word and not outside
        negation = self.tree.words[child].lower() in _NEGATION
        return spine.verbs[-1] < child < spine.word and not negation and not outside

    def _home_among_verbs(self, spine: _Spine, child: int) -> int:
        if self.style == "ud" and self._is_of_inner_verb(spine, child):
            return spine.word
        if child > spine.word:
            return spine.verbs[0] if spine.verbs[0] > spine.word else spine.word
        before = [verb for verb in spine.verbs if verb < child]
        if not before:
            return spine.verbs[0]
        if self.tree.words[before[-1]].lower() != "to":
            return before[-1]
        after = [verb for verb in (*spine.verbs, spine.word) if verb > child]
        return after[0]  # "to boldly go": the adverb is the lower VP's

    def _is_of_inner_verb(self, spine: _Spine, child: int) -> bool:
        """Whether a child left of the verb is the verb's own and not that of its auxiliary.

        "dass er [das Haus gesehen] hat": what is behind the subject. "er hat [das Haus gesehen]": what
        is between the two, from the first object on.
        """
        between = [c for c in self.tree.children[spine.word] if spine.verbs[0] < c <= child]
        if spine.verbs[0] > spine.word:
            if spine.has_copula:
                return False
            between = [c for c in self.tree.children[spine.word] if c < child]
            relations = [_base(self.tree.relations[c]) for c in between]
            starts = any(relation.startswith(_SUBJECT) for relation in relations)
        else:
            starts = any(_base(self.tree.relations[c]) in _OBJECTS for c in between)
        return starts and child < spine.word


def _last_of_names(tree: Tree) -> Tree:
    """Names of UD, John -> Smith, with the last word as head and what hung on the first."""
    heads, relations = list(tree.heads), list(tree.relations)
    for first, children in enumerate(tree.children):
        rest = [child for child in children if _base(tree.relations[child]) == "flat"]
        if not rest or not tree.tags[first].startswith(("NNP", "PROPN")):
            continue
        last = rest[-1]
        heads = [last if head == first else head for head in heads]
        heads[last], relations[last] = heads[first], relations[first]
        heads[first], relations[first] = last, "flat"
    return tree.with_heads(heads, relations)


def _base(relation: str) -> str:
    """The relation without its subtype: `acl` of `acl:relcl`."""
    return relation.partition(":")[0].lower()
