"""Kinds of errors by part of speech: how many each system makes, against the first."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupel.diagnose.alignment import KINDS, OF_REFERENCE
from cupel.diagnose.comparison import LEAST_SEGMENTS, compare
from cupel.diagnose.findings import SIGNIFICANT, error_rate
from cupel.diagnose.material import Material
from cupel.diagnose.word_buckets import WordFeature, word_features
from cupel.significance import corrected


def error_rows(material: Material) -> list[dict[str, Any]]:
    """Flat records: system, kind, part of speech, counts, and errors per 100 words of that part."""
    if not (material.corpus.has_references and material.corpus.has_texts):
        return []
    feature = next((f for f in word_features(material) if f.feature == "part of speech"), None)
    if feature is None:
        return []
    rows = [row for which in range(len(KINDS)) for row in _of_kind(material, feature, which)]
    tested = [row for row in rows if row["p_value"] is not None]
    q_values = corrected(np.array([row["p_value"] for row in tested], np.float64), "bh")
    for row, q in zip(tested, q_values.tolist(), strict=True):
        row["q_value"] = q
        fewer = row["difference"] < 0
        row["verdict"] = ("better" if fewer else "worse") if q < SIGNIFICANT else ""
    return sorted(rows, key=lambda row: (row["q_value"] is None, row["q_value"] or 0.0))


def _of_kind(material: Material, feature: WordFeature, which: int) -> list[dict[str, Any]]:
    n, count, words = len(material.corpus), len(feature.names), material.words
    counts = np.zeros((len(material.outputs), n, count))
    for at, (own, aligned) in enumerate(zip(material.outputs, material.aligned, strict=True)):
        if which < OF_REFERENCE:
            segments, codes, kinds = words.segments, feature.reference, aligned.kinds
        else:
            segments, codes, kinds = own.segments, feature.outputs[at], aligned.own_kinds
        wrong = (kinds == which) & (codes >= 0)
        np.add.at(counts[at], (segments[wrong], codes[wrong]), 1.0)
    sizes = np.zeros((n, count))
    labelled = feature.reference >= 0
    np.add.at(sizes, (words.segments[labelled], feature.reference[labelled]), 1.0)
    rows = []
    for part, name in enumerate(feature.names):
        both = np.stack([counts[..., part], np.broadcast_to(sizes[:, part], (len(counts), n))], -1)
        if not counts[..., part].any():
            continue
        compared = compare(error_rate, both)
        enough = int((sizes[:, part] > 0).sum()) >= LEAST_SEGMENTS
        for at, system in enumerate(list(material.corpus.systems)[1:]):
            rows.append(
                {
                    "system": system, "kind": KINDS[which], "part_of_speech": name,
                    "first_count": int(counts[0, :, part].sum()),
                    "count": int(counts[at + 1, :, part].sum()),
                    "first_rate": float(compared.scores[0]),
                    "rate": float(compared.scores[at + 1]),
                    "difference": float(compared.differences[at]),
                    "p_value": float(compared.p_values[at]) if enough else None,
                    "q_value": None, "verdict": "",
                }
            )  # fmt: skip
    return rows
