from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.errors import CupelError
from cupel.metrics.cider import write_document_frequencies

HYPOTHESES = ["a cat sat", "the dog ran fast", "a bird"]
REFERENCES = [["a cat sat down", "the cat sat"], ["the dog ran"], ["birds fly", "a bird flew"]]


def test_worked_example() -> None:
    # Two segments, "a" and "b", each word in one of two documents: every weight is log 2. The
    # 1-gram cosine is 1, higher orders are empty: 10 * (1 + 0 + 0 + 0) / 4.
    assert cupel.score(["a", "b"], ["a", "b"], ["cider"])["cider"] == pytest.approx(2.5)


def test_length_penalty_and_plain_variant() -> None:
    # "a b c" against "a b": in 2-gram counts the lengths differ by one: exp(-1 / (2 * 36)).
    # Weights are log 2 for all. Orders 1 and 2: 2 / sqrt(3 * 2) and 1 / sqrt(2 * 1).
    hypotheses, references = ["a b c", "x"], ["a b", "y"]
    cosines = 2 / math.sqrt(6) + 1 / math.sqrt(2)
    scores = cupel.score(hypotheses, references, ["cider", "cider:variant=plain"])
    plain = 10 * cosines / 4
    assert scores.segment_scores("cider:variant=plain")[0] == pytest.approx(plain)
    assert scores.segment_scores("cider")[0] == pytest.approx(plain * math.exp(-1 / 72))


def test_frequencies_from_a_file_are_those_of_the_corpus_they_were_written_from(
    tmp_path: Path,
) -> None:
    path = tmp_path / "df.tsv"
    write_document_frequencies(cupel.Corpus.of(HYPOTHESES, REFERENCES), path)
    spec = f"cider:df={path}"
    from_corpus = cupel.score(HYPOTHESES, REFERENCES, ["cider"]).segment_scores("cider")
    from_file = cupel.score(HYPOTHESES, REFERENCES, [spec])
    assert np.array_equal(from_corpus, from_file.segment_scores(spec))
    assert "df:corpus" not in from_file.signatures[spec]
    # A segment alone has other document frequencies, unless they come from the file.
    alone = cupel.score(HYPOTHESES[:1], REFERENCES[:1], [spec])
    assert alone[spec] == from_corpus[0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a\t1\n", "{path} is not a file of document frequencies: its first line must be "
         "'documents', a tab and their number."),
        ("documents\tmany\n", "{path}, line 1: expected a number of documents, found 'many'."),
        ("documents\t3\na b\tnan\n",
         "{path}, line 2: expected a number of documents, found 'nan'."),
        ("documents\t3\na b c d e\t1\n",
         "{path}, line 2: expected an n-gram of up to 4 words, a tab and a number."),
    ],
)  # fmt: skip
def test_bad_frequency_files(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "df.tsv"
    path.write_text(content)
    with pytest.raises(CupelError) as error:
        cupel.score(["a"], ["a"], [f"cider:df={path}"])
    assert str(error.value) == sentence.format(path=path)


def test_unknown_variant() -> None:
    with pytest.raises(CupelError) as error:
        cupel.get_metric("cider:variant=x")
    assert str(error.value) == "Unknown variant 'x' of CIDEr; known are: d, plain."
