"""CIDEr: n-grams weighted by how rare they are in the references, for captions.

Measures: How far the translation uses the n-grams that the references of this segment share and
those of other segments do not. From 0 to 10; higher is better.

Use: For captions with several references per image. Not for one segment alone, because the
weights come from all references that are scored; df=FILE takes them from a file, so that scores
of different test sets can be compared.

Needs: Nothing beyond Cupel. Any language with spaces between words. For the numbers of caption
papers use tokenize=ptb (English), as pycocoevalcap does; by default the text is taken as it is.

Formula:
    CIDEr-D = 10 * mean over n = 1..4 and over the references s of
              exp(-(length(c) - length(s))^2 / (2 sigma^2))
              * min(g(c), g(s)) . g(s) / (|g(c)| |g(s)|)

c: the translation; g: counts of n-grams times log(documents / documents with it), where a
document is a segment with all its references; length: the number of 2-grams. What caption papers
report as CIDEr is this D variant: counts clipped at those of the reference, a penalty on
differences in length, and no stemming. variant=plain is the
first formula of the paper, the cosine times 10, without its stemming. The score of a system is
the mean over segments.

Paper: Ramakrishna Vedantam, C. Lawrence Zitnick and Devi Parikh. 2015. CIDEr: Consensus-based
Image Description Evaluation. CVPR 2015.

Equal to: the Cider scorer of pycocoevalcap 1.2, which is CIDEr-D.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import SegmentMean, Signature, mean_statistics, ratio
from cupel.metrics import shared_options as option
from cupel.options import Range
from cupel.registry import register
from cupel.text.ngrams import NgramTable, build, build_shared
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import Tokens, intern, joined

if TYPE_CHECKING:
    from cupel.corpus import Corpus

ORDERS = 4
VARIANTS = ("d", "plain")


@register(
    "cider",
    "CIDEr-D: n-grams weighted by rarity, for captions (Vedantam 2015), as pycocoevalcap",
    captions="tokenize=ptb,lowercase=yes",
)
@dataclass(frozen=True)
class Cider(SegmentMean):
    """Statistics: [segment score, 1]."""

    tokenize: option.Tokenize = "none"
    lowercase: option.Lowercase = False
    variant: Annotated[str, "d, or plain: no clipping of counts and no length penalty."] = "d"
    sigma: Annotated[
        float, "How much lengths may differ: width of the penalty, in 2-grams.", Range(most=1e6)
    ] = 6.0
    df: Annotated[
        str | None,
        "File of document frequencies that write_document_frequencies wrote (default: those of the "
        "references that are scored).",
    ] = None
    _frequencies: DocumentFrequencies | None = None

    name = "cider"
    decimals = 4
    higher_is_better = True

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise CupelError(f"Unknown variant {self.variant!r} of CIDEr; known are: d, plain.")
        if not self.sigma > 0:
            raise CupelError(f"CIDEr needs a sigma above 0, not {self.sigma}.")
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        return self.tokenizer.entries() + Signature.of(
            variant=self.variant,
            sigma=f"{self.sigma:g}" if self.variant == "d" else None,
            df="corpus" if self.df is None else hashlib.sha256(_bytes(self.df)).hexdigest()[:12],
        )

    @property
    def learns(self) -> bool:
        return self.df is None

    def prepare(self, corpus: Corpus) -> Self:
        if self.df is not None:
            return replace(self, _frequencies=read_document_frequencies(self.df))
        return self.prepare_blocks([corpus.references])

    def prepare_blocks(self, blocks: Iterable[Sequence[Sequence[str]]]) -> Self:
        """The same from the references of consecutive blocks of segments."""
        return replace(self, _frequencies=frequencies_of_blocks(blocks, self.tokenizer))

    def statistics(self, batch: Batch) -> FloatArray:
        summed = self._similarities(batch)
        return mean_statistics(summed.mean(axis=-1) / batch.reference_counts * 10.0)

    def detail_statistics(self, batch: Batch) -> FloatArray:
        """(n, 5): [similarity 1..4, 1]."""
        scaled = self._similarities(batch) / batch.reference_counts[:, None] * 10.0
        return np.column_stack([scaled, np.ones(len(batch))])

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """The score of every order of n-grams, whose mean the score is."""
        return {
            f"similarity{n + 1}": ratio(statistics[..., n], statistics[..., ORDERS])
            for n in range(ORDERS)
        }

    def _similarities(self, batch: Batch) -> FloatArray:
        """(n, 4): by order, summed over the references of an item."""
        from cupel.kernels.ngrams import CLIPPED_PRODUCT, PRODUCT, clipped_matches

        if self._frequencies is None:
            raise CupelError("CIDEr has to be prepared on a corpus before it can score.")
        tokens = batch.analyse(self.tokenizer)
        weighted = int(batch.hypothesis_index.max(initial=-1)) + 1  # hypotheses come first
        weights, squares = self._frequencies.weights(tokens, weighted)
        norms = np.sqrt(squares)
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        _, products = clipped_matches(
            tokens.ids,
            tokens.offsets,
            hypotheses,
            batch.reference_index,
            np.arange(len(hypotheses) + 1),
            ORDERS,
            weights,
            CLIPPED_PRODUCT if self.variant == "d" else PRODUCT,
        )
        similarity = ratio(products, norms[hypotheses] * norms[batch.reference_index])
        if self.variant == "d":
            similarity *= self._length_penalty(tokens.lengths, hypotheses, batch.reference_index)
        return _summed_in_order(similarity, batch.reference_offsets)

    def _length_penalty(
        self, lengths: IntArray, hypotheses: IntArray, references: IntArray
    ) -> FloatArray:
        bigrams = np.maximum(lengths - 1, 0)
        deltas, which = np.unique(bigrams[hypotheses] - bigrams[references], return_inverse=True)
        # One by one: NumPy's power of an array may differ from that of a number in the last bit.
        penalties = [np.e ** (-(float(delta) ** 2) / (2 * self.sigma**2)) for delta in deltas]
        return np.array(penalties)[which][:, None]


def _summed_in_order(values: FloatArray, offsets: IntArray) -> FloatArray:
    """(m, k) -> (n, k): the sum over each item's references, added one after the other.

    As pycocoevalcap adds them: texts that tie there to the last bit, a sentence and its words in
    another order, tie here too.
    """
    counts = np.diff(offsets)
    summed = np.zeros((len(counts), values.shape[1]))
    for place in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > place)
        summed[rows] += values[offsets[rows] + place]
    return summed


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many of `documents` documents each n-gram of `table` occurs, per order."""

    documents: float
    table: NgramTable
    counts: tuple[FloatArray, ...]

    def weights(self, tokens: Tokens, weighted: int) -> tuple[FloatArray, FloatArray]:
        """(tokens, orders): log(documents / frequency) of the n-gram that starts at each token of the
        first `weighted` sentences; (sentences, orders): the squared length of each one's vector.

        An n-gram that no document has counts as one of frequency 1.
        """
        from cupel.kernels.tries import ngram_weights

        rare = float(np.log(self.documents))
        return ngram_weights(
            tokens.ids,
            tokens.offsets,
            weighted,
            self.table.words(tokens),
            self.table.levels,
            [rare - _logs(counts) for counts in self.counts],
            rare,
        )


def _logs(counts: FloatArray) -> FloatArray:
    """Logarithms of counts, 0 up to 1: most n-grams occur once."""
    logs = np.zeros(len(counts))
    several = np.flatnonzero(counts > 1)
    logs[several] = np.log(counts[several])
    return logs


def document_frequencies(corpus: Corpus, tokenizer: Tokenizer) -> DocumentFrequencies:
    """Count, for each n-gram, the segments of which some reference has it."""
    from cupel.kernels.tries import segment_counts

    tokens, segment, documents = _of_blocks([corpus.references], tokenizer)
    table, numbers = build(tokens, ORDERS)
    counts = tuple(
        segment_counts(column, segment, size)[0]
        for column, size in zip(numbers.T, table.sizes(), strict=True)
    )
    return DocumentFrequencies(documents, table, counts)


def frequencies_of_blocks(
    blocks: Iterable[Sequence[Sequence[str]]], tokenizer: Tokenizer
) -> DocumentFrequencies:
    """The same from the references of consecutive blocks of segments, without most of the n-grams
    that one segment alone has: they count as those that none has.
    """
    tokens, segment, documents = _of_blocks(blocks, tokenizer)
    return DocumentFrequencies(documents, *build_shared(tokens, ORDERS, segment))


def _of_blocks(
    blocks: Iterable[Sequence[Sequence[str]]], tokenizer: Tokenizer
) -> tuple[Tokens, Int32Array, float]:
    """The tokens, the segment of each, and how many segments there are."""
    sizes: list[int] = []

    def tokens_of(block: Sequence[Sequence[str]]) -> Tokens:
        sizes.extend(map(len, block))
        return tokenizer([text for texts in block for text in texts])

    tokens = joined(map(tokens_of, blocks))
    per_text = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return tokens, np.repeat(per_text, tokens.lengths), float(len(sizes))


def write_document_frequencies(
    corpus: Corpus, path: str | Path, tokenize: str = "none", lowercase: bool = False
) -> None:
    """Write the document frequencies of a corpus's references for `cider:df=FILE`.

    Tab-separated text: `documents` and their number on the first line, then an n-gram (its words
    separated by blanks) and its frequency on each line.
    """
    from cupel.folders import write_text

    frequencies = document_frequencies(corpus, Tokenizer(tokenize, lowercase))
    lines = [f"documents\t{frequencies.documents:g}\n"]
    lines += (f"{ngram}\t{count:g}\n" for ngram, count in _spelled(frequencies).items())
    write_text(Path(path), "".join(lines))


def _spelled(frequencies: DocumentFrequencies) -> Mapping[str, float]:
    words = list(frequencies.table.vocabulary)
    spelled = words
    counts_by_ngram = dict(zip(spelled, frequencies.counts[0], strict=True))
    for level, counts in zip(frequencies.table.levels, frequencies.counts[1:], strict=True):
        places = zip(level.parents, level.lasts, strict=True)
        spelled = [f"{spelled[p]} {words[w]}" for p, w in places]
        counts_by_ngram |= zip(spelled, counts, strict=True)
    return counts_by_ngram


def read_document_frequencies(path: str | Path) -> DocumentFrequencies:
    """Read what `write_document_frequencies` wrote."""
    from cupel.reading import read_lines

    lines = read_lines(path)
    header, _, number = lines[0].partition("\t")
    if header != "documents":
        raise CupelError(
            f"{path} is not a file of document frequencies: its first line must be 'documents', "
            "a tab and their number."
        )
    documents = _frequency(number, path, 1)
    ngrams: list[list[str]] = []
    values: list[float] = []
    for index, line in enumerate(lines[1:], start=2):
        ngram, tab, value = line.rpartition("\t")
        words = ngram.split(" ")
        if not tab or len(words) > ORDERS:
            raise CupelError(
                f"{path}, line {index}: expected an n-gram of up to {ORDERS} words, a tab and a number."
            )
        ngrams.append(words)
        values.append(_frequency(value, path, index))
    tokens = intern(ngrams)
    table, numbers = build(tokens, ORDERS)
    counts = [np.zeros(size) for size in table.sizes()]
    for start, words, frequency in zip(tokens.offsets, ngrams, values, strict=False):
        counts[len(words) - 1][numbers[start, len(words) - 1]] = frequency
    return DocumentFrequencies(documents, table, tuple(counts))


def _frequency(text: str, path: str | Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not value >= 0 or value == float("inf"):
        raise CupelError(f"{path}, line {line}: expected a number of documents, found {text!r}.")
    return value


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from error
