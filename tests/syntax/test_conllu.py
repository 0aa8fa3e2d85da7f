"""CoNLL-U: read and written back to the byte, and refused with file and line."""

from __future__ import annotations

import pytest
from hypothesis import given
from test_tree import ANT, EMPTY, trees

from cupel.errors import CupelError
from cupel.syntax.conllu import format_sentence, join_multiwords, parse_conllu, read_conllu

FRENCH = """\
# sent_id = 1
# text = Il vient du bois
1\tIl\til\tPRON\t_\tNumber=Sing\t2\tnsubj\t2:nsubj\t_
2\tvient\tvenir\tVERB\t_\t_\t0\troot\t0:root\t_
2.1\tlà\tlà\tADV\t_\t_\t_\t_\t2:advmod\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t5:case\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t5:det\t_
5\tbois\tbois\tNOUN\t_\t_\t2\tobl\t2:obl\tSpaceAfter=No

"""


def read(text):
    return list(parse_conllu(text.split("\n")[:-1], "f.conllu"))


def rows(*fields):
    """Rows of id, form, head."""
    return "".join(f"{i}\t{form}\t_\t_\t_\t_\t{head}\tx\t_\t_\n" for i, form, head in fields)


def failure(text):
    with pytest.raises(CupelError) as error:
        read(text)
    return str(error.value)


def test_multi_word_tokens_and_empty_nodes():
    (sentence,) = read(FRENCH)
    assert sentence.tree.words == ("Il", "vient", "de", "le", "bois")
    assert sentence.tree.heads == (1, -1, 4, 4, 1)
    assert sentence.tree.tags == ("PRON", "VERB", "ADP", "DET", "NOUN")
    assert sentence.tokens == ["Il", "vient", "du", "bois"]
    assert sentence.text == "Il vient du bois"
    assert sentence.lines == (3, 4, 7, 8, 9)
    assert format_sentence(sentence) == FRENCH


def test_a_token_that_is_not_its_words_can_be_one_word():
    (sentence,) = read(FRENCH)
    joined = join_multiwords(sentence)
    assert joined.words == ("Il", "vient", "du", "bois")
    assert joined.heads == (1, -1, 3, 1)
    assert joined.relations == ("nsubj", "root", "case", "obl")


def test_a_token_that_is_its_words_stays_apart():
    (sentence,) = read("1-2\tdon't" + "\t_" * 8 + "\n" + rows((1, "do", 0), (2, "n't", 1)))
    assert join_multiwords(sentence).words == ("do", "n't")


def test_a_joined_token_takes_the_place_of_its_highest_word():
    # zum = zu dem; "zu" hangs on x, and x on "dem": the token must not hang on its own child.
    text = "1-2\tzum" + "\t_" * 8 + "\n" + rows((1, "zu", 3), (2, "dem", 0), (3, "x", 2))
    assert join_multiwords(read(text)[0]).heads == (-1, 0)


def test_a_bare_tree_has_its_tags_in_the_fifth_column():
    block = format_sentence(ANT, "# text = I saw")
    assert block.split("\n")[:2] == ["# text = I saw", "1\tI\t_\t_\tPRP\t_\t2\tnsubj\t_\t_"]
    assert block.endswith("pobj\t_\t_\n\n")


@given(trees().filter(len))
def test_what_is_written_is_read(tree):
    assert [sentence.tree for sentence in read(format_sentence(tree))] == [tree]


def test_an_empty_segment_has_a_text_and_no_words():
    text = format_sentence(EMPTY, "# text = ") + format_sentence(ANT)
    assert [sentence.tree for sentence in read(text)] == [EMPTY, ANT]


def test_blank_lines_and_remarks_between_sentences():
    text = "\n\n# a remark\n\n" + format_sentence(ANT) + "\n" + format_sentence(ANT).rstrip() + "\n"
    assert [sentence.line for sentence in read(text)] == [5, 14]
    assert [sentence.tree for sentence in read(text)] == [ANT, ANT]


def test_several_roots_join_under_the_first():
    (sentence,) = read(rows((1, "a", 0), (2, "b", 0), (3, "c", 2)))
    assert sentence.tree.heads == (-1, 0, 1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            rows((1, "a", 2), (2, "b", 3), (3, "c", 2), (4, "d", 0)),
            "f.conllu, line 2: the heads run in a circle: b -> c -> b.",
        ),
        (rows((1, "a", 1)), "f.conllu, line 1: the heads run in a circle: a -> a."),
        (
            "# text = a b\n" + rows((1, "a", 0), (2, "b", 7)),
            "f.conllu, line 3: the head of 'b' is word 7, but the sentence has 2.",
        ),
        (rows((1, "a", "_")), "f.conllu, line 1: the head '_' is not a number."),
        (rows((1, "a", -1)), "f.conllu, line 1: the head '-1' is not a number."),
        (rows((1, "a", 0), (3, "b", 1)), "f.conllu, line 2: word 2 expected, 3 found."),
        (rows(("x", "a", 0)), "f.conllu, line 1: 'x' is not the number of a word."),
        (
            rows((1, "a", 0)) + "2\tb\n",
            "f.conllu, line 2: 10 columns with tabs between them expected, 2 found.",
        ),
        (
            rows(("2-3", "a", "_")),
            "f.conllu, line 1: a multi-word token from word 1 on expected, 2-3 found.",
        ),
        (
            rows(("1-3", "abc", "_"), (1, "a", 0)),
            "f.conllu, line 1: the multi-word token 1-3 overlaps another or goes beyond the 1 "
            "words of its sentence.",
        ),
    ],
)
def test_bad_files_are_refused_with_the_line(text, sentence):
    assert failure(text) == sentence


def test_a_missing_file(tmp_path):
    with pytest.raises(CupelError, match=r"no\.conllu does not exist"):
        read_conllu(tmp_path / "no.conllu")


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_ud_english_ewt_is_written_as_it_was_read(pack, part):
    path = pack("ud-english-ewt") / f"en_ewt-ud-{part}.conllu"
    sentences = read_conllu(path)
    assert "".join(map(format_sentence, sentences)) == path.read_text(encoding="utf-8")
    assert len(sentences) == {"train": 12544, "dev": 2001, "test": 2077}[part]
