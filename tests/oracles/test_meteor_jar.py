"""METEOR against meteor-1.5.jar, live: every statistic of every segment, and the scores.

The jar reads its paraphrase table in some 10 seconds, so that one process of it (`-stdio`) serves
all segments that need the table. The other runs have a table of three entries, or none.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cupel.batch import Batch
from cupel.data import mutt_corruptions, mutt_trials, sample
from cupel.metrics.meteor import Meteor
from cupel.reading import read_lines
from cupel.registry import get_metric

if TYPE_CHECKING:
    from cupel.corpus import Corpus

package = pytest.importorskip("pycocoevalcap.meteor", reason="needs pip install pycocoevalcap")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="needs java on the PATH")

Item = tuple[str, Sequence[str]]
Newstest = Callable[[str, str], "Corpus"]

ODD = [
    "",
    " ",
    ".",
    "...",
    "😀 🎉",
    "'' '' ` `",
    ", ,b , ,",
    "a,b,c,d",
    "U.S. U.S.A. Mr. No. 5 pp. 3",
    "state-of-the-art--yes",
    "nbsp\xa0here Mr.\xa0x",
    "\x0b \u2028 \x85 x",
    "ΟΔΟΣ İstanbul straße ĳ",
    "the the the the the a a a the",
    "the a the a the a the the the",
    "went go goes going gone comics funnies",
    "it 's don't 1990's o'clock boys' 'tis",
]


def jar(*options: str, lines: Sequence[str], table: Path | None = None) -> list[str]:
    """What the jar answers to the lines of its -stdio protocol."""
    path = Path(next(iter(package.__path__))) / "meteor-1.5.jar"
    given = ("-a", str(table)) if table else ()
    command = ["java", "-Xmx2G", "-XX:+UseSerialGC", "-jar", str(path), "-", "-"]
    done = subprocess.run(
        [*command, "-stdio", "-norm", *options, *given],
        input="".join(line + "\n" for line in lines).encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().splitlines()


def asked(items: Sequence[Item]) -> list[str]:
    return ["SCORE ||| " + " ||| ".join([*refs, hyp]) for hyp, refs in items]


def in_one_line(item: Item) -> bool:
    """Whether the protocol can carry it: it cuts at bars, and at what Java takes for a line end."""
    return not any(mark in text for text in (item[0], *item[1]) for mark in ("|||", "\n", "\r"))


Check = Callable[..., None]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that the jar reads at once."""
    path = tmp_path_factory.mktemp("tables") / "paraphrase-en.gz"
    entries = ("0.5\nthe problem\nthis issue\n", "0.5\nin order to\nto\n", "1\nof the\n's\n")
    path.write_bytes(gzip.compress("".join(entries).encode()))
    return path


@pytest.fixture(scope="module")
def check(tiny: Path) -> Check:
    """Statistics equal in every number, segment and system scores to 1e-12."""

    def compare(
        metric: Meteor, items: Sequence[Item], *options: str, table: Path | None = None
    ) -> None:
        usable = [item for item in items if in_one_line(item)]
        theirs = [line.split() for line in jar(*options, lines=asked(usable), table=table)]
        expected = np.array(theirs, np.float64)
        ours = metric.statistics(Batch([h for h, _ in usable], [r for _, r in usable]))
        with_chunks = ours.copy()
        whole = (ours[:, 21] == ours[:, 0]) & (ours[:, 22] == ours[:, 1]) & (ours[:, 21] > 0)
        with_chunks[whole & (ours[:, 20] == 0), 20] = 1
        wrong = np.flatnonzero((with_chunks != expected).any(axis=1))
        assert [(usable[n], with_chunks[n].tolist(), expected[n].tolist()) for n in wrong] == []

        total = ours.sum(0)
        rows = [*(" ".join(row) for row in theirs), " ".join(map(str, total.tolist()))]
        # Scores do not depend on the table any more; and the jar prints each of them twice.
        scores = jar(*options, lines=[f"EVAL ||| {row}" for row in rows], table=tiny)[::2]
        found = [*metric.segment_scores(ours).tolist(), float(metric.score(total))]
        assert found == pytest.approx([float(score) for score in scores], abs=1e-12)

    return compare


def of_sample() -> list[Item]:
    corpus = sample()
    return [
        (text, corpus.references[n])
        for texts in corpus.systems.values()
        for n, text in enumerate(texts)
    ]


def odd_items() -> list[Item]:
    return [(first, [second, "x y"]) for first in ODD for second in ODD]


def segments(corpus: Corpus, every: int) -> list[Item]:
    rows = [
        (text, list(corpus.references[n]))
        for texts in corpus.systems.values()
        for n, text in enumerate(texts)
    ]
    return list(islice(rows, 0, None, every))


def test_english_in_full(check: Check, request: pytest.FixtureRequest) -> None:
    items = [*of_sample(), *odd_items()]
    try:
        newstest: Newstest = request.getfixturevalue("newstest")
        for year in ("wmt12", "wmt14"):
            for pair in ("cs-en", "fr-en", "ru-en" if year == "wmt14" else "es-en"):
                items += segments(newstest(year, pair), 37)
        items += mutt_items()
    except pytest.skip.Exception:
        pass  # without the packs, what comes with Cupel
    check(get_metric("meteor"), items, "-l", "en")


def mutt_items() -> list[Item]:
    items: list[Item] = []
    for number in (5, 10, 20):
        for corruption in mutt_corruptions():
            trials = mutt_trials(corruption, number)
            both = zip(trials.originals, trials.corrupted, trials.references, strict=True)
            for original, corrupted, references in islice(both, 0, None, 40):
                items += [(original, references), (corrupted, references)]
    return items


@pytest.mark.parametrize("task", ["rank", "adq", "hter", "li", "tune"])
def test_tasks(task: str, tiny: Path, check: Check) -> None:
    metric = Meteor(task=task, paraphrases=str(tiny))
    check(metric, of_sample(), "-l", "en", "-t", task, table=tiny)


@pytest.mark.parametrize(
    ("modules", "listed"), [("exact,stem,synonym", "exact stem synonym"), ("exact", "exact")]
)
def test_named_modules(modules: str, listed: str, check: Check) -> None:
    check(Meteor(modules=modules), of_sample(), "-l", "en", "-m", listed)


@pytest.mark.parametrize("language", ["de", "fr", "es", "cs"])
def test_other_languages(language: str, newstest: Newstest, check: Check) -> None:
    modules = "exact" if language == "cs" else "exact,stem"
    metric = Meteor(language=language, modules=modules)
    items = [*segments(newstest("wmt12", f"en-{language}"), 97), *odd_items()]
    listed = modules.replace(",", " ")
    check(metric, items, "-l", "cz" if language == "cs" else language, "-m", listed)


def test_russian(pack: Callable[[str], Path], check: Check) -> None:
    folder = pack("da13")
    items = [
        (hypothesis, [reference])
        for hypothesis, reference in zip(
            read_lines(folder / "sys.en-ru"), read_lines(folder / "ref.en-ru"), strict=True
        )
    ]
    check(Meteor(language="ru", modules="exact,stem"), items, "-l", "ru", "-m", "exact stem")


def test_alignments_match_by_match(tiny: Path, tmp_path: Path) -> None:
    items = [(h, refs[:1]) for h, refs in of_sample()]
    for name, texts in (("hyp", [h for h, _ in items]), ("ref", [r[0] for _, r in items])):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    path = Path(next(iter(package.__path__))) / "meteor-1.5.jar"
    subprocess.run(
        [
            "java",
            "-jar",
            path,
            "hyp",
            "ref",
            *"-l en -norm -writeAlignments -f out -a".split(),
            tiny,
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    theirs: list[list[tuple[list[int], list[int], int]]] = []
    for line in (tmp_path / "out-align.out").read_text(encoding="utf-8").splitlines():
        if line.startswith("Alignment\t"):
            theirs.append([])
        elif line[:1].isdigit() and line.count("\t") >= 7:
            reference, hypothesis, stage, _ = (part for part in line.split("\t") if part)
            spans = [[int(n) for n in span.split(":")] for span in (reference, hypothesis)]
            theirs[-1].append((spans[0], spans[1], int(stage)))
    metric = Meteor(paraphrases=str(tiny))
    ours = [
        [
            (
                [link.reference[0], len(link.reference)],
                [link.hypothesis[0], len(link.hypothesis)],
                metric.matchers.index(link.kind),
            )
            for link in alignment.links
        ]
        for alignment in metric.alignments(Batch([h for h, _ in items], [r for _, r in items]))
    ]
    assert ours == theirs
