"""`cupel parse`, run as a program would run it."""

from __future__ import annotations

import pytest

import commands
from commands import Done
from cupel.errors import MissingPart
from cupel.syntax import Parser
from cupel.syntax.conllu import parse_conllu
from cupel.syntax.models import find_model


@pytest.fixture
def spacy_model():
    try:
        return find_model()
    except MissingPart as missing:
        pytest.skip(str(missing))


def run(*arguments: object) -> Done:
    return commands.run("parse", *arguments)


def failure(*arguments: object) -> str:
    done = run(*arguments)
    assert done.status == 2
    return done.err.splitlines()[-1].removeprefix("cupel: ")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("He has eaten .\n\nThe  man sleeps.\n", encoding="utf-8")
    return path


def test_conllu_with_a_tree_a_line(spacy_model, file):
    result = run(file)
    assert result.status == 0
    assert result.out.startswith(
        "# sent_id = 1\n"
        "# text = He has eaten .\n"
        "1\tHe\t_\t_\tPRP\t_\t3\tnsubj\t_\t_\n"
        "2\thas\t_\t_\tVBZ\t_\t3\taux\t_\t_\n"
        "3\teaten\t_\t_\tVBN\t_\t0\tROOT\t_\t_\n"
        "4\t.\t_\t_\t.\t_\t3\tpunct\t_\t_\n"
        "\n"
        "# sent_id = 2\n"
        "# text = \n"
        "\n"
        "# sent_id = 3\n"
        "# text = The man sleeps.\n"
    )
    read = [s.tree for s in parse_conllu(result.out.split("\n")[:-1], "output")]
    parsed = Parser()(["He has eaten .", "", "The man sleeps."])
    assert read == [parsed[row] for row in range(3)]


def test_a_drawing_under_other_heads(spacy_model, file):
    assert run(file, "--heads", "penn2malt", "--draw").out == (
        "1: He has eaten .\n┌─He nsubj\nhas ROOT\n├─eaten vc\n└─. punct\n\n"
        "2: \n\n"
        "3: The man sleeps.\n  ┌─The det\n┌─man nsubj\nsleeps ROOT\n└─. punct\n\n"
    )


def test_words_split_at_blanks(spacy_model, file):
    assert "\tsleeps.\t" in run(file, "--tokenize", "none").out


def test_into_a_file(spacy_model, file, tmp_path):
    out = tmp_path / "out.conllu"
    assert run(file, "-o", out).out == ""
    assert out.read_text(encoding="utf-8") == run(file).out


OWN = """\
# sent_id = x
1-2\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
1\tca\tcan\tAUX\tMD\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tsee\tsee\tVERB\tVB\t_\t0\troot\t_\t_
4\tit\tit\tPRON\tPRP\t_\t3\tobj\t_\t_

"""


def test_trees_are_re_headed_and_the_rest_is_kept(tmp_path):
    path = tmp_path / "own.conllu"
    path.write_text(OWN, encoding="utf-8")
    assert run(path).out == OWN
    assert run(path, "--heads", "penn2malt").out == (
        OWN.replace("3\taux", "0\troot")
        .replace("3\tadvmod", "1\tadvmod")
        .replace("_\t0\troot\t_\t_\n4", "_\t1\tvc\t_\t_\n4")
    )


def test_bad_input(tmp_path, file):
    path = tmp_path / "own.conllu"
    path.write_text(OWN.replace("3\tobj", "9\tobj"), encoding="utf-8")
    assert failure(path) == (f"{path}, line 6: the head of 'it' is word 9, but the sentence has 4.")
    assert failure(tmp_path / "no.txt") == f"{tmp_path / 'no.txt'} does not exist."
    assert failure(file, "--parser", "xx_none") == (
        "There is no spaCy model 'xx_none', neither installed nor as a folder: "
        "python -m spacy download xx_none."
    )
    assert run(file, "--heads", "collins").status == 2
