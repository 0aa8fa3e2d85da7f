"""The parser and its cache on disk."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tree import ANT, EMPTY, trees

from cupel.batch import Batch
from cupel.errors import CupelError, MissingPart
from cupel.syntax import Parser, Trees, Words, models, reference_trees
from cupel.syntax.store import MOST_FILES, ParseStore, keys_of
from cupel.syntax.tree import Tree


@pytest.fixture
def model():
    try:
        return models.find_model()
    except MissingPart as missing:
        pytest.skip(str(missing))


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "parses"


def listed(many: Trees) -> list[Tree]:
    return [many[row] for row in range(len(many))]


def parses(cache: Path) -> list[Path]:
    return sorted(cache.glob("*/*.parses"))


# The store needs no spaCy.


@settings(max_examples=20)
@given(several=st.lists(trees(), min_size=1, max_size=8))
def test_what_is_kept_is_found(tmp_path_factory, several):
    texts = [f"sentence {row}" for row in range(len(several))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUPEL_CACHE", str(tmp_path_factory.mktemp("cache")))
        store = ParseStore("p")
        store.add(keys_of(texts[::2]), Trees.of(several[::2]))
        store.add(keys_of(texts[1::2]), Trees.of(several[1::2]))
        found, rows = store.find(keys_of(["unknown", *texts]))
        assert rows[0] == -1
        assert listed(found.take(rows[1:])) == several
        assert (ParseStore("q").find(keys_of(texts))[1] == -1).all()


def test_many_files_become_one(cache):
    store = ParseStore("p")
    for number in range(MOST_FILES + 1):
        store.add(keys_of([f"s{number}", "same"]), Trees.of([ANT, EMPTY]))
    assert len(parses(cache)) == 1
    found, rows = store.find(keys_of([f"s{number}" for number in range(MOST_FILES + 1)]))
    assert listed(found.take(rows)) == [ANT] * (MOST_FILES + 1)


def test_a_file_that_vanishes_under_a_reader_is_no_error(cache):
    store = ParseStore("p")
    store.add(keys_of(["a"]), Trees.of([ANT]))
    parses(cache)[0].unlink()
    assert store.find(keys_of(["a"]))[1].tolist() == [-1]


ADDING = """
import sys
from cupel.syntax import Tree, Trees
from cupel.syntax.store import ParseStore

mine = int(sys.argv[1])
for start in range(mine, mine + 60):  # the same sentences as others add, in other words
    texts = [f"s{number}" for number in range(start, start + 3)]
    make = lambda some, _: Trees.of([Tree.of([text, f"of{mine}"], [-1, 0]) for text in some])
    ParseStore("p").complete(texts, make)
"""


def test_three_processes_add_and_join_at_once(cache):
    environment = {**os.environ, "CUPEL_CACHE": str(cache.parent)}
    for _ in range(3):
        running = [
            subprocess.Popen([sys.executable, "-c", ADDING, mine], env=environment, stderr=-1)
            for mine in ("0", "1", "2")
        ]
        # Neither a file that is being written nor one that is replaced is taken for a damaged one.
        assert [process.communicate()[1] for process in running] == [b"", b"", b""]
        texts = [f"s{number}" for number in range(64)]
        found, rows = ParseStore("p").find(keys_of(texts))
        assert [tree.words[0] for tree in listed(found.take(rows))] == texts
        shutil.rmtree(cache)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_file_is_told_of_and_removed(cache, capsys, damage):
    store = ParseStore("p")
    store.add(keys_of(["a"]), Trees.of([ANT]))
    (path,) = parses(cache)
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes({"cut": content[:-80], "flipped": content, "empty": bytearray()}[damage])
    assert store.find(keys_of(["a"]))[1].tolist() == [-1]
    assert capsys.readouterr().err == (f"cupel: {path} is damaged; what it held is parsed again.\n")
    assert parses(cache) == []


def test_a_cache_that_cannot_be_written_is_told_of(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "file"))
    ParseStore("p").add(keys_of(["a"]), Trees.of([ANT]))
    error = capsys.readouterr().err
    assert error.startswith("cupel: Results are not kept for the next run: ")
    assert error.count("\n") == 1


# The parser.


def test_one_segment_is_one_tree(model, cache):
    text = "I saw an ant.  She did not believe me.\tWhy? Because."
    (tree,) = listed(Parser()([text]))
    assert tree.heads.count(-1) == 1
    assert "".join(tree.words) == "".join(text.split())


def test_the_parse_of_a_plain_sentence(model, cache):
    (tree,) = listed(Parser()(["The old man has eaten an apple."]))
    assert tree.words == ("The", "old", "man", "has", "eaten", "an", "apple", ".")
    assert tree.heads == (2, 2, 4, 4, -1, 6, 4, 4)
    assert tree.relations == ("det", "amod", "nsubj", "aux", "ROOT", "det", "dobj", "punct")
    assert tree.tags == ("DT", "JJ", "NN", "VBZ", "VBN", "DT", "NN", ".")
    (malt,) = listed(Parser(heads="penn2malt")(["The old man has eaten an apple."]))
    assert malt.heads == (2, 2, 3, -1, 3, 6, 4, 3)


def test_empty_segments_and_white_space(model, cache):
    found = listed(Parser()(["", "  ", "An  ant .", "An ant .", " An ant . "]))
    assert found[0] == found[1] == EMPTY
    assert found[2] == found[3] == found[4]
    assert found[2].words == ("An", "ant", ".")


def test_words_of_another_tokenizer(model, cache):
    text = "She can't go."
    (own,), (blanks,) = (listed(Parser(tokenize=name)([text])) for name in ("spacy", "none"))
    assert own.words == ("She", "ca", "n't", "go", ".")
    assert blanks.words == ("She", "can't", "go.")
    for name in ("spacy", "none", "13a"):
        parser = Parser(tokenize=name)
        words = Words(parser)([text, "", f" {text} "])
        assert words.of(0) == words.of(2) == parser([text]).words.of(0)
        assert words.of(1) == []


def test_words_are_kept_too(model, cache, monkeypatch):
    texts = ["She can't go.", "An ant."]
    found = Words(Parser())(texts)
    monkeypatch.setattr("cupel.syntax.parser.split_words", None)
    again = Words(Parser(heads="penn2malt"))(texts)
    assert [again.of(row) for row in (0, 1)] == [found.of(row) for row in (0, 1)]


def test_a_known_sentence_is_not_parsed_again(model, cache, monkeypatch):
    sentences = ["An ant.", "", "A fly.", "An ant."]
    found = listed(Parser()(sentences))
    (path,) = parses(cache)
    state = path.stat().st_mtime_ns
    monkeypatch.setattr("cupel.syntax.parser.parse", None)
    assert listed(Parser()(sentences[::-1])) == found[::-1]
    assert path.stat().st_mtime_ns == state


def test_a_second_run_does_not_import_spacy(model, cache):
    program = (
        "import sys; from cupel.syntax import Parser; "
        "print(*Parser(heads='penn2malt')(['An ant.'])[0].heads, 'spacy' in sys.modules)"
    )
    environment = {**os.environ, "CUPEL_CACHE": str(cache.parent)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout
        for _ in range(2)
    ]  # fmt: skip
    assert runs == ["1 -1 1 True\n", "1 -1 1 False\n"]


def test_two_processes_at_once(model, cache):
    program = (
        "import sys; from cupel.syntax import Parser; n = int(sys.argv[1])\n"
        "for i in range(n, n + 12): Parser()([f'Ant number {j} sleeps.' for j in range(i, i + 3)])"
    )
    environment = {**os.environ, "CUPEL_CACHE": str(cache.parent)}
    running = [
        subprocess.Popen([sys.executable, "-c", program, start], env=environment, stderr=-1)
        for start in ("0", "6")
    ]
    assert [process.communicate()[1] for process in running] == [b"", b""]
    store = ParseStore(str(Parser().signature()))
    texts = [f"Ant number {number} sleeps." for number in range(20)]
    found, rows = store.find(keys_of(texts))
    assert [tree.words[2] for tree in listed(found.take(rows))] == list(map(str, range(20)))


def test_a_damaged_cache_is_rebuilt(model, cache, capsys):
    before = listed(Parser()(["An ant."]))
    (path,) = parses(cache)
    path.write_bytes(path.read_bytes()[:-64])
    assert listed(Parser()(["An ant."])) == before
    assert capsys.readouterr().err.count("\n") == 1
    assert parses(cache) == [path]


def test_a_sentence_of_600_words(model, cache):
    (tree,) = listed(Parser(heads="penn2malt")(["the cat and the dog that " * 100]))
    assert len(tree) == 600


def test_progress_counts_what_is_parsed(model, cache):
    Parser()(["One.", "Two."])
    told: list[tuple[int, int]] = []
    Parser()(["One.", "Two.", "Three.", "Four.", "Three."], lambda *done: told.append(done))
    assert told[-1] == (2, 2)


def test_parsers_are_values(model):
    parser = Parser(heads="penn2malt")
    assert parser == pickle.loads(pickle.dumps(parser))
    assert hash(parser) != hash(Parser())
    assert str(parser.signature()) == (
        f"parser:{model}|spacy:{model.spacy}|heads:penn2malt.1|words:spacy"
    )


def test_a_batch_shares_the_trees_of_its_references(model, cache, monkeypatch):
    batch = Batch(["bad out", "Two."], [["One.", "Two."], ["Two."]])
    found, rows = reference_trees(batch, Parser())
    assert rows.tolist() == [-1, 1, 0]  # the sentences are: bad out, Two., One.
    row = rows[batch.reference_index[0]]
    assert found[row].words == ("One", ".")
    monkeypatch.setattr("cupel.syntax.parser.Parser.__call__", None)
    assert reference_trees(batch, Parser())[0] is found


def test_no_model(monkeypatch):
    models.find_model.cache_clear()
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    try:
        with pytest.raises(MissingPart) as error:
            Parser()(["a"])
        assert str(error.value) == (
            "The parser needs spaCy and its model en_core_web_sm: pip install 'cupel[syntax]'."
        )
        with pytest.raises(MissingPart) as error:
            Parser("de_core_news_sm")(["a"])
        assert str(error.value) == (
            "There is no spaCy model 'de_core_news_sm', neither installed nor as a folder: "
            "python -m spacy download de_core_news_sm."
        )
    finally:
        models.find_model.cache_clear()


def test_a_model_by_its_folder(model, cache):
    by_folder = Parser(str(model.folder))
    assert by_folder.signature() == Parser().signature()


def test_unknown_options():
    with pytest.raises(CupelError, match="Unknown heads 'x'"):
        Parser(heads="x")
    with pytest.raises(CupelError, match="Unknown tokenizer 'x'"):
        Parser(tokenize="x")


def test_real_references_are_parsed_as_spacy_does(model, cache, newstest):
    references = [texts[0] for texts in newstest("wmt14", "cs-en").references[:200]]
    found = Parser()(references)
    pipeline = models.load(model)
    for row, text in enumerate(references):
        doc = pipeline.make_doc(" ".join(text.split()))
        for token in doc[1:]:
            token.is_sent_start = False
        for _, part in pipeline.pipeline:
            doc = part(doc)
        heads = [-1 if token.head is token else token.head.i for token in doc]
        assert list(found[row].words) == [token.text for token in doc]
        if heads.count(-1) == 1:
            assert list(found[row].heads) == heads


def test_keys_tell_sentences_apart():
    keys = keys_of(["a", "b", "a", "\ud800"])
    assert np.array_equal(keys[0], keys[2])
    assert len({tuple(key) for key in keys.tolist()}) == 3
