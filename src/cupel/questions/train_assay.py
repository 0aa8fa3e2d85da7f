"""How is assay trained, or tuned, on preferences and grades?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions import train as shared
from cupel.questions.field import Count, Natural, Range, Share, option
from cupel.questions.question import Question
from cupel.questions.train import Dropout, Weight

Weighting = Literal["equal", "learned", "deep", "table"]
Stored = Literal["int8", "float16", "float32", "whole", "rank160"]
Average = Annotated[float, Range(0, 0.99999)]


@dataclass(frozen=True, kw_only=True)
class AssayData:
    """What is trained, on which judgments, with whose help."""

    panel: ClassVar[str] = "Data"

    train: tuple[str, ...] = option(
        ("wmt13",),
        "Data to learn from: rankings (wmt12, wmt13, wmt14), grades (da13, sick, or a TSV file "
        "with the columns translation, reference and score) and graded campaigns (a folder in the "
        "layout of mt-metrics-eval).",
        metavar="DATASET",
    )
    dev: tuple[str, ...] = option(
        ("held-out",),
        "Data to measure the model on after each epoch: datasets, none, or held-out for one line in "
        "twenty of the training data.",
        metavar="DATASET",
    )
    left_out: tuple[str, ...] = option(
        (),
        "Graded campaigns to measure the trained model on, which it does not learn from.",
        metavar="DATASET",
    )
    release: bool = option(
        False,
        "Learn from data for reporting, too; the model's card calls it a release, and figures of it on "
        "such data mean nothing.",
    )
    pairs: tuple[str, ...] = shared.pairs()
    teachers: tuple[Path, ...] = option(
        (),
        "Trained models whose scores of all translations are learned, too; assay-2-large is the "
        "language model of assay:size=large.",
        "--teacher",
        role="input",
        metavar="FOLDER",
    )
    outputs: tuple[str, ...] = option(
        (),
        "More translations for teachers to score, in the layout of mt-metrics-eval; human scores "
        "in these folders are not read.",
        role="input",
        metavar="FOLDER",
    )
    encoder: Path | None = option(
        None,
        "Pretrained encoder to start from, in the layout of Hugging Face.",
        role="input",
        metavar="FOLDER",
        shown="all-MiniLM-L6-v2",
    )
    teacher_encoder: Path | None = option(
        None,
        "Encoder that the teachers were trained from (with --lessons).",
        role="input",
        metavar="FOLDER",
        shown="that of --encoder",
    )
    layers: Count | None = option(
        None,
        "Number of the encoder's layers to use, from the first on.",
        metavar="N",
        shown="all",
    )
    start: Path | None = option(
        None,
        "Model to start from, instead of the encoder alone: assay, assay-wmt13, or a folder that "
        "was trained before.",
        metavar="NAME",
    )
    stored: Stored = option(
        "int8",
        "How to store the weights: int8, float16, float32, whole (int8, with all of the encoder) or "
        "rank160 (what training changed of the encoder's matrices, at low rank).",
        metavar="TYPE",
    )


@dataclass(frozen=True, kw_only=True)
class AssayWeights:
    """How much each kind of judgment counts; a preference counts 1."""

    panel: ClassVar[str] = "Judgments"

    corrupted: Weight = option(
        0.5,
        "How much a preference for a sentence over its corruption counts, beside a judgment.",
        metavar="WEIGHT",
    )
    borrowed: Weight = option(
        0.0,
        "How much a judgment counts once more with the segment's best translation in place of the "
        "reference.",
        metavar="WEIGHT",
    )
    tied: Weight = option(
        0.0, "How much a tie counts, as a third outcome; 0 leaves ties out.", metavar="WEIGHT"
    )
    graded: Weight = option(0.3, "How much a grade counts, beside a preference.", metavar="WEIGHT")
    agreed: bool = option(
        False, "Let judgments of two translations that contradict each other cancel."
    )
    marks: Count = option(12, "Grades in a step for each graded campaign, on average.", metavar="N")
    share: Share = option(
        0.5,
        "Divide these among the campaigns in proportion to this power of their sizes.",
        metavar="POWER",
    )
    regressed: Weight = option(
        0.5,
        "How much the squared error counts with which the score predicts a campaign's grades.",
        metavar="WEIGHT",
    )
    correlated: Weight = option(
        0.0, "How much the correlation with a campaign's grades counts.", metavar="WEIGHT"
    )
    within: Weight = option(
        1.0,
        "How much the order of two translations of one segment counts, by a campaign's grades.",
        metavar="WEIGHT",
    )


@dataclass(frozen=True, kw_only=True)
class AssayLessons:
    """How teachers' scores are learned."""

    panel: ClassVar[str] = "Teachers"

    taught: Weight = option(
        1.0, "How much the scores of teachers count, beside judgments.", metavar="WEIGHT"
    )
    lessons: Natural = option(
        0,
        "Learn the scores of teachers like grades, this many in a step, and their level too; 0 "
        "learns those of the step's segments, less their mean.",
        metavar="N",
    )
    scored: Natural = option(
        0, "Let teachers score at most N translations of a segment; 0 is all.", metavar="N"
    )


@dataclass(frozen=True, kw_only=True)
class AssayShape:
    """The shape of a model: what it looks at."""

    panel: ClassVar[str] = "Model"

    phrases: bool = option(True, "Match phrases beside single pieces.")
    worst: bool = option(True, "Take the worst match as a feature.")
    repeats: bool = option(True, "Take what the translation repeats too often as a feature.")
    pooled: bool = option(False, "Learn features of the two sentence vectors, too.")
    weighting: Weighting = option(
        "learned",
        "Weights of the word pieces: equal, learned, deep (learned by one more layer), or table "
        "(inverse document frequencies).",
        metavar="NAME",
    )
    joint: bool = option(False, "Encode both sentences together: slower, and better.")
    matched: bool = option(True, "With --joint: match the pieces that were encoded together, too.")
    level: bool = option(False, "Learn features of what both sentences are about, too.")


@dataclass(frozen=True, kw_only=True)
class AssayOptimizer:
    """The settings of AdamW."""

    panel: ClassVar[str] = "Training"

    epochs: Count = shared.epochs(4)
    steps: Natural = option(
        0, "End an epoch after N steps; 0 is after all of the data.", metavar="N"
    )
    batch: Count = shared.batch(16, "segments, each with all its judgments,")
    rate: Weight = shared.rate(1e-3, sentence="Learning rate of everything but the encoder.")
    encoder_rate: Weight = option(5e-5, "Learning rate of the encoder's layers.", metavar="RATE")
    decay: Weight = shared.decay(0.01)
    dropout: Dropout = shared.dropout(0.15)
    longest: Count = option(
        100, "Pieces of a sentence that training reads; scoring reads all.", metavar="N"
    )
    average: Average = option(
        0.998,
        "Decay of the moving average of the weights, which is what is kept; 0 keeps the last "
        "weights.",
        metavar="RATE",
    )
    clip: Weight = option(
        0.0,
        "Scale the gradients of a step down to this norm where theirs is larger; 0 leaves them.",
        metavar="LENGTH",
    )
    embeddings: bool = option(False, "Train the encoder's table of pieces, too, and store it.")


@dataclass(frozen=True, kw_only=True)
class AssayMachine:
    """Chance, and what computes."""

    panel: ClassVar[str] = "Training"

    seed: Natural = shared.seed()
    device: str = shared.device()
    compiled: bool = option(
        False,
        "Compile the encoder's layers with PyTorch's compiler first, which takes about a minute.",
        "--compile",
        role="spread",
    )
    bfloat16: bool = option(
        False,
        "Train in bfloat16 on a CPU, too, as on a GPU: several times as fast where the processor has "
        "instructions for it.",
    )


@dataclass(frozen=True, kw_only=True)
class TrainAssay(
    AssayData, AssayWeights, AssayLessons, AssayShape, AssayOptimizer, AssayMachine, Question
):
    """Train assay on preferences and grades; score with it as `-m assay:weights=FOLDER`.

    With `--start assay` the release is tuned on your own judgments, a graded campaign; exit status 1
    says that they do not contradict it, and that nothing was written.

    Example: cupel train assay --train wmt13 -o my-assay
    """

    command: ClassVar[str] = "train assay"
    first: ClassVar[tuple[str, ...]] = (
        "folder",
        "train",
        "dev",
        "pairs",
        "start",
        "encoder",
        "joint",
        "epochs",
        "seed",
        "device",
    )

    folder: Path = shared.folder()
    tune: bool | None = option(
        None,
        "Tune the model of --start on some hundred judgments, in minutes on a CPU: its network stays "
        "as it is, and a correction of its score is learned, if it helps; or train all of it "
        "(--train-all).",
        shown="tune where --start names a release",
        constants={"--train-all": False},
    )
    average_of: tuple[Path, ...] = option(
        (),
        "Train nothing, and average the weights of these trained models.",
        role="input",
        metavar="FOLDER",
    )
    trainings: Path | None = option(
        None,
        "Run the trainings that this JSON file lists, one after the other, each into a folder of "
        "its own inside FOLDER; the options stand in the file.",
        role="input",
        metavar="FILE",
    )

    def rules(self) -> None:
        if self.tune and self.start is None:
            raise CupelError(
                "--tune needs a model to tune: name it with --start, for example assay."
            )
        if not self.matched and not self.joint:
            raise CupelError("--no-matched leaves nothing to score with but what --joint reads.")
        for names in (self.train, self.dev, self.left_out):
            if len(set(names)) < len(names):
                raise CupelError(f"A dataset is named twice in {' '.join(names)}.")
