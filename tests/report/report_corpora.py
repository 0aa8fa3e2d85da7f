"""A small corpus with everything that can go wrong in a page, scored."""

from __future__ import annotations

from functools import cache

import cupel
from cupel.scores import Scores

SCRIPT = '</script><script>document.title="broken"</script><!-- <b>bold</b> &amp;'
ARABIC = "ذهب الولد إلى المدرسة صباح اليوم"
METEOR = "meteor:modules=exact,stem"

REFERENCES: list[list[str]] = [
    ["The cat sat on the mat near the door.", "A cat was sitting on the mat."],
    [f"He wrote {SCRIPT} on the board."],
    [ARABIC],
    ["Prices rose by three per cent in the spring, much more than anybody had expected."],
    ["Yes."],
] + [[f"This is plain sentence number {n} of the little test set."] for n in range(6, 31)]


def _outputs() -> dict[str, list[str]]:
    good = [texts[0] for texts in REFERENCES]
    good[3] = "Prices rose by 3 per cent in spring, much more than anybody expected."
    bad = [text.replace("sentence", "word").replace("plain", "rather simple") for text in good]
    bad[0] = "The dogs sat at the mats."
    bad[2] = "ذهب الرجل إلى البيت"
    bad[3] = "Cheap."
    return {"old <b>one</b>": bad, "new": good}


@cache
def scores() -> Scores:
    return cupel.score(_outputs(), REFERENCES, ["bleu", "chrf", "ter", METEOR])
