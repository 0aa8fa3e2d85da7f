"""Lexical metrics on text in other languages, per character and per word, relative to English.

    python benchmarks/run.py --only languages
    CUPEL_TEXTS=FOLDER python benchmarks/languages.py

English comes from the pack wmt14, Chinese, German and Russian from bio21. A folder CUPEL_TEXTS adds
languages, or replaces these: LANGUAGE.hyp and LANGUAGE.ref, one segment a line. The measure is the time
of the whole scoring, from texts to scores, by the characters of hypotheses and references; by words, of
those that the metric compares. A second table has the same text in sacreBLEU. Nothing is kept from one
repetition to the next, but in the columns "kept", for which MeCab has analysed the sentences before.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from cupel.cli.output import table
from cupel.corpus import Corpus
from cupel.data import wmt_corpus
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.folders import cache_folder
from cupel.human.evalset import read_evalset
from cupel.metrics.by_language import language_options, word_tokenizer
from cupel.registry import named_metrics
from cupel.scoring import score_corpus
from cupel.text.tokenizers import Tokenizer, _kept_words

METRICS = (
    *("bleu", "chrf", "chrf++", "ter", "wer", "per", "cder", "rouge-l", "meteor", "nist"),
    "cider",
)
LANGUAGES = ("en", "de", "ru", "zh", "ja", "hi", "ar", "bn", "ko", "th")
MECAB = ("ja", "ko")
CHARACTERS = 150_000
Pairs = list[tuple[str, str]]


def texts() -> dict[str, Pairs]:
    """Language -> hypotheses and references, up to 150,000 characters."""
    pairs = {"en": _of_corpus(wmt_corpus("wmt14", "cs-en"))}
    for language in ("de", "ru", "zh"):
        pairs[language] = _of_corpus(read_evalset(find("bio21"), f"en-{language}").corpus)
    folder = os.environ.get("CUPEL_TEXTS")
    for path in sorted(Path(folder).glob("*.hyp")) if folder else ():
        lines = [p.read_text("utf-8").split("\n")[:-1] for p in (path, path.with_suffix(".ref"))]
        if path.stem in LANGUAGES:
            pairs[path.stem] = list(zip(*lines, strict=True))
    return {name: _cut(pairs[name]) for name in LANGUAGES if name in pairs}


def _of_corpus(corpus: Corpus) -> Pairs:
    outputs = next(iter(corpus.systems.values()))
    return [(text, refs[0]) for text, refs in zip(outputs, corpus.references, strict=True)]


def _cut(pairs: Pairs) -> Pairs:
    total = 0
    for number, (hypothesis, reference) in enumerate(pairs):
        total += len(hypothesis) + len(reference)
        if total >= CHARACTERS:
            return pairs[: number + 1]
    return pairs


def _best(run: Callable[[], object], repetitions: int, language: str) -> float:
    times = []
    for _ in range(repetitions):
        forget_words(language)
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def empty_caches() -> None:
    """sacreBLEU keeps tokenised sentences."""
    from sacrebleu.tokenizers import (
        tokenizer_13a,
        tokenizer_ja_mecab,
        tokenizer_ko_mecab,
        tokenizer_re,
        tokenizer_zh,
    )

    for kept in (
        tokenizer_13a.Tokenizer13a,
        tokenizer_re.TokenizerRegexp,
        tokenizer_zh.TokenizerZh,
        tokenizer_ja_mecab.TokenizerJaMecab,
        tokenizer_ko_mecab.TokenizerKoMecab,
    ):
        kept.__call__.cache_clear()


def ours(metric: str, language: str, pairs: Pairs) -> Callable[[], float]:
    def run() -> float:
        metrics = named_metrics([metric], language_options([metric], f"en-{language}"))
        corpus = Corpus({"x": [h for h, _ in pairs]}, [[r] for _, r in pairs])
        return float(score_corpus(corpus, metrics).system_score(metric))

    return run


def forget_words(language: str) -> None:
    """Nothing is kept: MeCab's words go to a folder of their own, which is new each time."""
    empty_caches()
    if language in MECAB:
        _kept_words.cache_clear()
        os.environ["CUPEL_CACHE"] = tempfile.mkdtemp(dir=os.environ["CUPEL_BENCH_FOLDER"])
    else:
        os.environ["CUPEL_CACHE"] = os.environ["CUPEL_BENCH_CACHE"]


def keep_words(language: str) -> None:
    """As after a first run: what MeCab analysed is kept."""
    empty_caches()
    _kept_words(word_tokenizer(language) or "").save()


def _columns(given: Mapping[str, Pairs]) -> list[tuple[str, str, Callable[[str], None]]]:
    """Label, language, and what comes before each repetition."""
    columns: list[tuple[str, str, Callable[[str], None]]] = []
    for language in given:
        columns.append((language, language, forget_words))
        if language in MECAB:
            columns.append((f"{language}, kept", language, keep_words))
    return columns


def _times(
    metric: str, given: Mapping[str, Pairs], repetitions: int
) -> dict[str, tuple[float, str]]:
    """Column -> the least processor time, and the language; columns take turns."""
    least: dict[str, tuple[float, str]] = {}
    for _ in range(repetitions):
        for label, language, before in _columns(given):
            before(language)
            run = ours(metric, language, given[language])
            start = time.process_time()
            run()
            took = time.process_time() - start
            least[label] = min(least.get(label, (took, language)), (took, language))
    return least


def ratios(given: Mapping[str, Pairs], repetitions: int) -> tuple[list[str], list[list[str]]]:
    """Header and rows: per character / per word, as a multiple of English."""
    sizes, words = {}, {}
    for language, pairs in given.items():
        flat = [text for pair in pairs for text in pair]
        sizes[language] = sum(map(len, flat))
        words[language] = len(Tokenizer(word_tokenizer(language) or "13a")(flat).ids)
    rows = []
    for metric in METRICS:
        took = _times(metric, given, repetitions)
        english = [took["en"][0] / count["en"] for count in (sizes, words)]
        cells = []
        for seconds, language in took.values():
            each = [seconds / count[language] for count in (sizes, words)]
            cells.append(" / ".join(f"{a / b:.1f}" for a, b in zip(each, english, strict=True)))
        rows.append([metric, f"{1e9 * english[0]:.0f} ns", *cells[1:]])
    labels = {label: language for label, language, _ in _columns(given)}
    per_100 = (f"{100 * words[k] / sizes[k]:.0f}" for k in labels.values())
    rows.append(["words per 100 characters", *per_100])
    return ["per character / per word", *labels], rows


def peer_rows(given: Mapping[str, Pairs], repetitions: int) -> list[list[str]]:
    """The same text in sacreBLEU, with the same tokenizer: times ours, and the difference."""
    from sacrebleu.metrics import BLEU, CHRF, TER

    rows = []
    for language, pairs in given.items():
        tokenizer = word_tokenizer(language) or "13a"
        asian = language in ("zh", "ja")
        peers: dict[str, Callable[[], object]] = {
            "bleu": partial(BLEU, tokenize=tokenizer),
            "chrf": CHRF,
            "chrf++": partial(CHRF, word_order=2),
            "ter": partial(TER, normalized=asian, asian_support=asian),
        }
        some = pairs[:200]
        for metric, make in peers.items():
            if metric == "bleu" and tokenizer == "script":
                continue
            rows.append(
                [f"{metric}, {language}", *_contest(metric, language, some, make, repetitions)]
            )
    return rows


def _contest(
    metric: str, language: str, pairs: Pairs, make: Callable[[], object], repetitions: int
) -> list[str]:
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]

    def theirs() -> float:
        return float(make().corpus_score(hypotheses, [references]).score)  # type: ignore[attr-defined]

    run = ours(metric, language, pairs)
    difference = abs(run() - theirs())
    own = _best(run, repetitions, language)
    times = _best(theirs, 1 if metric == "ter" else repetitions, language) / own
    return [f"{times:.0f}x", f"{difference:.0e}"]


def report(repetitions: int) -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CUPEL_BENCH_FOLDER"] = folder
        os.environ["CUPEL_BENCH_CACHE"] = str(cache_folder())
        _report(repetitions)


def _report(repetitions: int) -> None:
    given = {name: pairs for name, pairs in texts().items() if _is_ready(name)}
    table(*ratios(given, repetitions), sys.stdout)
    print()
    table(
        ["200 segments", "times sacreBLEU", "difference"], peer_rows(given, repetitions), sys.stdout
    )


def _is_ready(language: str) -> bool:
    try:
        Tokenizer(word_tokenizer(language) or "13a").tokens("a")
    except CupelError as error:
        print(f"bench: {language} is left out: {error}", file=sys.stderr)
        return False
    return True


def main(arguments: Sequence[str]) -> None:
    report(int(arguments[0]) if arguments else 5)


if __name__ == "__main__":
    main(sys.argv[1:])
