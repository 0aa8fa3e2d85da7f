"""`evaluate.load(".../ter")`: the module `ter` of the Hugging Face Hub, by Cupel."""

from __future__ import annotations

from typing import Any

from cupel.adapters import evaluate_base


class Ter(evaluate_base.Module):
    """TER in percent, with the number of edits and the length of the references."""

    about = "TER with sacreBLEU's numbers; references: per segment a string or a list of strings."

    def _compute(
        self,
        predictions: list[str],
        references: evaluate_base.References,
        normalized: bool = False,
        ignore_punct: bool = False,
        support_zh_ja_chars: bool = False,
        case_sensitive: bool = False,
    ) -> dict[str, Any]:
        options = {
            "normalized": normalized,
            "no_punct": ignore_punct,
            "asian_support": support_zh_ja_chars,
            "case_sensitive": case_sensitive,
        }
        scores = self.scored("ter", predictions, references, options)
        edits, length = scores.statistics["metric"][0].sum(axis=0)
        score = scores.system_score("metric")
        return {"score": score, "num_edits": int(edits), "ref_length": float(length)}
