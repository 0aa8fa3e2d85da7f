"""From texts and options to a diagnosis: labels by a parser, frequencies, training data, columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.diagnose.columns import Column, check_lengths, documents_of, read_columns
from cupel.diagnose.counts import TEST_SET, WORDFREQ, Frequencies, in_language, in_text, read_counts
from cupel.diagnose.material import Material, Training
from cupel.diagnose.run import Diagnosis, diagnose
from cupel.errors import MissingPart
from cupel.registry import MetricLike
from cupel.scoring import score
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED
from cupel.syntax.word_labels import WordLabels, model_for, word_labels

NO_PARSER = "none"
Texts = Mapping[str, Sequence[str]] | Corpus
_TRAINED_ORDERS = 4


def diagnosis(
    hypotheses: Texts,
    references: Sequence[str | Sequence[str]] | None = None,
    metrics: Sequence[MetricLike] | MetricLike = "chrf++",
    *,
    sources: Sequence[str] | None = None,
    language: str = "en",
    parser: str | None = None,
    frequency: str = TEST_SET,
    training: str | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Diagnosis:
    """Where systems differ from the first one, as `cupel diagnose` finds it.

    hypotheses: system -> translations, two systems or more, or a `Corpus` (then without references
    and sources). references, metrics, sources: as for `cupel.score`. language, parser, frequency,
    training: as for `cupel diagnose`. columns: name -> a value per segment; one that is called
    document gives positions as well. resamples, seed: of the intervals.
    """
    if isinstance(hypotheses, Corpus):
        corpus = hypotheses
    else:
        corpus = Corpus.of(hypotheses, references, sources)
    scores = score(corpus, metrics=metrics)
    material = prepare(
        corpus,
        language=language,
        parser=parser,
        frequency=frequency,
        training=training,
        columns=[Column(name, list(values)) for name, values in (columns or {}).items()],
    )
    return diagnose(material, scores, resamples=resamples, seed=seed)


def prepare(
    corpus: Corpus,
    *,
    language: str = "en",
    parser: str | None = None,
    frequency: str = TEST_SET,
    training: str | None = None,
    columns: Sequence[str | Column] = (),
    documents: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Material:
    """The material of a diagnosis.

    language: of the translations. parser: a spaCy model, or `none`; else one that is installed for
    the language, and where there is none, buckets that need it are left out with a note. frequency:
    `test`, `wordfreq` or a file with text or counts. training: a file with text, or with counts of
    n-grams. columns: files, `FILE:COLUMN`, or columns. documents: the document of each segment.
    """
    notes: list[str] = []
    given = [column for column in columns if isinstance(column, Column)]
    files = [column for column in columns if not isinstance(column, Column)]
    read = [*given, *read_columns(files)]
    check_lengths(read, len(corpus))
    labels = _labels(corpus, language, parser, notes, progress)
    plain = Material(corpus, language)
    return Material(
        corpus,
        language,
        labels,
        read,
        documents_of(read) if documents is None else documents,
        _frequencies(plain, frequency),
        None if training is None else Training(*read_counts(training, _TRAINED_ORDERS)),
        notes,
    )


def _labels(
    corpus: Corpus,
    language: str,
    parser: str | None,
    notes: list[str],
    progress: Progress | None,
) -> WordLabels | None:
    if parser == NO_PARSER or not corpus.has_references:
        return None
    try:
        model = parser or model_for(language)
    except MissingPart as missing:
        notes.append(
            "Parts of speech, dependency relations, entity kinds and lemmas are left out: "
            f"{str(missing).rstrip('.')}."
        )
        return None
    return word_labels([texts[0] for texts in corpus.references], model, progress)


def _frequencies(material: Material, frequency: str) -> Frequencies | None:
    if frequency == TEST_SET:
        return None
    if frequency == WORDFREQ:
        forms = {
            form.lower() for words in (material.words, *material.outputs) for form in words.types
        }
        return in_language(material.language, sorted(forms))
    return in_text(frequency, read_counts(frequency)[0])
