"""The fixture `cupel_baseline`: translations held against those of a file that lies with the tests.

    def test_german(cupel_baseline):
        cupel_baseline(translate(SOURCES), REFERENCES, margin={"chrf++": 0.5})

The baseline is plain text, baselines/MODULE.TEST.txt beside the test's file, one translation a
line; `pytest --update-baseline` writes it. It is also what `cupel score --not-worse-than` takes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cupel.scores import Scores

UPDATE = "--update-baseline"


@dataclass(frozen=True)
class Baseline:
    """What the fixture gives a test: call it with the translations."""

    folder: Path
    test: str
    update: bool

    def path(self, name: str = "") -> Path:
        """The file of the baseline. name: of one of several in a test."""
        stem = re.sub(r"[^\w.-]+", "_", f"{self.test}.{name}").strip("_.")
        return self.folder / f"{stem}.txt"

    def __call__(
        self,
        translations: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        *,
        margin: Mapping[str, float],
        fail_under: Mapping[str, float] | None = None,
        sources: Sequence[str] | None = None,
        alpha: float = 0.05,
        name: str = "",
    ) -> Scores:
        """The scores of `baseline` and `new`; the test fails if the new one is not good enough.

        margin: for each metric how much worse is acceptable, by the test of `cupel.gates`.
        fail_under: scores that must be reached. references, sources: as for `cupel.score`. alpha: of
        the test. name: tells apart several baselines of one test.
        """
        from cupel.errors import CupelError

        try:
            return self._judged(
                list(translations), references, margin, fail_under or {}, sources, alpha, name
            )
        except CupelError as error:
            pytest.fail(str(error), pytrace=False)

    def _judged(
        self,
        translations: list[str],
        references: Sequence[str | Sequence[str]] | None,
        margin: Mapping[str, float],
        floors: Mapping[str, float],
        sources: Sequence[str] | None,
        alpha: float,
        name: str,
    ) -> Scores:
        from cupel import gates
        from cupel.scoring import score

        path = self.path(name)
        systems = {"baseline": self._kept(path, translations), "new": translations}
        metrics = list(dict.fromkeys([*margin, *floors]))
        scores = score(systems, references, metrics, sources=sources)
        outcomes = gates.fail_under(scores, floors, "baseline")
        if not self.update:
            outcomes += gates.not_worse(scores, "baseline", margin, alpha=alpha)
        failures = [one.sentence for one in outcomes if not one.passed]
        if failures:
            hint = f"If this is what you want: pytest {UPDATE} replaces {path}."
            pytest.fail("\n".join([*failures, hint]), pytrace=False)
        if self.update:
            _write(path, translations)
        return scores

    def _kept(self, path: Path, translations: list[str]) -> list[str]:
        from cupel.errors import CupelError
        from cupel.reading.lines import read_lines

        if self.update:
            return translations
        if not path.exists():
            raise CupelError(f"There is no baseline {path}: pytest {UPDATE} writes it.")
        return read_lines(path)


def _write(path: Path, translations: Sequence[str]) -> None:
    from cupel.errors import CupelError
    from cupel.folders import write_text

    for number, text in enumerate(translations, start=1):
        if "\n" in text or text.endswith("\r"):
            raise CupelError(
                f"Segment {number} has a line break, and a baseline has one translation a line."
            )
    write_text(path, "".join(f"{text}\n" for text in translations))


def add_options(parser: pytest.Parser) -> None:
    """The option of the command line."""
    parser.getgroup("cupel").addoption(
        UPDATE, action="store_true", help="write the baselines of cupel_baseline"
    )


@pytest.fixture
def cupel_baseline(request: pytest.FixtureRequest) -> Baseline:
    """Hold translations against the baseline of this test, which `--update-baseline` writes."""
    module = request.path
    return Baseline(
        module.parent / "baselines",
        f"{module.stem}.{request.node.name}",
        bool(request.config.getoption(UPDATE)),
    )
