"""Several files into one `Corpus`: read, joined segment by segment, and named.

Files that name their segments (SGM, XML) are joined by (document, segment id), in the
order of the first such reference; all others line up by position, which `Corpus` checks.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import chain
from pathlib import Path
from typing import cast

from cupel.corpus import NO_REFERENCES, Corpus, counted_segments
from cupel.errors import CupelError
from cupel.questions import groups
from cupel.reading.lines import STANDARD_INPUT, display_name, iterate_lines, read_lines
from cupel.reading.names import parse_name, system_names
from cupel.reading.segments import Key, Role, Segments, counted

Texts = Sequence[str | Sequence[str]]


def read_texts(texts: groups.Texts) -> Corpus:
    """The corpus that a question names; without systems, that of standard input."""
    return read_corpus(
        texts.references,
        texts.systems or ["-"],
        texts.source,
        names=texts.names or None,
        num_refs=texts.num_refs,
        encoding=texts.encoding,
    )


def read_corpus(
    references: Sequence[str | Path],
    hypotheses: Sequence[str | Path],
    source: str | Path | None = None,
    *,
    names: Sequence[str] | None = None,
    num_refs: int = 1,
    encoding: str = "utf-8",
) -> Corpus:
    """A corpus from files, each named as on the command line: FILE, FILE:COLUMN or `-`.

    Each reference file adds its references to every segment; with `num_refs` the only one holds
    that many per line, separated by tabs. There may be none, for metrics that need none. Each hypothesis file is one system, or several where
    it is SGM or XML. Systems are called by `names`, or else by the shortest form of their name in
    the file or on the command line that is unique.
    """
    _check_request(references, hypotheses, source, num_refs)
    if num_refs > 1:
        reference = _tabbed_references(references[0], num_refs, encoding)
    elif references:
        reference = _merged([read_segments(name, "reference", encoding)[0] for name in references])
    else:
        reference = None
    systems = read_systems(hypotheses, names, encoding)
    leader = reference or next(iter(systems.values()))
    origins = {name: output.who for name, output in systems.items()}
    sources = None
    if source is not None:
        (source_text,) = read_segments(source, "source", encoding)
        sources = _single_texts(leader, source_text)
        origins["sources"] = source_text.origin
    texts = {name: _single_texts(leader, output) for name, output in systems.items()}
    if reference is None:
        return Corpus(texts, NO_REFERENCES, sources, origins)
    return Corpus(texts, reference.texts, sources, {**origins, "references": reference.origin})


def read_systems(
    hypotheses: Sequence[str | Path], names: Sequence[str] | None = None, encoding: str = "utf-8"
) -> dict[str, Segments]:
    """The systems of files, by name: as `read_corpus` names them."""
    outputs = [
        (parse_name(given), segments)
        for given in hypotheses
        for segments in read_segments(given, "hypothesis", encoding)
    ]
    return dict(zip(system_names(outputs, names), (output for _, output in outputs), strict=True))


def read_segments(
    given: str | Path, role: Role = "hypothesis", encoding: str = "utf-8"
) -> list[Segments]:
    """What one input holds for a role: each of its systems, all its references, or its source."""
    name = parse_name(given)
    if name.kind == "sgm":
        from cupel.reading.sgm import read_sgm

        return read_sgm(name.file, role, name.part, encoding)
    if name.kind != "lines":
        from cupel.reading.tables import read_column

        cells = read_column(name.file, name.kind, name.part, encoding)
        if role != "reference":
            _check_single(cells, name.given, role)
        return [Segments(name.given, cells)]
    lines = read_lines(given, encoding)
    _check_filled(lines, display_name(given))
    return [Segments(display_name(given), lines)]


def _check_request(
    references: Sequence[str | Path],
    hypotheses: Sequence[str | Path],
    source: str | Path | None,
    num_refs: int,
) -> None:
    if isinstance(references, str | Path) or isinstance(hypotheses, str | Path):
        raise CupelError("References and hypotheses are lists of file names, not one name.")
    if num_refs > 1 and not references:
        raise CupelError(f"{num_refs} references per line need a reference file; there is none.")
    if not hypotheses:
        raise CupelError("There is no file with translations; give at least one.")
    if num_refs < 1:
        raise CupelError(f"The number of references per line must be 1 or more, not {num_refs}.")
    if num_refs > 1 and len(references) > 1:
        raise CupelError(
            f"{num_refs} references per line need a single reference file, "
            f"but {len(references)} are given."
        )
    uses = [str(name) for name in (*references, *hypotheses, source)].count(STANDARD_INPUT)
    if uses > 1:
        raise CupelError(f"Standard input (-) can be read only once, but it is named {uses} times.")


def _tabbed_references(given: str | Path, expected: int, encoding: str) -> Segments:
    """The `--num-refs` of sacreBLEU; unlike there, a tab too many is an error like one too few."""
    origin = display_name(given)
    texts = []
    for number, line in enumerate(iterate_lines(given, encoding), start=1):
        fields = line.split("\t")
        if len(fields) != expected:
            raise CupelError(
                f"{origin}, line {number}: {expected} references separated by tabs were expected, "
                f"but {counted(len(fields), 'was found', 'were found')}."
            )
        texts.append(fields)
    _check_filled(texts, origin)
    return Segments(origin, texts)


def _check_filled(texts: Sequence[object], origin: str) -> None:
    if not texts:
        raise CupelError(f"{origin} is empty; one segment per line was expected.")


def _check_single(cells: Texts, origin: str, role: Role) -> None:
    for index, text in enumerate(cells, start=1):
        if not isinstance(text, str):
            raise CupelError(
                f"Segment {index} of {origin} is a list of texts; "
                f"only references may be several, a {role} must be one text."
            )


def _merged(files: Sequence[Segments]) -> Segments:
    """All references of all files, in the order of the first one that names its segments."""
    first = files[0]
    if len(files) == 1:
        return first
    leader = next((file for file in files if file.keys is not None), first)
    columns = [_joined(leader, file) for file in files]
    for file in files[1:]:
        if len(file.texts) != len(first.texts):
            raise CupelError(
                f"{first.origin} has {counted_segments(len(first.texts))}, "
                f"but {file.origin} has {len(file.texts)}."
            )
    texts = [
        list(chain.from_iterable([cell] if isinstance(cell, str) else cell for cell in row))
        for row in zip(*columns, strict=True)
    ]
    return Segments(first.origin, texts, leader.keys)


def _single_texts(leader: Segments, follower: Segments) -> Sequence[str]:
    """`_joined` for a system or a source, whose texts are single: `read_segments` checked that."""
    return cast(Sequence[str], _joined(leader, follower))


def _joined(leader: Segments, follower: Segments) -> Texts:
    """The follower's texts in the leader's order, where both name their segments."""
    if leader.keys is None or follower.keys is None or leader.keys == follower.keys:
        return follower.texts
    texts = dict(zip(follower.keys, follower.texts, strict=True))
    _check_has(follower, texts.keys(), leader)
    _check_has(leader, set(leader.keys), follower)
    return [texts[key] for key in leader.keys]


def _check_has(one: Segments, keys: Container[Key], other: Segments) -> None:
    for document, number in other.keys or ():
        if (document, number) not in keys:
            raise CupelError(
                f"{one.who} has no segment {number!r} of document {document!r}, "
                f"which {other.who} has."
            )
