"""PER, position-independent error rate: word error rate without word order.

Measures: The words that are wrong, missing or too many, per reference word, whatever their order.
In percent, and possibly above 100; lower is better.

Use: Together with wer: the difference between the two is what word order costs. Not alone,
because a shuffled translation is as good as an ordered one.

Needs: Nothing beyond Cupel. Any language; by default words are split at spaces, so tokenized text
is expected (or tokenize=13a).

Formula:
    PER = 100 * (max(|reference|, |translation|) - matched words) / |reference|

Each word of the reference can be matched once. PER is never above WER. The reference with the
lowest rate counts; a system's rate is that of the summed edits and lengths. With an empty
reference the rate is 100 if there is an edit and else 0.

Paper: Christoph Tillmann, Stephan Vogel, Hermann Ney, Alex Zubiaga and Hassan Sawaf. 1997.
Accelerated DP Based Search for Statistical Translation. Eurospeech 1997. The formula is written
as in Gregor Leusch, Nicola Ueffing and Hermann Ney. 2003. A Novel String-to-String Distance
Measure with Applications to Machine Translation Evaluation. MT Summit IX.

Equal to: No other program was compared; the tests compare it with the definition above.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.kernels.edits import POSITION_INDEPENDENT
from cupel.metrics.error_rate import WordErrorRate
from cupel.registry import register


@register("per", "word error rate without word order (Tillmann et al. 1997); lower is better")
@dataclass(frozen=True)
class Per(WordErrorRate):
    """The error rate of this distance."""

    name = "per"
    distance = POSITION_INDEPENDENT
