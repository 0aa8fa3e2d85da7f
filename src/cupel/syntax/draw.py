"""A tree as text: a word a line in the order of the sentence, arcs at the left.

┌─I nsubj
saw root
│ ┌─an det
└─ant dobj
"""

from __future__ import annotations

from cupel.syntax.tree import Tree


def draw(tree: Tree) -> str:
    """The drawing. Where arcs cross, words stand beside their heads rather than in order."""
    lines: list[str] = []
    # What is still to be drawn, last first: a word with the strokes left of the lines above it,
    # on its line and below it; or its line alone, once the words above it are done.
    todo: list[tuple[int, str, str, str, bool]] = (
        [(tree.root, "", "", "", False)] if len(tree) else []
    )
    while todo:
        word, above, here, below, line_only = todo.pop()
        if line_only:
            relation = tree.relations[word]
            lines.append(here + tree.words[word] + (f" {relation}" if relation != "_" else ""))
            continue
        left = [child for child in tree.children[word] if child < word]
        right = [child for child in tree.children[word] if child > word]
        for child in reversed(right):
            last = child == right[-1]
            corner, rest = ("└─", "  ") if last else ("├─", "│ ")
            todo.append((child, below + "│ ", below + corner, below + rest, False))
        todo.append((word, above, here, below, True))
        for child in reversed(left):
            first = child == left[0]
            corner, rest = ("┌─", "  ") if first else ("├─", "│ ")
            todo.append((child, above + rest, above + corner, above + "│ ", False))
    return "\n".join(lines)
