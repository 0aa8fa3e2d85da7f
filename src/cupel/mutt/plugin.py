"""The pytest plugin: one test per corruption for the metric of a project, and `cupel_baseline`.

    [tool.pytest.ini_options]
    cupel_metric = "mypkg:metric"

Without that line there is only the fixture of `baselines`, and nothing else of Cupel is imported.
Further settings:

    cupel_suite         sample (the default), mutt, or a file of JSON lines
    cupel_references    numbers of references; those of the suite if not given
    cupel_min_accuracy  what every corruption must reach, 0.5 if not given
    cupel_thresholds    lines `corruption=accuracy` for some of them
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cupel.mutt import baselines
from cupel.mutt.baselines import cupel_baseline as cupel_baseline

if TYPE_CHECKING:
    from cupel.mutt.checking import Report, Verdict

_FILE = "cupel-mutt"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of the ini file, and the option of the baselines."""
    baselines.add_options(parser)
    parser.addini("cupel_metric", "the metric to test: a metric of Cupel, or module:function")
    parser.addini("cupel_suite", "the trials: sample, mutt, or a file of JSON lines")
    parser.addini("cupel_references", "numbers of references", type="args")
    parser.addini("cupel_min_accuracy", "the accuracy that every corruption must reach")
    parser.addini("cupel_thresholds", "corruption=accuracy, one a line", type="linelist")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the tests of the metric, unless single files or tests are run."""
    if not config.getini("cupel_metric") or not _whole(config):
        return
    # pytest selects tests (-k, -m) after this hook, and so selects among these, too.
    items.extend(_Corruptions.from_parent(session, name=_FILE, nodeid=_FILE).collect())


def _whole(config: pytest.Config) -> bool:
    return all((config.invocation_params.dir / a.split("::")[0]).is_dir() for a in config.args)


class _Corruptions(pytest.Collector):
    """The collector of the tests; it runs the metric when the first of them is run."""

    _report: Report | None = None

    def collect(self) -> Iterator[pytest.Item]:
        from cupel.errors import CupelError

        try:
            self.settings = _settings(self.config)
        except CupelError as error:
            raise pytest.UsageError(str(error)) from None
        counts = self.settings["references"] or self.settings["suite"].counts or [None]
        for count in counts:
            for trials in self.settings["suite"].sets:
                suffix = "" if count is None else f"[{count}]"
                item = CorruptionTest.from_parent(self, name=f"{trials.corruption}{suffix}")
                item.corruption, item.references = trials.corruption, count
                yield item

    def verdict(self, corruption: str, references: int | None) -> tuple[Verdict, list[str]]:
        if self._report is None:
            from cupel.mutt.checking import check

            self._report = check(**self.settings, raises=False)
        chosen = next(
            verdict
            for verdict in self._report.verdicts
            if verdict.result.corruption == corruption
            and references in (None, verdict.result.references)
        )
        return chosen, list(self._report.remarks)


class CorruptionTest(pytest.Item):
    """One corruption: it passes when the metric's accuracy reaches the threshold."""

    corruption: str
    references: int | None

    def runtest(self) -> None:
        collector = self.parent
        assert isinstance(collector, _Corruptions)
        verdict, remarks = collector.verdict(self.corruption, self.references)
        if not verdict.passed:
            pytest.fail("\n".join([*remarks, str(verdict)]), pytrace=False)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        from cupel.errors import CupelError

        if isinstance(excinfo.value, CupelError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{_FILE}::{self.name}"


def _settings(config: pytest.Config) -> dict[str, Any]:
    """The arguments of `check`."""
    from cupel.mutt.checking import MIN_ACCURACY, SUITE
    from cupel.mutt.named import open_suite
    from cupel.registry import get_metric

    name = config.getini("cupel_suite") or SUITE
    file = config.rootpath / name
    suite = open_suite(str(file) if file.is_file() else name)
    thresholds = {"default": _number(config.getini("cupel_min_accuracy") or str(MIN_ACCURACY))}
    for line in config.getini("cupel_thresholds"):
        corruption, _, value = line.partition("=")
        thresholds[corruption.strip()] = _number(value)
    references = [int(_number(count)) for count in config.getini("cupel_references")]
    return {
        "metric": get_metric(config.getini("cupel_metric")),
        "suite": suite,
        "thresholds": thresholds,
        "references": references or None,
    }


def _number(text: str) -> float:
    from cupel.errors import CupelError

    try:
        return float(text)
    except ValueError:
        raise CupelError(
            f"The pytest settings of Cupel have {text.strip()!r} where a number was expected."
        ) from None
