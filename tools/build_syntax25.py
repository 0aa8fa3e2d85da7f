"""Train the network of `syntax25` and write it to src/cupel/resources/syntax25.

    python tools/build_syntax25.py [FOLDER]

Gold are spaCy's trees of 7,000 sentences of UD English-EWT and of the references of newstest2013
that no held-out line has; their rivals are its trees of the same sentences spoilt (scrambled in a
window or whole, words dropped or moved), and trees spoilt again in each epoch. Needs the packs
ud-english-ewt and wmt13 and the extras [syntax] and [neural]; a few minutes of one core.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from cupel.data import find, wmt_corpus
from cupel.learned.nnrk.data.examples import HELD_OUT
from cupel.learned.nnrk.model.syntax25 import OTHER, Recursive, forest_of, save_network
from cupel.learned.nnrk.training.syntax25 import train
from cupel.models import model_folder
from cupel.syntax.parser import Parser
from cupel.text.vectors import open_vectors

SENTENCES = 7000
EPOCHS = 4
SEED = 1


def main(folder: Path) -> None:
    """Train, measure on EWT's development part, write."""
    rng = np.random.default_rng(SEED)
    references = wmt_corpus("wmt13", "de-en").references
    texts = sentences("train")[:SENTENCES]
    texts += [one[0] for line, one in enumerate(references) if line % HELD_OUT]
    unseen = sentences("dev")
    spoilt = [" ".join(spoil(text.split(), rng)) for text in texts]
    scrambled = [" ".join(rng.permutation(text.split())) for text in unseen]
    mild = [" ".join(spoil(text.split(), rng)) for text in unseen]
    parser, vectors = Parser(), open_vectors()
    trees = [parser(part) for part in (texts, spoilt, unseen, scrambled, mild)]
    gold = trees[0]
    tags = sorted({gold.tag_types[i] for i in np.unique(gold.tags)})
    relations = sorted({gold.relation_types[i] for i in np.unique(gold.relations)})
    names = (OTHER, *tags), (OTHER, *relations)
    empty = Recursive({}, *names)
    forests = [forest_of(part, empty, vectors) for part in trees]
    network = train(
        forests[0],
        [forests[1]],
        vectors.matrix,
        *names,
        epochs=EPOCHS,
        report=lambda epoch: print(f"epoch {epoch.epoch}: cost {epoch.loss:.4f}"),
    )
    scores = [network.scores(forest, vectors.matrix) for forest in forests[2:]]
    figures = {
        "scrambled sentences of EWT-dev scored below the original": float(
            (scores[0] > scores[1]).mean()
        ),
        "mildly corrupted ones": float((scores[0] > scores[2]).mean()),
    }
    print(figures)
    card: dict[str, object] = {
        "source": "trained by Cupel on spaCy's parses of 7,000 sentences of UD English-EWT "
        "(CC BY-SA 4.0) and of 2,850 references of newstest2013",
        "licence": "Apache-2.0",
        "parser": str(parser.signature()),
        "vectors": vectors.signature(),
        "epochs": EPOCHS,
        "figures": figures,
    }
    save_network(str(folder), network, card)


def sentences(part: str) -> list[str]:
    """The sentences of a part of EWT that have 5 to 50 words."""
    path = find("ud-english-ewt") / f"en_ewt-ud-{part}.conllu"
    lines = path.read_text("utf-8").splitlines()
    texts = [line.removeprefix("# text = ").strip() for line in lines if line.startswith("# text")]
    return [text for text in texts if 5 <= len(text.split()) <= 50]


def spoil(words: list[str], rng: np.random.Generator) -> list[str]:
    """What nobody would write: a window scrambled, words dropped or moved, or all scrambled."""
    spoilt = list(words)
    way = rng.integers(0, 4)
    times = int(rng.integers(1, max(2, len(spoilt) // 6) + 1))
    if way == 0:
        size = min(len(spoilt), int(rng.integers(3, 8)))
        low = int(rng.integers(0, len(spoilt) - size + 1))
        spoilt[low : low + size] = rng.permutation(spoilt[low : low + size]).tolist()
    elif way == 1:
        for _ in range(min(times, len(spoilt) - 3)):
            del spoilt[int(rng.integers(0, len(spoilt)))]
    elif way == 2:
        for _ in range(times):
            word = spoilt.pop(int(rng.integers(0, len(spoilt))))
            spoilt.insert(int(rng.integers(0, len(spoilt) + 1)), word)
    else:
        spoilt = rng.permutation(spoilt).tolist()
    return spoilt


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else model_folder("syntax25"))
