"""The tokenizer `ptb`: behaviours by hand. All expected values are the Stanford jar's own output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.text import ptb
from ptb_forms import stanford_tokens, tokenize_file

STANFORD = [
    # contractions
    ("I can't, you won't, they didn't.", "i ca n't , you wo n't , they did n't ."),
    (
        "It's John's; we've, they'll, I'm, you're, she'd.",
        "it 's john 's ; we 've , they 'll , i 'm , you 're , she 'd .",
    ),
    (
        "He cannot, he's gonna, I gotta, lemme, gimme, wanna.",
        "he can not , he 's gon na , i got ta , lem me , gim me , wan na .",
    ),
    ("'Twas the night and 'tis so.", "'t was the night and 't is so ."),
    (
        "The do's and don'ts weren`t DON’T ain&apos;t.",
        "the do 's and do n'ts were n`t do n't ai n't .",
    ),
    # words with an apostrophe
    (
        "Rock 'n' roll at five o'clock, ma'am O'Neil said, y'all.",
        "rock 'n' roll at five o'clock , ma'am o'neil said , y' all .",
    ),
    (
        "Give 'em the '90s, not '95 or 90's, 'cause 'til then.",
        "give 'em the '90s , not '95 or 90 's , 'cause 'til then .",
    ),
    (
        "L'homme d'Artagnan, c'est Dunkin' Donuts, ol' cap'n.",
        "l'homme d'artagnan , c'est dunkin' donuts , ol' cap'n .",
    ),
    # quotes
    (
        '"Yes," he said, "it\'s \'fine\' by me."',
        "`` yes , '' he said , `` it 's ` fine ' by me . ''",
    ),
    (
        "``Old'' and 'single quotes' and dogs' tails",
        "`` old '' and ` single quotes ' and dogs ' tails",
    ),
    (
        "“Curly” ‘single’ «French» ‹small› „low“ ‚low‘ “”",
        "`` curly '' ` single ' `` french '' ` small ' „ low `` ‚ low ` ``''",
    ),
    ("&quot;Entities&quot; &apos;too&apos;", "`` entities '' ' too '"),
    # brackets
    (
        "(round) [square] {curly} <angle>",
        "-lrb- round -rrb- -lsb- square -rsb- -lcb- curly -rcb- <angle>",
    ),
    ("-LRB- written -rrb-", "-lrb- written -rrb-"),
    ("a < b > c << d >> &lt;e&gt;", "a < b > c << d >> < e >"),
    # numbers
    (
        "1,000.50 and -5 or +3, .5 at 10:30, 5% of 2nd, 20°C.",
        "1,000.50 and -5 or +3 , .5 at 10:30 , 5 % of 2nd , 20 ° c.",
    ),
    (
        "12/31/2014 1-1-14 1990s mid-1990s 5-year-old 10,000-strong",
        "12/31/2014 1-1-14 1990s mid-1990s 5-year-old 10,000-strong",
    ),
    ("x² H₂O 10⁻³ ٣٫٥ １２", "x ² h ₂ o 10 ⁻³ ٣٫٥ １２"),
    # fractions
    (
        "1/2 cup, 3-1/2 feet, 1 1/2 miles, ½ ¾ ⅓ ⅔ ⅛ 2½",
        "1/2 cup , 3-1/2 feet , 1\xa01/2 miles , 1/2 3/4 1/3 2/3 ⅛ 2 1/2",
    ),
    # phones
    (
        "Call (555) 555-1234 or +1 555 123 4567 or 555.123.4567 or 555-1234.",
        "call -lrb-555-rrb-\xa0555-1234 or +1 555\xa0123\xa04567 or 555.123.4567 or 555-1234 .",
    ),
    (
        "Between 20 000 and 30 000 000 people, 1 234 567",
        "between 20 000 and 30\xa0000\xa0000 people , 1 234 567",
    ),
    # currency
    (
        "$5 US$10 £3.50 €20 ¥100 5¢ ¤ C$4 #1 #tag @user",
        "$ 5 us$ 10 # 3.50 $ 20 ¥ 100 5 cents $ c$ 4 # 1 #tag @user",
    ),
    # urls
    (
        "See http://www.example.com/a?b=c. Or www.foo.org/x, foo.com.",
        "see http://www.example.com/a?b=c . or www.foo.org / x , foo.com .",
    ),
    ("Amazon.com and 3com.com, https://x.y/z-", "amazon.com and 3com . com , https://x.y/z -"),
    # emails
    (
        "Write to joe.smith@example.co.uk, <a@b.org> or me@home.",
        "write to joe.smith@example.co.uk, <a@b.org> or me@home .",
    ),
    # files
    (
        "Open file.txt, foo.tar.gz or X.pdf! in 3.x or a.c. Then.",
        "open file.txt , foo.tar.gz or x.pdf ! in 3.x or a.c. then .",
    ),
    # abbreviations
    (
        "Mr. Smith, Dr. Jones vs. Prof. X. at St. Paul's.",
        "mr. smith , dr. jones vs. prof. x. at st. paul 's .",
    ),
    (
        "Acme Inc. The firm. Acme Inc. the firm, Co. Ltd.",
        "acme inc. . the firm . acme inc. the firm , co. ltd. .",
    ),
    ("In Jan. 5 at 5 p.m. He left, etc.", "in jan. 5 at 5 p.m. . he left , etc. ."),
    ("See fig. 5, No. 7, pp. 3 and no. Nothing.", "see fig. 5 , no. 7 , pp. 3 and no . nothing ."),
    (
        "Ph.D. or Ph. D, Miss. and miss., Mass. mass., cf. a.k.a.",
        "ph.d. or ph. d , miss. and miss. , mass. mass. , cf. a.k.a.",
    ),
    # initials
    ("The U.S. The E.U. they left the U.S.", "the u.s. . the e.u. they left the u.s."),
    (
        "I like plan B. The rest. As do I. It ended.",
        "i like plan b . the rest . as do i . it ended .",
    ),
    (
        "Non-U.S. and Sino-U.S. talks, U.S.-U.K., anti-U.S.",
        "non-u.s. and sino-u.s. talks , u.s.-u.k. , anti-u.s.",
    ),
    (
        "George W. Bush, J. R. R. Tolkien, J.R.R. Tolkien",
        "george w. bush , j. r. r. tolkien , j.r.r. tolkien",
    ),
    # compounds
    (
        "well-known state-of-the-art and/or AT&T R&amp;D S&P-500 C++ C# F# snake_case",
        "well-known state-of-the-art and/or at&t r&d s&p-500 c++ c# f# snake_case",
    ),
    (
        "pro- and anti-war, non‐breaking, l'un-d'eux, A/B/C, he/she-who",
        "pro- and anti-war , non‐breaking , l'un-d'eux , a/b/c , he/she-who",
    ),
    # ellipses
    (
        "Well... so.. what…  . . . and .... ...... end",
        "well ... so . . what ... ... and ... ... . end",
    ),
    # dashes
    (
        "a - b -- c --- d ---- e ----- f – g — h &mdash; i–j",
        "a - b -- c -- d -- e ----- f -- g -- h -- i -- j",
    ),
    # exclamations
    ("What?! No!! Really? ¿Qué? ¡Sí! yes!no", "what ?! no !! really ? ¿ qué ? ¡ sí ! yes!no"),
    # faces
    (":) :-( ;P =D (^_^) x_x >:( :p", ":-rrb- :--lrb- ;p =d -lrb-^_^-rrb- x_x >:-lrb- :p"),
    # markup
    (
        '<b>bold</b> <a href="x y">link</a> <br /> &amp; &nbsp; &eacute;t&eacute; &#169; <!-- no -->',
        '<b> bold </b> <a\xa0href="x\xa0y"> link </a> <br\xa0/> & &eacute;t&eacute; &#169; <!--\xa0no\xa0-->',
    ),
    # symbols
    (
        "a*b ** \\* / \\ | ~ ^ + = _ __ % & © ™ • → ∑ ♥ №",
        "a * b ** \\* / \\ | ~ ^ + = _ __ % & © ™ • → ∑ ♥ №",
    ),
    # scripts
    ("漢字、日本語。カタカナ・テスト", "漢字 、 日本語 。 カタカナ ・ テスト"),
    ("हिन्दी में समाचार।", "हिन्दी में समाचार ।"),
    ("Привет, мир! «Да»", "привет , мир ! `` да ''"),
    ("الف، ب؟", "الف ، ب ؟"),
    ("Żółć naïve ÉCOLE straße", "żółć naïve école straße"),
    # case
    ("İSTANBUL ΟΔΟΣ ΟΔΟΣ-ΑΣ ΣΙΣΥΦΟΣ's ǅ ẞ", "i̇stanbul οδος οδοσ-ας σισυφος 's ǆ ß"),
    # emoji and odd characters
    ("I ♥ you 😀 so 😀much http://a.b/😀", "i ♥ you so much http://a.b/😀"),
    ("so\xadft hy\xadphen \xad", "soft hyphen -"),
    (
        "no\xa0break zero\u200bwidth \ufeffbom tab\there nul\x00 del\x7f",
        "no break zero width bom tab here nul del",
    ),
    ("cp1252 \x93quoted\x94 it\x92s \x85 \x96 \x80", "cp1252 `` quoted '' it 's ... -- $"),
    # blanks
    ("", ""),
    (" ", ""),
    ("   two  blanks ", "two blanks"),
    ("line\nbreak", "line break"),
    (". , ; : ! ?", ". , ; : ! ?"),
]


@pytest.mark.parametrize(("sentence", "expected"), STANFORD)
def test_stanford_tokens(sentence: str, expected: str) -> None:
    assert stanford_tokens([sentence]) == [expected.split(" ") if expected else []]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A man (in red) isn't running, is he?", "a man -lrb- in red -rrb- is n't running is he"),
        # only the listed punctuation goes: doubled marks, brackets and foreign quotes stay
        ("What?! [No] „so“ – {x} ;", "what ?! -lsb- no -rsb- „ so -lcb- x -rcb-"),
        ("He works at Acme Inc. The end...", "he works at acme inc. the end"),
        ("1 1/2 dogs", "1\xa01/2 dogs"),
        ("A dog.\nA cat.", "a dog a cat"),
        ("...", ""),
        ("", ""),
        # trailing white space goes even where it belongs to the last token
        ("see http://a.b/c\u2003", "see http://a.b/c"),
    ],
)
def test_coco_form(sentence: str, expected: str) -> None:
    assert ptb.tokenize([sentence]) == [expected]


def test_sentences_keep_their_places_and_do_not_see_each_other() -> None:
    sentences = ["This is plan B.", "The other one", "", "This is plan B."]
    assert ptb.tokenize(sentences) == ["this is plan b.", "the other one", "", "this is plan b."]


def test_a_file_lets_a_sentence_see_the_next_one() -> None:
    sentences = ["This is plan B.", "The other one", "", "Plan B.", "", "It is :)"]
    assert tokenize_file(sentences) == [
        "this is plan b",
        "the other one",
        "",
        "plan b",
        "",
        "it is -rrb-",  # a face needs something behind it, and here the file ends
    ]
    assert tokenize_file([]) == []


def test_a_file_is_shifted_by_odd_line_breaks_as_in_the_original() -> None:
    assert tokenize_file(["a\u2028b", "c", "d\r"]) == ["a", "b", "c"]
    assert ptb.tokenize(["a\u2028b", "c", "d\r"]) == ["a b", "c", "d"]


PIECES = [
    "Inc.",
    "The",
    "U.S.",
    "A.",
    "1",
    "1/2",
    "(555)",
    "555-1234",
    ".",
    "<a",
    "b>",
    "no.",
    "\xa0",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=8))
def test_what_was_read_before_changes_nothing(pieces: list[str]) -> None:
    sentence = " ".join(pieces)
    warm = stanford_tokens([sentence, sentence])
    ptb._memo.clear()
    ptb._last_memo.clear()
    ptb._memo[""] = ptb._last_memo[""] = ""
    assert warm == stanford_tokens([sentence]) * 2


@given(st.text())
def test_any_text_gives_tokens_without_blanks(text: str) -> None:
    for token in stanford_tokens([text])[0]:
        assert token
        assert " " not in token
        assert "\n" not in token
