"""Weights of errors: published ones, your own, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cupel.errors import CupelError
from cupel.human.raw.annotations import Judgment, MarkedError, Notes
from cupel.human.raw.schemes import read_scheme


def judgment(*errors: tuple[str, str]) -> Judgment:
    marked = [MarkedError(0, 1, category, severity) for category, severity in errors]
    return Judgment("r", "s", "d", "1", "FILE, line 2", errors=marked)


@pytest.mark.parametrize(
    ("category", "severity", "weight"),
    [
        ("Accuracy/Mistranslation", "Major", 5.0),
        ("Style/Awkward", "minor", 1.0),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation", "Major", 5.0),
        ("Fluency/Punctuation/Spacing", "Minor", 0.1),
        ("Non-translation!", "Major", 25.0),
        ("Source error", "Major", 5.0),
        ("Fluency/Punctuation", "Neutral", 0.0),
        ("", "No-error", 0.0),
        ("Style", "Critical", None),
    ],
)
def test_google(category: str, severity: str, weight: float | None) -> None:
    assert read_scheme("google").weight(category, severity) == weight


def test_a_score_is_minus_the_sum_of_the_weights() -> None:
    errors = ("Style", "major"), ("Style", "minor"), ("Style", "critical")
    assert read_scheme("google").score(judgment(*errors[:2]), Notes()) == -6.0
    assert read_scheme("unbabel").score(judgment(*errors), Notes()) == -16.0
    assert read_scheme("mqm-2").score(judgment(*errors), Notes()) == -31.0
    assert read_scheme("mqm-2015").score(judgment(*errors), Notes()) == -111.0
    assert str(read_scheme("google").score(judgment(), Notes())) == "0.0"


def test_a_severity_without_weight() -> None:
    one = judgment(("Style", "Critical"), ("Style", "Minor"))
    with pytest.raises(CupelError) as raised:
        read_scheme("google").score(one, Notes())
    assert str(raised.value).startswith("FILE, line 2: the severity is 'Critical', and the scheme")
    notes = Notes(lenient=True)
    assert read_scheme("google").score(one, notes) == -1.0
    assert notes.sentences() == ["1 errors of a severity without weight, counted as 0"]


def test_a_table_of_your_own(tmp_path: Path) -> None:
    path = tmp_path / "weights.tsv"
    path.write_text("category\tseverity\tweight\n*\tBad\t3\nStyle\tbad\t.5\n")
    scheme = read_scheme(str(path))
    assert scheme.weight("Style/Awkward", "bad") == 0.5
    assert scheme.weight("Accuracy", "BAD") == 3.0
    assert scheme.weight("", "no-error") == 0.0
    other = tmp_path / "weights.toml"
    other.write_text('[bad]\n"*" = 3\nStyle = 0.5\n')
    assert dict(read_scheme(str(other)).rules) == dict(scheme.rules)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("w.tsv", "category\tweight\n*\t1\n", "FILE has no column 'severity'; it has"),
        ("w.tsv", "category\tseverity\tweight\n*\tx\tmuch\n", "FILE, line 2: the weight is 'much'"),
        ("w.tsv", "category\tseverity\tweight\n*\tx\tnan\n", "FILE, line 2: the weight is 'nan'"),
        (
            "w.tsv",
            "category\tseverity\tweight\na\tx\t1\nA\tX\t2\n",
            "FILE, line 3: there is a second",
        ),
        ("w.tsv", "category\tseverity\tweight\n", "FILE has no weights."),
        ("w.toml", "[minor\n", "FILE is not TOML: "),
        ("w.toml", "minor = 1\n", "FILE: 'minor' is not a table; write [minor]"),
        ("w.toml", "[minor]\nStyle = true\n", "FILE, [minor], 'Style': the weight is True"),
        ("w.txt", "", "There is no scheme 'FILE'; there are google, unbabel, "),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(CupelError) as raised:
        read_scheme(str(path))
    assert str(raised.value).replace(str(path), "FILE").startswith(sentence)
