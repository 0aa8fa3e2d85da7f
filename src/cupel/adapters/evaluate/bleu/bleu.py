"""`evaluate.load(".../bleu")`: the module `bleu` of the Hugging Face Hub, with sacreBLEU's numbers."""

from __future__ import annotations

from typing import Any

from cupel.adapters import evaluate_base


class Bleu(evaluate_base.Module):
    """BLEU and precisions from 0 to 1, brevity penalty and lengths."""

    about = (
        "BLEU from 0 to 1: a hundredth of sacreBLEU's number, with its tokenizer and its smoothing; "
        "references: per segment a string or a list of strings."
    )

    def _compute(
        self,
        predictions: list[str],
        references: evaluate_base.References,
        max_order: int = 4,
        lowercase: bool = False,
        tokenize: str = "13a",
    ) -> dict[str, Any]:
        options = {"max_ngram_order": max_order, "lowercase": lowercase, "tokenize": tokenize}
        result = self.bleu(predictions, references, options)
        return {
            "bleu": result["score"] / 100,
            "precisions": [precision / 100 for precision in result["precisions"]],
            "brevity_penalty": result["bp"],
            "length_ratio": result["sys_len"] / max(result["ref_len"], 1),
            "translation_length": result["sys_len"],
            "reference_length": result["ref_len"],
        }
