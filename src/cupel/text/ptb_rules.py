"""The rules of the tokenizer `ptb`: what makes a token, and how it is printed.

The scanner (`cupel.text.ptb`) tries at a place all rules that may begin there and takes the one
that reaches furthest, the earlier one on a tie. What a rule wants to see behind its token counts
for its reach: then the token is group 1, else the whole match. Within a rule, `re` must find the
longest match by itself, so alternatives stand in an order, and with a greed, that make it so.

What the Stanford tokenizer does was learned by reading its lexer grammar and by running it; the
expressions are our own. Letters in `(?i:...)` stand for both cases (and there, as here, the
long s for s and the dotless i for i), all others for themselves.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from cupel.text import ptb_print as show
from cupel.text.ptb_chars import BLANKS, BREAKS, CAPITALS, DIGITS, LETTERS, MARKED, SYMBOLS


@dataclass(frozen=True)
class Rule:
    """`starts`: the inside of a character class; `pattern`; `printed`: token -> text."""

    starts: str
    pattern: re.Pattern[str]
    printed: Callable[[str], str]


def _rule(starts: str, pattern: str, printed: Callable[[str], str] = show.same) -> Rule:
    return Rule(starts, re.compile(pattern), printed)


_AZ, _AZ09 = "A-Za-z", "A-Za-z0-9"
_ANY_AZ = r"A-Za-z\u017f\u212a\u0130\u0131"  # with all that (?i:...) takes for one of these
_GAP = rf"[{BLANKS}{BREAKS}]"
_MIDDLE = r"[,;:\u3001]"  # before one of these, a period is surely not the end of a sentence

# --- tags and entities --------------------------------------------------------------------

_NAME = rf"[{_AZ}][{_AZ09}_:.-]*"
_ATTRIBUTE = rf"""{_NAME}(?: *= *(?:'[^']*'|"[^"]*"))?"""
TAG = rf"<(?:/{_NAME}|{_NAME}(?: +{_ATTRIBUTE})* */?|[!?][{_AZ}-][^>\r\n]*) *>"

_TAGS = (
    _rule("<", TAG, show.unbroken),
    _rule("&", "(?i:&amp;)", show.always("&")),
    _rule("&", "(?i:&nbsp;)", show.nothing),
    _rule("&", "&(?:(?i:cdq|ht|lr|odq|q[clr]|tl|ur)|#[0-9]+);"),
)

# --- words --------------------------------------------------------------------------------

_ACCENTED = "&[aeiouAEIOU](?i:acute|grave|uml);"  # stays as it is inside a word
_LETTER = rf"(?:[{MARKED}]|{_ACCENTED})"
_ALNUM = rf"(?:[{MARKED}{DIGITS}]|{_ACCENTED})"
WORD = rf"{_LETTER}{_ALNUM}*+(?:[.!?]{_LETTER}{_ALNUM}*+)*+"

_APOS = r"(?:['\x92\u2019]|(?i:&apos;))"
_TICK = r"(?:['`\x91\x92\u2018\u2019\u201b]|(?i:&apos;))"  # what passes for one inside a word
_CLITIC = rf"{_APOS}(?:[dmsDMS]|(?i:ll|re|ve))"
_NOT = rf"(?i:n){_TICK}(?i:t)"
_BEFORE_NOT = rf"[{_AZ}\xad]*[A-MO-Za-mo-z]\xad*"
_QUOTES = r"`\x91-\x94\u2018-\u201f\u2039\u203a\xab\xbb"

# One token in spite of the apostrophe: ma'am, O'Neil, listed words, l', 'em, the '90s.
_ONE_WORD = (
    rf"[{LETTERS}]{{2,}}+(?<=[aeiouyAEIOUY]){_TICK}[aeiouA-Z][{LETTERS}]*"
    rf"|[A-HJ-XZn]{_TICK}[{LETTERS}]{{2,}}"
    r"|(?i:c'mon|cont'd\.?|e'er|ev'ry|li'l|nat'l|nor'easter|s'mores|'twas)"
    rf"|(?i:dunkin|ol|somethin){_APOS}|[dDjJlL]{_APOS}|(?i:o){_TICK}(?i:o)"
    rf"|(?i:c){_APOS}(?i:est)|(?i:cap){_APOS}(?i:n)"
    rf"|{_APOS}(?:(?i:cause|em|till?)|[2-9]0(?i:s)|(?i:n){_APOS}?)"
)
_AFTER_APOS = r"'\x92\u2019&"

_WORDS = (
    # two words in one
    _rule("cC", "((?i:can))(?i:not)"),
    _rule("gGwW", "((?i:gon|wan))(?i:na)"),
    _rule("gG", "((?i:got))(?i:ta)"),
    _rule("gGlL", "((?i:gim|lem))(?i:me)"),
    _rule("'", "('(?i:t))(?i:is|was)"),
    _rule(rf"{MARKED}&", rf"({WORD}){_CLITIC}", show.without_soft_hyphens),
    _rule(rf"{_AZ}\xad", rf"({_BEFORE_NOT}){_NOT}", show.without_soft_hyphens),
    _rule(rf"{MARKED}&", WORD, show.without_soft_hyphens),
    _rule(rf"{MARKED}&", rf"({WORD}\.){_MIDDLE}", show.without_soft_hyphens),
    _rule(rf"{LETTERS}{_AFTER_APOS}", _ONE_WORD),
    _rule("yY", rf"((?i:y){_APOS})[{LETTERS}]"),
    _rule(_AFTER_APOS, rf"({_APOS}[0-9][0-9]){_GAP}"),
    # clitics reach one further when no letter follows, and win over an opening quote
    _rule(_AFTER_APOS, rf"({_CLITIC})[^{_AZ}]", show.closing),
    _rule("nN", rf"({_NOT})[^{_AZ}]", show.closing),
    _rule("'", rf"(')[{_AZ}][^ \t\n\r\xa0]", show.opening),
    _rule(_AFTER_APOS, _CLITIC, show.closing),
    _rule("nN", _NOT, show.closing),
    _rule(rf"{_QUOTES}{_AFTER_APOS}", rf"''|[{_QUOTES}]{{1,2}}|{_APOS}", show.closing),
)

# --- compounds ----------------------------------------------------------------------------

_PART = rf"(?:[dDlLoO]{_TICK}[{LETTERS}{DIGITS}])?[{LETTERS}{DIGITS}]+"
_COMPOUND = rf"{_PART}(?:[-_\u058a\u2010\u2011]{_PART})*"
_HYPHENATED = (
    rf"[{_AZ09}][{_AZ09}.,\xad]*+(?:-(?:[{_AZ}](?:\.[{_AZ}])+\.|[{_AZ09}\xad]+))+"  # non-U.S.
)
_AMPED = "[A-Z]+(?:(?:(?i:&amp;)|[+&])[A-Z]+)+"  # AT&T
_SIDE = rf"[{_AZ09}]+(?:-[{_AZ}]+){{0,2}}"
_LISTED = r"(?i:c\.d\.s|anti-|pro-|s&(?:amp;)?(?:ls|p-500))|-(?i:[lr][crs]b)-"

_COMPOUNDS = (
    _rule(r"-aAcCpPsS\u017f", _LISTED, show.ampersand),
    _rule("cCfF", r"(?i:c\+\+|[cf]#)"),
    _rule(_AZ09, rf"{_SIDE}(?:\\?/{_SIDE}){{1,2}}"),  # and/or
    _rule(_AZ09, _HYPHENATED, show.without_soft_hyphens),
    _rule(_AZ09, rf"({_HYPHENATED}\.){_MIDDLE}", show.without_soft_hyphens),
    _rule(rf"{LETTERS}{DIGITS}", _COMPOUND),
    _rule(rf"{LETTERS}{DIGITS}", rf"({_COMPOUND}\.){_MIDDLE}"),
    _rule("A-Z", _AMPED, show.ampersand),
    _rule("A-Z", rf"({_AMPED}\.){_MIDDLE}", show.ampersand),
)

# --- abbreviations ------------------------------------------------------------------------

# The period belongs to the word; before a capital, or nothing, it is a token as well.
_SOMETIMES_LAST = (
    r"(?:(?i:al|ala|apr|ariz|assn|aug|bancorp|bhd|bldg|blvd|bros|calif|colo|conn|corp|cos?|ct|dak"
    r"|dec|ed\.d|esq|est|etc|ext|feb|fla|fri|ga|inc|ind|intl|jan|jr|jul|jun|kans?|ky|ltd|mar|md"
    r"|mich|minn|mo|mon|mont|neb|nev|nov|oct|okla|penn|ph\.d|plc|rd|rt|sept?|seq|sq|sr|sys|tel"
    r"|tenn|thu|thurs|tues?|univ|va|vt|wed|wisc?|wyo)"
    # states that are words when in lower case
    r"|A(?i:rk|z)|D(?i:el)|I(?i:ll)|L(?i:a)|M(?i:ass|iss)|O(?i:re)|P(?i:a)|T(?i:ex)|W(?i:ash)"
    r"|(?i:pp?t)[ey](?i:s?))"
)
# These stand before a name, never last.
_TITLES = (
    r"(?:(?i:adj|adm|adv|alex|assoc|asst|attys?|ave|brig|capt|cf|cie|co?mdr|col|cpl|dept|det|drs?"
    r"|elec|ens|ft|gen|govs?|hon|insp|invt|jos|lieut|lt|maj|messrs|mlle|mme|mrs?|ms|msgr|mt|natl"
    r"|pfc|ph|pres|profs?|pvt|reps?|rev|sens?|sfc|sgt|spc|ste?|supts?|treas|vs|wm)"
    r"|M(?i:iss)|(?i:m)[ft](?i:g))"
)
_US = r"(?i:U\.S\.-U\.(?:K|S\.S\.R)|(?:Canada|EU|Japan|Korean|non|Sino)-U\.S)"
# After initials these words begin a new sentence; only their first letter must be a capital.
_OPENERS = (
    r"A(?i:bout|ccording|dditionally|fter|n|s|t)?|B(?i:ut)|E(?i:arlier)|H(?i:e|er|ere|owever)"
    r"|I(?i:f|n|t)|L(?i:ast)|M(?i:any|ore|[rs]\.)|N(?i:ow)|O(?i:nce|ne|ther|ur)"
    r"|S(?i:he|ince|o|ome|uch)|T(?i:hat|he|heir|hen|here|hese|hey|his)|W(?i:e|hat|hen|hile)"
    r"|Y(?i:et|ou)"
)
_NEW_SENTENCE = rf"{_GAP}+(?:{_OPENERS}|{TAG}){_GAP}"

_ABBREVIATIONS = (
    _rule(_AZ, rf"([{_AZ}])\.{_NEW_SENTENCE}"),
    _rule(_ANY_AZ, rf"({_US}|[{_AZ}](?:\.[{_AZ}])+)\.{_NEW_SENTENCE}", show.with_period),
    _rule(_AZ, rf"((?i:art|bldg|ca|figs?|nos?|op|pp|prop)\.){_GAP}?[{DIGITS}]"),
    _rule("cCpP", rf"((?i:co|pt[ey])\.)[{BLANKS}](?i:lim|ltd)"),
    _rule(
        _ANY_AZ,
        rf"({_SOMETIMES_LAST})\.{_GAP}(?:{TAG}|{_GAP}|[{CAPITALS}])",
        show.with_period,
    ),
    _rule(_ANY_AZ, rf"({_SOMETIMES_LAST}\.)(?s:..)"),
    _rule(_ANY_AZ, rf"({_SOMETIMES_LAST})\.", show.with_period),
    _rule(_ANY_AZ, rf"(?:{_US}|{_TITLES}|[{_AZ}](?:\.[{_AZ}])*)\."),
    _rule(_ANY_AZ, rf"({_US}){_GAP}"),
)

# --- numbers ------------------------------------------------------------------------------

_D = rf"[{DIGITS}]"
_MORE = rf"[.:,\xad\u066b\u066c]{_D}+"
_RAISED = r"\u2070\xb9\xb2\xb3\u2074-\u2079"
_DIALLED = r"[0-9]{3,4}[- \xa0]?[0-9]{3,5}"

_NUMBERS = (
    _rule(
        rf"{DIGITS}+\-.:,\xad\u066b\u066c",
        rf"[-+]?(?:{_D}+|{_MORE})(?:{_MORE})*",
        show.without_soft_hyphens,
    ),
    _rule(DIGITS, rf"{_D}{{1,2}}[-/]{_D}{{1,2}}[-/]{_D}{{2,4}}"),
    _rule(DIGITS, rf"(?:{_D}{{1,4}}[- \xa0])?{_D}{{1,4}}(?:\\?/|\u2044){_D}{{1,4}}", show.unbroken),
    _rule(r"\xbc-\xbe\u2153\u2154", "[^ ]", show.single),
    _rule(
        rf"\u207a\u207b\u208a\u208b{_RAISED}\u2080-\u2089",
        rf"[\u207a\u207b\u208a\u208b]?(?:[{_RAISED}]+|[\u2080-\u2089]+)",
    ),
    # phone numbers: (12) 345 6789, +12 345 678 9012, 12.345.6789
    _rule("(", rf"\([0-9]{{2,3}}\)[ \xa0]?{_DIALLED}", show.escaped),
    _rule("+0-9", rf"\+{{0,2}}(?:[0-9]{{2,4}}[- \xa0]){{1,2}}{_DIALLED}", show.escaped),
    _rule("+0-9", r"(?:\+{0,2}[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5}"),
    _rule("A-Z$#", r"[A-Z]*\$|#"),
    _rule(r"\xa2-\xa4\x80\u20a0\u20ac", "[^ ]", show.single),
)

# --- addresses ----------------------------------------------------------------------------

_OUTSIDE = r' \t\n\x0c\r"<>|()'  # in no address
_LAST = rf"[^{_OUTSIDE}{{}}.!?,-]"
_MAIL = rf"{_OUTSIDE}{{}}\xa0"
_WWW = rf"(?i:www)\.(?:[^{_OUTSIDE}{{}}.!?,]+\.)+[{_AZ}]{{2,4}}"
# From the comma to the underline there are also the capitals and digits.
_NOT_IN_HOST = rf"{_OUTSIDE}{{}}`'.!?,-_$"
_HOST = rf"(?:[^{_NOT_IN_HOST}]++\.)+(?i:com|edu|net|org)"
_PATH = rf"/[^{_OUTSIDE}]+{_LAST}"
_ENDINGS = (
    "bat|bmp|c|cgi|class|cpp|dll|docx?|exe|gif|gz|h|html?|jar|java|jpe?g|mov|mp3|pdf|php|pl|png"
    "|ppt|ps|py|sql|tar|txt|wav|x|xml|zip"
)

_ADDRESSES = (
    _rule("hH", rf"(?i:https?)://[^{_OUTSIDE}{{}}]+{_LAST}"),
    # A path ends in the same place wherever its host does, so it is tried first.
    _rule("wW", rf"{_WWW}{_PATH}|{_WWW}"),
    _rule(rf"^{_NOT_IN_HOST}", rf"{_HOST}{_PATH}|{_HOST}"),
    _rule(
        rf"{_AZ09}<&",
        rf"(?:<|(?i:&lt;))?[{_AZ09}][^{_MAIL}]*@(?:[^{_MAIL}.]+\.)*[^{_MAIL}.]+(?:>|(?i:&gt;))?",
    ),
    _rule("@", rf"@[{_AZ}_][{_AZ09}_]*"),
    _rule("#", rf"#{_LETTER}+"),
    _rule(rf"{MARKED}{DIGITS}&", rf"((?:{_ALNUM}++\.)+(?i:{_ENDINGS}))(?:{_GAP}|[.?!,])"),
)

# --- punctuation --------------------------------------------------------------------------

_EYE = "[-^x=~<>']"

_PUNCTUATION = (
    _rule(r"&\x96\x97\u2013-\u2015", "[^&]|(?i:&(?:md|mdash|ndash);)", show.always("--")),
    _rule('"&', rf'("|(?i:&quot;))[{_AZ09}$]', show.opening),
    _rule('"&', '"|(?i:&quot;)', show.closing),
    _rule("<&", "<|(?i:&lt;)", show.always("<")),
    _rule(">&", ">|(?i:&gt;)", show.always(">")),
    _rule("<>", "<<|>>"),
    # faces: eyes, nose, mouth; and those that look straight at you
    _rule("<>:;=", rf"([<>]?[:;=][-o*']?[()DPdpO\\{{@|\[\]])[^{_AZ09}]", show.escaped),
    _rule("-^x=~<>'", rf"{_EYE}_{_EYE}"),
    _rule("(", rf"\((?:{_EYE}[_.]?{_EYE}|[\^x=~<>']-[\^x=~<>'`])\)", show.escaped),
    _rule(r"\^x=~<>", r"[^ ]\.\[\^(?i:x)=~<>\]"),  # a slip of the original, kept
    _rule(r"()\[\]{}", "[^ ]", show.single),
    _rule("-", "-+", show.dashes),
    _rule(r".\x85\u2026", r"\.{3,5}|(?:\.[ \xa0]){2,4}\.|[\x85\u2026]", show.always("...")),
    _rule(r"@#_*\\", r"@+|#+|_+|\*+|(?:\\\*){1,3}"),
    _rule("?!", "[?!]+"),
    _rule(rf".,;:=/{SYMBOLS}", "[^ ]"),
    _rule(BLANKS, rf"[{BLANKS}]+", show.nothing),
    _rule(BREAKS, rf"\r\n|[{BREAKS}]", show.always("\n")),
    _rule(r"\S\s", "(?s:.)", show.nothing),
)

# Abbreviations come before compounds for `Co.-owned`: its period is not inside a compound.
RULES = _TAGS + _WORDS + _ABBREVIATIONS + _COMPOUNDS + _NUMBERS + _ADDRESSES + _PUNCTUATION
