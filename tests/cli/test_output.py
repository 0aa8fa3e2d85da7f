"""Records for programs: what is written is JSON and TSV that any program reads."""

from __future__ import annotations

import io
import json
import math

from cupel.cli.output import records


def test_json_has_no_nan_and_no_infinity() -> None:
    """A metric that ties everything has no correlation: null, since strict readers know no NaN."""
    file = io.StringIO()
    points = [{"item": "a", "human": math.inf}]
    records([{"metric": "a", "value": math.nan, "n": 3}], "json", file, points=points)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    document = json.loads(file.getvalue(), parse_constant=refuse)
    assert document["rows"] == [{"metric": "a", "value": None, "n": 3}]
    assert document["points"] == [{"item": "a", "human": None}]
