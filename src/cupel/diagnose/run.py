"""`diagnose`: the whole diagnosis of systems against the first one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.diagnose.changes import Change, changes, segment_rows
from cupel.diagnose.comparison import LEAST_SEGMENTS
from cupel.diagnose.errors_by_pos import error_rows
from cupel.diagnose.findings import Finding, findings
from cupel.diagnose.material import Material
from cupel.diagnose.ngrams import Phrase, phrases
from cupel.diagnose.summary import sentences
from cupel.errors import CupelError
from cupel.names import short_names
from cupel.records import Row, json_document
from cupel.scores import Scores
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED, bootstrap_weights

MOST_SEGMENTS = 20


@dataclass(frozen=True)
class Diagnosis:
    """What a diagnosis says. Everything but the findings is computed when asked for.

    material, scores  what it was made from
    findings          one for each bucket, system and metric, the strongest evidence first
    weights           (resamples, segments) of the bootstrap
    """

    material: Material
    scores: Scores
    findings: list[Finding]
    weights: FloatArray = field(repr=False)

    @cached_property
    def changes(self) -> list[Change]:
        """Each system against the first, over all segments."""
        return changes(self.scores, self.weights)

    @cached_property
    def phrases(self) -> list[Phrase]:
        """N-grams, words and lemmas that the systems get a different number of times."""
        return phrases(self.material)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The systems' names without what all of them share."""
        return short_names(self.scores.systems)

    @cached_property
    def summary(self) -> list[str]:
        """Sentences."""
        metrics, count = self.scores.metrics, len(self.scores.corpus)
        return sentences(self.changes, self.findings, metrics, self.names, count)

    @property
    def notes(self) -> list[str]:
        """What was left out, and why."""
        count = len(self.scores.corpus)
        few = f"With {count} segments nothing can be claimed: {LEAST_SEGMENTS} or more are needed."
        return [*([few] if count < LEAST_SEGMENTS else []), *self.material.notes]

    def rows(self) -> list[Row]:
        """Flat records of the findings, the strongest evidence first."""
        first = self.scores.systems[0]
        return [
            {
                "bucket": one.bucket,
                "feature": one.feature,
                "level": one.level,
                "system": one.system,
                "first": first,
                "metric": one.metric,
                "segments": len(one.rows),
                "words": one.words,
                "first_score": one.first_score,
                "score": one.score,
                "difference": one.difference,
                "low": one.low,
                "high": one.high,
                "p_value": one.p_value,
                "q_value": one.q_value,
                "evidence": one.evidence,
                "share": one.share,
                "significant": bool(one.verdict),
                "verdict": one.verdict,
                **{name: (one.parts or {}).get(name) for name in _PARTS},
            }
            for one in self.findings
        ]

    def change_rows(self) -> list[Row]:
        """Flat records of the systems: score, difference, interval, segments that changed."""
        return [
            {name: value for name, value in vars(one).items() if name != "shares"}
            for one in self.changes
        ]

    def segment_rows(self, most: int = MOST_SEGMENTS) -> list[Row]:
        """Flat records of the segments that contribute most to a difference."""
        return [row for one in self.changes for row in segment_rows(one, self.scores, most)]

    def phrase_rows(self) -> list[Row]:
        """Flat records of the phrases."""
        return [
            {**vars(one), "difference": one.difference, "segments": list(one.segments)}
            for one in self.phrases
        ]

    def error_rows(self) -> list[Row]:
        """Flat records of errors by kind and part of speech."""
        return error_rows(self.material)

    def beside(self) -> dict[str, Any]:
        """What a JSON document has beside the rows."""
        return {
            "signatures": self.scores.signatures,
            "summary": self.summary,
            "notes": self.notes,
            "systems": self.change_rows(),
            "segments": self.segment_rows(),
            "phrases": self.phrase_rows(),
            "errors": self.error_rows(),
        }

    def to_json(self) -> str:
        """Everything, with the findings under "rows"."""
        return json_document(self.rows(), **self.beside())


_PARTS = ("first_precision", "first_recall", "first_f", "precision", "recall", "f")


def diagnose(
    material: Material,
    scores: Scores,
    *,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Diagnosis:
    """Compare every system with the first, bucket by bucket.

    material: the texts with what is known of them, see `prepare`. scores: of the same corpus.
    resamples, seed: of the intervals.
    """
    if len(scores.systems) < 2:
        raise CupelError("A diagnosis compares systems: give two or more with -i.")
    n = len(scores.corpus)
    weights = np.concatenate([w for _, w in bootstrap_weights(n, resamples, seed)])
    return Diagnosis(material, scores, findings(material, scores, weights), weights)
