"""MUTT, the unit tests of metrics by Boag and others (2016), and SICK, from which they are made.

The repository of the paper holds both; their files are taken as they are. SICK is the SemEval-2014
release of Marelli and others (LREC 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cupel.data.recipes.copying import copy_files, write_readme
from cupel.data.recipes.recipe import Recipe, Repository

_MUTT = Repository(
    "text-machine-lab/MUTT", "9b1ae1c3b65fae8f4bb58c0cd12a23487b9abb90", archive_bytes=15_000_000
)
_PARTS = (  # folder and files in the repository, folder in the dataset
    ("src/tmp", "*.json", "trials"),
    ("corruptions", "*.txt", "corruptions"),
    ("results", "*.txt", "results"),
    ("data/flickr", "Flickr8k.token.txt", "flickr"),
    ("data/cache", "*.txt", "cache"),
)
_SICK = ("data/sick", "SICK.txt")

_MUTT_README = """\
# MUTT: unit tests of metrics

The trials of Boag, Campos, Saenko and Rumshisky, "MUTT: Metric Unit TesTing for Language Generation
Tasks" (ACL 2016), as its authors released them.

- `trials/CORRUPTION_a.json`: the original sentence of each trial; `CORRUPTION_b.json`: the same
  sentence corrupted; `CORRUPTION_r5.json`, `_r10`, `_r20`: its references, in the form of COCO captions.
- `corruptions/`: the pairs of SICK sentences that each template matched.
- `results/`: the accuracies of metrics as released; a few cells of the paper's tables differ.
- `flickr/`, `cache/`: the captions that the references come from, without the MSR video corpus.
"""
_SICK_README = """\
# SICK: Sentences Involving Compositional Knowledge

`SICK.txt`: 9,840 pairs of English sentences with relatedness (1 to 5), entailment labels and the parts
of SemEval-2014 task 1 (column `SemEval_set`); tab-separated, with a header.
Marelli and others, "A SICK cure for the evaluation of compositional distributional semantic models"
(LREC 2014). Licence: CC BY-NC-SA 3.0.
"""


def build_mutt(sources: Mapping[str, Path], target: Path) -> None:
    """The trials, and the texts that they were made from."""
    for folder, pattern, place in _PARTS:
        copy_files(sources[_MUTT.name] / folder, pattern, target / place)
    write_readme(target, _MUTT_README)


def build_sick(sources: Mapping[str, Path], target: Path) -> None:
    """The sentence pairs, one file."""
    folder, name = _SICK
    copy_files(sources[_MUTT.name] / folder, name, target)
    write_readme(target, _SICK_README)


READS = {
    "mutt": {_MUTT.name: tuple(f"{folder}/{pattern}" for folder, pattern, _ in _PARTS)},
    "sick": {_MUTT.name: ("/".join(_SICK),)},
}
RECIPES = {
    "mutt": Recipe("mutt", (_MUTT,), build_mutt),
    "sick": Recipe("sick", (_MUTT,), build_sick),
}
