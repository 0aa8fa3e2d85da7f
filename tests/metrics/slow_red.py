"""RED and REDp straight from the definitions, by trying everything: slow, and plain to read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product

from cupel.syntax.tree import Tree


def chains(tree: Tree, n: int) -> list[tuple[int, ...]]:
    """All paths of n words from a head down, as positions."""

    def down(path: tuple[int, ...]) -> list[tuple[int, ...]]:
        if len(path) == n:
            return [path]
        return [longer for child in tree.children[path[-1]] for longer in down((*path, child))]

    return [path for word in range(len(tree)) for path in down((word,))]


def dominated(tree: Tree, word: int) -> set[int]:
    return {other for other in range(len(tree)) if word in tree.path(other)}


def is_contiguous(words: set[int]) -> bool:
    return max(words) - min(words) + 1 == len(words)


def fixed(tree: Tree, n: int) -> list[tuple[int, ...]]:
    """A head with its nearest children on either side, one at least."""
    found = []
    for head in range(len(tree)):
        left = [child for child in tree.children[head] if child < head][::-1]
        right = [child for child in tree.children[head] if child > head]
        for a in range(len(left) + 1):
            for b in range(len(right) + 1):
                words = {head}.union(*(dominated(tree, c) for c in left[:a] + right[:b]))
                if a + b and len(words) == n and is_contiguous(words):
                    found.append(tuple(sorted(words)))
    return found


def floating(tree: Tree, n: int) -> list[tuple[int, ...]]:
    """Two or more consecutive children of one head."""
    found = []
    for children in tree.children:
        for a in range(len(children)):
            for b in range(a + 2, len(children) + 1):
                words = set().union(*(dominated(tree, c) for c in children[a:b]))
                if len(words) == n and is_contiguous(words):
                    found.append(tuple(sorted(words)))
    return found


def way_score(chain: Sequence[int], way: Sequence[int], distance: str) -> float:
    """The score of a chain's match at these positions, 0 where the order is another."""
    n = len(chain)
    if sorted(range(n), key=chain.__getitem__) != sorted(range(n), key=way.__getitem__):
        return 0.0
    if len(set(way)) < n:
        return 0.0
    if n == 1:
        return 1.0
    if distance == "absolute":
        return math.exp(-sum(abs(r - h) for r, h in zip(chain, way, strict=True)) / n)
    dis_r = [abs(b - a) for a, b in pairwise(chain)]
    dis_h = [abs(b - a) for a, b in pairwise(way)]
    if distance == "cosine":
        dot = sum(r * h for r, h in zip(dis_r, dis_h, strict=True))
        return dot / math.hypot(*dis_r) / math.hypot(*dis_h)
    return math.exp(-sum(abs(r - h) for r, h in zip(dis_r, dis_h, strict=True)) / (n - 1))


def chain_score(
    tree: Tree, chain: Sequence[int], hypothesis: Sequence[str], distance: str
) -> float:
    """The best over all ways to match."""
    places = [[k for k, word in enumerate(hypothesis) if word == tree.words[c]] for c in chain]
    return max((way_score(chain, way, distance) for way in product(*places)), default=0.0)


def structure_score(tree: Tree, words: Sequence[int], hypothesis: Sequence[str]) -> float:
    wanted = [tree.words[word] for word in words]
    n = len(wanted)
    return float(any(list(hypothesis[k : k + n]) == wanted for k in range(len(hypothesis))))


def f_score(precision: float, recall: float, alpha: float) -> float:
    """Formula (5)."""
    if precision == 0 or recall == 0:
        return 0.0
    return precision * recall / (alpha * precision + (1 - alpha) * recall)


def red(
    tree: Tree,
    hypothesis: Sequence[str],
    longest: int = 3,
    alpha: float = 0.5,
    distance: str = "relative",
) -> float:
    """Formulas (1) to (6)."""
    total = 0.0
    for n in range(1, longest + 1):
        scores = [chain_score(tree, chain, hypothesis, distance) for chain in chains(tree, n)]
        if n > 1:
            structures = fixed(tree, n) + floating(tree, n)
            scores += [structure_score(tree, words, hypothesis) for words in structures]
        if sum(scores):
            precision, recall = sum(scores) / len(hypothesis), sum(scores) / len(scores)
            total += f_score(precision, recall, alpha) / longest
    return total


def redp(
    tree: Tree,
    hypothesis: Sequence[str],
    matched: dict[int, tuple[int, str]],
    paraphrases: Sequence[tuple[int, int]],
    is_function: Sequence[bool],
    at: dict[str, float],
    as_printed: bool = False,
) -> float:
    """Formulas (7) to (10), given the two alignments.

    matched: word of the reference -> (word of the translation, module); paraphrases: (first word,
    number of words) on the side of the reference; is_function: of the reference's words.
    """
    total = 0.0
    for n in range(1, 4):
        score, count = 0.0, 0
        for structure in [False, True]:
            if structure:
                ngrams = fixed(tree, n) + floating(tree, n) if n > 1 else []
            else:
                ngrams = chains(tree, n)
            for ngram in ngrams:
                count += 1
                if any(word not in matched for word in ngram):
                    continue
                way = [matched[word][0] for word in ngram]
                p = way_score(ngram, way, "relative")
                if structure:
                    p = float(way == list(range(way[0], way[0] + n)))
                s_mod = sum(at[f"w_{matched[word][1]}"] for word in ngram) / n
                score += p * s_mod * function_score(ngram, is_function, at["w_fun"])
        for first, length in paraphrases:
            if length == n:
                s_fun = function_score(range(first, first + n), is_function, at["w_fun"])
                score += 1 - at["w_par"] * s_fun if as_printed else (1 - at["w_par"]) * s_fun
                count += 1
        if score:
            precision, recall = score / len(hypothesis), score / count
            total += at[f"w_{n}gram"] * f_score(precision, recall, at["alpha"])
    return total


def function_score(words: Sequence[int], is_function: Sequence[bool], w_fun: float) -> float:
    """Formula (8)."""
    functions = sum(is_function[word] for word in words)
    contents = len(words) - functions
    return (functions * w_fun + contents * (1 - w_fun)) / (functions + contents)
