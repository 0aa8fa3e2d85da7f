"""TER-Plus written down from its definitions, one pair at a time: slow, and easy to check.

No beam, no early end of a comparison, words as strings; the limits of the search are those of TER.
Also a small paraphrase table for tests.
"""

import gzip
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

UNIT = 2.0**-30

TABLE = {
    ("big car", "large truck"): 0.1,
    ("kick the bucket", "die"): 0.5,
    ("at the same time", "meanwhile"): 3.0,
    ("police", "officers"): 0.02,
    ("white house", "house white car"): 0.25,
}


def written(path, table):
    lines = (f"{p}\n{phrase}\n{paraphrase}\n" for (phrase, paraphrase), p in table.items())
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(lines)
    return str(path)


def rounded(cost):
    return round(cost / UNIT) * UNIT


@dataclass
class SlowTerp:
    """`costs`: a `Parameters`; `stem`, `synsets`: functions of a word; `stop`: words without content.

    table: (phrase, paraphrase) -> probability, read both ways.
    """

    costs: Any
    stem: Callable[[str], str] = lambda word: word
    synsets: Callable[[str], frozenset[Hashable]] = lambda word: frozenset()
    stop: frozenset[str] = frozenset()
    table: dict[tuple[str, str], float] = field(default_factory=dict)
    relaxed: bool = True
    size: int = 10
    distance: int = 50
    candidates: int = 1000

    def cost(self, hypothesis, reference):
        """Of two lists of words, with paraphrases."""
        both = [*self.table.items(), *(((b, a), p) for (a, b), p in self.table.items())]
        rules = []
        for (ours, theirs), probability in both:
            edits = self.search(ours.split(), theirs.split(), [])
            p = min(probability, 1.0)
            factor = (
                self.costs.phrase_log * math.log10(p)
                + self.costs.phrase_probability * p
                + self.costs.phrase_edits
            )
            cost = self.costs.phrase_constant + edits * factor
            cost = max(self.costs.phrase_least, min(self.costs.phrase_most, cost))
            rules.append((ours.split(), theirs.split(), rounded(cost)))
        return self.search(hypothesis, reference, rules)

    def search(self, hypothesis, reference, rules):
        shifts, checked = 0.0, 0
        words = list(hypothesis)
        while True:
            matrix = self.matrix(words, reference, rules)
            distance = matrix[-1][-1]
            shift = rounded(self.costs.shift_cost)
            if not words or not reference or self.size == 0 or distance <= 0:
                return shifts + distance
            listed, count = self.moves(words, reference, rules, matrix)
            checked += count
            if checked >= self.candidates:
                return shifts + distance
            best = None
            for length, start, target in listed:
                moved = self.moved(words, length, start, target)
                gain = distance - self.matrix(moved, reference, rules)[-1][-1]
                rank = (gain, length, -start, -target)
                if gain > 0 and gain >= shift and (best is None or rank > best[0]):
                    best = rank, moved
            if best is None:
                return shifts + distance
            words = best[1]
            shifts += shift

    def alike(self, ours, theirs):
        return self.stem(ours) == self.stem(theirs) or self.synsets(ours) & self.synsets(theirs)

    def word_cost(self, ours, theirs, rules):
        if ours == theirs:
            return rounded(self.costs.match_cost)
        choices = [self.costs.substitution_cost]
        if self.stem(ours) == self.stem(theirs):
            choices.append(self.costs.stem_cost)
        if self.synsets(ours) & self.synsets(theirs):
            choices.append(self.costs.synonym_cost)
        choices += [cost for a, b, cost in rules if a == [ours] and b == [theirs]]
        return min(map(rounded, choices))

    def matrix(self, words, reference, rules):
        n, m = len(words), len(reference)
        insertion, deletion = rounded(self.costs.insertion_cost), rounded(self.costs.deletion_cost)
        matrix = [[math.inf] * (m + 1) for _ in range(n + 1)]
        matrix[0][0] = 0.0
        for i in range(n + 1):
            for j in range(m + 1):
                ways = [matrix[i][j]]
                if i:
                    ways.append(matrix[i - 1][j] + insertion)
                if j:
                    ways.append(matrix[i][j - 1] + deletion)
                if i and j:
                    cost = self.word_cost(words[i - 1], reference[j - 1], rules)
                    ways.append(matrix[i - 1][j - 1] + cost)
                    ways += [
                        matrix[i - len(a)][j - len(b)] + cost
                        for a, b, cost in self.ending(words, reference, rules, i, j)
                    ]
                matrix[i][j] = min(ways)
        return matrix

    @staticmethod
    def ending(words, reference, rules, i, j):
        return [
            (a, b, cost)
            for a, b, cost in rules
            if words[max(0, i - len(a)) : i] == a and reference[max(0, j - len(b)) : j] == b
        ]

    def trace(self, words, reference, rules, matrix):
        """Alignment of the reference, and the words of both sides that are wrong."""
        insertion = rounded(self.costs.insertion_cost)
        i, j = len(words), len(reference)
        alignment: dict[int, int] = {}
        ours_wrong: set[int] = set()
        theirs_wrong: set[int] = set()
        while i or j:
            phrases = [
                (len(a), len(b))
                for a, b, cost in self.ending(words, reference, rules, i, j)
                if (len(a), len(b)) != (1, 1)
                and matrix[i - len(a)][j - len(b)] + cost == matrix[i][j]
            ]
            both = math.inf
            if i and j:
                cost = self.word_cost(words[i - 1], reference[j - 1], rules)
                both = matrix[i - 1][j - 1] + cost
            if phrases:
                a, b = max(phrases)
                ours_wrong.update(range(i - a, i))
                theirs_wrong.update(range(j - b, j))
                alignment.update(dict.fromkeys(range(j - b, j), i - a))
                i, j = i - a, j - b
            elif both == matrix[i][j]:
                i, j = i - 1, j - 1
                alignment[j] = i
                if words[i] != reference[j]:
                    ours_wrong.add(i)
                    theirs_wrong.add(j)
            elif i and matrix[i - 1][j] + insertion == matrix[i][j]:
                i -= 1
                ours_wrong.add(i)
            else:
                j -= 1
                alignment[j] = i - 1
                theirs_wrong.add(j)
        return alignment, ours_wrong, theirs_wrong

    def moves(self, words, reference, rules, matrix):
        alignment, ours_wrong, theirs_wrong = self.trace(words, reference, rules, matrix)
        listed, count = [], 0
        for i in range(len(words)):
            for j in range(len(reference)):
                if abs(i - j) > self.distance:
                    continue
                lengths = {
                    end - i
                    for end, reference_end in self.laid(words, reference, rules, i, j)
                    if ours_wrong & set(range(i, end))
                    and theirs_wrong & set(range(j, reference_end))
                    and set(words[i:end]) - self.stop
                    and set(reference[j:reference_end]) - self.stop
                }
                for length in sorted(lengths):
                    if i <= alignment[j] < i + length:
                        break
                    targets = [
                        0 if place < 0 else alignment[place] + 1
                        for place in range(j - 1, min(j + length, len(reference)))
                    ]
                    for k, target in enumerate(targets):
                        if k == 0 or target != targets[k - 1]:
                            count += 1
                            listed.append((length, i, target))
        return [move for move in listed if move[2] != move[1]], count

    def laid(self, words, reference, rules, i, j):
        """Ends of the spans from i and j on that can be laid upon each other, and end in a word."""
        seen: set[tuple[int, int]] = set()
        ends, new = set(), {(i, j)}
        while new:
            a, b = new.pop()
            steps = set()
            if a < len(words) and b < len(reference):
                same = words[a] == reference[b]
                if same or (self.relaxed and self.alike(words[a], reference[b])):
                    steps.add((a + 1, b + 1))
            by_word = set(steps)
            if self.relaxed:
                steps |= {
                    (a + len(ours), b + len(theirs))
                    for ours, theirs, _ in rules
                    if words[a : a + len(ours)] == ours and reference[b : b + len(theirs)] == theirs
                }
            near = {(c, d) for c, d in steps if c - i <= self.size and d - j <= 2 * self.size}
            ends |= near & by_word
            new |= near - seen
            seen |= near
        return ends

    @staticmethod
    def moved(words, length, start, target):
        rest = words[:start] + words[start + length :]
        phrase = words[start : start + length]
        if target < start:
            place = target
        elif target > start + length:
            place = target - length
        else:  # as sacreBLEU: the words up to `length + target` go before the phrase
            place = min(target, len(rest))
        return rest[:place] + phrase + rest[place:]
