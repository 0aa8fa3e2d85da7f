"""Which English words carry content: everything but the closed classes listed here.

Articles, pronouns, prepositions, conjunctions, auxiliaries and the particles that Penn Treebank
tokens make of contractions, in lower case. Negations (not, n't, no, never, nor, neither, nobody,
none, nothing, without) are content: leaving them out would make "is playing" of "is not playing".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FUNCTION_WORDS = frozenset(
    """
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
    himself she her hers herself it its itself they them their theirs themselves one oneself
    who whom whose which what whatever whoever whichever there here
    am is are was were be been being do does did doing done have has had having will would shall
    should can could may might must ought
    of in on at by for with from to into onto upon over under above below about against between
    among through during before after behind beside besides beyond near off out up down along
    across around toward towards via per as than like since until till within
    and or but so yet if then else because although though while whereas whether when where why how
    also just too very both either each every some any all
    's s 're re 've ve 'll ll 'd d 'm m t ca wo sha
    """.split()
)


def is_content(types: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Per token: is it neither a function word nor mere punctuation?"""
    return np.fromiter(
        (
            word not in FUNCTION_WORDS and any(character.isalnum() for character in word)
            for word in types
        ),
        np.bool_,
        len(types),
    )
