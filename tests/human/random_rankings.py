"""Random rankings, and their pairs by a loop."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from cupel.human.rankings import Rankings


@st.composite
def rankings(draw, systems=6, judges=3, segments=4) -> Rankings:
    """Random rankings of up to five of the systems; some are not ranked, some cells are empty."""
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, segments - 1),
                st.integers(-1, judges - 1),
                st.permutations(range(systems)),
                st.lists(st.sampled_from([-1, 1, 2, 3, 4, 5]), min_size=5, max_size=5),
                st.integers(0, 5),
            ),
            max_size=12,
        )
    )
    ranked = [[*order[:shown], *[-1] * (5 - shown)] for _, _, order, _, shown in rows]
    ranks = [[*given[:shown], *[-1] * (5 - shown)] for _, _, _, given, shown in rows]
    return Rankings(
        "cs-en",
        tuple("abcdefgh"[:systems]),
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        tuple(f"j{n}" for n in range(judges)),
        np.array(ranked, np.int64).reshape(-1, 5),
        np.array(ranks, np.int64).reshape(-1, 5),
    )


def brute_force(given: Rankings) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """(segment, better, worse, row, judge) of each strict pair, and of each tie."""
    strict: list[tuple[int, ...]] = []
    tied: list[tuple[int, ...]] = []
    for row in range(len(given)):
        cells = [
            (int(s), int(r))
            for s, r in zip(given.ranked[row], given.ranks[row], strict=True)
            if s != -1 and r != -1
        ]
        place = int(given.segments[row]), row, int(given.judges[row])
        for (one, rank), (other, other_rank) in combinations(cells, 2):
            if rank < other_rank:
                strict.append((place[0], one, other, *place[1:]))
            elif rank > other_rank:
                strict.append((place[0], other, one, *place[1:]))
            else:
                tied.append((place[0], one, other, *place[1:]))
    return strict, tied
