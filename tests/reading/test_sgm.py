"""Test sets in SGM and XML, as they are found in the wild and as they are broken."""

import contextlib
import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.errors import CupelError
from cupel.reading import read_segments

OLD = """<!DOCTYPE tstset SYSTEM "ftp://jaguar.ncsl.nist.gov/mt/resources/mteval-xml-v1.3.dtd">
<REFSET setid="t" srclang='any' trglang=en>
<!-- <seg id="9">not this one</seg> -->
<DOC DOCID=one sysid='ref A' genre=news>
<hl>
<seg id=1> Tom &amp; Jerry &lt;3 </seg>
</hl>
<p>
<SEG ID='2'>over
   several

   lines</SEG>
<seg id="3">AT&T says 5 < 6 &quot;always&quot; &apos;x&apos; &nbsp;&#233;&#xE9;</seg>
</DOC>
<doc docid="two>2" sysid="ref A"><seg id="1"></seg><seg id="2"/></doc>
</REFSET>
"""
OLD_TEXTS = [
    "Tom & Jerry <3",
    "over several lines",
    "AT&T says 5 < 6 \"always\" 'x' &nbsp;éé",
    "",
    "",
]
OLD_KEYS = [("one", "1"), ("one", "2"), ("one", "3"), ("two>2", "1"), ("two>2", "2")]

XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021">
<doc id="d1" origlang="en">
  <src lang="en"><p><seg id="1">s1</seg><seg id="2">s2</seg></p></src>
  <ref lang="de" translator="A"><p><seg id="1">a1</seg><seg id="2">a2</seg></p></ref>
  <ref lang="de" translator="B"><p><seg id="1">b1</seg></p></ref>
  <hyp system="X" language="de"><p><seg id="1">x1</seg><seg id="2"><![CDATA[x&amp;<2>]]> &amp;</seg></p></hyp>
  <hyp system="Y" language="de"><p><seg id="2">y2</seg><seg id="1">y<!-- no -->1</seg></p></hyp>
</doc>
<doc id="d2" testsuite="gender"><src><seg id="1">left out</seg></src></doc>
</dataset>
"""


def put(tmp_path, content, name="x.sgm"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return str(path)


def sentence(name, role="hypothesis"):
    with pytest.raises(CupelError) as caught:
        read_segments(name, role)
    return str(caught.value)


def test_old_sgm_that_is_no_xml(tmp_path):
    (found,) = read_segments(put(tmp_path, OLD), "reference")
    assert found.texts == OLD_TEXTS
    assert found.keys == OLD_KEYS


def test_packed_and_with_windows_line_ends(tmp_path):
    path = tmp_path / "x.sgm.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + OLD.replace("\n", "\r\n").encode()))
    (found,) = read_segments(str(path), "reference")
    assert found.texts == OLD_TEXTS


def test_several_translators_are_several_references(tmp_path):
    content = """<refset setid="t">
    <doc docid="d" sysid="A"><seg id="1">a1</seg><seg id="2">a2</seg></doc>
    <doc docid="d" sysid="B"><seg id="2">b2</seg></doc>
    </refset>"""
    (found,) = read_segments(put(tmp_path, content), "reference")
    assert found.texts == [["a1"], ["a2", "b2"]]
    assert found.keys == [("d", "1"), ("d", "2")]


@pytest.mark.parametrize("attribute", ["", ' sysid="same"'])
def test_several_refsets_are_several_references(tmp_path, attribute):
    one = f'<refset refid="r"><doc docid="d"{attribute}><seg id="1">%s</seg></doc></refset>'
    content = f"<?xml version='1.0'?><mteval>{one % 'a'}{one % 'b'}</mteval>"
    (found,) = read_segments(put(tmp_path, content, "x.xml"), "reference")
    assert found.texts == [["a", "b"]]


def test_several_systems_in_one_tstset(tmp_path):
    content = """<tstset setid="t" sysid="default">
    <doc docid="d" sysid="A"><seg id="1">a1</seg></doc>
    <doc docid="d" sysid="B"><seg id="1">b1</seg></doc>
    <doc docid="e" sysid="A"><seg id="1">a2</seg></doc>
    <doc docid="e"><seg id="1">c2</seg></doc>
    </tstset>"""
    found = read_segments(put(tmp_path, content))
    assert [(one.label, one.texts, one.keys) for one in found] == [
        ("A", ["a1", "a2"], [("d", "1"), ("e", "1")]),
        ("B", ["b1"], [("d", "1")]),
        ("default", ["c2"], [("e", "1")]),
    ]


def test_the_xml_of_wmt(tmp_path):
    name = put(tmp_path, XML, "x.xml")
    (references,) = read_segments(name, "reference")
    assert references.texts == [["a1", "b1"], ["a2"]]
    (source,) = read_segments(name, "source")
    assert source.texts == ["s1", "s2"]
    x, y = read_segments(name, "hypothesis")
    assert (x.label, x.texts) == ("X", ["x1", "x&amp;<2> &"])
    assert (y.label, y.texts, y.keys) == ("Y", ["y2", "y1"], [("d1", "2"), ("d1", "1")])


def test_one_translator_or_system_by_name(tmp_path):
    name = put(tmp_path, XML, "x.xml")
    assert read_segments(f"{name}:A", "reference")[0].texts == ["a1", "a2"]
    assert [found.label for found in read_segments(f"{name}:Y")] == ["Y"]
    assert sentence(f"{name}:y") == f"{name} has no system 'y'; it has 'X', 'Y'; did you mean 'Y'?"
    expected = f"{name} has no reference by 'quux'; it has 'A', 'B'."
    assert sentence(f"{name}:quux", "reference") == expected


def test_references_without_translators(tmp_path):
    ref = '<ref><seg id="1">%s</seg></ref>'
    content = f'<dataset><doc id="d">{ref % "a"}{ref % "b"}</doc><doc id="e">{ref % "c"}</doc>'
    (found,) = read_segments(put(tmp_path, content + "</dataset>", "x.xml"), "reference")
    assert found.texts == [["a", "b"], ["c"]]


def test_a_refset_may_be_scored_and_a_tstset_serve_as_reference(tmp_path):
    (found,) = read_segments(put(tmp_path, OLD), "hypothesis")
    assert (found.label, found.texts) == ("ref A", OLD_TEXTS)
    content = '<tstset><doc docid="d" sysid="s"><seg id="1">t</seg></doc></tstset>'
    assert read_segments(put(tmp_path, content), "reference")[0].texts == ["t"]


BODY = '<doc docid="d" sysid="s"><seg id="1">t</seg></doc>'
BROKEN = [
    ("", "{} is empty; <doc> with <seg> were expected."),
    ("<refset></refset>", "{} holds no segments; <doc> with <seg> were expected."),
    ("just text\n", "{} holds no segments; <doc> with <seg> were expected."),
    (
        '<tstset>\n<doc sysid="s">\n<seg id="1">t</seg></doc></tstset>',
        "{}, line 2: a document has no docid.",
    ),
    (
        '<tstset><doc docid="d">\n<seg>t</seg></doc></tstset>',
        "{}, line 2: a segment of document 'd' has no id.",
    ),
    (
        '<tstset><doc docid="d">\n<seg id="1">t</seg>\n<seg id="1">t</seg></doc></tstset>',
        "{}, line 3: segment '1' of document 'd' occurs twice.",
    ),
    (
        f"<tstset>{BODY}\n{BODY}</tstset>",
        "{}, line 2: segment '1' of document 'd' by 's' occurs twice.",
    ),
    (
        '<tstset>\n<seg id="1">t</seg></tstset>',
        "{}, line 2: a segment is outside of any <doc>.",
    ),
    (
        BODY,
        "{}, line 1: a segment of document 'd' is neither source, reference nor translation; it "
        "must be in a <srcset>, <refset>, <tstset>, <src>, <ref> or <hyp>.",
    ),
    (
        '<tstset><doc docid="d">\n<seg id="1">t\n<seg id="2">u</seg></doc></tstset>',
        "{}, line 2: a segment is not closed with </seg>.",
    ),
    (
        '<tstset><doc docid="d">\n<seg id="1">t</doc></tstset>',
        "{}, line 2: a segment is not closed with </seg>.",
    ),
    (
        '<tstset><doc docid="d">\n<seg id="1">t</seg></seg></doc></tstset>',
        "{}, line 2: a segment ends that never began.",
    ),
    (f"<tstset>\n\n<!-- {BODY}</tstset>", "{}, line 3: a comment (<!--) is not closed."),
    (f"<srcset>{BODY}</srcset>", "{} holds no translations, only a source."),
    (
        f'<!DOCTYPE x [\n<!ENTITY a "aaaa">\n<!ENTITY b "&a;&a;">]><tstset>{BODY}</tstset>',
        "{}, line 2: entity declarations (<!ENTITY) are refused; write the characters themselves.",
    ),
    (
        f'<!DOCTYPE x [<!entity a SYSTEM "file:///etc/passwd">]><tstset>{BODY}</tstset>',
        "{}, line 1: entity declarations (<!ENTITY) are refused; write the characters themselves.",
    ),
]


@pytest.mark.parametrize(("content", "expected"), BROKEN)
def test_what_is_broken_is_said(tmp_path, content, expected):
    name = put(tmp_path, content)
    assert sentence(name) == expected.format(name)


def test_a_source_that_is_none(tmp_path):
    name = put(tmp_path, f"<tstset>{BODY}</tstset>")
    assert sentence(name, "source") == f"{name} holds no source, only translations."


def test_nothing_is_expanded(tmp_path):
    content = '<tstset><doc docid="d"><seg id="1">&a;&#0;&#xD800;&#x110000;&amp;lt;</seg></doc>'
    (found,) = read_segments(put(tmp_path, content))
    assert found.texts == ["&a;&#0;&#xD800;&#x110000;&lt;"]


@pytest.mark.parametrize("piece", ['<doc a="', "<doc =' ", "<seg ", "<!-- ", "&amp", "<![CDATA["])
def test_long_malformed_files_are_read_or_refused(tmp_path, piece):
    name = put(
        tmp_path, f'<tstset><doc docid="d"><seg id="1">{piece * 20_000}</seg></doc></tstset>'
    )
    with contextlib.suppress(CupelError):
        read_segments(name)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")).map(
        lambda text: text.strip(" \t\r\n")
    ),
    min_size=1,
)


@given(TEXTS)
def test_any_text_comes_back_unchanged(texts):
    segments = "".join(f'<seg id="{i}"> {escaped(t)} </seg>\n' for i, t in enumerate(texts))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sgm"
        content = f'<tstset><doc docid="d" sysid="s">{segments}</doc></tstset>'
        path.write_bytes(content.encode())
        assert read_segments(str(path))[0].texts == texts
