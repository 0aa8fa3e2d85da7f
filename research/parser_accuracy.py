"""Unlabelled attachment score of the default parser on a UD treebank's test set.

    python research/parser_accuracy.py [FILE.conllu] [--model NAME]

Convention: the treebank's words are parsed as they are (with its spacing), a sentence a tree;
gold and parsed trees are both brought to Penn2Malt's heads (`cupel.syntax.heads`), since UD and
ClearNLP differ in what heads what; a word whose universal tag is PUNCT or SYM does not count. The
figure for native heads is printed beside it, to show how far the two styles are apart. The model
was trained on OntoNotes, so this is another domain and another annotation than its own.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from cupel.data import find
from cupel.syntax.conllu import Sentence, read_conllu
from cupel.syntax.heads import penn2malt, style_of
from cupel.syntax.models import find_model
from cupel.syntax.spacy_trees import parse
from cupel.syntax.tree import Tree


def main() -> None:
    """Print the scores, and where most of the errors are."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("file", nargs="?", help="the test set of ud-english-ewt if none")
    arguments.add_argument("--model", help="a spaCy model")
    given = arguments.parse_args()
    sentences = read_conllu(given.file or find("ud-english-ewt") / "en_ewt-ud-test.conllu")
    model = find_model(given.model)
    start = time.perf_counter()
    parsed = parse(model, [s.text for s in sentences], [s.tree.words for s in sentences])
    seconds = time.perf_counter() - start
    style = style_of(model.relations, model.name)
    native = [(s.tree, parsed[row]) for row, s in enumerate(sentences)]
    malt = [(penn2malt(gold, "ud"), penn2malt(found, style)) for gold, found in native]
    print(f"{model}: {len(sentences)} sentences in {seconds:.1f} s (loading included)")
    for name, pairs in (("penn2malt heads", malt), ("native heads", native)):
        right, wrong = _attachment(sentences, pairs)
        total = right + sum(wrong.values())
        print(f"{name}: UAS {100 * right / total:.2f} ({right} of {total} words)")
        print("  wrong by universal tag:", *(f"{tag} {n}" for tag, n in wrong.most_common(8)))


def _attachment(
    sentences: list[Sentence], pairs: list[tuple[Tree, Tree]]
) -> tuple[int, Counter[str]]:
    right, wrong = 0, Counter[str]()
    for sentence, (gold, found) in zip(sentences, pairs, strict=True):
        for word, (_, universal, *_) in enumerate(sentence.extra):
            if universal in ("PUNCT", "SYM"):
                continue
            if gold.heads[word] == found.heads[word]:
                right += 1
            else:
                wrong[universal] += 1
    return right, wrong


if __name__ == "__main__":
    main()
