"""`evaluate.load(".../sacrebleu")`: the module `sacrebleu` of the Hugging Face Hub, by Cupel."""

from __future__ import annotations

from typing import Any

from cupel.adapters import evaluate_base


class Sacrebleu(evaluate_base.Module):
    """BLEU from 0 to 100, with counts, totals, precisions, brevity penalty and lengths."""

    about = "BLEU with sacreBLEU's numbers; references: per segment a string or a list of strings."

    def _compute(
        self,
        predictions: list[str],
        references: evaluate_base.References,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        force: bool = False,  # what sacreBLEU prints about tokenized text is not printed here
        lowercase: bool = False,
        tokenize: str | None = None,
        use_effective_order: bool = False,
    ) -> dict[str, Any]:
        options = {
            "smooth_method": smooth_method,
            "smooth_value": smooth_value,
            "lowercase": lowercase,
            "tokenize": tokenize or "13a",
            "effective_order": use_effective_order,
        }
        return self.bleu(predictions, references, options)
