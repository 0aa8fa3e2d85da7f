"""How `assay` is trained: every setting."""

from __future__ import annotations

from dataclasses import dataclass

from cupel.neural.training import TrainingSettings


@dataclass(frozen=True, kw_only=True)
class Training(TrainingSettings):
    """AdamW's settings, and how much each kind of judgment counts."""

    epochs: int = 4
    steps: int = 0  # an epoch ends after so many; 0: after all of the data
    batch: int = 16  # segments of a step, each with all its judgments
    rate: float = 1e-3  # of everything on top of the encoder
    encoder_rate: float = 5e-5  # of the encoder's layers
    decay: float = 0.01
    warmup: float = 0.1  # the part of the training in which the rates rise; then they fall to 0
    dropout: float = 0.15
    longest: int = 100  # pieces of a sentence that training reads; scoring reads more
    embeddings: bool = False  # whether the table of the pieces is trained too
    agreed: bool = False  # contradicting judgments cancel
    tied: float = 0.0  # how much a tie counts, as a third outcome; 0: ties are left out
    corrupted: float = 0.5  # how much a preference for the original over its corruption counts
    borrowed: float = 0.0  # a judgment with another translation in place of the reference
    graded: float = 0.0  # a grade
    taught: float = 0.0  # a teacher's score; judgments count 1 beside it
    lessons: int = 0  # teachers' scores of a step, learned as grades; 0: those of its segments
    scored: int = 0  # translations of a segment that teachers score for these, at most; 0: all
    clip: float = 0.0  # the largest length of all gradients together; 0: any
    bfloat16: bool = False  # whether a CPU reads in bfloat16, as a GPU always does
    compiled: bool = False  # whether PyTorch's compiler compiles the encoder's layers first
    marks: int = 12  # grades of a step for each graded campaign, on average
    share: float = 0.5  # a campaign's part of them is in proportion to this power of its size
    regressed: float = 0.5  # the squared error of a linear function of the score, as a grade
    correlated: float = 0.0  # the correlation with the grades of a campaign
    within: float = 1.0  # pairs of translations of one segment that a campaign's grades tell apart
    average: float = 0.998  # decay of a moving average of the weights, which is then what is kept
