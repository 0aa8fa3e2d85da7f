"""On which pages do people judge translations?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from cupel.errors import CupelError
from cupel.questions.field import Natural, Range, Share, option
from cupel.questions.groups import seed
from cupel.questions.question import Question

Protocol = Literal["da", "ranking", "esa", "mqm"]
MOST_ANNOTATORS = 100


@dataclass(frozen=True, kw_only=True)
class Annotate(Question):
    """Make an HTML page for each annotator; it opens from disk, without a server or network.

    Example: cupel annotate tasks.jsonl -o tasks.html --protocol esa --annotators anna ben
    """

    command: ClassVar[str] = "annotate"

    tasks: Path = option(
        ...,
        "Tasks that `cupel select` wrote.",
        role="input",
        metavar="TASKS.jsonl",
        argument=True,
    )
    file: Path = option(
        Path("tasks.html"),
        "HTML file to write; of several annotators FILE-NAME.html each. The key that says which "
        "system is which goes to FILE.key.json.",
        "--output",
        "-o",
        role="output",
        metavar="FILE.html",
    )
    protocol: Protocol = option(
        "esa",
        "What annotators do: give a score (da), rank translations (ranking), mark errors and give "
        "a score (esa), mark errors with their kind (mqm).",
    )
    annotators: tuple[str, ...] = option(
        (),
        "Names of the annotators, or their number; each gets a file.",
        metavar="NAME",
        shown="one, who types a name",
    )
    shared: Share = option(0.2, "Share of the segments that all annotators judge.", metavar="SHARE")
    instructions: Path | None = option(
        None,
        "Text that annotators read first: a blank line between paragraphs, '# ' before a heading, "
        "'* ' before an item of a list.",
        role="input",
        metavar="FILE",
        shown="one for each protocol",
    )
    show_instructions: bool = option(
        False, "Print the instructions of the protocol, and write nothing."
    )
    title: str = option("Judge translations", "Heading of the page.", metavar="TEXT")
    references: bool = option(False, "Show the references to the annotators.")
    most: Annotated[int, Range(2, 9)] = option(
        5, "Most translations on a screen of a ranking.", metavar="N"
    )
    checks: Share = option(
        0.05,
        "Attention checks: damaged translations, as a share of the tasks.",
        metavar="SHARE",
    )
    repeats: Share = option(
        0.05, "Tasks that come twice, as a share of the tasks.", metavar="SHARE"
    )
    rehearse: str | None = option(
        None,
        "Also write what annotators would save (.json), filled in from the human scores of this "
        "campaign, to try the way to `cupel meta` before anybody is asked.",
        metavar="DATASET",
    )
    seed: Natural = seed()
    force: bool = option(False, "Replace files that exist.", role="output")

    @property
    def names(self) -> list[str]:
        """The name of each annotator, empty where only their number is known."""
        if len(self.annotators) == 1 and self.annotators[0].isdecimal():
            return [""] * int(self.annotators[0])
        return list(self.annotators) or [""]

    def rules(self) -> None:
        """Annotators must be able to have a file each."""
        if not 1 <= len(self.names) <= MOST_ANNOTATORS:
            raise CupelError(
                f"There can be 1 to {MOST_ANNOTATORS} annotators, not {len(self.names)}."
            )
        for name in self.names if any(self.names) else ():
            if not name.strip() or "/" in name or name.startswith(".") or not name.isprintable():
                raise CupelError(f"The annotator {name!r} cannot be part of a file's name.")
