"""Every reader of files, with valid files to begin with: what `tools/fuzz.py` and the tests damage.

A new reader is one entry of `READERS`: the end of the file's name, seeds, and a function of a path.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Reader:
    """`read` gets the path of a file whose name ends in `suffix`."""

    suffix: str
    seeds: Sequence[bytes]
    read: Callable[[Path], Any]


def _segments(path: Path) -> None:
    from cupel.errors import CupelError
    from cupel.reading import read_segments

    refusals = 0
    for role in ("reference", "hypothesis", "source"):
        try:
            read_segments(path, role)
        except CupelError:
            refusals += 1
    if refusals == 3:
        raise CupelError("No role.")


def _column(path: Path) -> None:
    from cupel.reading import read_segments

    read_segments(f"{path}:text", "reference")


def _lines(path: Path) -> None:
    from cupel.reading import read_lines

    wide = path.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff")
    read_lines(path, "utf-16" if wide else "utf-8")


def _conllu(path: Path) -> None:
    from cupel.syntax.conllu import format_sentence, join_multiwords, read_conllu

    for sentence in read_conllu(path):
        join_multiwords(sentence)
        format_sentence(sentence)


def _scores(path: Path) -> None:
    from cupel.reading.given_scores import read_score_table

    read_score_table(str(path))


def _metrics_task(path: Path) -> None:
    from cupel.human.score_files import read_seg_scores, read_sys_scores

    (read_seg_scores if path.name.endswith(".seg.score") else read_sys_scores)(path)


def _evalset_scores(path: Path) -> None:
    from cupel.human.evalset_scores import Shape, read_level

    read_level(path, "segment", Shape(["A", "B"], 2), missing=True)


def _card(path: Path) -> None:
    from cupel.neural.weights import CARD, read_card

    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, Path(folder) / CARD)
        read_card(folder, "nnrk")


def _safetensors(path: Path) -> None:
    from cupel.neural.weights import load_arrays, write_content

    with tempfile.TemporaryDirectory() as folder:
        write_content(folder, "nnrk", path.read_bytes(), {})
        load_arrays(folder, "nnrk")


def _config(path: Path) -> None:
    from cupel.neural.wordpiece import CONFIG, read_config

    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, Path(folder) / CONFIG)
        read_config(Path(folder))


def _archive(path: Path) -> None:
    from cupel.data.archives import unpack

    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / "inside"
        inside.mkdir()
        try:
            unpack(path, inside)
        finally:
            if sorted(Path(folder).iterdir()) != [inside]:
                raise AssertionError("something was written outside of the folder")


def _annotations(path: Path) -> None:
    from cupel.human.raw.annotations import Notes
    from cupel.human.raw.formats import read_annotations

    read_annotations([path], Notes(), pair="en-de")


def _rankings(path: Path) -> None:
    from cupel.human.rankings_csv import read_columns

    list(read_columns(path))


def _tasks(path: Path) -> None:
    from cupel.meta.tasks import read_tasks

    read_tasks(path)


def _scheme(path: Path) -> None:
    from cupel.human.raw.schemes import read_scheme

    read_scheme(str(path))


def _run(path: Path) -> None:
    from cupel.report.runs import read_run

    read_run(path)


def _preset(path: Path) -> None:
    from cupel.presets import load_preset

    load_preset(str(path), "redp")


def _vectors(path: Path) -> None:
    from cupel.text.vector_files import read_vectors

    for _ in read_vectors(path):
        pass


def _mapped(path: Path) -> None:
    from cupel.errors import CupelError
    from cupel.mapped_file import UnusableFile, open_arrays

    try:
        open_arrays(path, "kind", 1, "source")
    except UnusableFile as error:
        raise CupelError(str(error)) from error


def _frequencies(path: Path) -> None:
    from cupel.registry import get_metric

    get_metric(f"cider:df={path}").signature()


def _given(content: str) -> bytes:
    return content.encode()


def _parquet() -> bytes:
    import polars

    buffer = io.BytesIO()
    polars.DataFrame({"text": ["a cat", "b"], "score": [0.5, 1.0]}).write_parquet(buffer)
    return buffer.getvalue()


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("set/a.txt", "set/sub/b.txt"):
            entry = tarfile.TarInfo(name)
            entry.size = 5
            tar.addfile(entry, io.BytesIO(b"text\n"))
    return buffer.getvalue()


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/b.txt", "text\n" * 9)
    return buffer.getvalue()


def _npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(6.0).reshape(2, 3))
    return buffer.getvalue()


def _npz() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, A=np.arange(3.0), B=np.ones(3))
    return buffer.getvalue()


def _arrays_file() -> bytes:
    from cupel.mapped_file import write_arrays

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        write_arrays(path, "kind", 1, "source", {"a": np.arange(9), "b": np.ones((2, 2))})
        return path.read_bytes()


def _tensor_file() -> bytes:
    from cupel.neural.weights import to_bytes

    return to_bytes({"a": np.ones((2, 3), np.float32), "b": np.arange(4, dtype=np.float64)})


_SGM = """<refset setid="x" srclang="any" trglang="en">\n<doc docid="d" sysid="r">\n<hl>
<seg id="1">A &amp; b</seg>\n</hl><p>\n<seg id="2">c</seg></p></doc></refset>\n"""
_XML = """<?xml version='1.0'?>\n<dataset id="t"><doc origlang="en" id="d"><src lang="en"><p>
<seg id="1">Hello</seg></p></src><ref lang="de" translator="A"><p><seg id="1">Hallo</seg></p></ref>
<hyp system="s" lang="de"><p><seg id="1">Halo</seg></p></hyp></doc></dataset>\n"""
_CONLLU = """# text = The cat's in\n1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_
2-3\tcat's\t_\t_\t_\t_\t_\t_\t_\t_\n2\tcat\tcat\tNOUN\tNN\tA=b\t4\tnsubj\t_\tSpaceAfter=No
3\t's\tbe\tAUX\tVBZ\t_\t4\tcop\t_\t_\n3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_
4\tin\tin\tADP\tIN\t_\t0\troot\t_\t_\n\n"""
_RUN = json.dumps(
    {"rows": [{"system": "a", "metric": "bleu", "score": 1.5}], "signatures": {"bleu": "nrefs:1"},
     "version": "1.0"}
)  # fmt: skip
_MQM = """system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\td\t1\t7\tr1\tone hat\tein <v>Hut</v> da\tAccuracy/Addition\tMajor
A\td\t1\t7\tr2\tone hat\tein Hut da\tNo-error\tNo-error\n"""
_APPRAISE = """anna,A,1,TGT,eng,deu,80,doc1,False,"[{""start_i"": 2, ""end_i"": 4, ""severity"": \
""minor"", ""error_type"": null}]",100.5,130.5\nanna,B,1,TGT,eng,deu,95,doc1,False,[],131,140\n"""
_PEARMUT = json.dumps(
    {"user_id": "u", "item_i": 1, "time": 3,
     "annotation": [{"M": {"score": 90, "error_spans": [
         {"start_i": 1, "end_i": 1, "severity": "minor"}]}}],
     "item": [{"item_id": "cs-de_DE_#_news_#_d1_#_0", "src": "s", "tgt": {"M": "xyz"}}],
     "actions": [{"time": 1.5, "action": "load"}, {"time": 2.5, "action": "submit"}]}
)  # fmt: skip
_DOWNLOAD = f'{{"campaign": [{_PEARMUT}]}}'
_RATINGS = 'A\t{"errors": [{"start": 0, "end": 2, "severity": "x"}]}\tr1\nA\tNone\n'
_RANKINGS = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system1rank,"
    "system2Number,system2Id,system2rank\nces,eng,1,d,1,j,1,A,1,2,B,2\n"
)
_TASKS = """by = "value"\n[[tasks]]\npair = "en-de"\nlevel = "segment"\nstatistic = "pearson"
weight = 1\n"""
_CARD = json.dumps({"format": 1, "kind": "nnrk", "sha256": "0" * 64, "layers": [1, 2]})
_COMET = json.dumps({"a.txt": [{"src": "x", "mt": "y", "COMET": 0.5}], "b.txt": [{"COMET": 1}]})

READERS: dict[str, Reader] = {
    "lines": Reader(".txt", [_given("a cat\r\nb\u2028c\n\ufeff\n"), b"\xff\xfea\0\n\0"], _lines),
    "gz": Reader(".gz", [gzip.compress(b"a cat\nb\n", mtime=0)], _lines),
    "sgm": Reader(".sgm", [_given(_SGM)], _segments),
    "xml": Reader(".xml", [_given(_XML)], _segments),
    "tsv": Reader(".tsv", [b"text\tscore\na cat\t1\nb\t2\n"], _column),
    "csv": Reader(".csv", [b'text,score\n"a ""cat"", x",1\n"b\nc",2\n'], _column),
    "jsonl": Reader(".jsonl", [_given('{"text": "a", "n": 1}\n{"text": ["b", "c"]}\n')], _column),
    "parquet": Reader(".parquet", [_parquet()], _column),
    "conllu": Reader(".conllu", [_given(_CONLLU)], _conllu),
    "scores-json": Reader(".json", [_given(_COMET), _given(_RUN)], _scores),
    "scores-jsonl": Reader(".jsonl", [b'{"system": "a", "segment": 1, "score": 0.5}\n'], _scores),
    "scores-tsv": Reader(".tsv", [b"system\tsegment\tscore\na\t1\t0.5\nb\t1\t2\n"], _scores),
    "scores-parquet": Reader(".parquet", [_parquet()], _scores),
    "scores-lines": Reader(".txt", [b"0.5\n-1e3\n"], _scores),
    "scores-pairs": Reader(".seg.score", [b"a\t0.5\na\t1\nb\t2\nb\t3\n"], _scores),
    "npy": Reader(".npy", [_npy()], _scores),
    "npz": Reader(".npz", [_npz()], _scores),
    "seg-score": Reader(".seg.score", [b"m\tcs-en\tnews\tA\t1\t0.5\nm\tcs-en\tnews\tA\t2\t1\n"], _metrics_task),
    "sys-score": Reader(".sys.score", [b"m\tcs-en\tnews\tA\t0.5\nm\tcs-en\tnews\tB\t1\n"], _metrics_task),
    "evalset-score": Reader(".seg.score", [b"A\t0.5\nA\tNone\nB\t1\nB\t2\n"], _evalset_scores),
    "rankings": Reader(".csv", [_given(_RANKINGS)], _rankings),
    "card": Reader(".json", [_given(_CARD)], _card),
    "safetensors": Reader(".safetensors", [_tensor_file()], _safetensors),
    "config": Reader(".json", [b'{"model_type": "bert", "hidden_size": 8}'], _config),
    "tar.gz": Reader(".tar.gz", [gzip.compress(_tar(), mtime=0)], _archive),
    "tar-inside": Reader(".tar", [_tar()], lambda path: _archive(_packed(path))),
    "zip": Reader(".zip", [_zip()], _archive),
    "mqm": Reader(".tsv", [_given(_MQM)], _annotations),
    "appraise": Reader(".csv", [_given(_APPRAISE)], _annotations),
    "pearmut": Reader(".json", [_given(_PEARMUT + "\n"), _given(_DOWNLOAD)], _annotations),
    "ratings": Reader(".seg.rating", [_given(_RATINGS)], _annotations),
    "tasks": Reader(".toml", [_given(_TASKS)], _tasks),
    "scheme": Reader(".toml", [b'[major]\nany = 5\n"Non-translation!" = 25\n'], _scheme),
    "run": Reader(".json", [_given(_RUN)], _run),
    "preset": Reader(".json", [b'{"metric": "redp", "parameters": {"alpha": 0.5}}'], _preset),
    "vectors": Reader(".txt", [b"2 3\nthe 1 2 3\ncat 4 5 6e-1\n"], _vectors),
    "vectors-bin": Reader(".bin", [b"2 2\nthe " + bytes(8) + b"\ncat " + bytes(8)], _vectors),
    "mapped": Reader(".arrays", [_arrays_file()], _mapped),
    "frequencies": Reader(".txt", [b"2\nthe\t1\ncat sat\t2\n"], _frequencies),
}  # fmt: skip


def _packed(path: Path) -> Path:
    """A damaged .tar inside a gzip that is whole."""
    packed = path.with_suffix(".tar.gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    return packed
