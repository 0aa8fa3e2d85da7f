"""`evaluate.load(".../chrf")`: the module `chrf` of the Hugging Face Hub, by Cupel."""

from __future__ import annotations

from typing import Any

from cupel.adapters import evaluate_base


class Chrf(evaluate_base.Module):
    """chrF, or chrF++ with word_order=2, from 0 to 100."""

    about = "chrF with sacreBLEU's numbers; references: per segment a string or a list of strings."

    def _compute(
        self,
        predictions: list[str],
        references: evaluate_base.References,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> dict[str, Any]:
        orders = {"char_order": char_order, "word_order": word_order, "beta": beta}
        text = {"lowercase": lowercase, "whitespace": whitespace, "eps_smoothing": eps_smoothing}
        scores = self.scored("chrf", predictions, references, {**orders, **text})
        return {"score": scores.system_score("metric"), **orders}
