"""Columns of TSV, CSV, JSON lines and Parquet: exact text, exact complaints."""

import csv
import gzip
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.errors import CupelError
from cupel.reading import read_segments


def put(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def texts(name, role="reference"):
    (found,) = read_segments(name, role)
    assert found.origin == name
    return found.texts


def sentence(name, role="reference"):
    with pytest.raises(CupelError) as caught:
        read_segments(name, role)
    return str(caught.value)


def test_tsv_fields_are_literal(tmp_path):
    name = put(tmp_path, 'id\tref\n1\t"a" \'b\\t\n2\t\n3\t "x\u2028y\r\n', "x.tsv")
    assert texts(f"{name}:ref") == ['"a" \'b\\t', "", ' "x\u2028y']
    assert texts(f"{name}:id") == ["1", "2", "3"]


def test_the_only_column_needs_no_name(tmp_path):
    assert texts(put(tmp_path, "ref\na\n\nb\n", "x.tsv")) == ["a", "", "b"]
    assert texts(put(tmp_path, '{"ref": "a"}\n', "x.jsonl")) == ["a"]
    path = tmp_path / "x.parquet"
    pl.DataFrame({"ref": ["a"]}).write_parquet(path)
    assert texts(str(path)) == ["a"]


def test_packed_tables(tmp_path):
    name = put(tmp_path, gzip.compress(b"a\tb\n1\t2\n"), "x.tsv.gz")
    assert texts(f"{name}:b") == ["2"]
    name = put(tmp_path, gzip.compress(b'{"a": "1", "b": "2"}\n'), "x.ndjson.gz")
    assert texts(f"{name}:b") == ["2"]


def test_csv_has_quotes(tmp_path):
    name = put(tmp_path, 'a,b\n1,"x, ""y""\nz"\n2,w\n', "x.csv")
    assert texts(f"{name}:b") == ['x, "y"\nz', "w"]


def test_a_column_whose_name_has_a_colon(tmp_path):
    name = put(tmp_path, "ref:A\tref:B\n1\t2\n", "x.tsv")
    assert texts(f"{name}:ref:B") == ["2"]


def test_lists_are_several_references(tmp_path):
    name = put(tmp_path, '{"r": ["a", "b"]}\n{"r": ["c"]}\n{"r": "d"}\n', "x.jsonl")
    assert texts(name) == [["a", "b"], ["c"], "d"]
    path = tmp_path / "x.parquet"
    pl.DataFrame({"r": [["a", "b"], ["c"]], "other": [1, 2]}).write_parquet(path)
    assert texts(f"{path}:r") == [["a", "b"], ["c"]]


def test_parquet_of_other_string_types(tmp_path):
    path = tmp_path / "x[1]*.parquet"
    frame = pl.DataFrame({"c": ["a", "b", "a"]})
    frame.select(
        pl.col("c").cast(pl.Categorical),
        pl.Series("array", [["x", "y"]] * 3, dtype=pl.Array(pl.String, 2)),
    ).write_parquet(path)
    assert texts(f"{path}:c") == ["a", "b", "a"]
    assert texts(f"{path}:array") == [["x", "y"]] * 3


TSV = [
    ("", "x.tsv", "{} is empty; a header line with the columns' names was expected."),
    ("a\tb\n", "x.tsv:a", "{} has no rows."),
    (
        "a\tb\n1\t2\n3\n",
        "x.tsv:a",
        "{}, line 3: 2 fields were expected, as in the header, but 1 was found.",
    ),
    (
        "a\tb\n1\t2\t3\n",
        "x.tsv:a",
        "{}, line 2: 2 fields were expected, as in the header, but 3 were found.",
    ),
    (
        "a\n1\t2\n",
        "x.tsv:a",
        "{}, line 2: 1 field was expected, as in the header, but 2 were found.",
    ),
    (
        "a\tb\n1\t2\n",
        "x.tsv",
        "{} has 2 columns, 'a', 'b'; choose one by naming it {}:COLUMN.",
    ),
    (
        "reference\thyp\n1\t2\n",
        "x.tsv:refrence",
        "{} has no column 'refrence'; it has 'reference', 'hyp'; did you mean 'reference'?",
    ),
    (
        "reference\thyp\n1\t2\n",
        "x.tsv:HYP",
        "{} has no column 'HYP'; it has 'reference', 'hyp'; did you mean 'hyp'?",
    ),
    ("a\tb\n1\t2\n", "x.tsv:zzz", "{} has no column 'zzz'; it has 'a', 'b'."),
    ("a\ta\n1\t2\n", "x.tsv:a", "{} has 2 columns named 'a'."),
    (
        b"a\tb\n1\t\xff\n",
        "x.tsv:a",
        "{}, line 2, column 3: the byte 0xFF is not UTF-8; convert the file to UTF-8.",
    ),
]
CSV = [
    ("", "x.csv", "{} is empty; a header line with the columns' names was expected."),
    ('a,b\n1,2\n3,"x\n', "x.csv:a", "{}, line 3: this is not CSV (unexpected end of data)."),
    (
        'a,b\n"1\n",2\n3\n',
        "x.csv:a",
        "{}, line 4: 2 fields were expected, as in the header, but 1 was found.",
    ),
]
JSON = [
    ("", "x.jsonl", "{} is empty; one JSON object per line was expected."),
    (
        '{"a": "1"}\n{"a": "2"\n',
        "x.jsonl",
        "{}, line 2, column 10: this is not JSON (Expecting ',' delimiter).",
    ),
    ('{"a": "1"}\n\n', "x.jsonl", "{}, line 2, column 1: this is not JSON (Expecting value)."),
    ('["a"]\n', "x.jsonl", "{}, line 1: a list was found where an object was expected."),
    ('"a"\n', "x.jsonl:a", "{}, line 1: text was found where an object was expected."),
    ('{"a": "1"}\n{"b": "2"}\n', "x.jsonl:a", "{}, line 2: there is no field 'a'."),
    ('{"a": "1"}\n{"a": null}\n', "x.jsonl", "{}, line 2: 'a' holds null where text was expected."),
    ('{"a": 5}\n', "x.jsonl", "{}, line 1: 'a' holds a number where text was expected."),
    ('{"a": true}\n', "x.jsonl", "{}, line 1: 'a' holds a truth value where text was expected."),
    ('{"a": {}}\n', "x.jsonl", "{}, line 1: 'a' holds an object where text was expected."),
    ('{"a": ["x", null]}\n', "x.jsonl", "{}, line 1: 'a' holds null where text was expected."),
    ('{"a": [["x"]]}\n', "x.jsonl", "{}, line 1: 'a' holds a list where text was expected."),
    (
        '{"a": "\\ud83d"}\n',
        "x.jsonl",
        "{}, line 1: 'a' holds half of a surrogate pair, not a character.",
    ),
    (
        '{"ref": "1", "b": ""}\n',
        "x.jsonl",
        "{} has 2 columns, 'ref', 'b'; choose one by naming it {}:COLUMN.",
    ),
    ('{"a": "1"}\n', "x.jsonl:aa", "{} has no column 'aa'; it has 'a'; did you mean 'a'?"),
    ("{}\n", "x.jsonl:a", "{} has no column 'a'; it has none."),
    ("{}\n", "x.jsonl", "{} has no columns."),
    ("[" * 100_000 + "\n", "x.jsonl", "{}, line 1: this JSON is nested too deeply."),
]


@pytest.mark.parametrize(("content", "name", "expected"), [*TSV, *CSV, *JSON])
def test_what_is_wrong_is_said(tmp_path, content, name, expected):
    file, colon, column = name.partition(":")
    path = put(tmp_path, content, file)
    assert sentence(path + colon + column) == fill(expected, path)


def fill(expected, path):
    return expected.replace("{}", path)


def test_parquet_that_is_none(tmp_path):
    name = put(tmp_path, b"PAR1 not really", "x.parquet")
    assert sentence(name) == f"{name} is not a Parquet file, or it is damaged."
    name = put(tmp_path, b"", "x.parquet")
    assert sentence(name) == f"{name} is empty; a Parquet file was expected."
    good = io.BytesIO()
    pl.DataFrame({"a": ["x"] * 1000}).write_parquet(good)
    name = put(tmp_path, good.getvalue()[:-20], "x.parquet")
    assert sentence(name) == f"{name} is not a Parquet file, or it is damaged."


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", None], "{}, row 2: 'r' holds null where text was expected."),
        ([1, 2], "{}, row 1: 'r' holds a number where text was expected."),
        ([["a"], ["b", None]], "{}, row 2: 'r' holds null where text was expected."),
        ([["a"], None], "{}, row 2: 'r' holds null where text was expected."),
        ([{"de": "a"}], "{}, row 1: 'r' holds an object where text was expected."),
    ],
)
def test_parquet_cells_that_are_no_text(tmp_path, values, expected):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"r": values}).write_parquet(path)
    assert sentence(str(path)) == expected.format(path)


def test_parquet_without_rows_or_with_other_columns(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"ref": []}, schema={"ref": pl.String}).write_parquet(path)
    assert sentence(str(path)) == f"{path} has no rows."
    expected = f"{path} has no column 'reff'; it has 'ref'; did you mean 'ref'?"
    assert sentence(f"{path}:reff") == expected


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_a_missing_table(tmp_path, suffix):
    assert sentence(f"{tmp_path}/no.{suffix}:a") == f"{tmp_path}/no.{suffix} does not exist."


def test_a_system_is_no_list(tmp_path):
    name = put(tmp_path, '{"h": "a"}\n{"h": ["b", "c"]}\n', "x.jsonl")
    expected = f"Segment 2 of {name} is a list of texts; only references may be several, a hypothesis must be one text."
    assert sentence(name, "hypothesis") == expected


def test_polars_is_imported_for_parquet_only(tmp_path):
    name = put(tmp_path, "a\tb\n1\t2\n", "x.tsv")
    script = (
        "import sys; from cupel.reading import read_corpus; "
        f"read_corpus([{name + ':a'!r}], [{name + ':b'!r}]); sys.exit('polars' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


ANY = st.characters(exclude_categories=["Cs"])
ROWS = st.lists(st.text(ANY), min_size=1)
FIELDS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\t")), min_size=1
)


def through(name, content, column="t"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return read_segments(f"{path}:{column}", "reference")[0].texts


@given(FIELDS)
def test_any_text_comes_back_from_tsv(rows):
    content = "t\tx\n" + "".join(f"{row}\tx\n" for row in rows)
    assert through("x.tsv", content.encode()) == rows


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")), min_size=1)
)
def test_any_text_comes_back_from_csv(rows):
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([["t", "x"], *([row, "x"] for row in rows)])
    assert through("x.csv", written.getvalue().encode()) == rows


@given(st.lists(st.one_of(st.text(ANY), st.lists(st.text(ANY))), min_size=1), st.booleans())
def test_any_text_comes_back_from_json_lines(rows, ascii_only):
    lines = (json.dumps({"t": row, "x": 1}, ensure_ascii=ascii_only) + "\n" for row in rows)
    assert through("x.jsonl", "".join(lines).encode()) == rows


@given(ROWS, st.booleans())
def test_any_text_comes_back_from_parquet(rows, nested):
    cells = [[row, row[::-1]] for row in rows] if nested else rows
    content = io.BytesIO()
    pl.DataFrame({"x": range(len(rows)), "t": cells}).write_parquet(content)
    assert through("x.parquet", content.getvalue()) == cells
