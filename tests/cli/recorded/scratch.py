"""The folder in which the recorded commands run, made of the data embedded in the package.

Every file is a cut of the sample corpus or of the sample campaign, or written here, so that the
folder has the same bytes on every machine. `data` takes the place of installed datasets: `wmt13`
has rankings made of the campaign's grades, `sick` has twelve pairs of sentences.
"""

from __future__ import annotations

import gzip
import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path

SEGMENTS = 12
CAMPAIGN_SEGMENTS = 30
SYSTEMS = ("HuaweiTSC_run1", "HuaweiTSC_run3", "mtcarousel", "nrpu-fjwu_run2", "TMT_run1")
QUALITY = ("careful", "decent", "rough", "broken")

MQM = """\
system	doc	doc_id	seg_id	rater	source	target	category	severity
A	d	1	1	r1	one hat	ein <v>Hut</v> da	Accuracy/Addition	Major
A	d	1	1	r2	one hat	ein Hut da	No-error	No-error
B	d	1	1	r1	one hat	ein Huhn	Accuracy/Mistranslation	Major
B	d	1	1	r2	one hat	ein Huhn	Accuracy/Mistranslation	Minor
A	d	1	2	r1	two cats	zwei Katzen	No-error	No-error
A	d	1	2	r2	two cats	zwei <v>Katzen</v>	Style/Awkward	Minor
B	d	1	2	r1	two cats	zwei Hunde	Accuracy/Mistranslation	Major
B	d	1	2	r2	two cats	zwei Hunde	Accuracy/Mistranslation	Major
refA	d	1	1	r1	one hat	ein Hut	No-error	No-error
refA	d	1	2	r1	two cats	zwei Katzen	No-error	No-error
"""
APPRAISE = """\
anna,A,1,TGT,eng,deu,80,doc1,False,"[{""start_i"": 2, ""end_i"": 4, ""severity"": ""minor""}]",100.5,130.5
anna,B,1,TGT,eng,deu,95,doc1,False,[],131,140
anna,A,2,TGT,eng,deu,70,doc1,False,[],150,160
anna,B,2,TGT,eng,deu,35,doc1,False,[],160,170
ben,A,1,TGT,eng,deu,60,doc1,False,[],1,2
ben,B,1,TGT,eng,deu,90,doc1,False,[],3,5
ben,A,2,TGT,eng,deu,65,doc1,False,[],7,9
ben,B,2,TGT,eng,deu,25,doc1,False,[],11,14
ben,B,2,TGT,eng,deu,45,doc1,False,[],15,18
"""
CONLLU = """\
1	The	the	DET	DT	_	2	det	_	_
2	bridge	bridge	NOUN	NN	_	3	nsubj	_	_
3	closes	close	VERB	VBZ	_	0	ROOT	_	_

1	It	it	PRON	PRP	_	2	nsubj	_	_
2	rains	rain	VERB	VBZ	_	0	ROOT	_	_

"""
METRICS = """\
def nan(hypothesis, reference):
    return float("nan") if "council" in hypothesis else 1.0


def raises(hypothesis, reference):
    return {}["x"]


def leaves(hypothesis, reference):
    raise SystemExit(5)


def constant(hypothesis, reference):
    return 1
"""
TASKS = """\
name = "two questions"

[[tasks]]
pair = "de-en"
level = "segment"
statistic = "acc-eq"
average = "item"
compare = "perm-pair-diff"

[[tasks]]
pair = "de-en"
level = "system"
statistic = "pearson"
compare = "perm-both"
"""


def build(folder: Path) -> None:
    """Write all files of the scratch folder."""
    with as_file(files("cupel") / "resources" / "sample") as sample:
        _corpus(sample / "sample.jsonl", folder)
        _campaign(sample / "campaign", folder)
        _rankings(sample / "campaign", folder / "data" / "wmt13")
        _dataset(sample / "campaign", folder / "data" / "small")
        _dataset(sample / "campaign", folder / "small-campaign")
        _for_training(sample / "sample.jsonl", folder)
    _sick(folder)
    _lists(folder)
    _broken(folder)
    _write(folder / "mqm_ende.tsv", MQM)
    _write(folder / "esa.csv", APPRAISE)
    _write(folder / "dog.txt", "The dog sleeps.\nA quick answer to the problem\n")
    _write(folder / "answers.txt", "Nothing\nthe fast answers to problem\n")
    _write(folder / "three.de", "Das kostet 1250 Euro.\nHallo {name}!\nEr kam.\n")
    _write(folder / "three.en", "That costs 1520 euros.\nHello!\nHe came.\n")
    _write(folder / "scratch_metrics.py", METRICS)
    _write(folder / "two.txt", "The bridge closes\nIt rains\n")
    _write(folder / "two.conllu", CONLLU)
    _write(folder / "task.toml", TASKS)
    _write(folder / "instructions.txt", "# How to judge\n\nRead both.\n\n* Be fair.\n")
    (folder / "none").mkdir()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _lines(path: Path, lines: list[str]) -> None:
    _write(path, "".join(f"{line}\n" for line in lines))


def _head(path: Path, count: int = CAMPAIGN_SEGMENTS) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:count]


def _corpus(path: Path, folder: Path) -> None:
    text = path.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()[:SEGMENTS]]
    shutil.copyfile(path, folder / "sample.jsonl")
    references = [row["references"] for row in rows]
    _lines(folder / "ref.txt", [texts[0] for texts in references])
    _lines(folder / "ref-b.txt", [texts[-1] for texts in references])
    _lines(folder / "refs.tsv", ["\t".join((texts * 2)[:2]) for texts in references])
    for name in QUALITY:
        _lines(folder / f"{name}.txt", [row[name] for row in rows])
    plain = "".join(f"{row['decent']}\n" for row in rows)
    (folder / "decent.txt.gz").write_bytes(gzip.compress(plain.encode(), mtime=0))
    latin = "\n".join(row["rough"] for row in rows).encode("latin-1", errors="replace")
    (folder / "latin.txt").write_bytes(latin + b"\n")
    _lines(folder / "chosen.txt", [row["decent"] for row in rows])
    _lines(folder / "domain.tsv", ["domain", *("news" if i % 2 else "talk" for i in range(12))])
    _lines(folder / "documents.txt", [f"news\tdoc{i // 4}" for i in range(SEGMENTS)])
    scores = [f"{0.1 * i:.2f}\t{1 - 0.07 * i:.2f}" for i in range(SEGMENTS)]
    _lines(folder / "judge.tsv", ["careful\trough", *scores])
    _lines(folder / "judge" / "careful.tsv", ["score", *(row.split("\t")[0] for row in scores)])
    _lines(folder / "judge" / "rough.tsv", ["score", *(row.split("\t")[1] for row in scores)])
    _lines(folder / "counts.tsv", ["the\t100", "council\t7", "bridge\t12"])


def _campaign(campaign: Path, folder: Path) -> None:
    _lines(folder / "src.de", _head(campaign / "sources" / "de-en.txt", SEGMENTS))
    _lines(folder / "ref.en", _head(campaign / "references" / "de-en.refA.txt", SEGMENTS))
    for name in SYSTEMS[:3]:
        path = campaign / "system-outputs" / "de-en" / f"{name}.txt"
        _lines(folder / f"{name}.en", _head(path, SEGMENTS))


def _dataset(campaign: Path, folder: Path) -> None:
    """A campaign of one language pair, 30 segments and five systems, and a second reference."""
    _lines(folder / "sources" / "de-en.txt", _head(campaign / "sources" / "de-en.txt"))
    reference = _head(campaign / "references" / "de-en.refA.txt")
    _lines(folder / "references" / "de-en.refA.txt", reference)
    _lines(
        folder / "references" / "de-en.refB.txt", [line.replace("The ", "A ") for line in reference]
    )
    documents = _head(campaign / "documents" / "de-en.docs")
    _lines(folder / "documents" / "de-en.docs", documents)
    grades = _grades(campaign)
    _lines(
        folder / "human-scores" / "de-en.mqm.seg.score",
        [f"{name}\t{grade}" for name in SYSTEMS for grade in grades[name]],
    )
    for name in SYSTEMS:
        path = campaign / "system-outputs" / "de-en" / f"{name}.txt"
        _lines(folder / "system-outputs" / "de-en" / f"{name}.txt", _head(path))
    lengths = [
        (name, _head(folder / "system-outputs" / "de-en" / f"{name}.txt")) for name in SYSTEMS
    ]
    _lines(
        folder / "metric-scores" / "de-en" / "length-refA.seg.score",
        [f"{name}\t{-len(line)}" for name, lines in lengths for line in lines],
    )


def _grades(campaign: Path) -> dict[str, list[str]]:
    grades: dict[str, list[str]] = {}
    path = campaign / "human-scores" / "de-en.mqm.seg.score"
    for line in path.read_text(encoding="utf-8").splitlines():
        name, grade = line.split("\t")
        grades.setdefault(name, []).append(grade)
    return {name: values[:CAMPAIGN_SEGMENTS] for name, values in grades.items()}


def _rankings(campaign: Path, folder: Path) -> None:
    """The same texts as a newstest, each line ranked four times, by its grades."""
    name = "newstest2013"
    grades = {
        system: [float(value.replace("None", "0")) for value in values]
        for system, values in _grades(campaign).items()
    }
    _lines(folder / "sources" / f"{name}-src.de", _head(campaign / "sources" / "de-en.txt"))
    _lines(
        folder / "references" / f"{name}-ref.en",
        _head(campaign / "references" / "de-en.refA.txt"),
    )
    for system in SYSTEMS:
        lines = _head(campaign / "system-outputs" / "de-en" / f"{system}.txt")
        _lines(folder / "system-outputs" / name / "de-en" / f"{name}.de-en.{system}.1", lines)
    header = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    for number in range(1, 6):
        header += [f"system{number}Number", f"system{number}Id"]
    header += [f"system{number}rank" for number in range(1, 6)]
    rows = [",".join(header)]
    for segment in range(CAMPAIGN_SEGMENTS):
        values = [grades[system][segment] for system in SYSTEMS]
        levels = sorted(set(values), reverse=True)
        ranks = [levels.index(value) + 1 for value in values]
        for judge in ("anna", "ben", "carl", "dora"):
            cells = ["German", "English", str(segment + 1), "-1", str(segment + 1), judge]
            for system in SYSTEMS:
                cells += ["-1", f"{name}.de-en.{system}.1"]
            rows.append(",".join([*cells, *map(str, ranks)]))
            ranks = ranks[:3] + ranks[:2:-1]
    _lines(folder / "judgments.csv", rows)


def _for_training(path: Path, folder: Path) -> None:
    """The sample corpus, graded: the sample campaign is kept for reporting."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    references = [row["references"][0] for row in rows]
    texts = {name: [row[name] for row in rows] for name in QUALITY}
    grades = {name: [-5.0 * rank] * len(rows) for rank, name in enumerate(QUALITY)}
    texts["same"], grades["same"] = references, [1.0] * len(rows)
    _lines(folder / "graded" / "sources" / "de-en.txt", references)
    _lines(folder / "graded" / "references" / "de-en.refA.txt", references)
    for system, lines in texts.items():
        _lines(folder / "graded" / "system-outputs" / "de-en" / f"{system}.txt", lines)
    _lines(
        folder / "graded" / "human-scores" / "de-en.mqm.seg.score",
        [f"{system}\t{grade}" for system in texts for grade in grades[system]],
    )


def _sick(folder: Path) -> None:
    header = (
        "pair_ID sentence_A sentence_B entailment_label relatedness_score entailment_AB "
        "entailment_BA sentence_A_original sentence_B_original sentence_A_dataset "
        "sentence_B_dataset SemEval_set"
    ).split()
    rows = ["\t".join(header)]
    for number, (good, bad) in enumerate(
        zip(_head(folder / "ref.txt", SEGMENTS), _head(folder / "rough.txt", SEGMENTS), strict=True)
    ):
        grade = f"{1 + number % 5 * 0.9:.1f}"
        cells = [str(number + 1), good, bad, "NEUTRAL", grade, "A_neutral_B", "B_neutral_A"]
        rows.append("\t".join([*cells, good, bad, "FLICKR", "FLICKR", "TRAIN"]))
    _lines(folder / "data" / "sick" / "SICK.txt", rows)


def _lists(folder: Path) -> None:
    texts = {name: _head(folder / f"{name}.txt", 4) for name in QUALITY}
    rows, moses, plain, scores = [], [], [], []
    for segment in range(4):
        candidates = [texts[name][segment] for name in QUALITY]
        own = [-0.5, -1.0, -1.5, -2.0]
        rows.append(
            json.dumps(
                {"candidates": candidates, "logprobs": own, "scores": {"judge": [3, 4, 2, 1]}}
            )
        )
        plain += candidates
        for rank, text in enumerate(candidates):
            moses.append(f"{segment} ||| {text} ||| LM= -1 ||| {own[rank]}")
            scores.append(f"{(rank * 7 + segment) % 5}")
    _lines(folder / "lists.jsonl", rows)
    _lines(folder / "lists.moses", moses)
    _lines(folder / "lists.txt", plain)
    _lines(folder / "list-scores.txt", scores)
    _lines(folder / "ref4.txt", _head(folder / "ref.txt", 4))
    _lines(folder / "decent4.txt", texts["decent"])
    _write(folder / "weights.json", '{"chrf": 2, "ter": 1}\n')


def _broken(folder: Path) -> None:
    _lines(folder / "short.txt", _head(folder / "decent.txt", 5))
    _write(folder / "empty.txt", "")
    (folder / "bad-byte.txt").write_bytes(b"fine\n\xff\xfe broken\n" + b"x\n" * 10)
    whole = gzip.compress(b"some text\n" * 1000, mtime=0)
    (folder / "cut.gz").write_bytes(whole[:-12])
    _write(
        folder / "twice.sgm",
        '<refset setid="s"><doc docid="d" sysid="r">\n<seg id="1">a</seg>\n<seg id="1">b</seg>\n'
        '<seg id="2">c</seg>\n</doc></refset>\n',
    )
    _write(folder / "broken.json", '{"rows": [')
    _write(folder / "broken.toml", "name = \n")
    _write(folder / "broken.conllu", "1\tThe\n")
    _write(folder / "broken.jsonl", '{"candidates": "no list"}\n')
    _write(folder / "trainings.json", '{"first": {"train": ["sick"], "no-option": 1}}\n')
