"""Files of candidates, one segment after the other: JSON lines, n-best lists, plain lines.

json     one object per line: {"candidates": [...], "source": ..., "references": [...],
         "weights": [...] or "logprobs": [...], "scores": {"NAME": [...]}}; only candidates must be there
hf       what pipelines and `generate` of Hugging Face give, saved as JSON: a list of lists, or a list
         per line, of texts or of objects with generated_text, translation_text or text, and score
moses    NUMBER ||| text ||| features ||| score, the lines of a segment together
fairseq  what fairseq-generate prints: S-, H- and D- lines with a number; D- (detokenised) come first
lines    so many lines for each segment

All are read as a stream, but fairseq's, which are not in order, and one list of lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, get_args

import numpy as np

from cupel.arrays import FloatArray
from cupel.choosing.segment import Candidates, probabilities
from cupel.errors import CupelError
from cupel.questions.candidates import ListFormat
from cupel.reading.jsons import kind_of_json, parse_json
from cupel.reading.lines import display_name, iterate_lines

MODEL = "model"
"""The name of the score that a decoder wrote beside each candidate."""
_TEXTS = ("text", "generated_text", "translation_text", "summary_text", "hypothesis")
_SCORES = ("logprob", "score", "sequences_score")


@dataclass(frozen=True)
class Reading:
    """How a file of candidates is read.

    per_segment  for lines: how many candidates each segment has
    use_scores   whether the decoder's own scores are log-probabilities of the pseudo-references
    temperature  by which log-probabilities are divided
    """

    form: str = "auto"
    per_segment: int | None = None
    use_scores: bool = False
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if self.form not in get_args(ListFormat):
            raise CupelError(
                f"Unknown format {self.form!r}; known are: {', '.join(get_args(ListFormat))}."
            )
        if self.per_segment is not None and self.per_segment < 1:
            raise CupelError(f"-n must be 1 or more, not {self.per_segment}.")
        if not (self.temperature > 0 and math.isfinite(self.temperature)):
            raise CupelError(f"The temperature must be above 0, not {self.temperature}.")


def read_candidates(path: Path | str, reading: Reading | None = None) -> Iterator[Candidates]:
    """The segments of a file, one after the other; `-` is standard input."""
    reading = reading or Reading()
    name = display_name(path)
    lines = iter(enumerate(iterate_lines(path), start=1))
    first = list(islice(lines, 1))
    if not first:
        raise CupelError(f"{name} is empty: there are no candidates.")
    form = reading.form
    if form == "auto":
        form = _form_of(first[0][1], name, reading.per_segment)
    if form == "lines" and reading.per_segment is None:
        raise CupelError(f"{name}: -n says how many lines of candidates each segment has.")
    yield from _READERS[form](chain(first, lines), name, reading)


def _form_of(line: str, name: str, per_segment: int | None) -> str:
    start = line.lstrip()
    if per_segment is not None and not (start.startswith("{") and '"candidates"' in start):
        return "lines"
    if start.startswith("{"):
        return "json"
    if start.startswith("["):
        return "hf"
    if " ||| " in line:
        return "moses"
    if _fairseq_kind(line) or " | INFO | " in line:
        return "fairseq"
    raise CupelError(
        f"{name}, line 1: these are no candidates in JSON, nor of Moses or fairseq; for plain lines "
        "say with -n how many each segment has."
    )


Lines = Iterator[tuple[int, str]]


def _read_json(lines: Lines, name: str, reading: Reading) -> Iterator[Candidates]:
    for number, line in lines:
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        value = parse_json(line, place)
        if not isinstance(value, dict):
            raise CupelError(
                f"{place}: {kind_of_json(value)} was found where an object was expected."
            )
        yield _from_object(value, place, reading)


def _from_object(value: dict[str, Any], place: str, reading: Reading) -> Candidates:
    if "candidates" not in value:
        keys = ", ".join(map(repr, value)) or "none"
        raise CupelError(f"{place}: the object has no 'candidates'; its keys are {keys}.")
    texts, own = _texts_and_scores(value["candidates"], place)
    references = value.get("references")
    others = None if references is None else _texts_and_scores(references, place)[0]
    scores = {MODEL: own} if own is not None else {}
    scores |= _named_scores(value.get("scores"), place)
    weights = _given_weights(value, len(texts if others is None else others), place, reading)
    if weights is None:
        weights = _model_weights(scores, others is None, place, reading)
    source = value.get("source")
    if source is not None and not isinstance(source, str):
        raise CupelError(f"{place}: the source is {kind_of_json(source)}, not a text.")
    return Candidates(texts, others, weights, source, scores, place)


def _named_scores(value: Any, place: str) -> dict[str, FloatArray]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CupelError(
            f"{place}: the scores are {kind_of_json(value)}; an object with a list under each name was "
            "expected."
        )
    return {key: _numbers(numbers, place, key) for key, numbers in value.items()}


def _given_weights(
    value: dict[str, Any], count: int, place: str, reading: Reading
) -> FloatArray | None:
    keys = [key for key in ("weights", "logprobs") if value.get(key) is not None]
    if len(keys) == 2:
        raise CupelError(f"{place}: there are weights and logprobs; give one of them.")
    if not keys:
        return None
    is_log = keys == ["logprobs"]
    return probabilities(
        value[keys[0]], count, place, logarithms=is_log, temperature=reading.temperature
    )


def _numbers(numbers: Any, place: str, name: str) -> FloatArray:
    try:
        values = np.asarray(numbers, np.float64)
    except (TypeError, ValueError):
        raise CupelError(f"{place}: the scores {name!r} are not all numbers.") from None
    if values.ndim != 1 or not np.isfinite(values).all():
        raise CupelError(f"{place}: the scores {name!r} are not a list of finite numbers.")
    return values


def _texts_and_scores(items: Any, place: str) -> tuple[list[str], FloatArray | None]:
    """Texts, or objects with a text, and the scores of the objects where all have one."""
    if not isinstance(items, list):
        raise CupelError(f"{place}: {kind_of_json(items)} was found where a list was expected.")
    if not any(isinstance(item, dict) for item in items):
        return items, None
    texts, scores = [], []
    for number, item in enumerate(items, start=1):
        keys = [key for key in _TEXTS if isinstance(item, dict) and key in item]
        if not keys:
            names = ", ".join(_TEXTS)
            raise CupelError(f"{place}: candidate {number} has no text under any of {names}.")
        texts.append(item[keys[0]])
        scores += [item[key] for key in _SCORES if key in item][:1]
    return texts, _numbers(scores, place, MODEL) if len(scores) == len(texts) else None


def _model_weights(
    scores: dict[str, FloatArray], own: bool, place: str, reading: Reading
) -> FloatArray | None:
    if not reading.use_scores:
        return None
    if MODEL not in scores or not own:
        raise CupelError(f"{place}: the pseudo-references have no scores of the decoder to use.")
    numbers = scores[MODEL]
    return probabilities(
        numbers, len(numbers), place, logarithms=True, temperature=reading.temperature
    )


def _scored(
    rows: list[tuple[str, float | None]], source: str | None, place: str, reading: Reading
) -> Candidates:
    texts = [text for text, _ in rows]
    numbers = [score for _, score in rows if score is not None]
    scores = {MODEL: np.array(numbers)} if len(numbers) == len(rows) else {}
    weights = _model_weights(scores, True, place, reading)
    return Candidates(texts, None, weights, source, scores, place)


def _read_hugging_face(lines: Lines, name: str, reading: Reading) -> Iterator[Candidates]:
    number, line = next(lines)
    value: Any = None
    if line.strip().endswith("]"):
        value = parse_json(line, f"{name}, line {number}")
    if value is None or (value and isinstance(value[0], list)):
        whole = "\n".join([line, *(rest for _, rest in lines)])
        value = parse_json(whole, name)
        if not isinstance(value, list) or not all(isinstance(item, list) for item in value):
            raise CupelError(f"{name}: a list of lists of candidates was expected.")
        numbered = ((f"{name}, list {n}", items) for n, items in enumerate(value, start=1))
    else:
        rest = ((f"{name}, line {n}", parse_json(t, f"{name}, line {n}")) for n, t in lines if t)
        numbered = (pair for pair in chain([(f"{name}, line {number}", value)], rest))
    for place, items in numbered:
        texts, scores = _texts_and_scores(items, place)
        own = {} if scores is None else {MODEL: scores}
        weights = _model_weights(own, True, place, reading)
        yield Candidates(texts, None, weights, None, own, place)


def _read_moses(lines: Lines, name: str, reading: Reading) -> Iterator[Candidates]:
    def row(numbered: tuple[int, str]) -> tuple[int, int, str, float | None]:
        number, line = numbered
        fields = line.split(" ||| ")
        if len(fields) < 2 or not fields[0].strip().isdigit():
            raise CupelError(
                f"{name}, line {number}: this is no line of an n-best list, NUMBER ||| text ||| ..."
            )
        last = fields[-1].split() if len(fields) > 2 else []
        score = _float(last[0]) if len(last) == 1 else None
        return number, int(fields[0]), fields[1].strip(), score

    expected: int | None = None
    rows = map(row, ((n, line) for n, line in lines if line.strip()))
    for segment, group in groupby(rows, key=lambda item: item[1]):
        listed = list(group)
        if expected is not None and segment != expected:
            raise CupelError(
                f"{name}, line {listed[0][0]}: segment {segment} follows segment {expected - 1}; all "
                "lines of a segment must stand together, and no segment may be missing."
            )
        expected = segment + 1
        place = f"{name}, segment {segment}"
        yield _scored([(text, score) for _, _, text, score in listed], None, place, reading)


def _float(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _fairseq_kind(line: str) -> tuple[str, int] | None:
    kind, dash, rest = line.partition("-")
    number = rest.partition("\t")[0]
    return (kind, int(number)) if kind in "STHDP" and kind and dash and number.isdigit() else None


def _read_fairseq(lines: Lines, name: str, reading: Reading) -> Iterator[Candidates]:
    sources: dict[int, str] = {}
    lists: dict[str, dict[int, list[tuple[str, float | None]]]] = {"H": {}, "D": {}}
    for number, line in lines:
        kind_and_segment = _fairseq_kind(line)
        if kind_and_segment is None or kind_and_segment[0] in "TP":
            continue  # its log, the references, and scores of single words
        kind, segment = kind_and_segment
        fields = line.split("\t", 2)
        if kind == "S":
            sources[segment] = "\t".join(fields[1:])
            continue
        if len(fields) != 3 or _float(fields[1]) is None:
            raise CupelError(
                f"{name}, line {number}: {kind}-NUMBER, a score and a text were expected."
            )
        lists[kind].setdefault(segment, []).append((fields[2], _float(fields[1])))
    chosen = lists["D"] or lists["H"]
    if not chosen:
        raise CupelError(f"{name} has no line H-NUMBER or D-NUMBER with a candidate.")
    for segment in range(max(chosen) + 1):
        if segment not in chosen:
            raise CupelError(f"{name} has no candidates of segment {segment}.")
        place = f"{name}, segment {segment}"
        yield _scored(chosen[segment], sources.get(segment), place, reading)


def _read_blocks(lines: Lines, name: str, reading: Reading) -> Iterator[Candidates]:
    size = reading.per_segment or 1
    for segment in range(1, 1 << 62):
        block = [line for _, line in islice(lines, size)]
        if not block:
            return
        if len(block) < size:
            total = (segment - 1) * size + len(block)
            raise CupelError(
                f"{name} has {total} line{'s' * (total != 1)}, and each segment should have {size} "
                f"candidates: segment {segment} has {len(block)}."
            )
        yield Candidates(block, place=f"{name}, segment {segment}")


_READERS: dict[str, Callable[[Lines, str, Reading], Iterator[Candidates]]] = {
    "json": _read_json,
    "hf": _read_hugging_face,
    "moses": _read_moses,
    "fairseq": _read_fairseq,
    "lines": _read_blocks,
}
