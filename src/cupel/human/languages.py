"""Languages as WMT's files call them: names, two-letter codes, and two kinds of three-letter ones.

In 2006-2014 the rankings say `Czech`, later `cze` or `ces` (ISO 639-2/B or /T, and two codes of the
Appraise tool's own, `esn` and `ptb`); everything else in this package says `cs`.
"""

from __future__ import annotations

_TABLE = """
bg Bulgarian bul
bn Bengali ben
cs Czech cze ces
de German ger deu
en English eng
es Spanish spa esn
et Estonian est
eu Basque baq eus
fi Finnish fin
fr French fre fra
gu Gujarati guj
ha Hausa hau
he Hebrew heb
hi Hindi hin
hr Croatian hrv
hu Hungarian hun
is Icelandic ice isl
it Italian ita
iu Inuktitut iku
ja Japanese jpn
kk Kazakh kaz
km Khmer khm
ko Korean kor
lt Lithuanian lit
lv Latvian lav
nl Dutch dut nld
pl Polish pol
ps Pashto pus
pt Portuguese por ptb
ro Romanian rum ron
ru Russian rus
ta Tamil tam
tr Turkish tur
uk Ukrainian ukr
xh Xhosa xho
zh Chinese chi zho
zu Zulu zul
"""
_CODES = {
    name.lower(): entry.split()[0]
    for entry in _TABLE.strip().splitlines()
    for name in entry.split()
}


def language_code(name: str) -> str | None:
    """`cs` for `Czech`, `cze`, `ces` or `cs` in any case; None for what is no language here."""
    return _CODES.get(name.strip().lower())
